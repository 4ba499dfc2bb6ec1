//! What the host and a stack can exchange at a port.

use crate::{Event, Type};

/// Numbers that an event at a port carries at most: as many as `struct nacre_output` has.
const MOST_NUMBERS: usize = 4;

impl Event {
    /// Why the host cannot exchange the event at a port: the C interface carries a message, an address and a few
    /// numbers for each.
    pub fn beyond_port(&self) -> Option<String> {
        let values = || self.parameters.iter().filter(|parameter| parameter.ty != Type::Msg);
        let count = values().filter(|parameter| parameter.ty.is_port_number()).count();
        let addresses = values().filter(|parameter| parameter.ty == Type::Addr).count();
        match values().find(|parameter| !parameter.ty.is_port_number() && parameter.ty != Type::Addr) {
            Some(other) => {
                Some(format!("its parameter `{}` is neither a message, an address nor a number", other.name))
            }
            None if count > MOST_NUMBERS => Some(format!("it has {count} numbers; the limit is {MOST_NUMBERS}")),
            None if addresses > 1 => Some("it has more than one address".into()),
            None => None,
        }
    }
}

impl Type {
    /// Whether the C interface carries values of this type as one number.
    fn is_port_number(&self) -> bool {
        match self {
            Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => true,
            Type::Duration | Type::Instant => true,
            Type::Bits(size) => *size <= 64,
            Type::Struct(_) | Type::Tuple(_) | Type::Option(_) | Type::Addr | Type::Timer | Type::View => false,
            Type::Bytes(_) | Type::Text(_) | Type::Msg | Type::Bounded(_) | Type::Array(..) => false,
            Type::Ring(..) | Type::List(..) | Type::Window(..) | Type::Pool(..) | Type::Map(..) => false,
        }
    }
}
