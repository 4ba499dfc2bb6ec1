//! What a program with an event loop of its own asks a listener: what to wait for, and until when.

use crate::listener::Listener;

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
}
