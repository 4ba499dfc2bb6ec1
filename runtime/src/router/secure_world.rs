//! Routers with secure stacks on a network without delay, on which a test reads, changes, drops and adds datagrams.

use super::tests::events;
use super::*;
use crate::instance::Config;
use crate::secure::keys::{Expect, Keys, Psk};
use crate::support::secure;
use crate::wire::Label;
use std::net::SocketAddr;

pub(super) type Datagrams = Vec<(SocketAddr, Vec<u8>)>;
/// From, to, and what.
pub(super) type OnWay = (SocketAddr, SocketAddr, Vec<u8>);
pub(super) type Flying = Vec<OnWay>;

pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;
pub(super) const SECOND: u64 = 1_000_000_000;

/// The address of an end.
pub(super) fn at(end: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end as u8 + 1], 7000))
}

/// The keys of an end.
pub(super) fn keys(end: usize) -> Keys {
    Keys::from_bytes(&[end as u8 + 1; 32])
}

pub(super) fn options(end: usize) -> Options {
    let psk = Psk::from_bytes(&[77; 32]);
    Options { seed: Some(end as u64 + 100), keys: Some(keys(end)), psk: Some(psk), hybrid: false, ..Options::default() }
}

/// Ends at addresses, and what the application of each was told.
pub(super) struct World {
    pub ends: Vec<Router<Datagrams>>,
    pub places: Vec<SocketAddr>,
    pub now: u64,
    pub log: Vec<(usize, String)>,
}

impl World {
    /// A client and a server.
    pub(super) fn new() -> World {
        World::with([options(CLIENT), options(SERVER)])
    }

    /// The same with options. All but the first serve.
    pub(super) fn with<const N: usize>(options: [Options; N]) -> World {
        let mut world = World { ends: Vec::new(), places: (0..N).map(at).collect(), now: 1_000, log: Vec::new() };
        for options in options {
            let mut router = Router::new(Datagrams::new(), options, world.now);
            if !world.ends.is_empty() {
                router.serve(&secure(), None).unwrap();
            }
            world.ends.push(router);
        }
        world
    }

    pub(super) fn connect(&mut self, expect: Expect) -> ConnectionId {
        let nothing = |_: &mut Config| {};
        self.ends[CLIENT].connect_expecting(at(SERVER), &secure(), Some(expect), nothing).unwrap()
    }

    /// A client and a server with a connection, and its ids.
    pub(super) fn connected() -> (World, [ConnectionId; 2]) {
        let mut world = World::new();
        let id = world.connect(Expect::Any);
        world.run(SECOND, |_| {});
        let other = world.ends[SERVER].connections()[0];
        (world, [id, other])
    }

    /// Carries datagrams and runs timers for a while; `on_way` sees and changes what flies.
    pub(super) fn run(&mut self, time: u64, mut on_way: impl FnMut(&mut Flying)) {
        let until = self.now + time;
        loop {
            self.log_events();
            let mut flying = self.take();
            on_way(&mut flying);
            if flying.is_empty() {
                if self.now >= until {
                    return;
                }
                let next = self.ends.iter().map(Router::next_deadline).min().unwrap();
                self.now = next.clamp(self.now + 1, until);
                self.ends.iter_mut().for_each(|end| end.set_time(self.now));
            }
            flying.into_iter().for_each(|(from, to, frame)| self.deliver(from, to, &frame));
        }
    }

    /// What the ends have sent.
    pub(super) fn take(&mut self) -> Flying {
        let places = self.places.clone();
        let ends = self.ends.iter_mut().zip(places);
        ends.flat_map(|(end, place)| {
            std::mem::take(end.outbox_mut()).into_iter().map(move |(to, frame)| (place, to, frame))
        })
        .collect()
    }

    /// A datagram arrives, if somebody is there.
    pub(super) fn deliver(&mut self, from: SocketAddr, to: SocketAddr, frame: &[u8]) {
        if let Some(end) = self.places.iter().position(|place| *place == to) {
            self.ends[end].datagram(from, frame);
            self.log_events();
        }
    }

    pub(super) fn log_events(&mut self) {
        for (number, end) in self.ends.iter_mut().enumerate() {
            self.log.extend(events(end).into_iter().map(|word| (number, word)));
        }
    }

    /// What the application of an end was told.
    pub(super) fn told(&self, end: usize) -> Vec<&str> {
        self.log.iter().filter(|(at, _)| *at == end).map(|(_, word)| word.as_str()).collect()
    }

    /// The label that frames to an end carry.
    pub(super) fn label(&self, end: usize, id: ConnectionId) -> Label {
        let router = &self.ends[end];
        Label { cookie: router.cookie(id).unwrap(), key: router.get(id).unwrap().key }
    }

    /// Whether both ends can talk.
    pub(super) fn assert_works(&mut self, [client, server]: [ConnectionId; 2]) {
        self.ends[CLIENT].send(client, b"from the client").unwrap();
        self.ends[SERVER].send(server, b"from the server").unwrap();
        self.run(SECOND, |_| {});
        assert_eq!(self.told(CLIENT).last(), Some(&"delivered from the server"), "{:?}", self.log);
        assert_eq!(self.told(SERVER).last(), Some(&"delivered from the client"), "{:?}", self.log);
    }
}

/// The kind of a control frame; 255: of a stack.
pub(super) fn kind(frame: &[u8]) -> u8 {
    if frame[0] == 0xfe {
        frame[5]
    } else {
        255
    }
}
