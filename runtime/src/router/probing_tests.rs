//! The search for the longest frame that a path carries, by two routers over a path that drops longer ones.

use super::attack_tests::{address, client, server, Datagrams, HONEST, SERVER};
use super::tests::events;
use super::*;
use crate::clock::SECOND;
use crate::wire::Preamble;

/// The longest frame of the stack of these tests.
const LIMIT: usize = 1252;

/// A client and a server, and the time.
struct World {
    ends: [Router<Datagrams>; 2],
    ids: [ConnectionId; 2],
    now: u64,
    /// Padded pings, and the longest frame that is none.
    probes: usize,
    longest: usize,
}

impl World {
    /// Both ends know each other.
    fn new() -> World {
        let ((client, id), server) = (client(2), server(60, 50));
        let mut world = World { ends: [client, server], ids: [id, id], now: 1, probes: 0, longest: 0 };
        world.run(SECOND / 2, usize::MAX);
        world.ids[1] = world.ends[1].connections()[0];
        world
    }

    /// Carries all frames up to a length, and runs all timers, for a time; the client sends a message every second if the path
    /// carries any.
    fn run(&mut self, time: u64, path: usize) {
        let end = self.now + time;
        while self.now < end {
            self.ends.iter_mut().for_each(|end| drop(events(end)));
            let flying: Vec<Datagrams> = self.ends.iter_mut().map(|end| std::mem::take(end.outbox_mut())).collect();
            if flying.iter().all(Vec::is_empty) {
                let next = self.ends.iter().map(Router::next_deadline).min().unwrap_or(end);
                let second = self.now / SECOND;
                self.now = next.clamp(self.now + 1, end);
                self.ends.iter_mut().for_each(|end| end.set_time(self.now));
                if self.now / SECOND > second {
                    let _ = self.ends[0].send(self.ids[0], b"message");
                }
            }
            for (from, frames) in flying.into_iter().enumerate() {
                for (_, frame) in frames {
                    let is_probe = Preamble::read(&frame).unwrap().is_control() && frame.len() > 20;
                    self.probes += usize::from(is_probe);
                    self.longest = self.longest.max(if is_probe { 0 } else { frame.len() });
                    if frame.len() <= path {
                        self.ends[1 - from].datagram(address([HONEST, SERVER][from]), &frame);
                        drop(events(&mut self.ends[1 - from]));
                    }
                }
            }
        }
    }

    /// What is known at each end, and what the stacks have been told: bytes of data under their headers.
    fn known(&self) -> [(Option<usize>, u64); 2] {
        [0, 1].map(|end| {
            let statistics = self.ends[end].get(self.ids[end]).expect("it is there").statistics();
            let room = statistics.counters.iter().find(|(name, _)| name == "window.room").expect("counted").1;
            (statistics.path_mtu, room)
        })
    }
}

#[test]
fn both_ends_find_what_the_path_carries_and_their_stacks_are_told() {
    for path in [700, 1000, 1100, 1201, LIMIT, 2000] {
        let mut world = World::new();
        assert_eq!((world.probes, world.known()), (0, [(None, 0); 2]), "a young connection");
        world.run(60 * SECOND, path);
        for (known, room) in world.known() {
            let known = known.expect("it is known");
            assert!(known <= path.min(LIMIT) && known + 16 >= path.min(LIMIT), "{known} of {path}");
            assert_eq!(room, known as u64 - 52);
        }
        assert!(world.probes > 1 && world.longest < 200, "{} probes, {}", world.probes, world.longest);
    }
}

#[test]
fn path_that_drops_long_frames_later_is_noticed() {
    let mut world = World::new();
    world.run(10 * SECOND, 1500);
    assert_eq!(world.known(), [(Some(LIMIT), 1200); 2]);
    world.run(60 * SECOND, 1000);
    for (known, room) in world.known() {
        assert!((984..=1000).contains(&known.expect("it is known")), "{known:?}");
        assert_eq!(room, known.unwrap() as u64 - 52);
    }
}

#[test]
fn peer_that_has_not_proven_its_address_is_not_probed() {
    let (mut client, _) = client(2);
    let mut server = server(60, 50);
    drop(events(&mut client));
    for (_, frame) in std::mem::take(client.outbox_mut()) {
        server.datagram(address(HONEST), &frame);
        drop(events(&mut server));
    }
    for second in 1..20 {
        server.set_time(second * SECOND);
        drop(events(&mut server));
    }
    assert!(!server.outbox().is_empty() && server.outbox().iter().all(|(_, frame)| frame.len() < 200));
}

#[test]
fn forged_pong_says_nothing_of_the_path() {
    let mut world = World::new();
    world.run(2 * SECOND, 600);
    let cookie = world.ends[0].get(world.ids[0]).expect("it is there").key;
    let before = world.known();
    for token in 0..1000 {
        let pong = crate::wire::Control::Pong { cookie: cookie & 0xff_ffff, token }.write(16).expect("it fits");
        world.ends[0].datagram(address(SERVER), &pong);
    }
    assert_eq!(world.known(), before);
}
