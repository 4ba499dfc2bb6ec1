//! The signatures of the operations of a container, in terms of the container's type.

use crate::Type;

/// A role that a value has in an operation on a container; its type follows from that of the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// An entry: the value of a map, an element of a ring.
    Entry,
    /// The key of a map.
    Key,
    /// A sequence number of a window.
    Number,
    /// A first sequence number and one behind the last.
    Gap,
    /// A number of entries: 32 bits.
    Count,
    /// An index: any number that is not signed. Entries of lists and rings count from the oldest, slots of pools and
    /// maps from 0. Elements of sets are indices too.
    Slot,
}

/// The types of which a container is made.
pub struct Parts<'t> {
    /// Of an entry.
    pub entry: Option<&'t Type>,
    /// Of a key.
    pub key: Option<&'t Type>,
    /// Bits of a sequence number.
    pub bits: Option<u8>,
    /// Entries that it can hold.
    pub capacity: u32,
}

impl<'t> Parts<'t> {
    /// The parts of a type; only containers have any.
    pub fn of(ty: &'t Type) -> Parts<'t> {
        let none = Parts { entry: None, key: None, bits: None, capacity: 0 };
        match ty {
            Type::Array(t, n) | Type::Ring(t, n) | Type::List(t, n) | Type::Pool(t, n) => {
                Parts { entry: Some(t), capacity: *n, ..none }
            }
            Type::Window(t, n, bits) => Parts { entry: Some(t), bits: Some(*bits), capacity: *n, ..none },
            Type::Map(k, t, n) => Parts { entry: Some(t), key: Some(k), capacity: *n, ..none },
            Type::Bits(n) | Type::Bytes(n) | Type::Text(n) => Parts { capacity: *n, ..none },
            _ => none,
        }
    }

    /// The type of an operand; none: any number that is not signed.
    pub fn operand(&self, operand: Operand) -> Option<Type> {
        let number = || self.bits.map(Type::Seq);
        match operand {
            Operand::Entry => self.entry.cloned(),
            Operand::Key => self.key.cloned(),
            Operand::Number => number(),
            Operand::Gap => number().map(|n| Type::Tuple(vec![n.clone(), n])),
            Operand::Count => Some(Type::UInt(32)),
            Operand::Slot => None,
        }
    }
}
