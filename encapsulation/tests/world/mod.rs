//! Hosts of STREAMS joined by a simulated network, and foreign sources that packages bring. Each test uses some of it.
#![allow(dead_code)]

mod packages;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;

use nacre_encapsulation::compile::room;
use nacre_encapsulation::import::{Import, Imported};
use nacre_encapsulation::streams::{Device, Host, Instance, Message, Stream, Streams};
use nacre_simulator::network::{Conditions, Link, Network, Partition};

pub const SECOND: u64 = 1_000_000_000;

/// Whether long campaigns are wanted.
pub fn soaking() -> bool {
    std::env::var_os("NACRE_SOAK").is_some()
}

/// Runs seeds: those of `NACRE_SEEDS` (a number, or `FROM..TO`), 10,000 in long campaigns, or as many as are usual. All
/// run, even if some fail.
pub fn seeds(usual: u64, run: impl Fn(u64)) {
    let chosen = std::env::var("NACRE_SEEDS").ok().map(|text| {
        let number = |text: &str| text.parse::<u64>().expect("NACRE_SEEDS is a number or FROM..TO");
        match text.split_once("..") {
            Some((from, to)) => number(from)..number(to),
            None => number(&text)..number(&text) + 1,
        }
    });
    let mut failed = Vec::new();
    for seed in chosen.unwrap_or(0..if soaking() { 10_000 } else { usual }) {
        if std::panic::catch_unwind(AssertUnwindSafe(|| run(seed))).is_err() {
            eprintln!("seed {seed} failed: repeat it with NACRE_SEEDS={seed}");
            failed.push(seed);
        }
        if soaking() && seed % 500 == 499 {
            eprintln!("seeds up to {seed} ran");
        }
    }
    assert!(failed.is_empty(), "seeds that failed: {failed:?}; NACRE_SEEDS=N repeats one");
}

/// A bad network of a seed: the usual one for every other, and drawn faults for the others.
pub fn bad_network(seed: u64) -> Conditions {
    let usual = Conditions {
        loss: 0.03,
        duplicate: 0.02,
        reorder: 0.05,
        corrupt: 0.01,
        delay: 2_000_000,
        jitter: 1_000_000,
        ..Conditions::default()
    };
    if seed % 2 == 0 {
        return usual;
    }
    let drawn: Vec<f64> = bytes(8, seed).into_iter().map(|byte| f64::from(byte) / 256.0).collect();
    let is_slow = drawn[6] < 0.25;
    Conditions {
        loss: 0.08 * drawn[0],
        duplicate: 0.1 * drawn[1],
        reorder: 0.2 * drawn[2],
        corrupt: 0.04 * drawn[3],
        delay: (50e6 * drawn[4]) as u64,
        jitter: (30e6 * drawn[5]) as u64,
        // In kbit/s, and bytes.
        rate: if is_slow { 1000 } else { 0 },
        queue: is_slow.then_some(40_000),
        partition: (drawn[7] < 0.25).then_some(Partition { every: 5 * SECOND, lasts: SECOND / 2 }),
        ..usual
    }
}

/// The folder of the source of a foreign protocol.
pub fn source(name: &str, package: &str) -> PathBuf {
    packages::source(&room(), name, package)
}

/// A capsule, imported once in a process, with the library that it needs.
pub struct Capsule {
    pub imported: Imported,
    pub streams: Streams,
}

