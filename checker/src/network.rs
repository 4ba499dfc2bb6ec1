//! The automaton below: the events that it accepts from the endpoints, and its possible actions.

use std::sync::Arc;

use nacre_specification::evaluate::{Locals, State};
use nacre_specification::members::Members;
use nacre_specification::subset_construction::{follow, Observed};
use nacre_specification::violation::Violation;
use nacre_specification::{Action, ActionKind, Automaton, Type, Value};
use nacre_stack::{Direction, PortId};

use crate::broken::Broken;
use crate::endpoints::{Arrival, Emitted, Endpoints, Step};
use crate::line::{self, Line};
use crate::memo::{at_end, size_of_value, Interner, Memo, Near, Numbered};
use crate::packed::Packing;
use nacre_worlds::setup::Setup;

/// The limit of bindings with which an action of the network is enabled in one state.
const MOST_WAYS: usize = 1000;

/// A quantity that grows this many times in a row is taken to be unbounded.
const ENDLESS: usize = 64;

/// An action that the network may take.
#[derive(Clone, Debug)]
pub struct Move {
    /// The index in [`Automaton::actions`].
    pub action: u16,
    /// The index in the limits of the bounds, or [`NONE`].
    limit: u8,
    pub fault: bool,
    /// Whether `arrives` is a frame that no endpoint sent.
    pub made_up: bool,
    /// Whether `arrives` is a frame,
    pub frame: bool,
    /// and is not there yet.
    pub early: bool,
    /// The endpoint and the input of it that the action causes if it is an output; otherwise [`NONE`].
    end: u8,
    arrival: u32,
    pub next: u32,
}

const NONE: u8 = u8::MAX;

impl Move {
    /// Returns the index in the limits of the bounds.
    pub fn limit(&self) -> Option<usize> {
        (self.limit != NONE).then_some(usize::from(self.limit))
    }

    /// Returns the endpoint and the input that the action causes, if it is an output.
    pub fn arrives(&self) -> Option<(usize, u32)> {
        (self.end != NONE).then_some((usize::from(self.end), self.arrival))
    }

    /// Returns the step of an endpoint that receives something.
    pub fn step(&self, arrival: u32) -> Step {
        if self.made_up {
            Step::MadeUp(arrival)
        } else {
            Step::Arrival(arrival)
        }
    }
}

/// The most results of [`Network::take`] that all threads share: as many as a table of a million slots holds. There are
/// several for each state of the network.
const MOST_TAKEN: usize = 7 << 17;

/// The possible states after the events that an endpoint sent, or the event that the automaton does not allow.
pub type Taken = Result<Next, Arc<Broken>>;

/// The possible states after an event: usually one.
#[derive(Clone)]
pub enum Next {
    One(u32),
    Several(Arc<Vec<u32>>),
}

impl Next {
    /// Returns the states.
    pub fn all(&self) -> &[u32] {
        match self {
            Next::One(state) => std::slice::from_ref(state),
            Next::Several(states) => states,
        }
    }
}

/// The network between the endpoints, as an automaton.
pub struct Network {
    members: Members,
    automaton: Automaton,
    /// Where frames take a stated time.
    line: Option<Line>,
    packing: Packing,
    /// As [`Packing::pack`] writes them.
    states: Interner<[u8]>,
    moves: Numbered<Arc<[Move]>>,
    taken: Memo<(u32, u32), Taken>,
    limits: Vec<String>,
    /// For each action, its event at the lower boundary of the endpoints: the index in the interface, and whether the
    /// event has a message.
    events: Vec<Option<(u32, bool)>>,
    /// The name of each event.
    names: Vec<String>,
}

/// The results of [`Network`] that one thread has cached.
#[derive(Default)]
pub struct NearNetwork {
    moves: Near<u32, Arc<[Move]>>,
    taken: Near<(u32, u32), Taken>,
}

impl Network {
    /// Returns the network of a setup and the number of its first state, or why it is unsupported.
    pub fn new(setup: &Setup) -> Result<(Network, u32), String> {
        let interface = setup.stack().interface();
        let event = |name: &str| {
            let id = setup.event_at(0, name, Direction::Up)?;
            let at = interface.iter().position(|e| e.port == PortId(0) && e.input.is_some() && e.event == id)?;
            Some((at as u32, setup.stack().event(id).message.is_some()))
        };
        let actions = setup.below.actions.iter();
        let events = actions.map(|a| if a.kind == ActionKind::Output { event(&a.name) } else { None }).collect();
        let members = setup.members();
        let network = Network {
            members,
            automaton: setup.below.clone(),
            line: Line::of(&setup.bounds.trip),
            packing: Packing::default(),
            states: Interner::default(),
            moves: Numbered::default(),
            taken: Memo::of(MOST_TAKEN),
            limits: setup.bounds.limits.iter().map(|(name, _)| name.clone()).collect(),
            events,
            names: setup.stack().events.iter().map(|e| e.name.clone()).collect(),
        };
        let start = network.automaton.start(members.into());
        let actions = network.automaton.actions.iter().enumerate().filter(|(_, a)| a.kind != ActionKind::Input);
        for (at, action) in actions {
            if network.automaton.enabled(&start, members.into(), at).len() > MOST_WAYS {
                return Err(format!(
                    "`{}` of `{}` has more than {MOST_WAYS} transitions from one state: set a parameter of it in a \
                        configuration, as in `{}`",
                    action.name, network.automaton.name, network.automaton.description
                ));
            }
        }
        let start = if network.line.is_some() { Line::begin(start) } else { start };
        let first = network.number(start);
        Ok((network, first))
    }

