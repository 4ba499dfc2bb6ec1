//! What may be sent to a peer whose address may be forged: at most three times what came from there (docs/wire.md).

use crate::listener_c::RawBudget;

/// The bytes received and sent so far, of a connection that a peer has begun and not confirmed. Its arithmetic is that
/// of the emitted listener (`listener/proof.c`).
#[derive(Debug, Default)]
pub(crate) struct Budget(RawBudget);

impl Budget {
    /// A frame came from the peer's address.
    #[inline]
    pub(crate) fn receive(&mut self, len: usize) {
        self.0.received += len as u64;
    }

    /// Whether a frame of the stack may be sent. If so it counts as sent.
    pub(crate) fn spend(&mut self, len: usize) -> bool {
        self.0.spend(len as u64)
    }

    /// Whether a call with a message of this length may be made.
    pub(crate) fn covers(&self, message: usize) -> bool {
        self.0.covers(message as u64)
    }

    /// A call was refused.
    pub(crate) fn note_refusal(&mut self) {
        self.0.was_short = 1;
    }

    /// Whether a ping may be sent. If so it counts as sent.
    pub(crate) fn ping(&mut self) -> bool {
        self.0.ping()
    }

    /// When to ask the peer to confirm the connection, if anything waits for that. `first`: the time of the first ping.
    pub(crate) fn next_ping(&self, first: u64) -> u64 {
        self.0.next_ping(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::PING_BYTES;
    use crate::clock::MILLISECOND;
    use crate::ffi::NEVER;
    use crate::wire::{Control, Label};

    fn after(len: usize) -> Budget {
        let mut budget = Budget::default();
        budget.receive(len);
        budget
    }

    #[test]
    fn pings_have_the_length_that_is_counted() {
        let ping = Control::Ping { to: Label::default(), token: 1 }.write(usize::MAX).unwrap();
        assert_eq!(ping.len(), PING_BYTES);
    }

    #[test]
    fn frames_leave_room_for_pings_and_no_more_than_three_times_is_sent() {
        let mut budget = after(60);
        assert!(budget.covers(56) && !budget.covers(57));
        assert!(budget.spend(120) && !budget.spend(1), "180 less 60");
        assert_eq!((0..10).filter(|_| budget.ping()).count(), 3);
        budget.receive(10);
        assert!(!budget.spend(31) && budget.spend(30));
    }

    #[test]
    fn ping_is_sent_once_something_is_withheld_and_repeated_ever_later() {
        let mut budget = after(60);
        assert_eq!(budget.next_ping(5), NEVER);
        budget.note_refusal();
        let mut waits = Vec::new();
        while budget.next_ping(1000) != NEVER {
            waits.push(budget.next_ping(1000).saturating_sub(1000) / MILLISECOND);
            assert!(budget.ping());
        }
        assert_eq!(waits, [0, 20, 40, 80, 160, 320, 640, 1280, 2560]);
        budget.receive(10_000);
        assert!(budget.next_ping(1000) < NEVER && budget.ping());
        assert_eq!(budget.next_ping(1000), NEVER, "not again and again, whatever was received");
    }
}
