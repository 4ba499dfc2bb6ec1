//! The window of numbered entries, and what the operations do with each kind of container.

use std::collections::VecDeque;

use super::value::Value;
use crate::{mask, Operation};

/// `low <= next <= high <= low + capacity`, all modulo 2^bits; entries for the numbers from `low` up to `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub low: u64,
    pub next: u64,
    pub high: u64,
    pub reported: u64,
    pub entries: VecDeque<Option<Value>>,
    capacity: i64,
    bits: u8,
}

/// `a - b` as a signed number of so many bits.
pub fn distance(a: u64, b: u64, bits: u8) -> i64 {
    sign_extend(a.wrapping_sub(b), bits)
}

pub fn sign_extend(value: u64, bits: u8) -> i64 {
    let unused = 64 - bits.clamp(1, 64) as u32;
    ((value << unused) as i64) >> unused
}

impl Window {
    pub fn new(capacity: u32, bits: u8) -> Window {
        let entries = VecDeque::new();
        Window { low: 0, next: 0, high: 0, reported: 0, entries, capacity: capacity as i64, bits }
    }

    fn after(&self, n: u64, by: i64) -> u64 {
        n.wrapping_add(by as u64) & mask(self.bits as u32)
    }
    /// How far a number is from `low`.
    pub fn offset(&self, n: u64) -> i64 {
        distance(n, self.low, self.bits)
    }
    pub fn span(&self) -> i64 {
        self.entries.len() as i64
    }
    pub fn number(&self, offset: i64) -> u64 {
        self.after(self.low, offset)
    }
    pub fn is_full(&self) -> bool {
        self.span() == self.capacity
    }
    pub fn count(&self) -> u64 {
        self.entries.iter().flatten().count() as u64
    }
    pub fn get(&self, n: u64) -> Option<&Value> {
        self.entries.get(usize::try_from(self.offset(n)).ok()?)?.as_ref()
    }
    pub fn get_mut(&mut self, n: u64) -> Option<&mut Value> {
        self.entries.get_mut(usize::try_from(self.offset(n)).ok()?)?.as_mut()
    }

    fn raise_to(&mut self, offset: i64) {
        while self.span() < offset {
            self.entries.push_back(None);
        }
        self.high = self.number(self.span());
    }

    fn drop_below(&mut self, offset: i64) {
        self.entries.drain(..offset as usize);
        self.low = self.number(offset);
    }

    pub fn push(&mut self, value: Value) -> u64 {
        let number = self.high;
        self.entries.push_back(Some(value));
        self.high = self.number(self.span());
        number
    }

    pub fn can_put(&self, n: u64) -> bool {
        let offset = self.offset(n);
        offset >= self.offset(self.next) && offset < self.capacity && self.get(n).is_none()
    }

    pub fn put(&mut self, n: u64, value: Value) {
        let offset = self.offset(n);
        self.raise_to(offset + 1);
        self.entries[offset as usize] = Some(value);
    }

    pub fn take_next(&mut self) -> Option<Value> {
        let offset = self.offset(self.next);
        let value = self.entries.get_mut(offset as usize)?.take()?;
        self.next = self.after(self.next, 1);
        self.drop_below(offset + 1);
        Some(value)
    }

    pub fn read(&mut self) -> Option<Value> {
        let value = self.get(self.next)?.clone();
        self.next = self.after(self.next, 1);
        Some(value)
    }

    pub fn release(&mut self, n: u64) -> u64 {
        let offset = self.offset(n);
        if offset <= 0 || offset > self.span() {
            return 0;
        }
        let next = self.offset(self.next);
        self.drop_below(offset);
        if next < offset {
            self.next = n;
        }
        offset as u64
    }

    pub fn raise(&mut self, n: u64) {
        let offset = self.offset(n);
        if offset <= self.capacity {
            self.raise_to(offset);
        }
    }

    pub fn skip_to(&mut self, n: u64) {
        let offset = self.offset(n);
        if offset > self.offset(self.next) && offset <= self.capacity {
            self.next = n;
            self.raise_to(offset);
        }
    }

    pub fn hole(&self) -> Option<(u64, u64)> {
        let missing = |offset: &i64| self.entries[*offset as usize].is_none();
        let from = (self.offset(self.next)..self.span()).find(missing)?;
        let to = (from..self.span()).find(|o| !missing(o)).unwrap_or(self.span());
        Some((self.number(from), self.number(to)))
    }

    pub fn new_hole(&mut self) -> Option<(u64, u64)> {
        let (from, to) = self.hole()?;
        if distance(to, self.reported, self.bits) <= 0 {
            return None;
        }
        self.reported = to;
        Some((from, to))
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        (self.low, self.next, self.high, self.reported) = (0, 0, 0, 0);
    }

    pub fn clear_undelivered(&mut self) {
        self.entries.truncate(self.offset(self.next) as usize);
        self.high = self.next;
    }
}

