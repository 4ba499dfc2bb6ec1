//! User-defined worlds, each with a property that a verdict must not overlook.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{nacre, ran};

/// The result of `verify` for one of the sources.
fn verified(name: &str, more: &[&str]) -> (i32, String, String) {
    let file = format!("cli/tests/sources/worlds/{name}.nacre");
    ran(nacre(&["verify", &file, "--brief"]).args(more))
}

#[test]
fn messages_of_two_kinds_are_not_alike() {
    let (status, out, _) = verified("two_kinds", &["--configuration", "small"]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("VIOLATED: `got_urgent` at b is not allowed by `posts` here"), "{out}");
    // A violation counts although another configuration is too large.
    let (status, out, err) = verified("two_kinds", &[]);
    assert_eq!(status, 1, "{out}");
    let words = "141 messages of up to 1 bytes cannot be distinguished by each of their bytes; at most 125 can";
    assert!(err.contains(words), "{err}");
    assert!(out.contains("VIOLATED") && out.contains(&format!("no verdict: {words}")), "{out}");
}

#[test]
fn configurations_set_what_is_true_or_false() {
    for (configuration, word) in [
        ("usual", "an assertion does not hold: open"),
        ("both", "  holds in this configuration"),
        ("there", "  holds in this configuration"),
        ("here", "an assertion does not hold: open"),
    ] {
        let (_, out, err) = verified("truths", &["--configuration", configuration]);
        assert!(out.contains(word), "{configuration}: {out}{err}");
    }
    let (status, _, err) = verified("truths", &["--configuration", "wrong"]);
    assert!(status == 1 && err.contains("`open` is `true` or `false`"), "{status}: {err}");
}

/// A number for a duration would be nanoseconds.
#[test]
fn values_are_written_as_what_they_set() {
    for (configuration, words) in [
        ("bare", "`WAIT` is a duration, not a number"),
        ("bare", "write the unit: `5 ms`"),
        ("counted", "`send` is a number, not a duration"),
        ("twice", "`misuse` is `true` or `false`"),
        ("yes", "`MOST` is a number, not `true` or `false`"),
        ("paused", "`trip` is a duration, not a number"),
        ("half", "`patience` is a duration, not a number"),
    ] {
        let (status, out, err) = verified("kinds", &["--configuration", configuration]);
        assert!(status == 1 && err.contains(words) && !out.contains("holds"), "{configuration}: {status} {out}{err}");
    }
    let (status, out, err) = verified("kinds", &["--configuration", "right"]);
    assert!(status == 0 && out.contains("holds"), "{status} {out}{err}");
    for wrong in ["WAIT=5", "send=5ms", "misuse=2", "MOST=true", "MOST=70000", "patience=7"] {
        let (status, out, err) = verified("kinds", &["--configuration", "right", "--set", wrong]);
        assert!(status == 2 && !out.contains("holds"), "{wrong}: {status} {out}{err}");
    }
    let twice = ["--configuration", "right", "--set", "send=1,0", "--set", "send=2,0"];
    let (status, _, err) = verified("kinds", &twice);
    assert!(status == 2 && err.contains("`send` is set twice"), "{err}");
    for right in ["WAIT=5ms", "send=2,0", "misuse=1", "misuse=false", "MOST=7", "patience=7s"] {
        let (status, out, err) = verified("kinds", &["--configuration", "right", "--set", right]);
        assert!(status == 0 && out.contains("holds"), "{right}: {status} {out}{err}");
    }
}

#[test]
fn nothing_is_claimed_that_was_not_searched() {
    for (layer, words) in [
        ("nested", "nested: no run executed the branch of `nested.down.send`"),
        ("damaged", "`noisy_network` changes or makes up frames, which do not arrive with a clock"),
        ("counted", "`upto` of an automaton enumerates only 65536 numbers"),
        ("unopened", "every opening violates an assertion"),
    ] {
        let (status, out, err) = verified("claims", &["--layer", layer]);
        assert!(status == 3 && out.contains(words) && !out.contains("holds in every"), "{layer}: {status} {out}{err}");
    }
    let (status, out, err) = verified("claims", &["--layer", "in_order"]);
    assert!(status == 0 && out.contains("holds in every configuration"), "{status} {out}{err}");
    assert!(
        out.contains("note: with a clock each frame arrives at most once, as it was sent, but for fault outputs"),
        "{out}"
    );
}

