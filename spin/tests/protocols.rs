//! Classic small protocols (alternating bit, go back n, credit, ...) hold, and each mistake seeded in them is found by
//! the explorer, and by SPIN on the model and on the emitted C.

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use common::tools;
use nacre_backend_c::Level;
use nacre_checker::explore::{explore, Options, Verdict};
use nacre_checker::space::Space;
use nacre_driver::Session;
use nacre_spin::spin::{Limits, Searched, Verdict as Answer};
use nacre_spin::{emitted::between, model};
use nacre_worlds::setup::Setup;
use nacre_worlds::world::{self, Subject};

const SOURCES: [&str; 3] = [
    include_str!("protocols.nacre"),
    include_str!("windows_and_credit.nacre"),
    include_str!("order_and_sessions.nacre"),
];

/// A mistake: the layer, and the replacements of text in it.
struct Bug {
    layer: &'static str,
    right: &'static str,
    wrong: &'static str,
}

const fn bug(layer: &'static str, right: &'static str, wrong: &'static str) -> Bug {
    Bug { layer, right, wrong }
}

const BUGS: &[Bug] = &[
    // The receiver accepts duplicates.
    bug("alternating", "if bit == expected {", "if true {"),
    // The sender does not switch to the other bit.
    bug("alternating", "sending = !sending;", ""),
    // An acknowledgement of the previous message is accepted.
    bug("alternating", "kept != none && bit == sending", "kept != none"),
    // The timer is not armed again.
    bug("alternating", "bit: sending }); }\n        arm resend in 1 s;", "bit: sending }); }"),
    // Duplicates are not acknowledged.
    bug(
        "alternating",
        "below.send(Ack { bit });\n        if bit == expected {",
        "if bit == expected { below.send(Ack { bit });",
    ),
    // The same with numbers.
    bug("waiting", "if number < expected { below.send(Ack { number }); }", ""),
    bug("waiting", "number == next && kept != none", "kept != none"),
    bug("waiting", "if number == expected {", "if number <= expected {"),
    // A message is accepted while another waits for its acknowledgement.
    bug("waiting", "accepts send(m) when kept == none;", "accepts send(m) when true;"),
    // One message more than the window has room for.
    bug("going_back", "kept.len < W;", "kept.len <= W;"),
    // Gaps are skipped.
    bug("going_back", "if number == expected {", "if number >= expected {"),
    // One message too many is released.
    bug("going_back", "while first < next bound W", "while first <= next bound W"),
    // The timer is stopped while messages wait.
    bug("going_back", "if kept.empty { cancel resend; }", "cancel resend;"),
    // More is acknowledged than was received.
    bug("going_back", "Ack { next: expected }", "Ack { next: expected + 1 }"),
    // Retransmitted messages have the number of the first.
    bug("going_back", "            number += 1;\n", ""),
    bug("ordered", "number > last", "number >= last"),
    bug("ordered", "            last = number;\n", ""),
    // Received messages are not recorded.
    bug("deduplicating", "            seen += number as u32;\n", ""),
    bug("repeating", "number == next && kept != none", "kept != none"),
    bug("repeating", "number: next });\n        arm again in 1 s;", "number: next });"),
    // Only one of several deliverable messages is delivered.
    bug("reordering", "while let waited = early.take() bound N {", "if let waited = early.take() {"),
    // A grant replaces the remaining credit.
    bug("crediting", "room += n;", "room = n;"),
    // Credit is not used up.
    bug("crediting", "            room -= 1;\n            pass m", "            pass m"),
    // Waiting messages are sent without credit.
    bug("crediting", "while room > 0 && !waiting.empty bound N", "while !waiting.empty bound N"),
    // The checksum is compared incorrectly.
    bug("summing", "(m.bytes through weighted) == sum", "(m.bytes through weighted) >= sum"),
    // A single message waits forever.
    bug("pairing", "            arm flush in 1 ms;\n", ""),
    // Two messages are cut at the wrong place, or exchanged.
    bug("pairing", "            length = m.len;\n", ""),
    bug("pairing", "length });", "length: length + 1 });"),
    // Only as many numbers as messages in flight: a new message is mistaken for a received one.
    bug("modulo", "M: u32 = 3", "M: u32 = 2"),
    bug("modulo", "if kept.empty { cancel resend; }", "cancel resend;"),
    // The highest received number is acknowledged, not the delivered one.
    bug("selective", "Ack { next: got.next }", "Ack { next: got.high }"),
    bug("selective", "sent.release(next);", "sent.release(next + 1);"),
    bug("selective", "got.put(number, m)", "got.put(got.next, m)"),
    // A grant is an increment, not a limit: a duplicate counts twice.
    bug("limiting", "limit = max(limit, said);", "limit += said;"),
    bug("limiting", "while next < limit", "while next <= limit"),
    bug("limiting", "if number == expected {", "if number <= expected {"),
    // The requester delivers at once, and drops the answer.
    bug(
        "leading",
        "            below.send(m + Ask {});",
        "            above.deliver(share m);\n            below.send(m + Ask {});",
    ),
    bug("pieces", "slice(m, at, 1)", "slice(m, 0, 1)"),
    bug("pieces", "rest(m, at)", "rest(m, 1)"),
    bug("scattered", "join(heads[number], m)", "join(heads[0], m)"),
    bug("scattered", "        next = (next as u32 + 1) as 0..4 else unreachable;\n", ""),
    // `closed` is emitted again after the last round.
    bug("suspecting", "above.closed(Reason.timeout);", "above.closed(Reason.timeout); missed = 0; arm watch in 1 s;"),
    bug("suspecting", "            over = true;\n", ""),
    // An old epoch is accepted, or is not left.
    bug("epochs", "epoch == theirs && number > last", "number > last"),
    bug("epochs", "            theirs = epoch;\n", ""),
    // A number just outside of the detectable range is accepted.
    bug("replaying", "if age >= 2 {", "if age > 2 {"),
    bug("replaying", "seen = seen << 1 & 3;", "seen = seen << 1 & 1;"),
    bug("replaying", "{ 1 } else { 2 };", "{ 1 } else { 0 };"),
    // Duplicates are not acknowledged, or not separately.
    bug(
        "delaying",
        "        arm answer in 10 ms unless armed;\n        if come == expected {",
        "        if come == expected {\n            arm answer in 10 ms unless armed;",
    ),
    bug("delaying", "next == number + 1 && kept", "kept"),
    // `closed` overtakes a message; an end after the last message is not noticed; one message too many is counted.
    bug("finishing", "if fin && !over && early.next == count {", "if fin && !over {"),
    bug("finishing", "        count = all;\n        finish();", "        count = all;"),
    bug("finishing", "Fin { count: next }", "Fin { count: next + 1 }"),
    // A timer requests only the last message, or none.
    bug("asking", "if number + 1 == sent.high", "if number == sent.high"),
    bug("asking", "else { below.send(Miss { next: expected }); }", ""),
    bug(
        "asking",
        "        sent.release(next);\n        if sent.empty",
        "        sent.release(next + 1);\n        if sent.empty",
    ),
    // A message is removed once it was sent; any received message is accepted.
    bug("polling", "if number == first + 1 {", "if number >= first {"),
    bug("polling", "        if number == wanted {", "        if number <= wanted {"),
    bug(
        "polling",
        "        below.send(Poll { number: wanted });\n        arm poll in 1 s;",
        "        below.send(Poll { number: wanted });",
    ),
    // The token leaves its user; a request is forgotten; there are two tokens.
    bug("token", "if holding && !inside { give(); }", "if holding { give(); }"),
    bug("token", "        if asked { give(); }\n", ""),
    bug("token", "        holding = false;\n", ""),
    // An acknowledgement or a message of another incarnation is accepted.
    bug("restarting", "if life == mine && come == number", "if come == number"),
    bug("restarting", "            expected = 0;\n", ""),
    bug("restarting", "if life < theirs || come > expected {", "if come > expected {"),
];

