//! Stacks that are not columns of layers, in the interpreter: the routes of events, and the cells that a view keeps.

use std::collections::BTreeMap;

use nacre_stack::interpret::{Addr, Config, Machine, Outcome, Value};
use nacre_stack::*;

fn open(stack: &Stack) -> Machine {
    let missing = stack.cells.iter().filter(|c| c.is_configured() && c.initial.is_none());
    let name = |cell: &Cell| format!("{}.{}", stack.layer(cell.layer).name, cell.name);
    let config = missing.fold(Config::default(), |config, cell| config.given(&name(cell), stack.zero(&cell.ty)));
    let mut machine = Machine::new(stack, config);
    assert_eq!(machine.open(0), Outcome::Ok);
    machine.take_outputs();
    machine
}

/// The input of a port, by the names of both.
fn input(stack: &Stack, port: &str, event: &str) -> u32 {
    let is = |e: &PortEvent| stack.ports[e.port.index()].name == port && stack.event(e.event).name == event;
    stack.interface().iter().position(|e| e.input.is_some() && is(e)).expect("an input") as u32
}

fn cell<'m>(machine: &'m Machine, layer: &str, name: &str) -> &'m Value {
    let stack = machine.stack();
    let is = |c: &Cell| c.name == name && stack.layer(c.layer).name == layer;
    machine.cell(CellId(stack.cells.iter().position(is).expect("a cell") as u32))
}

/// The outputs by port, with their contents.
fn left(machine: &mut Machine) -> Vec<(String, Vec<u8>)> {
    let stack = machine.stack().clone();
    let name = |port: PortId| stack.ports[port.index()].name.clone();
    machine.take_outputs().into_iter().map(|o| (name(o.port), o.bytes.unwrap_or_default())).collect()
}

#[test]
fn a_fork_takes_each_side_by_its_link_and_brings_frames_back_to_it() {
    let stack = samples::fork();
    let (mut a, mut b) = (open(&stack), open(&stack));
    for (port, shape) in [("above", 0), ("other", 1)] {
        assert_eq!(a.call(input(&stack, port, "send"), &[], b"hi", 1), Outcome::Ok);
        let frames = left(&mut a);
        assert_eq!((frames.len(), frames[0].1[0]), (1, shape));
        assert_eq!(b.input(Addr::default(), &frames[0].1, 2), Outcome::Ok);
        assert_eq!(left(&mut b), [(port.to_string(), b"hi".to_vec())]);
    }
    assert_eq!((a.reports().len(), b.reports().len()), (0, 0));
}

#[test]
fn a_router_sends_over_the_port_of_its_choice_and_each_port_has_its_own_layout() {
    let stack = samples::router();
    let (mut a, mut b) = (open(&stack), open(&stack));
    let send = input(&stack, "above", "send");
    for (length, port) in [(3, "below"), (300, "wide")] {
        let data = vec![7; length];
        assert_eq!(a.call(send, &[], &data, 1), Outcome::Ok);
        let frames = left(&mut a);
        assert_eq!((frames.len(), frames[0].0.as_str()), (1, port));
        let at = PortId(stack.ports.iter().position(|p| p.name == port).expect("a port") as u32);
        assert_eq!(b.input_at(at, Addr::default(), &frames[0].1, 2), Outcome::Ok);
        assert_eq!(left(&mut b), [("above".to_string(), data)]);
    }
    assert_eq!(b.input_at(PortId(1), Addr::default(), b"", 3), Outcome::Invalid, "no frames come from above");
    assert_eq!(b.input_at(PortId(9), Addr::default(), b"", 3), Outcome::Invalid, "there is no such port");
}

#[test]
fn event_that_turns_returns_to_the_layer_above_with_its_headers() {
    let stack = samples::turning();
    let mut machine = open(&stack);
    assert_eq!(machine.call(input(&stack, "above", "cast"), &[], b"all", 1), Outcome::Ok);
    let names = |port: &str, bytes: &[u8]| (port.to_string(), bytes.to_vec());
    let expected = [names("below", b"\x00\x03all"), names("above", b"all"), names("above", b"")];
    assert_eq!(left(&mut machine), expected);
    assert_eq!(cell(&machine, "order", "seen"), &Value::Num(2));
    assert_eq!(machine.reports().len(), 0);
}

#[test]
fn view_keeps_lasting_and_shared_cells_and_restarts_the_session() {
    let stack = samples::router();
    let mut machine = open(&stack);
    assert_eq!(machine.call(input(&stack, "above", "send"), &[], &[1; 40], 1), Outcome::Ok);
    let rank = BTreeMap::from([("big.rank".to_string(), Value::Num(9))]);
    assert_eq!(machine.view(rank, 5), Outcome::Ok);
    assert_eq!(cell(&machine, "sizer", "views"), &Value::Num(2), "it lasts, and opening came again");
    assert_eq!(cell(&machine, "big", "rank"), &Value::Num(9));
    assert_eq!(cell(&machine, "big", "holds"), &Value::Num(0));
    assert!(matches!(cell(&machine, "sizer", "last"), Value::Option(Some(_))));
    assert_eq!(machine.armed()[0].deadline, 5 + 1_000_000, "the timer of the old view has stopped");
    let wrong = BTreeMap::from([("big.rank".to_string(), Value::Num(1 << 20))]);
    let before = machine.canonical_bytes();
    assert_eq!(machine.view(wrong, 6), Outcome::Invalid);
    assert_eq!(machine.canonical_bytes(), before);
}

