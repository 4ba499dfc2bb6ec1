//! Which share of calls and frames takes a bypass of those that `nacre build` makes.

use std::path::PathBuf;

use nacre_driver::{optimize, Level, Session};
use nacre_profiles::{bypassed, taken_by, usually_common, Workload};
use nacre_simulator::network::Conditions;
use nacre_stack::Stack;

fn stack(file: &str, name: &str) -> Stack {
    let path: PathBuf = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let mut session = Session::open(&[path]);
    session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)))
}

/// The share of the steps of a workload that take a bypass, in percent; another seed than that by which the bypasses
/// were chosen.
fn share(composed: &Stack, optimized: &Stack, loss: f64, largest: usize) -> f64 {
    let conditions = Conditions { loss, delay: 2_000_000, ..Conditions::default() };
    let workload = Workload { seed: 77, messages: 2_000, largest, conditions };
    let taken = taken_by(composed, optimized, &workload).expect("it is simulated");
    assert!(taken.steps > 8_000, "{}", taken.steps);
    100.0 * taken.bypasses.iter().sum::<u64>() as f64 / taken.steps as f64
}

#[test]
fn most_calls_and_frames_take_a_bypass() {
    for (file, name, bars) in [
        ("examples/reliable.nacre", "reliable_plain", [98.0, 90.0, 75.0]),
        // Its messages wait for a timer: many ways, each of them rare.
        ("examples/congestion.nacre", "controlled_pt2pt", [95.0, 80.0, 60.0]),
        ("benches/papers.nacre", "ten", [98.0, 90.0, 75.0]),
    ] {
        let composed = stack(file, name);
        let optimized = bypassed(&composed);
        for (loss, bar) in [0.0, 0.01, 0.05].into_iter().zip(bars) {
            let share = share(&composed, &optimized, loss, 200);
            println!("{name}: {share:.1} % at {:.0} % loss", 100.0 * loss);
            assert!(share >= bar, "{name}: {share:.1} % at {:.0} % loss", 100.0 * loss);
        }
    }
}

#[test]
fn pieces_of_long_messages_take_a_bypass() {
    let composed = stack("examples/reliable.nacre", "reliable_plain");
    let share = share(&composed, &bypassed(&composed), 0.0, 4_000);
    println!("{share:.1} %");
    assert!(share >= 80.0, "{share:.1} %");
}

#[test]
fn a_stack_always_has_the_same_bypasses() {
    let composed = stack("benches/papers.nacre", "ten");
    assert_eq!(bypassed(&composed).bypasses, bypassed(&composed).bypasses);
}

/// A timer that is due at once, for ever; a stack that takes no message, but has something to say all the time; frames
/// that multiply.
#[test]
fn simulations_end_whatever_the_stack_does() {
    let composed = stack("profiles/tests/endless.nacre", "endless_echoes");
    assert!(usually_common(&composed).is_ok_and(|common| common.steps > 1_000));
    let composed = stack("profiles/tests/endless.nacre", "never_idle");
    assert!(usually_common(&composed).is_ok_and(|common| common.steps > 0));
    let composed = stack("profiles/tests/endless.nacre", "never_ready");
    assert!(usually_common(&composed).is_err());
    let mut marked = composed.clone();
    optimize(&mut marked, Level::Bypass);
    assert_eq!(bypassed(&composed).bypasses, marked.bypasses);
}

#[test]
fn a_stack_that_cannot_be_simulated_has_the_bypasses_that_its_marks_tell() {
    // Its functions in C have no models.
    let composed = stack("profiles/tests/foreign.nacre", "foreign");
    let mut marked = composed.clone();
    optimize(&mut marked, Level::Bypass);
    assert!(!marked.bypasses.is_empty());
    assert_eq!(bypassed(&composed).bypasses, marked.bypasses);
}
