//! The subject of a check and its bounds.

use std::sync::Arc;

use nacre_specification::forger::Forger;
use nacre_specification::members::Members;
use nacre_specification::{ActionKind, Automaton};
use nacre_stack::interpret::{Config, Externs, Value};
use nacre_stack::models::Models;
use nacre_stack::normal::beyond_worlds;
use nacre_stack::{mask, Cell, Direction, EventId, GivenRole, PortId, Stack, Type};

use crate::forgery;
use crate::initial::Initial;
use crate::values::address;

/// The longest message in bytes.
pub const LONGEST: usize = 8;
/// How often a timer in phase fires at one endpoint while it is armed at the other.
pub const IN_PHASE: u8 = 2;
/// The port of the network. The others are the top and the ports of layers.
pub const BELOW: PortId = PortId(0);

/// A stack between the automaton below it and those above it.
#[derive(Clone)]
pub struct Setup {
    /// One for each endpoint. They differ only in numbers: parameters of layers.
    stacks: Vec<Arc<Stack>>,
    /// The network: the environment of all endpoints.
    pub below: Automaton,
    /// The specifications, each with its own monitor.
    pub above: Vec<Automaton>,
    pub bounds: Bounds,
    /// Models of the functions of the host.
    pub externs: Arc<dyn Externs>,
}

/// The bounds of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The name of an event at the upper boundary, and how often each endpoint calls it.
    pub calls: Vec<(String, Vec<u8>)>,
    /// Arguments of calls, by event and parameter, and the values to try. An argument without values here is 1, or the
    /// peer's address.
    pub arguments: Vec<(String, String, Vec<u64>)>,
    /// Lengths of messages in bytes; each is tried for each message.
    pub sizes: Vec<usize>,
    /// How often actions of the network (by name) and expirations (`timers`) may happen in a run.
    pub limits: Vec<(String, u8)>,
    /// Timers that are a last resort, by layer and name (`pt2pt.resend`): they fire at most this often in a run, and
    /// only when nothing but faults can happen: nothing is in flight, no call is accepted, and only timers listed after
    /// it are armed.
    pub last: Vec<(String, u8)>,
    /// Timers of which the first is shorter than the second.
    pub shorter: Vec<(String, String)>,
    /// Timers that are always armed for the same time, at all endpoints.
    pub in_phase: Vec<String>,
    /// A call that the specification allows must be accepted at once, not only eventually.
    pub at_once: bool,
    /// Whether calls that no specification allows are tried: they must be refused.
    pub misuse: bool,
    /// A violated assertion ends the run and is no violation: the subject detects what the network below does wrong.
    pub detects: bool,
    /// How many frames in a run are refused because a pool that connections share is full.
    pub scarce: u8,
    /// How long a frame takes, in nanoseconds: one of these times. Then timers fire at their deadlines. Empty: frames
    /// take any time, and timers fire at any time.
    pub trip: Vec<u64>,
    /// How long after the last call all is at rest: nothing is on the way, and no timer is armed.
    pub within: Option<u64>,
    /// Given values that differ between the endpoints.
    pub given: Vec<Initial>,
    /// The offset of all sequence numbers in the initial states.
    pub first: u64,
    /// Whether events of a step are handled in any order that keeps each link in order, not only the reference's.
    pub any_order: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            calls: vec![("send".into(), vec![2, 1])],
            arguments: vec![],
            sizes: vec![1],
            limits: vec![],
            last: vec![],
            shorter: vec![],
            in_phase: vec![],
            at_once: false,
            misuse: false,
            detects: false,
            scarce: 0,
            trip: vec![],
            within: None,
            given: vec![],
            first: 0,
            any_order: false,
        }
    }
}

impl Bounds {
    /// What a state counts up to: the calls by kind and endpoint, then the limits, the last resorts, the frames that a
    /// full pool refuses, and how often each timer in phase fired at each endpoint while it was armed at each other.
    pub fn counts(&self, members: Members) -> Vec<u8> {
        let limits = self.limits.iter().chain(&self.last).map(|(_, n)| *n);
        let phases = self.in_phase.iter().flat_map(|_| vec![IN_PHASE; members.directed_pairs()]);
        let calls =
            self.calls.iter().flat_map(|(_, times)| members.all().map(|end| times.get(end).copied().unwrap_or(0)));
        calls.chain(limits).chain([self.scarce]).chain(phases).collect()
    }

    /// Returns the position of a timer among the last resorts, from 1; 0: it fires at any time.
    pub fn rank(&self, timer: &str) -> usize {
        self.last.iter().position(|(name, _)| name == timer).map_or(0, |at| at + 1)
    }
}

/// The bits of a counter up to this number.
pub fn bits_to_count(most: u8) -> u32 {
    u8::BITS - most.leading_zeros()
}

impl Setup {
    /// A setup of two endpoints.
    pub fn new(stack: Arc<Stack>, below: Automaton, above: Vec<Automaton>, bounds: Bounds) -> Setup {
        Setup::of_members(vec![stack.clone(), stack], below, above, bounds)
    }

