//! Complete files that are brought to the disk and read back, each by a thread of its own: a large one keeps no other
//! transfer waiting.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use nacre_runtime::ConnectionId;

use super::framing::{Head, Sum};
use super::store::{Partial, Stored};

/// A file of which everything has come.
pub struct Storing {
    pub connection: ConnectionId,
    pub head: Head,
    pub begun: Instant,
    /// The sum that the sender states.
    pub other_sum: Sum,
    worker: JoinHandle<io::Result<(Stored, Sum)>>,
    stop: Arc<AtomicBool>,
}

impl Storing {
    /// Begins to store a file.
    pub fn begin(
        connection: ConnectionId,
        partial: Partial,
        (head, begun): (Head, Instant),
        other_sum: Sum,
    ) -> io::Result<Storing> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let worker = Builder::new().name("store".into()).spawn(move || partial.stored(&stopped))?;
        Ok(Storing { connection, head, begun, other_sum, worker, stop })
    }

    /// Whether it is stored, or cannot be.
    pub fn is_done(&self) -> bool {
        self.worker.is_finished()
    }

    /// Stops reading back: the file is removed, unless it is stored already.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits until it is stored; returns the file with the sum of what is stored.
    pub fn end(self) -> io::Result<(Stored, Sum)> {
        self.worker.join().unwrap_or_else(|_| Err(io::Error::other("internal error")))
    }
}
