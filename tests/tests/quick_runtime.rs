//! The runtime runs stacks by their quick entries where these take a call or a frame. For the application and on the
//! wire there is no difference: the same frames leave at the same times, and the same events come in the same order.

use std::net::SocketAddr;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Keys, Options, Stack};
use nacre_simulator::random::Random;
use nacre_tests::library::find;
use nacre_tests::machines::Machines;
use nacre_tests::soaking;

const MILLISECOND: u64 = 1_000_000;
const SERVER: usize = 1;

/// Two hosts with a connection, and the frames on the way: to whom.
struct World {
    ends: [SansIo; 2],
    ids: [Option<ConnectionId>; 2],
    flying: Vec<(usize, Vec<u8>)>,
    now: u64,
}

fn address(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1 + end as u8], 7000))
}

impl World {
    fn new(stack: &Stack, blocks: Option<u32>) -> World {
        let mut ends = [0, 1].map(|end| {
            let keys = Some(Keys::from_bytes(&[end as u8 + 1; 32]));
            let options = Options { seed: Some(end + 1), pool_blocks: blocks, keys, ..Options::default() };
            SansIo::new(options, 1)
        });
        ends[SERVER].serve(stack).expect("it serves");
        let client = ends[0].connect(address(SERVER), stack).expect("it connects");
        World { ends, ids: [Some(client), None], flying: vec![], now: 1 }
    }

    /// The result of an operation at an endpoint: its next events, at most `events` of them, and then all frames.
    fn outcome(&mut self, end: usize, events: usize) -> Vec<String> {
        let mut told = vec![];
        while told.len() < events {
            let Some(event) = self.ends[end].next_event() else { break };
            told.push(match event {
                Event::Arrived { connection, .. } => {
                    self.ids[end] = Some(connection);
                    "arrived".into()
                }
                Event::Opened { peer, .. } => format!("opened to {peer}"),
                Event::Delivered { from, is_proven, message, .. } => {
                    format!("delivered {from:?} {is_proven} {:?}", message.to_vec())
                }
                Event::Writable { .. } => "writable".into(),
                Event::Closed { reason, .. } => format!("closed: {reason}"),
                Event::Other { event, arguments, .. } => format!("event {event} {arguments:?}"),
                _ => "another".into(),
            });
        }
        for (to, frame) in self.ends[end].take_datagrams() {
            told.push(format!("to {to}: {frame:?}"));
            self.flying.push((1 - end, frame));
        }
        told
    }

    fn send(&mut self, end: usize, message: &[u8]) -> String {
        let Some(id) = self.ids[end] else { return "nobody".into() };
        let sent = self.ends[end].send(id, message);
        format!("{:?}", sent.map_err(|error| error.to_string()))
    }

    fn close(&mut self, end: usize) -> String {
        let Some(id) = self.ids[end] else { return "nobody".into() };
        format!("{:?}", self.ends[end].close(id).map_err(|error| error.to_string()))
    }

    fn arrive(&mut self, at: usize, stays: bool) -> usize {
        let (to, frame) = if stays { self.flying[at].clone() } else { self.flying.remove(at) };
        self.ends[to].receive(address(1 - to), &frame);
        to
    }

    fn pass(&mut self, by: u64) {
        self.now += by;
        self.ends.iter_mut().for_each(|end| end.set_time(self.now));
    }
}

/// Does the same to worlds at levels inline and bypass; returns how much of all calls and frames the quick entries took.
fn compare(stacks: &[Stack; 2], seed: u64, blocks: Option<u32>, loss: u64) -> (u64, u64) {
    let mut worlds = stacks.each_ref().map(|stack| World::new(stack, blocks));
    let mut random = Random::new(seed);
    let steps = 1500;
    for step in 0..steps {
        let end = random.below(2) as usize;
        let number = random.below(100);
        let flying = worlds[0].flying.len();
        let at = if random.below(4) == 0 { random.below(flying as u64) as usize } else { 0 };
        // An application may leave events until later.
        let events = if random.below(5) == 0 { random.below(2) as usize } else { usize::MAX };
        let length = match random.below(30) {
            0 => 0,
            1 => 1 + random.below(5000) as usize,
            _ => 1 + random.below(200) as usize,
        };
        let (message, wait) = (vec![step as u8; length], (1 + random.below(60)) * MILLISECOND / 2);
        let told = worlds.each_mut().map(|world| {
            let (end, said) = match number {
                _ if step == steps - 200 => (end, world.close(end)),
                0..=39 => (end, world.send(end, &message)),
                40..=89 if flying > 0 && number < 40 + loss / 2 => (world.flying.remove(at).0, "lost".into()),
                40..=89 if flying > 0 => (world.arrive(at, number == 89), "arrived".into()),
                _ => {
                    world.pass(wait);
                    (end, "later".into())
                }
            };
            (said, world.outcome(end, events))
        });
        assert_eq!(told[0], told[1], "step {step}, seed {seed}");
    }
    let [inline, bypass] = worlds.each_ref().map(|world| {
        let traffic = world.ends.each_ref().map(|end| end.statistics().traffic);
        (traffic[0].quick + traffic[1].quick, traffic[0].taken + traffic[1].taken)
    });
    assert_eq!((inline.0, inline.1), (0, bypass.1), "seed {seed}");
    bypass
}

