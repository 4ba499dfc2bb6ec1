//! Builds the benchmark program for a stack and a level, and measures it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nacre_driver::{Level, Session};

use crate::callgrind::inclusive;
use crate::place::here;

/// The number of messages in the counted part of a run.
const MESSAGES: u64 = 8000;
/// The messages of a timed run, and the number of timed runs.
const TIMED: &str = "300000";
const RUNS: usize = 7;

/// The cost of one stack at one level, for a message of 16 bytes.
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
    costs.extend(hand(folder)?);
    Ok(costs)
}

/// Measures the same service written by hand, without layers.
fn hand(folder: &Path) -> Result<Vec<Cost>, String> {
    eprintln!("measuring the hand-written comparison");
    let copy = |from: PathBuf, name: &str| {
        std::fs::copy(&from, folder.join(name)).map_err(|e| format!("{}: {e}", from.display()))
    };
    copy(here().join("c/hand.h"), "hand.h")?;
    copy(here().join("c/hand.c"), "hand.c")?;
    copy(here().join("../compiler/backends/c/src/nacre.h"), "nacre.h")?;
    costs(folder, "hand", None, "hand", None)
}

/// By the ordinary entries, and at level bypass by the quick ones.
fn measure(folder: &Path, file: &Path, stack: &str, level: Level) -> Result<Vec<Cost>, String> {
    let prefix = format!("{stack}_{}", level.name());
    let start = Instant::now();
    let layers = emit(folder, file, stack, level, &prefix)?;
    let emit_ms = start.elapsed().as_secs_f64() * 1e3;
    let all = costs(folder, &prefix, Some(layers), level.name(), Some(emit_ms))?;
    Ok(all.into_iter().map(|cost| Cost { stack: stack.into(), ..cost }).collect())
}

fn costs(
    folder: &Path,
    prefix: &str,
    layers: Option<usize>,
    level: &'static str,
    emit_ms: Option<f64>,
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
        let (stream, sizes) = entry(&program, prefix, "stream", quick, folder)?;
        let (pingpong, _) = entry(&program, prefix, "pingpong", quick, folder)?;
        all.push(Cost { stack: prefix.into(), layers, level, quick, stream, pingpong, sizes, emit_ms, gcc_ms });
    }
    Ok(all)
}

/// Writes header and source; returns the number of layers.
pub fn emit(folder: &Path, file: &Path, stack: &str, level: Level, prefix: &str) -> Result<usize, String> {
    let mut session = Session::open(&[file.to_path_buf()]);
    let Some(composed) = session.stack(stack) else { return Err(session.render(false)) };
    let emitted = session.emit(&composed, level, Some(prefix));
    let write = |name: String, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write(format!("{prefix}.h"), &emitted.header)?;
    write(format!("{prefix}.c"), &emitted.source)?;
    Ok(composed.layers.len())
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
    let (bench, object, program) =
        (here().join("c/pingpong.c"), format!("{prefix}.o"), folder.join(format!("bench_{prefix}")));
    let (bench, output) = (bench.display().to_string(), program.display().to_string());
    gcc(folder, &[&["-I.", &stack, &header, &bench, &object, "-o", &output], more].concat())?;
    Ok(program)
}

fn gcc(folder: &Path, arguments: &[&str]) -> Result<(), String> {
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
fn entry(program: &Path, prefix: &str, mode: &str, quick: bool, folder: &Path) -> Result<(Entry, Sizes), String> {
    let how: &[&str] = if quick { &[mode, "quick"] } else { &[mode] };
    let counted = count(program, prefix, how, folder)?;
    let (send_ns, deliver_ns, sizes) = time(program, how)?;
    Ok((Entry { send_ns, deliver_ns, ..counted }, sizes))
}

/// Returns the least times of several runs, and the sizes.
fn time(program: &Path, how: &[&str]) -> Result<(f64, f64, Sizes), String> {
    let (mut send, mut deliver, mut sizes) = (f64::MAX, f64::MAX, Sizes::default());
    for _ in 0..RUNS {
        let output = Command::new(program).arg(TIMED).args(how).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [send_ns, deliver_ns, _, state, counters, block, blocks] = numbers[..] else {
            return Err(format!("{} printed {text:?}", program.display()));
        };
        (send, deliver) = (send.min(send_ns), deliver.min(deliver_ns));
        let [state, counters, block, blocks] = [state, counters, block, blocks].map(|number| number as u64);
        sizes = Sizes { state, counters, block, blocks };
    }
    Ok((send, deliver, sizes))
}

/// Returns the instructions per message of each function: the difference of two runs of different lengths, which
/// excludes the set-up.
pub fn difference(program: &Path, how: &[&str], folder: &Path) -> Result<impl Fn(&str) -> f64, String> {
    let few = inclusive(program, &[&["1000"], how].concat(), folder)?;
    let many = inclusive(program, &[&[&*(1000 + MESSAGES).to_string()], how].concat(), folder)?;
    Ok(move |name: &str| {
        let of = |counts: &BTreeMap<String, u64>| counts.get(name).copied().unwrap_or(0) as f64;
        (of(&many) - of(&few)) / MESSAGES as f64
    })
}

/// Returns the instructions per message of the entry functions. Ordinary entries include the quick ones, which they
/// call; the program calls those by the functions of the descriptor, `any`.
fn count(program: &Path, prefix: &str, how: &[&str], folder: &Path) -> Result<Entry, String> {
    let of = difference(program, how, folder)?;
    let each = |function: &str| of(&format!("{prefix}_{function}"));
    let quick = |function: &str| of(&format!("{prefix}_any_{function}"));
    let send = each("above_send") + quick("send_quick");
    let deliver = each("input") + quick("input_quick");
    if send <= 0.0 || deliver <= 0.0 {
        return Err(format!("callgrind does not name {prefix}_above_send and {prefix}_input"));
    }
    Ok(Entry { send, deliver: deliver + each("tick"), ..Entry::default() })
}
