//! Declarations that layers, filters and automata share.

use nacre_diagnostics::Span;

use super::*;

/// `W: u16 = 64`
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Ident,
    pub ty: Type,
    pub default: Option<Expr>,
}

/// A field of a state, a struct, a view. In `counters { repeated }` there is no type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub docs: Docs,
    pub name: Ident,
    pub secret: bool,
    pub ty: Option<Type>,
    /// `as cookie`: the role of a given for the host.
    pub role: Option<Ident>,
    pub initial: Option<Expr>,
    pub span: Span,
}

/// `fn name(parameters) -> type { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub docs: Docs,
    pub name: Ident,
    pub parameters: Vec<FunctionParameter>,
    pub result: Option<Type>,
    pub body: Block,
    pub span: Span,
}

/// `ref name: type`
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionParameter {
    pub by_ref: bool,
    pub name: Ident,
    pub ty: Type,
}
