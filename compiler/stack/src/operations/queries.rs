//! Queries of containers, which do not change them.

use super::changes::slot_of;
use super::kind::Kind;
use super::parts::{Operand, Parts};
use super::sets;
use crate::interpret::{Value, NEVER};
use crate::{Query, Type};

/// A question, by its name.
pub struct Question {
    pub query: Query,
    /// Its text in the IR, before the place.
    pub word: &'static str,
    /// No kind is in two of them.
    pub rows: &'static [Row],
}

/// A query of some kinds of containers.
pub struct Row {
    pub on: &'static [Kind],
    pub takes: Option<Operand>,
    pub gives: Answer,
    /// Entries are compared with the argument, so their type must allow `==`.
    pub compares: bool,
    pub run: fn(&Value, Asked) -> Option<Value>,
}

/// The result of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Bool,
    /// Any type of numbers, [`Operand::Count`] where none is written.
    Number,
    /// A part of the container.
    Part(Operand),
}

/// A question's operands besides the container.
pub struct Asked<'v> {
    pub argument: Option<&'v Value>,
    /// Entries that the container can hold.
    pub capacity: u64,
}

impl Asked<'_> {
    fn number(&self) -> u64 {
        self.argument.map_or(0, Value::num)
    }
    fn index(&self) -> usize {
        usize::try_from(self.number()).unwrap_or(usize::MAX)
    }
}

const ROWS: &[Kind] = &[Kind::Ring, Kind::List];
const SLOTS: &[Kind] = &[Kind::Pool, Kind::Map];
const WINDOW: &[Kind] = &[Kind::Window];
const SIZED: &[Kind] =
    &[Kind::Ring, Kind::List, Kind::Window, Kind::Pool, Kind::Map, Kind::Set, Kind::Text, Kind::Array, Kind::Bytes];
/// Containers with a capacity; the window has separate rows.
const FILLED: &[Kind] = &[Kind::Ring, Kind::List, Kind::Pool, Kind::Map, Kind::Set, Kind::Text];

const fn asks(on: &'static [Kind], gives: Answer, run: fn(&Value, Asked) -> Option<Value>) -> Row {
    Row { on, takes: None, gives, compares: false, run }
}

const fn tests(on: &'static [Kind], run: fn(&Value, Asked) -> Option<Value>) -> Row {
    asks(on, Answer::Bool, run)
}

const fn with(takes: Operand, row: Row) -> Row {
    Row { takes: Some(takes), ..row }
}

/// Every question, in the order of [`Query`].
pub const QUESTIONS: &[Question] = &[
    Question {
        query: Query::Len,
        word: "len",
        rows: &[asks(SIZED, Answer::Number, |of, _| Some(Value::Num(length(of))))],
    },
    Question {
        query: Query::Empty,
        word: "is_empty",
        rows: &[
            tests(WINDOW, |of, _| window(of, |w| Value::bool(w.low == w.high))),
            tests(FILLED, |of, _| Some(Value::bool(length(of) == 0))),
        ],
    },
    Question {
        query: Query::Full,
        word: "is_full",
        rows: &[
            tests(WINDOW, |of, _| window(of, |w| Value::bool(w.is_full()))),
            tests(FILLED, |of, asked| Some(Value::bool(length(of) >= asked.capacity))),
        ],
    },
    Question {
        query: Query::Contains,
        word: "contains",
        rows: &[
            Row { compares: true, ..with(Operand::Entry, tests(ROWS, contains_entry)) },
            with(Operand::Key, tests(&[Kind::Map], contains_key)),
            with(Operand::Slot, tests(&[Kind::Set], contains_element)),
        ],
    },
    Question {
        query: Query::Has,
        word: "has",
        rows: &[
            with(
                Operand::Number,
                tests(WINDOW, |of, asked| window(of, |w| Value::bool(w.get(asked.number()).is_some()))),
            ),
            with(Operand::Slot, tests(SLOTS, has_slot)),
            with(Operand::Slot, tests(ROWS, |of, asked| Some(Value::bool(asked.number() < length(of))))),
        ],
    },
    Question {
        query: Query::Key,
        word: "key",
        rows: &[with(Operand::Slot, asks(&[Kind::Map], Answer::Part(Operand::Key), key))],
    },
    Question {
        query: Query::Low,
        word: "low",
        rows: &[asks(WINDOW, Answer::Part(Operand::Number), |of, _| window(of, |w| Value::Num(w.low)))],
    },
    Question {
        query: Query::Next,
        word: "next",
        rows: &[asks(WINDOW, Answer::Part(Operand::Number), |of, _| window(of, |w| Value::Num(w.next)))],
    },
    Question {
        query: Query::High,
        word: "high",
        rows: &[asks(WINDOW, Answer::Part(Operand::Number), |of, _| window(of, |w| Value::Num(w.high)))],
    },
    Question {
        query: Query::Armed,
        word: "armed",
        rows: &[tests(&[Kind::Timer], |of, _| Some(Value::bool(of.num() != NEVER)))],
    },
    Question { query: Query::First, word: "first", rows: &[asks(&[Kind::Set], Answer::Number, first)] },
];

