//! The window of numbered entries.

use std::collections::VecDeque;

use super::numbers::distance;
use crate::mask;

/// `low <= next <= high <= low + capacity`, all modulo 2^bits; entries for the numbers from `low` up to `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window<T> {
    /// The number of the first entry.
    pub low: u64,
    /// The number that is taken or read next.
    pub next: u64,
    /// The number behind the last entry.
    pub high: u64,
    /// The end of the last hole that was reported.
    pub reported: u64,
    /// From `low` on; none: not there.
    pub entries: VecDeque<Option<T>>,
    capacity: i64,
    bits: u8,
}

impl<T> Window<T> {
    /// An empty window whose numbers begin with 0.
    pub fn new(capacity: u32, bits: u8) -> Window<T> {
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
    /// Numbers from `low` up to `high`.
    pub fn span(&self) -> i64 {
        self.entries.len() as i64
    }
    /// The number so far from `low`.
    pub fn number(&self, offset: i64) -> u64 {
        self.after(self.low, offset)
    }
    /// Whether `high` cannot be raised.
    pub fn is_full(&self) -> bool {
        self.span() == self.capacity
    }
    /// Entries that are there.
    pub fn count(&self) -> u64 {
        self.entries.iter().flatten().count() as u64
    }
    /// The entry with a number.
    pub fn get(&self, n: u64) -> Option<&T> {
        self.entries.get(usize::try_from(self.offset(n)).ok()?)?.as_ref()
    }
    /// The entry with a number, to be changed.
    pub fn get_mut(&mut self, n: u64) -> Option<&mut T> {
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

    /// Appends an entry at `high`; gives its number. It must not be full.
    pub fn push(&mut self, value: T) -> u64 {
        let number = self.high;
        self.entries.push_back(Some(value));
        self.high = self.number(self.span());
        number
    }

    /// Whether an entry can be put at a number.
    pub fn can_put(&self, n: u64) -> bool {
        let offset = self.offset(n);
        offset >= self.offset(self.next) && offset < self.capacity && self.get(n).is_none()
    }

    /// Puts an entry at a number; see [`Window::can_put`].
    pub fn put(&mut self, n: u64, value: T) {
        let offset = self.offset(n);
        self.raise_to(offset + 1);
        self.entries[offset as usize] = Some(value);
    }

    /// Removes the entry at `next` and forgets all before it.
    pub fn take_next(&mut self) -> Option<T> {
        let offset = self.offset(self.next);
        let value = self.entries.get_mut(offset as usize)?.take()?;
        self.next = self.after(self.next, 1);
        self.drop_below(offset + 1);
        Some(value)
    }

    /// Passes the entry at `next`, which stays; gives its number.
    pub fn read(&mut self) -> Option<u64> {
        let number = self.next;
        self.get(number)?;
        self.next = self.after(number, 1);
        Some(number)
    }

    /// Forgets all below a number, unless it is beyond `high`; gives how many numbers.
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

    /// Raises `high` to a number.
    pub fn raise(&mut self, n: u64) {
        let offset = self.offset(n);
        if offset <= self.capacity {
            self.raise_to(offset);
        }
    }

    /// Raises `next`, and with it `high`, to a number.
    pub fn skip_to(&mut self, n: u64) {
        let offset = self.offset(n);
        if offset > self.offset(self.next) && offset <= self.capacity {
            self.next = n;
            self.raise_to(offset);
        }
    }

    /// The first gap from `next` on: its first number, and the number behind its last.
    pub fn hole(&self) -> Option<(u64, u64)> {
        let missing = |offset: &i64| self.entries[*offset as usize].is_none();
        let from = (self.offset(self.next)..self.span()).find(missing)?;
        let to = (from..self.span()).find(|o| !missing(o)).unwrap_or(self.span());
        Some((self.number(from), self.number(to)))
    }

    /// The same, unless it ends where or before one that was reported. A report of a hole of which the window holds
    /// nothing any more is forgotten: numbers that come round again would be below it.
    pub fn new_hole(&mut self) -> Option<(u64, u64)> {
        let from_next = |n: u64| n.wrapping_sub(self.next) & mask(self.bits as u32);
        if from_next(self.reported) > from_next(self.high) {
            self.reported = self.next;
        }
        let (from, to) = self.hole()?;
        if distance(to, self.reported, self.bits) <= 0 {
            return None;
        }
        self.reported = to;
        Some((from, to))
    }

    /// As it began.
    pub fn clear(&mut self) {
        self.entries.clear();
        (self.low, self.next, self.high, self.reported) = (0, 0, 0, 0);
    }

    /// Forgets all from `next` on.
    pub fn clear_undelivered(&mut self) {
        self.entries.truncate(self.offset(self.next) as usize);
        self.high = self.next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts a number and takes what is next, as a receiver does.
    fn arrive(window: &mut Window<u64>, n: u64) {
        let n = n & 0xff;
        assert!(window.can_put(n), "{n}");
        window.put(n, n);
        while window.take_next().is_some() {}
    }

    #[test]
    fn hole_is_reported_once_and_again_however_many_numbers_have_passed() {
        for passed in [1u64, 100, 127, 128, 129, 200, 255, 256, 300, 1_000] {
            let mut window = Window::new(8, 8);
            arrive(&mut window, 1);
            assert_eq!(window.new_hole(), Some((0, 1)), "{passed}");
            assert_eq!(window.new_hole(), None, "it was reported");
            arrive(&mut window, 0);
            for n in 2..2 + passed {
                arrive(&mut window, n);
                assert_eq!(window.new_hole(), None, "{passed}: {n}");
            }
            let next = 2 + passed;
            arrive(&mut window, next + 2);
            assert_eq!(window.new_hole(), Some((next & 0xff, (next + 2) & 0xff)), "{passed}");
            assert_eq!(window.new_hole(), None, "{passed}");
            arrive(&mut window, next + 1);
            assert_eq!(window.new_hole(), None, "{passed}: it has become shorter");
        }
    }
}
