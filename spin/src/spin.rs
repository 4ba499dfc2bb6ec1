//! Promela to a verdict: `spin -a`, gcc, and the verifier.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::answer;
pub use crate::answer::{Searched, Trail, Verdict};
pub use nacre_backend_promela::report::{Limit, StopReason};
use nacre_process::{is_asked_to_end, on_path, run, Ran};

/// A model in Promela, and the C that it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub text: String,
    /// Files next to the model, by name; those that end in `.c` are compiled and linked.
    pub files: Vec<(String, String)>,
    /// Flags for gcc, such as `-DWINDOW=2`.
    pub flags: Vec<String>,
    /// Flags for gcc that apply to the files alone.
    pub file_flags: Vec<String>,
}

/// The storage of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    #[default]
    Exact,
    /// Exact and smaller, but slower.
    Collapsed,
    /// Hashes of 64 bits instead of states: two states can be confused.
    Hashed,
}

/// The limits of a search, and options that shorten its counterexample. The time to build the verifier does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    pub memory_mib: u32,
    /// The limit of the path, in transitions.
    pub depth: u32,
    /// The maximum size of a state in bytes.
    pub vector: u32,
    pub storage: Storage,
    /// Whether to find a shortest violation, which takes more memory. SPIN cannot do so if a model has `hidden`
    /// variables.
    pub breadth_first: bool,
    /// Whether to shorten a violation found depth-first by a second search below its depth.
    pub shorten: bool,
    /// Whether the model has an LTL formula: then infinite runs are searched, not only states.
    pub formula: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(60),
            memory_mib: 2048,
            depth: 1_000_000,
            vector: 8192,
            storage: Storage::Exact,
            breadth_first: false,
            shorten: false,
            formula: false,
        }
    }
}

/// Why there is no verdict.
#[derive(Debug)]
pub enum Error {
    /// A program is missing; states how to install it.
    Missing(&'static str),
    /// SPIN rejects the model: its message.
    Model(String),
    /// gcc rejects the verifier, or the C of the model: its message.
    Compiler(String),
    /// The verifier ended without a result: its output.
    Verifier(String),
    Io(PathBuf, io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Missing(program) => write!(
                f,
                "`{program}` was not found: install it, on Debian and Ubuntu with `apt-get install spin gcc libc6-dev`"
            ),
            Error::Model(words) => write!(f, "internal error: SPIN rejects the model:\n{words}"),
            Error::Compiler(words) => write!(f, "internal error: gcc rejects the verifier:\n{words}"),
            Error::Verifier(words) => write!(f, "the verifier ended without an answer:\n{words}"),
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// SPIN and gcc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    spin: PathBuf,
    gcc: PathBuf,
}

impl Tools {
    /// Finds the installed tools.
    pub fn find() -> Result<Tools, Error> {
        let find = |name: &'static str| on_path(Path::new(name)).ok_or(Error::Missing(name));
        Ok(Tools { spin: find("spin")?, gcc: find("gcc")? })
    }

    /// Checks a model.
    pub fn check(&self, model: &Model, limits: &Limits) -> Result<Searched, Error> {
        self.make(model, limits)?.check(model)
    }

    /// Builds the verifier of a model's text once, for all files that are put next to it.
    pub fn make(&self, model: &Model, limits: &Limits) -> Result<Verifier<'_>, Error> {
        let folder = tempfile::tempdir().map_err(|e| Error::Io(std::env::temp_dir(), e))?;
        let at = folder.path();
        write_files(at, model)?;
        // -o2: a variable that is never read is part of a state, as in the explorer.
        let made = run(Command::new(&self.spin).args(["-o2", "-a", MODEL]), at, TO_MAKE).map_err(io(&self.spin))?;
        if !at.join("pan.c").is_file() || !made.status.success() {
            return Err(Error::Model(first_lines(&made)));
        }
        let (flags, limits) = (model.flags.clone(), limits.clone());
        let verifier = Verifier { tools: self, folder, flags, limits, optimized: Cell::new(false) };
        verifier.build("-O0")?;
        Ok(verifier)
    }
}

fn io(program: &Path) -> impl Fn(io::Error) -> Error {
    let program = program.to_path_buf();
    move |e| Error::Io(program.clone(), e)
}

/// The verifier of one model, without the files next to it. Optimizing takes three times as long as compiling without,
/// and longer than most searches, so it waits until a search takes longer than [`PROMPT`].
pub struct Verifier<'a> {
    tools: &'a Tools,
    folder: TempDir,
    flags: Vec<String>,
    limits: Limits,
    optimized: Cell<bool>,
}

