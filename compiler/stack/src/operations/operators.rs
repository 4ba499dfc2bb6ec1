//! Operators on one and two values. Arithmetic wraps in the width of its type.

use std::cmp::Ordering;

use super::kind::Kind::{self, *};
use super::{numbers, sets};
use crate::interpret::Value;
use crate::{mask, BinaryOp, Type, UnaryOp};

/// An operator with two operands.
pub struct Binary {
    pub op: BinaryOp,
    /// Its text in the IR, between its operands.
    pub word: &'static str,
    /// By kinds of the left operand; no kind is in two of them.
    pub rows: &'static [Row],
}

/// An operator for some kinds of left operands.
pub struct Row {
    pub on: &'static [Kind],
    pub right: Right,
    pub gives: Gives,
    pub run: Run,
}

/// The required type of the right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Of the type of the left one.
    Same,
    /// Any number that is not signed.
    Natural,
    /// A set, of which the left operand may be an element.
    Set,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    Bool,
    /// That of the left operand.
    Left,
    /// Signed, of the width of the left operand.
    Signed,
}

/// Two numbers of one type.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Without sign, in the width of their type.
    pub a: u64,
    pub b: u64,
    /// In the two's complement of 64 bits.
    pub left: i64,
    pub right: i64,
    pub bits: u32,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// The left one to the right one.
    pub left: Ordering,
    /// The right one to the left one.
    pub right: Ordering,
}

/// The function of an operator.
#[derive(Clone, Copy)]
pub enum Run {
    /// On numbers; the result is cut to the width of its type.
    Numbers(fn(Pair) -> u64),
    /// By the order of two numbers.
    Order(fn(Ordering) -> bool),
    /// The left number, unless this holds of both. (Half of all sequence numbers away from each other, each of two is
    /// less than the other.)
    Choice(fn(Order) -> bool),
    /// Whether the values are equal (or: differ).
    Equality(bool),
    /// On sets, word by word; elements that the set cannot have are cut off.
    Words(fn(u64, u64) -> u64),
    /// Whether all elements of the left set are in the right one.
    Subset,
    /// Whether the left number is an element of the right set.
    Member,
    /// On a set of this size and a number.
    Moved(fn(&[u64], u64, u32) -> Vec<u64>),
}

const WRAPPING: &[Kind] = &[Unsigned, Signed, Sequence, Time];
const COMPARED: &[Kind] = &[
    Bool, Unsigned, Signed, Sequence, Range, Enum, Time, Set, Bytes, Text, View, Address, Record, Optional, Array,
    Ring, List, Window, Pool, Map,
];

const fn row(on: &'static [Kind], right: Right, gives: Gives, run: Run) -> Row {
    Row { on, right, gives, run }
}

const fn arithmetic(on: &'static [Kind], run: fn(Pair) -> u64) -> Row {
    row(on, Right::Same, Gives::Left, Run::Numbers(run))
}

const fn of_sets(run: fn(u64, u64) -> u64) -> Row {
    row(&[Set], Right::Same, Gives::Left, Run::Words(run))
}

const fn test(on: &'static [Kind], run: Run) -> Row {
    row(on, Right::Same, Gives::Bool, run)
}

const fn binary(op: BinaryOp, word: &'static str, rows: &'static [Row]) -> Binary {
    Binary { op, word, rows }
}

