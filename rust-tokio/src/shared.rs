//! What handles and the driver share.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::core::{Core, Next, Wakes};
use crate::error::Ended;

/// The core behind its lock, and those who wait. Nobody is woken, and no other lock but that of a slot is taken, while
/// the lock is held; nothing is awaited meanwhile.
pub(crate) struct Shared {
    /// None: the driver has stopped.
    core: Mutex<Option<Core>>,
    /// The driver has to look again.
    pub driver: Notify,
    pub arrivals: Notify,
    pub notices: Notify,
    /// Nothing is driven any more.
    pub over: Notify,
    pub local: SocketAddr,
}

impl Shared {
    pub(crate) fn new(core: Core) -> Arc<Shared> {
        Arc::new(Shared {
            local: core.listener.local(),
            core: Mutex::new(Some(core)),
            driver: Notify::new(),
            arrivals: Notify::new(),
            notices: Notify::new(),
            over: Notify::new(),
        })
    }

    /// Does something with the core.
    ///
    /// Errors: `Stopped`, also if a call has panicked.
    pub(crate) fn with<R>(&self, call: impl FnOnce(&mut Core) -> R) -> Result<R, Ended> {
        // Dropped after the lock: a call that panics leaves nothing to go on with, and the driver finds that.
        let _panicking = Panicking(&self.driver);
        let mut locked = self.core.lock().map_err(|_| Ended::Stopped)?;
        let core = locked.as_mut().ok_or(Ended::Stopped)?;
        let result = call(core);
        let wakes = core.pay_and_wake();
        let needs_driver = core.needs_driver();
        drop(locked);
        if needs_driver {
            self.driver.notify_one();
        }
        self.wake(wakes);
        Ok(result)
    }

    /// A turn of the driver.
    pub(crate) fn turn(&self) -> Next {
        let Ok(mut locked) = self.core.lock() else { return Next::Over };
        let Some(core) = locked.as_mut() else { return Next::Over };
        let (next, wakes) = core.turn();
        drop(locked);
        self.wake(wakes);
        next
    }

    /// Ends everything: connections are discarded, and all calls return.
    pub(crate) fn stop(&self) {
        let core = self.core.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(core) = core {
            self.wake(core.stop());
        }
        self.over.notify_waiters();
    }

    /// Whether nothing is driven any more.
    pub(crate) fn is_over(&self) -> bool {
        self.core.lock().map_or(true, |core| core.is_none())
    }

    fn wake(&self, wakes: Wakes) {
        wakes.slots.iter().for_each(|slot| slot.wake());
        if wakes.arrivals {
            self.arrivals.notify_waiters();
        }
        if wakes.notices {
            self.notices.notify_waiters();
        }
    }
}

/// Wakes the driver if a call panics.
struct Panicking<'a>(&'a Notify);

impl Drop for Panicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.notify_one();
        }
    }
}
