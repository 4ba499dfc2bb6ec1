//! `nacre sim` and `nacre test`: runs replay, levels agree, failures are shown.

mod common;

use common::*;

const BAD: [&str; 10] = ["--loss", "10%", "--duplicate", "5%", "--reorder", "5%", "--delay", "2ms", "--messages", "40"];

fn sim(more: &[&str]) -> (i32, serde_json::Value) {
    let mut arguments = vec!["sim", SMALL, "--stack", "sure", "--json"];
    arguments.extend(BAD);
    arguments.extend(more);
    let (status, out, err) = ran(&mut nacre(&arguments));
    (status, serde_json::from_str(&out).unwrap_or_else(|_| panic!("no JSON: {out}{err}")))
}

#[test]
fn one_seed_is_one_run_on_every_machine() {
    let (status, reference) = sim(&["--seed", "7"]);
    assert_eq!(status, 0, "{reference}");
    assert_eq!(reference["delivered"], 80);
    for machine in ["interpreter", "queue", "call", "inline", "all", "queue/inline", "interpreter/call"] {
        let (status, result) = sim(&["--seed", "7", "--level", machine]);
        assert_eq!((status, &result["digest"]), (0, &reference["digest"]), "{machine}: {result}");
    }
    assert_ne!(sim(&["--seed", "8"]).1["digest"], reference["digest"]);
}

#[test]
fn any_order_of_events_is_borne() {
    let (status, result) = sim(&["--any-order", "--runs", "3"]);
    assert_eq!((status, &result["ok"]), (0, &serde_json::Value::Bool(true)), "{result}");
}

/// Its last acknowledgements are lost three times after the other endpoint has closed.
#[test]
fn end_that_still_repeats_when_the_other_has_closed_is_waited_for() {
    let arguments = ["sim", "examples/reliable.nacre", "--stack", "reliable", "--loss", "20%", "--seed", "4"];
    let (status, out, err) = ran(nacre(&arguments).current_dir(root()));
    assert_eq!(status, 0, "{out}{err}");
}

#[test]
fn broken_promise_is_shrunk_and_replays() {
    let start = ["sim", SMALL, "--stack", "small", "--loss", "10%", "--messages", "30", "--largest", "100"];
    let (status, out, err) = ran(&mut nacre(&start));
    assert_eq!(status, 1, "{err}");
    assert!(out.contains("`complete` does not hold") && out.contains("lost"), "{out}");
    let again = out.lines().find_map(|line| line.strip_prefix("again: nacre ")).expect("how to see it again");
    let keep = again.rsplit("--keep ").next().expect("what is kept");
    assert!(keep.split(',').count() <= 3, "{keep}");
    let words: Vec<&str> = again.split(' ').collect();
    let (status, out, _) = ran(&mut nacre(&words));
    assert!(status == 1 && out.contains("does not hold"), "{out}");
}

/// That a message was not accepted before the end is what fails: it cannot be left out.
/// The `test` blocks of the library and the examples, in the interpreter.
#[test]
fn blocks_of_the_library_and_the_examples_pass() {
    let mut files = std::process::Command::new("grep");
    files.args(["-rl", "^test \"", "--include=*.nacre", "examples", "layers", "library"]).current_dir(root());
    let (_, files, _) = ran(&mut files);
    assert!(files.lines().count() >= 35, "{files}");
    let (status, out, err) = ran(nacre(&["test"]).args(files.lines()).env("PATH", "/nonexistent").env_remove("CC"));
    let last = out.lines().last().unwrap_or_default();
    assert!(status == 3 && last.contains(" tests, 0 failed") && err.contains("in the interpreter only"), "{out}{err}");
    assert!(out.lines().filter(|line| line.starts_with("ok ")).count() >= 270, "{last}");
}

#[test]
fn message_that_waits_belongs_to_the_shrunk_run() {
    let hasty = "cli/tests/sources/hasty.nacre";
    for seed in ["1", "2", "3", "4"] {
        let start = ["sim", hasty, "--stack", "hasty_stack", "--messages", "20", "--seed", seed];
        let (status, out, err) = ran(&mut nacre(&start));
        assert!(status == 1 && out.contains("was closed (reason `timeout`)"), "{out}{err}");
        let again = out.lines().find_map(|line| line.strip_prefix("again: nacre ")).expect("how to see it again");
        let keep = again.rsplit("--keep ").next().expect("what is kept");
        assert!(keep.split(',').count() <= 4, "{keep}");
        let (status, out, err) = ran(&mut nacre(&again.split(' ').collect::<Vec<_>>()));
        assert!(status == 1 && out.contains("does not hold"), "{out}{err}");
    }
}

