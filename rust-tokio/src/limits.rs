//! How much is kept for readers that are late.

use std::time::Duration;

/// Limits of a listener, besides those of `nacre_runtime::Options`.
///
/// Messages of a connection wait in a queue until they are received. What happens when its reader is late:
///
/// - From `queue` bytes on, no deliveries are granted, so the peer of a stack that counts grants sends no more.
/// - From twice that, frames of the connection are dropped before they reach its stack, as if the network had lost
///   them, unless a call waits for the connection to accept a message: that needs acknowledgements, which are frames.
///   The peer of a reliable stack sends again, and gives up after as many attempts as its stack makes.
/// - At four times that, the connection is refused, and ends here with [`Ended::Overrun`](crate::Ended).
///
/// As soon as the queue is down to half of `queue` bytes, what was withheld is granted, and frames are taken.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of messages that wait for the reader of one connection, 64 more counted for each; not less than the
    /// longest message of the stack. Default 256 KiB.
    pub queue: usize,
    /// The same of all connections together: above, `queue` counts as 0 for each of them. Default 64 MiB.
    pub total: usize,
    /// Connections that wait for `accept`; more are refused. Default 4,096.
    pub backlog: usize,
    /// For how long at most a connection whose handle was dropped is closed in order. Then it is discarded. Default
    /// 30 s.
    pub close: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { queue: 256 << 10, total: 64 << 20, backlog: 4096, close: Duration::from_secs(30) }
    }
}

impl Limits {
    /// The bytes from which on a peer is slowed down: a message of the greatest length does not reach the next bound.
    pub(crate) fn queue_of(&self, max_message: usize) -> usize {
        self.queue.max(max_message)
    }

    /// The bytes that are never exceeded but by what one frame completes.
    pub(crate) fn most_of(&self, max_message: usize) -> usize {
        self.queue_of(max_message).saturating_mul(4)
    }
}
