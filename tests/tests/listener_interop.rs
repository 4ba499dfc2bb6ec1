//! The emitted listener and the runtime talk to each other, in both roles, over a bad network.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::rc::Rc;

use nacre_runtime::random::Random;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Options, Stack};
use nacre_tests::c_listener::{self as c, seed_bytes, CListener, Library, Seen};

const MILLISECOND: u64 = 1_000_000;
const MESSAGES: usize = 40;
/// The places of a listener in C.
const FEW: u32 = 4;
const MANY: u32 = 200;

fn address(host: usize) -> SocketAddr {
    format!("[2001:db8::{host}]:7000").parse().expect("an address")
}

/// One end of a connection, whichever listener it is.
enum Host {
    Rust(Box<SansIo>, Stack),
    C(CListener),
}

impl Host {
    fn new(library: &Rc<Library>, is_c: bool, connections: u32, seed: u64, now: u64) -> Host {
        Host::asking(library, is_c, connections, 100, seed, now)
    }

    fn asking(library: &Rc<Library>, is_c: bool, connections: u32, retry_above: u32, seed: u64, now: u64) -> Host {
        if is_c {
            let prepare = |options: &mut c::Options| {
                (options.seed, options.retry_above) = (seed_bytes(seed), retry_above);
            };
            return Host::C(CListener::new(library, connections, &[true, false], prepare, now).expect("a listener"));
        }
        let options = Options { seed: Some(seed), retry_above: retry_above as usize, ..Options::default() };
        let mut rust = SansIo::new(options, now);
        rust.serve(&library.stacks[0]).expect("served");
        Host::Rust(Box::new(rust), library.stacks[0].clone())
    }

    fn set_time(&mut self, now: u64) {
        match self {
            Host::Rust(rust, _) => rust.set_time(now),
            Host::C(c) => c.set_time(now),
        }
    }

    fn receive(&mut self, from: SocketAddr, frame: &[u8]) {
        match self {
            Host::Rust(rust, _) => rust.receive(from, frame),
            Host::C(c) => assert_eq!(c.receive(from, frame), c::OK),
        }
    }

    fn connect(&mut self, to: SocketAddr) -> u64 {
        match self {
            Host::Rust(rust, stack) => rust.connect(to, stack).expect("begun").to_number(),
            Host::C(c) => c.connect(to, 0).expect("begun"),
        }
    }

    fn send(&mut self, id: u64, message: &[u8]) -> bool {
        match self {
            Host::Rust(rust, _) => rust.send(ConnectionId::from_number(id), message).is_ok(),
            Host::C(c) => c.send(id, message) == c::OK,
        }
    }

    fn close(&mut self, id: u64) {
        match self {
            Host::Rust(rust, _) => rust.close_with(ConnectionId::from_number(id), 5, "done").expect("closes"),
            Host::C(c) => assert_eq!(c.close(id, Some((5, "done"))), c::OK),
        }
    }

    fn events(&mut self) -> Vec<Seen> {
        match self {
            Host::Rust(rust, stack) => {
                let mut all = Vec::new();
                while let Some(event) = rust.next_event() {
                    all.extend(Seen::of(&event, std::slice::from_ref(stack)));
                }
                all
            }
            Host::C(c) => c.events(),
        }
    }

    fn datagrams(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        match self {
            Host::Rust(rust, _) => rust.take_datagrams(),
            Host::C(c) => c.take_datagrams(),
        }
    }

    fn next_deadline(&self) -> u64 {
        match self {
            Host::Rust(rust, _) => rust.next_deadline().unwrap_or(u64::MAX),
            Host::C(c) => c.next_deadline(),
        }
    }
}

/// Two hosts and the datagrams between them.
struct World {
    hosts: [Host; 2],
    /// Arrival, receiver, frame; none arrive at the same time.
    network: BTreeMap<u64, (usize, Vec<u8>)>,
    random: Random,
    loss: f64,
    now: u64,
    seen: [Vec<Seen>; 2],
}

