//! Replays a run of the explorer in the emitted C: as a separate program, also under gdb.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nacre_backend_c::Level;
use nacre_checker::run::{Output, Run, RunStep, What};
use nacre_stack::Type;
use nacre_worlds::setup::Setup;
use tempfile::TempDir;

use crate::emitted::{self, Lines};
use nacre_process::{on_path, run};

const MAIN: &str = include_str!("replay.c");

/// Returns a program in C that performs a run's steps: its files by name, the last one to be compiled; or why there is
/// none.
pub fn program(setup: &Setup, level: Level, run: &Run, lines: Option<Lines>) -> Result<Vec<(String, String)>, String> {
    let chosen = run.steps.iter().any(|s| s.choices.iter().any(|c| *c != 0));
    if chosen && setup.bounds.any_order {
        return Err("the run chooses an order of events, which the emitted C does not support".into());
    }
    if setup.differ() {
        return Err("runs of endpoints with different parameters are repeated in the interpreter alone".into());
    }
    let emitted = emitted::emit_with(setup.stack(), level, lines)?;
    let givens = emitted::givens(setup);
    // For a debugger, the code after the stack's lines is in a file of its own.
    let source = format!("{}\n{givens}\n{}\n#line 1 \"main.c\"\n{MAIN}", emitted.source, steps(setup, run));
    let file = |name: &str, text: String| (name.to_string(), text);
    Ok(vec![
        file(&format!("{}.h", emitted::PREFIX), emitted.header),
        file("main.c", MAIN.into()),
        file("replay.c", source),
    ])
}

fn steps(setup: &Setup, run: &Run) -> String {
    let bytes = |bytes: &[u8]| match bytes {
        [] => "(const uint8_t *)\"\"".to_string(),
        bytes => format!("(const uint8_t[]){{{}}}", bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = String::from(
        "struct step { char kind; int end, peer; uint32_t event; uint64_t arguments[4]; const uint8_t *at; \
         uint32_t len; const uint64_t *drawn; uint32_t draws; };\nstatic const struct step steps[] = {\n",
    );
    for step in &run.steps {
        let (kind, event, arguments, data): (char, u32, &[u64], &[u8]) = match &step.what {
            What::Call { event, arguments, message, .. } => {
                ('c', *event, arguments, message.as_ref().map_or(&[][..], |m| &m.0))
            }
            What::Event { event, arguments, .. } => ('c', *event, arguments, &[]),
            What::Frame { bytes, .. } => ('f', 0, &[], &bytes.0),
            What::Timer { place, .. } => ('t', *place, &[], &[]),
            What::Later => ('l', 0, &[], &[]),
            What::Wait { until } => ('w', 0, std::slice::from_ref(until), &[]),
            What::Opened | What::Nothing | What::NoSpace { .. } => ('-', 0, &[], &[]),
        };
        let drawn: Vec<String> = step.drawn.iter().map(|n| format!("UINT64_C({n})")).chain(["0".into()]).collect();
        let list: Vec<String> =
            arguments.iter().take(4).map(|n| format!("UINT64_C({n})")).chain(["0".into()]).take(4).collect();
        text += &format!(
            "    {{'{kind}', {}, {}, {event}u, {{{}}}, {}, {}u, (const uint64_t[]){{{}}}, {}u}},\n",
            step.end.unwrap_or(0),
            peer(setup, step),
            list.join(", "),
            bytes(data),
            data.len(),
            drawn.join(", "),
            step.drawn.len()
        );
    }
    text + "};\n"
}

/// The endpoint whose address a step is given: the sender of a frame, or the one that an event names.
fn peer(setup: &Setup, step: &RunStep) -> usize {
    let members = setup.members();
    let other = members.others(step.end.unwrap_or(0)).next().unwrap_or(0);
    let named = match &step.what {
        _ if members.is_pair() => None,
        What::Frame { from, .. } => *from,
        What::Call { event, arguments, .. } | What::Event { event, arguments, .. } => {
            let event = setup.stack().interface().get(*event as usize).map(|e| setup.stack().event(e.event));
            let parameters = event.iter().flat_map(|e| &e.parameters).filter(|p| p.ty != Type::Msg);
            let found = parameters.zip(arguments).find(|(p, _)| p.ty == Type::Addr);
            found.map(|(_, member)| *member as usize).filter(|member| *member < members.count())
        }
        _ => None,
    };
    named.unwrap_or(other)
}

/// Compiles and runs the trace; returns the first mismatch, if any.
pub fn on_c(setup: &Setup, level: Level, run_: &Run) -> Result<Option<String>, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let binary = build(folder.path(), &program(setup, level, run_, None)?)?;
    let ran = run(&mut Command::new(binary), folder.path(), Duration::from_secs(60)).map_err(|e| e.to_string())?;
    if !ran.status.success() {
        return Ok(Some(format!(
            "the program ended with {}: {}",
            ran.status,
            ran.words.lines().last().unwrap_or_default()
        )));
    }
    Ok(difference(run_, &ran.words))
}

/// Returns a new folder for the program; dropping it removes the folder.
pub fn folder() -> Result<TempDir, String> {
    tempfile::tempdir().map_err(|e| e.to_string())
}

/// Writes the program into a folder, with lines of the layers' source, and compiles it for a debugger.
pub fn build(folder: &Path, files: &[(String, String)]) -> Result<PathBuf, String> {
    let gcc = on_path(Path::new("gcc"))
        .ok_or("`gcc` was not found: install it, on Debian and Ubuntu with `apt-get install gcc libc6-dev`")?;
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    let (source, binary) = (files.last().map_or("", |(name, _)| name), folder.join("replay"));
    let mut command = Command::new(gcc);
    command.args(["-std=c11", "-g", "-O0", "-w", "-o"]).arg(&binary).arg(source);
    let compiled = run(&mut command, folder, Duration::from_secs(300)).map_err(|e| e.to_string())?;
    match compiled.status.success() {
        true => Ok(binary),
        false => Err(format!("internal error: gcc rejects the emitted C:\n{}", compiled.words)),
    }
}

fn difference(run: &Run, words: &str) -> Option<String> {
    for (number, step) in run.steps.iter().enumerate() {
        let prefix = format!("left {} ", number + 1);
        let left: Vec<&str> = words.lines().filter_map(|l| l.strip_prefix(&prefix)).collect();
        // Each port is a sequence of its own; how they interleave is unspecified.
        let ports = left.iter().filter_map(|l| l.split(' ').next()?.parse().ok());
        for port in 0..=step.left.iter().map(Output::port).chain(ports).max().unwrap_or(0) {
            let shown = format!("{port} ");
            let c: Vec<&str> = left.iter().filter_map(|l| l.strip_prefix(&shown)).collect();
            let expected: Vec<String> = step.left.iter().filter(|o| o.port() == port).map(line).collect();
            if c != expected {
                let side = match port {
                    0 => "the network",
                    1 => "the application",
                    _ => "a port of a layer",
                };
                return Some(format!(
                    "step {} differs: to {side} went {}, not {}",
                    number + 1,
                    listed(&c),
                    listed(&expected.iter().map(String::as_str).collect::<Vec<_>>())
                ));
            }
        }
    }
    None
}

fn listed(lines: &[&str]) -> String {
    match lines {
        [] => "nothing".into(),
        lines => lines.join(", "),
    }
}

fn line(output: &Output) -> String {
    let bytes = match &output.bytes {
        None => "-".to_string(),
        Some(bytes) if bytes.0.is_empty() => "empty".into(),
        Some(bytes) => String::from(bytes.clone()),
    };
    format!("{} {bytes}", output.event)
}
