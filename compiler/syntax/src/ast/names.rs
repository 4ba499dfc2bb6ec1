//! Names, and documentation comments.

use nacre_diagnostics::Span;

/// A name in the source; an item of a named import is one name with a dot, `net.frag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// The lines of `//!` or `///` before a node, without the marks.
pub type Docs = Vec<String>;
