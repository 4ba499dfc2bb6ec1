//! Numbers, sets and strings of bytes: what the operators do.

use std::cmp::Ordering;

use super::containers::{distance, sign_extend};
use super::value::Value;
use crate::{mask, BinaryOp, Type, UnaryOp};

/// The width in which numbers of a type wrap.
pub fn bits(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => *b as u32,
        _ => 64,
    }
}

fn words(n: u32) -> usize {
    n.div_ceil(64) as usize
}

/// A number as a value of the type, cut to its width.
pub fn constant(n: u64, ty: &Type) -> Value {
    match ty {
        Type::Bits(size) => {
            let mut set = vec![0; words(*size)];
            if let Some(first) = set.first_mut() {
                *first = n;
            }
            Value::Set(trim(set, *size))
        }
        Type::Timer => Value::Timer(n),
        _ => Value::Num(n & mask(bits(ty))),
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

/// A number in the two's complement of 64 bits.
pub fn wide(n: u64, ty: &Type) -> u64 {
    match ty {
        Type::Int(b) => sign_extend(n, *b) as u64,
        _ => n,
    }
}

pub fn convert(value: Value, from: &Type, to: &Type) -> Value {
    match (value, to) {
        (Value::Set(mut set), Type::Bits(n)) => {
            set.resize(words(*n), 0);
            Value::Set(trim(set, *n))
        }
        (Value::Bytes(bytes), _) => Value::Bytes(sized(bytes, to)),
        (value @ (Value::Num(_) | Value::Set(_) | Value::Timer(_)), _) => constant(wide(value.num(), from), to),
        (value, _) => value,
    }
}

pub fn unary(op: UnaryOp, value: Value, ty: &Type) -> Value {
    match (op, value) {
        (UnaryOp::Not, Value::Set(set)) => {
            let Type::Bits(n) = ty else { return Value::Set(set) };
            Value::Set(trim(set.iter().map(|w| !w).collect(), *n))
        }
        (UnaryOp::Not, value) => constant(!value.num(), ty),
        (UnaryOp::Negate, value) => constant(value.num().wrapping_neg(), ty),
        (UnaryOp::Fold16, value) => {
            let mut sum = value.num();
            while sum >> 16 != 0 {
                sum = (sum & 0xffff) + (sum >> 16);
            }
            constant(!sum & 0xffff, ty)
        }
    }
}

/// An operator on operands of type `of`, with a result of type `ty`. `Both` and `Either` are not among them.
pub fn binary(op: BinaryOp, a: Value, b: Value, of: &Type, ty: &Type) -> Value {
    // Most are numbers, most often in the loops of filters.
    if let (Value::Num(a), Value::Num(b), Type::UInt(_)) = (&a, &b, of) {
        return match op {
            BinaryOp::Equal => Value::bool(a == b),
            BinaryOp::NotEqual => Value::bool(a != b),
            BinaryOp::Less => Value::bool(a < b),
            BinaryOp::LessEqual => Value::bool(a <= b),
            BinaryOp::Min => Value::Num(*a.min(b)),
            BinaryOp::Max => Value::Num(*a.max(b)),
            _ => Value::Num(on_numbers(op, *a, *b, of) & mask(bits(ty))),
        };
    }
    match op {
        BinaryOp::Equal => return Value::bool(a == b),
        BinaryOp::NotEqual => return Value::bool(a != b),
        BinaryOp::Less if !matches!(a, Value::Set(_)) => return Value::bool(order(&a, &b, of) == Ordering::Less),
        BinaryOp::LessEqual if !matches!(a, Value::Set(_)) => {
            return Value::bool(order(&a, &b, of) != Ordering::Greater)
        }
        BinaryOp::Min => return if order(&b, &a, of) == Ordering::Less { b } else { a },
        BinaryOp::Max => return if order(&a, &b, of) == Ordering::Less { b } else { a },
        BinaryOp::Member => {
            let Value::Set(set) = &b else { return Value::bool(false) };
            return Value::bool(member(set, a.num()));
        }
        _ => {}
    }
    match (a, b) {
        (Value::Set(a), b) => on_sets(op, a, b, of),
        (a, b) => Value::Num(on_numbers(op, a.num(), b.num(), of) & mask(bits(ty))),
    }
}

fn order(a: &Value, b: &Value, of: &Type) -> Ordering {
    match (a, b, of) {
        (Value::Bytes(a), Value::Bytes(b), _) => a.cmp(b),
        (Value::Addr(a), Value::Addr(b), _) => a.cmp(b),
        (a, b, Type::Seq(bits)) => distance(a.num(), b.num(), *bits).cmp(&0),
        (a, b, Type::Int(bits)) => sign_extend(a.num(), *bits).cmp(&sign_extend(b.num(), *bits)),
        (a, b, _) => a.num().cmp(&b.num()),
    }
}

pub fn on_numbers(op: BinaryOp, a: u64, b: u64, of: &Type) -> u64 {
    let signed = matches!(of, Type::Int(_));
    let (left, right) = (wide(a, of), wide(b, of));
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub | BinaryOp::Distance => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem if right == 0 => 0,
        BinaryOp::Div if signed => (left as i64).wrapping_div(right as i64) as u64,
        BinaryOp::Rem if signed => (left as i64).wrapping_rem(right as i64) as u64,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Without => a & !b,
        BinaryOp::Subset => (a & !b == 0) as u64,
        BinaryOp::Shl | BinaryOp::Shr if b >= bits(of) as u64 => 0,
        BinaryOp::Shl => a << b,
        BinaryOp::Shr if signed => ((left as i64) >> b) as u64,
        BinaryOp::Shr => a >> b,
        _ => 0,
    }
}

/// `a * b / c`: the low 64 bits of the quotient of the whole product; 0 if c is.
pub fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    (u128::from(a) * u128::from(b)).checked_div(u128::from(c)).unwrap_or(0) as u64
}

