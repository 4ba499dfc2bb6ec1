//! SPIN on the emitted C of stacks of the library against the explorer, in the same worlds.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use nacre_backend_c::Level;
use nacre_checker::explore::{self, explore, Options};
use nacre_checker::search::{self, search};
use nacre_checker::setup::{self, Setup};
use nacre_checker::space::Space;
use nacre_checker::world::{Bounds, Observer};
use nacre_specification::samples::{fifo_network, lossy_datagrams};
use nacre_stack::Stack;
use nacre_verify::emitted::{self, world::World};
use nacre_verify::spin::{Limits, Searched, Tools, Verdict};

fn stack(layers: &[&str], text: &str) -> Arc<Stack> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers").canonicalize().expect("the layers are there");
    let imports: String = layers.iter().map(|l| format!("import \"{l}/{l}.nacre\";\n")).collect();
    let source = format!("{imports}\nstack s = {text};\n");
    let mut session = nacre_driver::Session::from_text(&library.join("from_test.nacre"), &source);
    Arc::new(session.stack("s").unwrap_or_else(|| panic!("{}", session.render(false))))
}

fn limits() -> Limits {
    Limits { breadth_first: true, time: Duration::from_secs(300), memory_mib: 4000, ..Limits::default() }
}

fn bounds(messages: [u8; 2], flight: usize, losses: u8, duplications: u8) -> Bounds {
    Bounds { messages, size: 1, flight, losses, duplications, fifo: false }
}

fn spin(stack: &Stack, level: Level, world: &World, limits: &Limits) -> Searched {
    let tools = Tools::find().expect("spin and gcc: tools/install.sh spin gcc libc6-dev");
    emitted::check(stack, level, world, &tools, limits).expect("a verdict")
}

/// SPIN's states have one more, before the ends are opened.
fn agree(stack: &Arc<Stack>, levels: &[Level], bounds: &Bounds, observer: Observer) {
    let wanted = search(stack, bounds, observer, 2_000_000).expect("searched");
    for level in levels {
        let found = spin(stack, *level, &World::new(bounds, observer), &limits());
        println!("{} {level:?}: {} states, explorer {}; {found:?}", stack.description, found.states, wanted.states);
        match (&wanted.verdict, &found.verdict) {
            (search::Verdict::Holds, Verdict::Holds) => {
                assert_eq!(found.states, wanted.states as u64 + 1, "{} {level:?}", stack.description);
            }
            (search::Verdict::Violated { run, why }, Verdict::Violated { trail, .. }) => {
                let (actions, broken) = emitted::run(trail).unwrap_or_else(|| panic!("{trail:?}"));
                assert_eq!(actions.len(), run.len(), "{broken:?}: {actions:?} against {run:?}: {why}");
                let again = search::replay(stack, bounds, observer, &actions).expect("it can be run");
                assert!(again.is_some(), "{broken:?}: {actions:?}");
            }
            other => panic!("{} {level:?}: {other:?}", stack.description),
        }
    }
}

#[test]
fn a_window_over_cookies() {
    let stack = stack(&["pt2pt", "floor"], "pt2pt<2> / floor");
    agree(&stack, &[Level::Inline], &bounds([1, 0], 2, 1, 0), Observer::Reliable);
}

/// Losses without a limit.
const ANY: u8 = u8::MAX;

/// As many states as the explorer over automata finds: no copies, which it makes differently; nothing is ever stuck.
fn agree_over_automata(stack: &Arc<Stack>, levels: &[Level], bounds: &Bounds, numbers: u64) {
    let mut limits_of = vec![("double".into(), 0)];
    limits_of.extend((bounds.losses < ANY).then(|| ("lose".into(), bounds.losses)));
    let calls = vec![("send".into(), bounds.messages)];
    let within = setup::Bounds {
        calls,
        sizes: vec![bounds.size],
        limits: limits_of,
        first: numbers,
        ..setup::Bounds::default()
    };
    let mut below = lossy_datagrams(bounds.flight as u64);
    for action in &mut below.actions {
        action.name = action.name.replace("transmit", "send").replace("receive", "deliver");
    }
    let (space, first) = Space::open(&Setup::new(stack.clone(), below, vec![fifo_network()], within)).expect("a space");
    let stop = AtomicBool::new(false);
    let options = Options {
        threads: 1,
        states: 50_000_000,
        memory: 1 << 32,
        bits: None,
        goals: false,
        stop: &stop,
        progress: &|_| {},
    };
    let wanted = explore(&space, &first, &options);
    assert_eq!(wanted.verdict, explore::Verdict::Complete);
    for level in levels {
        let losses = (bounds.losses < ANY).then_some(bounds.losses);
        let world = World { first: numbers, losses, ..World::new(bounds, Observer::Ordered) };
        let found = spin(stack, *level, &world, &limits());
        println!("{} {level:?}: {found:?}; explorer: {:?}", stack.description, wanted.progress);
        assert_eq!(found.verdict, Verdict::Holds);
        assert_eq!(found.states, wanted.progress.states + 1, "{} {level:?}", stack.description);
    }
}

#[test]
#[ignore = "a long campaign: make soak runs it"]
fn every_level_has_the_states_of_the_explorer() {
    let sequencer = stack(&["sequencer", "floor"], "sequencer / floor");
    agree(&sequencer, &Level::ALL, &bounds([3, 1], 2, 1, 1), Observer::Ordered);
    let window = stack(&["pt2pt", "floor"], "pt2pt<2> / floor");
    agree(&window, &[Level::Call], &bounds([1, 0], 2, 2, 1), Observer::Reliable);
    agree_over_automata(&window, &Level::ALL, &bounds([2, 0], 2, 1, 0), 0);
    // The numbers wrap after the first.
    agree_over_automata(&window, &[Level::Call], &bounds([2, 0], 2, 1, 0), u64::MAX);
    agree_over_automata(&window, &[Level::Inline], &bounds([2, 0], 2, ANY, 0), 0);
    let credit = stack(&["credit", "pt2pt", "floor"], "credit / pt2pt<2> / floor");
    agree_over_automata(&credit, &Level::ALL, &bounds([2, 0], 2, 1, 0), 0);
    let pieces = stack(&["frag", "pt2pt", "floor"], "frag<1, 2> / pt2pt<2> / floor");
    agree_over_automata(&pieces, &Level::ALL, &Bounds { size: 2, ..bounds([1, 0], 2, 1, 0) }, 0);
    let plain = stack(&["frag", "pt2pt", "floor"], "frag<1400> / pt2pt<4> / floor");
    agree_over_automata(&plain, &Level::ALL, &bounds([1, 1], 2, 0, 0), 0);
}

/// What a search costs: states a second and bytes a state, exact, on one core.
#[test]
#[ignore = "a measurement: run it alone, with --nocapture"]
fn what_a_search_costs() {
    let stack = stack(&["pt2pt", "floor"], "pt2pt<2> / floor");
    let bounds = bounds([3, 0], 2, 1, 0);
    for (level, breadth_first) in [(Level::Inline, true), (Level::Inline, false), (Level::Queue, true)] {
        let limits = Limits { breadth_first, depth: 5_000_000, ..limits() };
        let found = spin(&stack, level, &World::new(&bounds, Observer::Ordered), &limits);
        let (states, seconds) = (found.states as f64, found.seconds.max(0.01));
        println!(
            "{level:?}, breadth-first {breadth_first}: {states} states in {seconds} s, {:.0} a second, {:.0} bytes each (with the table); {found:?}",
            states / seconds,
            found.memory_mib * 1048576.0 / states,
        );
    }
}