/// An extension that changes what it inherits, or limits calls, does not refine: a layer that provides it breaks the other.
#[test]
fn what_is_extended_and_not_refined_does_not_hold_above() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("refined.nacre");
    let file = path.to_str().expect("UTF-8");
    let source = |more: &str| {
        format!(
            "import \"nacre/interfaces.nacre\";
            automaton once {{
                state {{ sent: bag<msg> per member }}
                input send(at p, m) {{ sent[p].add(m); }}
                output deliver(at q, m) when m in sent[peer(q)] {{ sent[peer(q)].remove(m); }}
            }}
            automaton other extends once {{ state {{ again: bag<msg> per member }} {more} }}
            worker low {{ requires once; provides other; }}
            worker high {{ requires once; provides once; }}
            stack both = high / low;"
        )
    };
    for (more, is_refined) in [
        ("output deliver(at q, m) { again[peer(q)].add(m); }", true),
        ("output deliver(at q, m) when again[q].empty { }", true),
        ("internal back(p, m) when m in again[p] { again[p].remove(m); sent[p].add(m); }", false),
        ("internal lose(p, m) when m in sent[p] { if true { for x in sent[p] { sent[p].remove(x); } } }", false),
        ("input send(at p, m) when again[p].empty { }", false),
        ("input send(at p, m) { again[p].add(m); }", true),
    ] {
        std::fs::write(&path, source(more)).expect("written");
        let (status, out, err) = ran(&mut nacre(&["check", file]));
        match is_refined {
            true => assert_eq!(status, 0, "{more}: {out}{err}"),
            false => assert!(status == 1 && err.contains("`high` requires `once`, which `low`"), "{more}: {out}{err}"),
        }
    }
}

/// Opening is what the network says first; the engines agree, also where opening has several outcomes.
#[test]
fn opening_is_an_output_of_the_network() {
    for layer in ["passing", "counting", "greeting", "drawing"] {
        let arguments = ["--layer", layer, "--engine", "all", "--level", "inline"];
        let (status, out, err) = verified("begun", &arguments);
        assert!(status == 0 && out.contains("holds in every configuration"), "{layer}: {status} {out}{err}");
    }
}

/// A timer fires at time 0, where no time has passed since it was armed.
#[test]
fn violation_for_which_time_would_have_to_pass_is_none() {
    let (status, out, _) = verified("no_time", &["--layer", "early"]);
    assert!(status == 3 && !out.contains("VIOLATED") && out.contains("(set `trip` for a clock)"), "{out}");
    let (status, out, _) = verified("no_time", &["--layer", "early", "--set", "trip=1ms"]);
    assert!(status == 0 && out.contains("holds"), "{out}");
    // No timer fires in its run.
    let (status, out, _) = verified("no_time", &["--layer", "wrong"]);
    assert!(status == 1 && out.contains("VIOLATED"), "{out}");
}

#[test]
fn handler_of_a_header_that_only_unexecuted_code_sends_is_reported() {
    let (status, out, _) = verified("marks", &[]);
    let words =
        "marked: no run executed the branch of `marked.down.send` at marks.nacre:16:13, `marked.up.deliver.Rare`\n";
    assert!(status == 3 && out.contains(words), "{status}: {out}");
}

#[test]
fn code_behind_what_always_leaves_is_reported() {
    let (status, out, _) = verified("leaves", &[]);
    let places = ["`leaves.down.send` at leaves.nacre:14:9", "`leaves.up.deliver` at leaves.nacre:18:41"];
    let last = "`leaves.up.deliver` at leaves.nacre:19:26";
    assert!(status == 3 && places.iter().chain([&last]).all(|place| out.contains(place)), "{status}: {out}");
}

