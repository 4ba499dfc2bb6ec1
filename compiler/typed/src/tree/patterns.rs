//! Binders of names: patterns, and the indices of loops.

use nacre_diagnostics::Span;
use nacre_stack::Type;

/// Index into [`Names::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

impl NameId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names for a value or its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub ty: Type,
    pub span: Span,
}

/// The forms of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// A pattern with a reported error.
    Error,
    /// `_`: a message is dropped.
    Any,
    Name(NameId),
    Tuple(Vec<Pattern>),
}

/// The index of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    Unused,
    /// Unnamed, but the place of the entry needs it.
    Hidden,
    Named(NameId),
}
