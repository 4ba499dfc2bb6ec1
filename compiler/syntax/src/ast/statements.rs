//! Statements.

use nacre_diagnostics::Span;

use super::*;

/// Statements in source order.
pub type Statements = Vec<Statement>;

/// Statements in braces; names declared in them end with the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub statements: Statements,
    pub span: Span,
}

/// A statement and its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// Assignment operators: `=`, `+=` and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    Set,
    Add,
    Sub,
    Mul,
    Or,
    And,
}

/// The form of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    Let {
        pattern: Pattern,
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    Var {
        name: Ident,
        ty: Option<Type>,
        value: Option<Expr>,
    },
    Ref {
        name: Ident,
        place: Expr,
        otherwise: Option<Otherwise>,
    },
    Assign {
        place: Expr,
        op: AssignOp,
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    /// A call.
    Expr {
        value: Expr,
        otherwise: Option<Otherwise>,
    },
    Pass {
        value: Option<Expr>,
        otherwise: Option<Otherwise>,
    },
    /// The call is an emission.
    Later(Expr),
    Drop(Expr),
    Arm {
        timer: Expr,
        delay: Expr,
        unless_armed: bool,
    },
    Cancel(Expr),
    Count(Ident),
    /// The assertion, and its text in the source.
    Assert(Expr, String),
    Impossible(Option<Expr>),
    If(If),
    Match {
        value: Expr,
        arms: Vec<MatchArm>,
    },
    While {
        condition: Condition,
        bound: Option<Expr>,
        body: Block,
    },
    For {
        pattern: Pattern,
        over: Expr,
        drain: bool,
        bound: Option<Expr>,
        body: Block,
    },
    Return(Option<Expr>),
    Break,
    /// In a filter.
    Yield(Expr),
    Reject,
}

/// The `else` clause of code that can fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    pub span: Span,
}

/// What follows `else` where a pattern does not match or an operation fails.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherwiseKind {
    Block(Block),
    Return(Option<Expr>),
    Break,
    Reject,
    Unreachable,
}

/// A conditional statement.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Block,
    pub otherwise: Option<Else>,
}

/// The alternative of an `if`: a block, or another `if`.
#[derive(Clone, Debug, PartialEq)]
pub enum Else {
    Block(Block),
    If(Box<Statement>),
}

/// `value => { ... }` of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchArm {
    /// None: `_`
    pub value: Option<Expr>,
    pub body: Block,
}
