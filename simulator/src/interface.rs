//! The interface of a stack to its host: the events of its ports, its counters, and its given values, by name.

use nacre_stack::{mask, GivenRole, Stack, Type};

use crate::endpoint::{Address, Given};
use crate::random::{hash, Random};

/// An event as the host sees it; its index is its place in [`Interface::events`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub port: u16,
    pub port_name: String,
    /// Whether the host may call it; otherwise the stack emits it.
    pub input: bool,
    pub parameters: Vec<Kind>,
}

/// The kind of a parameter in the host interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    Message,
    Address,
    Number,
    /// A number with a sign, extended to 64 bits.
    Signed,
}

impl Kind {
    /// Whether the C interface carries it as a number.
    pub fn is_number(self) -> bool {
        matches!(self, Kind::Number | Kind::Signed)
    }

    /// Returns the description of such a parameter for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Message => "a message",
            Kind::Address => "the name of an endpoint",
            Kind::Number | Kind::Signed => "a number",
        }
    }

    /// Prints a number of this kind.
    pub fn show(self, number: u64) -> String {
        match self {
            Kind::Signed => (number as i64).to_string(),
            Kind::Message | Kind::Address | Kind::Number => number.to_string(),
        }
    }
}

impl Event {
    /// Whether the event carries a message.
    pub fn has_message(&self) -> bool {
        self.parameters.contains(&Kind::Message)
    }

    /// Returns the number of numeric parameters.
    pub fn numbers(&self) -> usize {
        self.parameters.iter().filter(|k| k.is_number()).count()
    }

    /// Prints the event's numbers.
    pub fn show(&self, numbers: &[u64]) -> Vec<String> {
        let kinds = self.parameters.iter().filter(|kind| kind.is_number());
        kinds.zip(numbers).map(|(kind, number)| kind.show(*number)).collect()
    }
}

/// The host interface of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub events: Vec<Event>,
    pub counters: Vec<String>,
    pub givens: Vec<Wanted>,
}

/// A given value, which the host supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// `floor.peer`.
    pub name: String,
    pub ty: Type,
    /// Whether the layer states no default.
    pub required: bool,
    pub role: Option<GivenRole>,
}

/// Returns the given values of a connection: the address of the peer; values of the endpoint for those with such a
/// role; for the rest (keys) values from `shared`, the same at both endpoints.
pub fn givens(wanted: &[Wanted], random: &mut Random, shared: u64, peer: Address) -> Vec<(String, Given)> {
    let mut value = |(index, wanted): (usize, &Wanted)| {
        let number =
            if wanted.role.is_some_and(GivenRole::is_own) { random.number() } else { hash(&[shared, index as u64]) };
        match &wanted.ty {
            Type::Addr => Given::Address(peer),
            Type::Bytes(len) => {
                let mut bytes = vec![0; *len as usize];
                Random::new(number).fill(&mut bytes);
                Given::Bytes(bytes)
            }
            Type::Bool => Given::Number(number & 1),
            Type::Range(low, high) => Given::Number(low + number % high.saturating_sub(*low).max(1)),
            // Never 0, which may mean "unknown".
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => {
                Given::Number((number & mask(u32::from(*bits))).max(1))
            }
            _ => Given::Number(0),
        }
    };
    wanted.iter().enumerate().filter(|(_, w)| w.required).map(|at| (at.1.name.clone(), value(at))).collect()
}

impl Interface {
    /// Reads the interface of a stack.
    pub fn of(stack: &Stack) -> Interface {
        let events = stack.interface().into_iter().map(|at| {
            let event = stack.event(at.event);
            let kind = |ty: &Type| match ty {
                Type::Msg => Kind::Message,
                Type::Addr => Kind::Address,
                Type::Int(_) => Kind::Signed,
                _ => Kind::Number,
            };
            Event {
                name: event.name.clone(),
                port: at.port.0 as u16,
                port_name: stack.ports[at.port.index()].name.clone(),
                input: at.input.is_some(),
                parameters: event.parameters.iter().map(|p| kind(&p.ty)).collect(),
            }
        });
        let counters = stack.counters.iter().map(|counter| match counter.layer {
            Some(layer) => format!("{}.{}", stack.layer(layer).name, counter.name),
            None => counter.name.clone(),
        });
        let givens = stack.cells.iter().filter(|cell| cell.is_configured()).map(|cell| Wanted {
            name: format!("{}.{}", stack.layer(cell.layer).name, cell.name),
            ty: cell.ty.clone(),
            required: cell.initial.is_none(),
            role: cell.role,
        });
        Interface { events: events.collect(), counters: counters.collect(), givens: givens.collect() }
    }

    /// Returns the event above the network that the host may call; without the name of a port, that of the lowest port.
    pub fn input(&self, port: Option<&str>, name: &str) -> Option<u16> {
        self.find(port, name, true)
    }

    /// Returns the event that the stack emits above the network.
    pub fn output(&self, port: Option<&str>, name: &str) -> Option<u16> {
        self.find(port, name, false)
    }

    fn find(&self, port: Option<&str>, name: &str, input: bool) -> Option<u16> {
        let fits =
            |e: &Event| e.port != 0 && e.name == name && e.input == input && port.is_none_or(|p| p == e.port_name);
        self.events.iter().position(fits).map(|at| at as u16)
    }

    /// Returns the event with this index.
    pub fn event(&self, index: u16) -> Option<&Event> {
        self.events.get(usize::from(index))
    }

    /// Returns the value of a counter, by its full name.
    pub fn counter(&self, values: &[u64], name: &str) -> Option<u64> {
        let at = self.counters.iter().position(|known| known == name)?;
        values.get(at).copied()
    }
}