/// Every operator with two operands, in the order of [`BinaryOp`].
pub const BINARY: &[Binary] = &[
    binary(BinaryOp::Add, "+", &[arithmetic(WRAPPING, |n| n.a.wrapping_add(n.b))]),
    binary(BinaryOp::Sub, "-", &[arithmetic(WRAPPING, |n| n.a.wrapping_sub(n.b))]),
    binary(BinaryOp::Mul, "*", &[arithmetic(WRAPPING, |n| n.a.wrapping_mul(n.b))]),
    binary(
        BinaryOp::Div,
        "/",
        &[
            arithmetic(&[Unsigned, Time], |n| n.a.checked_div(n.b).unwrap_or(0)),
            arithmetic(&[Signed], |n| if n.right == 0 { 0 } else { n.left.wrapping_div(n.right) as u64 }),
        ],
    ),
    binary(
        BinaryOp::Rem,
        "rem",
        &[
            arithmetic(&[Unsigned, Time], |n| n.a.checked_rem(n.b).unwrap_or(0)),
            arithmetic(&[Signed], |n| if n.right == 0 { 0 } else { n.left.wrapping_rem(n.right) as u64 }),
        ],
    ),
    binary(BinaryOp::And, "&", &[arithmetic(&[Bool, Unsigned, Signed, Time], |n| n.a & n.b), of_sets(|a, b| a & b)]),
    binary(BinaryOp::Or, "|", &[arithmetic(&[Bool, Unsigned, Signed, Time], |n| n.a | n.b), of_sets(|a, b| a | b)]),
    binary(BinaryOp::Xor, "^", &[arithmetic(&[Bool, Unsigned, Signed, Time], |n| n.a ^ n.b), of_sets(|a, b| a ^ b)]),
    binary(
        BinaryOp::Shl,
        "shl",
        &[
            row(
                &[Unsigned, Signed, Time],
                Right::Natural,
                Gives::Left,
                Run::Numbers(|n| shifted(n, n.a << (n.b & 63))),
            ),
            row(&[Set], Right::Natural, Gives::Left, Run::Moved(sets::raise)),
        ],
    ),
    binary(
        BinaryOp::Shr,
        "shr",
        &[
            row(&[Unsigned, Time], Right::Natural, Gives::Left, Run::Numbers(|n| shifted(n, n.a >> (n.b & 63)))),
            // Of a negative number the sign comes in from the left.
            row(&[Signed], Right::Natural, Gives::Left, Run::Numbers(|n| shifted(n, (n.left >> (n.b & 63)) as u64))),
            row(&[Set], Right::Natural, Gives::Left, Run::Moved(sets::lower)),
        ],
    ),
    binary(BinaryOp::Equal, "=", &[test(COMPARED, Run::Equality(true))]),
    binary(BinaryOp::NotEqual, "differs", &[test(COMPARED, Run::Equality(false))]),
    binary(BinaryOp::Less, "<", &[test(Kind::NUMBERS, Run::Order(Ordering::is_lt))]),
    binary(BinaryOp::LessEqual, "upto", &[test(Kind::NUMBERS, Run::Order(Ordering::is_le))]),
    binary(BinaryOp::Both, "and", &[test(&[Bool], Run::Numbers(|n| n.a & n.b))]),
    binary(BinaryOp::Either, "or", &[test(&[Bool], Run::Numbers(|n| n.a | n.b))]),
    binary(
        BinaryOp::Distance,
        "from",
        &[row(&[Sequence], Right::Same, Gives::Signed, Run::Numbers(|n| n.a.wrapping_sub(n.b)))],
    ),
    binary(
        BinaryOp::Min,
        "min",
        &[row(Kind::NUMBERS, Right::Same, Gives::Left, Run::Choice(|order| order.right.is_lt()))],
    ),
    binary(
        BinaryOp::Max,
        "max",
        &[row(Kind::NUMBERS, Right::Same, Gives::Left, Run::Choice(|order| order.left.is_lt()))],
    ),
    binary(BinaryOp::Without, "without", &[of_sets(|a, b| a & !b)]),
    binary(BinaryOp::Subset, "within", &[test(&[Set], Run::Subset)]),
    binary(BinaryOp::Member, "in", &[row(Kind::NATURAL, Right::Set, Gives::Bool, Run::Member)]),
];

/// By the width or more, nothing is left.
fn shifted(n: Pair, result: u64) -> u64 {
    if n.b >= u64::from(n.bits) {
        0
    } else {
        result
    }
}

impl BinaryOp {
    /// Its text in the IR.
    pub fn word(self) -> &'static str {
        BINARY[self as usize].word
    }

    /// The operator that has a word.
    pub fn named(word: &str) -> Option<BinaryOp> {
        BINARY.iter().find(|operator| operator.word == word).map(|operator| operator.op)
    }

    /// The row for a type of left operands; none: it does not work on them.
    pub fn row(self, left: &Type) -> Option<&'static Row> {
        let kind = Kind::of(left);
        BINARY[self as usize].rows.iter().find(|row| row.on.contains(&kind))
    }
}

impl Order {
    /// The order of two numbers of a type.
    pub fn of(a: u64, b: u64, ty: &Type) -> Order {
        Order { left: numbers::order(a, b, ty), right: numbers::order(b, a, ty) }
    }
}

impl Row {
    /// Whether it takes a right operand of a type.
    pub fn takes(&self, left: &Type, right: &Type) -> bool {
        match self.right {
            Right::Same => left == right,
            Right::Natural => Kind::of(right).is_natural(),
            Right::Set => Kind::of(right) == Set,
        }
    }

    /// The type of the result.
    pub fn result(&self, left: &Type) -> Type {
        match (self.gives, left) {
            (Gives::Bool, _) => Type::Bool,
            (Gives::Signed, Type::Seq(bits)) => Type::Int(*bits),
            (Gives::Left | Gives::Signed, left) => left.clone(),
        }
    }

