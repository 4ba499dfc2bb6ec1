//! How the program speaks: results to standard output, messages to standard error, and an exit status.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the program has to say in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Yes,
    No,
    /// A mistake on the command line that its grammar does not tell.
    Usage,
    /// Could not tell: a tool is missing, or something is not built yet.
    Unknown,
    /// A signal asked for the end.
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
                // Everything is put in order: now the signal has its way. That does not come back.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                130
            }
        })
    }
}

static JUDGES: AtomicBool = AtomicBool::new(false);

/// From here on the exit status is a verdict: who cannot say all of it has none.
pub fn judge() {
    JUDGES.store(true, Ordering::Relaxed);
}

/// A line or more of the result. Whoever reads it may have gone: then there is nothing left to do.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    let newline = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    let written = write!(out, "{text}{newline}").and_then(|()| out.flush());
    if let Err(error) = written {
        let gone = error.kind() == io::ErrorKind::BrokenPipe;
        if !gone {
            say(&format!("standard output: {error}"));
        }
        let judges = JUDGES.load(Ordering::Relaxed);
        std::process::exit(match (judges, gone) {
            (true, _) => 3,
            (false, true) => 0,
            (false, false) => 1,
        });
    }
}

/// A message.
pub fn say(text: &str) {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    // Nobody is left to be told about an error here.
    let _ = write!(io::stderr().lock(), "{text}{newline}");
}

/// An error in one line.
pub fn complain(text: &str) {
    let mark = if colours() { "\x1b[1;31merror\x1b[0m" } else { "error" };
    say(&format!("{mark}: {text}"));
}

/// Whether messages may have colours.
pub fn colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// JSON for a machine, indented for a person.
pub fn print_json(value: &serde_json::Value) {
    print(&serde_json::to_string_pretty(value).unwrap_or_default());
}
