//! Up to which time all datagrams that arrived have been handled.
//!
//! A process that was stopped, or busy, finds frames of its peers in the socket. They count before the silence of the
//! peers does. Under a flood the socket is never empty; but it keeps the order and holds a bounded number of datagrams.

/// A socket holds fewer datagrams than this: its buffer has 8 MiB at most, of which each takes 768 bytes or more, or
/// several that the system has joined, 64 at most, 2304.
const HELD_MAX: u32 = 1 << 18;

/// What is known of the datagrams that wait in a transport.
#[derive(Debug, Default)]
pub(crate) struct Intake {
    handled_until: u64,
    /// When the first of the datagrams was handled that are counted.
    since: u64,
    count: u32,
}

impl Intake {
    /// All datagrams that had arrived by this time have been handled.
    #[inline]
    pub(crate) fn handled_until(&self) -> u64 {
        self.handled_until
    }

    /// A datagram is handled.
    #[inline]
    pub(crate) fn note_datagram(&mut self, now: u64) {
        if self.count == 0 {
            self.since = now;
        }
        self.count += 1;
        if self.count == HELD_MAX {
            (self.handled_until, self.count) = (self.since, 0);
        }
    }

    /// None waits.
    #[inline]
    pub(crate) fn note_empty(&mut self, now: u64) {
        (self.handled_until, self.count) = (now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_transport_has_given_everything() {
        let mut intake = Intake::default();
        intake.note_datagram(5);
        assert_eq!(intake.handled_until(), 0);
        intake.note_empty(7);
        assert_eq!(intake.handled_until(), 7);
    }

    #[test]
    fn transport_that_is_never_empty_has_given_what_it_held() {
        let mut intake = Intake::default();
        intake.note_empty(3);
        (0..HELD_MAX - 1).for_each(|n| intake.note_datagram(10 + u64::from(n)));
        assert_eq!(intake.handled_until(), 3);
        intake.note_datagram(1_000_000);
        assert_eq!(intake.handled_until(), 10);
        (0..HELD_MAX).for_each(|_| intake.note_datagram(2_000_000));
        assert_eq!(intake.handled_until(), 2_000_000);
    }
}
