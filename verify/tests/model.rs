//! SPIN on the readable model between automata against the explorer, in the same worlds.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

use nacre_checker::explore::{self, explore, Options};
use nacre_checker::setup::{Bounds, Setup};
use nacre_checker::space::Space;
use nacre_specification::samples::{fifo_network, lossy_datagrams};
use nacre_verify::model::{check, EXTRA_STATES};
use nacre_verify::spin::{Limits, Tools, Verdict};

const PT2PT: &str = include_str!("../../layers/pt2pt/pt2pt.nacre");

/// `pt2pt<2>` of a source, two messages from one end over a network that loses one frame.
fn setup(source: &str) -> Setup {
    let library =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../layers/pt2pt").canonicalize().expect("the layers are there");
    let text = format!("import \"../floor/floor.nacre\";\n{source}\nstack s = pt2pt<2> / floor;\n");
    let mut session = nacre_driver::Session::from_text(&library.join("from_test.nacre"), &text);
    let stack = Arc::new(session.stack("s").unwrap_or_else(|| panic!("{}", session.render(false))));
    let mut below = lossy_datagrams(2);
    for action in &mut below.actions {
        action.name = action.name.replace("transmit", "send").replace("receive", "deliver");
    }
    let limits = vec![("double".into(), 0), ("lose".into(), 1)];
    let bounds = Bounds { calls: vec![("send".into(), [2, 0])], limits, ..Bounds::default() };
    Setup::new(stack, below, vec![fifo_network()], bounds)
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(300), ..Limits::default() }
}

fn tools() -> Tools {
    Tools::find().expect("spin and gcc: tools/install.sh spin gcc libc6-dev")
}

#[test]
fn the_model_has_the_states_of_the_explorer() {
    let mut setup = setup(PT2PT);
    // They wrap after the first.
    setup.bounds.first = u64::MAX;
    let (space, first) = Space::open(&setup).expect("a space");
    let stop = AtomicBool::new(false);
    let options = Options {
        threads: 1,
        states: 1_000_000,
        memory: 1 << 30,
        bits: None,
        goals: false,
        stop: &stop,
        progress: &|_| {},
    };
    let wanted = explore(&space, &first, &options);
    assert_eq!(wanted.verdict, explore::Verdict::Complete);
    let found = check(&setup, &tools(), &limits()).expect("a verdict");
    assert_eq!(found.verdict, Verdict::Holds);
    assert_eq!(found.states, wanted.progress.states + EXTRA_STATES);
}

#[test]
fn a_bug_in_a_layer_is_told_by_the_automaton_that_it_breaks() {
    let seeded = PT2PT.replace("number == got.next && ", "");
    assert_ne!(seeded, PT2PT);
    let found = check(&setup(&seeded), &tools(), &limits()).expect("a verdict");
    let Verdict::Violated { trail, .. } = found.verdict else { panic!("{found:?}") };
    assert_eq!(
        trail.last().map(String::as_str),
        Some("broken: deliver is not allowed by fifo_network here"),
        "{trail:?}"
    );
}

#[test]
fn what_the_model_leaves_out_is_refused_in_words() {
    let mut setup = setup(PT2PT);
    setup.bounds.any_order = true;
    let failure = check(&setup, &tools(), &limits()).expect_err("refused");
    assert!(format!("{failure:?}").contains("one order of events"), "{failure:?}");
}
