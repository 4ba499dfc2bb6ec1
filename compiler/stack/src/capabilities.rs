//! The abilities of the values of each type: one table, for the type checker and the validator.

use crate::{Struct, Type};

/// The abilities of a type's values. Contained types decide for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// `==` and `!=`; so also `x in row`, `row.remove(x)`, `match`, and being the key of a map.
    pub compared: bool,
    /// It is read where it is without being moved.
    pub copied: bool,
    /// There is a value to begin with.
    pub zero: bool,
}

impl Capabilities {
    const ALL: Capabilities = Capabilities { compared: true, copied: true, zero: true };

    fn and(self, other: Capabilities) -> Capabilities {
        Capabilities {
            compared: self.compared && other.compared,
            copied: self.copied && other.copied,
            zero: self.zero && other.zero,
        }
    }

    /// Looks a type up.
    pub fn of(structs: &[Struct], ty: &Type) -> Capabilities {
        let all = |types: &mut dyn Iterator<Item = &Type>| {
            types.map(|t| Capabilities::of(structs, t)).fold(Capabilities::ALL, Capabilities::and)
        };
        // It may be empty.
        let room_for = |inside: Capabilities| Capabilities { zero: true, ..inside };
        match ty {
            Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => Self::ALL,
            Type::Bits(_) | Type::Addr | Type::Duration | Type::Instant | Type::Bytes(_) | Type::Text(_) => Self::ALL,
            Type::Timer => Capabilities { compared: false, copied: true, zero: true },
            Type::Msg | Type::Bounded(_) | Type::View => Capabilities { compared: false, copied: false, zero: false },
            Type::Struct(id) => all(&mut structs[id.index()].fields.iter().map(|f| &f.ty)),
            Type::Tuple(types) => all(&mut types.iter()),
            Type::Array(t, _) => Self::of(structs, t),
            Type::Option(t) | Type::Ring(t, _) | Type::List(t, _) | Type::Window(t, ..) | Type::Pool(t, _) => {
                room_for(Self::of(structs, t))
            }
            Type::Map(k, t, _) => room_for(Self::of(structs, k).and(Self::of(structs, t))),
        }
    }
}

/// Whether a value of the type can be asked for in a set, `x in set`, or put into one.
pub fn can_be_element(ty: &Type) -> bool {
    use Type::*;
    matches!(ty, Bool | UInt(_) | Int(_) | Seq(_) | Range(..) | Enum(_) | Duration | Instant)
}