impl World {
    fn new(library: &Rc<Library>, are_c: [bool; 2], retry_above: u32, seed: u64) -> World {
        let (mut random, now) = (Random::new(seed), 1_000 * MILLISECOND);
        let hosts = are_c.map(|is_c| Host::asking(library, is_c, FEW, retry_above, random.draw(), now));
        World { hosts, network: BTreeMap::new(), random, loss: 0.1, now, seen: Default::default() }
    }

    fn settle(&mut self, at: usize) {
        let events = self.hosts[at].events();
        self.seen[at].extend(events);
        for (to, frame) in self.hosts[at].datagrams() {
            assert_eq!(to, address(1 - at));
            let copies = usize::from(!self.random.chance(self.loss)) + usize::from(self.random.chance(0.05));
            for _ in 0..copies {
                let arrival = self.now + (1 + self.random.below(30_000)) * 1_000 + self.random.below(1_000);
                self.network.insert(arrival, (1 - at, frame.clone()));
            }
        }
    }

    /// What is due next happens; false: nothing ever will, or not for a long time.
    fn step(&mut self) -> bool {
        let arrival = self.network.keys().next().copied().unwrap_or(u64::MAX);
        let due = self.hosts.iter().map(Host::next_deadline).min().unwrap_or(u64::MAX);
        let next = arrival.min(due).max(self.now);
        if next > 300_000 * MILLISECOND {
            return false;
        }
        self.now = next;
        self.hosts.iter_mut().for_each(|host| host.set_time(next));
        // What a frame delivers is read from it: it lives until the events have been taken.
        let arrived = (arrival <= due).then(|| self.network.remove(&arrival).expect("it is there"));
        if let Some((to, frame)) = &arrived {
            self.hosts[*to].receive(address(1 - to), frame);
        }
        (0..2).for_each(|at| self.settle(at));
        true
    }

    fn delivered(&self, at: usize) -> Vec<usize> {
        let number = |seen: &Seen| match seen {
            Seen::Delivered(_, message, _) => Some(usize::from(message[0])),
            _ => None,
        };
        self.seen[at].iter().filter_map(number).collect()
    }
}

/// Both ends send messages and close; everything arrives once and in order.
/// Returns whether the words of the end arrived, too.
fn converse(library: &Rc<Library>, are_c: [bool; 2], retry_above: u32, seed: u64) -> bool {
    let words = format!("{are_c:?}, retry above {retry_above}, seed {seed}");
    let mut world = World::new(library, are_c, retry_above, seed);
    let own = world.hosts[0].connect(address(1));
    world.settle(0);
    let mut left: [VecDeque<usize>; 2] = [(0..MESSAGES).collect(), (0..MESSAGES).collect()];
    let mut ids = [Some(own), None];
    let all: Vec<usize> = (0..MESSAGES).collect();
    let mut closes = false;
    for _ in 0..200_000 {
        if ids[1].is_none() && world.seen[1].iter().any(|seen| matches!(seen, Seen::Arrived(..))) {
            ids[1] = Some(match &world.hosts[1] {
                Host::Rust(rust, _) => rust.connections()[0].to_number(),
                Host::C(c) => (0..4).map(|index| 1 << 24 | index).find(|id| c.has(*id)).expect("a connection"),
            });
        }
        for at in 0..2 {
            while let (Some(id), Some(number)) = (ids[at], left[at].front().copied()) {
                let message = vec![number as u8; 1 + 97 * number];
                if !world.hosts[at].send(id, &message) {
                    break;
                }
                left[at].pop_front();
                world.settle(at);
            }
        }
        if !closes && world.delivered(0) == all && world.delivered(1) == all {
            closes = true;
            world.hosts[0].close(own);
            world.settle(0);
        }
        if !world.step() {
            break;
        }
    }
    for at in 0..2 {
        assert_eq!(world.delivered(at), all, "{words}, at {at}");
        let ends: Vec<&Seen> = world.seen[at].iter().filter(|seen| matches!(seen, Seen::Ended(..))).collect();
        assert!(matches!(ends[..], [Seen::Ended(_, 0, _)]), "{words}: {ends:?}");
        assert!(world.seen[at].iter().any(|seen| matches!(seen, Seen::Opened(_))), "{words}");
    }
    // The words can be lost on the way.
    let told = world.seen[1].contains(&Seen::Ended(1, 0, Some((5, "done".into()))));
    assert!(told || world.seen[1].contains(&Seen::Ended(1, 0, None)), "{words}: {:?}", world.seen[1]);
    told
}

