//! Two endpoints over a bad network, whose hosts call whatever the stack has at any time: for stacks whose interface is not `send` and
//! `deliver`, of which a run of the simulator knows nothing.

use std::collections::BTreeSet;
use std::rc::Rc;

use nacre_simulator::checks::{Check, Failure};
use nacre_simulator::endpoint::{Maker, Outcome};
use nacre_simulator::interface::{Event, Interface};
use nacre_simulator::network::{Conditions, Network};
use nacre_simulator::random::Random;
use nacre_simulator::run::{names, Run};
use nacre_simulator::world::{Node, World};
use nacre_stack::{Stack, Type};

use crate::storm::{argument, inputs, Heard};

/// The longest message of a call in bytes that nothing else determines.
const USUAL: u64 = 40;
/// The mean time between two calls, in nanoseconds.
const PAUSE: u64 = 1_000_000;

/// Makes `calls` calls at each end, and then waits until nothing is left to do. Equal arguments give equal runs, of which `delivered` counts
/// how often the rarest event with a message came at each end, and `sent` the calls that were accepted.
pub fn dialogue(stack: &Stack, makers: [&dyn Maker; 2], seed: u64, calls: u64, conditions: &Conditions) -> Run {
    let mut world = World::new(Network { seed, conditions: conditions.clone(), keep: None }, false);
    let interface = Rc::new(Interface::of(stack));
    let mut failure = world.group(&names(2), &makers, &interface).err();
    let mut random = Random::new(seed);
    let mut sent = vec![0; 2];
    let choices: Vec<(u16, Vec<Type>)> = inputs(stack);
    for turn in 0..calls * 2 {
        let until = world.now + random.below(2 * PAUSE);
        advance(&mut world, until, &mut failure);
        // In the end both may close.
        let may_close = turn >= calls * 2 - 4;
        let end = random.below(2) as usize;
        let (event, types) = &choices[random.below(choices.len() as u64) as usize];
        let (event, called) = (*event, interface.event(*event).expect("an event of the interface"));
        if called.name == "close" && !may_close {
            continue;
        }
        // Some calls answer what came before: they begin with its numbers.
        let kinds: BTreeSet<u16> = world.nodes[end].came.iter().map(|(_, output)| output.event).collect();
        let kind = kinds.iter().nth(random.below(kinds.len() as u64 + 1) as usize).copied();
        let mut came = world.nodes[end].came.iter().rev().filter(|(_, output)| Some(output.event) == kind);
        let answered = came.nth(random.below(4) as usize).map_or(&[][..], |(_, output)| &output.arguments);
        let mut heard = Heard::default();
        heard.hear(answered);
        let mut numbers: Vec<u64> = types.iter().map(|ty| argument(stack, &mut random, &heard, ty)).collect();
        if random.below(2) == 0 {
            numbers.iter_mut().zip(answered).for_each(|(number, answered)| *number = *answered);
        }
        let length = heard.length(&mut random, 50 * USUAL).filter(|_| random.below(4) > 0);
        let length = length.unwrap_or_else(|| random.below(USUAL));
        let mut message = vec![0; if called.has_message() { length as usize } else { 0 }];
        random.fill(&mut message);
        if failure.is_none() && world.nodes[end].endpoint.accepts(event, message.len()) {
            let peer = world.nodes[1 - end].address;
            sent[end] += usize::from(world.call(end, event, &numbers, Some(peer), &message) == Outcome::Done);
        }
    }
    let end = world.now + 60_000_000_000;
    advance(&mut world, end, &mut failure);
    let of = |each: fn(&Node) -> u64| world.nodes.iter().map(each).collect::<Vec<u64>>();
    Run {
        failure: failure.map(|text| Failure { check: Check::Unbroken, text, time: world.now }),
        items: Vec::new(),
        waiting: vec![],
        trace: Vec::new(),
        lasted: world.now,
        steps: world.steps,
        sent,
        largest: vec![None; 2],
        delivered: world.nodes.iter().map(|node| rarest(&interface, node)).collect(),
        frames: of(|node| node.frames),
        bytes: of(|node| node.bytes),
        dropped: of(|node| node.dropped),
        counters: world.nodes.iter().map(|node| node.endpoint.counters()).collect(),
        digest: world.digest(),
    }
}

/// Whether an event brings a message to the host.
pub fn brings(event: &Event) -> bool {
    !event.input && event.port != 0 && event.has_message()
}

fn rarest(interface: &Interface, node: &Node) -> usize {
    let count = |event: usize| node.came.iter().filter(|(_, output)| usize::from(output.event) == event).count();
    let messages =
        interface.events.iter().enumerate().filter(|(_, event)| brings(event)).map(|(event, _)| count(event));
    messages.min().unwrap_or(0)
}

fn advance(world: &mut World, until: u64, failure: &mut Option<String>) {
    while failure.is_none() {
        match world.advance(until) {
            Ok(Some(node)) => *failure = world.nodes[node].endpoint.reports().into_iter().next(),
            Ok(None) => return,
            Err(text) => *failure = Some(text),
        }
    }
}
