//! Builds the benchmark program for a stack and a level, and measures it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nacre_driver::{Emitted, Level, Session};
use nacre_profiles::bypassed;

use crate::callgrind::inclusive;

/// The program that drives a stack, the stack that is written by hand, and the interface of both.
const PINGPONG: &str = include_str!("../c/pingpong.c");
/// What measures the time of single calls.
pub const TIMES: (&str, &str) = ("times.h", include_str!("../c/times.h"));
const HAND: &[(&str, &str)] = &[
    ("hand.c", include_str!("../c/hand.c")),
    ("hand.h", include_str!("../c/hand.h")),
    ("nacre.h", include_str!("../../compiler/backends/c/src/nacre.h")),
];

/// What is sent.
#[derive(Clone, Copy)]
pub struct Workload {
    /// Bytes of a message.
    pub size: u32,
    /// The number of messages in the counted part of a run.
    pub counted: u64,
    /// The messages of a timed run, and the number of timed runs, of which the fastest counts.
    pub timed: u64,
    pub runs: usize,
}

/// That of docs/performance.md.
pub const PERFORMANCE: Workload = Workload { size: 16, counted: 8000, timed: 300_000, runs: 7 };

/// The cost of one stack at one level, for a message.
#[derive(Clone)]
pub struct Cost {
    pub stack: String,
    /// None: written by hand.
    pub layers: Option<usize>,
    pub level: &'static str,
    /// By the quick entries where these take the event.
    pub quick: bool,
    /// All messages in one direction.
    pub stream: Entry,
    /// Messages in alternating directions.
    pub pingpong: Entry,
    pub sizes: Sizes,
    /// Milliseconds from the source to C (None: written by hand), and of gcc -O2.
    pub emit_ms: Option<f64>,
    pub gcc_ms: f64,
}

/// Instructions and nanoseconds of one message: the call `send`, and all work of a delivery.
#[derive(Clone, Copy, Default)]
pub struct Entry {
    pub send: f64,
    pub deliver: f64,
    pub send_ns: f64,
    pub deliver_ns: f64,
}

/// Bytes of a connection's state, of its counters and of a pool block; the number of blocks that suffices for one
/// connection (`blocks_for_one`).
#[derive(Clone, Copy, Default)]
pub struct Sizes {
    pub state: u64,
    pub counters: u64,
    pub block: u64,
    pub blocks: u64,
}

/// Measures every stack at every level, and the version written by hand.
pub fn measure_stacks(folder: &Path, file: &Path) -> Result<Vec<Cost>, String> {
    let mut costs = Vec::new();
    for stack in ["one", "reliable_plain", "four", "ten"] {
        for level in Level::ALL {
            eprintln!("measuring {stack} at level {}", level.name());
            costs.extend(measure(folder, file, stack, level)?);
        }
    }
    eprintln!("measuring the hand-written comparison");
    costs.extend(hand(folder, &PERFORMANCE)?);
    Ok(costs)
}

/// Measures the same service written by hand, without layers.
pub fn hand(folder: &Path, workload: &Workload) -> Result<Vec<Cost>, String> {
    HAND.iter().try_for_each(|(name, text)| write(folder, name, text))?;
    costs(folder, "hand", None, "hand", workload)
}

/// Writes a source into a folder.
pub fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))
}

/// By the ordinary entries, and at level bypass by the quick ones.
fn measure(folder: &Path, file: &Path, stack: &str, level: Level) -> Result<Vec<Cost>, String> {
    let prefix = format!("{stack}_{}", level.name());
    let start = Instant::now();
    let layers = emit(folder, file, stack, level, &prefix)?;
    let emit_ms = start.elapsed().as_secs_f64() * 1e3;
    let all = costs(folder, &prefix, Some(layers), level.name(), &PERFORMANCE)?;
    Ok(all.into_iter().map(|cost| Cost { stack: stack.into(), emit_ms: Some(emit_ms), ..cost }).collect())
}

/// Compiles and measures the source `PREFIX.c` in the folder: by the ordinary entries, and by the quick ones if it has
/// any.
pub fn costs(
    folder: &Path,
    prefix: &str,
    layers: Option<usize>,
    level: &'static str,
    workload: &Workload,
) -> Result<Vec<Cost>, String> {
    let start = Instant::now();
    compile(folder, prefix)?;
    let gcc_ms = start.elapsed().as_secs_f64() * 1e3;
    let program = link(folder, prefix, &[])?;
    let mut all = vec![];
    for quick in [false, true] {
        if quick && !["bypass", "hand"].contains(&level) {
            continue;
        }
        let (stream, sizes) = entry(&program, prefix, ("stream", quick), folder, workload)?;
        let (pingpong, _) = entry(&program, prefix, ("pingpong", quick), folder, workload)?;
        all.push(Cost { stack: prefix.into(), layers, level, quick, stream, pingpong, sizes, emit_ms: None, gcc_ms });
    }
    Ok(all)
}

