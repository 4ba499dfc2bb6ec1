//! The events that wait for the application, in order, with their messages copied.

use crate::event::{Head, Pending};
use std::collections::VecDeque;

/// A queue that counts its bytes. It takes every event; the producer checks `has_room` first.
#[derive(Debug)]
pub(crate) struct EventQueue {
    pending: VecDeque<Pending>,
    bytes: usize,
    limit: usize,
}

impl EventQueue {
    /// An empty queue that has room up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> EventQueue {
        EventQueue { pending: VecDeque::new(), bytes: 0, limit }
    }

    /// Appends an event.
    pub(crate) fn push(&mut self, event: impl Into<Pending>) {
        self.insert(self.pending.len(), event);
    }

    /// Puts an event before those that came since `mark`.
    pub(crate) fn insert(&mut self, mark: usize, event: impl Into<Pending>) {
        let event = event.into();
        self.bytes += event.cost();
        self.pending.insert(mark, event);
    }

    /// Takes the oldest event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Pending> {
        let event = self.pending.pop_front()?;
        self.bytes -= event.cost();
        Some(event)
    }

    /// Takes the oldest event that fits.
    pub(crate) fn take(&mut self, fits: impl Fn(&Head) -> bool) -> Option<Pending> {
        let at = self.pending.iter().position(|event| fits(&event.head))?;
        let event = self.pending.remove(at)?;
        self.bytes -= event.cost();
        Some(event)
    }

    /// The oldest event that fits, which stays.
    pub(crate) fn find(&self, fits: impl Fn(&Head) -> bool) -> Option<&Head> {
        self.pending.iter().map(|event| &event.head).find(|head| fits(head))
    }

    /// Drops the events that do not fit.
    pub(crate) fn retain(&mut self, fits: impl Fn(&Head) -> bool) {
        self.pending.retain(|event| fits(&event.head));
        self.bytes = self.pending.iter().map(Pending::cost).sum();
    }

    /// Drops the events that came since `mark`, an earlier length.
    pub(crate) fn cut(&mut self, mark: usize) {
        self.bytes -= self.pending.drain(mark..).map(|event| event.cost()).sum::<usize>();
    }

    /// How many events wait.
    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether more may be produced.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.bytes < self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Reason;
    use crate::event::ConnectionId;

    fn id(serial: u64) -> ConnectionId {
        ConnectionId::new(serial, 1)
    }

    fn message(serial: u64, bytes: &[u8]) -> Pending {
        Pending { head: Head::Delivered { connection: id(serial), from: None, is_proven: true }, bytes: bytes.to_vec() }
    }

    fn serials(queue: &mut EventQueue) -> Vec<Option<ConnectionId>> {
        std::iter::from_fn(|| queue.pop()).map(|event| event.head.delivered_to()).collect()
    }

    #[test]
    fn events_are_emitted_in_order_and_their_room_is_freed() {
        let mut queue = EventQueue::new(200);
        queue.push(message(1, &[0; 100]));
        assert!(queue.has_room());
        queue.push(message(2, &[0; 100]));
        assert!(!queue.has_room(), "over the limit by one event at the most");
        assert_eq!(queue.pop().unwrap().head.delivered_to(), Some(id(1)));
        assert!(queue.has_room());
        assert_eq!(serials(&mut queue), [Some(id(2))]);
        assert!(queue.is_empty() && queue.bytes == 0);
    }

    #[test]
    fn removal_preserves_the_order_of_the_other_entries() {
        let mut queue = EventQueue::new(1000);
        (1..=4).for_each(|serial| queue.push(message(serial, b"abc")));
        let taken = queue.take(|head| head.delivered_to() == Some(id(3))).unwrap();
        assert_eq!(taken.bytes, b"abc");
        assert!(queue.take(|head| head.delivered_to() == Some(id(3))).is_none());
        queue.push(Head::Closed { connection: id(4), reason: Reason::Closed, words: None });
        queue.retain(|head| head.delivered_to() != Some(id(1)));
        assert_eq!(serials(&mut queue), [Some(id(2)), Some(id(4)), None]);
        assert_eq!(queue.bytes, 0);
    }

    #[test]
    fn events_of_a_connection_that_was_not_accepted_are_cut() {
        let mut queue = EventQueue::new(1000);
        queue.push(message(1, b"kept"));
        let mark = queue.len();
        queue.push(message(2, b"cut"));
        queue.insert(mark, Head::Writable { connection: id(2) });
        queue.push(message(2, b"cut"));
        queue.cut(mark);
        assert_eq!(serials(&mut queue), [Some(id(1))]);
        assert_eq!(queue.bytes, 0);
    }
}