#[test]
fn a_stack_without_anything_that_lasts_has_no_views() {
    let mut machine = open(&samples::repeating());
    assert_eq!(machine.view(BTreeMap::new(), 1), Outcome::Invalid);
    let router = samples::router();
    let mut closed = Machine::new(&router, Config::default());
    assert_eq!(closed.view(BTreeMap::new(), 1), Outcome::Invalid, "it is not open");
}

#[test]
fn each_session_has_a_state_of_its_own() {
    let stack = samples::mux();
    let (mut a, mut b) = (open(&stack), open(&stack));
    let (say, ask) = (input(&stack, "above", "say"), input(&stack, "above", "ask"));
    assert_eq!(cell(&a, "keyed", "channels"), &Value::Num(6), "opening comes once for each channel");
    assert_eq!(a.armed().iter().map(|armed| armed.indices[0]).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(a.call(say, &[Value::Num(2)], b"two", 1), Outcome::Ok);
    let outputs = a.take_outputs();
    assert_eq!((outputs[0].session, outputs[0].port), (0, PortId(0)));
    let frame = outputs[0].bytes.clone().expect("a frame");
    assert_eq!(frame[0] & 3, 2, "the key is the session");
    assert_eq!(b.enter(PortId(0), 1, Addr::default(), &frame, 2), Outcome::Ok);
    let heard = b.take_outputs();
    assert_eq!((heard[0].session, heard[0].bytes.as_deref()), (2, Some(&b"two"[..])));
    let Value::Tuple(seen) = cell(&b, "talk", "seen") else { panic!("one for each session") };
    assert_eq!(seen[..], [Value::Num(0), Value::Num(0), Value::Num(1)]);
    assert_eq!(cell(&b, "talk", "total"), &Value::Num(1), "it is shared");
    // The answer goes to the peer that sent the question, in the same session.
    assert_eq!(b.call(say, &[Value::Num(2)], b"back", 3), Outcome::Ok);
    assert_eq!(b.take_outputs()[0].session, 1);
    assert_eq!(b.call(ask, &[Value::Num(1)], b"", 4), Outcome::Ok);
    assert_eq!(b.take_outputs()[0].session, 1);
    assert_eq!(b.reports().len(), 0);
}

#[test]
fn index_of_a_missing_session_is_rejected() {
    let stack = samples::mux();
    let mut machine = open(&stack);
    let say = input(&stack, "above", "say");
    let before = machine.canonical_bytes();
    assert_eq!(machine.call(say, &[Value::Num(3)], b"", 1), Outcome::Invalid, "a call");
    assert_eq!(machine.enter(PortId(0), 2, Addr::default(), &[0, 0], 1), Outcome::Invalid, "a channel");
    assert_eq!(machine.enter(PortId(0), 1, Addr::default(), &[3, 0], 1), Outcome::Dropped, "a header");
    assert_eq!(machine.counter(builtin::MALFORMED), 1);
    assert_eq!(machine.canonical_bytes(), before);
    assert_eq!(machine.enter(PortId(0), 1, Addr::default(), &[2, 0], 1), Outcome::Ok);
}

#[test]
fn a_peer_that_moves_and_a_way_whose_room_changes_are_state_of_their_context() {
    let stack = samples::far();
    let mut machine = open(&stack);
    let context = &stack.contexts[0];
    let peer = context.peer.expect("a peer");
    let there = Value::Addr(Addr { ip: [7; 16], port: 9, family: 6 });
    assert_eq!(machine.call(input(&stack, "below", "moved"), std::slice::from_ref(&there), b"", 1), Outcome::Ok);
    assert_eq!(machine.cell(peer), &there);
    assert_eq!(machine.call(input(&stack, "above", "send"), &[], &[1; 300], 2), Outcome::Ok);
    assert_eq!(machine.take_outputs()[0].arguments, [there]);
    // Half of the room and one, which no message may reach; another follows from it.
    assert_eq!(machine.call(input(&stack, "below", "room"), &[Value::Num(100)], b"", 3), Outcome::Ok);
    assert_eq!(machine.take_outputs()[0].arguments, [Value::Num(52)], "it is derived anew within the step");
    assert_eq!(machine.call(input(&stack, "above", "send"), &[], &[1; 300], 4), Outcome::Ok);
    assert_eq!(machine.take_outputs(), []);
    assert_eq!(machine.reports().len(), 0);
    assert_eq!(read(&print(&stack)).expect("its own text"), stack);
}
