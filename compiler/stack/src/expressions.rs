//! Expressions and places.

use serde::{Deserialize, Serialize};

use crate::*;

/// An expression. Equality ignores numbers and spans.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Type,
    #[serde(default)]
    pub id: NodeId,
    /// The syntax that it was written as, or that it was made for.
    #[serde(default)]
    pub span: Span,
}

impl Expr {
    /// Returns an expression without a number; [`crate::number`] assigns one when the stack is complete.
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Expr {
        Expr { kind, ty, id: NodeId::default(), span }
    }
}

impl Expr {
    /// Returns the operands of a chain of one operator: of `a && b && c` these three, where `first` is `a && b`.
    pub fn chain<'e>(op: BinaryOp, first: &'e Expr, last: &'e Expr) -> Vec<&'e Expr> {
        let (mut found, mut at) = (vec![last], first);
        while let ExprKind::Binary(other, first, last) = &at.kind {
            if *other != op {
                break;
            }
            found.push(last);
            at = first;
        }
        found.push(at);
        found.reverse();
        found
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind && self.ty == other.ty
    }
}

/// The form of an expression, with its operands in evaluation order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// A number, bool (0, 1), enum variant, duration; in the two's complement of 64 bits if signed.
    Const(u64),
    /// Bytes or text.
    Literal(Vec<u8>),
    /// The zero of the type: 0, false, none, empty, all elements zero.
    Zero,
    /// A local; of a type with messages: moves it.
    Local(LocalId),
    /// A copy of the value at a place; never of a type with messages or containers of them.
    Load(Box<Place>),
    Unary(UnaryOp, Box<Expr>),
    /// Both operands of one type (but shifts), the result of that type or bool; see [`BinaryOp`].
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a * b / c` with a product of 128 bits, all three and the result of one unsigned type or Duration. A quotient
    /// that does not fit wraps, as all arithmetic; by zero it is 0 (the type checker has excluded it).
    MulDiv(Box<Expr>, Box<Expr>, Box<Expr>),
    /// To the expression's type; narrowing cuts. Only among numbers, bool, seq, enums, ranges (upwards), durations,
    /// bits.
    Convert(Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Fields in order.
    Struct(Vec<Expr>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Some(Box<Expr>),
    None,
    IsSome(Box<Expr>),
    /// The value of an option that is known to be there (guarded by `IsSome`); zero otherwise.
    Unwrap(Box<Expr>),
    Field(Box<Expr>, u32),
    /// Of an array, or a byte of Bytes; the index fits (checked by type, or masked: total).
    Index(Box<Expr>, Box<Expr>),
    /// A property of a container at a place: `len`, `low`, ...
    Query(Query, Box<Place>, Vec<Expr>),
    /// Constant in a step.
    Now,
    /// The fingerprint of the stack.
    Fingerprint,
    /// `below.room`: data bytes that fit a frame of the transport under all headers of the layers below this one:
    /// [`Bounds::frame_data`].
    Room,
    // Bytes
    Concat(Vec<Expr>),
    /// Bytes `from .. to` of Bytes (constants), or of a View (clamped).
    Part(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Little-endian bytes of a number.
    BytesOf(Box<Expr>),
    /// `m.bytes`: the data of a message that is not consumed by this.
    View(Box<Expr>),
    /// A filter with a `result`, over a View, or over a tuple of them: see [`Filter::inputs`].
    Through(FilterId, Box<Expr>),
    /// A pure extern over values without messages.
    Extern(ExternId, Vec<Expr>),
    // Messages
    /// A message without data or headers, made by this layer (control).
    Empty,
    /// A second reference to the same bytes; the operand is not consumed.
    Share(Box<Expr>),
    /// The message at a place, borrowed (operand of Share, View, Length, Head only).
    Borrow(Box<Place>),
    /// `m.len`; does not consume.
    Length(Box<Expr>),
    /// What is on a message; does not consume. In bypasses only: handlers are chosen by it.
    Head(Box<Expr>, Head),
    /// Puts a header of this layer on.
    Push(Box<Expr>, HeaderId, Vec<Expr>),
    /// Data `at .. at + len` without headers (clamped); borrows its operand. Inherits data/control.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Drops the first n data bytes (clamped), keeps the headers; consumes.
    Rest(Box<Expr>, Box<Expr>),
    /// Headers above and data as bytes: a message without headers. Consumes.
    Pack(LayoutId, Box<Expr>),
    /// Views as data: the packed bytes, not consuming the message.
    PackView(LayoutId, Box<Expr>),
}

/// A question about what is on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Head {
    /// Whether it is this header, of all of its layer. Bool.
    Is(HeaderId),
    /// The field at a place of a header; zero if another one is on it, or none.
    Field(HeaderId, u32),
    /// Whether it is data. Bool.
    Data,
}

/// Operators with one operand; the result has the operand's type, except for `Fold16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    Not,
    Negate,
    /// `fold16`: the ones-complement fold of a 64-bit sum, complemented, to 16 bits.
    Fold16,
}

/// Arithmetic in the operands' type, wrapping. `Seq + UInt/Int constant` has been made `Seq + Seq`; `Seq - Seq` is
/// [`BinaryOp::Distance`], of type Int of its width. Division and remainder by zero give 0 (the type checker has
/// excluded it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    /// `&&` and `||` on bool.
    Both,
    Either,
    Distance,
    Min,
    Max,
    /// Sets (Bits): difference; union is Or, intersection And, `<=` is Subset, `x in s` is Member (x left).
    Without,
    Subset,
    Member,
}

/// A place in cells or in locals, which can be assigned, armed, or operated on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    pub root: Root,
    pub path: Vec<Step>,
    /// The type of the value there.
    pub ty: Type,
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Root {
    Cell(CellId),
    /// A local value, or a `ref` parameter.
    Local(LocalId),
}

/// One step of the path from the root of a place to a part of its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step {
    Field(u32),
    /// Element of an array (in range by type), slot of a pool or map (its value; a slot that is not used: reads give
    /// zero, writes are lost), entry of a list or ring by age, entry of a window by number.
    Index(Expr),
    /// The value in an option that is known to be there.
    Unwrap,
}

/// A query of a container or timer, which does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Query {
    /// Number of entries, u32. Also of a Bits set.
    Len,
    Empty,
    Full,
    /// `x in container` of list, ring (by equality); key in map.
    Contains,
    /// Whether an entry exists: of a window by number, of a pool or map by slot, of a list or ring by index.
    Has,
    /// Of a map: the key at a slot.
    Key,
    /// Windows.
    Low,
    Next,
    High,
    /// Timers.
    Armed,
    /// Smallest element of a Bits set (0 if empty).
    First,
}
