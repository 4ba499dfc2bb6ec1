//! The subject of a check and its bounds.

use std::sync::Arc;

use nacre_specification::subset_construction::{Called, Letter};
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::interpret::{Config, Externs, NoExterns, Value};
use nacre_stack::normal::beyond_worlds;
use nacre_stack::{mask, Cell, Direction, EventId, GivenRole, PortId, Stack, Type};

use crate::values::address;

/// The number of endpoints.
pub const MEMBERS: u64 = 2;
/// The largest bound of a call at an endpoint, or of a limit.
pub const MOST: u8 = 15;
/// The maximum number of counters of a state: twice the kinds of calls, plus the limits.
const COUNTS: usize = 16;
/// The port of the network. The others are the top and the ports of layers.
pub const BELOW: PortId = PortId(0);

/// A stack between the automaton below it and those above it.
#[derive(Clone)]
pub struct Setup {
    pub stack: Arc<Stack>,
    /// The network: the environment of both endpoints.
    pub below: Automaton,
    /// The specifications, each with its own monitor.
    pub above: Vec<Automaton>,
    pub bounds: Bounds,
    pub externs: Arc<dyn Externs>,
}

/// The bounds of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The name of an event at the upper boundary, and how often each endpoint calls it.
    pub calls: Vec<(String, [u8; 2])>,
    /// Lengths of messages in bytes; each is tried for each message.
    pub sizes: Vec<usize>,
    /// How often actions of the network (by name) and expirations (`timers`) may happen in a run.
    pub limits: Vec<(String, u8)>,
    /// Timers that are a last resort, by layer and name (`pt2pt.resend`): they fire at most this often in a run, and
    /// only when nothing but faults can happen: nothing is in flight, no call is accepted, and only timers listed after
    /// it are armed.
    pub last: Vec<(String, u8)>,
    /// A call that the specification allows must be accepted at once, not only eventually.
    pub at_once: bool,
    /// The offset of all sequence numbers in the initial states.
    pub first: u64,
    /// Whether events of a step are handled in any order that keeps each link in order, not only the reference's.
    pub any_order: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            calls: vec![("send".into(), [2, 1])],
            sizes: vec![1],
            limits: vec![],
            last: vec![],
            at_once: false,
            first: 0,
            any_order: false,
        }
    }
}

impl Bounds {
    /// Returns the position of a timer among the last resorts, from 1; 0: it fires at any time.
    pub fn rank(&self, timer: &str) -> usize {
        self.last.iter().position(|(name, _)| name == timer).map_or(0, |at| at + 1)
    }
}

/// A call that the application may make: by [`Setup::calls`].
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub end: usize,
    /// The index in [`Bounds::calls`].
    pub kind: usize,
    /// Its number among the calls of its kind at its endpoint.
    pub number: u8,
    /// The index in [`Stack::interface`].
    pub event: u32,
    pub id: EventId,
    /// All arguments but the message.
    pub arguments: Vec<Value>,
    pub bytes: Option<Vec<u8>>,
    /// The event's parameters in order, as automata see them.
    pub seen: Vec<nacre_specification::Value>,
}

impl Setup {
    /// A setup in which the host supplies no functions.
    pub fn new(stack: Arc<Stack>, below: Automaton, above: Vec<Automaton>, bounds: Bounds) -> Setup {
        Setup { stack, below, above, bounds, externs: Arc::new(NoExterns) }
    }

    /// Returns the constructs that only the explorer supports. SPIN can detect that nothing can happen, but not exclude
    /// faults; and its worlds have no ports of layers.
    pub fn beyond_spin(&self) -> Option<String> {
        let resort = self.bounds.last.iter().any(|(_, times)| *times > 0);
        let fault = self.below.actions.iter().any(|a| a.is_fault() && !a.is_never());
        let mut named = self.named();
        let own: Vec<_> = self.stack.interface().into_iter().filter(|e| e.port.0 > 1).collect();
        let own = named.find(|name| own.iter().any(|e| self.stack.event(e.event).name == **name));
        match own {
            _ if self.bounds.any_order => Some("this engine explores only one order of events".into()),
            _ if !nacre_analysis::random::extremes_suffice(&self.stack) => Some(
                "this engine tries only the least and the greatest random number, but others affect behaviour".into(),
            ),
            _ if resort && fault => Some("this engine supports a last resort only if the network has no faults".into()),
            Some(name) => {
                Some(format!("`{name}` is an event at a port of a layer, and this engine observes only the top"))
            }
            None => None,
        }
    }

