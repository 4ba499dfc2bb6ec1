//! The emitted listener beside the runtime's core: what they do with the same datagrams, calls and times.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use nacre_runtime::random::Random;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Error, Options, Stack};
use nacre_tests::c_listener::{self as c, seed_bytes, CListener, Library, Seen};
use nacre_tests::soaking;
use std::collections::BTreeSet;

const MILLISECOND: u64 = 1_000_000;

fn address(host: usize) -> SocketAddr {
    // Two hosts share an IP address, so limits for one network are reached.
    SocketAddr::from(([10, 0, 0, 1 + host as u8 / 2], 7000 + host as u16))
}

/// The limits of one run.
#[derive(Clone, Copy, Debug)]
struct Limits {
    connections: u32,
    retry_above: u32,
    moves: bool,
}

/// Two listeners that get the same: the runtime's core and the emitted one.
struct Twins {
    rust: SansIo,
    c: CListener,
    stacks: Vec<Stack>,
    /// Connections that the application may use: of the runtime, and in C.
    usable: Vec<(ConnectionId, u64)>,
}

impl Twins {
    fn new(library: &Rc<Library>, limits: Limits, serves: bool, seed: u64, now: u64) -> Twins {
        let n = limits.connections;
        let blocks = 4 * n * 400;
        let mut rust = SansIo::new(
            Options {
                connections: n as usize,
                connections_per_address: n as usize,
                unconfirmed: n.div_ceil(2) as usize,
                unconfirmed_per_address: n.div_ceil(4) as usize,
                retry_above: limits.retry_above as usize,
                pool_blocks: Some(blocks),
                moves: limits.moves,
                seed: Some(seed),
                timeout: Duration::from_secs(8),
                ping_after: Duration::from_secs(2),
                ..Options::default()
            },
            now,
        );
        if serves {
            library.stacks.iter().for_each(|stack| rust.serve(stack).expect("served"));
        }
        let prepare = |options: &mut c::Options| {
            options.connections_per_network = n;
            options.unconfirmed = n.div_ceil(2);
            options.unconfirmed_per_network = n.div_ceil(4);
            options.retry_above = limits.retry_above;
            options.moves = limits.moves;
            options.departed = 4096;
            options.refusals = 256;
            options.networks = 4096;
            options.event_bytes = 1 << 20;
            (options.timeout, options.ping_after) = (8_000 * MILLISECOND, 2_000 * MILLISECOND);
            options.seed = seed_bytes(seed);
        };
        let c = CListener::new(library, n, &[serves; 2], prepare, now).expect("a listener");
        Twins { rust, c, stacks: library.stacks.clone(), usable: Vec::new() }
    }

    fn set_time(&mut self, now: u64) {
        self.rust.set_time(now);
        self.c.set_time(now);
    }

    fn receive(&mut self, from: SocketAddr, frame: &[u8]) {
        self.rust.receive(from, frame);
        assert_eq!(self.c.receive(from, frame), c::OK);
    }

    fn connect(&mut self, to: SocketAddr, stack: usize) {
        let kind = &self.stacks[stack].clone();
        let (rust, c) = (self.rust.connect(to, kind), self.c.connect(to, stack as u32));
        match (rust, c) {
            (Ok(rust), Ok(c)) => {
                assert_eq!(rust.to_number() >> 24, c >> 24);
                self.usable.push((rust, c));
            }
            (Err(Error::Full(_)), Err(c::FULL)) | (Err(Error::Invalid(_)), Err(c::INVALID)) => {}
            (rust, c) => panic!("{rust:?} {c:?}"),
        }
    }

