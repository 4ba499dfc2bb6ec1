//! Layers of the library between automata of the library, and the results of the explorer.
#![allow(dead_code)]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_checker::explore::{self, explore, Options};
use nacre_checker::retrace::{retrace, Hint};
use nacre_checker::space::Space;
use nacre_driver::{Override, Session, Variation};
use nacre_specification::violation::Violation;
use nacre_spin::hint;
use nacre_spin::spin::{StopReason, Tools, Trail};
use nacre_worlds::setup::{Bounds, Setup};

pub fn tools() -> Tools {
    Tools::find().expect("spin and gcc: tools/install.sh spin gcc libc6-dev")
}

/// A single layer: `parameters` are the layer's, `network` is below with its parameters, `above` is the specification.
pub struct Of<'a> {
    pub layer: &'a str,
    /// The replacements of text in its source.
    pub change: (&'a str, &'a str),
    pub parameters: &'a [(&'a str, u64)],
    pub network: (&'a str, &'a [(&'a str, u64)]),
    pub above: &'a str,
    pub bounds: Bounds,
}

pub fn bounds(sends: [u8; 2]) -> Bounds {
    Bounds { calls: vec![("send".into(), sends.into())], ..Bounds::default() }
}

pub fn setup(of: &Of) -> Setup {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../layers/{0}/{0}.nacre", of.layer));
    let file = file.canonicalize().expect("the layer is there");
    let text = std::fs::read_to_string(&file).expect("it can be read");
    assert!(text.contains(of.change.0), "what is changed is there");
    let text = if of.change.0.is_empty() { text } else { text.replace(of.change.0, of.change.1) };
    let session = Session::from_text(&file, &text);
    assert!(!session.has_errors(), "{}", session.render(false));
    let automaton = |name: &str, given: &[(&str, u64)]| {
        let given: Vec<(String, u64)> = given.iter().map(|(name, n)| (name.to_string(), *n)).collect();
        session.automaton(name, &given).expect("an automaton")
    };
    let each = of.parameters.iter();
    let parameters = each.map(|(name, value)| Override {
        layer: of.layer.into(),
        parameter: name.to_string(),
        value: *value,
        span: nacre_stack::Span::default(),
    });
    let variation = Variation { parameters: parameters.collect(), ..Variation::default() };
    let (stack, _) = session.compose_varied(of.layer, &variation).expect("a stack");
    let (below, above) = (automaton(of.network.0, of.network.1), vec![automaton(of.above, &[])]);
    Setup::new(Arc::new(stack), below, above, of.bounds.clone())
}

/// The number of states that the explorer visits, if there is no violation.
pub fn explored(setup: &Setup) -> u64 {
    let (space, first) = Space::open(setup).expect("a space");
    let options = Options {
        threads: 1,
        states: 10_000_000,
        memory: 1 << 32,
        bits: None,
        goals: false,
        stop: &AtomicBool::new(false),
        progress: &|_| {},
    };
    let searched = explore(&space, &first, &options);
    assert_eq!(searched.verdict, explore::Verdict::Complete);
    searched.progress.states
}

/// One call with a long message, for which frag may have no room.
pub fn long_message() -> Setup {
    let parameters = &[("SIZE", 1), ("PIECES", 2)];
    let network = ("fifo_network", &[("ROOM", 2)][..]);
    let bounds = Bounds { sizes: vec![2], at_once: true, ..bounds([2, 0]) };
    setup(&Of { layer: "frag", change: ("", ""), parameters, network, above: "fifo_network", bounds })
}

/// A window over a line on which nothing is retransmitted without need: the acknowledgement is sent before the sender's
/// timeout.
pub fn last_resorts() -> Setup {
    let network = ("answering_network", &[("ANSWERS", 2)][..]);
    let last = vec![("pt2pt.due".into(), 1), ("pt2pt.resend".into(), 1)];
    let bounds = Bounds { last, ..bounds([1, 0]) };
    setup(&Of { layer: "pt2pt", change: ("", ""), parameters: &[("W", 4)], network, above: "fifo_network", bounds })
}

/// A floor that does not check the identification of the peer for damage.
pub fn credulous_floor() -> Setup {
    let network = ("hostile_datagrams", &[("ERRORS", 1)][..]);
    let change = ("&& check == sum", "");
    setup(&Of { layer: "floor", change, parameters: &[], network, above: "connecting_network", bounds: bounds([1, 1]) })
}

/// The report of the model.
pub fn violation(trail: &Trail) -> Violation {
    match trail.report {
        Some((StopReason::Violation(violation), _)) => violation,
        _ => panic!("no violation was reported: {trail:?}"),
    }
}

/// The interpreter repeats the run of SPIN, and finds the same violation.
pub fn breaks_in_the_interpreter(setup: &Setup, trail: &Trail, told: &str) {
    assert_eq!(violation(trail), Violation::NotAllowed, "{trail:?}");
    let hints: Vec<Hint> = trail.steps.iter().filter_map(hint).collect();
    let (space, first) = Space::open(setup).expect("a space");
    let run = retrace(setup, &space, &first, &hints).expect("the interpreter's too");
    assert!(run.why.contains(told), "{}", run.why);
}
