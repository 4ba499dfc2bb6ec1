//! Two peers in the interpreter, over a network that loses, repeats and reorders.

use std::sync::Arc;

use nacre_stack::interpret::{Addr, Config, Externs, Machine, Message, Outcome, Rule, SplitMix64, Value};
use nacre_stack::*;

/// `seal` appends sixteen bytes; `unseal` removes them.
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

/// The observations of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub delivered: u32,
    /// The maximum number of blocks that one step took.
    pub taken: u32,
}

/// Random calls, frames and ticks: no bound, need or shape is ever violated.
pub fn run(stack: &Arc<Stack>, seed: u64, steps: u32) -> Seen {
    let mut dice = SplitMix64(seed);
    let mut peers = [machine(stack, 1), machine(stack, 2)];
    let mut flying: Vec<(usize, Vec<u8>)> = vec![];
    let mut seen = Seen::default();
    let interface = stack.interface();
    let inputs = |name: &str| {
        let named = |e: &PortEvent| e.input.is_some() && stack.event(e.event).name == name;
        interface.iter().position(named).map(|at| at as u32)
    };
    let (send, close) = (inputs("send").expect("send"), inputs("close"));
    let mut now = 0;
    for (i, peer) in peers.iter_mut().enumerate() {
        assert_eq!(peer.open(now), Outcome::Ok);
        collect(peer, i, &mut flying, &mut seen);
        if let Some(grant) = inputs("grant_delivers") {
            peer.call(grant, &[Value::Num(1000)], &[], now);
            collect(peer, i, &mut flying, &mut seen);
        }
    }
    for step in 0..steps {
        now += dice.below(5_000_000);
        let mut i = dice.below(2) as usize;
        match dice.below(4) {
            0 if step + 60 == steps => _ = close.map(|close| peers[i].call(close, &[], &[], now)),
            0 => {
                let length = [0, 1, 30, 100, 1400, 1401, 5000, 9000][dice.below(8) as usize];
                peers[i].call(send, &[], &vec![3; length], now);
            }
            1 | 2 if !flying.is_empty() => {
                let at = dice.below(flying.len() as u64) as usize;
                let (to, frame) = if dice.below(8) == 0 { flying[at].clone() } else { flying.swap_remove(at) };
                i = to;
                if dice.below(6) > 0 {
                    peers[to].input(Addr::default(), &frame, now);
                }
            }
            _ => _ = peers[i].tick(now),
        };
        collect(&mut peers[i], i, &mut flying, &mut seen);
        flying.truncate(64);
    }
    seen
}

fn collect(peer: &mut Machine, from: usize, flying: &mut Vec<(usize, Vec<u8>)>, seen: &mut Seen) {
    let stack = peer.stack().clone();
    // The random layers may violate their own claims, but not needs, space, shapes and linearity.
    let not_ours = [Rule::Unreachable, Rule::Accepts, Rule::Assert, Rule::Bound, Rule::Invariant];
    let reports: Vec<_> = peer.take_reports().into_iter().filter(|r| !not_ours.contains(&r.rule)).collect();
    assert_eq!(reports, [], "{} = {}", stack.name, stack.description);
    assert_eq!(peer.counter(builtin::NO_SPACE), 0, "{} = {}", stack.name, stack.description);
    seen.taken = seen.taken.max(peer.taken_blocks());
    for output in peer.take_outputs() {
        if output.port == PortId(0) {
            flying.push((1 - from, output.bytes.expect("a frame")));
        } else if stack.event(output.event).name == "deliver" {
            seen.delivered += 1;
        }
    }
}
