//! Examines one program: checks it, runs it in the interpreter and in C at every level, and compares them.
//!
//! Compiled C can end the process, so each program is examined in a process of its own ([`Examination`]).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::ExitStatusExt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nacre_driver::Session;
use nacre_simulator::compiled::Compiled;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::toolchain::Text;
use nacre_stack::interpret::Rule;
use nacre_stack::visit::Traverse;
use nacre_stack::{Stack, StatementKind};

use super::exact::{FAITHFUL, UNLIKE, WRONG};
use super::plan::{Build, Plan};
use super::STACK;
use crate::machines::LEVELS;
use crate::storm::{breaks, calm, faithful, storm_excusing, Tally};

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All machines were equal after each event.
    Equal,
    /// `check` found errors.
    Rejected(String),
    /// Machines differed, or a rule that no program can violate was violated.
    Different(String),
    /// A C compiler rejected the emitted C.
    Uncompiled(String),
    /// The compiler or the interpreter panicked.
    Panicked(String),
    /// The emitted C, or other code, crashed the process.
    Crashed(String),
    /// It exceeded the time limit.
    Endless,
}

/// Exit statuses of the process that examines a program, and their verdicts.
const STATUSES: [(i32, fn(String) -> Verdict); 5] = [
    (0, |_| Verdict::Equal),
    (3, Verdict::Rejected),
    (4, Verdict::Different),
    (5, Verdict::Uncompiled),
    (6, Verdict::Panicked),
];

/// How a program is examined in a separate process.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The tool `programs`.
    pub tool: PathBuf,
    /// Use all optimizations, and more events.
    pub thorough: bool,
    /// Examine only the output of the compiler; run nothing.
    pub sources_only: bool,
    /// The limit of processor time for one program.
    pub patience: Duration,
}

impl Verdict {
    /// Whether a tool is at fault.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Verdict::Equal | Verdict::Rejected(_))
    }

    /// Whether another program fails with the same kind of verdict.
    pub fn is_like(&self, other: &Verdict) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// The exit status of the process, and its output.
    pub fn status(&self) -> (i32, &str) {
        match self {
            Verdict::Equal => (0, ""),
            Verdict::Rejected(words) => (3, words),
            Verdict::Different(words) => (4, words),
            Verdict::Uncompiled(words) => (5, words),
            Verdict::Panicked(words) => (6, words),
            Verdict::Crashed(words) => (7, words),
            Verdict::Endless => (8, ""),
        }
    }
}

/// Returns the stack of a program, or the diagnostics of `check`.
pub fn compose(text: &str) -> Result<(Session, Stack), String> {
    let path = crate::root().join("tests/program.nacre");
    let mut session = Session::from_text(&path, text);
    session.check();
    let stack = if session.has_errors() { None } else { session.stack(STACK) };
    match stack {
        Some(stack) => Ok((session, stack)),
        None => Err(session.render(false)),
    }
}

/// Examines the output of all stages of the compiler; runs nothing.
pub fn examine_sources(text: &str) -> Verdict {
    caught(|| match compose(text) {
        Ok((session, stack)) => {
            for level in LEVELS {
                let _ = session.emit(&stack, level, None);
            }
            Verdict::Equal
        }
        Err(words) => Verdict::Rejected(words),
    })
}

/// Returns a digest of the compiler's output: programs with equal digests run equally. None: it panicked.
pub fn digest(text: &str) -> Option<u64> {
    let made = || match compose(text) {
        Ok((session, stack)) => {
            let emitted = LEVELS.map(|level| session.emit_modelled(&stack, level, None));
            let sources = emitted.iter().map(|text| text.header.clone() + &text.source).collect::<String>();
            serde_json::to_string(&stack).expect("a stack is written") + &sources
        }
        Err(words) => words,
    };
    let text = catch_unwind(AssertUnwindSafe(made)).ok()?;
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Some(hasher.finish())
}

/// Examines a program in this process. `folder`: for the output of the C compilers.
pub fn examine(text: &str, plan: &Plan, folder: &Path) -> Verdict {
    caught(|| examine_here(text, plan, folder))
}

fn caught(examine: impl FnOnce() -> Verdict) -> Verdict {
    let ran = catch_unwind(AssertUnwindSafe(examine));
    ran.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| words.to_string()));
        Verdict::Panicked(words.unwrap_or_default())
    })
}

