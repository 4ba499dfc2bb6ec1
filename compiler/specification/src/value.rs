//! Values of automata. Equal values have equal representations, so that states can be compared and hashed.

use std::sync::Arc;

use crate::Type;

/// A value of an automaton.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Bool(bool),
    /// [`Type::Nat`] and [`Type::Rank`].
    Num(u64),
    Msg(Arc<[u8]>),
    /// [`Type::Tuple`] and [`Type::Per`].
    Tuple(Vec<Value>),
    Seq(Vec<Value>),
    /// Sorted.
    Bag(Vec<Value>),
    /// Sorted, each once.
    Set(Vec<Value>),
    /// Sorted by key, each once.
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// The zero of a type: false, 0, the empty message, nothing in containers.
    pub fn zero(ty: &Type, members: u64) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Nat | Type::Rank => Value::Num(0),
            Type::Msg => Value::Msg(Arc::from(&[][..])),
            Type::Tuple(types) => Value::Tuple(types.iter().map(|t| Value::zero(t, members)).collect()),
            Type::Per(t) => Value::Tuple((0..members).map(|_| Value::zero(t, members)).collect()),
            Type::Seq(_) => Value::Seq(vec![]),
            Type::Bag(_) => Value::Bag(vec![]),
            Type::Set(_) => Value::Set(vec![]),
            Type::Map(..) => Value::Map(vec![]),
        }
    }

    /// A message of these bytes.
    pub fn msg(bytes: &[u8]) -> Value {
        Value::Msg(Arc::from(bytes))
    }

    /// The number or flag; 0 for any other value.
    pub fn num(&self) -> u64 {
        match self {
            Value::Num(n) => *n,
            Value::Bool(b) => *b as u64,
            _ => 0,
        }
    }

    /// The entries of a container, in order; of a map, its pairs.
    pub fn entries(&self) -> Vec<Value> {
        match self {
            Value::Seq(x) | Value::Bag(x) | Value::Set(x) | Value::Tuple(x) => x.clone(),
            Value::Map(pairs) => pairs.iter().map(|(k, v)| Value::Tuple(vec![k.clone(), v.clone()])).collect(),
            _ => vec![],
        }
    }
}