impl Query {
    /// The question that has a word in the text of the IR.
    pub fn named(word: &str) -> Option<Query> {
        QUESTIONS.iter().find(|question| question.word == word).map(|question| question.query)
    }

    /// Its row in the table.
    pub fn question(self) -> &'static Question {
        &QUESTIONS[self as usize]
    }

    /// The row for a type of containers; none: it is no question to them.
    pub fn row(self, container: &Type) -> Option<&'static Row> {
        let kind = Kind::of(container);
        self.question().rows.iter().find(|row| row.on.contains(&kind))
    }
}

impl Row {
    /// The type of its result; none: any number.
    pub fn result(&self, container: &Type) -> Option<Type> {
        match self.gives {
            Answer::Bool => Some(Type::Bool),
            Answer::Number => None,
            Answer::Part(part) => Parts::of(container).operand(part),
        }
    }
}

fn window(of: &Value, tell: impl FnOnce(&super::window::Window<Value>) -> Value) -> Option<Value> {
    match of {
        Value::Window(window) => Some(tell(window)),
        _ => None,
    }
}

fn contains_entry(of: &Value, asked: Asked) -> Option<Value> {
    let Value::Row(row) = of else { return None };
    Some(Value::bool(row.iter().any(|entry| Some(entry) == asked.argument)))
}

fn contains_key(of: &Value, asked: Asked) -> Option<Value> {
    let Value::Map(slots) = of else { return None };
    Some(Value::bool(asked.argument.is_some_and(|key| slot_of(slots, key).is_some())))
}

fn contains_element(of: &Value, asked: Asked) -> Option<Value> {
    let Value::Set(words) = of else { return None };
    Some(Value::bool(sets::member(words, asked.number())))
}

fn has_slot(of: &Value, asked: Asked) -> Option<Value> {
    let at = asked.index();
    Some(Value::bool(match of {
        Value::Pool(slots) => slots.get(at).is_some_and(Option::is_some),
        Value::Map(slots) => slots.get(at).is_some_and(Option::is_some),
        _ => return None,
    }))
}

/// The key at a slot that is used.
fn key(of: &Value, asked: Asked) -> Option<Value> {
    let Value::Map(slots) = of else { return None };
    slots.get(asked.index())?.as_ref().map(|(key, _)| key.clone())
}

fn first(of: &Value, _: Asked) -> Option<Value> {
    let Value::Set(words) = of else { return None };
    Some(Value::Num(sets::first(words)))
}

/// Entries in a container, elements in a set, bytes in a text.
fn length(of: &Value) -> u64 {
    match of {
        Value::Window(window) => window.count(),
        Value::Row(row) => row.len() as u64,
        Value::Pool(slots) => slots.iter().flatten().count() as u64,
        Value::Map(slots) => slots.iter().flatten().count() as u64,
        Value::Set(words) => sets::count(words),
        Value::Bytes(bytes) => bytes.len() as u64,
        Value::Tuple(parts) => parts.len() as u64,
        _ => 0,
    }
}