    /// Returns what the interpreter lacks to run the stack; the explorer then cannot search it.
    pub fn beyond_interpreter(&self) -> Option<String> {
        nacre_stack::interpret::lacks(&self.stack, &*self.externs)
    }

    /// The names of events in automata above, and of calls.
    fn named(&self) -> impl Iterator<Item = &String> {
        let above = self.above.iter().flat_map(|a| &a.actions).map(|a| &a.name);
        above.chain(self.bounds.calls.iter().map(|(name, _)| name))
    }

    /// Returns why this setup is unsupported.
    pub fn check(&self) -> Result<(), String> {
        let Bounds { calls, sizes, limits, last, .. } = &self.bounds;
        let beyond = beyond_worlds(&self.stack);
        if !beyond.is_empty() {
            return Err(format!("`{}` has {}, which worlds do not support", self.stack.name, beyond.join(" and ")));
        }
        let limited = limits.len() + last.len();
        if calls.len() * 2 + limited > COUNTS {
            return Err(format!(
                "{} kinds of calls and {limited} limits exceed the {COUNTS} counters of a state",
                calls.len()
            ));
        }
        let numbers = limits.iter().chain(last).map(|(_, n)| n);
        if calls.iter().flat_map(|(_, n)| n).chain(numbers).any(|n| *n > MOST) {
            return Err(format!("a bound is at most {MOST}"));
        }
        if (0..2).any(|end| self.messages_before(calls.len(), end) > u16::from(MOST)) {
            return Err(format!("an endpoint sends at most {MOST} messages, so that they can be distinguished"));
        }
        if sizes.is_empty() || sizes.iter().any(|s| *s == 0 || *s > 8) {
            return Err("messages have 1 to 8 bytes, so that they can be distinguished".into());
        }
        for (name, _) in calls {
            self.call_event(name).ok_or(format!("`{}` has no event `{name}` from above", self.stack.name))?;
        }
        for (name, _) in limits.iter().filter(|(name, _)| name != "timers") {
            if !self.below.actions.iter().any(|a| a.name == *name) {
                return Err(format!("`{}` has no action `{name}`", self.below.name));
            }
        }
        for (name, _) in last {
            if !self.stack.timers.iter().any(|t| t.name == *name) {
                return Err(format!("`{}` has no timer `{name}`", self.stack.name));
            }
        }
        for event in self.stack.interface().into_iter().filter(|e| e.port == BELOW).map(|e| self.stack.event(e.event)) {
            let down = event.direction == Direction::Down;
            let kind = if down { ActionKind::Input } else { ActionKind::Output };
            if event.message.is_some() && !self.below.actions.iter().any(|a| a.kind == kind && a.name == event.name) {
                let what = if down { "has no input" } else { "has no output" };
                return Err(format!("`{}` below `{}` {what} `{}`", self.below.name, self.stack.name, event.name));
            }
        }
        self.told_apart()?;
        for (automaton, boundary) in self.above.iter().map(|a| (a, 1)).chain([(&self.below, 0)]) {
            for action in &automaton.actions {
                let direction = match action.kind {
                    ActionKind::Input => Direction::Down,
                    ActionKind::Output => Direction::Up,
                    ActionKind::Internal | ActionKind::Fault => continue,
                };
                let Some(event) = self.event_at(boundary, &action.name, direction) else { continue };
                let has = self.stack.event(event).parameters.len();
                if action.parameters.len() != has + 1 || !action.parameters[0].at {
                    return Err(format!(
                        "`{}` of `{}` must have `at` a participant and then the event's {has} parameters",
                        action.name, automaton.name
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks that names of events are unambiguous: automata and calls name events without their ports.
    fn told_apart(&self) -> Result<(), String> {
        for name in self.named() {
            let above = self.stack.interface().into_iter().filter(|e| e.port != BELOW);
            let ports = above.filter(|e| self.stack.event(e.event).name == *name).map(|e| (e.input.is_some(), e.port));
            let mut ports: Vec<_> = ports.collect();
            ports.sort_unstable();
            ports.dedup();
            if let Some(both) = ports.windows(2).find(|both| both[0].0 == both[1].0) {
                let names = both.iter().map(|(_, port)| format!("`{}`", self.stack.ports[port.index()].name));
                let names: Vec<String> = names.collect();
                return Err(format!("event `{name}` is ambiguous: it exists at the ports {}", names.join(" and ")));
            }
        }
        Ok(())
    }

    /// Returns the event of a name that crosses the lower (0) or the upper boundary.
    pub fn event_at(&self, boundary: u32, name: &str, direction: Direction) -> Option<EventId> {
        let at = |port: PortId| if boundary == 0 { port == BELOW } else { port != BELOW };
        let events = self.stack.interface().into_iter().filter(|e| at(e.port)).map(|e| e.event);
        events.into_iter().find(|e| {
            let event = self.stack.event(*e);
            event.name == name && event.direction == direction
        })
    }

    fn call_event(&self, name: &str) -> Option<(u32, EventId)> {
        let list = self.stack.interface();
        let at =
            list.iter().position(|e| e.port != BELOW && e.input.is_some() && self.stack.event(e.event).name == name)?;
        Some((at as u32, list[at].event))
    }

    /// Returns every call, in order.
    pub fn calls(&self) -> Vec<Call> {
        let mut calls = vec![];
        for (kind, (name, times)) in self.bounds.calls.iter().enumerate() {
            let Some((event, id)) = self.call_event(name) else { continue };
            let declared = self.stack.event(id);
            for (end, times) in times.iter().enumerate() {
                let others =
                    declared.parameters.iter().enumerate().filter(|(i, _)| declared.message != Some(*i as u32));
                let arguments: Vec<Value> = others.map(|(_, p)| self.argument(&p.ty, end)).collect();
                let sizes = if declared.message.is_some() { &self.bounds.sizes[..] } else { &[0] };
                for number in 0..*times {
                    for size in sizes {
                        let before = self.messages_before(kind, end) as u8;
                        let bytes = declared.message.is_some().then(|| payload(end, before + number, *size));
                        let seen = crate::values::seen(&self.stack, id, &arguments, bytes.as_deref());
                        let arguments = arguments.clone();
                        calls.push(Call { end, kind, number, event, id, arguments, bytes, seen });
                    }
                }
            }
        }
        calls
    }

    /// Returns the calls as inputs of automata.
    pub fn called(&self) -> Vec<Called> {
        let called = |call: Call| {
            let name = self.stack.event(call.id).name.clone();
            let letter = Letter { kind: ActionKind::Input, name, end: call.end, arguments: call.seen };
            Called { letter, kind: call.kind, number: call.number }
        };
        self.calls().into_iter().map(called).collect()
    }

    /// The number of messages that an endpoint sends by calls of earlier kinds.
    fn messages_before(&self, kind: usize, end: usize) -> u16 {
        let kinds = self.bounds.calls.iter().take(kind);
        let carries = |name: &str| self.call_event(name).is_some_and(|(_, id)| self.stack.event(id).message.is_some());
        kinds.filter(|(name, _)| carries(name)).map(|(_, times)| u16::from(times[end])).sum()
    }

    /// Returns an argument of a call that the configuration does not set: the peer's address, or 1.
    fn argument(&self, ty: &Type, end: usize) -> Value {
        let one = Value::Num(1);
        match ty {
            Type::Addr => Value::Addr(address(1 - end)),
            ty if self.stack.fits(&one, ty) => one,
            ty => self.stack.zero(ty),
        }
    }

    /// Returns the given values of an endpoint: the peer's address, a distinct cookie; the others are the same at both
    /// endpoints.
    pub fn config(&self, end: usize) -> Config {
        let stack = &self.stack;
        let value = |cell: &Cell| {
            let number = if cell.role.is_some_and(GivenRole::is_own) { end as u64 + 1 } else { 1 };
            match &cell.ty {
                Type::Addr => Value::Addr(address(1 - end)),
                Type::Bytes(len) => Value::Bytes(vec![number as u8; *len as usize]),
                Type::Range(low, _) => Value::Num(*low),
                Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Value::Num(number & mask(u32::from(*bits))),
                other => stack.zero(other),
            }
        };
        let wanted = stack.cells.iter().filter(|c| c.is_configured() && c.initial.is_none());
        let name = |cell: &Cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name);
        let config = Config { externs: self.externs.clone(), first_number: self.bounds.first, ..Config::default() };
        wanted.fold(config, |config, cell| config.given(&name(cell), value(cell)))
    }
}

/// No two messages and no two bytes of a message are equal: each encodes the endpoint, the index in the message, and
/// the message's number at the endpoint. A layer that only copies payload behaves the same for any other contents.
fn payload(end: usize, number: u8, size: usize) -> Vec<u8> {
    let number = (number + 1) & 15;
    (0..size as u8).map(|at| (end as u8) << 7 | (at & 7) << 4 | number).collect()
}
