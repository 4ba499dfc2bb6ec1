//! Names, and the lines of documentation before what has one.

use nacre_diagnostics::Span;

/// A name as it stands in the source; what an import under another name gives is one name with a dot, `net.frag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// Lines of `//!` or `///` before a node, without the marks.
pub type Docs = Vec<String>;
