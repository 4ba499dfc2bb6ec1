//! SPIN on the model stores the states that the explorer visits, and finds the same violations, for hand-written
//! stacks. (`spin/tests` and the campaign `every_engine_holds_for_the_library` of the command line check the library.)

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use nacre_backend_promela::between::{write_between, Form, World};
use nacre_backend_promela::{Refusal, EXTRA_STATES};
use nacre_checker::explore::{self, explore, Options};
use nacre_checker::space::Space;
use nacre_specification::samples::{fifo_network, lossy_datagrams, lossy_network};
use nacre_specification::Automaton;
use nacre_spin::model;
use nacre_spin::spin::{Limits, Tools, Verdict};
use nacre_stack::{samples, BinaryOp, CellId, Expr, ExprKind, Place, Query, Root, Span, Stack, StatementKind, Type};
use nacre_worlds::setup::{Bounds, Setup};

fn setup(stack: Stack, below: Automaton, above: Vec<Automaton>, calls: &[(&str, [u8; 2])], losses: u8) -> Setup {
    let calls = calls.iter().map(|(name, times)| (name.to_string(), times.to_vec())).collect();
    // Copies of copies never end.
    let limits = vec![("loss".to_string(), losses), ("double".to_string(), 1)];
    Setup::new(Arc::new(stack), below, above, Bounds { calls, limits, ..Bounds::default() })
}

fn explored(setup: &Setup) -> explore::Searched {
    let (space, first) = Space::open(setup).unwrap();
    let (stop, threads) = (AtomicBool::new(false), 1);
    let options = Options {
        threads,
        states: 1_000_000,
        memory: 1 << 32,
        bits: None,
        goals: false,
        stop: &stop,
        progress: &|_| {},
    };
    explore(&space, &first, &options)
}

/// Both hold, with the same number of states.
fn agree(setup: &Setup) -> u64 {
    let wanted = explored(setup);
    assert_eq!(wanted.verdict, explore::Verdict::Complete, "{}", setup.stack().name);
    let found = model::check(setup, &Tools::find().expect("spin and gcc"), &Limits::default()).expect("a verdict");
    println!("{}: {:?}, {found:?}", setup.stack().name, wanted.progress);
    let states = wanted.progress.states;
    assert_eq!((found.verdict, found.states), (Verdict::Holds, states + EXTRA_STATES), "{}", setup.stack().name);
    states
}

#[test]
fn repeating_has_the_explorers_states() {
    let calls = &[("send", [2, 0])];
    agree(&setup(samples::repeating(), lossy_datagrams(2), vec![fifo_network()], calls, 1));
}

#[test]
fn sealed_has_the_explorers_states() {
    agree(&setup(samples::sealed(), lossy_datagrams(2), vec![lossy_network(4)], &[("send", [1, 1])], 1));
}

/// Pools, maps, families of timers, `later`.
#[test]
fn a_desk_has_the_explorers_states() {
    // Five questions exceed its capacity, so it defers their processing.
    for (asks, room, losses) in [([2, 0], 2, 1), ([5, 0], 0, 0)] {
        let mut setup = setup(samples::desk(), lossy_datagrams(room), vec![], &[("ask", asks)], losses);
        setup.bounds.limits[1].1 = 0;
        assert!(agree(&setup) > 1000);
    }
}

/// Finds the violation that the explorer finds; returns its description.
fn both_find(broken: Stack) -> String {
    let setup = setup(broken, lossy_datagrams(2), vec![fifo_network()], &[("send", [2, 0])], 1);
    let wanted = explored(&setup).verdict;
    assert!(matches!(wanted, explore::Verdict::Violated { .. }), "{wanted:?}");
    let found = model::check(&setup, &Tools::find().expect("spin and gcc"), &Limits::default()).expect("a verdict");
    let Verdict::Violated { trail, .. } = found.verdict else { panic!("SPIN finds nothing: {found:?}") };
    trail.report.expect("a report").1
}