    /// A setup with a stack for each endpoint; they differ in numbers. An automaton of a connection of two has an
    /// instance for each pair.
    pub fn of_members(stacks: Vec<Arc<Stack>>, below: Automaton, above: Vec<Automaton>, bounds: Bounds) -> Setup {
        let members = stacks.len() as u64;
        let below = below.among(members);
        let above = above.into_iter().map(|automaton| automaton.among(members)).collect();
        let externs = Arc::new(Models::of(stacks.iter().map(|stack| &**stack)));
        let mut setup = Setup { stacks, below, above, bounds, externs };
        let given: Vec<Value> = setup.members().all().flat_map(|end| setup.config(end).givens.into_values()).collect();
        setup.below.forger = Forger::new(forgery::Forger::of(setup.stack().clone(), given.into_iter()));
        setup
    }

    /// The endpoints.
    pub fn members(&self) -> Members {
        Members::new(self.stacks.len()).unwrap_or(Members::TWO)
    }

    /// The stack of an endpoint.
    pub fn stack_of(&self, end: usize) -> &Arc<Stack> {
        &self.stacks[end]
    }

    /// What the stacks of all endpoints have in common: layers, events, timers, code. Of numbers, those of `a`.
    pub fn stack(&self) -> &Arc<Stack> {
        &self.stacks[0]
    }

    /// Whether the endpoints have different stacks.
    pub fn differ(&self) -> bool {
        !self.stacks.iter().all(|stack| Arc::ptr_eq(stack, &self.stacks[0]))
    }

    /// The same setup with other stacks.
    pub fn with(&self, change: impl Fn(&Stack) -> Stack) -> Setup {
        let mut stacks: Vec<Arc<Stack>> = vec![];
        for (end, stack) in self.stacks.iter().enumerate() {
            let known = self.stacks[..end].iter().position(|before| Arc::ptr_eq(before, stack));
            stacks.push(known.map_or_else(|| Arc::new(change(stack)), |before| stacks[before].clone()));
        }
        Setup { stacks, ..self.clone() }
    }

