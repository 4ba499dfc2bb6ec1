//! A pool with the blocks that one connection can need never refuses a step, for any initial contents of the
//! containers: a step can store new messages before it removes the old ones, or store none.

use std::sync::Arc;

use nacre_stack::interpret::{Addr, Config, Machine, Outcome};
use nacre_stack::*;

use crate::text;

/// A layer with this state and these members, alone and with a layer above or below that defers all events. The longest
/// message takes three blocks.
fn stacks(state: &str, accepts: &str, members: &str) -> Vec<Arc<Stack>> {
    let text = format!(
        "interface line {{ down send(m: msg) down poke() up deliver(m: msg) }}
        filter invert {{ byte(b: u8) {{ yield b ^ 255; }} }}
        filter twice grows n * 1 + 0 {{ byte(b: u8) {{ yield b; yield b; }} }}
        worker layer: line over line {{
            struct Pair {{ a: u8, b: msg? }}
            state {{ {state} }}
            accepts send(m) when m.len <= 3840{accepts};
            {members}
        }}
        worker puts_off: line over line {{
            down send(m) {{ later below.send(m); }}
            down poke() {{ later below.poke(); }}
            up deliver(m) {{ later above.deliver(m); }}
        }}
        worker last: line over line {{ down poke() {{}} }}
        stack alone = layer / last;
        stack under = puts_off / layer / last;
        stack over = layer / puts_off / last;"
    );
    let composed = text::stacks_alone(&text).into_iter();
    composed.map(|one| Arc::new(one.unwrap_or_else(|found| panic!("{members}: {found:?}")).stack)).collect()
}

/// The other members of a layer that handles calls.
const QUIET: &str = "down poke() { pass; } up deliver(m) { pass m; }";

/// Runs calls with messages of all lengths, their frames and timers until all containers are full, and further; returns
/// the blocks of the layer alone.
fn never_refused(state: &str, accepts: &str, members: &str) -> u32 {
    let stacks = stacks(state, accepts, members);
    stacks.iter().for_each(|stack| run(stack, &format!("{}: {members}", stack.name)));
    stacks[0].bounds.blocks
}

fn run(stack: &Arc<Stack>, shown: &str) {
    let mut machine = Machine::of(stack.clone(), Config::default());
    let mut now = 0;
    assert_eq!(machine.open(now), Outcome::Ok, "{shown}");
    let interface = stack.interface();
    let calls: Vec<u32> = (0..interface.len() as u32).filter(|i| interface[*i as usize].input.is_some()).collect();
    for turn in 0..20 {
        let mut frames = vec![];
        for &call in &calls {
            let with_message = stack.event(interface[call as usize].event).message.is_some();
            let length = if with_message { [3840, 3840, 3840, 1, 1537][turn % 5] } else { 0 };
            let outcome = machine.call(call, &[], &vec![turn as u8; length], now);
            assert!(matches!(outcome, Outcome::Ok | Outcome::Refused), "{shown}: {outcome:?} of turn {turn}");
            frames.extend(settle(&mut machine, &mut now, shown));
        }
        for frame in frames {
            let outcome = machine.input(Addr::default(), &frame, now);
            assert_eq!(outcome, Outcome::Ok, "{shown}: turn {turn}");
            settle(&mut machine, &mut now, shown);
        }
    }
}

/// Runs all `later` events, and timers for some time; returns all frames.
fn settle(machine: &mut Machine, now: &mut u64, shown: &str) -> Vec<Vec<u8>> {
    let mut frames = vec![];
    *now += 1_000_000;
    for _ in 0..4 {
        let outputs = machine.take_outputs().into_iter().filter(|output| output.port == PortId(0));
        frames.extend(outputs.map(|output| output.bytes.expect("a frame")));
        assert_eq!(machine.take_reports(), [], "{shown}");
        let outcome = machine.tick(*now);
        assert!(matches!(outcome, Outcome::Ok | Outcome::Idle), "{shown}: {outcome:?}");
    }
    frames
}