#[test]
fn frames_that_no_endpoint_sends_violate_what_a_layer_trusts() {
    let of = |layer, configuration, more: &[&str]| {
        verified("forged", &[&["--layer", layer, "--configuration", configuration], more].concat())
    };
    for (layer, configuration, words) in [
        ("trusts_a_number", "altered", "an assertion does not hold: number < 3"),
        ("trusts_the_form", "altered", "an assertion does not hold: asked"),
        ("trusts_a_body", "forged", "an assertion does not hold: m.len > 0"),
        ("takes_any_stack", "abroad", "an assertion does not hold: spoken == stack.fingerprint"),
    ] {
        let (status, out, _) = of(layer, configuration, &[]);
        assert!(status == 1 && out.contains(words), "{layer}: {out}");
    }
    let trusting = [("trusts_a_number", "honest"), ("trusts_the_form", "honest"), ("trusts_a_body", "altered")];
    let looking = ["altered", "forged", "strayed"].map(|configuration| ("looks_at_a_number", configuration));
    for (layer, configuration) in trusting.into_iter().chain(looking) {
        let (_, out, _) = of(layer, configuration, &[]);
        assert!(out.contains("  holds in this configuration"), "{layer}: {out}");
    }
    // SPIN refuses them; a saved run is repeated in the interpreter and in C.
    let (_, out, _) = of("looks_at_a_number", "altered", &["--engine", "spin"]);
    assert!(out.contains("not checked by this engine") && out.contains("frames that no endpoint sends"), "{out}");
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("forged.json");
    let trace = trace.to_str().unwrap();
    let (status, ..) = of("trusts_a_number", "altered", &["--trace", trace]);
    let (repeated, out, err) = ran(&mut nacre(&["replay", trace, "--brief"]));
    assert_eq!((status, repeated), (1, 0), "{out}{err}");
}

#[test]
fn many_messages_are_distinguished() {
    let (status, out, _) =
        verified("two_kinds", &["--configuration", "small", "--set", "plain=40,2", "--set", "urgent=0"]);
    assert_eq!(status, 3, "one branch needs an urgent message: {out}");
    assert!(out.contains("  holds in this configuration") && out.contains("plain 40 at a, 2 at b"), "{out}");
}

#[test]
fn calls_that_no_specification_allows_are_refused() {
    let sent = "VIOLATED: `send` at a is accepted, and no specification allows it here";
    let of = |layer, more: &[&str]| verified("misuse", &[&["--layer", layer][..], more].concat());
    for (layer, words) in
        [("takes", sent), ("drops", sent), ("answers", sent), ("trusts", "an assertion does not hold: !closed")]
    {
        let (status, out, _) = of(layer, &["--configuration", "c"]);
        assert!(status == 1 && out.contains(words), "{layer}: {out}");
    }
    for (layer, configuration) in [("refuses", "c"), ("hands_on", "c"), ("trusts", "trusted")] {
        let (status, out, _) = of(layer, &["--configuration", configuration]);
        assert!(status == 0 && out.contains("  holds in this configuration"), "{layer}: {out}");
    }
    // SPIN does not try them, and its states are those of the explorer.
    let (status, out, err) = of("refuses", &["--engine", "all", "--level", "call"]);
    assert!(status == 0 && !err.contains("internal"), "{out}{err}");
    let (status, out, err) = of("takes", &["--engine", "all", "--level", "call"]);
    assert!(status == 1 && !err.contains("internal"), "{out}{err}");
}

#[test]
fn what_a_layer_below_does_not_accept_is_found_in_a_stack() {
    let words = "VIOLATED: the stack: an event comes where it is not accepted: `one` does not accept this `send`";
    for engine in ["explorer", "spin"] {
        let (status, out, _) = verified("inner", &["--stack", "pair", "--configuration", "c", "--engine", engine]);
        assert!(status == 1 && out.contains(words), "{engine}: {out}");
    }
    let (status, out, _) = verified("inner", &["--stack", "pair", "--configuration", "single"]);
    assert!(status == 0 && out.contains("  holds in this configuration"), "{out}");
}

#[test]
fn configurations_choose_arguments_of_calls() {
    for engine in ["explorer", "spin"] {
        let (status, out, _) = verified("arguments", &["--configuration", "two", "--engine", engine]);
        assert!(status == 0 && out.contains("    to of send is 0 or 2\n"), "{engine}: {out}");
        let (status, out, _) = verified("arguments", &["--configuration", "three", "--engine", engine]);
        assert!(status == 1 && out.contains("send(3, 0x01)") && out.contains("deliver(2, 0x01)"), "{engine}: {out}");
    }
    let of = |set| verified("arguments", &["--configuration", "usual", "--set", set]);
    let (status, _, err) = of("send.to=300");
    assert!(status != 0 && err.contains("`to` of `send` cannot be 300"), "{err}");
    let (status, _, err) = of("send.too=1");
    assert!(status == 2 && err.contains("`send` has no argument `too`") && err.contains("to"), "{err}");
}

