//! SPIN on the readable model between automata compared with the explorer, in the same worlds.

mod common;

use common::{bounds, explored, setup, tools, Of};
use nacre_backend_c::Level;
use nacre_specification::violation::Violation;
use nacre_spin::emitted::between;
use nacre_spin::model::{check, goals, EXTRA_STATES};
use nacre_spin::spin::{Limits, StopReason, Verdict};
use nacre_spin::Step;
use nacre_worlds::setup::{Bounds, Setup};

/// `pt2pt<2>` with a change in its source, over a network that loses one frame.
fn pt2pt(change: (&str, &str), sends: [u8; 2], first: u64) -> Setup {
    let (parameters, network) = (&[("W", 2)][..], ("lossy_network", &[("LOSSES", 1)][..]));
    let bounds = Bounds { first, ..bounds(sends) };
    setup(&Of { layer: "pt2pt", change, parameters, network, above: "fifo_network", bounds })
}

fn agree(setup: &Setup) {
    let found = check(setup, &tools(), &Limits::default()).expect("a verdict");
    println!("{}: {found:?}", setup.stack().name);
    assert_eq!(found.verdict, Verdict::Holds);
    assert_eq!(found.states, explored(setup) + EXTRA_STATES);
}

/// Numbers wrap after the first; sent frames are delivered or lost.
#[test]
fn the_model_has_the_states_of_the_explorer() {
    agree(&pt2pt(("", ""), [1, 0], u64::MAX));
}

#[test]
fn random_numbers_are_extreme_and_an_automaton_can_be_in_several_states() {
    let (parameters, network) = (&[("PERCENT", 1)][..], ("lossy_fifo_network", &[][..]));
    let (change, above, bounds) = (("", ""), "lossy_fifo_network", bounds([2, 0]));
    agree(&setup(&Of { layer: "lose", change, parameters, network, above, bounds }));
}

#[test]
fn bug_in_a_layer_is_reported_with_the_violated_automaton() {
    let setup = pt2pt(("(number == got.low && got.empty)", "(got.empty)"), [2, 0], 0);
    let found = check(&setup, &tools(), &Limits::default()).expect("a verdict");
    let Verdict::Violated { trail, .. } = found.verdict else { panic!("{found:?}") };
    assert_eq!(
        trail.report,
        Some((StopReason::Violation(Violation::NotAllowed), "deliver is not allowed by fifo_network here".to_string())),
        "{trail:?}"
    );
}

#[test]
fn timers_that_are_a_last_resort_and_a_call_that_must_be_taken() {
    agree(&common::last_resorts());
    let found = check(&common::long_message(), &tools(), &Limits::default()).expect("a verdict");
    let Verdict::Violated { trail, .. } = found.verdict else { panic!("{found:?}") };
    assert_eq!(common::violation(&trail), Violation::Refused);
}

/// Alone, the layer packs messages without headers, too. The network keeps damaged frames, and may lose them like
/// others.
#[test]
fn any_bit_of_a_frame_is_turned_round() {
    let bounds = Bounds { sizes: vec![1, 2], ..bounds([1, 0]) };
    let network = ("noisy_network", &[("FLIPS", 1), ("LOSSES", 1)][..]);
    let of = Of { layer: "checksum", change: ("", ""), parameters: &[], network, above: "fair_lossy_network", bounds };
    agree(&setup(&of));
}

