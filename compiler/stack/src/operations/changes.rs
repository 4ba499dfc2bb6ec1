//! The reference implementation of the operations of [`super::methods`].

use crate::interpret::Value;

/// The arguments of an operation.
pub struct Arguments<'k> {
    /// The one before the last.
    pub first: Option<Value>,
    pub last: Option<Value>,
    /// Entries that the container can hold.
    pub capacity: usize,
    /// Called with a value that is going to be stored.
    pub keep: &'k mut dyn FnMut(&mut Value),
}

impl Arguments<'_> {
    /// The last argument, kept.
    fn stored(self) -> Value {
        let mut value = self.last.unwrap_or(Value::Gone);
        (self.keep)(&mut value);
        value
    }

    fn number(&self) -> u64 {
        self.last.as_ref().map_or(0, Value::num)
    }

    fn failed(self) -> Done {
        Done { gives: None, done: false, back: self.last }
    }
}

/// The result of an operation.
pub struct Done {
    /// None: nothing is there, or it failed.
    pub gives: Option<Value>,
    /// Whether it was done.
    pub done: bool,
    /// The last argument, if it failed.
    pub back: Option<Value>,
}

impl Done {
    fn with(gives: Option<Value>) -> Done {
        Done { gives, done: true, back: None }
    }
    /// Done, and nothing to give.
    pub const NOTHING: Done = Done { gives: None, done: true, back: None };
}

/// Removes all entries.
pub fn run_clear(container: &mut Value, _: Arguments) -> Done {
    match container {
        Value::Row(row) => row.clear(),
        Value::Window(window) => window.clear(),
        Value::Pool(slots) => slots.fill(None),
        Value::Map(slots) => slots.fill(None),
        Value::Set(words) => words.fill(0),
        _ => {}
    }
    Done::NOTHING
}

/// Ring, list: appends.
pub fn push(container: &mut Value, arguments: Arguments) -> Done {
    match container {
        Value::Row(row) if row.len() < arguments.capacity => row.push_back(arguments.stored()),
        _ => return arguments.failed(),
    }
    Done::NOTHING
}

/// Ring: removes the oldest.
pub fn pop_oldest(container: &mut Value, _: Arguments) -> Done {
    Done::with(if let Value::Row(row) = container { row.pop_front() } else { None })
}

/// List: removes the newest.
pub fn pop_newest(container: &mut Value, _: Arguments) -> Done {
    Done::with(if let Value::Row(row) = container { row.pop_back() } else { None })
}

/// Ring, list: removes the first entry that is equal.
pub fn remove_equal(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Row(row) = container else { return Done::NOTHING };
    let at = row.iter().position(|entry| Some(entry) == arguments.last.as_ref());
    Done::with(at.and_then(|at| row.remove(at)))
}

/// Window: appends.
pub fn push_numbered(container: &mut Value, arguments: Arguments) -> Done {
    match container {
        Value::Window(window) if !window.is_full() => Done::with(Some(Value::Num(window.push(arguments.stored())))),
        _ => arguments.failed(),
    }
}

/// Window: puts an entry at a number.
pub fn put(container: &mut Value, arguments: Arguments) -> Done {
    let n = arguments.first.as_ref().map_or(0, Value::num);
    match container {
        Value::Window(window) if window.can_put(n) => window.put(n, arguments.stored()),
        _ => return arguments.failed(),
    }
    Done::NOTHING
}

/// Window: removes the next entry.
pub fn take_next(container: &mut Value, _: Arguments) -> Done {
    Done::with(if let Value::Window(window) = container { window.take_next() } else { None })
}

/// Window: passes over the next number.
pub fn read(container: &mut Value, _: Arguments) -> Done {
    let Value::Window(window) = container else { return Done::NOTHING };
    Done::with(window.read().and_then(|number| window.get(number).cloned()))
}

