//! Global states and their transitions.

mod calls;
mod clock;
mod full_pool;
mod stuck;
mod timers;

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use nacre_specification::compute::{LEFT_OUT, MOST_NUMBERS};
use nacre_specification::members::Members;
use nacre_specification::violation::Violation;

use crate::broken::Broken;
use crate::canonical::Canonical;
use crate::counters::Counters;
use crate::endpoints::{Endpoints, Local, NearEndpoints, Step, Transition};
use crate::locals::{Lists, Locals};
use crate::monitor::{Monitors, NearMonitors};
use crate::network::{NearNetwork, Network};
use nacre_worlds::calls::Call;
use nacre_worlds::setup::Setup;

/// A global state: the numbers of its parts' states, and the consumed bounds ([`Counters`]: calls by kind and
/// endpoint, then limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// See [`Space::local_of`].
    pub endpoints: Locals,
    pub network: u32,
    pub monitor: u32,
    pub counts: u32,
}

/// One move. `transition`: the index of the outcome of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A step of one endpoint alone.
    Step { end: usize, step: Step, transition: usize },
    /// The index in [`Network::moves`] and, if an endpoint receives something, the index of the outcome of its step.
    Network { place: usize, transition: usize },
    /// A frame of [`Network::moves`] arrives and is lost: the pool is full.
    NoSpace { place: usize },
    /// Nothing happens until this time.
    Wait { until: u64 },
}

/// The successor of a move, or the violation that it shows.
pub type Successor = Result<State, Broken>;

/// What is done with the moves out of a state.
pub trait Visitor {
    /// Visits a move. `fault`: it never has to happen.
    fn found(&mut self, m: Move, fault: bool, led: Successor);
    /// Whether the other moves of the state need not be found.
    fn enough(&self) -> bool {
        false
    }
}

impl<F: FnMut(Move, bool, Successor)> Visitor for F {
    fn found(&mut self, m: Move, fault: bool, led: Successor) {
        self(m, fault, led);
    }
}

/// The parts of global states.
pub struct Space {
    members: Members,
    lists: Lists,
    pub endpoints: Endpoints,
    pub network: Network,
    pub monitors: Monitors,
    /// The counters of calls, which precede those of limits.
    before_limits: usize,
    counters: Counters,
    /// The names of the goals of the stack's layers.
    layer_goals: Vec<String>,
    judged_goals: usize,
    /// The index of the limit of timers.
    timers: Option<usize>,
    /// For each timer of the stack, the index of its limit if it is a last resort.
    last: Vec<Option<usize>>,
    /// Whether there is a clock,
    timed: bool,
    /// and how long after the last call all is at rest.
    within: Option<u64>,
    at_once: bool,
    misuse: bool,
    /// For each kind of call, whether a layer of the stack states when it accepts it.
    accepting: Vec<bool>,
    detects: bool,
    /// The index of the limit of frames that a full pool refuses, before those of timers in phase.
    scarce: usize,
    /// For each timer of the stack, its index among those in phase.
    phases: Vec<Option<usize>>,
    /// The names of the stack's timers.
    timer_names: Vec<String>,
    /// Actions of endpoints that occurred again, and whether each occurrence lets the state of the network grow without
    /// bound.
    repeated: Mutex<HashSet<(usize, u32)>>,
    unbounded: OnceLock<String>,
}

/// Why the moves of some state are not all known, if an automaton has too many numbers.
static LEFT_OUT_WORDS: LazyLock<String> =
    LazyLock::new(|| format!("`upto` of an automaton enumerates only {MOST_NUMBERS} numbers, and there are more"));

/// The results of the parts that one thread has cached.
#[derive(Default)]
pub struct Near {
    endpoints: NearEndpoints,
    network: NearNetwork,
    monitors: NearMonitors,
    /// The local states of the state that is expanded.
    locals: Vec<Arc<Local>>,
}

impl Space {
    /// Returns the parts and every initial state, or the violation that opening shows.
    pub fn open(setup: &Setup) -> Result<(Space, Vec<Successor>), String> {
        Space::open_with(setup, Canonical::default())
    }