fn on_sets(op: BinaryOp, a: Vec<u64>, b: Value, of: &Type) -> Value {
    let Type::Bits(n) = of else { return Value::Set(a) };
    let shift = b.num();
    let Value::Set(b) = b else {
        let moved = |i: u64| match op {
            BinaryOp::Shl => i.checked_sub(shift).is_some_and(|i| member(&a, i)),
            _ => i.checked_add(shift).is_some_and(|i| member(&a, i)),
        };
        let elements = (0..*n as u64).filter(|i| moved(*i));
        let mut set = vec![0u64; words(*n)];
        elements.for_each(|i| set[(i / 64) as usize] |= 1 << (i % 64));
        return Value::Set(set);
    };
    let pairs = a.iter().zip(&b);
    let each = |f: fn(u64, u64) -> u64| Value::Set(trim(pairs.clone().map(|(a, b)| f(*a, *b)).collect(), *n));
    match op {
        BinaryOp::And => each(|a, b| a & b),
        BinaryOp::Or | BinaryOp::Add => each(|a, b| a | b),
        BinaryOp::Xor => each(|a, b| a ^ b),
        BinaryOp::Without | BinaryOp::Sub => each(|a, b| a & !b),
        BinaryOp::Subset | BinaryOp::LessEqual => Value::bool(pairs.clone().all(|(a, b)| a & !b == 0)),
        BinaryOp::Less => Value::bool(pairs.clone().all(|(a, b)| a & !b == 0) && a != b),
        _ => Value::Set(a),
    }
}

fn trim(mut set: Vec<u64>, n: u32) -> Vec<u64> {
    if let (Some(last), true) = (set.last_mut(), n % 64 != 0) {
        *last &= mask(n % 64);
    }
    set
}

pub fn member(set: &[u64], element: u64) -> bool {
    usize::try_from(element / 64).ok().and_then(|w| set.get(w)).is_some_and(|w| w >> (element % 64) & 1 == 1)
}

/// The smallest element, 0 if there is none.
pub fn first(set: &[u64]) -> u64 {
    let word = set.iter().position(|w| *w != 0);
    word.map_or(0, |at| at as u64 * 64 + set[at].trailing_zeros() as u64)
}
