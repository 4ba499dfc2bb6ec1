//! Ctrl-C and SIGTERM: the first requests a clean shutdown, the second ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::Exit;

/// The interval at which waiting code polls for interruption.
pub const TURN: Duration = Duration::from_millis(50);

/// Whether the user has interrupted the program.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Installs the signal handlers.
    pub fn watch() -> Result<Interrupt, String> {
        leave_to_main_thread();
        let interrupt = Interrupt { asked: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: at the first signal the flag is not set yet, so the program is not ended.
            flag::register_conditional_default(signal, interrupt.asked.clone())
                .and_then(|_| flag::register_usize(signal, interrupt.signal.clone(), signal as usize))
                .and_then(|_| flag::register(signal, interrupt.asked.clone()))
                .map_err(|error| format!("cannot watch for signals: {error}"))?;
        }
        Ok(interrupt)
    }

    /// Returns whether a signal has requested the shutdown.
    pub fn came(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The flag that the signal sets.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }

    /// The exit by the signal itself, as shells expect of an interrupted program.
    pub fn exit(&self) -> Exit {
        Exit::Interrupted(self.signal.load(Ordering::Relaxed) as i32)
    }
}

/// Blocks the signals in this thread and those that it starts. The main thread, which only waits, takes a second one
/// right after the first: otherwise a thread that takes the first could end the program in order before.
fn leave_to_main_thread() {
    // SAFETY: the set is initialized by `sigemptyset`, and the call changes the mask of this thread alone.
    unsafe {
        let mut both = std::mem::zeroed();
        libc::sigemptyset(&mut both);
        for signal in [SIGINT, SIGTERM] {
            libc::sigaddset(&mut both, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &both, std::ptr::null_mut());
    }
}
