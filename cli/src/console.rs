//! Output of the program: results to standard output, messages to standard error, and the exit status.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Yes,
    No,
    /// An error on the command line that its grammar does not detect.
    Usage,
    /// Undecided: a tool is missing, or a command is not built yet.
    Unknown,
    /// A signal requested the end.
    Interrupted(i32),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Yes => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Unknown => 3,
            Exit::Interrupted(signal) => {
                // The cleanup is done: now the signal ends the process. This does not return.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                130
            }
        })
    }
}

static JUDGES: AtomicBool = AtomicBool::new(false);

/// From here on the exit status is a verdict: without complete output there is none.
pub fn judge() {
    JUDGES.store(true, Ordering::Relaxed);
}

static OUTLASTS: AtomicBool = AtomicBool::new(false);
static UNREAD: AtomicBool = AtomicBool::new(false);
static FAILED: AtomicBool = AtomicBool::new(false);

/// From here on output that cannot be printed does not end the program: others depend on its work.
pub fn outlast_output() {
    OUTLASTS.store(true, Ordering::Relaxed);
}

/// Returns whether output could not be printed, and the program has outlasted it. Nothing is printed since.
pub fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// The result of work that has outlasted its output: an error of the output is a failure, a closed pipe is not.
pub fn outlasted(exit: Exit) -> Exit {
    match exit {
        Exit::Yes if FAILED.load(Ordering::Relaxed) => Exit::No,
        exit => exit,
    }
}

/// Prints lines of the result. If the reader has closed the pipe, the program ends, unless it outlasts that.
pub fn print(text: &str) {
    if is_unread() {
        return;
    }
    let mut out = io::stdout().lock();
    let newline = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    let written = write!(out, "{text}{newline}").and_then(|()| out.flush());
    let Err(error) = written else { return };
    let status = unprinted(&error);
    if !OUTLASTS.load(Ordering::Relaxed) {
        std::process::exit(status.into());
    }
    FAILED.store(status != 0, Ordering::Relaxed);
    UNREAD.store(true, Ordering::Relaxed);
}

/// Reports that output could not be printed, and returns the exit status. A closed pipe is not reported.
pub fn unprinted(error: &io::Error) -> u8 {
    let gone = error.kind() == io::ErrorKind::BrokenPipe;
    if !gone {
        say(&format!("standard output: {error}"));
    }
    match (JUDGES.load(Ordering::Relaxed), gone) {
        (true, _) => 3,
        (false, true) => 0,
        (false, false) => 1,
    }
}

/// Prints a message to standard error.
pub fn say(text: &str) {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    // There is no other place to report an error here.
    let _ = write!(io::stderr().lock(), "{text}{newline}");
}

/// Messages that strangers can cause: a few each second are printed, and the number of the others.
#[derive(Debug, Default)]
pub struct Limited {
    begun: Option<Instant>,
    printed: u32,
    withheld: u64,
}

/// The messages that are printed each second.
const LINES_PER_SECOND: u32 = 10;

impl Limited {
    /// Prints a message as [`say`] does, or counts it.
    pub fn say(&mut self, text: &str) {
        if self.begun.is_none_or(|begun| begun.elapsed() >= Duration::from_secs(1)) {
            if self.withheld > 0 {
                say(&format!("({} more such messages)", self.withheld));
            }
            *self = Limited { begun: Some(Instant::now()), printed: 0, withheld: 0 };
        }
        match self.printed < LINES_PER_SECOND {
            true => {
                self.printed += 1;
                say(text);
            }
            false => self.withheld += 1,
        }
    }
}

/// Prints an error in one line.
pub fn complain(text: &str) {
    let mark = if colours() { "\x1b[1;31merror\x1b[0m" } else { "error" };
    say(&format!("{mark}: {text}"));
}

/// Prints a warning.
pub fn warn(text: &str) {
    let mark = if colours() { "\x1b[1;33mwarning\x1b[0m" } else { "warning" };
    say(&format!("{mark}: {text}"));
}

/// Prints an error in one line, unless it was printed before.
pub fn complain_once(text: &str) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut printed = PRINTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if printed.insert(text.to_string()) {
        complain(text);
    }
}

/// Returns whether messages may have colours.
pub fn colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Prints indented JSON.
pub fn print_json(value: &serde_json::Value) {
    print(&serde_json::to_string_pretty(value).unwrap_or_default());
}
