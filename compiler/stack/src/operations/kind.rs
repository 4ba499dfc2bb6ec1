//! Kinds of types: every operation treats the types of a kind alike, independent of their sizes and elements.

use crate::Type;

/// Types without their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Bool,
    Unsigned,
    Signed,
    Sequence,
    Range,
    Enum,
    /// Durations and instants.
    Time,
    Set,
    Bytes,
    Text,
    View,
    Address,
    Timer,
    Message,
    /// Structs and tuples.
    Record,
    Optional,
    Array,
    Ring,
    List,
    Window,
    Pool,
    Map,
}

impl Kind {
    /// How many there are.
    pub const COUNT: usize = Kind::Map as usize + 1;
    /// Kinds whose values are one number.
    pub const NUMBERS: &'static [Kind] =
        &[Kind::Bool, Kind::Unsigned, Kind::Signed, Kind::Sequence, Kind::Range, Kind::Enum, Kind::Time];

    /// Kinds whose values are one number that is never negative.
    pub const NATURAL: &'static [Kind] =
        &[Kind::Bool, Kind::Unsigned, Kind::Sequence, Kind::Range, Kind::Enum, Kind::Time];

    /// The kind of a type.
    pub const fn of(ty: &Type) -> Kind {
        match ty {
            Type::Bool => Kind::Bool,
            Type::UInt(_) => Kind::Unsigned,
            Type::Int(_) => Kind::Signed,
            Type::Seq(_) => Kind::Sequence,
            Type::Range(..) => Kind::Range,
            Type::Enum(_) => Kind::Enum,
            Type::Duration | Type::Instant => Kind::Time,
            Type::Bits(_) => Kind::Set,
            Type::Bytes(_) => Kind::Bytes,
            Type::Text(_) => Kind::Text,
            Type::View => Kind::View,
            Type::Addr => Kind::Address,
            Type::Timer => Kind::Timer,
            Type::Msg | Type::Bounded(_) => Kind::Message,
            Type::Struct(_) | Type::Tuple(_) => Kind::Record,
            Type::Option(_) => Kind::Optional,
            Type::Array(..) => Kind::Array,
            Type::Ring(..) => Kind::Ring,
            Type::List(..) => Kind::List,
            Type::Window(..) => Kind::Window,
            Type::Pool(..) => Kind::Pool,
            Type::Map(..) => Kind::Map,
        }
    }

    /// Whether values of the kind are one number.
    pub const fn is_number(self) -> bool {
        matches!(
            self,
            Kind::Bool | Kind::Unsigned | Kind::Signed | Kind::Sequence | Kind::Range | Kind::Enum | Kind::Time
        )
    }

    /// Whether values of the kind are one number that is never negative: a distance, an index, an element.
    pub const fn is_natural(self) -> bool {
        self.is_number() && !matches!(self, Kind::Signed)
    }
}
