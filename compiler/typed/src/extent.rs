//! Limits the sizes of values, so that a short source cannot declare more than a machine holds.

use nacre_diagnostics::Span;
use nacre_stack::Type;

use crate::checker::{Checker, Extent};

/// The most words of a value.
const MOST_WORDS: u64 = 1 << 21;
/// The most words of a layer's state.
const MOST_STATE: u64 = 1 << 22;
/// The most fields of a value: those of structs in it count, of arrays and containers only one element.
const MOST_PARTS: u64 = 4096;

impl Extent {
    fn of(words: u64) -> Extent {
        Extent { words, parts: 1 }
    }

    fn and(self, other: Extent) -> Extent {
        Extent { words: self.words.saturating_add(other.words), parts: self.parts.saturating_add(other.parts) }
    }

    fn times(self, count: u32) -> Extent {
        Extent { words: self.words.saturating_mul(u64::from(count)), ..self }
    }
}

impl Checker<'_> {
    fn extent(&self, ty: &Type) -> Extent {
        let one = Extent::of(1);
        match ty {
            Type::Struct(id) => self.struct_sizes.get(id.index()).copied().unwrap_or(one),
            Type::Tuple(types) => types.iter().map(|t| self.extent(t)).fold(one, Extent::and),
            Type::Option(t) => self.extent(t).and(one),
            Type::Array(t, n) => self.extent(t).times(*n),
            Type::Ring(t, n) | Type::List(t, n) | Type::Window(t, n, _) | Type::Pool(t, n) => {
                self.extent(t).and(one).times(*n)
            }
            Type::Map(k, t, n) => self.extent(k).and(self.extent(t)).and(one).times(*n),
            Type::Bytes(n) | Type::Text(n) => Extent::of(u64::from(n / 8) + 1),
            Type::Bits(n) => Extent::of(u64::from(n / 64) + 1),
            _ => one,
        }
    }

    /// Records the size of a struct.
    pub(crate) fn note_struct(&mut self, fields: &[nacre_stack::Parameter]) {
        let size = fields.iter().map(|f| self.extent(&f.ty)).fold(Extent::of(1), Extent::and);
        self.struct_sizes.push(size);
    }

    /// Reports a type whose values are too large.
    pub(crate) fn holdable(&mut self, ty: &Type, span: Span) -> bool {
        let Extent { words, parts } = self.extent(ty);
        let fine = words <= MOST_WORDS && parts <= MOST_PARTS;
        if !fine {
            self.error(
                "T0114",
                format!("a value of this type is too large: the limits are {MOST_WORDS} words and {MOST_PARTS} fields"),
                span,
                "this type",
                "",
            );
        }
        fine
    }

    /// Adds a field to the layer's state and reports a state that is too large.
    pub(crate) fn add_state(&mut self, ty: &Type, span: Span) {
        let before = self.room;
        self.room = before.saturating_add(self.extent(ty).words);
        if before <= MOST_STATE && self.room > MOST_STATE {
            self.error("T0114", format!("a layer's state has at most {MOST_STATE} words"), span, "too large here", "");
        }
    }
}