/// `accepts` does not know the arguments of a call.
#[test]
fn calls_that_depend_on_their_arguments_are_made_with_others() {
    for level in ["interpreter", "all"] {
        let more = ["--stack", "tuned_stack", "--messages", "30", "--level", level];
        let (status, out, err) = ran(nacre(&["sim", "cli/tests/sources/hasty.nacre"]).args(more));
        assert!(status == 0 && out.contains("60 messages") && out.contains("every property holds"), "{out}{err}");
        assert!(!out.contains("tuned.others"), "{out}");
    }
}

#[test]
fn promises_that_are_not_made_are_not_checked() {
    let arguments = ["sim", SMALL, "--stack", "small", "--loss", "10%", "--check", "once,order,unbroken,space"];
    let (status, out, err) = ran(&mut nacre(&arguments));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("faults     lost"), "{out}");
}

#[test]
fn run_can_be_drawn() {
    let (status, out, _) =
        ran(&mut nacre(&["sim", SMALL, "--stack", "small", "--messages", "2", "--trace", "--delay", "1ms"]));
    assert!(status == 0 && out.contains("Seq{number=1}") && out.contains("▶│"), "{out}");
}

#[test]
fn tests_of_a_file_run_everywhere() {
    let (status, out, err) = ran(&mut nacre(&["test", SMALL]));
    assert_eq!(status, 0, "{out}{err}");
    for part in ["ok     what is sent arrives (seed 9; interpreter", "queue", "call", "inline", "1 test, 0 failed"] {
        assert!(out.contains(part), "{part} is missing: {out}");
    }
}

/// Packed messages are bounded by their contents, not by the length of a frame.
#[test]
fn packed_messages_longer_than_a_frame_arrive() {
    let (status, out, err) = ran(&mut nacre(&["test", "cli/tests/sources/packed.nacre"]));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("inline") && out.contains("1 test, 0 failed"), "{out}");
}

#[test]
fn failing_tests_show_the_actual_outputs() {
    let (status, out, err) = ran(&mut nacre(&["test", FAILING]));
    assert_eq!(status, 1);
    assert!(out.contains("2 tests, 2 failed"), "{out}");
    for part in
        ["expected b.deliver(\"goodbye\")", "found: deliver(\"hello\")", "no such output", "lost", "failing.nacre"]
    {
        assert!(err.contains(part), "{part} is missing: {err}");
    }
}

#[test]
fn missing_compiler_is_reported_in_one_line() {
    let empty = tempfile::tempdir().expect("a folder");
    let mut command = nacre(&["sim", SMALL, "--stack", "small", "--level", "queue"]);
    let (status, _, err) = ran(command.env("PATH", empty.path()));
    assert_eq!((status, err.lines().count()), (3, 1), "{err}");
    assert!(err.contains("apt-get install gcc"), "{err}");
    let mut command = nacre(&["test", SMALL]);
    let (status, out, err) = ran(command.env("PATH", empty.path()));
    assert!(status == 3 && out.contains("1 test, 0 failed") && err.contains("interpreter only"), "{out}{err}");
}

#[test]
fn simulation_without_messages_is_reported() {
    let growing = "cli/tests/sources/growing.nacre";
    let (status, out, err) = ran(&mut nacre(&["sim", growing, "--stack", "s"]));
    assert_eq!(status, 3, "{out}{err}");
    assert!(out.contains("nothing was checked: the stack accepted only empty messages"), "{out}");
    assert!(!out.contains("held") && err.contains("[C0023]"), "{out}{err}");
    let (_, out, _) = ran(&mut nacre(&["explain", growing, "--stack", "s"]));
    assert!(out.contains("only empty messages are accepted"), "{out}");
    let (status, out, _) = ran(&mut nacre(&["sim", SMALL, "--stack", "small", "--messages", "0"]));
    assert!(status == 3 && out.contains("nothing was checked: no message was requested"), "{out}");
    let (status, out, _) = ran(&mut nacre(&["sim", growing, "--stack", "s", "--json"]));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, value["ok"].as_bool(), value["longest"].as_u64()), (3, Some(false), Some(0)));
}

