//! `nacre verify --mutants`: mutation testing of the specifications.
//!
//! A mutant is detected if `verify` would not report that it holds: a run violates the specification, or a handler that
//! runs in the correct layer runs in no configuration. The search ends at [`MORE_STATES`] times the states of the
//! correct layer, because a mistake can make the state space infinite; a mutant that is not detected by then counts as
//! undetected.

use std::collections::{BTreeMap, BTreeSet};

use nacre_checker::explore::Verdict;
use nacre_driver::Session;
use nacre_mutants::{mutants, Key, Mutant};
use nacre_stack::{HandlerId, LayerId};
use serde_json::{json, Value};

use crate::args::Verify;
use crate::console::{complain, print, print_json, Exit};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use nacre_worlds::world::{Subject, World};

/// Limit of the states of a mutant's search, as a multiple of the states of the correct layer, in each configuration.
pub const MORE_STATES: usize = 3;

/// Tries every mutant of each subject in its configurations, until one detects it.
pub fn run(args: &Verify, worlds: &[(&Subject, World)], session: &Session, interrupt: &Interrupt) -> Exit {
    let mut subjects: Vec<&Subject> = vec![];
    worlds.iter().for_each(|(s, _)| {
        if !subjects.contains(s) {
            subjects.push(s)
        }
    });
    let (mut scores, mut all_found) = (vec![], true);
    if args.layer.is_some() {
        subjects.retain(|s| s.is_layer);
    }
    for subject in subjects {
        let with = |s: &Subject, w: &World| s == subject || args.layer.is_some() && has_layer(w, &subject.name);
        let mine: Vec<&World> = worlds.iter().filter(|(s, w)| with(s, w)).map(|(_, w)| w).collect();
        match score(args, &mine, session, interrupt) {
            Ok(score) => {
                all_found &= score.survivors.is_empty();
                if args.json {
                    scores.push(score.json(subject));
                } else {
                    score.print(subject);
                }
            }
            Err((exit, words)) => {
                if args.json {
                    scores.push(json!({ "ok": false, "subject": subject.name, "error": words }));
                    print_json(&Value::Array(scores));
                }
                complain(&words);
                return exit;
            }
        }
        if interrupt.came() {
            return interrupt.exit();
        }
    }
    if args.json {
        print_json(&Value::Array(scores));
    }
    if all_found {
        Exit::Yes
    } else {
        Exit::No
    }
}

/// The results for the mutants of a subject.
pub struct Score {
    /// For each operator, the numbers of detected and of all mutants.
    operators: BTreeMap<&'static str, (u32, u32)>,
    /// The number of mutants that are detected only because a handler no longer runs.
    idle: u32,
    pub survivors: Vec<String>,
}

/// A configuration, and the result of the correct layer's search there.
struct Right<'a> {
    world: &'a World,
    mutants: BTreeMap<Key, Mutant>,
    states: usize,
    ran: BTreeMap<String, bool>,
}

/// Tries all mutants.
///
/// Errors: the layer itself violates its specification, or a search failed; with the exit status.
pub fn score(
    args: &Verify,
    worlds: &[&World],
    session: &Session,
    interrupt: &Interrupt,
) -> Result<Score, (Exit, String)> {
    let mut score = Score { operators: BTreeMap::new(), idle: 0, survivors: vec![] };
    let (mut rights, mut all) = (vec![], vec![]);
    for world in worlds {
        let found = super::search::search(args, world, interrupt, true).map_err(|why| (Exit::Unknown, why))?;
        if let Verdict::Violated { why, .. } = found.searched.verdict {
            return Err((Exit::No, format!("the specification does not hold without a mutation: {why}")));
        }
        let states = found.searched.progress.states as usize;
        let ran = ran(world, &found.covered.handlers);
        let layers = args.layer.iter().flat_map(|name| layers(world, name)).collect::<Vec<_>>();
        let found = mutants(world.setup.stack(), &layers).into_iter().filter(|m| may_be_seen(m, worlds));
        let mut mutants = BTreeMap::new();
        for mutant in found {
            if !all.iter().any(|other: &Mutant| other.key() == mutant.key()) {
                all.push(mutant.clone());
            }
            mutants.insert(mutant.key(), mutant);
        }
        rights.push(Right { world, mutants, states, ran });
    }
    // Small state spaces detect most mutants fastest.
    rights.sort_by_key(|r| r.states);
    let mut progress = Progress::of_runs(all.len() as u64);
    for mutant in &all {
        if interrupt.came() {
            break;
        }
        let found = tried(args, &rights, mutant, interrupt);
        let (killed, all) = score.operators.entry(mutant.operator).or_default();
        *all += 1;
        match found {
            Found::Broken => *killed += 1,
            Found::Idle => {
                *killed += 1;
                score.idle += 1;
            }
            Found::Not => score.survivors.push(describe(mutant, session)),
            Found::Unfinished => {
                score.survivors.push(format!("{} (the search is incomplete)", describe(mutant, session)))
            }
        }
        progress.add(1);
    }
    Ok(score)
}

