//! Tries drafts: a base with few calls over each automaton, then one choice, then two.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::choices::{bases, choices};
use super::draft::{Choice, Draft};
use super::facts::{automata, main_call, numbered_calls, of_automaton, of_layers, Facts};
use super::trial::{Ending, Feature, Trial, Trials};

/// The states of a base.
const STATES_OF_BASE: usize = 3_000;
/// The limit of states of a draft other than a base, in the first pass.
const FEW_STATES: usize = 5_000;
/// The states of all searches of a step: one or two choices, other automata, larger worlds.
const BUDGET: u64 = 500_000;
/// The automata with which two choices are tried, if the subject requires none.
const FIRST_AUTOMATA: usize = 2;

/// Whether a step ends.
type IsDone<'a> = &'a dyn Fn(&Explored, &Trials) -> bool;

/// The drafts over one automaton.
pub struct Over {
    pub base: Rc<Trial>,
    pub choices: Vec<Choice>,
}

/// All drafts that were tried.
#[derive(Default)]
pub struct Explored {
    pub pool: Vec<Rc<Trial>>,
    /// The automata below, the one that the subject requires first.
    pub over: Vec<Over>,
    /// Runs that violate what the subject states.
    pub violated: Vec<Rc<Trial>>,
    /// Settings that ask for more than it states, and with which it does not hold.
    pub not_held: Vec<Rc<Trial>>,
    /// Why no draft over an automaton is a world.
    pub refused: Vec<String>,
    /// What the drafts that hold show.
    seen: BTreeSet<Feature>,
    /// The states at which the present step ends.
    budget: u64,
}

impl Explored {
    /// Tries drafts. Two choices and larger worlds are tried until all code was executed; if `every`, until the budget
    /// is spent.
    pub fn of(trials: &mut Trials, known: &BTreeSet<Feature>, every: bool) -> Explored {
        let mut explored = Explored { seen: known.clone(), ..Explored::default() };
        let required = trials.session.network(&trials.subject.name, None);
        let is_over = |name: &String| Some(name) != required.as_ref();
        let others: Vec<String> = automata(trials.session).into_iter().filter(is_over).collect();
        if required.is_some() {
            explored.begin(trials, None);
        }
        let own = explored.over.len();
        others.iter().for_each(|name| explored.begin(trials, Some(name)));
        // Those in which most runs first.
        explored.over[own..].sort_by_key(|over| std::cmp::Reverse((over.base.features.len(), over.base.states)));
        let first = if required.is_some() { own } else { explored.over.len().min(FIRST_AUTOMATA) };
        let is_spent =
            |explored: &Explored, trials: &Trials| trials.spent >= explored.budget || trials.interrupt.came();
        let is_done = |explored: &Explored, trials: &Trials| {
            is_spent(explored, trials) || !every && explored.seen.len() == trials.possible.len()
        };
        explored.budget = trials.spent + BUDGET;
        (0..first).for_each(|at| explored.singles(trials, at, &is_spent));
        (0..first).for_each(|at| explored.pairs(trials, at, &is_done));
        explored.budget = trials.spent + BUDGET;
        (first..explored.over.len()).for_each(|at| explored.singles(trials, at, &is_done));
        explored.budget = trials.spent + BUDGET;
        explored.larger(trials, &is_done);
        explored
    }

    /// Finds the base over an automaton: the first draft that is small enough, or else the smallest.
    fn begin(&mut self, trials: &mut Trials, over: Option<&str>) {
        let (session, subject) = (trials.session, trials.subject);
        let Ok((stack, _)) = session.compose_varied(&subject.name, &Default::default()) else { return };
        let Some(call) = main_call(&stack) else { return };
        let Some(below) = session.network(&subject.name, over) else { return };
        let parameters = (&of_layers(session, subject)[..], &of_automaton(session, &below)[..]);
        let drafts = bases(over, (&call, &numbered_calls(&stack)), parameters);
        let mut found: Option<Rc<Trial>> = None;
        let mut violated: Option<Rc<Trial>> = None;
        for draft in &drafts {
            let trial = trials.of(draft, STATES_OF_BASE);
            match &trial.ending {
                Ending::Holds => {
                    found = Some(trial);
                    break;
                }
                Ending::Refused(why) => self.refused.push(why.clone()),
                Ending::Violated { .. } => violated = violated.or(Some(trial)),
                Ending::TooLarge => {}
            }
            // What does not fit below is not tried with other parameters.
            if over.is_some() && violated.is_some() {
                break;
            }
        }
        let is_worst = |trial: &Trial| found.is_none() || matches!(trial.ending, Ending::Violated { goal: false, .. });
        violated.iter().filter(|trial| is_worst(trial)).for_each(|trial| match trial.draft.stricter {
            true => self.not_held.push(trial.clone()),
            false => self.violated.push(trial.clone()),
        });
        let mut large = || drafts.iter().rev().map(|draft| trials.of(draft, FEW_STATES)).find(|t| t.holds());
        let Some(base) = found.or_else(|| if violated.is_none() { large() } else { None }) else { return };
        let Ok(world) = trials.world(&base.draft) else { return };
        let facts = Facts::of(session, subject, &world);
        self.add(&base);
        self.over.push(Over { base, choices: choices(&facts) });
    }

    /// The draft of one more choice.
    fn singles(&mut self, trials: &mut Trials, at: usize, is_done: IsDone) {
        let base = self.over[at].base.draft.clone();
        for choice in self.over[at].choices.clone() {
            if is_done(self, trials) {
                return;
            }
            let trial = trials.of(&base.with(&choice), FEW_STATES);
            self.add(&trial);
        }
    }

    /// The drafts of two more choices, without those that do not hold alone.
    fn pairs(&mut self, trials: &mut Trials, at: usize, is_done: IsDone) {
        let base = self.over[at].base.draft.clone();
        let mut choices = self.over[at].choices.clone();
        choices.retain(|choice| {
            let trial = trials.of(&base.with(choice), FEW_STATES);
            matches!(trial.ending, Ending::Holds | Ending::TooLarge)
        });
        for (later, second) in choices.iter().enumerate() {
            for first in choices[..later].iter().filter(|first| first.dimension != second.dimension) {
                if is_done(self, trials) {
                    return;
                }
                let trial = trials.of(&base.with(first).with(second), FEW_STATES);
                self.add(&trial);
            }
        }
    }

    /// The drafts that were too large, with more states.
    fn larger(&mut self, trials: &mut Trials, is_done: IsDone) {
        let too_large = self.pool.iter().filter(|t| t.ending == Ending::TooLarge);
        let drafts: Vec<Draft> = too_large.map(|t| t.draft.clone()).collect();
        let states = trials.most();
        for draft in drafts {
            if is_done(self, trials) {
                return;
            }
            let trial = trials.of(&draft, states);
            self.add(&trial);
        }
    }

    fn add(&mut self, trial: &Rc<Trial>) {
        if trial.holds() {
            self.seen.extend(trial.features.iter().copied());
        }
        match &trial.ending {
            Ending::Holds | Ending::TooLarge => self.pool.push(trial.clone()),
            // A goal may be unmet because the world makes too few calls.
            Ending::Violated { goal, .. } if *goal || trial.draft.stricter => self.not_held.push(trial.clone()),
            Ending::Violated { .. } => self.violated.push(trial.clone()),
            Ending::Refused(_) => {}
        }
    }
}