impl Verifier<'_> {
    /// Checks the model with its files, which can differ from those at the time of the build.
    pub fn check(&self, model: &Model) -> Result<Searched, Error> {
        write_files(self.folder.path(), model)?;
        let mut parts = vec![OBJECT.to_string()];
        for (name, _) in model.files.iter().filter(|(name, _)| name.ends_with(".c")) {
            self.gcc(self.compile().args(["-O2"]).args(&model.file_flags).args(["-c", name]))?;
            parts.push(name.replace(".c", ".o"));
        }
        if self.optimized.get() {
            return Ok(self.search(&parts, self.limits.time)?.0);
        }
        let first = PROMPT.min(self.limits.time);
        let (searched, ended) = self.search(&parts, first)?;
        let left = self.limits.time.saturating_sub(first);
        if ended || left.is_zero() || is_asked_to_end() {
            return Ok(searched);
        }
        self.build("-O1")?;
        self.optimized.set(true);
        let (again, _) = self.search(&parts, left)?;
        let is_violated = |searched: &Searched| matches!(searched.verdict, Verdict::Violated { .. });
        // It has less time: what was found before stays found.
        Ok(if is_violated(&searched) && !is_violated(&again) { searched } else { again })
    }

    /// Compiles what SPIN made.
    fn build(&self, optimization: &str) -> Result<(), Error> {
        self.gcc(self.compile().args([optimization, "-fwrapv", "-c", "pan.c", "-o", OBJECT]))
    }

    /// Links these objects, and searches for no longer than this. Returns also whether it ended in that time.
    fn search(&self, parts: &[String], time: Duration) -> Result<(Searched, bool), Error> {
        let (at, limits) = (self.folder.path(), &self.limits);
        self.gcc(self.compile().args(["-o", "pan"]).args(parts))?;
        let pan = at.join("pan");
        let begun = Instant::now();
        let left = || time.saturating_sub(begun.elapsed());
        let search = |more: &[&str]| {
            let mut search = Command::new(&pan);
            search.args([format!("-m{}", limits.depth), "-w22".into(), "-n".into()]).args(more);
            if limits.formula {
                // Accepting cycles are searched; invalid end states are not.
                search.args(["-a", "-E"]);
            }
            run(&mut search, at, left()).map_err(io(&pan))
        };
        // Replaying a run takes much less time than finding it.
        let replay = || run(Command::new(&pan).args(["-r", "-n"]), at, TO_MAKE).map_err(io(&pan));
        let ran = search(&[])?;
        let mut ended = !ran.stopped;
        let Some(mut searched) = answer::read(&ran.words) else { return Ok((unfinished(&ran)?, ended)) };
        if ran.stopped && searched.verdict == Verdict::Holds {
            searched.verdict = Verdict::Incomplete(TIME.into());
        }
        if let Verdict::Violated { trail, why } = &mut searched.verdict {
            *trail = answer::trail(&replay()?.words);
            let shorten = limits.shorten && !limits.breadth_first;
            ended &= !shorten || !left().is_zero();
            if shorten && ended {
                ended = !search(&["-i"])?.stopped;
                let words = replay()?.words;
                let shorter = answer::trail(&words);
                // If a model waits for `timeout`, SPIN may take the end of the search for it: only the same violation
                // counts.
                let same = words.contains(why.as_str()) && shorter.report == trail.report;
                if same && shorter.steps.len() <= trail.steps.len() {
                    *trail = shorter;
                }
            }
        }
        Ok((searched, ended))
    }

    fn gcc(&self, command: &mut Command) -> Result<(), Error> {
        let compiled = run(command, self.folder.path(), TO_MAKE).map_err(io(&self.tools.gcc))?;
        match compiled.status.success() {
            true => Ok(()),
            false => Err(Error::Compiler(first_lines(&compiled))),
        }
    }

    fn compile(&self) -> Command {
        let limits = &self.limits;
        let mut gcc = Command::new(&self.tools.gcc);
        gcc.args(["-w", "-DNOFAIR"]);
        if !limits.formula {
            gcc.arg("-DSAFETY");
        }
        gcc.args([format!("-DVECTORSZ={}", limits.vector), format!("-DMEMLIM={}", limits.memory_mib)]);
        gcc.args(match limits.storage {
            Storage::Exact => &[][..],
            Storage::Collapsed => &["-DCOLLAPSE"],
            Storage::Hashed => &["-DHC4"],
        });
        if limits.breadth_first {
            gcc.arg("-DBFS");
        } else if limits.shorten {
            gcc.arg("-DREACH");
        }
        gcc.args(&self.flags);
        gcc
    }
}

const MODEL: &str = "model.pml";
const OBJECT: &str = "pan.o";
/// The time limit for building, independent of the limit of the search, and generous for loaded machines.
const TO_MAKE: Duration = Duration::from_secs(300);
/// The time in which a search needs no optimized verifier.
const PROMPT: Duration = Duration::from_secs(3);
const TIME: &str = "the time limit was reached";

fn write_files(folder: &Path, model: &Model) -> Result<(), Error> {
    let whole = (MODEL.to_string(), model.text.clone());
    for (name, text) in model.files.iter().chain([&whole]) {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| Error::Io(path, e))?;
    }
    Ok(())
}

/// The verifier printed no statistics: it was stopped, or it failed.
fn unfinished(ran: &Ran) -> Result<Searched, Error> {
    let why = match &ran.words {
        _ if ran.stopped => TIME,
        words if words.contains("memory") || words.contains("MEMLIM") => "the memory limit was reached",
        words if words.contains("VECTORSZ") => "a state exceeds the limit of the state vector",
        _ => return Err(Error::Verifier(first_lines(ran))),
    };
    Ok(incomplete(why))
}

fn incomplete(why: &str) -> Searched {
    let verdict = Verdict::Incomplete(why.into());
    Searched { verdict, states: 0, transitions: 0, depth: 0, memory_mib: 0.0, seconds: 0.0, vector_bytes: 0 }
}

fn first_lines(ran: &Ran) -> String {
    let lines: Vec<&str> = ran.words.lines().take(20).collect();
    format!("{}\n({})", lines.join("\n"), ran.status)
}