/// The checksum includes only the first byte of each word.
#[test]
fn damage_that_a_layer_does_not_see_is_found() {
    let bounds = Bounds { sizes: vec![2], ..bounds([1, 0]) };
    let network = ("noisy_network", &[("FLIPS", 1)][..]);
    let change = ("sum += w as u64;", "sum += w as u64 & 255;");
    let of = Of { layer: "checksum", change, parameters: &[], network, above: "fair_lossy_network", bounds };
    damage_is_found(&setup(&of));
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn damage_that_arrives_at_once_is_found() {
    damage_is_found(&common::credulous_floor());
}

fn damage_is_found(setup: &Setup) {
    let found = check(setup, &tools(), &Limits::default()).expect("a verdict");
    let Verdict::Violated { trail, .. } = found.verdict else { panic!("{found:?}") };
    assert!(
        trail.steps.iter().any(
            |step| matches!(step, Step::Network { name, end: Some(_) } if ["deliver", "damage"].contains(&name.as_str()))
        ),
        "{trail:?}"
    );
    common::breaks_in_the_interpreter(setup, &trail, "`deliver` at");
}

/// The automaton above may know more messages than are sent.
#[test]
fn layer_that_changes_messages_is_verified_for_every_result() {
    let bounds = Bounds { sizes: vec![2], ..bounds([1, 0]) };
    let (parameters, network) = (&[("PERCENT", 1)][..], ("lossy_network", &[][..]));
    let change = ("random(max(packed.len, 1))", "random(2)");
    agree(&setup(&Of { layer: "corrupt", change, parameters, network, above: "changing_network", bounds }));
}

/// The network accepts only one message. One writer generates the environment of both kinds of endpoints.
#[test]
fn event_without_input_of_the_network_is_reported_for_both_kinds_of_endpoints() {
    let narrow = "import \"../interfaces.nacre\";
        automaton narrow {
            state { sent: seq<msg> per member, full: bool }
            input send(at p, m) when !full { sent[p].append(m); full = true; }
            output deliver(at q, m) when m in sent[peer(q)] { }
        }";
    let change = ("import \"../interfaces.nacre\";", narrow);
    let (parameters, network, bounds) = (&[][..], ("narrow", &[][..]), bounds([2, 0]));
    let setup = setup(&Of { layer: "sequencer", change, parameters, network, above: "lossy_network", bounds });
    let (tools, limits) = (tools(), Limits::default());
    let searches = [check(&setup, &tools, &limits), between::check(&setup, Level::Queue, &tools, &limits)];
    for searched in searches.map(|searched| searched.expect("a verdict")) {
        let Verdict::Violated { trail, .. } = searched.verdict else { panic!("{searched:?}") };
        let why = "send goes down where narrow does not take it".to_string();
        assert_eq!(trail.report, Some((StopReason::Violation(Violation::NotTaken), why)), "{trail:?}");
    }
}

/// The explorer tracks both possible states, the model would track one.
#[test]
fn automaton_with_two_possible_states_is_reported() {
    let torn = "import \"../interfaces.nacre\";
        automaton torn {
            state { sent: seq<msg> per member, odd: bool }
            input send(at p, m) { sent[p].append(m); }
            output deliver(at q, m) when m in sent[peer(q)] { }
            output deliver(at q, m) when m in sent[peer(q)] && !odd { odd = true; }
        }";
    let change = ("import \"../interfaces.nacre\";", torn);
    let (parameters, network, bounds) = (&[][..], ("lossy_network", &[][..]), bounds([1, 0]));
    let setup = setup(&Of { layer: "sequencer", change, parameters, network, above: "torn", bounds });
    let found = check(&setup, &tools(), &Limits::default()).expect("a verdict");
    let Verdict::Incomplete(why) = found.verdict else { panic!("{found:?}") };
    assert!(why.contains("deliver is not allowed by torn here, or in two ways"), "{why}");
}

#[test]
fn constructs_that_the_model_omits_are_refused_with_a_message() {
    let refused = |setup: &Setup| format!("{:?}", check(setup, &tools(), &Limits::default()).expect_err("refused"));
    let mut setup_ = pt2pt(("", ""), [1, 0], 0);
    setup_.bounds.any_order = true;
    assert!(refused(&setup_).contains("only one order of events"), "{}", refused(&setup_));
    let (network, above) = (("lossy_fifo_network", &[][..]), "fifo_network");
    let bounds_ = Bounds { last: vec![("pt2pt.resend".into(), 1)], ..bounds([1, 0]) };
    let parameters = &[("W", 2)];
    let faults = setup(&Of { layer: "pt2pt", change: ("", ""), parameters, network, above, bounds: bounds_ });
    assert!(refused(&faults).contains("only if the network has no faults"), "{}", refused(&faults));
}

/// The first message may arrive repeatedly; fairness implies that the last one arrives, too.
#[test]
fn goals_are_met_again_and_again_in_fair_runs() {
    let sequencer = |change| {
        let (parameters, network) = (&[][..], ("lossy_network", &[][..]));
        let above = "fair_lossy_fifo_network";
        setup(&Of { layer: "sequencer", change, parameters, network, above, bounds: bounds([2, 0]) })
    };
    let found = goals(&sequencer(("", "")), &tools(), &Limits::default()).expect("a verdict");
    assert_eq!(found.verdict, Verdict::Holds);
    let moody = sequencer(("likely (number > last)", "number > last && random(2) == 0"));
    let found = goals(&moody, &tools(), &Limits::default()).expect("a verdict");
    assert_eq!(found.verdict, Verdict::Holds, "both values are drawn infinitely often");
    let deaf = sequencer(("number > last", "number > last && false"));
    assert_eq!(check(&deaf, &tools(), &Limits::default()).expect("a verdict").verdict, Verdict::Holds);
    let found = goals(&deaf, &tools(), &Limits::default()).expect("a verdict");
    let Verdict::Violated { why, trail } = found.verdict else { panic!("{found:?}") };
    let words = "newest_may_arrive of fair_lossy_fifo_network: does not hold infinitely often: steps ";
    assert!(why.starts_with(words) && why.ends_with(" can repeat forever"), "{why}");
    let steps = why[words.len()..].split(' ').collect::<Vec<_>>();
    let [first, last] = [steps[0], steps[2]].map(|n| n.parse::<usize>().unwrap() + 1);
    assert_eq!(trail.steps.len(), last + 1, "after both ends are open: {trail:?}");
    assert!(trail.steps[first..].iter().all(|step| step.to_string() == "deliver at b"), "{trail:?}");
}
