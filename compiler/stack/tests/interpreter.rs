//! The behaviour of the samples.

use nacre_stack::interpret::{Addr, Config, Machine, Outcome, Output, Rule, Schedule, Value, NEVER};
use nacre_stack::{builtin, samples, CellId, PortId, Stack};

const MS: u64 = 1_000_000;

fn addr(n: u8) -> Addr {
    let mut ip = [0; 16];
    (ip[10], ip[11], ip[12], ip[15]) = (255, 255, 127, n);
    Addr { ip, port: 7000 + n as u16, family: 4 }
}

/// Returns an opened side whose peer has the address `to`; the outputs of opening are discarded.
fn open(stack: &Stack, layer: &str, to: u8) -> Machine {
    let mut machine = Machine::new(stack, Config::default().given(&format!("{layer}.peer"), Value::Addr(addr(to))));
    assert_eq!(machine.open(0), Outcome::Ok);
    machine.take_outputs();
    machine
}

fn event(stack: &Stack, name: &str) -> u32 {
    let find = |e: &nacre_stack::PortEvent| e.port != PortId(0) && stack.event(e.event).name == name;
    stack.interface().iter().position(find).expect("an event of the port") as u32
}

fn frames(machine: &mut Machine) -> Vec<Vec<u8>> {
    split(machine.take_outputs()).0
}

/// Frames, and other outputs as (event, arguments, data).
fn split(outputs: Vec<Output>) -> (Vec<Vec<u8>>, Vec<Output>) {
    let (frames, others): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|o| o.port == PortId(0));
    (frames.into_iter().map(|o| o.bytes.expect("a frame")).collect(), others)
}

fn quiet(machine: &Machine) {
    assert_eq!(machine.reports(), &[], "no rule is broken");
}

#[test]
fn first_frame_is_identified_and_later_ones_carry_the_cookie() {
    let stack = samples::sequencer();
    let (mut a, mut b) = (open(&stack, "floor", 2), open(&stack, "floor", 1));
    let send = event(&stack, "send");
    assert_eq!(a.call(send, &[], b"hello", 1), Outcome::Ok);
    let sent = frames(&mut a);
    let mut expected = vec![0x03, 0, 0, 0];
    expected.extend(samples::FINGERPRINT.to_le_bytes());
    expected.extend([0xcd, 0xab, 0, 1, 0, 0, 0]);
    expected.extend(b"hello");
    assert_eq!(sent, vec![expected]);

    assert_eq!(b.input(addr(1), &sent[0], 2), Outcome::Ok);
    assert_eq!(split(b.take_outputs()).1[0].bytes.as_deref(), Some(&b"hello"[..]));
    assert_eq!(b.call(send, &[], b"yes", 3), Outcome::Ok);
    assert_eq!(frames(&mut b), vec![b"\x00\xcd\xab\x00\x01\x00\x00\x00yes".to_vec()]);
    quiet(&a);
    quiet(&b);
}

#[test]
fn late_message_is_dropped_and_counted() {
    let stack = samples::sequencer();
    let (mut a, mut b) = (open(&stack, "floor", 2), open(&stack, "floor", 1));
    a.call(event(&stack, "send"), &[], b"x", 0);
    let frame = frames(&mut a).remove(0);
    b.input(addr(1), &frame, 0);
    b.take_outputs();
    let before = b.canonical_bytes();
    assert_eq!(b.input(addr(1), &frame, 0), Outcome::Ok);
    assert_eq!(b.take_outputs(), vec![]);
    assert_eq!(b.canonical_bytes(), before);
    assert_eq!(b.counters().last(), Some(&1));
}

#[test]
fn frames_outside_every_shape_are_dropped() {
    let stack = samples::sequencer();
    let mut b = open(&stack, "floor", 1);
    let mut count = 0;
    let good = b"\x00\xcd\xab\x00\x01\x00\x00\x00yes";
    // Too short, an unknown shape, the control shape, the long form of a short number, a shape that must be identified.
    for bad in
        [&good[..7], &b""[..], b"\x04\xcd\xab\0\x01\0\0\0", &[0xfe; 20], &[0xfc, 0, 0, 0, 0, 0, 0, 0, 0, 0], &[2; 30]]
    {
        count += 1;
        assert_eq!(b.input(addr(1), bad, 0), Outcome::Dropped);
        assert_eq!(b.counter(builtin::MALFORMED), count);
    }
    assert_eq!(b.input(addr(1), b"\x00\xcc\xab\x00\x01\x00\x00\x00no", 0), Outcome::Dropped);
    assert_eq!(b.counter(builtin::IMPOSSIBLE), 1);
    quiet(&b);
}