#[test]
fn events_without_an_end_are_an_error() {
    let endless = "cli/tests/sources/endless.nacre";
    let words = "100000 steps without time passing: a timer or a `later` event is always due";
    let (status, out, err) = ran(&mut nacre(&["test", endless]));
    assert_eq!((status, err.matches(words).count()), (1, 2), "{out}{err}");
    let (status, out, err) = ran(&mut nacre(&["sim", endless, "--stack", "endless", "--messages", "2"]));
    assert!(status == 1 && out.contains(words), "{status} {out}{err}");
    // As it says, without messages and faults.
    assert!(out.trim_end().ends_with("--messages 2 --keep"), "{out}");
    let again = ["sim", endless, "--stack", "endless", "--seed", "1", "--messages", "2", "--keep"];
    let (status, out, err) = ran(&mut nacre(&again));
    assert!(status == 1 && out.contains(words), "{status} {out}{err}");
}

#[test]
fn stack_without_send_is_for_tests() {
    let calls = "cli/tests/sources/calls.nacre";
    let (status, out, err) = ran(&mut nacre(&["sim", calls, "--stack", "calls"]));
    assert_eq!((status, out.as_str(), err.lines().count()), (3, "", 1), "{err}");
    assert!(err.contains("no call `send`") && err.contains("`ask`") && err.contains("nacre test"), "{err}");
    let (status, out, err) = ran(&mut nacre(&["test", calls]));
    assert_eq!(status, 0, "{out}{err}");
}

#[test]
fn only_names_a_test() {
    let (status, out, err) = ran(&mut nacre(&["test", SMALL, "--only", "what is sent arives"]));
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("did you mean `what is sent arrives`?"), "{err}");
    let (status, out, _) = ran(&mut nacre(&["test", SMALL, "--only", "sent"]));
    assert!(status == 0 && out.contains("1 test, 0 failed"), "{out}");
}

/// The host may pass any value that a parameter's type has, so the simulator does.
#[test]
fn all_parameters_of_calls_have_values() {
    let start = ["sim", "cli/tests/sources/sends.nacre", "--stack", "st", "--messages", "100", "--json"];
    let (status, out, err) = ran(nacre(&start).args(["--level", "all", "--check", "unbroken,order,space"]));
    assert_eq!(status, 0, "{out}{err}");
    let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    for counter in ["lowered", "raised", "urgent", "high", "large", "reasons"] {
        let count = found["counters"][format!("weighed.{counter}")].as_u64().unwrap_or(0);
        assert!(count > 0, "{counter}: {out}");
    }
}

#[test]
fn values_of_calls_are_shown_as_their_types_are_written() {
    let (status, out, err) = ran(&mut nacre(&["test", "cli/tests/sources/typed_calls.nacre"]));
    let all = format!("{out}{err}");
    assert_eq!(status, 1, "{all}");
    for words in [
        "expected b.top.put_there(-3, low, true, \"x\")",
        "found: put_there(-3, high, true, \"x\")",
        "▶ put(-3, high, true, 1 byte)",
        "◀ told(-3)",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
}

#[test]
fn events_of_one_name_are_shown_with_their_ports() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ports.nacre");
    let source = "interface net { down send(m: msg) up deliver(m: msg) up init() }
        interface probe { up told(k: u32) }
        worker one: net over net {
            port p1: probe;
            port p2: probe;
            down send(m) { p1.told(1); p2.told(2); pass m; }
        }
        stack s = one;
        test \"ports\" { open a, b with s; a.send(\"a\"); expect a.p2.told(1); }";
    std::fs::write(&path, source).expect("written");
    let (status, out, err) = ran(nacre(&["test"]).arg(&path));
    let all = format!("{out}{err}");
    assert!(status == 1 && all.contains("expected a.p2.told(1)") && all.contains("found: p2.told(2)"), "{all}");
}

#[test]
fn events_at_another_port_in_the_step_of_closed_come_not_after_it() {
    let start = ["sim", "cli/tests/sources/evidence.nacre", "--stack", "st", "--messages", "5", "--runs", "3"];
    let (status, out, err) = ran(&mut nacre(&start));
    assert_eq!(status, 0, "{out}{err}");
}
