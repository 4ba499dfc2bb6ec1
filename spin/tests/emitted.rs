//! SPIN on the emitted C compared with the explorer on the interpreter, in the same worlds.

mod common;

use common::{bounds, explored, setup, tools, Of};
use nacre_backend_c::Level;
use nacre_checker::retrace::{retrace, Hint};
use nacre_checker::space::Space;
use nacre_specification::violation::Violation;
use nacre_spin::emitted::between::Checker;
use nacre_spin::emitted::{emit, Emitted};
use nacre_spin::hint;
use nacre_spin::spin::{Limits, StopReason, Verdict};
use nacre_worlds::setup::{Bounds, Setup};

/// The number of states is that of the explorer plus one, before the endpoints are open.
fn agree(setup: &Setup, levels: &[Level]) {
    let wanted = explored(setup);
    let (tools, limits) = (tools(), Limits::default());
    let checker = Checker::new(setup, &tools, &limits).expect("a verifier");
    for level in levels {
        let found = checker.check(*level).expect("a verdict");
        println!("{} {level:?}: {found:?}", setup.stack().name);
        assert_eq!(found.verdict, Verdict::Holds, "{} {level:?}", setup.stack().name);
        assert_eq!(found.states, wanted + 1, "{} {level:?}", setup.stack().name);
    }
}

#[test]
fn network_accepts_or_loses_sent_frames_at_every_level() {
    let parameters = &[("W", 2)];
    let network = ("lossy_network", &[("LOSSES", 1)][..]);
    let bounds = bounds([1, 0]);
    agree(
        &setup(&Of { layer: "pt2pt", change: ("", ""), parameters, network, above: "fifo_network", bounds }),
        &Level::ALL,
    );
}

/// Also random numbers at opening.
#[test]
fn random_numbers_are_extreme_and_an_automaton_can_be_in_several_states() {
    let change = ("    counters", "    state { n: u8 = random(2) as u8 }\n    invariant n < 2;\n    counters");
    let parameters = &[("PERCENT", 1)];
    let network = ("lossy_fifo_network", &[][..]);
    let bounds = bounds([2, 0]);
    let of = Of { layer: "lose", change, parameters, network, above: "lossy_fifo_network", bounds };
    agree(&setup(&of), &[Level::Inline]);
}

#[test]
fn timers_that_are_a_last_resort_and_a_call_that_must_be_taken() {
    agree(&common::last_resorts(), &[Level::Inline]);
    let (setup, tools, limits) = (common::long_message(), tools(), Limits::default());
    let found = Checker::new(&setup, &tools, &limits).expect("a verifier").check(Level::Inline).expect("a verdict");
    let Verdict::Violated { trail, .. } = &found.verdict else { panic!("{found:?}") };
    assert_eq!(common::violation(trail), Violation::Refused);
}

/// Alone, the layer packs messages without headers, too.
#[test]
fn any_bit_of_a_frame_is_turned_round() {
    let network = ("noisy_network", &[("FLIPS", 1)][..]);
    let bounds = Bounds { sizes: vec![1, 2], ..bounds([1, 0]) };
    let of = Of { layer: "checksum", change: ("", ""), parameters: &[], network, above: "fair_lossy_network", bounds };
    agree(&setup(&of), &[Level::Queue, Level::Inline]);
}

