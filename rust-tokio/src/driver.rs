//! The task that drives a listener: by its descriptor, its deadline, and calls that change either.

use std::future::{poll_fn, Future};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::pin::{pin, Pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::io::Interest;
use tokio::time::{Instant, Sleep};

use crate::core::Next;
use crate::shared::Shared;

/// No sleep is longer; the runtime's clock is looked at again then.
const LONGEST: Duration = Duration::from_secs(3600);

/// The listener's descriptor, which the listener closes.
struct Descriptor(RawFd);

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

/// Drives a listener until nothing is left to drive. Dropping it ends everything.
pub(crate) struct Driver {
    /// Dropped before the listener closes the descriptor.
    watched: Option<AsyncFd<Descriptor>>,
    descriptor: RawFd,
    watches_room: bool,
    stops: Stops,
}

/// Stops the core when it is dropped.
struct Stops(Arc<Shared>);

impl Drop for Stops {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Driver {
    /// Errors: those of the system, and if there is no tokio runtime with I/O.
    pub(crate) fn new(descriptor: RawFd, shared: Arc<Shared>) -> io::Result<Driver> {
        let mut driver = Driver { watched: None, descriptor, watches_room: false, stops: Stops(shared) };
        driver.watch(false)?;
        Ok(driver)
    }

    /// Watches the descriptor. Room is watched only while frames wait for it: otherwise each frame that has left would
    /// wake the driver.
    fn watch(&mut self, room: bool) -> io::Result<()> {
        let interest = if room { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
        // The old one is removed first: the system watches a descriptor once.
        self.watched = None;
        // Deprecated because it does not see to it that the descriptor stays open. The listener keeps it open: `stops`
        // drops it after `watched`, and nothing else does before `turn` has returned `Over`.
        #[allow(deprecated)]
        let watched = AsyncFd::with_interest(Descriptor(self.descriptor), interest)?;
        self.watched = Some(watched);
        self.watches_room = room;
        Ok(())
    }

    /// The task.
    pub(crate) async fn run(mut self) {
        let shared = self.stops.0.clone();
        let mut sleep = pin!(tokio::time::sleep(Duration::ZERO));
        loop {
            match shared.turn() {
                Next::Over => return,
                Next::Again => tokio::task::yield_now().await,
                Next::Sleep { until, now, watches_room } => {
                    if watches_room != self.watches_room && self.watch(watches_room).is_err() {
                        return;
                    }
                    let time = Duration::from_nanos(until - now).min(LONGEST);
                    sleep.as_mut().reset(Instant::now() + time);
                    let mut called = pin!(shared.driver.notified());
                    let slept = poll_fn(|context| self.poll(context, sleep.as_mut(), called.as_mut())).await;
                    if slept.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// Whether there is a reason to look. Readiness is cleared before the turn: what comes later sets it again, and a
    /// turn that does not empty the socket is followed by another one.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
        sleep: Pin<&mut Sleep>,
        called: Pin<&mut impl Future<Output = ()>>,
    ) -> Poll<io::Result<()>> {
        let Some(watched) = &self.watched else { return Poll::Ready(Err(io::ErrorKind::NotFound.into())) };
        let mut is_due = called.poll(context).is_ready() | sleep.poll(context).is_ready();
        if let Poll::Ready(ready) = watched.poll_read_ready(context) {
            ready?.clear_ready();
            is_due = true;
        }
        if self.watches_room {
            if let Poll::Ready(ready) = watched.poll_write_ready(context) {
                ready?.clear_ready();
                is_due = true;
            }
        }
        if is_due {
            Poll::Ready(Ok(()))
        } else {
            Poll::Pending
        }
    }
}
