//! Operations on values of automata.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::*;

/// The most numbers that `upto` enumerates.
pub const MOST_NUMBERS: u64 = 1 << 16;

/// Whether `upto` had to leave numbers out. For all of the process: who searches resets it first.
pub static LEFT_OUT: AtomicBool = AtomicBool::new(false);

/// The set of the numbers from 1 on.
fn upto(most: u64) -> Value {
    if most > MOST_NUMBERS {
        LEFT_OUT.store(true, Ordering::Relaxed);
    }
    Value::Set((1..=most.min(MOST_NUMBERS)).map(Value::Num).collect())
}

/// Returns an element of a tuple, sequence or map.
pub(crate) fn element<'v>(of: &'v Value, index: &Value) -> Option<&'v Value> {
    match of {
        Value::Tuple(parts) | Value::Seq(parts) => parts.get(usize::try_from(index.num()).ok()?),
        Value::Map(pairs) => pairs.binary_search_by(|(k, _)| k.cmp(index)).ok().map(|at| &pairs[at].1),
        _ => None,
    }
}

/// The same, mutable.
pub(crate) fn element_mut<'v>(of: &'v mut Value, index: &Value) -> Option<&'v mut Value> {
    match of {
        Value::Tuple(parts) | Value::Seq(parts) => parts.get_mut(usize::try_from(index.num()).ok()?),
        Value::Map(pairs) => match pairs.binary_search_by(|(k, _)| k.cmp(index)) {
            Ok(at) => Some(&mut pairs[at].1),
            Err(_) => None,
        },
        _ => None,
    }
}

/// Computes an operation with one operand; none: it is undefined for the value.
pub(crate) fn unary(op: Unary, value: &Value) -> Option<Value> {
    Some(match (op, value) {
        (Unary::Not, Value::Bool(b)) => Value::Bool(!b),
        (Unary::Len, Value::Msg(bytes)) => Value::Num(bytes.len() as u64),
        (Unary::Len, Value::Map(pairs)) => Value::Num(pairs.len() as u64),
        (Unary::Len, Value::Seq(x) | Value::Bag(x) | Value::Set(x) | Value::Tuple(x)) => Value::Num(x.len() as u64),
        (Unary::Upto, most) => upto(most.num()),
        (Unary::Damaged, Value::Msg(bytes)) => {
            let flipped = |bit: usize| {
                let mut changed = bytes.to_vec();
                changed[bit / 8] ^= 1 << (bit % 8);
                Value::msg(&changed)
            };
            let mut all: Vec<Value> = (0..bytes.len() * 8).map(flipped).collect();
            all.sort();
            Value::Set(all)
        }
        (Unary::First, Value::Seq(x) | Value::Set(x)) => x.first()?.clone(),
        (Unary::Last, Value::Seq(x) | Value::Set(x)) => x.last()?.clone(),
        _ => return None,
    })
}

/// Computes an operation with two operands; none: it is undefined for the values.
pub(crate) fn binary(op: Binary, a: Value, b: Value) -> Option<Value> {
    use Binary::*;
    let (x, y) = (a.num(), b.num());
    Some(match op {
        Add => Value::Num(x.saturating_add(y)),
        Sub => Value::Num(x.saturating_sub(y)),
        Mul => Value::Num(x.saturating_mul(y)),
        Div => Value::Num(x.checked_div(y)?),
        Rem => Value::Num(x.checked_rem(y)?),
        Min => Value::Num(x.min(y)),
        Max => Value::Num(x.max(y)),
        Equal => Value::Bool(a == b),
        NotEqual => Value::Bool(a != b),
        Less => Value::Bool(x < y),
        LessEqual => Value::Bool(x <= y),
        And => Value::Bool(x != 0 && y != 0),
        Or => Value::Bool(x != 0 || y != 0),
        In => Value::Bool(match &b {
            Value::Seq(entries) => entries.contains(&a),
            Value::Bag(entries) | Value::Set(entries) => entries.binary_search(&a).is_ok(),
            Value::Map(pairs) => pairs.binary_search_by(|(k, _)| k.cmp(&a)).is_ok(),
            _ => return None,
        }),
        Count => Value::Num(a.entries().iter().filter(|e| **e == b).count() as u64),
        Position => Value::Num(a.entries().iter().position(|e| *e == b)? as u64),
        Join => match (a, b) {
            (Value::Seq(mut a), Value::Seq(b)) => {
                a.extend(b);
                Value::Seq(a)
            }
            (Value::Bag(mut a), Value::Bag(b)) => {
                a.extend(b);
                a.sort();
                Value::Bag(a)
            }
            (Value::Set(mut a), Value::Set(b)) => {
                a.extend(b);
                a.sort();
                a.dedup();
                Value::Set(a)
            }
            _ => return None,
        },
    })
}

/// Changes a container; none: the operation is undefined for it, and has no effect.
pub(crate) fn operate(operation: Operation, at: &mut Value, arguments: Vec<Value>) -> Option<()> {
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next();
    match (operation, at) {
        (Operation::Append, Value::Seq(x)) => x.push(next()?),
        (Operation::Add, Value::Bag(x)) => {
            let entry = next()?;
            let place = x.partition_point(|e| *e <= entry);
            x.insert(place, entry);
        }
        (Operation::Add, Value::Set(x)) => {
            let entry = next()?;
            if let Err(place) = x.binary_search(&entry) {
                x.insert(place, entry);
            }
        }
        (Operation::Remove, Value::Seq(x) | Value::Bag(x) | Value::Set(x)) => {
            let entry = next()?;
            let place = x.iter().position(|e| *e == entry)?;
            x.remove(place);
        }
        (Operation::Remove, Value::Map(pairs)) => {
            let key = next()?;
            let place = pairs.binary_search_by(|(k, _)| k.cmp(&key)).ok()?;
            pairs.remove(place);
        }
        (Operation::Insert, Value::Map(pairs)) => {
            let (key, value) = (next()?, next()?);
            match pairs.binary_search_by(|(k, _)| k.cmp(&key)) {
                Ok(place) => pairs[place].1 = value,
                Err(place) => pairs.insert(place, (key, value)),
            }
        }
        (Operation::Pop, Value::Seq(x)) if !x.is_empty() => {
            x.remove(0);
        }
        (Operation::Clear, Value::Seq(x) | Value::Bag(x) | Value::Set(x)) => x.clear(),
        (Operation::Clear, Value::Map(pairs)) => pairs.clear(),
        _ => return None,
    }
    Some(())
}
