//! Monitors for the automata above: the possible states of each automaton after the observed events.

use std::sync::{Arc, OnceLock};

use nacre_specification::evaluate::State;
use nacre_specification::members::{name as member, Members};
use nacre_specification::subset_construction::{close, follow, Observed};
use nacre_specification::violation::Violation;
use nacre_specification::{Action, ActionKind, Automaton};

use crate::broken::Broken;
use crate::endpoints::Endpoints;
use crate::memo::{at_end, Interner, Memo, Near, Numbered};
use nacre_worlds::calls::Call;
use nacre_worlds::setup::Setup;

/// The possible states of each automaton: sorted, and closed under internal actions and faults.
type Possible = Vec<Vec<State>>;

/// The automata that specify the endpoints, and their possible states.
pub struct Monitors {
    members: Members,
    automata: Vec<Automaton>,
    states: Interner<Possible>,
    called: Memo<(u32, u32), Option<u32>>,
    seen: Memo<(u32, u32), Seen>,
    goals: Numbered<u64>,
    /// Names of the stack's events.
    names: Vec<String>,
    /// Why some automaton could not be followed.
    lost: OnceLock<String>,
}

/// The possible states after the events that an endpoint emitted (none: unknown, [`Monitors::lost`] says why), or a
/// message that names the event that no automaton allows.
type Seen = Result<Option<u32>, Arc<Broken>>;

/// The results of [`Monitors`] that one thread has cached.
#[derive(Default)]
pub struct NearMonitors {
    called: Near<(u32, u32), Option<u32>>,
    seen: Near<(u32, u32), Seen>,
    goals: Near<u32, u64>,
}

impl Monitors {
    /// Returns the monitors of a setup and the number of their first state, or why they are unsupported.
    pub fn new(setup: &Setup) -> Result<(Monitors, u32), String> {
        let members = setup.members();
        let count = members.into();
        let monitors = Monitors {
            members,
            automata: setup.above.clone(),
            states: Interner::default(),
            called: Memo::default(),
            seen: Memo::default(),
            goals: Numbered::default(),
            names: setup.stack().events.iter().map(|e| e.name.clone()).collect(),
            lost: OnceLock::new(),
        };
        let start: Result<Possible, String> =
            monitors.automata.iter().map(|a| close(a, count, vec![a.start(count)])).collect();
        let start = start?;
        let first = monitors.states.number(start);
        Ok((monitors, first))
    }

    /// The automata, in the order of the configuration.
    pub fn automata(&self) -> &[Automaton] {
        &self.automata
    }

    /// Returns the possible states with a number.
    pub fn state(&self, number: u32) -> Arc<Possible> {
        self.states.value(number)
    }

    /// Returns why a run could not be monitored: then nothing is known about its continuations.
    pub fn lost(&self) -> Option<&String> {
        self.lost.get()
    }

    /// The bytes that the tables allocate if these many more entries make them grow.
    pub fn growth(&self, more: usize) -> usize {
        self.states.growth(more) + self.called.growth(more) + self.seen.growth(more)
    }

    fn number(&self, possible: Possible) -> u32 {
        self.states.number(possible)
    }

    fn close(&self, automaton: &Automaton, states: Vec<State>) -> Option<Vec<State>> {
        close(automaton, self.members.into(), states).map_err(|words| self.lost.get_or_init(|| words).clone()).ok()
    }

    /// Returns the possible states after a call; none if an automaton does not allow the application to make it here.
    pub fn call(&self, near: &mut NearMonitors, from: u32, at: u32, call: &Call) -> Option<u32> {
        self.called.get(&mut near.called, (from, at), || {
            let mut next = self.states.value(from).as_ref().clone();
            let name = &self.names[call.id.index()];
            let event = Observed { kind: ActionKind::Input, name, end: call.end, arguments: &call.seen };
            for (automaton, states) in self.automata.iter().zip(&mut next) {
                let (known, after) = follow(automaton, self.members.into(), states, event);
                if known && after.is_empty() {
                    return None;
                }
                if known {
                    *states = self.close(automaton, after)?;
                }
            }
            Some(self.number(next))
        })
    }

    /// Returns the possible states after the events that an endpoint emitted.
    pub fn see(&self, near: &mut NearMonitors, endpoints: &Endpoints, from: u32, end: usize, effects: u32) -> Seen {
        let key = (from, at_end(self.members, effects, end));
        self.seen.get(&mut near.seen, key, || {
            let mut next = self.states.value(from).as_ref().clone();
            for left in endpoints.effects.value(effects).iter().filter(|l| !l.down()) {
                let name = &self.names[left.event.index()];
                let event = Observed { kind: ActionKind::Output, name, end, arguments: &left.arguments };
                for (automaton, states) in self.automata.iter().zip(&mut next) {
                    let (known, after) = follow(automaton, self.members.into(), states, event);
                    if known && after.is_empty() {
                        let names = |a: &&Action| a.kind == ActionKind::Output && a.name == *name;
                        let is_unnamed = automaton.actions.iter().filter(names).all(|a| a.is_never());
                        let unnamed = if is_unnamed { ": no specification names it" } else { "" };
                        let (at, of) = (member(end), &automaton.name);
                        let why = format!("`{name}` at {at} is not allowed by `{of}` here{unnamed}");
                        return Err(Arc::new(Broken::new(Violation::NotAllowed, why)));
                    }
                    if known {
                        match self.close(automaton, after) {
                            Some(closed) => *states = closed,
                            None => return Ok(None),
                        }
                    }
                }
            }
            Ok(Some(self.number(next)))
        })
    }

    /// Returns two bits for each goal of each automaton: in the low half, whether a possible state fulfils the goal; in
    /// the high half, whether one excuses it.
    pub fn goals(&self, near: &mut NearMonitors, at: u32) -> u64 {
        self.goals.get(&mut near.goals, at, || {
            let possible = self.states.value(at);
            let each = self.automata.iter().zip(possible.iter());
            let goals = each.flat_map(|(a, states)| {
                nacre_specification::subset_construction::goals(a, self.members.into(), states)
            });
            let bits = |(holds, excused)| u64::from(holds) | u64::from(excused) << 32;
            goals.enumerate().fold(0, |all, (at, goal)| all | bits(goal) << at)
        })
    }

    /// Names the goals in the order of the bits of [`Monitors::goals`].
    pub fn goal_names(&self) -> Vec<String> {
        let each = self.automata.iter();
        each.flat_map(|a| a.goals.iter().map(|g| format!("{} of {}", g.name, a.name))).collect()
    }
}