#[test]
fn repeating_keeps_sends_again_and_releases() {
    let stack = samples::repeating();
    let (mut a, mut b) = (open(&stack, "repeating", 2), open(&stack, "repeating", 1));
    let send = event(&stack, "send");
    for n in 0..4u8 {
        assert_eq!(a.call(send, &[], &[n; 100], 0), Outcome::Ok);
    }
    assert!(!a.accepts(send, 100));
    assert_eq!(a.call(send, &[], b"no", 0), Outcome::Refused);
    assert_eq!(a.free_blocks(), 64 - 4 * 2);
    assert_eq!(a.deadline(), 20 * MS);
    frames(&mut a);
    assert_eq!(a.tick(20 * MS - 1), Outcome::Idle);
    assert_eq!(a.tick(20 * MS), Outcome::Ok);
    assert_eq!(a.deadline(), 40 * MS);
    let again = frames(&mut a);
    assert_eq!(again.len(), 4);
    assert_eq!(again[3][..4], [0, 3, 0, 3]);
    for frame in &again {
        b.input(addr(1), frame, 20 * MS);
    }
    let (acks, delivered) = split(b.take_outputs());
    assert_eq!(delivered.len(), 4);
    assert_eq!(acks[3], vec![1, 4]);
    assert_eq!(a.input(addr(2), &acks[3], 21 * MS), Outcome::Ok);
    let (_, granted) = split(a.take_outputs());
    assert_eq!(granted[0].arguments, vec![Value::Num(4)]);
    assert_eq!((a.free_blocks(), a.deadline()), (64, NEVER));
    quiet(&a);
    quiet(&b);
}

#[test]
fn without_space_a_call_has_no_effect_and_a_frame_is_dropped() {
    let stack = samples::repeating();
    let config = Config { blocks: Some(3), ..Config::default() }.given("repeating.peer", Value::Addr(addr(2)));
    let mut a = Machine::new(&stack, config);
    a.open(0);
    let send = event(&stack, "send");
    assert_eq!(a.call(send, &[], &[7; 100], 0), Outcome::Ok);
    let before = a.canonical_bytes();
    assert_eq!(a.call(send, &[], &[7; 65], 0), Outcome::NoSpace);
    assert_eq!(a.canonical_bytes(), before);
    assert_eq!(a.counter(builtin::NO_SPACE), 1);
    assert_eq!(a.call(send, &[], &[7; 64], 0), Outcome::Ok);
}

#[test]
fn numbers_wrap() {
    let stack = samples::repeating();
    let (mut a, mut b) = (open(&stack, "repeating", 2), open(&stack, "repeating", 1));
    let send = event(&stack, "send");
    for n in 0..1000u32 {
        assert_eq!(a.call(send, &[], &n.to_le_bytes(), 0), Outcome::Ok);
        for frame in frames(&mut a) {
            b.input(addr(1), &frame, 0);
        }
        let (acks, delivered) = split(b.take_outputs());
        assert_eq!(delivered[0].bytes.as_deref(), Some(&n.to_le_bytes()[..]));
        acks.iter().for_each(|ack| assert_eq!(a.input(addr(2), ack, 0), Outcome::Ok));
        a.take_outputs();
    }
    quiet(&a);
    quiet(&b);
}

#[test]
fn desk_answers_and_forgets() {
    let stack = samples::desk();
    let (mut a, mut b) = (open(&stack, "desk", 2), open(&stack, "desk", 1));
    let empty = a.canonical_bytes();
    let ask = event(&stack, "ask");
    assert_eq!(a.call(ask, &[Value::Num(0x1234)], b"why", 0), Outcome::Ok);
    let question = frames(&mut a).remove(0);
    assert_eq!(question, [0, 0x34, 0x12, 0b1000, b'w', b'h', b'y']);
    assert_eq!(b.input(addr(1), &question, 0), Outcome::Ok);
    let reply = frames(&mut b).remove(0);
    assert_eq!(reply, b"\x01\x12\x34tagwhy");
    assert_eq!(a.input(addr(2), &reply, 0), Outcome::Ok);
    let (_, answered) = split(a.take_outputs());
    assert_eq!(answered[0].arguments, vec![Value::Num(0x1234)]);
    // Everything except the generator is unchanged.
    let (mut now, mut then) = (a.canonical_bytes(), empty);
    let generator = now.len() - 12;
    now.drain(generator..generator + 8);
    then.drain(generator..generator + 8);
    assert_eq!(now.len(), then.len());
    assert_eq!(now.iter().zip(&then).filter(|(a, b)| a != b).count(), 8);
    assert_eq!(a.input(addr(2), &reply, 0), Outcome::Dropped);
    quiet(&a);
}

#[test]
fn a_range_outside_its_bounds_is_malformed() {
    let stack = samples::desk();
    let mut b = open(&stack, "desk", 1);
    assert_eq!(b.input(addr(1), &[0, 0, 0, 4], 0), Outcome::Ok);
    assert_eq!(b.input(addr(1), &[0, 0, 0, 5], 0), Outcome::Dropped);
    assert_eq!(b.input(addr(1), &[0, 0, 0, 0x10], 0), Outcome::Dropped, "an unused bit is set");
}

