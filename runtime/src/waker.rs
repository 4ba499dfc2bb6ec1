//! Waking a listener that waits, from another thread.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Wakes the listener that it came from, from any thread ([`Listener::waker`](crate::Listener::waker)).
#[derive(Clone, Debug)]
pub struct Waker(Arc<Calls>);

#[derive(Debug)]
struct Calls {
    /// Called, and the listener has not returned for it yet.
    pending: AtomicBool,
    bell: UnixStream,
}

impl Waker {
    /// Lets the listener's `wait` return: the one that goes on, or else the next one. Calls before it returns count
    /// once. Never waits.
    pub fn wake(&self) {
        if !self.0.pending.swap(true, Ordering::AcqRel) {
            // A bell that cannot be rung has been rung already, or its listener is gone.
            let _ = (&self.0.bell).write(&[1]);
        }
    }
}

/// The listener's side.
#[derive(Debug)]
pub(crate) struct Woken {
    calls: Waker,
    bell: UnixStream,
}

impl Woken {
    /// Errors: those of the system, if it has no descriptor left.
    pub(crate) fn new() -> io::Result<Woken> {
        let (bell, other) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        other.set_nonblocking(true)?;
        Ok(Woken { calls: Waker(Arc::new(Calls { pending: AtomicBool::new(false), bell: other })), bell })
    }

    /// Another handle for another thread.
    pub(crate) fn waker(&self) -> Waker {
        self.calls.clone()
    }

    /// Whether it was called since the last time.
    pub(crate) fn take(&self) -> bool {
        self.calls.0.pending.swap(false, Ordering::AcqRel)
    }

    /// Becomes readable when it is called.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Makes the bell unreadable.
    pub(crate) fn silence(&self) {
        while (&self.bell).read(&mut [0; 16]).is_ok_and(|len| len > 0) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_before_the_listener_returns_count_once() {
        let woken = Woken::new().unwrap();
        let waker = woken.waker();
        assert!(!woken.take());
        (0..100_000).for_each(|_| waker.wake());
        woken.silence();
        assert!(woken.take() && !woken.take());
        waker.clone().wake();
        assert!(woken.take());
    }

    #[test]
    fn waker_outlives_its_listener() {
        let woken = Woken::new().unwrap();
        let waker = woken.waker();
        drop(woken);
        waker.wake();
        waker.wake();
    }
}