#[test]
fn event_at_a_port_of_a_layer_is_monitored() {
    let (status, out, _) = verified("own_port", &["--configuration", "once"]);
    assert!(out.contains("holds in this configuration") && status == 3, "nobody asks there: {out}");
    let folder = tempfile::tempdir().expect("a folder");
    for (configuration, event) in [("twice", "busy"), ("asked", "calm")] {
        let trace = folder.path().join(configuration);
        let trace = trace.to_str().expect("UTF-8");
        let (status, out, _) = verified("own_port", &["--configuration", configuration, "--trace", trace]);
        assert_eq!(status, 1, "{out}");
        assert!(out.contains(&format!("VIOLATED: `{event}` at a is not allowed by `by_turns` here")), "{out}");
        assert!(out.contains(&format!("▲ {event}()")), "{out}");
        let (status, out, err) = ran(&mut nacre(&["replay", trace, "--brief", "--level", "queue"]));
        assert_eq!(status, 0, "{out}{err}");
        assert!(out.contains("C at level queue: the same outputs at each step"), "{out}");
    }
    let (status, out, _) = verified("own_port", &["--configuration", "once", "--engine", "all"]);
    assert_eq!(status, 3);
    assert_eq!(out.matches("is an event at a port of a layer, and this engine observes only the top").count(), 2);
}

#[test]
fn truth_values_of_events_are_those_of_automata() {
    let (status, out, _) = verified("flags", &[]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("  6 states"), "{out}");
}

#[test]
fn specification_that_cannot_be_tracked_gives_no_verdict() {
    let (status, out, _) = verified("thinking", &[]);
    assert_eq!(status, 3, "{out}");
    let words = "no violation found, but `thinking` can be in more than 4096 states";
    assert_eq!(out.matches(words).count(), 2, "{out}");
}

#[test]
fn state_with_too_many_moves_is_reported() {
    let (status, out, _) = verified("crowded", &[]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("no violation found, but in one state more than 32768 moves are possible"), "{out}");
}

#[test]
fn excuse_for_another_goal_does_not_excuse_a_refused_call() {
    let (status, out, _) = verified("refusing", &[]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("cannot be met any more: all calls of the application are accepted"), "{out}");
}

#[test]
fn goals_of_layers_are_excused_only_where_the_specification_asks_for_nothing() {
    for engine in ["explorer", "spin"] {
        let (status, out, _) = verified("settling", &["--layer", "restless", "--engine", engine]);
        assert!(status == 1 && out.contains("VIOLATED: ") && out.contains("settled of restless"), "{engine}: {out}");
        let (status, out, _) = verified("settling", &["--layer", "given_up", "--engine", engine]);
        assert_eq!(status, 0, "{engine}: {out}");
    }
}

#[test]
fn goals_that_only_a_fault_meets_are_not_met() {
    let (status, out, _) = verified("by_fault", &[]);
    assert!(status == 1 && out.contains("cannot be met any more: all_arrive of all_heard"), "{status}: {out}");
}

#[test]
fn names_that_spin_knows_or_has_no_room_for_are_no_trouble() {
    for name in ["names", "long_names"] {
        let (status, out, err) = verified(name, &["--engine", "spin"]);
        assert_eq!((status, err.as_str()), (0, ""), "{out}");
    }
}

#[test]
fn result_of_one_engine_is_reported_if_another_is_missing() {
    let file = "cli/tests/sources/worlds/flags.nacre";
    let (status, out, err) = ran(nacre(&["verify", file, "--engine", "all"]).env("PATH", "/nonexistent"));
    assert_eq!(status, 3);
    assert!(out.contains("holds in this configuration") && out.contains("no verdict: `spin` was not found"), "{out}");
    assert_eq!(err.matches("`spin` was not found").count(), 1, "once, for two engines: {err}");
}

/// Replaces one of the programs that check: reports in `begun` that it runs, and then waits until `never` is opened.
const BLOCKS: &str = "#!/bin/sh\nexec 3> \"$AT/begun\"\necho begun >&3\nread line < \"$AT/never\"\n";

