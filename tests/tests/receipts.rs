//! What the runtime tells an application of its messages: never more than have reached the peer, and in the end all.

use std::net::SocketAddr;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Options, Stack};
use nacre_simulator::random::Random;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

const MESSAGES: u64 = 200;
const MILLISECOND: u64 = 1_000_000;

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1 + end as u8], 7000))
}

/// A client that sends to a server, which answers some messages, over a network that loses and delays frames.
struct World {
    ends: [SansIo; 2],
    ids: [Option<ConnectionId>; 2],
    /// Messages that each end's application was given.
    given: [u64; 2],
    /// What each end was told of its own.
    known: [u64; 2],
    sent: [u64; 2],
    flying: Vec<(usize, Vec<u8>)>,
    reached: u16,
}

impl World {
    fn new(stack: &Stack, seed: u64) -> World {
        let mut ends = [1, 2].map(|end| SansIo::new(Options { seed: Some(seed * 2 + end), ..Options::default() }, 1));
        ends[1].serve(stack).expect("it serves");
        let client = ends[0].connect(address(1), stack).expect("it connects");
        let index = stack.events().iter().position(|event| event.name == "reached");
        World {
            ends,
            ids: [Some(client), None],
            given: [0; 2],
            known: [0; 2],
            sent: [0; 2],
            flying: vec![],
            reached: u16::try_from(index.expect("the stack has this event")).expect("it is small"),
        }
    }

    fn send(&mut self, end: usize, length: usize) {
        let Some(id) = self.ids[end] else { return };
        if self.sent[end] < MESSAGES && self.ends[end].send(id, &vec![7; length]).is_ok() {
            self.sent[end] += 1;
        }
    }

    fn drain(&mut self, end: usize) {
        while let Some(event) = self.ends[end].next_event() {
            match event {
                Event::Arrived { connection, .. } => self.ids[end] = Some(connection),
                Event::Delivered { .. } => self.given[end] += 1,
                Event::Other { event, arguments, .. } if event == self.reached => {
                    let total = arguments[0];
                    assert!(total > self.known[end] && total <= self.given[1 - end], "{total} of {:?}", self.given);
                    self.known[end] = total;
                }
                Event::Closed { reason, .. } => panic!("it has ended: {reason}"),
                _ => {}
            }
        }
        self.flying.extend(self.ends[end].take_datagrams().into_iter().map(|(_, frame)| (1 - end, frame)));
    }
}

fn everything_is_told(stack: &Stack, seed: u64, loss: u64) {
    let mut random = Random::new(seed);
    let mut world = World::new(stack, seed);
    let mut now = 1;
    for round in 0..20_000 {
        let end = random.below(4).saturating_sub(2) as usize; // the client sends more
        world.send(end, 1 + random.below(if round % 10 == 0 { 5000 } else { 100 }) as usize);
        if random.below(2) == 0 && !world.flying.is_empty() {
            let at = random.below(world.flying.len().min(3) as u64) as usize;
            let (to, frame) = world.flying.remove(at);
            if random.below(100) >= loss {
                world.ends[to].receive(address(1 - to), &frame);
            }
        } else {
            now += MILLISECOND;
            world.ends.iter_mut().for_each(|end| end.set_time(now));
        }
        (0..2).for_each(|end| world.drain(end));
        let told = (0..2).all(|end| world.known[end] == MESSAGES);
        if told {
            return;
        }
    }
    panic!(
        "seed {seed}: of {:?} that were sent and {:?} that came, {:?} are known",
        world.sent, world.given, world.known
    );
}

#[test]
fn applications_are_told_what_has_reached_the_peer() {
    let machines = Machines::new(&find("receipts_usual"));
    let stack = machines.load(&machines.text(Level::Bypass)).expect("the C compiles");
    for seed in 1..=12 {
        everything_is_told(&stack, seed, [0, 5, 20][seed as usize % 3]);
    }
}