/// What an operation gave.
pub struct Done {
    /// None: nothing there, or it failed.
    pub gives: Option<Value>,
    pub done: bool,
    /// The last argument, when it failed.
    pub back: Option<Value>,
}

impl Done {
    fn ok(gives: Option<Value>) -> Done {
        Done { gives, done: true, back: None }
    }
    fn failed(back: Option<Value>) -> Done {
        Done { gives: None, done: false, back }
    }
}

/// Does the operation. `keep` is called with a value that is going to be stored. The capacity is that of a ring or list.
pub fn operate(
    operation: Operation,
    container: &mut Value,
    mut arguments: Vec<Value>,
    capacity: usize,
    keep: &mut dyn FnMut(&mut Value),
) -> Done {
    let last = arguments.pop();
    let first = arguments.pop();
    let stored = |last: Option<Value>, keep: &mut dyn FnMut(&mut Value)| {
        let mut value = last.unwrap_or(Value::Gone);
        keep(&mut value);
        value
    };
    let number = last.as_ref().map_or(0, Value::num);
    let pair = |(a, b): (u64, u64)| Value::Tuple(vec![Value::Num(a), Value::Num(b)]);
    match (operation, container) {
        (Operation::Clear, Value::Row(row)) => row.clear(),
        (Operation::Clear, Value::Window(window)) => window.clear(),
        (Operation::Clear, Value::Pool(slots)) => slots.fill(None),
        (Operation::Clear, Value::Map(slots)) => slots.fill(None),
        (Operation::Clear, Value::Set(words)) => words.fill(0),
        (Operation::Push, Value::Row(row)) => {
            if row.len() >= capacity {
                return Done::failed(last);
            }
            row.push_back(stored(last, keep));
        }
        (Operation::Pop, Value::Row(row)) => return Done::ok(row.pop_front()),
        (Operation::Remove, Value::Row(row)) => {
            let at = row.iter().position(|v| Some(v) == last.as_ref());
            return Done::ok(at.and_then(|at| row.remove(at)));
        }
        (Operation::Push, Value::Window(window)) => {
            if window.is_full() {
                return Done::failed(last);
            }
            return Done::ok(Some(Value::Num(window.push(stored(last, keep)))));
        }
        (Operation::Put, Value::Window(window)) => {
            let n = first.map_or(0, |v| v.num());
            if !window.can_put(n) {
                return Done::failed(last);
            }
            window.put(n, stored(last, keep));
        }
        (Operation::TakeNext, Value::Window(window)) => return Done::ok(window.take_next()),
        (Operation::Read, Value::Window(window)) => return Done::ok(window.read()),
        (Operation::Release, Value::Window(window)) => return Done::ok(Some(Value::Num(window.release(number)))),
        (Operation::Raise, Value::Window(window)) => window.raise(number),
        (Operation::SkipTo, Value::Window(window)) => window.skip_to(number),
        (Operation::Hole, Value::Window(window)) => return Done::ok(window.hole().map(pair)),
        (Operation::NewHole, Value::Window(window)) => return Done::ok(window.new_hole().map(pair)),
        (Operation::ClearUndelivered, Value::Window(window)) => window.clear_undelivered(),
        (Operation::Add, Value::Pool(slots)) => {
            let Some(slot) = slots.iter().position(Option::is_none) else { return Done::failed(last) };
            slots[slot] = Some(stored(last, keep));
            return Done::ok(Some(Value::Num(slot as u64)));
        }
        (Operation::Remove, Value::Pool(slots)) => {
            return Done::ok(slots.get_mut(number as usize).and_then(Option::take))
        }
        (Operation::Remove, Value::Map(slots)) => {
            return Done::ok(slots.get_mut(number as usize).and_then(Option::take).map(|(_, value)| value))
        }
        (Operation::Find, Value::Map(slots)) => {
            let at = last.and_then(|key| slot_of(slots, &key));
            return Done::ok(at.map(|at| Value::Num(at as u64)));
        }
        (Operation::Insert | Operation::Entry, Value::Map(slots)) => {
            let key = first.unwrap_or(Value::Gone);
            let old = slot_of(slots, &key);
            let Some(slot) = old.or_else(|| slots.iter().position(Option::is_none)) else { return Done::failed(last) };
            if old.is_none() || operation == Operation::Insert {
                slots[slot] = Some((key, stored(last, keep)));
            }
            return Done::ok(Some(Value::Num(slot as u64)));
        }
        _ => return Done::failed(last),
    }
    Done::ok(None)
}

/// List: `Pop` gives the newest.
pub fn pop_last(container: &mut Value) -> Done {
    match container {
        Value::Row(row) => Done::ok(row.pop_back()),
        _ => Done::failed(None),
    }
}

pub fn slot_of(slots: &[Option<(Value, Value)>], key: &Value) -> Option<usize> {
    slots.iter().position(|slot| slot.as_ref().is_some_and(|(k, _)| k == key))
}