#[test]
fn timers_of_a_pool_fire_in_order_and_give_up() {
    let stack = samples::desk();
    let mut a = open(&stack, "desk", 2);
    let ask = event(&stack, "ask");
    for key in 0..3 {
        assert_eq!(a.call(ask, &[Value::Num(key)], b"?", key * MS), Outcome::Ok);
    }
    a.take_outputs();
    let (mut now, mut failed) = (0, vec![]);
    while a.deadline() != NEVER {
        assert!(a.deadline() >= now);
        now = a.deadline();
        assert_eq!(a.tick(now), Outcome::Ok);
        failed.extend(split(a.take_outputs()).1.into_iter().map(|o| o.arguments[0].num()));
    }
    assert_eq!(failed, [0, 1, 2]);
    assert_eq!(a.free_blocks(), 64);
    quiet(&a);
}

#[test]
fn later_events_precede_all_others() {
    let stack = samples::desk();
    let mut a = open(&stack, "desk", 2);
    let ask = event(&stack, "ask");
    for key in 0..5 {
        assert_eq!(a.call(ask, &[Value::Num(key)], b"?", 0), Outcome::Ok);
    }
    assert_eq!(a.deadline(), 0);
    assert_eq!(a.call(ask, &[Value::Num(9)], b"?", 0), Outcome::Busy);
    assert_eq!(a.input(addr(2), &[0; 8], 0), Outcome::Busy);
    a.take_outputs();
    assert_eq!(a.tick(0), Outcome::Ok);
    assert_eq!(a.take_outputs()[0].arguments, vec![Value::Num(0)]);
    assert_eq!(a.call(ask, &[Value::Num(9)], b"?", 0), Outcome::Ok);
    quiet(&a);
}

#[test]
fn sealed_frames_open_at_the_other_side_only_unharmed() {
    let stack = samples::sealed();
    let (mut a, mut b) = (open(&stack, "sealed", 2), open(&stack, "sealed", 1));
    let send = event(&stack, "send");
    for n in 0..4u8 {
        let data = vec![n; n as usize * 33];
        assert_eq!(a.call(send, &[], &data, 0), Outcome::Ok);
        let mut frame = frames(&mut a).remove(0);
        assert_eq!(b.input(addr(1), &frame, 0), Outcome::Ok);
        assert_eq!(b.take_outputs()[0].bytes.as_ref(), Some(&data));
        frame[3] ^= 1;
        b.input(addr(1), &frame, 0);
        assert_eq!(b.take_outputs(), vec![]);
    }
    assert_eq!(b.counters().last(), Some(&4));
    quiet(&a);
    quiet(&b);
}

#[test]
fn snapshots_go_on_equally() {
    let stack = samples::desk();
    let mut a = open(&stack, "desk", 2);
    let ask = event(&stack, "ask");
    a.call(ask, &[Value::Num(1)], b"?", 0);
    let mut copy = a.clone();
    for machine in [&mut a, &mut copy] {
        machine.call(ask, &[Value::Num(2)], b"?", 5);
        machine.tick(machine.deadline());
    }
    assert_eq!(a.canonical_bytes(), copy.canonical_bytes());
    assert_eq!(a.outputs(), copy.outputs());
}

#[test]
fn any_order_of_links_gives_the_same_frames_here() {
    let stack = samples::sequencer();
    let run = |schedule| {
        let config = Config { schedule, ..Config::default() }.given("floor.peer", Value::Addr(addr(2)));
        let mut a = Machine::new(&stack, config);
        a.open(0);
        a.call(event(&stack, "send"), &[], b"x", 0);
        a.take_outputs()
    };
    let reference = run(Schedule::Fifo);
    (0..20).for_each(|seed| assert_eq!(run(Schedule::Any(seed)), reference));
}

#[test]
fn trace_contains_every_event() {
    let stack = samples::sequencer();
    let config = Config { trace: true, ..Config::default() }.given("floor.peer", Value::Addr(addr(2)));
    let mut a = Machine::new(&stack, config);
    a.open(0);
    a.take_trace();
    a.call(event(&stack, "send"), &[], b"abc", 0);
    let trace = a.take_trace();
    let handlers: Vec<&str> = trace.iter().map(|t| stack.handler(t.handler).name.as_str()).collect();
    assert_eq!(handlers, ["sequencer.down.send", "floor.down.send"]);
    assert_eq!(trace[0].arguments, "m=0x616263");
    assert_eq!(
        trace[0].emissions.iter().map(|e| e.text.as_str()).collect::<Vec<_>>(),
        ["floor.send(m=Seq{1} 0x616263)"]
    );
    assert!(trace[1].emissions[0].text.starts_with("below.transmit(to=127.0.0.2:7002, m=First{"));
}