pub fn import(tree: &Path, environment: &str, cell: &'static OnceLock<Capsule>) -> &'static Capsule {
    cell.get_or_init(|| {
        // Of this program: statics are not dropped, so a temporary folder would stay.
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("capsules").join(env!("CARGO_CRATE_NAME")).join(environment);
        let _ = std::fs::remove_dir_all(&folder);
        let import = Import {
            tree: tree.to_path_buf(),
            environment: environment.into(),
            name: environment.into(),
            description: None,
            flags: vec!["-g".into()],
            isolate: false,
        };
        let imported = import.write(&folder).unwrap_or_else(|refused| panic!("{refused:?}"));
        let streams = Streams::load(&folder).expect("the library");
        Capsule { imported, streams }
    })
}

/// A host with its devices; device N of one host is joined with device N of the other.
pub struct Side {
    pub host: Host,
    pub devices: Vec<Device>,
    sent: u64,
    kept: RefCell<Vec<Stream>>,
    instances: RefCell<Vec<Instance>>,
}

impl Side {
    pub fn load(&self, capsule: &Path, name: &str, options: &[&str]) {
        let instance = self.host.load(capsule, name, options).unwrap_or_else(|error| panic!("{error}"));
        self.instances.borrow_mut().push(instance);
    }

    /// Keeps a stream open as long as the world.
    pub fn keep(&self, stream: Stream) {
        self.kept.borrow_mut().push(stream);
    }
}

/// Two hosts, and the frames between them.
pub struct World {
    pub clock: Rc<Cell<u64>>,
    pub sides: Vec<Side>,
    pub networks: Vec<Network>,
    links: Vec<Link>,
    frames: BinaryHeap<Reverse<(u64, u64, usize, usize, Vec<u8>)>>,
    number: u64,
    /// Links that carry nothing.
    pub cut: Vec<bool>,
}

impl World {
    pub fn new(streams: Streams, seed: u64, links: usize, conditions: &Conditions) -> World {
        let clock = Rc::new(Cell::new(SECOND));
        let side = |n: u64| {
            let host = Host::open(streams, clock.clone(), seed * 2 + n + 1).expect("a host");
            let devices = (0..links).map(|link| host.device(&format!("link{link}")).expect("a device")).collect();
            Side { host, devices, sent: 0, kept: RefCell::default(), instances: RefCell::default() }
        };
        let network = |n: u64| Network { seed: seed.wrapping_add(n << 32), conditions: conditions.clone(), keep: None };
        World {
            sides: (0..2).map(side).collect(),
            networks: (0..links as u64).map(network).collect(),
            links: vec![Link::default(); 2 * links],
            frames: BinaryHeap::new(),
            number: 0,
            cut: vec![false; links],
            clock,
        }
    }

    /// Lets the hosts work at this time, and takes the frames that they send.
    fn work(&mut self) {
        let now = self.clock.get();
        for at in 0..self.sides.len() {
            let side = &mut self.sides[at];
            side.host.work();
            for (link, device) in side.devices.iter().enumerate() {
                while let Some(frame) = device.sent() {
                    let state = &mut self.links[2 * link + at];
                    let fate = self.networks[link].fate(now, (at as u32, side.sent), frame.len(), state);
                    side.sent += 1;
                    for arrival in fate.arrivals.iter().filter(|_| !self.cut[link]) {
                        let mut frame = frame.clone();
                        if let Some(damage) = fate.damage {
                            let place = damage as usize % frame.len().max(1);
                            frame.get_mut(place).into_iter().for_each(|byte| *byte ^= 1 << (damage >> 32 & 7));
                        }
                        self.number += 1;
                        self.frames.push(Reverse((*arrival, self.number, 1 - at, link, frame)));
                    }
                }
            }
        }
    }

    /// Goes to the next time at which something happens, not beyond `until`. False: nothing happens before.
    fn step(&mut self, until: u64) -> bool {
        self.work();
        let arrival = self.frames.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
        let timer = self.sides.iter().map(|side| side.host.deadline()).min().unwrap_or(u64::MAX);
        let next = arrival.min(timer);
        if next > until {
            return false;
        }
        self.clock.set(self.clock.get().max(next));
        if arrival <= next {
            let Some(Reverse((_, _, to, link, frame))) = self.frames.pop() else { return true };
            // A full queue drops it, as a network does.
            let _ = self.sides[to].devices[link].receive(&frame);
        }
        true
    }

    /// What both hosts logged.
    pub fn log(&self) -> String {
        self.sides.iter().flat_map(|side| side.host.log()).collect::<Vec<String>>().join("\n")
    }

    /// Closes what is kept, and unloads the instances; nothing may be left.
    pub fn end(mut self) {
        // Longer than fragments wait for the others.
        let end = self.clock.get() + 100 * SECOND;
        while self.step(end) {}
        for side in &self.sides {
            side.kept.borrow_mut().clear();
            side.host.work();
            while side.devices.iter().any(|device| device.sent().is_some()) {}
            for (number, instance) in side.instances.borrow_mut().drain(..).enumerate() {
                if let Err((_, error)) = instance.unload() {
                    panic!("instance {number} stays: {error}; {} blocks are left", side.host.live_blocks());
                }
            }
            assert_eq!(side.host.live_blocks(), 0, "blocks are left");
            assert!(side.host.log().iter().all(|line| !line.contains("the instance ends")), "{:?}", side.host.log());
        }
    }

    /// Runs until a condition holds, at most so many nanoseconds; whether it holds.
    pub fn until(&mut self, most: u64, mut holds: impl FnMut(&mut World) -> bool) -> bool {
        let end = self.clock.get() + most;
        loop {
            if holds(self) {
                return true;
            }
            if !self.step(end) {
                self.clock.set(end);
                self.work();
                return holds(self);
            }
        }
    }
}

/// TPI primitives, as streams/tpi.h has them.
pub mod tpi {
    use super::*;

    pub const CONN_REQ: i32 = 0;
    pub const CONN_RES: i32 = 1;
    pub const DISCON_REQ: i32 = 2;
    pub const DATA_REQ: i32 = 3;
    pub const BIND_REQ: i32 = 6;
    pub const UNITDATA_REQ: i32 = 8;
    pub const ORDREL_REQ: i32 = 10;
    pub const CONN_IND: i32 = 11;
    pub const CONN_CON: i32 = 12;
    pub const DISCON_IND: i32 = 13;
    pub const DATA_IND: i32 = 14;
    pub const BIND_ACK: i32 = 17;
    pub const ERROR_ACK: i32 = 18;
    pub const OK_ACK: i32 = 19;
    pub const UNITDATA_IND: i32 = 20;
    pub const UDERROR_IND: i32 = 21;
    pub const ORDREL_IND: i32 = 23;
    pub const ADDR_REQ: i32 = 24;
    pub const ADDR_ACK: i32 = 25;
    pub const CAPABILITY_REQ: i32 = 26;
    pub const CAPABILITY_ACK: i32 = 27;

    /// A control part of numbers and an address after them.
    pub fn control(numbers: &[i32], address: &[u8]) -> Message {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        bytes.extend_from_slice(address);
        Message { control: Some(bytes), data: None }
    }

    /// A message of data with its primitive: of a provider whose messages have bounds.
    pub fn data(bytes: &[u8]) -> Message {
        Message { data: Some(bytes.to_vec()), ..control(&[DATA_REQ, 0], &[]) }
    }

    pub fn word(message: &Message, number: usize) -> i32 {
        let control = message.control.as_deref().unwrap_or_default();
        control.get(4 * number..4 * number + 4).map_or(-1, |b| i32::from_ne_bytes(b.try_into().expect("4 bytes")))
    }

    /// The address that a primitive has at an offset of its control part.
    pub fn range(message: &Message, length: i32, offset: i32) -> Vec<u8> {
        let control = message.control.as_deref().unwrap_or_default();
        control[offset as usize..(offset + length) as usize].to_vec()
    }

    pub fn ipv4(address: [u8; 4], port: u16) -> Vec<u8> {
        let mut bytes = (libc::AF_INET as u16).to_ne_bytes().to_vec();
        bytes.extend_from_slice(&port.to_be_bytes());
        bytes.extend_from_slice(&address);
        bytes.resize(16, 0);
        bytes
    }
}

/// A transport endpoint: a stream of a transport provider.
pub struct End {
    pub stream: Stream,
    /// Primitives that came and that nobody has asked for.
    pub events: Vec<Message>,
    pub data: Vec<u8>,
    pub messages: usize,
}

impl End {
    pub fn open(host: &Host, device: &str) -> End {
        let stream = host.stream(device).unwrap_or_else(|error| panic!("{device}: {error}"));
        End { stream, events: Vec::new(), data: Vec::new(), messages: 0 }
    }

    pub fn put(&self, message: &Message) {
        self.stream.put(message).expect("room for a primitive");
    }

    /// Takes what has come up.
    pub fn take(&mut self) {
        loop {
            match self.stream.get() {
                Ok(message) if message.control.is_none() || tpi::word(&message, 0) == tpi::DATA_IND => {
                    self.messages += usize::from(tpi::word(&message, 1) <= 0);
                    self.data.extend(message.data.unwrap_or_default());
                }
                Ok(message) => self.events.push(message),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Takes the first primitive of a type.
    pub fn event(&mut self, kind: i32) -> Option<Message> {
        self.take();
        let at = self.events.iter().position(|message| tpi::word(message, 0) == kind)?;
        Some(self.events.remove(at))
    }

    pub fn bind(&mut self, world: &mut World, address: &[u8], backlog: i32) -> Result<Message, Message> {
        self.put(&tpi::control(&[tpi::BIND_REQ, address.len() as i32, 16, backlog], address));
        self.answer(world, tpi::BIND_ACK)
    }

    pub fn answer(&mut self, world: &mut World, kind: i32) -> Result<Message, Message> {
        let found = self.awaited(world, kind);
        found.unwrap_or_else(|| panic!("no answer of type {kind}: {:?}\n{}", self.events, world.log()))
    }

    fn awaited(&mut self, world: &mut World, kind: i32) -> Option<Result<Message, Message>> {
        let mut found = None;
        // Of a handshake on a bad network, each try can take a minute.
        world.until(600 * SECOND, |_| {
            found = self.event(kind).map(Ok).or_else(|| self.event(tpi::ERROR_ACK).map(Err));
            found.is_some()
        });
        found
    }

    /// The number by which a T_CONN_RES names this endpoint.
    pub fn number(&mut self, world: &mut World) -> i32 {
        self.put(&tpi::control(&[tpi::CAPABILITY_REQ, 2], &[]));
        let answer = self.answer(world, tpi::CAPABILITY_ACK).expect("every provider answers");
        tpi::word(&answer, 13)
    }
}

/// The last packet of the handshake did not come, and the listener gave up. Its caller learns that when it sends.
fn given_up(world: &mut World, mut caller: End) {
    caller.answer(world, tpi::CONN_CON).expect("the caller is connected");
    caller.stream.put(&Message { control: None, data: Some(vec![0]) }).expect("there is room");
    caller.answer(world, tpi::DISCON_IND).expect("there is no such connection");
}

/// Connects two endpoints: the listener's address is `to`. Returns the two ends.
pub fn connect(world: &mut World, devices: [&str; 2], bound: &[u8], to: &[u8]) -> [End; 2] {
    let mut listener = End::open(&world.sides[1].host, devices[1]);
    listener.bind(world, bound, 5).expect("the listener is bound");
    let (mut caller, asked) = loop {
        let mut caller = End::open(&world.sides[0].host, devices[0]);
        caller.bind(world, &[], 0).expect("the caller is bound");
        caller.put(&tpi::control(&[tpi::CONN_REQ, to.len() as i32, 20, 0, 0], to));
        caller.answer(world, tpi::OK_ACK).expect("the connection is tried");
        if let Some(asked) = listener.awaited(world, tpi::CONN_IND) {
            break (caller, asked.expect("the listener is asked"));
        }
        given_up(world, caller);
    };
    let mut acceptor = End::open(&world.sides[1].host, devices[1]);
    acceptor.bind(world, &[], 0).expect("the acceptor is bound");
    let number = acceptor.number(world);
    listener.put(&tpi::control(&[tpi::CONN_RES, number, 0, 0, tpi::word(&asked, 5)], &[]));
    listener.answer(world, tpi::OK_ACK).expect("it is accepted");
    caller.answer(world, tpi::CONN_CON).expect("the caller is connected");
    [caller, acceptor]
}

/// Sends bytes from one end to the other; whether all came within so many nanoseconds.
pub fn transfer(
    world: &mut World,
    [from, to]: [&mut End; 2],
    bytes: &[u8],
    most: u64,
    data: impl Fn(&[u8]) -> Message,
) -> bool {
    let (mut sent, begun) = (0, to.data.len());
    world.until(most, |_| {
        while sent < bytes.len() {
            let part = &bytes[sent..bytes.len().min(sent + 8192)];
            match from.stream.put(&data(part)) {
                Ok(()) => sent += part.len(),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        to.take();
        to.data.len() - begun >= bytes.len()
    })
}

/// Bytes that differ from place to place.
pub fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}