fn script(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("made executable");
}

/// Interrupts the verification while one of its programs blocks: `spin`, `gcc` or the verifier `pan`. The others
/// succeed.
fn interrupted_while_blocked(blocked: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (at, scratch) = (folder.path(), folder.path().join("scratch"));
    std::fs::create_dir(&scratch).expect("made");
    let pipes = Command::new("mkfifo").args([at.join("begun"), at.join("never")]).status().expect("mkfifo");
    assert!(pipes.success());
    let text = |name: &str, succeeds: &str| if name == blocked { BLOCKS.to_string() } else { succeeds.to_string() };
    script(&at.join("spin"), &text("spin", "#!/bin/sh\n: > pan.c\n"));
    script(&at.join("gcc"), &text("gcc", "#!/bin/sh\ncp \"$AT/pan\" pan\n"));
    script(&at.join("pan"), &text("pan", "#!/bin/sh\n"));
    let path = format!("{}:{}", at.display(), std::env::var("PATH").expect("a search path"));
    let mut command = nacre(&["verify", "cli/tests/sources/worlds/flags.nacre", "--engine", "spin"]);
    command.env("PATH", path).env("AT", at).env("TMPDIR", &scratch).stdout(Stdio::piped());
    let child = command.spawn().expect("starts");
    // Opens when the blocking program opens it, and ends when that program has ended.
    let mut begun = BufReader::new(File::open(at.join("begun")).expect("a FIFO"));
    let mut line = String::new();
    begun.read_line(&mut line).expect("a line");
    assert_eq!(line, "begun\n", "{blocked}");
    // To this process alone: its programs are in separate process groups.
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let done = child.wait_with_output().expect("ends");
    let out = String::from_utf8_lossy(&done.stdout);
    assert_eq!(done.status.code(), None, "{blocked}: it ends by the signal: {out}");
    assert!(out.contains("no violation found, but it was interrupted"), "{blocked}: {out}");
    assert_eq!(begun.read_line(&mut line).expect("the end of the FIFO"), 0, "{blocked} has ended");
    assert_eq!(std::fs::read_dir(&scratch).expect("is there").count(), 0, "{blocked}: nothing is left behind");
}

#[test]
fn programs_that_check_end_with_us() {
    ["spin", "gcc", "pan"].into_iter().for_each(interrupted_while_blocked);
}

#[test]
fn verdict_that_cannot_be_printed_is_none() {
    let (ours, theirs) = UnixStream::pair().expect("a pair");
    drop(ours);
    let mut command = nacre(&["verify", "cli/tests/sources/no_bit.nacre"]);
    let status = command.stdout(Stdio::from(OwnedFd::from(theirs))).status().expect("starts");
    assert_eq!(status.code(), Some(3));
}

#[test]
fn settings_precede_their_subject() {
    let (status, out, err) = verified("no_default", &[]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("stack no_default<3>"), "{out}");
    // The error of the layer is reported, not the setting that causes it.
    let (status, _, err) = verified("no_default", &["--set", "KIND=256"]);
    assert!(status == 2 && err.contains("256 does not fit `KIND: u8`"), "{err}");
    let (status, _, err) = verified("no_default", &["--set", "numbers=300"]);
    assert!(status == 2 && err.contains("`numbers` is 2 to 32"), "{err}");
}

