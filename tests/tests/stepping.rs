//! A debugger steps through the layers' source: `#line` leads it to each statement that is executed, in order, at every level.

use std::path::Path;
use std::process::Command;

use nacre_driver::{Level, Session};
use nacre_tests::library::open;
use nacre_tests::line_numbers::shifted;
use nacre_tests::machines::LEVELS;
use nacre_tests::root;

/// What both messages execute in the lower layer before and after the `if`, and in the filter for each of three bytes.
const BYTE: [&str; 3] = ["filter parity {", "sum = sum ^ b;", "units += 1;"];

/// The statements that one call of `send` executes, as they are written; the second call finds a message that waits.
fn executed(second: bool) -> Vec<String> {
    let parity = if second { "count even;" } else { "count odd;" };
    let head = ["sent += 1;", "if sent % 2 == 0 {", parity];
    let repeat = ["for i in 0 .. 2 {", "total += 1;"];
    let function = ["for i in 0 .. 2 {", "add(m.len);", "let more = size * 2;", "total += more;"];
    let filtered = ["filter parity {", "result { sum ^ units }"];
    let lower = ["pass m + Parity { sum };", "count passed;", "if let last = waiting.take() {"];
    let sent: &[&str] = if second { &["pass last;"] } else { &[] };
    let upper = [&head[..], &repeat, &repeat, &function, &["let sum = m.bytes through parity;"]].concat();
    let all = [&upper[..], &BYTE, &BYTE, &BYTE, &filtered, &lower, sent, &["waiting = some(m);"]].concat();
    all.into_iter().map(String::from).collect()
}

fn session() -> (Session, String) {
    let source = root().join("tests/stepping/upper.nacre");
    (open(&source), "stepping".into())
}

/// Compiles a stack in C with debugging information and without optimization, and steps through two calls of `send`: the lines
/// of layers in order, each as it is written, without repetitions in a row.
fn stepped(header: &str, source: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let fixed = |name: &str| root().join("tests/stepping").join(name);
    std::fs::write(path("stepping.h"), header).expect("the header is written");
    std::fs::write(path("stepping.c"), source).expect("the source is written");
    let built = Command::new("gcc")
        .args(["-std=c11", "-g", "-O0", "-fno-builtin", "-DSTACK_HEADER=\"stepping.h\""])
        .args(["-DSTACK_SYMBOL=stepping_stack", "-DSTACK_SEND=stepping_above_send", "-I"])
        .arg(folder.path())
        .arg("-o")
        .args([path("drive"), fixed("drive.c"), path("stepping.c")])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new("gdb")
        .args(["-nx", "-batch", "-x"])
        .args([fixed("step.py"), path("drive")])
        .output()
        .expect("gdb runs");
    let (out, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.contains("at "), "{out}\n{errors}");
    visited(&out)
}

/// The lines of layers in the output of `step.py`. A line to which a call returns is not visited again.
fn visited(output: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    // By depth, where each active function was last.
    let mut active: Vec<&str> = vec![];
    for place in output.lines().filter_map(|line| line.strip_prefix("at ")) {
        let (depth, place) = place.split_once(' ').expect("a depth and a place");
        let depth: usize = depth.parse().expect("a number");
        let again = active.get(depth) == Some(&place) && active.len() > depth + 1;
        active.resize(depth + 1, "");
        active[depth] = place;
        let (file, line) = place.rsplit_once(':').expect("a file and a line");
        if file.ends_with(".nacre") && !again {
            lines.push(written(file, line));
        }
    }
    lines.dedup();
    lines
}

/// The line of a source without spaces around it.
fn written(file: &str, line: &str) -> String {
    let text = std::fs::read_to_string(root().join(Path::new(file))).expect("the layer's file is named");
    let number: usize = line.parse().expect("a number");
    text.lines().nth(number - 1).unwrap_or("behind the end").trim().to_string()
}

fn emitted(level: Level) -> (String, String) {
    let (mut session, name) = session();
    let stack = session.stack(&name).unwrap_or_else(|| panic!("{}", session.render(false)));
    let text = session.emit(&stack, level, None);
    (text.header, text.source)
}

#[test]
fn debugger_visits_the_statements_that_are_executed_in_order() {
    let expected = [executed(false), executed(true)].concat();
    for level in LEVELS {
        let (header, source) = emitted(level);
        assert_eq!(stepped(&header, &source), expected, "level {}", level.name());
    }
}

/// The test above is worth nothing if it holds for wrong lines.
#[test]
fn lines_that_are_off_by_one_are_noticed() {
    let expected = [executed(false), executed(true)].concat();
    let (header, source) = emitted(Level::Call);
    for by in [-1, 1] {
        assert_ne!(stepped(&header, &shifted(&source, by)), expected);
    }
}
