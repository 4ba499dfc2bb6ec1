//! Builds the bench program for a stack and a level, and measures it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use nacre_driver::{Level, Session};

use crate::callgrind::inclusive;
use crate::here;

/// How many messages the counted part of a run has.
const MESSAGES: u64 = 8000;

/// What one stack costs at one level, for a message of 16 bytes.
pub struct Cost {
    pub stack: String,
    pub layers: usize,
    pub level: &'static str,
    /// Instructions of the entry functions for one message, one way (stream) and to and fro (ping-pong).
    pub stream: Entry,
    pub pingpong: Entry,
    /// Nanoseconds a message, the smallest of several runs; the bench's own copy of the frame included.
    pub stream_ns: f64,
    pub pingpong_ns: f64,
    /// Bytes of state, and of pool for each block.
    pub state: u64,
    pub block: u64,
    /// Milliseconds for gcc -O2.
    pub compile_ms: f64,
}

/// Instructions of send, and of everything that a delivery needs.
#[derive(Clone, Copy, Default)]
pub struct Entry {
    pub send: f64,
    pub deliver: f64,
}

/// Every stack at every level.
pub fn measure_stacks(folder: &Path, file: &Path) -> Result<Vec<Cost>, String> {
    let mut costs = Vec::new();
    for stack in ["one", "reliable_plain", "four", "ten"] {
        for (level, name) in [(Level::Queue, "queue"), (Level::Call, "call"), (Level::Inline, "inline")] {
            eprintln!("measuring {stack} at level {name}");
            costs.push(measure(folder, file, stack, level, name)?);
        }
    }
    costs.push(hand(folder)?);
    Ok(costs)
}

/// The same service written by hand, without layers.
fn hand(folder: &Path) -> Result<Cost, String> {
    eprintln!("measuring the hand-written comparison");
    let copy = |from: PathBuf, name: &str| {
        std::fs::copy(&from, folder.join(name)).map_err(|e| format!("{}: {e}", from.display()))
    };
    copy(here().join("c/hand.h"), "hand.h")?;
    copy(here().join("c/hand.c"), "hand.c")?;
    copy(here().join("../compiler/backends/c/src/nacre.h"), "nacre.h")?;
    cost(folder, "hand", 1, "hand")
}

fn measure(folder: &Path, file: &Path, stack: &str, level: Level, level_name: &'static str) -> Result<Cost, String> {
    let prefix = format!("{stack}_{level_name}");
    let layers = emit(folder, file, stack, level, &prefix)?;
    Ok(Cost { stack: stack.into(), ..cost(folder, &prefix, layers, level_name)? })
}

fn cost(folder: &Path, prefix: &str, layers: usize, level: &'static str) -> Result<Cost, String> {
    let start = Instant::now();
    let program = build(folder, prefix)?;
    let compile_ms = start.elapsed().as_secs_f64() * 1e3;
    let (stream_ns, sizes) = time(&program, "stream")?;
    let (pingpong_ns, _) = time(&program, "pingpong")?;
    Ok(Cost {
        stack: prefix.into(),
        layers,
        level,
        stream: count(&program, prefix, "stream", folder)?,
        pingpong: count(&program, prefix, "pingpong", folder)?,
        stream_ns,
        pingpong_ns,
        state: sizes.0,
        block: sizes.1,
        compile_ms,
    })
}

/// Writes header and source; gives the number of layers.
pub fn emit(folder: &Path, file: &Path, stack: &str, level: Level, prefix: &str) -> Result<usize, String> {
    let mut session = Session::open(&[file.to_path_buf()]);
    let Some(composed) = session.stack(stack) else { return Err(session.render(false)) };
    let emitted = session.emit(&composed, level, Some(prefix));
    let write = |name: String, text: &str| std::fs::write(folder.join(name), text).map_err(|e| e.to_string());
    write(format!("{prefix}.h"), &emitted.header)?;
    write(format!("{prefix}.c"), &emitted.source)?;
    Ok(composed.layers.len())
}

fn build(folder: &Path, prefix: &str) -> Result<PathBuf, String> {
    let program = folder.join(format!("bench_{prefix}"));
    let output = Command::new("gcc")
        .args(["-std=c11", "-O2", "-g", "-I"])
        .arg(folder)
        .arg(format!("-DSTACK={prefix}"))
        .arg(format!("-DHEADER=\"{prefix}.h\""))
        .arg(here().join("c/pingpong.c"))
        .arg(folder.join(format!("{prefix}.c")))
        .arg("-o")
        .arg(&program)
        .output()
        .map_err(|_| "gcc was not found: apt-get install gcc libc6-dev".to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(program)
}

/// The least time of several runs, and the sizes that the program tells.
fn time(program: &Path, mode: &str) -> Result<(f64, (u64, u64)), String> {
    let mut best = f64::MAX;
    let mut sizes = (0, 0);
    for _ in 0..5 {
        let output = Command::new(program).args(["400000", mode]).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |i: usize| words.get(i).and_then(|w| w.parse::<f64>().ok()).unwrap_or(f64::NAN);
        best = best.min(number(0));
        sizes = (number(2) as u64, number(3) as u64);
    }
    Ok((best, sizes))
}

/// Instructions a message: the difference of two runs of different lengths, so that set-up does not count.
fn count(program: &Path, prefix: &str, mode: &str, folder: &Path) -> Result<Entry, String> {
    let few = inclusive(program, &["1000", mode], folder)?;
    let many = inclusive(program, &[&(1000 + MESSAGES).to_string(), mode], folder)?;
    let each = |function: &str| -> f64 {
        let name = &format!("{prefix}_{function}");
        let of =
            |counts: &std::collections::BTreeMap<String, u64>| counts.get(name.as_str()).copied().unwrap_or(0) as f64;
        (of(&many) - of(&few)) / MESSAGES as f64
    };
    Ok(Entry { send: each("above_send"), deliver: each("input") + each("tick") })
}
