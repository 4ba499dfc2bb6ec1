//! Two peers in the interpreter, over a network that loses, repeats and reorders.

use std::sync::Arc;

use nacre_stack::interpret::{Addr, Config, Externs, Machine, Message, Outcome, Rule, SplitMix64, Value};
use nacre_stack::*;

/// `seal` puts sixteen bytes behind; `unseal` takes them off.
struct Seal;

impl Externs for Seal {
    fn call(&self, function: &Extern, arguments: &[Value]) -> Option<Value> {
        let Value::Msg(message) = &arguments[0] else { return None };
        let mut bytes = message.bytes();
        let made = |bytes: Vec<u8>| Value::Msg(Message::made(&bytes, message.data));
        if function.name == "seal" {
            bytes.extend([0x55; 16]);
            return Some(made(bytes));
        }
        let plain = bytes.len().checked_sub(16)?;
        bytes.truncate(plain);
        Some(Value::some(made(bytes)))
    }
}

fn machine(stack: &Arc<Stack>, seed: u64) -> Machine {
    let config = Config { seed, externs: Arc::new(Seal), ..Config::default() };
    let config =
        config.given("plain.peer", Value::Addr(Addr::default())).given("floor.peer", Value::Addr(Addr::default()));
    let config = config
        .given("floor.source", Value::Num(seed))
        .given("floor.cookie", Value::Num(seed + 77))
        .given("floor.incarnation", Value::Num(seed));
    Machine::of(stack.clone(), config)
}

/// Random calls, frames and ticks: no bound, need or shape is ever found to be wrong.
pub fn run(stack: &Arc<Stack>, seed: u64) {
    let mut dice = SplitMix64(seed);
    let mut peers = [machine(stack, 1), machine(stack, 2)];
    let mut flying: Vec<(usize, Vec<u8>)> = vec![];
    let mut delivered = 0;
    let send =
        stack.interface().iter().position(|e| e.input.is_some() && stack.event(e.event).name == "send").expect("send");
    let mut now = 0;
    for (i, peer) in peers.iter_mut().enumerate() {
        assert_eq!(peer.open(now), Outcome::Ok);
        collect(peer, i, &mut flying, &mut delivered);
    }
    for _ in 0..600 {
        now += dice.draw() % 5_000_000;
        let mut i = (dice.draw() % 2) as usize;
        match dice.draw() % 4 {
            0 => {
                let length = [0, 1, 30, 100, 1400, 1401, 5000, 9000][(dice.draw() % 8) as usize];
                peers[i].call(send as u32, &[], &vec![3; length], now);
            }
            1 | 2 if !flying.is_empty() => {
                let at = (dice.draw() % flying.len() as u64) as usize;
                let (to, frame) = if dice.draw() % 8 == 0 { flying[at].clone() } else { flying.swap_remove(at) };
                i = to;
                if dice.draw() % 6 > 0 {
                    peers[to].input(Addr::default(), &frame, now);
                }
            }
            _ => _ = peers[i].tick(now),
        };
        collect(&mut peers[i], i, &mut flying, &mut delivered);
        flying.truncate(64);
    }
    assert!(delivered >= 5, "{}: {delivered} delivered", stack.name);
}

fn collect(peer: &mut Machine, from: usize, flying: &mut Vec<(usize, Vec<u8>)>, delivered: &mut u32) {
    let stack = peer.stack().clone();
    // What layers do wrong among themselves is theirs; needs, space, shapes and linearity are ours.
    let not_ours = [Rule::Unreachable, Rule::Accepts, Rule::Assert, Rule::Bound];
    let reports: Vec<_> = peer.take_reports().into_iter().filter(|r| !not_ours.contains(&r.rule)).collect();
    assert_eq!(reports, [], "{}", stack.name);
    let outputs = peer.take_outputs();
    assert!(outputs.len() <= stack.bounds.outputs as usize, "{}", stack.name);
    for output in outputs {
        if output.port == PortId(0) {
            flying.push((1 - from, output.bytes.expect("a frame")));
        } else if stack.event(output.event).name == "deliver" {
            *delivered += 1;
        }
    }
}