#[test]
fn numbers_that_are_not_compared_are_found() {
    let mut broken = samples::repeating();
    for statement in broken.handlers.iter_mut().flat_map(|h| &mut h.body) {
        if let StatementKind::If { condition, otherwise, .. } = &mut statement.kind {
            if otherwise.len() == 1 {
                condition.kind = ExprKind::Const(1);
            }
        }
    }
    assert_eq!(both_find(broken), "deliver is not allowed by fifo_network here");
}

#[test]
fn an_invariant_that_does_not_hold_is_found() {
    let mut broken = samples::repeating();
    let ty = Type::Bool;
    let sent = Place { root: Root::Cell(CellId(1)), path: vec![], ty: broken.cells[1].ty.clone() };
    let empty = ExprKind::Query(Query::Empty, Box::new(sent), vec![]);
    broken.layers[0].invariants.push(Expr::new(empty, ty, Span::default()));
    assert_eq!(both_find(broken), "repeating: invariant 2");
}

fn written(stack: &Stack) -> Result<String, Vec<Refusal>> {
    let below = lossy_datagrams(2);
    let world = World {
        below: &below,
        above: &[],
        tables: &[],
        calls: vec![],
        limits: vec![],
        last: vec![],
        at_once: false,
        first: 0,
        given: &[],
        goals: false,
        form: Form::Values,
        capacity: [4; 2],
        longer: 0,
    };
    write_between(stack, &world, &|_| Some(("layers/g/g.nacre".into(), 7)))
}

fn session_stack(layers: &str, stack: &str) -> Stack {
    stack_of(&mut session(layers, stack))
}

fn session(layers: &str, stack: &str) -> nacre_driver::Session {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../layers");
    let source = format!("{layers}\nstack tried = {stack};\n");
    let mut session = nacre_driver::Session::from_text(&folder.join("pt2pt/tried.nacre"), &source);
    session.check();
    session
}

fn stack_of(session: &mut nacre_driver::Session) -> Stack {
    session.stack("tried").unwrap_or_else(|| panic!("{}", session.render(false)))
}

/// Each frame arrives once, one of them with a flipped bit. A layer counts the well-formed frames: unused bits and
/// those of an absent option are zero, numbers are within their ranges, and the shape is known. It also checks that the
/// parsed values differ in at most one bit from the sent ones.
const CURIOUS: &str = "import \"../interfaces.nacre\";
    automaton once {
        state { sent: set<msg> per member, flips: nat }
        input send(at p, m) { sent[p].add(m); }
        output deliver(at q, m) when m in sent[peer(q)] { sent[peer(q)].remove(m); }
        output deliver(at q, m) when flips == 0 && old in sent[peer(q)] && m in damaged(old) {
            flips += 1;
            sent[peer(q)].remove(old);
        }
    }
    filter parity { state { all: u8 } byte(b: u8) { all = all ^ b; } result { all } }
    enum Colour { red, green, blue }
    struct Pair { a: i13, b: bool }
    worker curious {
        requires once;
        header Full { to: u24 at cookie, r: 0..5, maybe: u3?, c: Colour, pair: Pair, swapped: u16 big at byte 11, two: bytes<2> }
        header Short { to: u24 at cookie, wide: u40 at byte 6 }
        state {
            last: 0..5, maybe: u3?, c: Colour, pair: Pair, swapped: u16, two: bytes<2>, wide: u40, to: u24, again: bool,
            count: u8, first: u8,
        }
        invariant swapped == 0 || (swapped ^ 0x1234) & (swapped ^ 0x1234) - 1 == 0;
        invariant pair.a <= 0 || pair.a == 4093;
        invariant wide == 0 || to != 2 || (wide ^ 0x8070605040) & (wide ^ 0x8070605040) - 1 == 0;
        down send(m) {
            if again { pass m + Short { to: 2, wide: 0x8070605040 }; return; }
            again = true;
            pass m + Full { to: 0x123456, r: 4, maybe: none, c: Colour.blue, pair: Pair { a: -3, b: true }, swapped: 0x1234, two };
        }
        up deliver(m - Full { to: t, r, maybe: may, c: colour, pair: p, swapped: s, two: bytes }) {
            count += 1; to = t; last = r; maybe = may; c = colour; pair = p; swapped = s; two = bytes; first = m.bytes through parity;
            pass m;
        }
        up deliver(m - Short { to: t, wide: w }) { count += 1; to = t; wide = w; first = m.bytes through parity; pass m; }
    }";

