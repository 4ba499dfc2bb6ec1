//! What a program with an event loop of its own asks a listener: what to wait for, and until when. How other threads
//! wake one that waits by itself.

use crate::error::Error;
use crate::listener::Listener;
use crate::waker::{Waker, Woken};

impl Listener {
    /// The file descriptor that becomes readable with a frame, for a program's own event loop (with `next_deadline`).
    pub fn descriptor(&self) -> Option<i32> {
        self.transport().descriptor()
    }

    /// When `poll` is to be called next if no frame arrives: the transport's time in nanoseconds; `ffi::NEVER`; 0 for
    /// at once, also if not all that had arrived is known to be handled, so a watch for changes misses none.
    pub fn next_deadline(&self) -> u64 {
        match self.router.outbox().holds_some() || !self.is_emptied {
            true => 0,
            false => self.router.next_deadline().min(self.transport().deadline()),
        }
    }

    /// Whether frames wait for room in the transport: a program's own event loop then calls `poll` when the descriptor
    /// is writable, too.
    pub fn awaits_room(&self) -> bool {
        self.router.outbox().awaits_room()
    }

    /// What other threads wake this listener by while it waits. Programs that wait by `descriptor` have ways of their
    /// own.
    ///
    /// Errors: `Io` if the system has no descriptor left.
    pub fn waker(&mut self) -> Result<Waker, Error> {
        if let Some(woken) = &self.woken {
            return Ok(woken.waker());
        }
        let woken = Woken::new().map_err(Error::io("cannot make a waker"))?;
        Ok(self.woken.insert(woken).waker())
    }
}