/// The source with a mistake.
fn mistaken(bug: &Bug) -> String {
    let begin =
        |source: &str| [" ", "<", ":"].iter().find_map(|end| source.find(&format!("worker {}{end}", bug.layer)));
    let (source, begin) = SOURCES.iter().find_map(|s| Some((s, begin(s)?))).expect("the layer is there");
    let end = begin + source[begin..].find("\n}\n").expect("it ends");
    let body = &source[begin..end];
    assert_eq!(body.matches(bug.right).count(), 1, "{}: {}", bug.layer, bug.right);
    format!("{}{}{}", &source[..begin], body.replace(bug.right, bug.wrong), &source[end..])
}

/// Every configuration of the selected layers, by name.
fn setups(text: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Setup)> {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocols.nacre");
    let session = Session::from_text(&file, text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let configurations = session.configurations().into_iter().filter(|c| wanted(&c.subject));
    let setup = |configuration| {
        let configuration: nacre_specification::Configuration = configuration;
        let subject = Subject { name: configuration.subject.clone(), is_layer: true };
        let name = format!("{} {}", configuration.subject, configuration.name);
        match world::world(&session, &subject, &configuration, false) {
            Ok(world) => (name, world.setup),
            Err(_) => panic!("{name} has no world"),
        }
    };
    configurations.map(setup).collect()
}

fn has_goals(setup: &Setup) -> bool {
    setup.bounds.limits.iter().all(|(name, _)| name != "timers")
}

fn explored(setup: &Setup) -> Verdict {
    let (space, first) = Space::open(setup).expect("it opens");
    // If timers are limited, progress is not guaranteed.
    let goals = has_goals(setup);
    let stop = AtomicBool::new(false);
    let options =
        Options { threads: 1, states: 20_000, memory: 1 << 30, bits: None, goals, stop: &stop, progress: &|_| {} };
    explore(&space, &first, &options).verdict
}

/// The verdicts of SPIN: on the model for safety and then for goals, and on the emitted C.
fn answers(setup: &Setup) -> Vec<Answer> {
    let (tools, limits) = (tools(), Limits::default());
    let answer = |searched: Result<Searched, _>| match searched {
        Ok(searched) => searched.verdict,
        Err(failure) => panic!("{failure:?}"),
    };
    let mut all = vec![answer(model::check(setup, &tools, &limits))];
    if all[0] == Answer::Holds && has_goals(setup) {
        all.push(answer(model::goals(setup, &tools, &limits)));
    }
    all.push(answer(between::check(setup, Level::Inline, &tools, &limits)));
    all
}

/// Whether one of SPIN's verdicts is a violation.
fn spin_finds(setup: &Setup) -> bool {
    answers(setup).iter().any(|answer| matches!(answer, Answer::Violated { .. }))
}

#[test]
fn right_protocols_hold() {
    let all: Vec<_> = SOURCES.iter().flat_map(|source| setups(source, &|_| true)).collect();
    assert!(all.len() >= 28, "{} configurations", all.len());
    for (name, setup) in all {
        assert_eq!(explored(&setup), Verdict::Complete, "{name}");
    }
}

#[test]
fn mistakes_in_protocols_are_found() {
    assert!(BUGS.len() >= 20);
    let missed = BUGS.iter().filter(|bug| {
        let setups = setups(&mistaken(bug), &|layer| layer == bug.layer);
        !setups.iter().any(|(_, setup)| matches!(explored(setup), Verdict::Violated { .. }))
    });
    let missed: Vec<String> = missed.map(|bug| format!("{}: {} for {}", bug.layer, bug.wrong, bug.right)).collect();
    assert!(missed.is_empty(), "not found:\n{}", missed.join("\n"));
}

/// One of each kind: a violation of safety, and a goal that is not met.
#[test]
fn spin_finds_mistakes_too() {
    for (right, is_goal) in [("if bit == expected {", false), ("sending = !sending;", true)] {
        let bug = BUGS.iter().find(|bug| bug.right == right).expect("it is among them");
        let (_, setup) = setups(&mistaken(bug), &|layer| layer == bug.layer).remove(0);
        let search = if is_goal { model::goals } else { model::check };
        let searched = search(&setup, &tools(), &Limits::default()).expect("a verdict");
        assert!(matches!(searched.verdict, Answer::Violated { .. }), "{right}: {searched:?}");
    }
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn spin_finds_every_mistake_and_raises_no_false_alarm() {
    for (name, setup) in SOURCES.iter().flat_map(|source| setups(source, &|_| true)) {
        assert!(answers(&setup).iter().all(|answer| *answer == Answer::Holds), "{name}: {:?}", answers(&setup));
    }
    for bug in BUGS {
        let setups = setups(&mistaken(bug), &|layer| layer == bug.layer);
        assert!(setups.iter().any(|(_, setup)| spin_finds(setup)), "{}: {}", bug.layer, bug.wrong);
    }
}
