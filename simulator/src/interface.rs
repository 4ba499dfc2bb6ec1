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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    Message,
    Address,
    /// The range from which the simulator draws, both ends included.
    Number {
        least: u64,
        greatest: u64,
    },
    /// A signed number of this width in bits, sign-extended to 64 bits.
    Signed(u8),
    /// A number with names: a truth value, or a variant of an enum.
    Named(Vec<String>),
}

impl Kind {
    fn of(stack: &Stack, ty: &Type) -> Kind {
        match ty {
            Type::Msg => Kind::Message,
            Type::Addr => Kind::Address,
            Type::Int(bits) => Kind::Signed(*bits),
            Type::Bool => Kind::Named(vec!["false".into(), "true".into()]),
            Type::Enum(id) => Kind::Named(stack.enums[id.index()].variants.iter().map(|v| v.to_string()).collect()),
            Type::Range(least, end) => Kind::Number { least: *least, greatest: end - 1 },
            Type::UInt(bits) | Type::Seq(bits) => Kind::Number { least: 0, greatest: mask(u32::from(*bits)) },
            Type::Bits(bits) => Kind::Number { least: 0, greatest: mask(*bits) },
            // A message that is to wait longer would not arrive within a run.
            Type::Duration => Kind::Number { least: 0, greatest: 10_000_000 },
            _ => Kind::Number { least: 0, greatest: u64::MAX },
        }
    }

    /// Whether the C interface carries it as a number.
    pub fn is_number(&self) -> bool {
        !matches!(self, Kind::Message | Kind::Address)
    }

    /// Returns the description of such a parameter for messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Kind::Message => "a message",
            Kind::Address => "the name of an endpoint",
            Kind::Number { .. } | Kind::Signed(_) | Kind::Named(_) => "a number",
        }
    }

    /// Prints a number of this kind.
    pub fn show(&self, number: u64) -> String {
        match self {
            Kind::Signed(_) => (number as i64).to_string(),
            Kind::Named(names) => names.get(number as usize).cloned().unwrap_or_else(|| number.to_string()),
            Kind::Message | Kind::Address | Kind::Number { .. } => number.to_string(),
        }
    }

    /// Draws a number that a host may pass; small ones are as likely as large ones of the same length in bits.
    fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Kind::Number { least, greatest } => random.length(*least, *greatest),
            Kind::Named(names) => random.below(names.len() as u64),
            Kind::Signed(bits) => {
                let half = 1u64 << (bits - 1);
                match random.number() & 1 {
                    0 => random.length(0, half - 1),
                    _ => random.length(1, half).wrapping_neg(),
                }
            }
            Kind::Message | Kind::Address => 0,
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

    /// Returns all numbers of a call: the given ones, and values for the others that the seed decides.
    pub fn complete(&self, given: &[u64], seed: u64) -> Vec<u64> {
        let mut random = Random::new(hash(&[seed, 0x6172_6773]));
        let kinds = self.parameters.iter().filter(|kind| kind.is_number()).enumerate();
        kinds.map(|(at, kind)| given.get(at).copied().unwrap_or_else(|| kind.draw(&mut random))).collect()
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

/// An end of a connection and its peer, by number.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub own: usize,
    pub peer: usize,
}

/// Returns the given values of a connection: the address of the peer; values of the endpoint for those with such a
/// role (its signing key among them); a key for each direction, the same at both endpoints; for the rest values from
/// `shared`, the same at both endpoints. The hosts have not agreed on cookies.
pub fn givens(wanted: &[Wanted], random: &mut Random, shared: u64, ends: Ends, peer: Address) -> Vec<(String, Given)> {
    let mut value = |(index, wanted): (usize, &Wanted)| {
        let number = match wanted.role {
            Some(role) if role.is_own() => random.number(),
            Some(GivenRole::SealingKey) => hash(&[shared, ends.own as u64, ends.peer as u64]),
            Some(GivenRole::OpeningKey) => hash(&[shared, ends.peer as u64, ends.own as u64]),
            _ => hash(&[shared, index as u64]),
        };
        match &wanted.ty {
            _ if wanted.role.is_some_and(GivenRole::is_agreed) => Given::Number(0),
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
            Event {
                name: event.name.clone(),
                port: at.port.0 as u16,
                port_name: stack.ports[at.port.index()].name.clone(),
                input: at.input.is_some(),
                parameters: event.parameters.iter().map(|p| Kind::of(stack, &p.ty)).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(name: &str, ty: Type, role: GivenRole) -> Wanted {
        Wanted { name: name.into(), ty, required: true, role: Some(role) }
    }

    /// The values of an end of the connection between the nodes 4 and 5.
    fn of(own: usize) -> Vec<Given> {
        let wanted = [
            wanted("sealing", Type::Bytes(32), GivenRole::SealingKey),
            wanted("opening", Type::Bytes(32), GivenRole::OpeningKey),
            wanted("cookie", Type::UInt(24), GivenRole::PeerCookie),
            wanted("key", Type::UInt(32), GivenRole::PeerKey),
            wanted("signing", Type::Bytes(32), GivenRole::SigningKey),
            wanted("binding", Type::Bytes(32), GivenRole::Binding),
        ];
        let peer = Address { ip: [0; 16], port: 1, family: 4 };
        let mut random = Random::new(own as u64);
        givens(&wanted, &mut random, 7, Ends { own, peer: 9 - own }, peer).into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn keys_match_at_both_ends_and_differ_between_directions() {
        let (a, b) = (of(4), of(5));
        assert_eq!((&a[0], &a[1]), (&b[1], &b[0]));
        assert_ne!(a[0], a[1]);
        assert!(matches!(&a[0], Given::Bytes(key) if key.len() == 32 && key.iter().any(|byte| *byte != key[0])));
    }

    #[test]
    fn each_end_has_a_signing_key_of_its_own_and_both_have_one_binding() {
        let (a, b) = (of(4), of(5));
        assert_ne!(a[4], b[4]);
        assert_eq!(a[5], b[5]);
    }

    #[test]
    fn hosts_have_not_agreed_on_cookies() {
        for end in [of(4), of(5)] {
            assert_eq!(end[2..4], [Given::Number(0), Given::Number(0)]);
        }
    }
}
