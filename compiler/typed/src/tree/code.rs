//! Code of the typed tree: blocks, statements, conditions, expressions and places.
//!
//! Longer than others: code is one recursive type. A statement has expressions, and what follows `else` in an
//! expression is a block.

use nacre_diagnostics::Span;
use nacre_stack::{
    BinaryOp, CellId, CounterId, EventId, ExternId, FilterId, FunctionId, HeaderId, Operation, PortId, Query, Type,
    UnaryOp,
};

use super::patterns::{Index, NameId, Pattern};

/// Statements in a scope of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

/// A statement, with the syntax that it was written as.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// A statement with a reported error: those of its expressions and blocks that could be typed.
    Error {
        parts: Vec<Expr>,
        blocks: Vec<Block>,
    },
    /// `let pattern = value;`; with `else` the value is an [`ExprKind::Try`].
    Let {
        pattern: Pattern,
        value: Expr,
    },
    /// `var name = value;`
    Var {
        name: NameId,
        value: Expr,
    },
    /// `name = value;`
    Set {
        name: NameId,
        value: Expr,
    },
    /// `ref name = place;`, which the name knows.
    Ref(NameId),
    /// `ref name = pool.at(i) else ...;`
    TryRef {
        name: NameId,
        value: Partial,
        otherwise: Otherwise,
    },
    /// `place = value;`
    Store {
        place: Place,
        value: Expr,
    },
    /// A call whose value is unused.
    Evaluate(Expr),
    /// A call that can fail, and its `else`, after which the body continues. A message in its result is dropped.
    Attempt {
        value: Partial,
        otherwise: Otherwise,
    },
    /// `below.send(m);`, with `later` or without; `span` is that of the call.
    Emit {
        side: PortId,
        event: EventId,
        arguments: Vec<Expr>,
        later: bool,
        span: Span,
    },
    /// `pass;`, or `pass m;`: to this side, with the parameters as they are now.
    Pass {
        side: PortId,
        event: EventId,
        parameters: Vec<NameId>,
        message: Option<Expr>,
    },
    /// `drop`, or `impossible`.
    Drop {
        what: Dropped,
        impossible: bool,
    },
    Arm {
        timer: Place,
        delay: Expr,
        unless_armed: bool,
    },
    Cancel(Place),
    Count(CounterId),
    Assert(Expr, String),
    If(Box<If>),
    Match {
        value: Expr,
        arms: Vec<Arm>,
        exhaustive: bool,
    },
    While {
        condition: Condition,
        bound: u32,
        body: Block,
    },
    /// `for i in from .. to`
    For {
        variable: NameId,
        from: Expr,
        to: Expr,
        bound: u32,
        body: Block,
    },
    Each(Box<Each>),
    Return(Option<Expr>),
    Break,
    Yield(Expr),
    Reject,
}

/// The dropped value, or the place of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Dropped {
    Value(Expr),
    At(Place),
    /// There is none: the frame has no message.
    Nothing,
}

/// `if` with both branches; the second is empty where there is no `else`, and has one statement for `else if`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Block,
    pub otherwise: Block,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// `likely`: true, `unlikely`: false.
    pub likely: Option<bool>,
    pub kind: ConditionKind,
    /// Further tests, with the names of a `let`.
    pub and: Vec<Expr>,
    pub span: Span,
}

/// The forms of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionKind {
    Test(Expr),
    /// `let pattern = value`, where the value may be missing.
    Let {
        pattern: Pattern,
        value: Partial,
    },
    /// `let name = option`: the message in an option, which stays where it is. The name knows its place.
    Present {
        option: Place,
        name: Option<NameId>,
    },
    /// `let name = pool.at(slot)`: the entry, which stays where it is.
    Entry {
        value: Partial,
        name: Option<NameId>,
    },
}

/// An arm of a `match`; without a value: `_`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    pub value: Option<Expr>,
    pub body: Block,
}