#[test]
fn mistakes_of_the_caller_have_no_effect() {
    let stack = samples::desk();
    let mut machine = Machine::new(&stack, Config::default());
    assert_eq!(machine.open(0), Outcome::Invalid, "a given is missing");
    let mut machine = open(&stack, "desk", 1);
    let ask = event(&stack, "ask");
    assert_eq!(machine.call(ask, &[], b"", 0), Outcome::Invalid);
    assert_eq!(machine.call(ask, &[Value::Num(0x10000)], b"", 0), Outcome::Invalid);
    assert_eq!(machine.call(99, &[], b"", 0), Outcome::Invalid);
    assert_eq!(machine.call(event(&stack, "answer"), &[Value::Num(1)], b"", 0), Outcome::Invalid);
}

#[test]
fn broken_rules_are_reported() {
    let mut stack = samples::repeating();
    stack.ports[1].inputs[0].need.copies = 0;
    stack.ports[1].inputs[0].admissions.clear();
    let mut a = open(&stack, "repeating", 2);
    let send = event(&stack, "send");
    for _ in 0..5 {
        assert_eq!(a.call(send, &[], b"x", 0), Outcome::Ok);
    }
    let rules: Vec<Rule> = a.reports().iter().map(|r| r.rule).collect();
    assert_eq!(rules, [Rule::Need, Rule::Need, Rule::Need, Rule::Need, Rule::Unreachable]);
    assert_eq!(a.counter(builtin::BROKEN), 1);
}

#[test]
fn frames_beyond_their_bound_and_beyond_the_transport_break_two_rules() {
    let mut stack = samples::sequencer();
    stack.layouts[0].shapes.iter_mut().for_each(|shape| shape.data_max = 20);
    stack.bounds.frame_data = 30;
    stack.ports[1].inputs.iter_mut().for_each(|input| input.admissions.clear());
    for (length, broken) in [(20, None), (21, Some(Rule::Space)), (30, Some(Rule::Space)), (31, Some(Rule::Long))] {
        let mut a = open(&stack, "floor", 2);
        a.call(event(&stack, "send"), &[], &vec![7; length], 0);
        assert_eq!(a.reports().iter().map(|r| r.rule).collect::<Vec<_>>(), Vec::from_iter(broken), "{length} bytes");
    }
}

/// Random bytes for every sample: nothing panics, no rule is violated, and rejected frames have no effect.
#[test]
fn any_bytes_are_survived() {
    for stack in samples::all() {
        let layer = stack.layers[0].name.clone();
        let mut dice = nacre_stack::interpret::SplitMix64(1);
        let mut machine = open(&stack, &layer, 1);
        let inputs: Vec<u32> = (0..stack.interface().len() as u32)
            .filter(|i| {
                let event = stack.interface()[*i as usize];
                event.port != PortId(0) && event.input.is_some()
            })
            .collect();
        for _ in 0..3000 {
            let bytes: Vec<u8> =
                (0..dice.below(24)).map(|_| dice.draw() as u8 & [3, 255][dice.below(2) as usize]).collect();
            let before = machine.canonical_bytes();
            let outcome = match dice.below(3) {
                0 => machine.input(addr(1), &bytes, 0),
                1 => machine.tick(machine.deadline()),
                _ => {
                    let event = inputs[dice.below(inputs.len() as u64) as usize];
                    let numbers = if stack.name == "desk" { vec![Value::Num(dice.below(9))] } else { vec![] };
                    machine.call(event, &numbers, &bytes, 0)
                }
            };
            if matches!(outcome, Outcome::Refused | Outcome::Busy | Outcome::Invalid | Outcome::Idle) {
                assert_eq!(machine.canonical_bytes(), before);
            }
            machine.take_outputs();
        }
        quiet(&machine);
    }
}

#[test]
fn secrets_are_erased_when_a_machine_is_discarded() {
    let stack = samples::sealed();
    let config = Config::default().given("sealed.peer", Value::Addr(addr(2))).given("sealed.key", Value::Num(0x5a));
    let mut machine = Machine::new(&stack, config);
    assert_eq!(machine.open(0), Outcome::Ok);
    let key = stack.cells.iter().position(|cell| cell.secret).map(|at| CellId(at as u32)).expect("it has a secret");
    let peer = stack.cells.iter().position(|cell| cell.name == "peer").map(|at| CellId(at as u32)).expect("and a peer");
    assert_eq!(machine.cell(key), &Value::Num(0x5a));
    machine.discard();
    assert_eq!((machine.cell(key), machine.cell(peer)), (&Value::Num(0), &Value::Addr(addr(2))));
    assert_eq!(machine.call(event(&stack, "send"), &[], b"x", 1), Outcome::Invalid);
}