#[test]
fn damaged_frames_are_parsed_as_the_interpreter_does() {
    let mut session = session(CURIOUS, "curious");
    let below = session.automaton("once", &[]).expect("an automaton");
    let mut setup = setup(stack_of(&mut session), below, vec![], &[("send", [2, 0])], 0);
    setup.bounds.limits.clear();
    // One state for each bit of a frame whose flip results in another message.
    assert!(agree(&setup) > 100);
}

/// A network with actions whose guards are partly constant for a parameter of 0, and the values of their parts.
const KNOWN_GUARDS: &str = "import \"../interfaces.nacre\";
    automaton losing<LOSSES: u32 = 0, ANY: u32 = 1> {
        state { sent: bag<(rank, msg)>, lost: nat, faults: nat }
        input send(at p, m) { sent.add((peer(p), m)); }
        output deliver(at q, m) when (q, m) in sent { sent.remove((q, m)); }
        fault loss(q, m) when (q, m) in sent && (lost < LOSSES || ANY == 1) { lost += 1; sent.remove((q, m)); }
        fault never(q, m) when (q, m) in sent && lost < LOSSES { faults += 1; sent.remove((q, m)); }
        fault sometimes(q, m) when (q, m) in sent && !(LOSSES < lost) && faults < 1 { faults += 1; }
        internal tidy() when !(0 < LOSSES) && lost > 0 && (ANY == 0 || lost < 0 || faults > 0) { lost -= 1; faults -= 1; }
    }
    worker plain { requires losing; state { sent: u2 } down send(m) { sent += 1; pass m; } }";

#[test]
fn actions_whose_guards_are_known_in_part_are_in_the_model() {
    let mut session = session(KNOWN_GUARDS, "plain");
    let stack = stack_of(&mut session);
    let count = |any: u64| {
        let below = session.automaton("losing", &[("ANY".into(), any)]).expect("an automaton");
        let mut setup = setup(stack.clone(), below, vec![], &[("send", [2, 1])], 0);
        setup.bounds.limits.clear();
        agree(&setup)
    };
    assert!(count(1) > count(0), "a loss that one part of its guard allows makes states of its own");
}

#[test]
fn unsupported_constructs_are_refused_with_a_message() {
    let mut timed = samples::repeating();
    let now = Expr::new(ExprKind::Now, Type::Instant, Span::default());
    let zero = Expr::new(ExprKind::Zero, Type::Instant, Span::default());
    let late = Expr::new(ExprKind::Binary(BinaryOp::Less, Box::new(zero), Box::new(now)), Type::Bool, Span::default());
    timed.handlers[0].body.push(StatementKind::Assert(late, "late".into()).into());
    let refusals = written(&timed).unwrap_err();
    let said: Vec<String> = refusals.iter().map(|r| r.to_string()).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("not supported in Promela: a time affects more than timers"), "{said:?}");
    let late = "import \"../interfaces.nacre\"; import \"../floor/floor.nacre\";
        worker late { state { last: instant } down send(m) { if now - last > 5 ms { drop m; return; } last = now; pass; } }";
    let refusals = written(&session_stack(late, "late / floor")).unwrap_err();
    assert!(refusals.iter().any(|r| r.to_string().contains("in `late.down.send`")), "{refusals:?}");
    let drawn = "import \"../interfaces.nacre\"; import \"../floor/floor.nacre\";
        worker drawn { state { n: u8 = random(6) as u8 } }";
    let draws = written(&session_stack(drawn, "drawn / floor")).unwrap_err();
    assert!(draws.iter().any(|r| r.to_string().contains("random initial values")), "{draws:?}");
}

#[test]
fn handlers_are_named_and_located_as_in_the_source() {
    let text = written(&samples::repeating()).unwrap();
    let expected = "/* repeating: repeating.up.receive.Data (g.nacre:7) */\ninline repeating_up_receive_Data() {";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("/* fn repeating.acknowledged (g.nacre:7) */"), "{text}");
}
