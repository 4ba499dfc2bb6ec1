//! Statements.

use nacre_diagnostics::Span;

use super::*;

/// The statements of a block.
pub type Statements = Vec<Statement>;

/// `{ statements }`
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub statements: Statements,
    pub span: Span,
}

/// A statement with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// The operators of assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    Set,
    Add,
    Sub,
    Mul,
    Or,
    And,
}

/// The forms of statements.
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
    Impossible(Expr),
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

/// The forms of `else` clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherwiseKind {
    Block(Block),
    Return(Option<Expr>),
    Break,
    Reject,
    Unreachable,
}

/// `if condition { ... } else { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Block,
    pub otherwise: Option<Else>,
}

/// The `else` of an `if`: a block or another `if`.
#[derive(Clone, Debug, PartialEq)]
pub enum Else {
    Block(Block),
    If(Box<Statement>),
}

/// `value => { ... }`
#[derive(Clone, Debug, PartialEq)]
pub struct MatchArm {
    /// None: `_`
    pub value: Option<Expr>,
    pub body: Block,
}
