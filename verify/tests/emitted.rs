//! SPIN on the emitted C at every level against the explorer on the interpreter, in the same worlds.

use std::sync::Arc;

use nacre_backend_c::Level;
use nacre_checker::search::{self, search};
use nacre_checker::world::{Bounds, Observer};
use nacre_stack::{samples, Stack};
use nacre_verify::emitted::{self, world::World, Broken};
use nacre_verify::spin::{Limits, Model, Searched, Tools, Verdict};

fn tools() -> Tools {
    Tools::find().expect("spin and gcc: tools/install.sh spin gcc libc6-dev")
}

fn limits() -> Limits {
    Limits { breadth_first: true, ..Limits::default() }
}

fn bounds(messages: [u8; 2], flight: usize, losses: u8, duplications: u8) -> Bounds {
    Bounds { messages, size: 1, flight, losses, duplications, fifo: false }
}

/// Small searches end before gcc has optimized.
fn run(mut model: Model, optimize: &str) -> Searched {
    model.flags.push(optimize.into());
    tools().check(&model, &limits()).expect("a verdict")
}

fn spin(stack: &Stack, level: Level, bounds: &Bounds, observer: Observer) -> Searched {
    let emitted = emitted::emit(stack, level).expect("C");
    run(emitted::model(stack, &emitted, &World::new(bounds, observer)).expect("a model"), "-O0")
}

/// The same verdict, and the same number of states: SPIN's have one more, before the ends are opened.
fn agree(stack: &Arc<Stack>, levels: &[Level], bounds: &Bounds, observer: Observer) {
    let wanted = search(stack, bounds, observer, 2_000_000).expect("searched");
    for level in levels {
        let found = spin(stack, *level, bounds, observer);
        println!("{} {level:?}: {} states, explorer {}; {found:?}", stack.name, found.states, wanted.states);
        match (&wanted.verdict, &found.verdict) {
            (search::Verdict::Holds, Verdict::Holds) => {
                assert_eq!(found.states, wanted.states as u64 + 1, "{} {level:?}", stack.name);
            }
            (search::Verdict::Violated { run, why }, Verdict::Violated { trail, .. }) => {
                let (actions, broken) = emitted::run(trail).unwrap_or_else(|| panic!("{trail:?}"));
                assert_eq!(actions.len(), run.len(), "{broken:?}: {actions:?} against {run:?}: {why}");
                let again = search::replay(stack, bounds, observer, &actions).expect("it can be run");
                assert!(again.is_some(), "{broken:?}: {actions:?}");
            }
            other => panic!("{} {level:?}: {other:?}", stack.name),
        }
    }
}

#[test]
fn go_back_n_has_the_states_of_the_explorer() {
    let stack = Arc::new(samples::go_back_n());
    agree(&stack, &Level::ALL, &bounds([2, 0], 2, 1, 1), Observer::Reliable);
}

#[test]
fn what_is_broken_is_told_with_a_run_that_the_interpreter_repeats() {
    // Nothing repeats what is lost: stuck. And messages overtake one another in flight: one comes out before an earlier one.
    let stack = Arc::new(samples::sequencer());
    agree(&stack, &[Level::Inline], &bounds([1, 0], 2, 1, 0), Observer::Reliable);
    agree(&stack, &[Level::Queue], &bounds([0, 2], 2, 0, 1), Observer::Reliable);
}

/// What the harness keeps counts too.
#[test]
#[ignore = "a long campaign: make soak runs it"]
fn a_search_ends_when_the_memory_is_used_up() {
    let stack = samples::go_back_n();
    let world = World::new(&bounds([2, 0], 2, 1, 1), Observer::Reliable);
    let mut model = emitted::model(&stack, &emitted::emit(&stack, Level::Queue).expect("C"), &world).expect("a model");
    model.flags.push("-DHARNESS_MEMORY=0".into());
    assert_eq!(run(model, "-O0").verdict, Verdict::Incomplete("the memory was used up".into()));
}

const TAKEN: &str = "if (number == step->s->go_back_n.expected)";

/// Each is found, by a run in which the interpreter breaks nothing.
fn found(seeds: &[(&str, &str, Broken)]) {
    let stack = Arc::new(samples::go_back_n());
    let emitted = emitted::emit(&stack, Level::Queue).expect("C");
    let world = World::new(&bounds([2, 0], 2, 1, 1), Observer::Reliable);
    for (right, wrong, kind) in seeds {
        let source = emitted.source.replace(right, &format!("{wrong}\n"));
        assert_ne!(source, emitted.source, "{right}");
        let seeded = emitted::Emitted { source, ..emitted.clone() };
        let model = emitted::model(&stack, &seeded, &world).expect("a model");
        let verdict = run(model, "-O0").verdict;
        let Verdict::Violated { trail, .. } = verdict else { panic!("not found: {wrong}: {verdict:?}") };
        let (actions, broken) = emitted::run(&trail).unwrap_or_else(|| panic!("{trail:?}"));
        let right = emitted::on_the_interpreter(&stack, &world, &actions);
        println!("{wrong}: {broken:?} by {actions:?}; the interpreter: {right:?}");
        assert_eq!(broken, *kind, "{actions:?}");
        assert!(!matches!(right, Ok(Some(_))), "the interpreter breaks nothing");
    }
}

#[test]
fn bugs_seeded_in_the_c_are_found() {
    found(&[
        // Out of order is taken.
        (TAKEN, "if (number >= step->s->go_back_n.expected)", Broken::Missing),
        // The timer is stopped while something is not acknowledged.
        ("sent.low == step->s->go_back_n.sent.high)", "sent.low != step->s->go_back_n.sent.high)", Broken::Stuck),
        // An access outside memory.
        (TAKEN, "if (number == 1) { *(volatile int *)16 = 1; } else if (1)", Broken::Fault),
    ]);
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn more_bugs_seeded_in_the_c_are_found() {
    let other_bytes = "segment->len = b.len; if (b.block != checked_IN) { segment->at = (const uint8_t *)\"?\"; }";
    found(&[
        // A copy is taken.
        (TAKEN, "if (number <= step->s->go_back_n.expected)", Broken::Twice),
        // The bytes of a repeated message are the wrong ones.
        ("segment->len = b.len;", other_bytes, Broken::NotSent),
        // An overflow.
        (
            TAKEN,
            "int most = INT32_MAX; if (most + number == 1 || number == step->s->go_back_n.expected)",
            Broken::Fault,
        ),
        // A step that does not end.
        (TAKEN, "while (*(volatile uint8_t *)&number == 1) { } if (number == 0)", Broken::Fault),
        // A claim that does not hold.
        (TAKEN, "if (number == 1) { step->counters[checked_BROKEN]++; } if (number == 0)", Broken::Claim),
    ]);
}
