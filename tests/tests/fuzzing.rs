//! libFuzzer finds no program of calls and frames at which the C of the four levels or the quick entries differ, in a
//! pool of enough blocks or of few, and none at which a sanitizer finds a mistake. The stored corpora reach every header.

use nacre_driver::Level;
use nacre_tests::fuzzing::{Harness, Reached, Workshop};
use nacre_tests::machines::{Machines, LEVELS};
use nacre_tests::root;

/// Programs that a default test runs.
const FEW: u64 = 2_000;
/// And a long campaign.
const MANY: u64 = 3_000_000;

/// The levels of a stack, each with a name of its own, and both ends of it.
fn levels(stack: &str, sums: bool) -> (Machines, Harness) {
    let workshop = Workshop::default();
    let machines = Machines::new(&workshop.declared(stack, sums));
    LEVELS.into_iter().for_each(|level: Level| workshop.compile_stack(&machines, level));
    let source = root().join("tests/c/fuzz_levels.c").display().to_string();
    let harness = workshop.link(&format!("levels_{stack}"), &[&source, "queue.o", "call.o", "inline.o", "bypass.o"]);
    (machines, harness)
}

/// Rules that no frame and no call can violate.
const NEVER: [&str; 2] = ["counter.bound", "counter.broken"];

/// Every result, output and counter of the stack, and accepted frames of every shape.
fn assert_reached(machines: &Machines, reached: &Reached) {
    let mut names: Vec<String> =
        ["ok", "refused", "no_space", "dropped", "invalid"].map(|r| format!("result.{r}")).into();
    names.extend(["send", "deliver", "closed", "open", "grant_sends"].map(|output| format!("output.{output}")));
    names.extend(["quick.call", "quick.frame"].map(String::from));
    let shapes = machines.stack.layouts[0].shapes.iter();
    names.extend(shapes.map(|shape| format!("frame.{:02x}", shape.number << 1 | u32::from(shape.identified))));
    names.extend(reached.counts.keys().filter(|name| name.starts_with("counter.")).cloned());
    let is_missed = |name: &&String| reached.count(name) == 0 && !NEVER.contains(&name.as_str());
    let missed: Vec<&String> = names.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(NEVER.iter().all(|name| reached.count(name) == 0), "a rule was broken: {reached:?}");
}

fn short(stack: &str, sums: bool) {
    let (machines, harness) = levels(stack, sums);
    assert_reached(&machines, &harness.run_stored());
    harness.fuzz(FEW, 1);
}

#[test]
fn levels_agree_about_frames_and_calls() {
    short("reliable_plain", true);
}

/// Sums are not checked: whatever is damaged in a frame gets to the layers above.
#[test]
fn levels_agree_about_frames_that_pass_for_sound() {
    short("reliable", false);
}

/// The core of a listener with a stack that is written for it.
fn listener() -> Harness {
    let workshop = Workshop::default();
    let machines = Machines::new(&workshop.declared("reliable", true));
    workshop.compile_stack(&machines, Level::Inline);
    workshop.compile_listener();
    workshop.link("listener", &["inline.o", "listener.a"])
}

/// Each connection has a part of the pool that is enough for it.
const IMPOSSIBLE: &str = "server.no_space";

fn assert_listener_reached(reached: &Reached) {
    let missed: Vec<_> = reached.counts.iter().filter(|(name, count)| **count == 0 && *name != IMPOSSIBLE).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let answers = ["refused", "unknown", "pong", "retry", "ended"].map(|kind| format!("answer.{kind}"));
    let events =
        ["client.delivered", "client.opened", "client.closed", "server.delivered", "server.opened", "server.closed"];
    answers.iter().map(String::as_str).chain(events).for_each(|name| assert!(reached.count(name) > 0, "{name}"));
}

/// Clients, their frames damaged, repeated and moved, greetings and control frames of anybody: the limits of a listener
/// hold, answers are not larger than their causes, events are told once, and every block of its pools comes back.
#[test]
fn listener_keeps_its_limits() {
    let harness = listener();
    assert_listener_reached(&harness.run_stored());
    harness.fuzz(FEW / 4, 1);
}

/// The core of a listener with a stack that is given keys, its clients, and somebody on the way without keys.
fn secure_listener() -> Harness {
    let workshop = Workshop::default();
    workshop.compile_secure_stack();
    workshop.compile_listener();
    workshop.link("listener_secure", &["inline.o", "listener.a"])
}

fn assert_secure_reached(reached: &Reached) {
    let wanted = ["opened", "not opened", "closed", "delivered", "forged", "forged.client", "retried"];
    wanted.into_iter().for_each(|name| assert!(reached.count(name) > 0, "{name}: {reached:?}"));
}

/// Frames of handshakes and sealed frames, whole, damaged, repeated, reflected and made up: messages are the peer's, and
/// connections end for reasons that an end has given.
#[test]
#[ignore = "a long campaign: make soak runs it; `random_secure` of the runtime runs the stored programs"]
fn secure_listener_believes_its_peers_alone() {
    let harness = secure_listener();
    assert_secure_reached(&harness.run_stored());
    harness.fuzz(FEW / 20, 1);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn secure_listener_believes_its_peers_alone_for_many_programs() {
    let harness = secure_listener();
    harness.fuzz(MANY / 100, 2);
    assert_secure_reached(&harness.run_stored());
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn listener_keeps_its_limits_for_many_programs() {
    let harness = listener();
    harness.fuzz(MANY / 4, 2);
    assert_listener_reached(&harness.run_stored());
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn levels_agree_about_many_programs() {
    for (stack, sums) in [("reliable_plain", true), ("reliable", false)] {
        let (machines, harness) = levels(stack, sums);
        harness.fuzz(MANY, 2);
        assert_reached(&machines, &harness.run_stored());
    }
}