/// Writes header and source; returns the number of layers.
pub fn emit(folder: &Path, file: &Path, stack: &str, level: Level, prefix: &str) -> Result<usize, String> {
    let mut session = Session::open(&[file.to_path_buf()]);
    let Some(composed) = session.stack(stack) else { return Err(session.render(false)) };
    let emitted = match level {
        // With the bypasses that `nacre build` tries to prove.
        Level::Bypass => session.emit_optimized(bypassed(&composed), level, Some(prefix)),
        _ => session.emit(&composed, level, Some(prefix)),
    };
    write_emitted(folder, prefix, &emitted)?;
    Ok(composed.layers.len())
}

/// Writes `PREFIX.h` and `PREFIX.c` into the folder.
pub fn write_emitted(folder: &Path, prefix: &str, emitted: &Emitted) -> Result<(), String> {
    write(folder, &format!("{prefix}.h"), &emitted.header)?;
    write(folder, &format!("{prefix}.c"), &emitted.source)
}

/// Compiles the program of an emitted stack, with further sources and libraries.
pub fn build(folder: &Path, prefix: &str, more: &[&str]) -> Result<PathBuf, String> {
    compile(folder, prefix)?;
    link(folder, prefix, more)
}

fn compile(folder: &Path, prefix: &str) -> Result<(), String> {
    gcc(folder, &[&format!("{prefix}.c"), "-c", "-o", &format!("{prefix}.o")])
}

fn link(folder: &Path, prefix: &str, more: &[&str]) -> Result<PathBuf, String> {
    let (stack, header) = (format!("-DSTACK={prefix}"), format!("-DHEADER=\"{prefix}.h\""));
    write(folder, "pingpong.c", PINGPONG)?;
    write(folder, TIMES.0, TIMES.1)?;
    let (object, program) = (format!("{prefix}.o"), folder.join(format!("bench_{prefix}")));
    let output = program.display().to_string();
    gcc(folder, &[&["-I.", &stack, &header, "pingpong.c", &object, "-o", &output], more].concat())?;
    Ok(program)
}

/// Runs gcc -O2 in the folder.
pub fn gcc(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(["-std=c11", "-O2"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|_| "gcc was not found: apt-get install gcc libc6-dev".to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(())
}

/// Returns instructions and nanoseconds in one mode, and the sizes that the program prints.
fn entry(
    program: &Path,
    prefix: &str,
    (mode, quick): (&str, bool),
    folder: &Path,
    workload: &Workload,
) -> Result<(Entry, Sizes), String> {
    let size = workload.size.to_string();
    let how = [mode, if quick { "quick" } else { "ordinary" }, &size];
    let counted = count(program, prefix, &how, folder, workload.counted)?;
    let (send_ns, deliver_ns, sizes) = time(program, &how, workload)?;
    Ok((Entry { send_ns, deliver_ns, ..counted }, sizes))
}

/// Returns the least times of several runs, and the sizes.
fn time(program: &Path, how: &[&str], workload: &Workload) -> Result<(f64, f64, Sizes), String> {
    let (mut send, mut deliver, mut sizes) = (f64::MAX, f64::MAX, Sizes::default());
    for _ in 0..workload.runs {
        let [send_ns, deliver_ns, _, state, counters, block, blocks] = printed(program, workload.timed, how)?;
        (send, deliver) = (send.min(send_ns), deliver.min(deliver_ns));
        let [state, counters, block, blocks] = [state, counters, block, blocks].map(|number| number as u64);
        sizes = Sizes { state, counters, block, blocks };
    }
    Ok((send, deliver, sizes))
}

/// Runs a program for a number of messages, or of round trips; returns the numbers that it prints.
pub fn printed<const N: usize>(program: &Path, count: u64, how: &[&str]) -> Result<[f64; N], String> {
    let output = Command::new(program).arg(count.to_string()).args(how).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| format!("{} printed {text:?}", program.display()))
}

/// Returns the instructions per message of each function: the difference of two runs of different lengths, which
/// excludes the set-up.
pub fn difference(program: &Path, how: &[&str], folder: &Path, messages: u64) -> Result<impl Fn(&str) -> f64, String> {
    let few = inclusive(program, &[&["1000"], how].concat(), folder)?;
    let many = inclusive(program, &[&[&*(1000 + messages).to_string()], how].concat(), folder)?;
    Ok(move |name: &str| {
        let of = |counts: &BTreeMap<String, u64>| counts.get(name).copied().unwrap_or(0) as f64;
        (of(&many) - of(&few)) / messages as f64
    })
}

/// Returns the instructions per message of the entry functions. Ordinary entries include the quick ones, which they
/// call; the program calls those by the functions of the descriptor, `any`.
fn count(program: &Path, prefix: &str, how: &[&str], folder: &Path, messages: u64) -> Result<Entry, String> {
    let of = difference(program, how, folder, messages)?;
    let each = |function: &str| of(&format!("{prefix}_{function}"));
    let quick = |function: &str| of(&format!("{prefix}_any_{function}"));
    let send = each("above_send") + quick("send_quick");
    let deliver = each("input") + quick("input_quick");
    if send <= 0.0 || deliver <= 0.0 {
        return Err(format!("callgrind does not name {prefix}_above_send and {prefix}_input"));
    }
    Ok(Entry { send, deliver: deliver + each("tick"), ..Entry::default() })
}
