//! The deadlines of connections: a heap that tolerates early entries.
//!
//! A connection has an entry at or before its deadline, never more than a few. One that is woken too early is entered
//! again; so a deadline that moves away (a keepalive at each frame) costs nothing.

use crate::ffi::NEVER;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The heap. Keys are connection numbers that are never used again.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(u64, u64)>>,
}

impl Timers {
    /// Enters `deadline` for `key` if its earliest entry (`wake`) is later.
    pub(crate) fn set(&mut self, wake: &mut u64, deadline: u64, key: u64) {
        if deadline < *wake {
            *wake = deadline;
            self.heap.push(Reverse((deadline, key)));
        }
    }

    /// The earliest entry's time, or NEVER.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.heap.peek().map_or(NEVER, |entry| entry.0 .0)
    }

    /// Takes the earliest entry that is due: its time and key.
    pub(crate) fn take(&mut self, now: u64) -> Option<(u64, u64)> {
        if self.next() > now {
            return None;
        }
        self.heap.pop().map(|entry| entry.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_earlier_deadlines_are_entered() {
        let mut timers = Timers::default();
        let mut wake = NEVER;
        timers.set(&mut wake, 50, 1);
        timers.set(&mut wake, 70, 1);
        timers.set(&mut wake, 20, 1);
        assert_eq!((wake, timers.next()), (20, 20));
        assert_eq!(timers.take(19), None);
        assert_eq!(timers.take(50), Some((20, 1)));
        assert_eq!(timers.take(50), Some((50, 1)));
        assert_eq!(timers.take(1000), None);
    }
}
