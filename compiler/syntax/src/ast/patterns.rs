//! Patterns: what a message, a tuple or an option is taken apart into.

use nacre_diagnostics::Span;

use super::names::Ident;

/// A pattern at its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `..`: the parameters that only `pass` needs.
    Rest,
    /// `_`
    Any,
    Name(Ident),
    /// `data m`
    Data(Ident),
    /// `m - Header { ... }`
    Pop(Ident, HeaderPattern),
    /// `Header { ... }` without a message
    Header(HeaderPattern),
    /// `m - h: Wire`
    PopWire {
        message: Ident,
        name: Ident,
        wire: Ident,
    },
    Tuple(Vec<Pattern>),
    Some(Box<Pattern>),
}

/// A header, and what its fields are matched with.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderPattern {
    pub name: Ident,
    /// Field, and what its value is matched with; none: a local of the field's name.
    pub fields: Vec<(Ident, Option<Pattern>)>,
    pub span: Span,
}
