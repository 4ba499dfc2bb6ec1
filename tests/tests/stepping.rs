//! A debugger steps through the layers' source: `#line` leads it to each statement that is executed, in order, at every
//! level. A profiler attributes instructions to the same statements.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_driver::{Level, Session};
use nacre_tests::library::open;
use nacre_tests::line_numbers::shifted;
use nacre_tests::machines::LEVELS;
use nacre_tests::root;

/// The statements that both messages execute in the lower layer before and after the `if`, and in the filter for each
/// of three bytes.
const BYTE: [&str; 3] = ["filter parity {", "sum = sum ^ b;", "units += 1;"];

/// The source text of the statements that one call of `send` executes; the second call finds a waiting message.
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

/// Compiles a stack in C with debugging information and without optimization, with two calls of `send`; returns the
/// program.
fn built(header: &str, source: &str, folder: &Path) -> PathBuf {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("stepping.h"), header).expect("the header is written");
    std::fs::write(path("stepping.c"), source).expect("the source is written");
    let built = Command::new("gcc")
        .args(["-std=c11", "-g", "-O0", "-fno-builtin", "-DSTACK_HEADER=\"stepping.h\""])
        .args(["-DSTACK_SYMBOL=stepping_stack", "-DSTACK_SEND=stepping_above_send", "-I"])
        .arg(folder)
        .arg("-o")
        .args([path("drive"), fixed("drive.c"), path("stepping.c")])
        .output()
        .expect("gcc runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path("drive")
}

fn fixed(name: &str) -> PathBuf {
    root().join("tests/stepping").join(name)
}

/// Steps through two calls of `send`: the source lines of layers in order, without repetitions in a row.
fn stepped(header: &str, source: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = Command::new("gdb")
        .args(["-nx", "-batch", "-x"])
        .args([fixed("step.py"), built(header, source, folder.path())])
        .output()
        .expect("gdb runs");
    let (out, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.contains("at "), "{out}\n{errors}");
    visited(&out)
}

/// The lines of layers in the output of `step.py`. A line to which a call returns is not visited again.
fn visited(output: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    // The last line of each active function, by depth.
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

/// The line of a source without surrounding spaces.
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

/// Shows that the test above fails for wrong lines.
#[test]
fn lines_that_are_off_by_one_are_noticed() {
    let expected = [executed(false), executed(true)].concat();
    let (header, source) = emitted(Level::Call);
    for by in [-1, 1] {
        assert_ne!(stepped(&header, &shifted(&source, by)), expected);
    }
}

/// The instructions of each statement in two calls of `send`, by its text.
fn profiled(header: &str, source: &str) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let profile = folder.path().join("profile");
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(built(header, source, folder.path()))
        .output()
        .expect("valgrind runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let (mut costs, mut file, mut is_call) = (BTreeMap::new(), "", false);
    let text = std::fs::read_to_string(profile).expect("a profile");
    for line in text.lines() {
        match line.split_once('=') {
            Some(("fl" | "fi" | "fe", name)) => file = name,
            Some((key, _)) => is_call = key == "calls",
            // The line after `calls` is the cost of a whole call, which is counted where it is spent.
            None if std::mem::take(&mut is_call) => {}
            None => {
                let mut numbers = line.split(' ').map(str::parse::<u64>);
                if let (Some(Ok(number)), Some(Ok(cost)), true) = (numbers.next(), numbers.next(), is_layer(file)) {
                    *costs.entry(written(file, &number.to_string())).or_insert(0) += cost;
                }
            }
        }
    }
    costs
}

fn is_layer(file: &str) -> bool {
    file.ends_with(".nacre")
}

#[test]
fn profiler_attributes_instructions_to_the_statements_that_are_executed() {
    let executed = [executed(false), executed(true)].concat();
    for level in LEVELS {
        let (header, source) = emitted(level);
        let costs = profiled(&header, &source);
        // Only the body of an inlined helper, which belongs to no layer, may remain of an emission.
        let all = executed.iter().filter(|line| !line.starts_with("pass "));
        let missing: Vec<&String> = all.filter(|line| !costs.contains_key(*line)).collect();
        assert!(missing.is_empty(), "level {}: {missing:?} cost nothing of {costs:?}", level.name());
        let more: Vec<&String> = costs.keys().filter(|line| line.ends_with(';') && !executed.contains(line)).collect();
        assert!(more.is_empty(), "level {}: {more:?} are not executed", level.name());
        for line in ["sent += 1;", "total += 1;", "sum = sum ^ b;", "units += 1;"] {
            let times = executed.iter().filter(|other| *other == line).count() as u64;
            assert_eq!(costs[line] % times, 0, "level {}: `{line}` runs {times} times: {costs:?}", level.name());
        }
    }
}