fn stacks(name: &str) -> [Stack; 2] {
    let machines = Machines::new(&find(name));
    [Level::Inline, Level::Bypass].map(|level| machines.load(&machines.text(level)).expect("the C compiles"))
}

#[test]
fn quick_entries_make_no_difference() {
    let seeds = if soaking() { 300 } else { 20 };
    for name in ["reliable_plain", "reliable", "plain_pt2pt"] {
        let stacks = stacks(name);
        let (mut quick, mut taken) = (0, 0);
        for seed in 0..seeds {
            let blocks = (seed % 4 == 3).then_some(400);
            let (by_quick, all) = compare(&stacks, seed, blocks, [0, 4, 30][seed as usize % 3]);
            (quick, taken) = (quick + by_quick, taken + all);
        }
        println!("{name}: the quick entries took {quick} of {taken}");
        assert!(taken > 1000 && quick * 4 > taken, "{name}: {quick} of {taken}");
    }
}

/// Without losses nearly all is quick, and everything arrives. (Handshakes of secure stacks differ each time.)
#[test]
fn conversation_without_losses_is_quick() {
    for (name, share) in [("reliable_plain", 98), ("secure", 0)] {
        let [_, stack] = stacks(name);
        converse(&stack, share);
    }
}

/// `share`: the minimum percentage of calls and frames that the quick entries take.
fn converse(stack: &Stack, share: u64) {
    let mut world = World::new(stack, None);
    let mut delivered = 0;
    for round in 0..1001 {
        for end in 0..2 {
            // The first round is the handshake.
            let sent = if round > 0 { world.send(end, &[round as u8; 16]) } else { String::new() };
            assert!(round == 0 || sent == "Ok(())", "{sent}");
            world.outcome(end, usize::MAX);
            while !world.flying.is_empty() {
                let to = world.arrive(0, false);
                let told = world.outcome(to, usize::MAX);
                delivered += told.iter().filter(|told| told.starts_with("delivered")).count();
            }
        }
    }
    let traffic = world.ends[SERVER].statistics().traffic;
    assert!(delivered == 2000 && traffic.quick * 100 >= traffic.taken * share, "{delivered}: {traffic:?}");
}

/// What a connection takes of a pool that several share is charged to it, also if others act before it gives it back.
#[test]
fn blocks_are_charged_to_the_connection_that_takes_them() {
    let [_, stack] = stacks("reliable_plain");
    let options = |seed| Options { seed: Some(seed), pool_blocks: Some(800), ..Options::default() };
    let mut server = SansIo::new(options(9), 1);
    server.serve(&stack).expect("it serves");
    let mut clients = [1, 2].map(|seed| SansIo::new(options(seed), 1));
    let at = |client: usize| SocketAddr::from(([10, 0, 1, client as u8], 7000));
    for client in &mut clients {
        client.connect(address(SERVER), &stack).expect("it connects");
    }
    let mut ids = [None; 2];
    for round in 0..100 {
        // The server sends to both before either acknowledges.
        for id in ids.into_iter().flatten().cycle().take(8) {
            server.send(id, &[round; 30]).expect("it is accepted");
        }
        loop {
            let down = server.take_datagrams();
            for (to, frame) in &down {
                clients[usize::from(*to == at(1))].receive(address(SERVER), frame);
            }
            let mut up = vec![];
            for (end, client) in clients.iter_mut().enumerate() {
                client.set_time(1 + u64::from(round) * 20 * MILLISECOND);
                while client.next_event().is_some() {}
                up.extend(client.take_datagrams().into_iter().map(|(_, frame)| (at(end), frame)));
            }
            let was_quiet = down.is_empty() && up.is_empty();
            for (from, frame) in up {
                server.receive(from, &frame);
                while let Some(event) = server.next_event() {
                    if let Event::Arrived { connection, from, .. } = event {
                        ids[usize::from(from == at(1))] = Some(connection);
                    }
                }
            }
            if was_quiet {
                break;
            }
        }
        server.set_time(1 + u64::from(round) * 20 * MILLISECOND);
    }
    let traffic = server.statistics().traffic;
    assert!(ids.iter().all(Option::is_some) && traffic.quick > 400, "{traffic:?}");
}
