//! Ctrl-C and SIGTERM: the first asks for an end in order, the second ends at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::Exit;

/// Whoever waits looks so often whether it was interrupted.
pub const TURN: Duration = Duration::from_millis(50);

/// Whether the user wants an end.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Watches from now on.
    pub fn watch() -> Result<Interrupt, String> {
        let interrupt = Interrupt { asked: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds nothing asked for yet, and so does not end the program.
            flag::register_conditional_default(signal, interrupt.asked.clone())
                .and_then(|_| flag::register_usize(signal, interrupt.signal.clone(), signal as usize))
                .and_then(|_| flag::register(signal, interrupt.asked.clone()))
                .map_err(|error| format!("cannot watch for signals: {error}"))?;
        }
        Ok(interrupt)
    }

    pub fn came(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// What is set when it comes.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }

    /// To end as shells expect it of who was interrupted: by the signal.
    pub fn exit(&self) -> Exit {
        Exit::Interrupted(self.signal.load(Ordering::Relaxed) as i32)
    }
}