    /// Returns the constructs that only the explorer supports. SPIN can detect that nothing can happen, but not exclude
    /// faults; and its worlds have no ports of layers.
    pub fn beyond_spin(&self) -> Option<String> {
        let resort = self.bounds.last.iter().any(|(_, times)| *times > 0);
        let fault = self.below.actions.iter().any(|a| a.is_fault() && !a.is_never());
        let mut named = self.named();
        let own: Vec<_> = self.stack().interface().into_iter().filter(|e| e.port.0 > 1).collect();
        let own = named.find(|name| own.iter().any(|e| self.stack().event(e.event).name == **name));
        match own {
            _ if !self.members().is_pair() => Some("this engine has two endpoints (`members = 2`)".into()),
            _ if self.differ() => Some("in this engine both endpoints have the same stack".into()),
            _ if self.bounds.any_order => Some("this engine explores only one order of events".into()),
            _ if !self.bounds.shorter.is_empty() || !self.bounds.in_phase.is_empty() => {
                Some("in this engine timers fire in any order".into())
            }
            _ if !self.bounds.trip.is_empty() => Some("this engine has no clock (`trip`)".into()),
            _ if self.bounds.scarce > 0 => Some("in this engine no pool is full (`scarce`)".into()),
            _ if !nacre_analysis::random::extremes_suffice(self.stack()) => Some(
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
        nacre_stack::interpret::lacks(self.stack(), &*self.externs)
    }

    /// The names of events in automata above, and of calls.
    fn named(&self) -> impl Iterator<Item = &String> {
        let above = self.above.iter().flat_map(|a| &a.actions).map(|a| &a.name);
        above.chain(self.bounds.calls.iter().map(|(name, _)| name))
    }

    /// Returns why this setup is unsupported.
    pub fn check(&self) -> Result<(), String> {
        let Bounds { calls, limits, last, .. } = &self.bounds;
        let beyond = beyond_worlds(self.stack());
        if !beyond.is_empty() {
            return Err(format!("`{}` has {}, which worlds do not support", self.stack().name, beyond.join(" and ")));
        }
        let bits: u32 = self.bounds.counts(self.members()).into_iter().map(bits_to_count).sum();
        if bits > u64::BITS {
            return Err(format!("counting calls and limits takes {bits} bits, and a state has {}", u64::BITS));
        }
        self.check_messages()?;
        self.check_peers()?;
        if !self.bounds.trip.is_empty() && !self.members().is_pair() {
            return Err("`trip` states how long a frame takes between two endpoints: `members` must be 2".into());
        }
        for (name, _) in calls {
            self.call_event(name).ok_or(format!("`{}` has no event `{name}` from above", self.stack().name))?;
        }
        for (name, _) in limits.iter().filter(|(name, _)| name != "timers") {
            if !self.below.actions.iter().any(|a| a.name == *name) {
                return Err(format!("`{}` has no action `{name}`", self.below.name));
            }
        }
        for (name, _) in last {
            if !self.stack().timers.iter().any(|t| t.name == *name) {
                return Err(format!("`{}` has no timer `{name}`", self.stack().name));
            }
        }
        self.check_timers()?;
        self.check_stacks()?;
        for event in
            self.stack().interface().into_iter().filter(|e| e.port == BELOW).map(|e| self.stack().event(e.event))
        {
            let down = event.direction == Direction::Down;
            let kind = if down { ActionKind::Input } else { ActionKind::Output };
            if event.message.is_some() && !self.below.actions.iter().any(|a| a.kind == kind && a.name == event.name) {
                let what = if down { "has no input" } else { "has no output" };
                return Err(format!("`{}` below `{}` {what} `{}`", self.below.name, self.stack().name, event.name));
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
                let has = self.stack().event(event).parameters.len();
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
            let above = self.stack().interface().into_iter().filter(|e| e.port != BELOW);
            let ports =
                above.filter(|e| self.stack().event(e.event).name == *name).map(|e| (e.input.is_some(), e.port));
            let mut ports: Vec<_> = ports.collect();
            ports.sort_unstable();
            ports.dedup();
            if let Some(both) = ports.windows(2).find(|both| both[0].0 == both[1].0) {
                let names = both.iter().map(|(_, port)| format!("`{}`", self.stack().ports[port.index()].name));
                let names: Vec<String> = names.collect();
                return Err(format!("event `{name}` is ambiguous: it exists at the ports {}", names.join(" and ")));
            }
        }
        Ok(())
    }

    /// Returns the event of a name that crosses the lower (0) or the upper boundary.
    pub fn event_at(&self, boundary: u32, name: &str, direction: Direction) -> Option<EventId> {
        let at = |port: PortId| if boundary == 0 { port == BELOW } else { port != BELOW };
        let events = self.stack().interface().into_iter().filter(|e| at(e.port)).map(|e| e.event);
        events.into_iter().find(|e| {
            let event = self.stack().event(*e);
            event.name == name && event.direction == direction
        })
    }

    pub(crate) fn call_event(&self, name: &str) -> Option<(u32, EventId)> {
        let list = self.stack().interface();
        let at = list
            .iter()
            .position(|e| e.port != BELOW && e.input.is_some() && self.stack().event(e.event).name == name)?;
        Some((at as u32, list[at].event))
    }

    /// Checks that no layer is given the address of its peer where an endpoint has several.
    fn check_peers(&self) -> Result<(), String> {
        let of_pair = |c: &&Cell| c.ty == Type::Addr || c.role.is_some_and(GivenRole::is_key);
        let mut given = self.stack().cells.iter().filter(|c| c.is_configured()).filter(of_pair);
        match given.next().filter(|_| !self.members().is_pair()) {
            Some(cell) => Err(format!(
                "`{}.{}` is given the {} of one peer, but with `members = {}` each endpoint has {}",
                self.stack().layer(cell.layer).name,
                cell.name,
                if cell.ty == Type::Addr { "address" } else { "key" },
                self.members().count(),
                self.members().count() - 1
            )),
            None => Ok(()),
        }
    }

    /// The number that a given value of an endpoint is, or is made of, unless the configuration states another.
    fn usual(&self, role: Option<GivenRole>, end: usize) -> u64 {
        let peer = self.members().others(end).next().unwrap_or(end);
        match role {
            Some(role) if role.is_own() || role == GivenRole::SealingKey => end as u64 + 1,
            Some(GivenRole::OpeningKey) => peer as u64 + 1,
            Some(role) if role.is_agreed() => 0,
            _ => 1,
        }
    }

    /// Returns the given values of an endpoint: those of the configuration, the peer's address, a distinct cookie, a
    /// key for each direction; the others are the same at all endpoints.
    pub fn config(&self, end: usize) -> Config {
        let stack = self.stack_of(end);
        let set = |cell: &Cell| self.bounds.given.iter().find(|(name, _)| *name == cell.name);
        let value = |cell: &Cell| {
            let number = set(cell).map_or_else(|| self.usual(cell.role, end), |(_, values)| values[end]);
            match &cell.ty {
                Type::Addr => {
                    self.members().others(end).next().map_or(stack.zero(&cell.ty), |peer| Value::Addr(address(peer)))
                }
                Type::Bytes(len) => Value::Bytes(vec![number as u8; *len as usize]),
                Type::Range(low, _) => Value::Num(set(cell).map_or(*low, |(_, values)| values[end])),
                Type::Enum(_) | Type::Duration => Value::Num(set(cell).map_or(0, |(_, values)| values[end])),
                Type::Bool => Value::Num(set(cell).map_or(0, |(_, values)| values[end] & 1)),
                Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Value::Num(number & mask(u32::from(*bits))),
                other => stack.zero(other),
            }
        };
        let wanted = stack.cells.iter().filter(|c| c.is_configured() && (c.initial.is_none() || set(c).is_some()));
        let name = |cell: &Cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name);
        let config = Config { externs: self.externs.clone(), first_number: self.bounds.first, ..Config::default() };
        wanted.fold(config, |config, cell| config.given(&name(cell), value(cell)))
    }
}