    /// The same with other canonical forms of local states.
    pub fn open_with(setup: &Setup, canonical: Canonical) -> Result<(Space, Vec<Successor>), String> {
        setup.check()?;
        LEFT_OUT.store(false, Ordering::Relaxed);
        let (endpoints, opened) = Endpoints::open(setup, canonical)?;
        let (network, network_first) = Network::new(setup)?;
        let (monitors, judge_first) = Monitors::new(setup)?;
        let bounds = &setup.bounds;
        let layers = setup.stack().layers.iter();
        let layer_goals: Vec<String> =
            layers.flat_map(|l| l.goals.iter().map(|g| format!("{} of {}", g.name, l.name))).collect();
        let judged_goals = monitors.goal_names().len();
        let members = setup.members();
        if 1 + judged_goals + members.count() * layer_goals.len() > 32 {
            return Err("there are more than 32 goals".into());
        }
        let timers = setup.stack().timers.iter();
        let space = Space {
            members,
            lists: Lists::new(members),
            layer_goals,
            judged_goals,
            endpoints,
            network,
            monitors,
            before_limits: bounds.calls.len() * members.count(),
            counters: Counters::new(&bounds.counts(members)),
            timers: bounds.limits.iter().position(|(name, _)| name == "timers"),
            last: timers.clone().map(|t| Some(bounds.limits.len() + bounds.rank(&t.name).checked_sub(1)?)).collect(),
            timed: !bounds.trip.is_empty(),
            within: bounds.within,
            at_once: bounds.at_once,
            misuse: bounds.misuse,
            accepting: bounds.calls.iter().map(|(name, _)| setup.states_acceptance(name)).collect(),
            detects: bounds.detects,
            scarce: bounds.limits.len() + bounds.last.len(),
            phases: timers.clone().map(|t| bounds.in_phase.iter().position(|name| *name == t.name)).collect(),
            timer_names: setup.stack().timers.iter().map(|t| t.name.clone()).collect(),
            repeated: Mutex::default(),
            unbounded: OnceLock::new(),
        };
        let endpoints = space.lists.unknown();
        let state = State { endpoints, network: network_first, monitor: judge_first, counts: 0 };
        let first = space.opened(state, &opened);
        Ok((space, first))
    }

    /// Opens the endpoints one after the other, each in all possible ways.
    fn opened(&self, start: State, opened: &[Vec<Transition>]) -> Vec<Successor> {
        let mut near = Near::default();
        opened.iter().enumerate().fold(vec![Ok(start)], |before, (end, outcomes)| {
            let mut after = vec![];
            for led in before {
                let Ok(state) = led else {
                    after.push(led);
                    continue;
                };
                outcomes.iter().for_each(|w| self.settle(&mut near, state, end, w, &mut |led| after.push(led)));
            }
            after
        })
    }

    /// Returns the number of the local state of an endpoint.
    pub fn local_of(&self, state: State, end: usize) -> u32 {
        self.lists.of(state.endpoints, end)
    }

    /// Visits every move out of a state, in a fixed order, as long as it is not enough.
    pub fn expand(&self, near: &mut Near, from: State, found: &mut dyn Visitor) {
        let mut locals = std::mem::take(&mut near.locals);
        let numbers = self.members.all().map(|end| self.local_of(from, end));
        locals.extend(numbers.map(|number| self.endpoints.local(&mut near.endpoints, number)));
        for (end, local) in locals.iter().enumerate() {
            if local.busy {
                self.steps(near, from, end, Step::Later, found);
            } else {
                self.calls(near, from, end, found);
            }
        }
        self.network_moves(near, from, &locals, found);
        match self.timed {
            true => self.in_time(near, from, &locals, found),
            false => self.expirations(near, from, &locals, found),
        }
        locals.clear();
        near.locals = locals;
    }

    fn network_moves(&self, near: &mut Near, from: State, locals: &[Arc<Local>], found: &mut dyn Visitor) {
        let moves = self.network.moves(&mut near.network, &self.endpoints, from.network);
        for (place, m) in moves.iter().enumerate() {
            if found.enough() {
                return;
            }
            if m.early {
                continue;
            }
            let mut state = State { network: m.next, ..from };
            if let Some(limit) = m.limit() {
                if self.left_of_limit(from, limit) == 0 {
                    continue;
                }
                state = self.use_limit(state, limit);
            }
            let Some((end, arrival)) = m.arrives() else {
                found.found(Move::Network { place, transition: 0 }, m.fault, Ok(state));
                continue;
            };
            self.lose_in_full_pool(near, state, (place, m), found);
            if locals[end].busy {
                continue;
            }
            let transitions = self.endpoints.step(&mut near.endpoints, end, self.local_of(from, end), m.step(arrival));
            for (transition, w) in transitions.iter().enumerate() {
                self.settle(near, state, end, w, &mut |led| {
                    found.found(Move::Network { place, transition }, m.fault, led)
                });
            }
        }
    }

    fn steps(&self, near: &mut Near, from: State, end: usize, step: Step, found: &mut dyn Visitor) {
        let transitions = self.endpoints.step(&mut near.endpoints, end, self.local_of(from, end), step);
        for (transition, w) in transitions.iter().enumerate() {
            self.settle(near, from, end, w, &mut |led| found.found(Move::Step { end, step, transition }, false, led));
        }
    }

    /// Returns why the state space is infinite, if that is known.
    pub fn unbounded(&self) -> Option<&String> {
        self.unbounded.get()
    }

