//! Ctrl-C, SIGTERM and SIGHUP: the first requests a clean shutdown, the second ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
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
        for signal in signals() {
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

    /// Ends the program at a signal, after a last act, until the result is dropped: for work that does not look for
    /// signals.
    pub fn end_at_once(&self, last: impl FnOnce() + Send + 'static) -> Result<EndAtOnce, String> {
        let guard = EndAtOnce { interrupt: self.clone(), last: Arc::new(Mutex::new(Some(Box::new(last)))) };
        let watching = EndAtOnce { interrupt: self.clone(), last: guard.last.clone() };
        let watch = move || {
            while watching.lock().is_some() {
                watching.look();
                std::thread::sleep(TURN);
            }
        };
        let started = std::thread::Builder::new().name("signals".into()).spawn(watch);
        started.map(|_| guard).map_err(|error| format!("cannot start a thread: {error}"))
    }
}

type LastAct = Box<dyn FnOnce() + Send>;

/// As long as it is there, a signal ends the program at once.
pub struct EndAtOnce {
    interrupt: Interrupt,
    last: Arc<Mutex<Option<LastAct>>>,
}

impl EndAtOnce {
    /// Ends the program if a signal came.
    pub fn look(&self) {
        let mut last = self.lock();
        if !self.interrupt.came() {
            return;
        }
        // The lock is held to the end: nobody else goes on, or acts again.
        if let Some(last) = last.take() {
            last();
            let _ = std::process::ExitCode::from(self.interrupt.exit());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<LastAct>> {
        self.last.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for EndAtOnce {
    fn drop(&mut self) {
        *self.lock() = None;
    }
}

/// The signals that end the program. A hangup that is ignored from the start (`nohup`) remains so.
fn signals() -> Vec<i32> {
    // SAFETY: `now` is written by the call, which changes nothing.
    let hangs_up = unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(SIGHUP, std::ptr::null(), &mut now) == 0 && now.sa_sigaction != libc::SIG_IGN
    };
    [SIGINT, SIGTERM].into_iter().chain(hangs_up.then_some(SIGHUP)).collect()
}

/// Blocks the signals in this thread and those that it starts. The main thread, which only waits, takes a second one
/// right after the first: otherwise a thread that takes the first could end the program in order before.
fn leave_to_main_thread() {
    // SAFETY: the set is initialized by `sigemptyset`, and the call changes the mask of this thread alone.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigemptyset(&mut all);
        for signal in signals() {
            libc::sigaddset(&mut all, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}
