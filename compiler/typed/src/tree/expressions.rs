//! Expressions and places of the typed tree.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, CellId, ExternId, FilterId, FunctionId, HeaderId, Operation, Query, Type, UnaryOp};

use super::code::{NameId, Otherwise};

/// An expression. Its type is final: where a value of another type was written, a conversion stands in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    /// The syntax that it was written as, or that it was made for.
    pub span: Span,
}

impl Expr {
    /// An expression of a type.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    /// Stands for an expression with an error, which has been reported.
    pub fn error(span: Span) -> Expr {
        Expr::new(ExprKind::Error, UNIT, span)
    }
}

/// The type of a call that gives no value, and of errors.
pub const UNIT: Type = Type::Tuple(Vec::new());

/// What an expression is. Where a variant has the name of one of [`nacre_stack::ExprKind`], it means the same.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Something is wrong with it, which has been reported.
    Error,
    Const(u64),
    Literal(Vec<u8>),
    Zero,
    /// A value with a name; one with messages is moved, or looked at where it is an operand that is only looked at.
    Name(NameId),
    Load(Box<Place>),
    /// The message, or the option with one, at a place: looked at.
    Borrow(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    /// Also `&&` and `||`, whose right side is evaluated only where it is needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// An operator with its operands the other way round: `a > b`. They are evaluated as they are written.
    Exchanged(BinaryOp, Box<Expr>, Box<Expr>),
    MulDiv(Box<[Expr; 3]>),
    Convert(Box<Expr>),
    If(Box<Conditional>),
    Struct(Fields),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// Bytes that are written one by one.
    Bytes(Vec<Expr>),
    Some(Box<Expr>),
    None,
    IsSome(Box<Expr>),
    Unwrap(Box<Expr>),
    Field(Box<Expr>, u32),
    Index(Box<Expr>, Box<Expr>),
    Query(Query, Box<Place>, Vec<Expr>),
    /// A property of a set that is no place.
    QueryValue(Query, Box<Expr>),
    Now,
    Fingerprint,
    Room,
    Concat(Vec<Expr>),
    /// From a number of bytes on.
    From(Box<Expr>, Box<Expr>),
    BytesOf(Box<Expr>),
    View(Box<Expr>),
    /// A filter with a result.
    Through(FilterId, Vec<Expr>),
    Extern(ExternId, Vec<Expr>),
    Empty,
    Share(Box<Expr>),
    Length(Box<Expr>),
    Push(Box<Expr>, HeaderId, Fields),
    /// Its numbers are evaluated before the message is looked at.
    Slice(Box<Expr>, Box<[Expr; 2]>),
    Rest(Box<Expr>, Box<Expr>),
    Pack(Box<Expr>),
    PackView(Box<Expr>),
    // What has an effect, or takes steps of its own.
    Call(FunctionId, Vec<Argument>),
    /// A function of the filter: its index there.
    CallOwn(u32, Vec<Argument>),
    CallExtern(ExternId, Vec<Expr>),
    /// An operation on a container that does not fail.
    Operate(Operation, Box<Place>, Vec<Expr>),
    /// `option.take()`
    Take(Box<Place>),
    /// `map.get(key, default)`
    GetOr(Box<Place>, Box<[Expr; 2]>),
    Random(Box<Expr>),
    /// A filter that makes a message.
    Filter(FilterId, Vec<Expr>),
    Unpack(Box<Expr>),
    Join(Box<Place>, Box<Expr>),
    /// `x else ...`, where the `else` does not come back.
    Try(Box<Partial>, Box<Otherwise>),
}

/// `if condition { then } else { otherwise }`
#[derive(Clone, Debug, PartialEq)]
pub struct Conditional {
    pub condition: Expr,
    pub likely: Option<bool>,
    pub then: Expr,
    pub otherwise: Expr,
}

/// Values for fields, in the order in which they are written; what is left out is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    pub given: Vec<(u32, Expr)>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Value(Expr),
    Reference(Place),
}

/// A value that may be missing, or a call that may fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    pub kind: PartialKind,
    /// Of the value if it is there.
    pub ty: Type,
    /// Where the message of a failed operation goes back to.
    pub back: Back,
    pub span: Span,
}

/// The forms of what may fail.
#[derive(Clone, Debug, PartialEq)]
pub enum PartialKind {
    Option(Expr),
    /// `x as 0..N`
    Fit(Expr),
    /// `m as msg<N>`
    Bound(Expr, u32),
    /// `a / b`, `a % b`
    Divide(BinaryOp, Box<[Expr; 2]>),
    MulDiv(Box<[Expr; 3]>),
    Operate(Operation, Box<Place>, Vec<Expr>),
    /// `pool.at(slot)`: an entry, where it is.
    At(Box<Place>, Box<Expr>),
}

/// Messages that come back when an operation fails.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Back {
    /// There is none.
    #[default]
    None,
    /// The name has it again.
    Name(NameId),
    /// It has no name: it is dropped, or the fields of these numbers go back to their names.
    Parts(Vec<(u32, NameId)>),
}

/// A place, as in [`nacre_stack::Place`].
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub root: Root,
    pub path: Vec<Step>,
    /// Of what is there.
    pub ty: Type,
    pub span: Span,
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Cell(CellId),
    Name(NameId),
    /// The value that a loop goes over.
    Walked,
}

/// A step of a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Field(u32),
    Index(Expr),
    Unwrap,
    /// The entry that a loop is at, or that an operation has found.
    Current,
}

impl Place {
    /// A part of the place.
    pub fn with(mut self, step: Step, ty: Type) -> Place {
        self.path.push(step);
        self.ty = ty;
        self
    }
}