    /// The automaton of the network.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// Returns the state with a number.
    pub fn state(&self, number: u32) -> State {
        self.packing.unpack(&self.states.value(number))
    }

    /// Returns the number of reached states.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// The bytes that the tables allocate if these many more entries make them grow.
    pub fn growth(&self, more: usize) -> usize {
        self.packing.growth(more) + self.states.growth(more) + self.taken.growth(more)
    }

    fn number(&self, state: State) -> u32 {
        let packed = self.packing.pack(&state);
        self.states.number_of(&packed[..], || Arc::from(&packed[..]))
    }

    /// Returns the possible actions in a state: outputs first, then internal actions, then faults.
    pub fn moves(&self, near: &mut NearNetwork, endpoints: &Endpoints, from: u32) -> Arc<[Move]> {
        self.moves.get(&mut near.moves, from, || {
            let state = self.state(from);
            let frames = self.line.as_ref().map(|_| self.frames(endpoints, &state)).unwrap_or_default();
            let moves = self.ways(&state).map(|(at, locals)| {
                let action = &self.automaton.actions[at];
                let after = self.automaton.apply(&state, self.members.into(), at, &locals);
                let arrives = self.events[at].and_then(|event| self.arrival(endpoints, event, action, &locals));
                let frame = arrives.and_then(|(end, arrival)| match &*endpoints.arrivals.value(arrival) {
                    Arrival::Frame { bytes, .. } => Some((usize::from(end), Value::msg(bytes))),
                    Arrival::Event(..) => None,
                });
                let arrived = match (&frame, &self.line) {
                    // What the network itself brings comes at any time.
                    (Some(_), Some(_)) if action.is_fault() => Some(after),
                    (Some((end, bytes)), Some(_)) if line::is_overtaken(&state, *end, bytes, &frames) => None,
                    (Some((end, bytes)), Some(_)) => line::arrived(&after, *end, bytes),
                    _ => Some(after),
                };
                Move {
                    frame: frame.is_some(),
                    early: arrived.is_none(),
                    action: at as u16,
                    limit: self.limits.iter().position(|l| *l == action.name).map_or(NONE, |limit| limit as u8),
                    fault: action.is_fault(),
                    made_up: action.makes_up(),
                    end: arrives.map_or(NONE, |(end, _)| end),
                    arrival: arrives.map_or(0, |(_, arrival)| arrival),
                    next: arrived.map_or(from, |state| self.number(state)),
                }
            });
            moves.collect()
        })
    }

    /// The frames that the automaton lets arrive in a state: the endpoint and the bytes of each.
    fn frames(&self, endpoints: &Endpoints, state: &State) -> Vec<(usize, Value)> {
        let frame = |(at, locals): (usize, Locals)| {
            let (end, arrival) = self.arrival(endpoints, self.events[at]?, &self.automaton.actions[at], &locals)?;
            match &*endpoints.arrivals.value(arrival) {
                Arrival::Frame { bytes, .. } => Some((usize::from(end), Value::msg(bytes))),
                Arrival::Event(..) => None,
            }
        };
        self.ways(state).filter_map(frame).collect()
    }

    /// Returns the values of the locals of a possible action, by its index in [`Network::moves`].
    pub fn locals(&self, from: u32, place: usize) -> Locals {
        self.ways(&self.state(from)).nth(place).map(|(_, locals)| locals).unwrap_or_default()
    }

