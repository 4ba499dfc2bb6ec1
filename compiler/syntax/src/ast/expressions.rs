//! Expressions and types.

use nacre_diagnostics::Span;

use super::*;

/// An expression and its place in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

impl Expr {
    /// The operands of an expression.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Name(_) | ExprKind::TypeName(_) | ExprKind::Number(_) | ExprKind::Duration(..) => vec![],
            ExprKind::Text(_) | ExprKind::True | ExprKind::False | ExprKind::None => vec![],
            ExprKind::Some(x) | ExprKind::Field(x, _) | ExprKind::From(x) | ExprKind::Unary(_, x) => vec![x],
            ExprKind::As(x, _) | ExprKind::Share(x) | ExprKind::Through(x, _) => vec![x],
            ExprKind::Index(l, r) | ExprKind::Binary(_, l, r) => vec![l, r],
            ExprKind::Call(f, arguments) => [&**f].into_iter().chain(arguments.iter().map(|a| &a.value)).collect(),
            ExprKind::Literal(_, fields) => fields.iter().filter_map(|(_, value)| value.as_ref()).collect(),
            ExprKind::Tuple(xs) | ExprKind::Array(xs) => xs.iter().collect(),
            ExprKind::If(x) => {
                let tested = match &x.condition.kind {
                    ConditionKind::Expr(e) => vec![e],
                    ConditionKind::Let { value, and, .. } => [value].into_iter().chain(and).collect(),
                };
                tested.into_iter().chain([&x.then, &x.otherwise]).collect()
            }
        }
    }
}

/// The unit of a duration literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    Ns,
    Us,
    Ms,
    S,
    Min,
    H,
}

impl TimeUnit {
    /// Returns the length of the unit in nanoseconds.
    pub fn nanoseconds(self) -> u64 {
        match self {
            TimeUnit::Ns => 1,
            TimeUnit::Us => 1_000,
            TimeUnit::Ms => 1_000_000,
            TimeUnit::S => 1_000_000_000,
            TimeUnit::Min => 60_000_000_000,
            TimeUnit::H => 3_600_000_000_000,
        }
    }
}

/// Operators with two operands; see [`BinaryOp::symbol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Range,
    BitOr,
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    /// `++`
    Concat,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// The operator in the source.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::In => "in",
            BinaryOp::Range => "..",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Concat => "++",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
        }
    }
}

/// Operators with one operand: `!` and `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Not,
    Negate,
}

/// The form of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A lower-case name, a parameter or a constant.
    Name(String),
    /// A lone capitalized name (an enum before `.variant`).
    TypeName(String),
    Number(u64),
    Duration(u64, TimeUnit),
    Text(String),
    True,
    False,
    None,
    /// `some(x)`
    Some(Box<Expr>),
    /// `x.name`
    Field(Box<Expr>, Ident),
    /// `f(x, ref y)`, `below.send(m)`, `p.sent.push(x)`
    Call(Box<Expr>, Vec<Argument>),
    Index(Box<Expr>, Box<Expr>),
    /// `a[4..]`
    From(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    As(Box<Expr>, Box<Type>),
    Share(Box<Expr>),
    /// `bytes through filter`
    Through(Box<Expr>, Ident),
    /// `Name { field: value, other }`: a header or a struct.
    Literal(Ident, Vec<(Ident, Option<Expr>)>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    If(Box<IfExpr>),
}

/// `if condition { then } else { otherwise }` as a value; both alternatives are required.
#[derive(Clone, Debug, PartialEq)]
pub struct IfExpr {
    pub condition: Condition,
    pub then: Expr,
    pub otherwise: Expr,
}

/// An argument of a call; `ref` passes a place, which the function can change.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub by_ref: bool,
    pub value: Expr,
}

/// A type as written, its names not resolved yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

/// The form of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `u16`, `msg`, `Peer`, `window<msg, W, seq16>`, `bytes<32>`
    Name(Ident, Vec<TypeArgument>),
    /// `0..N`
    Range(Box<Expr>, Box<Expr>),
    Tuple(Vec<Type>),
    Option(Box<Type>),
    PerMember(Box<Type>),
    /// `u8 per 0..64`
    Per(Box<Type>, Box<Type>),
}

/// An argument of a generic type: a type, or a number.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeArgument {
    Type(Type),
    /// `16`, `W`, `view.max`. A lone capitalized or all-capital name that could be either is an Expr.
    Expr(Expr),
}

/// The condition of an `if`, of a statement or an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// `likely`: true, `unlikely`: false.
    pub likely: Option<bool>,
    pub kind: ConditionKind,
    pub span: Span,
}

/// A condition: a bool, or a pattern that must match.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionKind {
    Expr(Expr),
    /// `let pattern = expr && expr ...`
    Let {
        pattern: Pattern,
        value: Expr,
        and: Vec<Expr>,
    },
}
