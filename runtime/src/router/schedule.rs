//! When a router looks at which connection.

use std::collections::VecDeque;

use crate::clock::MILLISECOND;
use crate::connection::Connection;
use crate::event::ConnectionId;
use crate::intake::Intake;
use crate::timers::Timers;

/// A silent peer is not asked more often.
const PING_AFTER_MIN_NS: u64 = MILLISECOND;

/// A silent peer is asked so often at least before it counts as gone.
const PINGS_BEFORE_TIMEOUT: u64 = 4;

/// Which connection is looked at next, and when.
pub(crate) struct Schedule {
    pub(super) timers: Timers,
    /// Connections that wait for their stack to accept something.
    pub(super) waiting: VecDeque<ConnectionId>,
    /// How many of them were looked at since the last frame or timer: those may accept something that the others still
    /// have to be asked for.
    pub(super) swept: usize,
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
        // A peer that is only idle is asked several times before it counts as gone.
        let ping_after = ping_after.min(timeout / PINGS_BEFORE_TIMEOUT).max(PING_AFTER_MIN_NS);
        let (timers, waiting, intake) = (Timers::default(), VecDeque::new(), Intake::default());
        Schedule { timers, waiting, swept: 0, unserved: 0, intake, ping_after, timeout }
    }

    /// Enters a connection's deadline into the timers.
    pub(super) fn enter(&mut self, connection: &mut Connection, now: u64) {
        // Not before now: one that waits for datagrams to be handled must not go before all others.
        let deadline = connection.deadline(self.ping_after, self.timeout).max(now);
        self.timers.set(&mut connection.wake, deadline, connection.id.to_number());
    }

    /// The same after a step of a quick entry: of all that has deadlines, only the stack can have got an earlier one.
    #[inline]
    pub(super) fn enter_after_quick(&mut self, connection: &mut Connection, now: u64) {
        if connection.look_at_stack() < connection.wake {
            self.enter(connection, now);
        }
    }

    /// Whether connections that wait for their stack are still to be looked at.
    pub(super) fn is_sweeping(&self) -> bool {
        self.swept < self.waiting.len()
    }

    /// The earliest timer; `ffi::NEVER`; 0: there is something to do at once.
    pub(crate) fn next(&self) -> u64 {
        match self.is_sweeping() {
            true => 0,
            false => self.timers.next(),
        }
    }
}