    /// Enumerates the possible actions in a state, and the values of their locals.
    fn ways<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, Locals)> + 'a {
        let members = self.members.into();
        let kinds = [ActionKind::Output, ActionKind::Internal, ActionKind::Fault].into_iter();
        let actions = kinds.flat_map(move |kind| {
            // The layer above cannot observe an output that it does not declare, so the output need not happen.
            let seen = move |at: usize| kind != ActionKind::Output || self.events[at].is_some();
            let actions = self.automaton.actions.iter().enumerate();
            actions.filter(move |(at, action)| action.kind == kind && seen(*at)).map(|(at, _)| at)
        });
        actions
            .flat_map(move |at| self.automaton.enabled(state, members, at).into_iter().map(move |locals| (at, locals)))
    }

    fn arrival(
        &self,
        endpoints: &Endpoints,
        (event, has_message): (u32, bool),
        action: &Action,
        locals: &Locals,
    ) -> Option<(u8, u32)> {
        let mut values = locals.iter().take(action.parameters.len()).flatten();
        let end = u8::try_from(values.next()?.num()).ok()?;
        let from = self.sender(usize::from(end), action, locals) as u8;
        let arguments: Vec<Value> = values.cloned().collect();
        let frame = arguments.iter().find_map(|v| match v {
            Value::Msg(bytes) if has_message => Some(Arrival::Frame { from, bytes: bytes.to_vec() }),
            _ => None,
        });
        let arrival = frame.unwrap_or(Arrival::Event(event, arguments));
        Some((end, endpoints.arrivals.number(arrival)))
    }

    /// The endpoint from which something arrives at another one: the other end of its connection, or the one that the
    /// event names.
    fn sender(&self, end: usize, action: &Action, locals: &Locals) -> usize {
        let mut parameters = action.parameters.iter().zip(locals);
        let mut named = || parameters.find(|(p, _)| p.ty == Type::Rank && !p.at).and_then(|(_, value)| value.as_ref());
        let other = self.members.others(end).next().unwrap_or(end);
        match self.members.is_pair() {
            true => other,
            false => action.peer.or_else(|| named().map(Value::num)).map_or(other, |from| from as usize),
        }
    }

    /// Applies the events that an endpoint sent in one step.
    pub fn take(&self, near: &mut NearNetwork, endpoints: &Endpoints, from: u32, end: usize, effects: u32) -> Taken {
        let key = (from, at_end(self.members, effects, end));
        // A line has two ends.
        let other = self.members.others(end).next().unwrap_or(end);
        self.taken.get(&mut near.taken, key, || {
            let mut states = vec![self.state(from)];
            for left in endpoints.effects.value(effects).iter().filter(|l| l.down()) {
                states = self.take_one(&states, end, left)?;
                let bytes = left.arguments.iter().find(|value| matches!(value, Value::Msg(_)));
                if let (Some(line), Some(bytes)) = (&self.line, bytes) {
                    states = line.send(&states, other, bytes);
                }
            }
            let states: Vec<u32> = states.into_iter().map(|s| self.number(s)).collect();
            Ok(match states[..] {
                [state] => Next::One(state),
                _ => Next::Several(Arc::new(states)),
            })
        })
    }

    /// Returns when the next frame arrives that is not there yet, where frames take a stated time.
    pub fn next_arrival(&self, state: u32) -> Option<u64> {
        line::next_arrival(&self.state(state))
    }

    /// Returns the state at a later time.
    pub fn at(&self, state: u32, time: u64) -> u32 {
        self.number(line::at(&self.state(state), time))
    }

    /// Returns the state after a call, where there is a clock.
    pub fn called(&self, state: u32) -> u32 {
        self.line.as_ref().map_or(state, |_| self.number(line::called(&self.state(state))))
    }

    /// Returns when the last call was made.
    pub fn last_call(&self, state: u32) -> u64 {
        line::last_call(&self.state(state))
    }

    /// Returns the field that grows each time an endpoint repeats its action, if it grows without a bound: only without
    /// such a field is the state space of the network finite.
    pub fn grows(&self, endpoints: &Endpoints, from: u32, end: usize, effects: u32) -> Option<&str> {
        let mut states = vec![self.state(from)];
        let mut growing: Vec<usize> = (0..self.automaton.state.len()).collect();
        for _ in 0..ENDLESS {
            let before = states[0].clone();
            for left in endpoints.effects.value(effects).iter().filter(|l| l.down()) {
                states = self.take_one(&states, end, left).ok()?;
                states.truncate(1);
            }
            growing.retain(|field| size_of_value(&states[0][*field]) > size_of_value(&before[*field]));
        }
        growing.first().map(|field| self.automaton.state[*field].name.as_str())
    }

    fn take_one(&self, states: &[State], end: usize, left: &Emitted) -> Result<Vec<State>, Broken> {
        let name = &self.names[left.event.index()];
        let event = Observed { kind: ActionKind::Input, name, end, arguments: &left.arguments };
        let (known, next) = follow(&self.automaton, self.members.into(), states, event);
        if known && next.is_empty() {
            let why = format!("`{name}` goes down where `{}` below does not take it", self.automaton.name);
            return Err(Broken::new(Violation::NotTaken, why));
        }
        Ok(if known { next } else { states.to_vec() })
    }
}
