//! C of stacks with wide windows: one step can cause thousands of events, and needs little of a thread's stack.

use std::fs;
use std::process::Command;

use nacre_driver::{Emitted, Level, Session};
use nacre_tests::root;

/// Bytes that a function may need, without what it calls.
const MOST: u64 = 16 << 10;

/// The stacks: the second has the widest window that the library allows.
const STACKS: &str = r#"
import "layers/cubic/cubic.nacre";
import "layers/flight/flight.nacre";
import "layers/pt2pt/pt2pt.nacre";
import "layers/frag/frag.nacre";
import "layers/floor/floor.nacre";
stack narrow = frag<1400> / pt2pt<16> / floor;
stack wide = frag<1400> / pt2pt<4096, METERED = true> / cubic<MOST = 4096> / flight<HELD = 1024> / floor;
"#;

/// The bytes that each function needs, as gcc states them.
fn frames(name: &str, text: Emitted) -> Vec<(u64, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(format!("{name}.h")), text.header).expect("a file");
    fs::write(folder.path().join("stack.c"), text.source).expect("a file");
    let mut gcc = Command::new("gcc");
    let ran = gcc.args(["-O1", "-fstack-usage", "-c", "stack.c"]).current_dir(folder.path()).output().expect("gcc");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let usage = fs::read_to_string(folder.path().join("stack.su")).expect("what gcc states");
    let frame = |line: &str| {
        let mut parts = line.split('\t');
        let function = parts.next()?.to_string();
        Some((parts.next()?.parse().ok()?, function))
    };
    usage.lines().map(|line| frame(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

#[test]
fn no_function_needs_much_of_a_threads_stack() {
    let mut session = Session::from_text(&root().join("wide_windows.nacre"), STACKS);
    for name in ["narrow", "wide"] {
        let stack = session.stack(name);
        let stack = stack.unwrap_or_else(|| panic!("{}", session.render(false)));
        assert_eq!(name == "wide", stack.bounds.queue > 10_000, "a queue of {}", stack.bounds.queue);
        // Level `bypass` adds functions without a queue to those of `inline`.
        for level in [Level::Queue, Level::Call, Level::Inline] {
            let frames = frames(name, session.emit(&stack, level, None));
            assert!(frames.len() > 30, "{name}, {level:?}: {} functions", frames.len());
            let (most, function) = frames.iter().max().expect("a function");
            assert!(*most <= MOST, "{name}, {level:?}: {function} needs {most} bytes");
        }
    }
}