    fn send(&mut self, (rust, c): (ConnectionId, u64), message: &[u8]) {
        let rust = self.rust.send(rust, message);
        let wanted = match &rust {
            Ok(()) => c::OK,
            Err(Error::Refused) => c::REFUSED,
            Err(Error::TooLong { .. }) => c::TOO_LONG,
            Err(Error::NoConnection | Error::Closed(_)) => c::GONE,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(self.c.send(c, message), wanted, "{rust:?}");
    }

    fn close(&mut self, (rust, c): (ConnectionId, u64), words: Option<(u32, &str)>) {
        let rust = match words {
            Some((code, text)) => self.rust.close_with(rust, code, text),
            None => self.rust.close(rust),
        };
        assert_eq!(self.c.close(c, words) == c::OK, rust.is_ok(), "{rust:?}");
    }

    fn refuse(&mut self, (rust, c): (ConnectionId, u64), text: &str) {
        let rust = self.rust.refuse(rust, 7, text);
        assert_eq!(self.c.refuse(c, 7, text) == c::OK, rust.is_ok(), "{rust:?}");
    }

    /// Takes all events; they must be the same.
    fn events(&mut self) -> Vec<Seen> {
        let stacks = &self.stacks;
        let mut rust = Vec::new();
        let mut ids = Vec::new();
        while let Some(event) = self.rust.next_event() {
            if let nacre_runtime::Event::Arrived { connection, .. } = &event {
                ids.push(*connection);
            }
            rust.extend(Seen::of(&event, stacks));
        }
        let mut c = self.c.events();
        // How many arguments an event has depends on its stack, which the test does not look up in C.
        for (rust, c) in rust.iter().zip(&mut c) {
            if let (Seen::Other(_, _, rust, _), Seen::Other(_, _, c, _)) = (rust, c) {
                c.truncate(rust.len());
            }
        }
        assert_eq!(rust, c);
        ids.iter().for_each(|id| self.usable.push((*id, self.find_in_c(id.to_number() >> 24))));
        for seen in &rust {
            if let Seen::Ended(serial, ..) = seen {
                self.usable.retain(|(rust, _)| rust.to_number() >> 24 != *serial);
            }
        }
        rust
    }

    /// The id that a connection has in C: the serial number is the same, the place may be another one.
    fn find_in_c(&self, serial: u64) -> u64 {
        (0..64).map(|index| serial << 24 | index).find(|id| self.c.has(*id)).unwrap_or(0)
    }

    /// Takes the datagrams; they must be the same, byte for byte.
    fn datagrams(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        let (rust, c) = (self.rust.take_datagrams(), self.c.take_datagrams());
        let text = |all: &[(SocketAddr, Vec<u8>)]| -> Vec<String> {
            all.iter().map(|(to, frame)| format!("{to} {frame:02x?}")).collect()
        };
        assert_eq!(text(&rust), text(&c));
        rust
    }

    fn next_deadline(&self) -> u64 {
        self.rust.next_deadline().unwrap_or(u64::MAX).min(self.c.next_deadline())
    }
}

/// Hosts, and the datagrams on their way.
struct World {
    library: Rc<Library>,
    limits: Limits,
    hosts: Vec<Twins>,
    /// Where they are now.
    addresses: Vec<SocketAddr>,
    /// Sender, receiver, frame.
    network: Vec<(SocketAddr, SocketAddr, Vec<u8>)>,
    /// What was sent at some time, for stale and forged frames.
    seen: Vec<(SocketAddr, SocketAddr, Vec<u8>)>,
    random: Random,
    now: u64,
    delivered: usize,
    ended: BTreeSet<u32>,
    kinds: BTreeSet<&'static str>,
}

impl World {
    fn new(library: &Rc<Library>, limits: Limits, count: usize, seed: u64) -> World {
        let mut random = Random::new(seed);
        let now = 1_000 * MILLISECOND;
        // The last host only begins connections.
        let host = |at: usize, random: &mut Random| Twins::new(library, limits, at + 1 < count, random.draw(), now);
        let hosts = (0..count).map(|at| host(at, &mut random)).collect();
        World {
            library: library.clone(),
            limits,
            hosts,
            addresses: (0..count).map(address).collect(),
            network: Vec::new(),
            seen: Vec::new(),
            random,
            now,
            delivered: 0,
            ended: BTreeSet::new(),
            kinds: BTreeSet::new(),
        }
    }

    /// Takes what came out of a host, and compares it.
    fn settle(&mut self, at: usize) {
        let events = self.hosts[at].events();
        for event in events {
            self.kinds.insert(match event {
                Seen::Delivered(..) => {
                    self.delivered += 1;
                    "delivered"
                }
                Seen::Ended(_, reason, words) => {
                    self.ended.insert(reason);
                    if words.is_some() {
                        "words"
                    } else {
                        "ended"
                    }
                }
                Seen::Arrived(..) => "arrived",
                Seen::Opened(..) => "opened",
                Seen::Writable(..) => "writable",
                Seen::Moved(..) => "moved",
                Seen::Stranger(..) => "stranger",
                Seen::Other(..) => "other",
            });
        }
        for (to, frame) in self.hosts[at].datagrams() {
            self.seen.push((self.addresses[at], to, frame.clone()));
            self.network.push((self.addresses[at], to, frame));
        }
        if self.seen.len() > 400 {
            self.seen.drain(..200);
        }
    }

    fn deliver(&mut self, from: SocketAddr, to: SocketAddr, frame: &[u8]) {
        let Some(at) = self.addresses.iter().position(|address| *address == to) else { return };
        self.hosts[at].receive(from, frame);
        self.settle(at);
    }