#[test]
fn messages_arrive_between_both_listeners_in_both_roles() {
    let library = Rc::new(Library::new(&["reliable", "check_fifo_good"]));
    for are_c in [[true, false], [false, true], [true, true]] {
        for retry_above in [0, 100] {
            let told = (0..8).filter(|seed| converse(&library, are_c, retry_above, *seed)).count();
            assert!(told >= 4, "{are_c:?}, retry above {retry_above}: words arrived {told} times of 8");
        }
    }
}

/// The end that began a connection is started again, with other random numbers.
#[test]
fn restarted_peer_gets_another_connection() {
    let library = Rc::new(Library::new(&["reliable", "check_fifo_good"]));
    for are_c in [[true, false], [false, true], [true, true]] {
        let mut world = World::new(&library, are_c, 100, 3);
        for life in 0..3 {
            world.hosts[0] = Host::new(&library, are_c[0], FEW, 10 + life, world.now);
            let id = world.hosts[0].connect(address(1));
            world.settle(0);
            let until = world.now + 10_000 * MILLISECOND;
            let mut is_sent = false;
            while world.now < until && world.step() {
                if !is_sent {
                    is_sent = world.hosts[0].send(id, &[life as u8]);
                    world.settle(0);
                }
            }
        }
        assert_eq!(world.delivered(1), [0, 1, 2], "{are_c:?}");
        let restarts = world.seen[1].iter().filter(|seen| matches!(seen, Seen::Ended(_, 5, None))).count();
        assert_eq!(restarts, 2, "{are_c:?}: {:?}", world.seen[1]);
    }
}

/// The windows of many connections are full, and the peer of one of them answers.
#[test]
fn connection_that_accepts_again_is_told_at_once() {
    let library = Rc::new(Library::new(&["reliable", "check_fifo_good"]));
    for is_c in [false, true] {
        let now = 1_000 * MILLISECOND;
        let (mut client, mut server) =
            (Host::new(&library, is_c, MANY, 1, now), Host::new(&library, false, MANY, 2, now));
        let peers = 2..2 + MANY as usize;
        let all: Vec<u64> = peers.clone().map(|host| client.connect(address(host))).collect();
        all.iter().for_each(|id| while client.send(*id, &[0; 20]) {});
        let before = client.events();
        assert!(!before.iter().any(|seen| matches!(seen, Seen::Writable(_))), "{is_c}: {before:?}");
        let (id, peer) = (all[all.len() / 2], address(2 + all.len() / 2));
        for (_, frame) in client.datagrams().iter().filter(|(to, _)| *to == peer) {
            server.receive(address(1), frame);
            server.events();
        }
        server.set_time(now + 1_000 * MILLISECOND);
        server.events();
        let answers = server.datagrams();
        let mut told = Vec::new();
        for (_, frame) in &answers {
            client.receive(peer, frame);
            told.extend(client.events());
        }
        assert!(told.contains(&Seen::Writable(id >> 24)), "{is_c}, {} answers: {told:?}", answers.len());
        assert!(client.next_deadline() > now, "{is_c}: nothing is left to do");
    }
}

/// A peer that is silent is given up, by both.
#[test]
fn silent_peer_is_given_up() {
    let library = Rc::new(Library::new(&["reliable", "check_fifo_good"]));
    for are_c in [[true, false], [false, true]] {
        let mut world = World::new(&library, are_c, 100, 3);
        world.hosts[0].connect(address(1));
        world.settle(0);
        while world.now < 5_000 * MILLISECOND && world.step() {}
        world.loss = 1.0;
        world.network.clear();
        while world.now < 100_000 * MILLISECOND && world.step() {}
        for at in 0..2 {
            assert!(matches!(world.seen[at].last(), Some(Seen::Ended(_, 4, None))), "{:?}", world.seen[at]);
        }
    }
}
