//! Tries drafts: searches their worlds within a number of states, and records what ran.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nacre_checker::coverage::{seen, Seen};
use nacre_checker::explore::Verdict;
use nacre_driver::Session;
use nacre_specification::violation::Violation;
use nacre_stack::Span;
use nacre_worlds::world::{self, Refusal, Subject, World};

use super::super::search::{search, Found};
use super::draft::{Draft, Value};
use crate::args::Verify;
use crate::interrupt::Interrupt;

/// The most states of a proposal, if the command line sets no limit.
const MOST_STATES: usize = 200_000;

/// What a search costs at least, in states.
pub const LEAST_COST: u64 = 500;

/// What a search can show: a statement that ran, or an operand that decided as false or as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    Ran(Span),
    Decided(Span, bool),
}

/// How the search of a draft ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Every state was visited, and none violates a specification.
    Holds,
    /// `goal`: only a goal is not met.
    Violated { why: String, goal: bool },
    /// There are more states than the search was allowed, or it was incomplete for another reason.
    TooLarge,
    /// There is no such world.
    Refused(String),
}

/// A draft that was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    pub draft: Draft,
    pub ending: Ending,
    pub states: u64,
    pub features: BTreeSet<Feature>,
}

impl Trial {
    /// Whether every state was visited, without a violation.
    pub fn holds(&self) -> bool {
        self.ending == Ending::Holds
    }
}

/// Identifies a draft.
type Key = (Option<String>, Vec<Value>);

/// Tries the drafts of a subject, each once.
pub struct Trials<'a> {
    pub args: &'a Verify,
    pub session: &'a Session,
    pub subject: &'a Subject,
    pub interrupt: &'a Interrupt,
    /// With the limit of states.
    known: BTreeMap<Key, (usize, Rc<Trial>)>,
    /// The states of all searches so far.
    pub spent: u64,
    /// Every feature that a search of the subject can show.
    pub possible: BTreeSet<Feature>,
}

impl<'a> Trials<'a> {
    /// No draft was tried.
    pub fn new(args: &'a Verify, session: &'a Session, subject: &'a Subject, interrupt: &'a Interrupt) -> Trials<'a> {
        Trials { args, session, subject, interrupt, known: BTreeMap::new(), spent: 0, possible: BTreeSet::new() }
    }

    /// The most states of a proposal.
    pub fn most(&self) -> usize {
        self.args.states.unwrap_or(MOST_STATES)
    }

    /// The world of a draft.
    pub fn world(&self, draft: &Draft) -> Result<World, String> {
        let configuration = draft.configuration(self.subject, "proposed");
        world::world(self.session, self.subject, &configuration, false).map_err(|refusal| match refusal {
            Refusal::Words(words) | Refusal::Usage(words) => words,
            Refusal::Diagnostics(found) => found.first().map(|d| d.message.clone()).unwrap_or_default(),
        })
    }

    /// Searches the world of a draft, up to a number of states.
    pub fn of(&mut self, draft: &Draft, states: usize) -> Rc<Trial> {
        let key = draft.key();
        if let Some((limit, trial)) = self.known.get(&key) {
            if trial.ending != Ending::TooLarge || *limit >= states {
                return trial.clone();
            }
        }
        let trial = Rc::new(self.tried(draft, states));
        // An interrupted search says nothing.
        if !self.interrupt.came() {
            self.known.insert(key, (states, trial.clone()));
        }
        trial
    }

    fn tried(&mut self, draft: &Draft, states: usize) -> Trial {
        let ended = |ending| Trial { draft: draft.clone(), ending, states: 0, features: BTreeSet::new() };
        let found = self.world(draft).and_then(|world| Ok((self.searched(&world, states)?, world)));
        let (found, world) = match found {
            Ok(found) => found,
            Err(words) => return ended(Ending::Refused(words)),
        };
        self.spent += found.searched.progress.states.max(LEAST_COST);
        let features = self.features(&world, &found);
        let ending = match found.searched.verdict {
            Verdict::Complete => Ending::Holds,
            Verdict::Violated { why, violation, .. } => Ending::Violated { why, goal: violation == Violation::Goal },
            Verdict::Incomplete(_) => Ending::TooLarge,
        };
        Trial { features, ..Trial { states: found.searched.progress.states, ..ended(ending) } }
    }

    /// What a search saw.
    pub fn features(&mut self, world: &World, found: &Found) -> BTreeSet<Feature> {
        let mut features = BTreeSet::new();
        for (span, seen) in seen(world.setup.stack(), &|_| true, &found.covered) {
            let (possible, here) = of_code(span, seen);
            self.possible.extend(possible);
            features.extend(here);
        }
        features
    }

    /// On one thread, so that the result is the same on every machine.
    ///
    /// # Errors
    /// Why there is no search of the world.
    pub fn searched(&self, world: &World, states: usize) -> Result<Found, String> {
        if let Some(why) = world.setup.beyond_interpreter() {
            return Err(why);
        }
        let args = Verify { states: Some(states), threads: Some(1), ..self.args.clone() };
        search(&args, world, self.interrupt, true)
    }
}

/// What a search can show of a piece of code, and what it showed.
fn of_code(span: Span, seen: Seen) -> (Vec<Feature>, Vec<Feature>) {
    match seen {
        Seen::Statement(ran) => (vec![Feature::Ran(span)], ran.then_some(Feature::Ran(span)).into_iter().collect()),
        Seen::Operand(was) => {
            let both = [false, true];
            let here = both.into_iter().filter(|value| was[usize::from(*value)]);
            let here = here.map(|value| Feature::Decided(span, value)).collect();
            (both.map(|value| Feature::Decided(span, value)).to_vec(), here)
        }
    }
}