fn examine_here(text: &str, plan: &Plan, folder: &Path) -> Verdict {
    let (session, stack) = match compose(text) {
        Ok(composed) => composed,
        Err(words) => return Verdict::Rejected(words),
    };
    let stack = Arc::new(stack);
    let mut makers: Vec<Box<dyn Maker>> = vec![Box::new(Interpreter::new(stack.clone()))];
    for build in &plan.builds {
        match compiled(&session, &stack, build, folder) {
            Ok(maker) => makers.push(maker),
            Err(words) => return Verdict::Uncompiled(format!("{}: {words}", build.level.name())),
        }
    }
    let row = Lockstep { makers };
    let mut tally = Tally::default();
    let ran = storm_excusing(&stack, &row, plan.seed, plan.events, &mut tally, is_excused);
    let ran = ran.and_then(|()| counted(&tally, WRONG)).and_then(|()| tame(&stack, &row, plan.seed));
    ran.map_or_else(Verdict::Different, |()| Verdict::Equal)
}

/// On a network without damage, stacks that forward all messages do so, and known headers arrive as they were sent. (A
/// layer that unpacks data that was not packed can produce other headers.)
fn tame(stack: &Stack, row: &Lockstep, seed: u64) -> Result<(), String> {
    if Interface::of(stack).counters.iter().any(|name| name.ends_with(&format!(".{FAITHFUL}"))) {
        faithful(stack, row, seed, 24, is_excused)?;
    }
    let mut tally = Tally::default();
    calm(stack, row, seed, 24, &mut tally, is_excused)?;
    counted(&tally, WRONG)?;
    match stack.any_statement(|s| matches!(s.kind, StatementKind::Unpack { .. })) {
        true => Ok(()),
        false => counted(&tally, UNLIKE),
    }
}

/// Whether known code had other results than the generator computed.
fn counted(tally: &Tally, counter: &str) -> Result<(), String> {
    let found = tally.counters.iter().find(|(name, n)| **n > 0 && name.ends_with(&format!(".{counter}")));
    found.map_or(Ok(()), |(name, n)| Err(format!("known code has another result: {n} {name}")))
}

/// Whether a program may violate the rule: its assertions are random, and it joins messages until they fit no frame.
fn is_excused(report: &str) -> bool {
    breaks(report, &[Rule::Assert, Rule::Bound, Rule::Unreachable, Rule::Accepts, Rule::Invariant, Rule::Long])
}

fn compiled(session: &Session, stack: &Stack, build: &Build, folder: &Path) -> Result<Box<dyn Maker>, String> {
    let text = session.emit_modelled(stack, build.level, None);
    let toolchain = build.toolchain(folder).map_err(|error| error.to_string())?;
    let loaded = toolchain.load(&Text {
        header_name: &format!("{STACK}.h"),
        header: &text.header,
        source: &text.source,
        symbol: &format!("{STACK}_stack"),
    });
    Ok(Box::new(Compiled { stack: loaded.map_err(|error| error.to_string())? }))
}

impl Examination {
    /// Examines a program in a separate process.
    pub fn of(&self, text: &str, seed: u64) -> Verdict {
        let folder = tempfile::tempdir().expect("a folder for a program");
        let source = folder.path().join("program.nacre");
        std::fs::write(&source, text).expect("the program is written");
        // The limit is of processor time, which does not depend on the load of the machine.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -t $1; shift; exec \"$@\"", "sh", &self.patience.as_secs().to_string()]);
        command.arg(&self.tool).arg("examine-here").arg(&source).arg("--seed").arg(seed.to_string());
        command.args(self.thorough.then_some("--thorough")).args(self.sources_only.then_some("--sources-only"));
        if Plan::draw(seed, self.thorough).needs_address() {
            command.env("LD_PRELOAD", address_library()).env("ASAN_OPTIONS", "detect_leaks=0");
        }
        wait(command, folder.path())
    }
}

fn wait(mut command: Command, folder: &Path) -> Verdict {
    let (out, errors) = (folder.join("out"), folder.join("errors"));
    let file = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a file for what it prints"));
    let status = command.stdout(file(&out)).stderr(file(&errors)).status().expect("the tool runs");
    if matches!(status.signal(), Some(libc::SIGXCPU | libc::SIGKILL)) {
        return Verdict::Endless;
    }
    let words = std::fs::read_to_string(out).unwrap_or_default();
    let known = STATUSES.iter().find(|(code, _)| status.code() == Some(*code));
    known.map_or_else(
        || Verdict::Crashed(format!("{status}: {}", std::fs::read_to_string(errors).unwrap_or_default())),
        |(_, verdict)| verdict(words),
    )
}

/// The library that must be loaded first for the address sanitizer.
fn address_library() -> PathBuf {
    let found = Command::new("gcc").arg("-print-file-name=libasan.so").output().expect("gcc runs");
    PathBuf::from(String::from_utf8_lossy(&found.stdout).trim())
}