#[test]
fn unchecked_goals_are_reported() {
    let (status, out, _) = verified("flags", &["--set", "timers=1"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("note: timers are limited, so progress is not guaranteed: goals were not checked"), "{out}");
}

#[test]
fn engines_agree_on_events_and_moves_of_automata() {
    let (status, out, err) = verified("missing", &["--layer", "reads", "--engine", "all", "--level", "inline"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let (status, out, err) = verified("missing", &["--layer", "moves", "--engine", "spin"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("  83 states"), "two more than the explorer has: {out}");
}

#[test]
fn events_with_addresses_are_run_and_unsupported_values_are_reported() {
    let (status, out, _) = verified("opening", &["--layer", "surprised"]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("VIOLATED: surprised: an assertion does not hold: false"), "{out}");
    let (status, out, _) = verified("opening", &["--layer", "content"]);
    assert_eq!(status, 0, "{out}");
    let (status, out, _) = verified("opening", &["--layer", "content", "--set", "GRANT=70000"]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("the network's `grant_sends` has values that it cannot have: 70000"), "{out}");
}

#[test]
fn a_network_without_an_end_ends_by_the_limit_of_memory() {
    // The limit is kept wherever in a level of the search it lies, also where a table is about to double: then the
    // search ends a little before it.
    for (limit, threads) in [(60, 1), (65, 1), (80, 2), (95, 1), (110, 1), (115, 2), (120, 1), (125, 2), (140, 1)] {
        let (most, threads) = (limit.to_string(), threads.to_string());
        let (status, out, _) = verified("growing", &["--memory", &most, "--threads", &threads]);
        assert_eq!(status, 3, "{out}");
        assert!(out.contains(&format!("no violation found, but the limit of {limit} MiB was reached")), "{out}");
        let figures = out.lines().find(|line| line.contains(" states, ")).unwrap_or_default();
        let memory = figures.split(' ').rev().nth(1).and_then(|number| number.parse::<u32>().ok());
        assert!(memory.is_some_and(|memory| (limit * 8..=limit * 11).contains(&(memory * 10))), "{limit}: {figures}");
    }
}

#[test]
fn messages_that_are_joined_and_filtered_are_the_same_to_spin() {
    let states = |out: &str| -> Vec<u64> {
        let lines = out.lines().filter(|line| line.contains(" states, "));
        lines.filter_map(|line| line.trim().split(' ').next()?.parse().ok()).collect()
    };
    // No message of this world makes the filters of `summed` reject it.
    for (name, expected) in [("joined", 0), ("summed", 3)] {
        let (status, explored, err) = verified(name, &[]);
        assert_eq!(status, expected, "{explored}{err}");
        let (status, out, err) = verified(name, &["--engine", "spin"]);
        assert_eq!(status, 0, "{out}{err}");
        assert_eq!(states(&out)[0], states(&explored)[0] + 2, "{explored}{out}");
    }
}

#[test]
fn network_without_a_bound_is_named() {
    let (status, out, err) = verified("endless", &[]);
    assert_eq!(status, 3, "{out}{err}");
    let why = "the network grows without bound: each time that `shouting.again` fires at";
    assert!(out.contains(why) && out.contains("`sent` of `lossy_fifo_network` keeps more; limit it"), "{out}");
    let (status, out, _) = verified("endless", &["--set", "timers=2"]);
    assert_eq!(status, 0, "{out}");
}

#[test]
fn a_branch_that_no_run_executed_is_no_plain_holds() {
    let (status, out, _) = verified("long_messages", &[]);
    assert_eq!(status, 3, "{out}");
    let branch = "long_messages: no run executed the branch of `long_messages.down.send` at long_messages.nacre:9:24\n";
    assert!(out.contains(branch), "{out}");
    let arm = "every_fourth: no run executed the branch of `every_fourth.down.send` at long_messages.nacre:22:20\n";
    assert!(out.contains(arm), "{out}");
    assert!(out.ends_with("no violation found, but the search is incomplete\n"), "{out}");
    // In a configuration that executes it, it is checked.
    let (status, out, _) = verified("long_messages", &["--all", "--layer", "long_messages"]);
    assert!(status == 1 && out.contains("all_arrive of fifo_network"), "{out}");
}

#[test]
fn behaviour_that_depends_on_the_clock_is_no_plain_holds() {
    let (status, out, _) = verified("old_messages", &["--engine", "all", "--level", "call"]);
    assert_eq!(status, 3, "{out}");
    let words = "no violation found, but in `old_messages.on.leave` the clock affects an event";
    assert!(out.contains(words) && !out.contains("  holds in this configuration"), "{out}");
}

#[test]
fn random_numbers_that_the_code_distinguishes_are_tried_and_others_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("run").to_str().expect("UTF-8").to_string();
    let (status, out, _) = verified("drawn", &["--layer", "once_in_a_thousand", "--trace", &trace]);
    assert!(status == 1 && out.contains("VIOLATED: `send` goes down"), "{out}");
    for level in ["queue", "call", "inline"] {
        let (status, out, err) = ran(&mut nacre(&["replay", &trace, "--brief", "--level", level]));
        assert!(status == 0 && out.contains("the same outputs at each step"), "{out}{err}");
    }
    let (status, out, _) = verified("drawn", &["--layer", "anywhere"]);
    assert_eq!(status, 3, "{out}");
    let words = "but random values were left out; only the least and the greatest value of the random number at drawn.nacre:22:22 were tried";
    assert!(out.contains(words), "{out}");
    // A time that is drawn counts if it decides more than how long a timer waits.
    let (status, out, _) = verified("drawn", &["--layer", "paused"]);
    assert!(status == 3 && out.contains("random number at drawn.nacre:37:17 were tried"), "{out}");
    let (status, out, _) = verified("drawn", &["--layer", "put_off"]);
    assert!(status == 0 && out.contains("holds in every configuration"), "{out}");
    for layer in ["racing", "restless"] {
        let (status, out, _) = verified("drawn", &["--layer", layer]);
        assert!(status == 3 && out.contains("of the random number at drawn.nacre"), "{out}");
    }
    let (_, out, _) = verified("drawn", &["--layer", "once_in_a_thousand", "--engine", "spin"]);
    assert!(out.contains("not checked by this engine: this engine tries only the least and the greatest"), "{out}");
}

#[test]
fn timers_that_are_due_together_fire_in_their_order() {
    let (status, out, _) = verified("due_together", &["--layer", "in_order"]);
    assert_eq!(status, 0, "{out}");
    let (status, out, _) = verified("due_together", &["--layer", "reversed"]);
    assert!(status == 1 && out.contains("VIOLATED"), "{out}");
}

#[test]
fn what_is_preserved_has_the_parameters_of_what_is_required() {
    let cases = [
        (["--layer", "doubling"], 1, "specification copies<MOST = 1>"),
        (["--stack", "twice"], 1, "specification copies<MOST = 1>"),
        (["--layer", "passing"], 0, "specification copies<MOST = 4>"),
        (["--layer", "late"], 0, "specification copies<MOST = 4>"),
        (["--layer", "own_copies"], 0, "specification copies<MOST = 2>"),
    ];
    for (subject, status, above) in cases {
        let (found, out, err) = verified("preserved", &subject);
        assert!(found == status && out.contains(above), "{subject:?}: {out}{err}");
    }
}

#[test]
fn an_event_that_no_specification_mentions_is_not_made_up() {
    for engine in [&["explorer"][..], &["spin"], &["spin-c", "--level", "call"]] {
        let (status, out, _) = verified("made_up", &[&["--layer", "spurious", "--engine"], engine].concat());
        assert_eq!(status, 1, "{engine:?}: {out}");
        assert!(out.contains("`closed` at b is not allowed by `fair_lossy_network` here"), "{engine:?}: {out}");
    }
    // Events of the network may be passed on.
    let (status, out, _) = verified("made_up", &["--layer", "hands_on"]);
    assert_eq!(status, 0, "{out}");
}

#[test]
fn what_an_unmet_goal_waits_for_is_said() {
    let (_, out, _) = verified("blocked", &["--layer", "waits_for_ever"]);
    // Of the shortest runs, it may show one after which the network must grant a second send first.
    let waits = ["refused", "not allowed by the specification"];
    let told = |why: &&str| out.contains(&format!("all calls of the application are accepted: `send` at a is {why}"));
    assert!(waits.iter().any(told), "{out}");
    let (_, out, _) = verified("blocked", &["--layer", "drops_all"]);
    assert!(out.contains("all_arrive of fifo_network: `sent` is [0x01] at a and [] at b"), "{out}");
}

#[test]
fn an_end_of_the_connection_by_the_network_is_no_progress() {
    let taken = "all calls of the application are accepted";
    for (layer, goal) in [("waits_for_ever", taken), ("takes_one", taken), ("drops_all", "all_arrive of fifo_network")]
    {
        for engine in ["explorer", "spin"] {
            let (status, out, _) = verified("blocked", &["--layer", layer, "--engine", engine]);
            assert!(status == 1 && out.contains("VIOLATED: ") && out.contains(goal), "{layer}, {engine}: {out}");
        }
    }
}

#[test]
fn configurations_set_values_of_all_types_and_charts_show_them_so() {
    let of = |file: &str, name| {
        let file = format!("cli/tests/sources/{file}.nacre");
        ran(&mut nacre(&["verify", &file, "--stack", "st", "--configuration", name, "--brief"]))
    };
    let (status, out, err) = of("typed_calls", "other_start");
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("▼ put(-3, high, true, 0x01)") && out.contains("▲ told(-3)"), "{out}");
    for words in ["steps is initially 4 at both", "change is initially -5 at both", "change of put is -3"] {
        assert!(out.contains(words), "{words}: {out}");
    }
    for (name, words, column) in [
        ("beyond_a_range", "`steps` cannot be 9: it is 3 to 8", "4:39"),
        ("beyond_a_type", "`change` of `put` cannot be 256", "5:38"),
    ] {
        let (status, _, err) = of("beyond", name);
        assert!(status == 1 && err.contains(words) && err.contains(column), "{name}: {status} {err}");
    }
}

#[test]
fn what_an_engine_does_not_check_is_not_said_to_hold() {
    let of = |configuration, engine| verified("counted", &["--configuration", configuration, "--engine", engine]);
    let (status, out, _) = of("twice", "explorer");
    assert!(status == 1 && out.contains("VIOLATED"), "{status}: {out}");
    for (configuration, engine, unchecked) in [
        ("twice", "spin-c", "invariants, which C does not have"),
        ("misused", "spin", "calls that no specification allows"),
    ] {
        let (_, out, err) = of(configuration, engine);
        assert!(out.contains(&format!("note: not checked by this engine: {unchecked}\n")), "{out}{err}");
        for claim in ["holds in this configuration", "are tried too"] {
            assert!(!out.contains(claim), "{claim}: {out}");
        }
        let last = out.lines().next_back().expect("a line");
        assert!(last.starts_with("holds in every configuration (SPIN") && last.contains(unchecked), "{out}");
    }
}

/// A violation that SPIN has found stands, also where its search for a shorter one meets a limit of the model first.
#[test]
fn violation_beyond_a_limit_of_the_model_is_reported() {
    let (status, out, err) = verified("two_ways", &["--engine", "spin-c", "--level", "call"]);
    assert_eq!(status, 1, "{out}{err}");
    assert!(out.contains("VIOLATED") && !out.contains("internal error"), "{out}");
}

/// `first` says where numbers begin; what a handler clears begins with 0.
#[test]
fn numbers_of_windows_that_are_cleared_are_noted() {
    let note = "note: `first` is where numbers begin: `clear()` of a window sets them to 0\n";
    for (configuration, expected) in [("plain", false), ("shifted", true)] {
        let (_, out, err) = verified("cleared", &["--configuration", configuration]);
        assert_eq!(out.contains(note), expected, "{out}{err}");
    }
}

/// An event of a program means nothing to the automata of files that do not import it.
#[test]
fn events_of_a_program_leave_the_library_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.nacre");
    for event in ["down send(a: u8, b: u8)", "down send(a: u8)", "up closed(a: msg)", "up deliver(a: u8)"] {
        std::fs::write(&path, format!("import \"nacre/interfaces.nacre\";\ninterface extra {{ {event} }}\n"))
            .expect("written");
        let (status, _, err) = ran(nacre(&["check"]).arg(&path));
        assert_eq!((status, err.as_str()), (0, ""), "{event}");
    }
    // Its own are those that it sees.
    let text = "interface extra { down post(a: u8) up posted(a: u8) }
        automaton own {
            state { seen: set<nat> per member }
            input post(at p, a) { seen[p].add(a); }
            output posted(at q, a) when a in seen[peer(q)] { }
        }";
    std::fs::write(&path, text).expect("written");
    let (status, _, err) = ran(nacre(&["check"]).arg(&path));
    assert_eq!((status, err.as_str()), (0, ""));
}

/// What is added to a set, or taken out of it, is an element: `min` of two numbers is one.
#[test]
fn least_of_two_elements_is_an_element() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("least.nacre");
    let text = "import \"nacre/interfaces.nacre\";
        worker w over channel {
            state { v: bits<8>, a: u16 }
            down send(m) {
                v = v - min((if a > 3 { 1 } else { 7 }), a);
                v += max(a, 2);
                pass m;
            }
        }";
    std::fs::write(&path, text).expect("written");
    let (status, _, err) = ran(nacre(&["check"]).arg(&path));
    assert!(status == 0 && !err.contains("Error"), "{err}");
}
