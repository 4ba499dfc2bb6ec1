//! When a router looks at which connection.

use std::collections::VecDeque;

use crate::clock::MILLISECOND;
use crate::event::ConnectionId;
use crate::intake::Intake;
use crate::timers::Timers;

/// A silent peer is not asked more often.
const PING_AFTER_MIN_NS: u64 = MILLISECOND;

/// Which connection is looked at next, and when.
pub(crate) struct Schedule {
    pub(super) timers: Timers,
    /// Connections that wait for their stack to accept something.
    pub(super) waiting: VecDeque<ConnectionId>,
    /// Frames received since they were looked at last.
    pub(super) unserved: u32,
    pub(super) intake: Intake,
    /// Two of the options in nanoseconds.
    pub(super) ping_after: u64,
    pub(super) timeout: u64,
}

impl Schedule {
    /// Nothing to do.
    pub(crate) fn new(ping_after: u64, timeout: u64) -> Schedule {
        let ping_after = ping_after.max(PING_AFTER_MIN_NS);
        let (timers, waiting, intake) = (Timers::default(), VecDeque::new(), Intake::default());
        Schedule { timers, waiting, unserved: 0, intake, ping_after, timeout }
    }

    /// The earliest timer; `ffi::NEVER`.
    pub(crate) fn next(&self) -> u64 {
        self.timers.next()
    }
}