/// Handlers of a call that fill `old` and continue.
const CALLS: &[(&str, &str)] = &[
    ("old: msg?", "old = some(m);"),
    ("old: msg?", "if let x = old.take() { drop x; } old = some(m);"),
    ("old: (msg?, msg?)", "old = (some(m), none);"),
    ("old: Pair", "old.b = some(m);"),
    ("old: (msg?) per 0..3", "let i = (m.len % 3) as 0..3 else unreachable; old[i] = some(m);"),
    (
        "old: ring<msg, 4>",
        "let x = old.pop() else { old.push(m) else unreachable; return; } drop x; old.push(m) else { drop m; }",
    ),
    ("old: ring<msg, 4>", "old.push(m) else { drop m; }"),
    ("old: ring<msg, 4>", "old.push(share m) else { old.clear(); old.push(m) else unreachable; return; } drop m;"),
    ("old: list<msg, 3>", "if old.full { old.clear(); } old.push(m) else unreachable;"),
    ("old: list<msg, 3>", "if old.full { for x in drain old { drop x; } } old.push(m) else unreachable;"),
    ("old: list<msg, 3>", "old.push(m) else { drop m; }"),
    ("old: list<msg, 3>, one: msg?", "if old.full { old.clear(); } old.push(share m) else unreachable; one = some(m);"),
    ("old: map<u8, msg, 4>", "old.insert(m.len as u8, m) else { old.clear(); drop m; }"),
    ("old: map<u8, msg, 4>", "old.insert(7, m) else { drop m; }"),
    ("old: pool<msg, 4>", "let x = old.add(m) else { old.clear(); drop m; return; }"),
    (
        "old: window<msg, 4, seq8>",
        "if old.full { old.release(old.high); } let n = old.push(m) else { drop m; return; }",
    ),
    ("old: window<msg, 4, seq8>, n: seq8", "n += 1; old.put(n, m) else { old.clear(); drop m; }"),
    ("old: ring<(msg, u8), 2>", "if old.full { old.clear(); } old.push((m, 1)) else { drop m; }"),
    ("old: ring<msg, 4>", "if old.full { old.clear(); } old.push(m through invert) else {}"),
    ("old: ring<msg, 4>", "if old.full { old.clear(); } old.push(m through twice) else {}"),
    ("old: ring<msg, 4>", "if old.full { old.clear(); } old.push(slice(m, 0, 10)) else {} drop m;"),
    ("old: ring<msg, 4>", "if old.full { old.clear(); } old.push(rest(m, 9)) else {}"),
    (
        "old: ring<msg, 4>",
        "if m.len <= 100 { if old.full { old.clear(); } old.push(m) else { drop m; } } else { drop m; }",
    ),
    ("old: ring<msg, 4>", "keep(m); } fn keep(m: msg) { if old.full { old.clear(); } old.push(m) else unreachable;"),
    (
        "old: ring<msg, 4>",
        "keep(ref old, m); } fn keep(ref to: ring<msg, 4>, m: msg) { to.clear(); to.push(m) else unreachable;",
    ),
    ("old: msg?", "keep(ref old, m); } fn keep(ref to: msg?, m: msg) { to = some(m);"),
    ("old: msg?", "for i in 0..3 { old = some(share m through invert); } drop m;"),
    ("old: msg?, n: u8", "n += 1; if n > 9 { old = some(m); } else { drop m; }"),
];

#[test]
fn a_call_that_replaces_messages_has_room_whatever_is_held() {
    for (state, handler) in CALLS {
        let members = format!("down send(m) {{ below.send(share m); {handler} }} {QUIET}");
        never_refused(state, "", &members);
    }
}

#[test]
fn a_frame_that_replaces_messages_has_room_whatever_is_held() {
    for (state, handler) in CALLS {
        let members = format!(
            "up deliver(m) {{ above.deliver(share m); {handler} }} down poke() {{ pass; }} down send(m) {{ pass m; }}"
        );
        never_refused(state, "", &members);
    }
}

#[test]
fn a_timer_and_a_call_without_a_message_have_room_to_replace_messages() {
    let send = "down send(m) { last = some(share m); arm t in 10 us unless armed; pass m; } up deliver(m) { pass m; }";
    for (state, handler) in CALLS {
        let state = format!("{state}, last: msg?, t: timer");
        let again = format!("fn again() {{ let e = last.take() else return; let m = e through invert; {handler} }}");
        for poked in ["on t { again(); } down poke() { pass; }", "on t {} down poke() { again(); pass; }"] {
            never_refused(&state, "", &format!("{send} {poked} {again}"));
        }
    }
}

#[test]
fn conditions_of_a_call_determine_the_free_room() {
    let blocks = |state: &str, accepts: &str, handler: &str| {
        let members = format!("down send(m) {{ below.send(share m); {handler} }} {QUIET}");
        never_refused(state, accepts, &members)
    };
    // A message takes three blocks.
    let push = "old.push(m) else { drop m; }";
    let ring = "old: ring<msg, 4>";
    assert_eq!(blocks(ring, "", push), 15);
    assert_eq!(blocks(ring, " && !old.full", push), 12);
    assert_eq!(blocks(ring, " && old.empty", push), 12);
    assert_eq!(blocks(ring, " && !(old.full || m.len == 1)", push), 12);
    assert_eq!(blocks(ring, " && (old.empty || m.len > 1)", push), 15);
    assert_eq!(blocks(ring, " && (!old.full || m.len > 1)", push), 15);
    assert_eq!(blocks("old: window<msg, 4, seq8>", " && !old.full", "old.push(m) else { drop m; }"), 12);
    assert_eq!(blocks("old: msg?", "", "old = some(m);"), 6);
    assert_eq!(blocks("old: msg?", " && old == none", "old = some(m);"), 3);
    // The free room of one container does not replace the need of the step for another.
    let both = "one = some(share m through invert); old.push(m) else { drop m; }";
    assert_eq!(blocks("old: ring<msg, 4>, one: msg?", " && !old.full", both), 18);
    // The free room of a container is counted once.
    let twice = "if m.len > 9 { old.push(m through invert) else {} } else { drop m; }";
    assert_eq!(blocks(ring, " && !old.full && old.empty && !old.full", twice), 12);
}

#[test]
fn longer_messages_than_those_that_are_stored_need_no_more_room() {
    let keeps = "down send(m) { if m.len <= 100 { old.push(m) else { drop m; } } else { pass m; } }";
    let members = format!("{keeps} {QUIET}");
    assert_eq!(never_refused("old: ring<msg, 4>", "", &members), 5);
}
