//! Which bypasses of the library leave no more than quick entries return. That the entries do the same as the ordinary
//! ones, `fuzzing.rs` shows.

use std::collections::BTreeMap;

use nacre_analysis::quick::{left_by, Left};
use nacre_bypass::add_bypasses;
use nacre_driver::{Level, Session};
use nacre_runtime::ffi::NacreAddr;
use nacre_runtime::instance::{Config, Instance, Outcome, Pool};
use nacre_runtime::output::Out;
use nacre_stack::{Entry, Expr, ExprKind, Place, Root, Stack, Statement, StatementKind, Type};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::root;

fn bypassed(name: &str) -> Stack {
    let (_, mut stack) = find(name).compose();
    add_bypasses(&mut stack);
    stack
}

/// How many bypasses of calls and frames leave what, by the name of what they leave.
fn left(stack: &Stack) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for bypass in &stack.bypasses {
        let name = match (bypass.entry, left_by(stack, bypass)) {
            (Entry::Call(..), None) => "call: more",
            (_, None) => "frame: more",
            (_, Some(Left::Frame(_))) => "call: a frame",
            (_, Some(Left::Delivery { event: false, data: false })) => "frame: nothing",
            (_, Some(Left::Delivery { event: false, data: true })) => "frame: data",
            (_, Some(Left::Delivery { event: true, data: false })) => "frame: an event",
            (_, Some(Left::Delivery { event: true, data: true })) => "frame: an event and data",
        };
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

#[test]
fn common_calls_and_frames_of_a_reliable_stack_fit() {
    for name in ["reliable_plain", "reliable"] {
        let stack = bypassed(name);
        let counts = left(&stack);
        for what in ["call: a frame", "frame: nothing", "frame: data", "frame: an event", "frame: an event and data"] {
            assert!(counts.contains_key(what), "{name}: no {what}: {counts:?}");
        }
        // Among the others: a delivery with an acknowledgement that leaves at once.
        assert!(counts.contains_key("frame: more") && !counts.contains_key("call: more"), "{name}: {counts:?}");
        // Frames go to the address that the host has given, whichever bypass sends them.
        let cells: Vec<_> = stack.bypasses.iter().filter_map(|bypass| left_by(&stack, bypass)).collect();
        let to: Vec<_> =
            cells.iter().filter_map(|left| if let Left::Frame(sent) = left { sent.to } else { None }).collect();
        let names: Vec<&str> = to.iter().map(|cell| stack.cell(*cell).name.as_str()).collect();
        assert!(!names.is_empty() && names.iter().all(|name| *name == "peer"), "{name}: {names:?}");
    }
}

/// What is sealed is not the data of the call, nor is what was opened that of the frame.
#[test]
fn data_that_the_stack_has_made_does_not_fit() {
    let counts = left(&bypassed("secure"));
    let without_data = |what: &&str| ["call: more", "frame: more", "frame: nothing", "frame: an event"].contains(what);
    assert!(counts.keys().all(without_data), "{counts:?}");
    assert!(counts.contains_key("call: more"), "{counts:?}");
}

/// A bypass that is changed so that it sends elsewhere, or something else, fits no more.
#[test]
fn changed_bypasses_do_not_fit() {
    let stack = bypassed("reliable_plain");
    let is_call = |entry: Entry| matches!(entry, Entry::Call(..));
    let bypass = stack.bypasses.iter().find(|b| is_call(b.entry)).expect("there is one");
    let Some(Left::Frame(sent)) = left_by(&stack, bypass) else { panic!("it fits") };
    let to = sent.to.expect("it has an address");
    let place = |e: &Expr| matches!(&e.kind, ExprKind::Load(place) if place.root == Root::Cell(to));
    // The cell with the address changes in the same step.
    let mut moved = bypass.clone();
    let load = bypass.body.iter().find_map(|s| match &s.kind {
        StatementKind::Let(_, e) if place(e) => Some(e.clone()),
        _ => None,
    });
    let load = load.expect("the address is read");
    let ExprKind::Load(cell) = &load.kind else { panic!() };
    let store = StatementKind::Store((**cell).clone(), load.clone());
    moved.body.push(Statement { kind: store, ..bypass.body[0].clone() });
    assert_eq!(left_by(&stack, &moved), None);
    // The local with the address is written through a name for it.
    let mut through = bypass.clone();
    let is_emit = |s: &Statement| matches!(s.kind, StatementKind::Emit(_));
    let at = bypass.body.iter().position(is_emit).expect("it sends");
    let StatementKind::Emit(emit) = &bypass.body[at].kind else { panic!() };
    let argument = emit.arguments.iter().find(|e| e.ty == Type::Addr).expect("to an address");
    let ExprKind::Local(local) = argument.kind else { panic!("{argument:?}") };
    let named = Place { root: Root::Local(local), path: vec![], ty: Type::Addr };
    let store = StatementKind::Store(named, load.clone());
    through.body.insert(at, Statement { kind: store, ..bypass.body[0].clone() });
    assert_eq!(left_by(&stack, &through), None);
    // It sends twice.
    let mut twice = bypass.clone();
    twice.body.push(bypass.body[at].clone());
    assert_eq!(left_by(&stack, &twice), None);
    // Part of the data.
    let mut part = bypass.clone();
    for statement in &mut part.body {
        let StatementKind::Emit(emit) = &mut statement.kind else { continue };
        for argument in emit.arguments.iter_mut().filter(|e| e.ty == Type::Msg) {
            let one = Expr { kind: ExprKind::Const(1), ty: Type::UInt(32), ..argument.clone() };
            argument.kind = ExprKind::Rest(Box::new(argument.clone()), Box::new(one));
        }
    }
    assert_eq!(left_by(&stack, &part), None);
}

/// Keeps the latest messages, which take several blocks.
const LATEST: &str = "
interface plain {
    down send(m: msg)
    up deliver(m: msg)
}
worker latest: plain over plain {
    state { kept: ring<msg, 2> }
    down send(m) { pass; }
    up deliver(m) {
        if unlikely (m.len < 4) { pass; return; }
        kept.push(m) else { drop m; }
        if likely (kept.len > 1) { let old = kept.pop() else unreachable; drop old; }
    }
}
stack st = latest;
";

/// The blocks of a frame that occupies several are released when it is replaced.
#[test]
fn frames_of_several_blocks_come_back_to_the_pool() {
    let mut session = Session::from_text(&root().join("tests/latest.nacre"), LATEST);
    let stack = session.stack("st").unwrap_or_else(|| panic!("{}", session.render(false)));
    let machines = Machines::of(session, stack);
    let text = machines.text(Level::Bypass);
    assert!(text.source.contains("st_input_quick("), "it has a quick entry");
    let loaded = machines.load(&text).expect("the C compiles");
    let mut pool = Pool::new(&loaded, 0).expect("a pool");
    let all = pool.free();
    let mut out = Out::new();
    let (mut instance, _) =
        Instance::open(&loaded, &mut pool, &Config::new(&loaded), 1, 1, &mut out).expect("it opens");
    let from = NacreAddr { ip: [0; 16], port: 1, family: 4 };
    for round in 0..100_u8 {
        let frame = vec![round; 5000];
        let (outcome, outputs) = instance.input(&mut pool, 1, &from, &frame, &mut out);
        assert_eq!((outcome, outputs.len()), (Outcome::Done, 0), "round {round}");
        assert!(pool.free() + 2 * 5000 / 1000 >= all, "round {round}: {} of {all} blocks are free", pool.free());
    }
    instance.discard(&mut pool);
    assert_eq!(pool.free(), all);
}
