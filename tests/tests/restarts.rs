//! Crash, restart, strangers and stale frames over the runtime's own router core, for stacks of the library.

use nacre_driver::Level;
use nacre_runtime::Stack;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::restarts::{exhaust, sample, Violation};
use nacre_tests::soaking;

fn emitted(name: &str) -> Stack {
    let machines = Machines::new(&find(name));
    machines.load(&machines.text(Level::Inline)).expect("C that compiles")
}

fn checked(runs: Result<u64, Violation>, name: &str) {
    match runs {
        Ok(runs) => println!("{name}: {runs} runs"),
        Err(violation) => panic!("{name}: {}\n{}", violation.why, violation.log.join("\n")),
    }
}

/// Choices of each run that are all tried.
const STEPS: usize = 4;
/// Runs of random choices.
const RUNS: u64 = 1000;

#[test]
fn connections_survive_crashes_restarts_and_stale_frames() {
    for name in ["pt2pt_small", "reliable_plain", "reliable"] {
        let stack = emitted(name);
        checked(exhaust(&stack, 1, if soaking() { 6 } else { STEPS }), name);
        checked(sample(&stack, 2, 24, 0..if soaking() { 20_000 } else { RUNS }), name);
    }
}
