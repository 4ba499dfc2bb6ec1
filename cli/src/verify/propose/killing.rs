//! Mutants as a measure of proposals: which of them a draft detects.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nacre_checker::explore::Verdict;
use nacre_mutants::{mutants, Key, Mutant};
use nacre_worlds::world::World;

use super::super::mutants::{may_be_seen, MORE_STATES};
use super::draft::Value;
use super::trial::{Trial, Trials, LEAST_COST};

/// The states of all searches of mutants.
const BUDGET: u64 = 500_000;
/// The same with `--mutants`.
const LARGE_BUDGET: u64 = 20_000_000;

/// The mutants of a subject, and those that no draft has detected so far.
pub struct Mutants {
    known: BTreeSet<Key>,
    alive: BTreeSet<Key>,
    /// By the settings that change the stack.
    of_stack: BTreeMap<Vec<Value>, Rc<BTreeMap<Key, Mutant>>>,
    /// The states that are left for searches.
    left: u64,
}

impl Mutants {
    /// No mutant is known; `many`: more may be searched.
    pub fn new(many: bool) -> Mutants {
        let left = if many { LARGE_BUDGET } else { BUDGET };
        Mutants { known: BTreeSet::new(), alive: BTreeSet::new(), of_stack: BTreeMap::new(), left }
    }

    /// The number of mutants, and of those that were detected.
    pub fn sums(&self) -> (usize, usize) {
        (self.known.len(), self.known.len() - self.alive.len())
    }

    /// Whether more drafts can be tried.
    pub fn go_on(&self) -> bool {
        !self.alive.is_empty() && self.left > 0
    }

    /// Whether the searches ended before every mutant was tried everywhere.
    pub fn exhausted(&self) -> bool {
        !self.alive.is_empty() && self.left == 0
    }

    /// Tries the mutants that are left in the world of a draft; returns how many it detects. `grows`: whether mutants
    /// that were not seen before are added.
    pub fn detected(&mut self, trials: &Trials, trial: &Trial, grows: bool) -> usize {
        let Ok(world) = trials.world(&trial.draft) else { return 0 };
        let here = self.of(&world, trial);
        if grows {
            self.add(&here);
        }
        self.search(trials, &world, trial.states, &here)
    }

    /// Tries the mutants that are left, and those that were not seen before, in the world of a configuration that the
    /// subject has and that holds in that many states.
    pub fn detected_by_declared(&mut self, trials: &Trials, world: &World, states: u64) {
        let here = of_world(world);
        self.add(&here);
        self.search(trials, world, states, &here);
    }

    fn add(&mut self, here: &BTreeMap<Key, Mutant>) {
        let new = here.keys().filter(|key| !self.known.contains(*key)).cloned().collect::<Vec<_>>();
        self.known.extend(new.iter().cloned());
        self.alive.extend(new);
    }

    fn search(&mut self, trials: &Trials, world: &World, states: u64, here: &BTreeMap<Key, Mutant>) -> usize {
        let mut detected = vec![];
        for (key, mutant) in here.iter().filter(|(key, _)| self.alive.contains(*key)) {
            if trials.interrupt.came() || self.left == 0 {
                break;
            }
            let changed = World {
                setup: world.setup.with(|stack| mutant.stack(stack)),
                configuration: vec![],
                configuration_name: String::new(),
                caveats: vec![],
                gaps: vec![],
            };
            match trials.searched(&changed, states as usize * MORE_STATES) {
                Ok(found) => {
                    self.left = self.left.saturating_sub(found.searched.progress.states.max(LEAST_COST));
                    if matches!(found.searched.verdict, Verdict::Violated { .. }) {
                        detected.push(key.clone());
                    }
                }
                // It fails when it opens.
                Err(_) => detected.push(key.clone()),
            }
        }
        detected.iter().for_each(|key| {
            self.alive.remove(key);
        });
        detected.len()
    }

    fn of(&mut self, world: &World, trial: &Trial) -> Rc<BTreeMap<Key, Mutant>> {
        let mut key = trial.draft.variation();
        key.extend(trial.draft.setting(DETECTS));
        self.of_stack.entry(key).or_insert_with(|| Rc::new(of_world(world))).clone()
    }
}

/// The mutants of the stack of a world that a specification can notice.
fn of_world(world: &World) -> BTreeMap<Key, Mutant> {
    let all = mutants(world.setup.stack(), &[]).into_iter().filter(|m| may_be_seen(m, &[world]));
    all.map(|mutant| (mutant.key(), mutant)).collect()
}

/// The setting with which assertions are mutated.
const DETECTS: &str = "detects";