/// A loop over the entries of a container, an array or a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    pub over: Over,
    /// The index, slot or number; of a map only where it is needed to find the entry.
    pub index: Index,
    /// Of a map.
    pub key: Option<NameId>,
    pub entry: Entry,
    /// Whether entries are removed.
    pub drain: bool,
    pub bound: u32,
    pub body: Block,
}

/// The range of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    Place(Place),
    /// `window.up_to(n)`
    UpTo(Place, Expr),
    /// `window.between(a, b)`
    Between(Place, Box<[Expr; 2]>),
    /// `window.delivered(a, b)`
    Delivered(Place, Box<[Expr; 2]>),
    Value(Expr),
}

/// The entry in an iteration of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Unused.
    Unused,
    /// A copy, or the entry itself where the container is emptied.
    Value(NameId),
    /// The same, destructured at the beginning of the iteration.
    Pattern(Pattern),
    /// It stays where it is, and these are names for it or for parts of it.
    InPlace(Vec<NameId>),
}

/// An `else` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    pub span: Span,
}

/// The forms of an `else`.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherwiseKind {
    Block(Block),
    Return(Option<Expr>),
    Break,
    Reject,
    /// `unreachable`: it is counted, these messages are dropped, and the body returns, with the zero of this type if
    /// it returns a value.
    Unreachable {
        drops: Vec<NameId>,
        result: Option<Type>,
    },
    /// One with a reported error.
    Error,
}

/// An expression. Its type is final: conversions are explicit.
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

    /// Makes an error node, for a reported error.
    pub fn error(parts: Vec<Expr>, span: Span) -> Expr {
        Expr::new(ExprKind::Error(parts), UNIT, span)
    }
}

/// The type of a call that gives no value, and of errors.
pub const UNIT: Type = Type::Tuple(Vec::new());

/// The forms of an expression. A variant with the name of one of [`nacre_stack::ExprKind`] means the same.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An expression with a reported error: those of its operands that could be typed.
    Error(Vec<Expr>),
    Const(u64),
    Literal(Vec<u8>),
    Zero,
    /// A named value; one with messages is moved, or borrowed by an operand that only reads.
    Name(NameId),
    Load(Box<Place>),
    /// The message, or the option with one, at a place, borrowed.
    Borrow(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    /// Also `&&` and `||`, whose right side is evaluated only if needed.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// An operator with its operands the other way round: `a > b`. They are evaluated as they are written.
    Exchanged(BinaryOp, Box<Expr>, Box<Expr>),
    MulDiv(Box<[Expr; 3]>),
    Convert(Box<Expr>),
    If(Box<Conditional>),
    Struct(Fields),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// A list of bytes.
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
    /// Its numbers are evaluated before the message is borrowed.
    Slice(Box<Expr>, Box<[Expr; 2]>),
    Rest(Box<Expr>, Box<Expr>),
    Pack(Box<Expr>),
    PackView(Box<Expr>),
    // Expressions with effects or steps of their own follow.
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

/// Values for fields, in textual order; omitted ones are zero.
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
    /// The owner to which a failed operation returns its message.
    pub back: Back,
    pub span: Span,
}

/// The forms of fallible expressions.
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

/// Messages returned by a failed operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Back {
    /// None.
    #[default]
    None,
    /// To its name.
    Name(NameId),
    /// It has no name: it is dropped, or these parts are returned to their names. A part is found by the numbers of
    /// fields; the value of an option is its part 0.
    Parts(Vec<(Vec<u32>, NameId)>),
}

/// A place, as in [`nacre_stack::Place`].
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub root: Root,
    pub path: Vec<Step>,
    /// The type of the value there.
    pub ty: Type,
    pub span: Span,
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Cell(CellId),
    Name(NameId),
    /// The value that a loop iterates over.
    Walked,
}

/// A step of a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Field(u32),
    Index(Expr),
    Unwrap,
    /// The current entry of a loop, or the entry found by an operation.
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