/// Also if damaged frames arrive at once and are never stored.
#[test]
fn a_damaged_frame_that_a_layer_takes_is_found() {
    let (setup, tools, limits) = (common::credulous_floor(), tools(), Limits::default());
    let found = Checker::new(&setup, &tools, &limits).expect("a verifier").check(Level::Inline).expect("a verdict");
    let Verdict::Violated { trail, .. } = &found.verdict else { panic!("{found:?}") };
    common::breaks_in_the_interpreter(&setup, trail, "`deliver` at");
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn a_network_forgets_old_frames_and_numbers_begin_anywhere() {
    for first in [0, u64::MAX] {
        let network = ("lossy_network", &[("AGE", 2)][..]);
        let bounds = Bounds { first, ..bounds([4, 1]) };
        let of = Of {
            layer: "sequencer",
            change: ("", ""),
            parameters: &[],
            network,
            above: "fair_lossy_fifo_network",
            bounds,
        };
        agree(&setup(&of), &Level::ALL);
    }
}

fn sequencer() -> Setup {
    let network = ("lossy_network", &[][..]);
    let (parameters, bounds) = (&[][..], bounds([2, 0]));
    setup(&Of { layer: "sequencer", change: ("", ""), parameters, network, above: "fair_lossy_fifo_network", bounds })
}

/// The C of a level with a replaced text.
fn seeded(setup: &Setup, right: &str, wrong: &str) -> Emitted {
    let emitted = emit(setup.stack(), Level::Inline).expect("C");
    let source = emitted.source.replace(right, wrong);
    assert_ne!(source, emitted.source, "{right}");
    Emitted { source, ..emitted }
}

/// Each is found and reported, by a run in which the interpreter finds no violation.
fn found(seeds: &[(&str, &str, &str)]) {
    let (setup, tools, limits) = (sequencer(), tools(), Limits::default());
    let checker = Checker::new(&setup, &tools, &limits).expect("a verifier");
    for (right, wrong, told) in seeds {
        let searched = checker.check_of(&seeded(&setup, right, wrong)).expect("a verdict");
        let Verdict::Violated { trail, .. } = &searched.verdict else { panic!("not found: {wrong}: {searched:?}") };
        let Some((StopReason::Violation(_), words)) = &trail.report else { panic!("{wrong}: {trail:?}") };
        assert!(words.contains(told), "{wrong}: {trail:?}");
        // The interpreter finds no violation in the run.
        let hints: Vec<Hint> = trail.steps.iter().filter_map(hint).collect();
        let (space, first) = Space::open(&setup).expect("a space");
        retrace(&setup, &space, &first, &hints).expect_err("not the interpreter's");
    }
}

const LATER: &str = "((int32_t)(step->s->sequencer.last - number) < 0)";
const TAKEN: &str = "step->s->sequencer.last = number;";

#[test]
fn bugs_seeded_in_the_c_are_found() {
    found(&[
        // A copy is taken.
        (LATER, "((int32_t)(step->s->sequencer.last - number) <= 0)", "deliver is not allowed"),
        // An access outside memory.
        (TAKEN, "*(volatile int *)16 = 1;", "undefined behaviour"),
        // A violated claim.
        (TAKEN, "step->counters[checked_BROKEN]++; step->s->sequencer.last = number;", "a claim of the stack"),
    ]);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn more_bugs_seeded_in_the_c_are_found() {
    found(&[
        // The number is not stored.
        (TAKEN, "", "deliver is not allowed"),
        // An overflow.
        (LATER, "((int32_t)number + INT32_MAX != 0)", "undefined behaviour"),
        // A step that does not end.
        (TAKEN, "while (*(volatile uint32_t *)&number == 1) { }", "undefined behaviour"),
        // The bytes are wrong.
        (
            "segment[n].at = step->in + b.offset;",
            "segment[n].at = (const uint8_t *)\"????????\";",
            "deliver is not allowed",
        ),
    ]);
}

/// The memory of the harness counts too.
#[test]
#[ignore = "a long campaign: make soak runs it"]
fn a_search_ends_when_the_memory_is_used_up() {
    let (setup, tools, limits) = (sequencer(), tools(), Limits::default());
    let checker = Checker::new(&setup, &tools, &limits).expect("a verifier");
    let emitted = emit(setup.stack(), Level::Queue).expect("C");
    let source = format!("#define HARNESS_MEMORY 0\n{}", emitted.source);
    let searched = checker.check_of(&Emitted { source, ..emitted }).expect("a verdict");
    assert_eq!(searched.verdict, Verdict::Incomplete("the memory limit was reached".into()));
}

/// The cost of an exact search on one core: states per second and bytes per state.
#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn what_a_search_costs() {
    let (parameters, network, bounds) = (&[("W", 4)][..], ("lossy_network", &[("LOSSES", 1)][..]), bounds([1, 1]));
    let setup = setup(&Of { layer: "pt2pt", change: ("", ""), parameters, network, above: "fifo_network", bounds });
    let (tools, limits) = (tools(), Limits { memory_mib: 4000, ..Limits::default() });
    let checker = Checker::new(&setup, &tools, &limits).expect("a verifier");
    for level in Level::ALL {
        let found = checker.check(level).expect("a verdict");
        let (states, seconds) = (found.states as f64, found.seconds.max(0.01));
        println!(
            "{level:?}: {states} states in {seconds} s, {:.0} a second, {} bytes each; {found:?}",
            states / seconds,
            found.vector_bytes,
        );
    }
}