/// The layers of a name in the stack of a world.
fn layers(world: &World, name: &str) -> Vec<LayerId> {
    let all = (0..).map(LayerId).zip(&world.setup.stack().layers);
    all.filter(|(_, layer)| layer.name == name).map(|(id, _)| id).collect()
}

fn has_layer(world: &World, name: &str) -> bool {
    !layers(world, name).is_empty()
}

/// Whether a specification can notice a mutant. An assertion is a claim about the layer, which no run may violate; a
/// layer that detects what is below it must make its assertions, and a configuration says so.
pub fn may_be_seen(mutant: &Mutant, worlds: &[&World]) -> bool {
    mutant.operator != "assertion" || worlds.iter().any(|world| world.setup.bounds.detects)
}

/// For each handler, whether it ran or cannot run here.
fn ran(world: &World, covered: &[bool]) -> BTreeMap<String, bool> {
    let runnable = world.runnable();
    let handlers = world.setup.stack().handlers.iter().zip(covered).enumerate();
    handlers.map(|(at, (h, ran))| (h.name.clone(), *ran || !runnable.contains(&HandlerId(at as u32)))).collect()
}

/// The handlers that ran in none of several searches.
fn idle<'a>(searches: impl Iterator<Item = &'a BTreeMap<String, bool>>) -> BTreeSet<&'a str> {
    let (mut idle, mut active) = (BTreeSet::new(), BTreeSet::new());
    for (name, ran) in searches.flatten() {
        let found = if *ran { &mut active } else { &mut idle };
        found.insert(name.as_str());
    }
    idle.retain(|name| !active.contains(name));
    idle
}

enum Found {
    /// A run violates the specification.
    Broken,
    /// A handler no longer runs.
    Idle,
    Not,
    /// The limit of states was exceeded.
    Unfinished,
}

fn tried(args: &Verify, rights: &[Right], mutant: &Mutant, interrupt: &Interrupt) -> Found {
    let (mut all, mut complete) = (vec![], true);
    for right in rights {
        let Some(mutant) = right.mutants.get(&mutant.key()) else { continue };
        let setup = right.world.setup.with(|stack| mutant.stack(stack));
        let changed = World {
            setup,
            configuration: vec![],
            configuration_name: right.world.configuration_name.clone(),
            caveats: vec![],
            gaps: vec![],
        };
        let states = args.states.unwrap_or(right.states * MORE_STATES);
        let args = Verify { states: Some(states), ..args.clone() };
        match super::search::search(&args, &changed, interrupt, true) {
            Ok(found) => {
                if matches!(found.searched.verdict, Verdict::Violated { .. }) {
                    return Found::Broken;
                }
                complete &= found.searched.verdict == Verdict::Complete;
                all.push(ran(right.world, &found.covered.handlers));
            }
            // The mutant fails when it opens.
            Err(_) => return Found::Broken,
        }
    }
    let before = idle(rights.iter().map(|r| &r.ran));
    match !idle(all.iter()).is_subset(&before) {
        _ if !complete => Found::Unfinished,
        true => Found::Idle,
        false => Found::Not,
    }
}

/// Formats a mutant that was not detected.
fn describe(mutant: &Mutant, session: &Session) -> String {
    let place = session.places(&[mutant.span]);
    let source = |span| session.sources.slice(span).to_string();
    let before = mutant.before(&source);
    let after = mutant.after(&source).unwrap_or_else(|| "(removed)".into());
    format!("{} in {} ({place}): {before}  =>  {after}", mutant.operator, mutant.place)
}

impl Score {
    /// Returns the numbers of detected and of all mutants.
    pub fn sums(&self) -> (u32, u32) {
        self.operators.values().fold((0, 0), |(k, a), (killed, all)| (k + killed, a + all))
    }

    fn print(&self, subject: &Subject) {
        let (killed, all) = self.sums();
        let share = 100.0 * f64::from(killed) / f64::from(all.max(1));
        print(&format!("{}: {killed} of {all} mutants are detected ({share:.0} %)", subject.name));
        if self.idle > 0 {
            print(&format!("    {} of them only because a handler no longer runs", self.idle));
        }
        for (operator, (killed, all)) in &self.operators {
            print(&format!("    {operator:<11} {killed} of {all}"));
        }
        self.survivors.iter().for_each(|s| print(&format!("  not detected: {s}")));
    }

    fn json(&self, subject: &Subject) -> Value {
        let (killed, all) = self.sums();
        let operators: BTreeMap<&str, Value> =
            self.operators.iter().map(|(o, (k, a))| (*o, json!({ "found": k, "all": a }))).collect();
        json!({
            "subject": subject.name, "found": killed, "all": all, "idle": self.idle, "operators": operators,
            "survivors": self.survivors,
        })
    }
}