/// Window: forgets all below a number.
pub fn release(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Window(window) = container else { return Done::NOTHING };
    Done::with(Some(Value::Num(window.release(arguments.number()))))
}

/// Window: releases the entry at `low`.
pub fn release_low(container: &mut Value, _: Arguments) -> Done {
    let Value::Window(window) = container else { return Done::NOTHING };
    Done::with(Some(Value::Num(window.release(window.number(1)))))
}

/// Window: raises `high`.
pub fn raise(container: &mut Value, arguments: Arguments) -> Done {
    if let Value::Window(window) = container {
        window.raise(arguments.number());
    }
    Done::NOTHING
}

/// Window: raises `next`.
pub fn skip_to(container: &mut Value, arguments: Arguments) -> Done {
    if let Value::Window(window) = container {
        window.skip_to(arguments.number());
    }
    Done::NOTHING
}

/// Window: raises `next`, then forgets all below the number.
pub fn pass_over(container: &mut Value, arguments: Arguments) -> Done {
    if let Value::Window(window) = container {
        let number = arguments.number();
        window.skip_to(number);
        window.release(number);
    }
    Done::NOTHING
}

fn gap((from, to): (u64, u64)) -> Value {
    Value::Tuple(vec![Value::Num(from), Value::Num(to)])
}

/// Window: the first gap.
pub fn hole(container: &mut Value, _: Arguments) -> Done {
    Done::with(if let Value::Window(window) = container { window.hole().map(gap) } else { None })
}

/// Window: the first gap, unless it was reported.
pub fn new_hole(container: &mut Value, _: Arguments) -> Done {
    Done::with(if let Value::Window(window) = container { window.new_hole().map(gap) } else { None })
}

/// Window: forgets all from `next` on.
pub fn clear_undelivered(container: &mut Value, _: Arguments) -> Done {
    if let Value::Window(window) = container {
        window.clear_undelivered();
    }
    Done::NOTHING
}

/// Pool: an entry in the lowest free slot.
pub fn add(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Pool(slots) = container else { return arguments.failed() };
    let Some(slot) = slots.iter().position(Option::is_none) else { return arguments.failed() };
    slots[slot] = Some(arguments.stored());
    Done::with(Some(Value::Num(slot as u64)))
}

/// Pool: the entry at a slot.
pub fn remove_slot(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Pool(slots) = container else { return Done::NOTHING };
    Done::with(at(slots, arguments.number()).and_then(Option::take))
}

/// Map: the entry at a slot.
pub fn remove_key(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Map(slots) = container else { return Done::NOTHING };
    Done::with(at(slots, arguments.number()).and_then(Option::take).map(|(_, value)| value))
}

fn at<T>(slots: &mut [T], slot: u64) -> Option<&mut T> {
    slots.get_mut(usize::try_from(slot).ok()?)
}

/// Map: the slot of a key.
pub fn find(container: &mut Value, arguments: Arguments) -> Done {
    let Value::Map(slots) = container else { return Done::NOTHING };
    let slot = arguments.last.and_then(|key| slot_of(slots, &key));
    Done::with(slot.map(|slot| Value::Num(slot as u64)))
}

/// Insert and entry: the slot of a key, which gets the value if it is new, or if `over`.
pub fn assign(container: &mut Value, mut arguments: Arguments, over: bool) -> Done {
    let Value::Map(slots) = container else { return arguments.failed() };
    let key = arguments.first.take().unwrap_or(Value::Gone);
    let old = slot_of(slots, &key);
    let Some(slot) = old.or_else(|| slots.iter().position(Option::is_none)) else { return arguments.failed() };
    if old.is_none() || over {
        slots[slot] = Some((key, arguments.stored()));
    }
    Done::with(Some(Value::Num(slot as u64)))
}

/// The slot of a key.
pub fn slot_of(slots: &[Option<(Value, Value)>], key: &Value) -> Option<usize> {
    slots.iter().position(|slot| slot.as_ref().is_some_and(|(k, _)| k == key))
}
