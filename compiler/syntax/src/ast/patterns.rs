//! Patterns, which destructure messages, tuples and options.

use nacre_diagnostics::Span;

use super::names::Ident;

/// A pattern with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// `..`: the parameters that only `pass` uses.
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

impl Pattern {
    /// The names that it declares, in source order.
    pub fn names(&self) -> Vec<&Ident> {
        match &self.kind {
            PatternKind::Rest | PatternKind::Any => Vec::new(),
            PatternKind::Name(name) | PatternKind::Data(name) => vec![name],
            PatternKind::Pop(message, header) => [vec![message], header.names()].concat(),
            PatternKind::Header(header) => header.names(),
            PatternKind::PopWire { message, name, .. } => vec![message, name],
            PatternKind::Tuple(parts) => parts.iter().flat_map(Pattern::names).collect(),
            PatternKind::Some(inner) => inner.names(),
        }
    }
}

/// A header with patterns for its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderPattern {
    pub name: Ident,
    /// Each field with its pattern; none: a local with the field's name.
    pub fields: Vec<(Ident, Option<Pattern>)>,
    pub span: Span,
}

impl HeaderPattern {
    fn names(&self) -> Vec<&Ident> {
        self.fields.iter().flat_map(|(field, pattern)| pattern.as_ref().map_or(vec![field], Pattern::names)).collect()
    }
}