    /// One thing happens.
    fn step(&mut self) {
        let below = |random: &mut Random, bound: usize| random.below(bound as u64) as usize;
        let host = below(&mut self.random, self.hosts.len());
        match self.random.below(100) {
            0..=54 if !self.network.is_empty() => {
                let at = if self.random.chance(0.3) { below(&mut self.random, self.network.len()) } else { 0 };
                let (from, to, frame) = match self.random.below(20) {
                    0 => self.network[at].clone(),
                    _ => self.network.remove(at),
                };
                if !self.random.chance(0.1) {
                    self.deliver(from, to, &frame);
                }
            }
            55..=69 => self.pass_time(),
            70..=73 => {
                let (to, stack) = (below(&mut self.random, self.hosts.len()), below(&mut self.random, 2));
                let to = self.addresses[to];
                self.hosts[host].connect(to, stack);
                self.settle(host);
            }
            74..=89 => {
                let len = [0, 1, 30, 300, 3000][below(&mut self.random, 5)];
                let Some(id) = self.any_connection(host) else { return };
                self.hosts[host].send(id, &vec![self.random.draw() as u8; len]);
                self.settle(host);
            }
            90 | 91 => {
                let Some(id) = self.any_connection(host) else { return };
                let words = self.random.chance(0.5).then_some((3, "done, thänk you"));
                self.hosts[host].close(id, words);
                self.settle(host);
            }
            92 => {
                let Some(id) = self.any_connection(host) else { return };
                self.hosts[host].refuse(id, "no");
                self.settle(host);
                self.hosts[host].usable.retain(|one| *one != id);
            }
            93 if self.random.chance(0.5) => {
                let port = self.addresses[host].port() % 1_000;
                self.addresses[host].set_port(7_000 + (port + 100) % 1_000);
            }
            94 if self.random.chance(0.3) => {
                let seed = self.random.draw();
                let serves = host + 1 < self.hosts.len();
                self.hosts[host] = Twins::new(&self.library, self.limits, serves, seed, self.now);
            }
            _ => self.forge(),
        }
    }

    fn any_connection(&mut self, host: usize) -> Option<(ConnectionId, u64)> {
        let usable = &self.hosts[host].usable;
        let at = self.random.below(usable.len() as u64) as usize;
        usable.get(at).copied()
    }

    /// An old frame, as it was or changed, from where it came or from elsewhere.
    fn forge(&mut self) {
        let at = self.random.below(self.seen.len() as u64) as usize;
        let Some((mut from, mut to, mut frame)) = self.seen.get(at).cloned() else { return };
        if self.random.chance(0.3) {
            from = address(self.random.below(8) as usize);
        }
        if self.random.chance(0.2) {
            to = address(self.random.below(self.hosts.len() as u64) as usize);
        }
        for _ in 0..self.random.below(4) {
            match self.random.below(4) {
                0 => frame.truncate(self.random.below(frame.len() as u64 + 1) as usize),
                1 => frame.extend([0; 9]),
                _ if !frame.is_empty() => {
                    let at = self.random.below((frame.len() as u64).min(48)) as usize;
                    frame[at] ^= 1 << self.random.below(8);
                }
                _ => {}
            }
        }
        self.deliver(from, to, &frame);
    }

    /// Time goes on, at most to the next deadline.
    fn pass_time(&mut self) {
        let due = self.hosts.iter().map(Twins::next_deadline).min().unwrap_or(u64::MAX);
        let most = self.now + self.random.below(3_000) * MILLISECOND;
        self.now = due.min(most).max(self.now + 1);
        for at in 0..self.hosts.len() {
            self.hosts[at].set_time(self.now);
            self.settle(at);
        }
    }
}

#[test]
fn listener_does_what_the_runtime_does() {
    let library = Rc::new(Library::new(&["reliable", "check_fifo_good"]));
    let (seeds, steps) = if soaking() { (2_000, 3_000) } else { (40, 1_500) };
    let (mut delivered, mut ended, mut kinds) = (0, BTreeSet::new(), BTreeSet::new());
    for seed in 0..seeds {
        let connections = [1, 3, 6, 12][seed as usize % 4];
        let limits = Limits { connections, retry_above: [0, 1, 100][seed as usize % 3], moves: seed % 5 < 2 };
        println!("seed {seed}, {limits:?}");
        let mut world = World::new(&library, limits, 4, seed);
        (0..steps).for_each(|_| world.step());
        delivered += world.delivered;
        ended.extend(world.ended);
        kinds.extend(world.kinds);
    }
    assert!(delivered > 1_000, "{delivered}");
    println!("{delivered} messages, reasons {ended:?}, {kinds:?}");
    for kind in ["arrived", "opened", "delivered", "writable", "ended", "words", "moved", "stranger"] {
        assert!(kinds.contains(kind), "no event of the kind {kind}: {kinds:?}");
    }
    for reason in [0, 1, 3, 4, 5, 128] {
        assert!(ended.contains(&reason), "no connection ended with {reason}: {ended:?}");
    }
}
