//! Repeats a run of another engine in the explorer's state space. The other engine reports less of each step than a
//! [`Run`] does (the endpoint, the kind, the call or timer), so all states in which its steps can end are followed.

use rustc_hash::FxHashSet;

use crate::endpoints::Step;
use crate::run::{step, Run, RunStep};
use crate::space::{Move, Near, Space, State, Successor};
use nacre_worlds::setup::Setup;

/// The limit of states that are followed at once.
const MOST: usize = 1 << 18;

/// A step as another engine reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    Later {
        end: usize,
    },
    /// The call of a name, counted from 1.
    Call {
        end: usize,
        name: String,
        number: u8,
    },
    /// By its index among the armed timers, ordered by layer, declaration and indices.
    TimerAt {
        end: usize,
        place: u32,
    },
    /// Any timer with a name.
    Timer {
        end: usize,
        name: String,
    },
    /// An action of the network, and the endpoint that it reaches, if any.
    Network {
        name: String,
        end: Option<usize>,
    },
}

impl Hint {
    fn fits(&self, setup: &Setup, space: &Space, near: &mut Near, from: State, m: Move) -> bool {
        match (self, m) {
            (Hint::Later { end }, Move::Step { end: at, step: Step::Later, .. }) => *end == at,
            (Hint::Call { end, name, number }, Move::Step { end: at, step: Step::Call(call), .. }) => {
                let call = &space.endpoints.calls[call as usize];
                *end == at && *number == call.number + 1 && setup.stack().event(call.id).name == *name
            }
            (Hint::TimerAt { end, place }, Move::Step { end: at, step: Step::Timer(timer), .. }) => {
                *end == at && *place == timer
            }
            (Hint::Timer { end, name }, Move::Step { end: at, step: Step::Timer(timer), .. }) => {
                let armed = &space.endpoints.locals.value(space.local_of(from, at)).armed[timer as usize];
                *end == at && setup.stack().timers[armed.timer.index()].name == *name
            }
            (Hint::Network { name, end }, Move::Network { place, .. }) => {
                let m = &space.network_moves_of(near, from)[place];
                let reached = m.arrives().map(|(end, _)| end);
                *end == reached && space.network.automaton().actions[usize::from(m.action)].name == *name
            }
            _ => false,
        }
    }
}

/// Why a run cannot be repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum Lost {
    /// The number of steps that are possible; the next is not.
    Impossible(usize),
    /// All steps are possible, and none shows a violation.
    Allowed(Run),
    TooMany,
}

/// A state of the run, and how it was reached.
struct Seen {
    state: State,
    before: Option<(usize, Move)>,
}

/// Returns the complete run; it ends with the violation of its last step.
pub fn retrace(setup: &Setup, space: &Space, first: &[Successor], hints: &[Hint]) -> Result<Run, Lost> {
    let mut near = Near::default();
    let mut seen: Vec<Seen> = vec![];
    for led in first {
        match led {
            Ok(state) => seen.push(Seen { state: *state, before: None }),
            Err(broken) => return Ok(Run::of(setup, vec![], broken)),
        }
    }
    let mut level = 0..seen.len();
    for (number, hint) in hints.iter().enumerate() {
        let (mut next, mut known, mut broken) = (vec![], FxHashSet::default(), None);
        for at in level.clone() {
            let from = seen[at].state;
            let mut moves = vec![];
            space.expand(&mut near, from, &mut |m, _, led| moves.push((m, led)));
            for (m, led) in moves {
                if !hint.fits(setup, space, &mut near, from, m) {
                    continue;
                }
                match led {
                    Ok(state) if known.insert(state) => next.push(Seen { state, before: Some((at, m)) }),
                    Ok(_) => {}
                    Err(found) => broken = broken.or(Some((at, m, found))),
                }
            }
        }
        if let (true, Some((at, m, broken))) = (number + 1 == hints.len() || next.is_empty(), broken) {
            return Ok(Run::of(setup, steps_to(setup, space, &mut near, &seen, (at, m)), &broken));
        }
        if next.is_empty() {
            return Err(Lost::Impossible(number));
        }
        if next.len() > MOST {
            return Err(Lost::TooMany);
        }
        level = seen.len()..seen.len() + next.len();
        seen.extend(next);
    }
    let last = seen.get(level.start).and_then(|seen| seen.before);
    let steps = last.map(|last| steps_to(setup, space, &mut near, &seen, last)).unwrap_or_default();
    Err(Lost::Allowed(Run { members: setup.members().count(), steps, ..Run::default() }))
}

/// Returns the steps to a move out of one of the visited states, and that move.
fn steps_to(setup: &Setup, space: &Space, near: &mut Near, seen: &[Seen], last: (usize, Move)) -> Vec<RunStep> {
    let (mut moves, mut at) = (vec![last], last.0);
    while let Some((before, m)) = seen[at].before {
        moves.push((before, m));
        at = before;
    }
    let steps = moves.into_iter().rev().map(|(from, m)| step(setup, space, near, seen[from].state, m));
    steps.collect()
}
