//! What may be sent to a peer whose address may be forged: at most three times what came from there (docs/wire.md).

use crate::clock::MILLISECOND;
use crate::ffi::NEVER;

/// Bytes that may be sent for each byte that was received.
const FACTOR: u64 = 3;
/// The length of a ping.
const PING: u64 = 20;
/// What frames of the stack leave for pings, which are repeated if they are lost.
const RESERVE: u64 = 3 * PING;
/// How much longer than its message the frames of a call are taken to be.
const HEADERS: u64 = 64;
/// A ping is repeated after this time, and again after twice, four times... the time.
const ASK_AGAIN_NS: u64 = 20 * MILLISECOND;
/// As often the time is doubled; then it is not repeated any more.
const DOUBLINGS: u32 = 8;

/// The bytes received and sent so far, of a connection that a peer has begun and not confirmed.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    received: u64,
    sent_in_frames: u64,
    sent_in_pings: u64,
    /// Pings that were sent to confirm the connection.
    asked: u32,
    /// Something was withheld or refused.
    was_short: bool,
}

impl Budget {
    /// A frame came from the peer's address.
    #[inline]
    pub(crate) fn receive(&mut self, len: usize) {
        self.received += len as u64;
    }

    /// Whether a frame of the stack may be sent. If so it counts as sent.
    pub(crate) fn spend(&mut self, len: usize) -> bool {
        let may = len as u64 <= self.for_frames();
        if may {
            self.sent_in_frames += len as u64;
        } else {
            self.was_short = true;
        }
        may
    }

    /// Whether a call with a message of this length may be made.
    pub(crate) fn covers(&self, message: usize) -> bool {
        message as u64 + HEADERS <= self.for_frames()
    }

    /// A call was refused.
    pub(crate) fn note_refusal(&mut self) {
        self.was_short = true;
    }

    /// Whether a ping may be sent. If so it counts as sent.
    pub(crate) fn ping(&mut self) -> bool {
        let may = self.may_ping();
        if may {
            self.sent_in_pings += PING;
            self.asked += 1;
        }
        may
    }

    /// When to ask the peer to confirm the connection, if anything waits for that. `first`: the time of the first ping.
    pub(crate) fn next_ping(&self, first: u64) -> u64 {
        match self.asked.checked_sub(1) {
            _ if !self.was_short || !self.may_ping() => NEVER,
            None => 0,
            Some(repeated) if repeated > DOUBLINGS => NEVER,
            Some(repeated) => first.saturating_add(ASK_AGAIN_NS << repeated),
        }
    }

    fn for_frames(&self) -> u64 {
        self.most().saturating_sub(self.sent_in_frames + self.sent_in_pings.max(RESERVE))
    }

    fn may_ping(&self) -> bool {
        self.sent_in_frames + self.sent_in_pings + PING <= self.most()
    }

    fn most(&self) -> u64 {
        FACTOR.saturating_mul(self.received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Control, Label};

    fn after(len: usize) -> Budget {
        let mut budget = Budget::default();
        budget.receive(len);
        budget
    }

    #[test]
    fn pings_have_the_length_that_is_counted() {
        let ping = Control::Ping { to: Label::default(), token: 1 }.write(usize::MAX).unwrap();
        assert_eq!(ping.len() as u64, PING);
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