    /// The result for operands that it takes.
    pub fn run(&self, a: Value, b: Value, left: &Type) -> Value {
        match (self.run, &a, &b) {
            (Run::Equality(equal), ..) => Value::bool((a == b) == equal),
            (Run::Numbers(run), ..) => Value::Num(number(run, a.num(), b.num(), left)),
            (Run::Order(run), ..) => Value::bool(run(numbers::order(a.num(), b.num(), left))),
            (Run::Choice(right), ..) if right(Order::of(a.num(), b.num(), left)) => b,
            (Run::Choice(_), ..) => a,
            (Run::Words(run), Value::Set(x), Value::Set(y)) => {
                let words = x.iter().zip(y).map(|(x, y)| run(*x, *y)).collect();
                Value::Set(sets::trim(words, size(left)))
            }
            (Run::Subset, Value::Set(x), Value::Set(y)) => Value::bool(x.iter().zip(y).all(|(x, y)| x & !y == 0)),
            (Run::Member, _, Value::Set(set)) => Value::bool(sets::member(set, a.num())),
            (Run::Moved(run), Value::Set(set), by) => Value::Set(run(set, by.num(), size(left))),
            (Run::Words(_) | Run::Subset | Run::Member | Run::Moved(_), ..) => Value::bool(false),
        }
    }
}

/// An operator on numbers of a type; the result is cut to its width.
pub fn number(run: fn(Pair) -> u64, a: u64, b: u64, of: &Type) -> u64 {
    let bits = numbers::bits(of);
    let (left, right) = (numbers::wide(a, of) as i64, numbers::wide(b, of) as i64);
    run(Pair { a, b, left, right, bits }) & mask(bits)
}

fn size(set: &Type) -> u32 {
    match set {
        Type::Bits(n) => *n,
        _ => 0,
    }
}

/// An operator with one operand.
pub struct Unary {
    pub op: UnaryOp,
    /// Its text in the IR, before its operand.
    pub word: &'static str,
    pub on: &'static [Kind],
    /// The type of the result; none: that of the operand.
    pub gives: Option<Type>,
    /// On a number; the result is cut to the width of its type. Sets: on each word.
    pub run: fn(u64) -> u64,
}

/// Every operator with one operand, in the order of [`UnaryOp`].
pub const UNARY: &[Unary] = &[
    Unary { op: UnaryOp::Not, word: "not", on: &[Bool, Unsigned, Signed, Set], gives: None, run: |n| !n },
    Unary { op: UnaryOp::Negate, word: "negate", on: WRAPPING, gives: None, run: u64::wrapping_neg },
    Unary { op: UnaryOp::Fold16, word: "fold16", on: &[Unsigned], gives: Some(Type::UInt(16)), run: numbers::fold16 },
];

impl UnaryOp {
    /// The operator that has a word.
    pub fn named(word: &str) -> Option<UnaryOp> {
        UNARY.iter().find(|operator| operator.word == word).map(|operator| operator.op)
    }

    /// Its row in the table.
    pub fn row(self) -> &'static Unary {
        &UNARY[self as usize]
    }
}

impl Unary {
    /// The type of the result.
    pub fn result(&self, of: &Type) -> Type {
        self.gives.clone().unwrap_or_else(|| of.clone())
    }

    /// The result for an operand of a type.
    pub fn run(&self, value: Value, of: &Type) -> Value {
        match value {
            Value::Set(set) => Value::Set(sets::trim(set.into_iter().map(self.run).collect(), size(of))),
            value => Value::Num(numbers::cut((self.run)(value.num()), &self.result(of))),
        }
    }
}

/// Whether a conversion exists. Numbers become numbers and sets (of the elements that the bits say), sets numbers and
/// sets, bytes bytes and text. Wider values are truncated; only members of a range or an enum may be converted into it.
pub fn converts(from: &Type, to: &Type) -> bool {
    let plain = |kind: Kind| kind.is_number() || kind == Set;
    let bytes = |kind: Kind| matches!(kind, Bytes | Text | View);
    let (from, to) = (Kind::of(from), Kind::of(to));
    (plain(from) && plain(to)) || (bytes(from) && bytes(to))
}

/// A value of one type as one of another.
pub fn convert(value: Value, from: &Type, to: &Type) -> Value {
    match (value, to) {
        (Value::Set(set), Type::Bits(n)) => Value::Set(sets::trim(set, *n)),
        (Value::Bytes(bytes), _) => Value::Bytes(sized(bytes, to)),
        (value @ (Value::Num(_) | Value::Set(_) | Value::Timer(_)), _) => {
            constant(numbers::wide(value.num(), from), to)
        }
        (value, _) => value,
    }
}

/// A number as a value of a type, cut to its width.
pub fn constant(n: u64, ty: &Type) -> Value {
    match ty {
        Type::Bits(size) => Value::Set(sets::trim(vec![n], *size)),
        Type::Timer => Value::Timer(n),
        _ => Value::Num(numbers::cut(n, ty)),
    }
}

/// Bytes in the length that their type has.
pub fn sized(mut bytes: Vec<u8>, ty: &Type) -> Vec<u8> {
    match ty {
        Type::Bytes(n) => bytes.resize(*n as usize, 0),
        Type::Text(n) => bytes.truncate(*n as usize),
        _ => {}
    }
    bytes
}