    /// Passes the events that an endpoint emitted to the network and the monitors.
    fn settle(
        &self,
        near: &mut Near,
        mut state: State,
        end: usize,
        transition: &Transition,
        found: &mut dyn FnMut(Successor),
    ) {
        if let Some(broken) = &transition.broken {
            if self.detects && broken.violation == Violation::Assertion {
                return;
            }
            return found(Err(broken.clone()));
        }
        state.endpoints = self.lists.with(state.endpoints, end, transition.next);
        state.counts = self.keep_phases(near, state, end, transition);
        match self.monitors.see(&mut near.monitors, &self.endpoints, state.monitor, end, transition.effects) {
            Ok(Some(monitor)) => state.monitor = monitor,
            Ok(None) => return,
            Err(broken) => return found(Err((*broken).clone())),
        }
        match self.network.take(&mut near.network, &self.endpoints, state.network, end, transition.effects) {
            Ok(networks) => networks.all().iter().for_each(|network| found(Ok(State { network: *network, ..state }))),
            Err(broken) => found(Err((*broken).clone())),
        }
    }

    /// Returns the actions of the network that are enabled in a state.
    pub fn network_moves_of(&self, near: &mut Near, state: State) -> Arc<[crate::network::Move]> {
        self.network.moves(&mut near.network, &self.endpoints, state.network)
    }

    /// Returns the outcomes of a step of an endpoint.
    pub fn transitions_of(&self, near: &mut Near, end: usize, local: u32, step: Step) -> Arc<[Transition]> {
        self.endpoints.step(&mut near.endpoints, end, local, step)
    }

    /// Whether an endpoint accepts a call now. While events of a step are pending it takes none; what it takes
    /// afterwards is decided there.
    fn takes_call(&self, near: &mut Near, state: State, at: usize) -> bool {
        let end = self.endpoints.calls[at].end;
        let (from, step) = (self.local_of(state, end), Step::Call(at as u32));
        let is_busy = self.endpoints.local(&mut near.endpoints, from).busy;
        !is_busy && !self.endpoints.step(&mut near.endpoints, end, from, step).is_empty()
    }

    /// The counter of the calls of a kind at an endpoint.
    fn counter_of(&self, call: &Call) -> usize {
        call.kind * self.members.count() + call.end
    }

    /// The bytes that the tables allocate if these many more entries make them grow.
    pub fn growth(&self, more: usize) -> usize {
        let parts = self.endpoints.growth(more) + self.network.growth(more) + self.monitors.growth(more);
        parts + self.lists.growth(more) + self.counters.growth(more)
    }

    fn used(&self, state: State, at: usize) -> u8 {
        self.counters.used(state.counts, at)
    }

    fn left_of_limit(&self, state: State, limit: usize) -> u8 {
        self.counters.left(state.counts, self.before_limits + limit)
    }

    fn use_limit(&self, state: State, limit: usize) -> State {
        State { counts: self.counters.after(state.counts, self.before_limits + limit), ..state }
    }

    /// Returns why the moves of some state are not all known.
    pub fn lost(&self) -> Option<&String> {
        let left_out = LEFT_OUT.load(Ordering::Relaxed).then(|| &*LEFT_OUT_WORDS);
        self.monitors.lost().or(self.endpoints.lost()).or(left_out)
    }

    /// Names of the goals, in the order of the bits of [`Space::goals`].
    pub fn goal_names(&self) -> Vec<String> {
        let mut names = vec!["all calls of the application are accepted".to_string()];
        names.extend(self.monitors.goal_names());
        for end in self.members.names() {
            names.extend(self.layer_goals.iter().map(|goal| format!("{goal} at {end}")));
        }
        names
    }

    /// Returns two bits for each goal: in the low half, whether it holds; in the high half, whether it is excused.
    pub fn goals(&self, near: &mut Near, state: State) -> u64 {
        let judged = self.monitors.goals(&mut near.monitors, state.monitor);
        // An endpoint that may end the connection need not accept calls afterwards: the end excuses the goal as well.
        let ended = judged >> 32 != 0;
        let mut taken = true;
        for (at, call) in self.endpoints.calls.iter().enumerate() {
            if call.spare || call.number != self.used(state, self.counter_of(call)) {
                continue;
            }
            let allowed = self.monitors.call(&mut near.monitors, state.monitor, at as u32, call).is_some();
            taken &= match allowed {
                true => self.takes_call(near, state, at),
                false => ended,
            };
        }
        // What an end has given up is up to the specification: it excuses a layer where it asks for nothing any more.
        let given_up = self.judged_goals > 0 && judged >> 32 == u64::MAX >> (64 - self.judged_goals);
        let excused = u64::from(given_up) << 32;
        let mut goals = judged << 1 | taken as u64;
        for end in self.members.all() {
            let local = self.endpoints.local(&mut near.endpoints, self.local_of(state, end));
            for (at, held) in local.goals.iter().enumerate() {
                let at = 1 + self.judged_goals + end * self.layer_goals.len() + at;
                goals |= (*held as u64 | excused) << at;
            }
        }
        goals
    }
}
