//! A connection that is lost is begun again after a pause, in simulated time: with servers that die, come back, refuse
//! or close, names that stop resolving, and calls of the application at any moment. What is said of the lost messages
//! is true, and none is sent twice.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Duration;

use nacre_runtime::faults::Faults;
use nacre_runtime::memory::Network;
use nacre_runtime::random::Random;
use nacre_runtime::reconnect::{Backoff, Happened, Lost, Reconnector, Target};
use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason, Stack};
use nacre_tests::c_programs::{loaded, run};

const SECOND: u64 = 1_000_000_000;

fn options(seed: u64) -> Options {
    let timeout = Duration::from_secs(3);
    Options { seed: Some(seed), timeout, ping_after: Duration::from_secs(1), ..Options::default() }
}

/// A client that begins again, and a server that may be absent.
struct World {
    network: Network,
    client: Listener,
    reconnector: Reconnector,
    connection: ConnectionId,
    server: Option<Listener>,
    stack: Stack,
    starts: u64,
    /// Messages that the servers' applications were given.
    taken: Vec<Vec<u8>>,
    told: Vec<Told>,
    at_server: Option<ConnectionId>,
}

/// What the client's application was told.
#[derive(Debug, PartialEq)]
enum Told {
    Reconnecting(Reason, Lost, u32),
    Reconnected,
    Ended(Reason, Lost),
}

impl World {
    fn new(stack: Stack, backoff: Backoff, faults: Faults) -> World {
        World::to(stack, backoff, faults, Target::Address)
    }

    fn to(
        stack: Stack,
        backoff: Backoff,
        faults: Faults,
        target: impl FnOnce(std::net::SocketAddr) -> Target,
    ) -> World {
        let network = Network::new(faults);
        let mut server = Listener::new(network.end(), options(1));
        server.serve(&stack).expect("it serves");
        let mut client = Listener::new(network.end(), options(2));
        let mut reconnector = Reconnector::with_random(Random::new(3));
        let to = target(server.local());
        let connection = reconnector.connect(&mut client, to, &stack, backoff).expect("it begins");
        let server = Some(server);
        let (taken, told) = (vec![], vec![]);
        World { network, client, reconnector, connection, server, stack, starts: 1, taken, told, at_server: None }
    }

    fn turn(&mut self) {
        while let Some(event) = self.server.as_mut().and_then(Listener::poll) {
            match event {
                Event::Arrived { connection, .. } => self.at_server = Some(connection),
                Event::Delivered { message, .. } => self.taken.push(message.to_vec()),
                _ => {}
            }
        }
        while let Some(happened) = self.reconnector.poll(&mut self.client) {
            match happened {
                Happened::Event(_) => {}
                Happened::Reconnecting { connection, reason, lost, attempt, .. } => {
                    assert_eq!(connection, self.connection);
                    self.told.push(Told::Reconnecting(reason, lost, attempt));
                }
                Happened::Reconnected { was, connection, .. } => {
                    assert_eq!(was, self.connection);
                    self.connection = connection;
                    self.told.push(Told::Reconnected);
                }
                Happened::Ended { connection, reason, lost, .. } => {
                    assert_eq!(connection, self.connection);
                    self.told.push(Told::Ended(reason, lost));
                }
            }
        }
        let next = self.client.next_deadline().min(self.reconnector.next_deadline());
        let next = next.min(self.server.as_ref().map_or(u64::MAX, Listener::next_deadline));
        let (next, now) = (next.min(self.network.next_arrival()), self.network.now());
        self.network.advance_to(next.clamp(now + 1, now + SECOND));
    }

    fn run_until(&mut self, done: impl Fn(&World) -> bool) {
        for _ in 0..200_000 {
            if done(self) {
                return;
            }
            self.turn();
        }
        panic!("not done at {} ns: {:?}", self.network.now(), self.told);
    }

    fn run_for(&mut self, seconds: u64) {
        let until = self.network.now() + seconds * SECOND;
        while self.network.now() < until {
            self.turn();
        }
    }

    /// Sends messages that no other call has sent.
    fn send(&mut self, count: usize) {
        for _ in 0..count {
            let number = self.starts << 32 | self.network.now();
            let mut sent = self.reconnector.send(&mut self.client, self.connection, &number.to_le_bytes());
            while matches!(sent, Err(Error::Refused)) {
                self.turn();
                sent = self.reconnector.send(&mut self.client, self.connection, &number.to_le_bytes());
            }
            sent.expect("it is connected");
            self.turn();
        }
    }

    fn kill(&mut self) -> std::net::SocketAddr {
        self.server.take().expect("it is there").local()
    }

    fn start(&mut self, at: std::net::SocketAddr) {
        self.starts += 1;
        let mut server = Listener::new(self.network.end_at(at), options(10 + self.starts));
        server.serve(&self.stack).expect("it serves");
        self.server = Some(server);
    }

    /// No message came twice.
    fn assert_once(&self) {
        let mut all = self.taken.clone();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), self.taken.len());
    }
}

fn reliable() -> Stack {
    loaded("reliable.nacre", "reliable")
}

fn quiet() -> Faults {
    Faults { delay: Duration::from_millis(2), ..Faults::default() }
}

#[test]
fn server_that_dies_and_comes_back_is_reached_again() {
    let mut world = World::new(reliable(), Backoff::default(), quiet());
    world.send(10);
    world.run_until(|world| world.taken.len() == 10);
    let at = world.kill();
    world.run_until(|world| world.told.len() >= 4);
    assert!(matches!(world.told[0], Told::Reconnecting(Reason::Timeout, Lost { accepted: 10, reached: None }, 1)));
    assert!(matches!(world.told[1], Told::Reconnecting(_, Lost { accepted: 0, .. }, 2)), "{:?}", world.told);
    let refused = world.reconnector.send(&mut world.client, world.connection, b"lost");
    assert!(matches!(refused, Err(Error::Closed(_))), "nothing is kept meanwhile");
    world.start(at);
    world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
    world.send(10);
    world.run_until(|world| world.taken.len() == 20);
    world.assert_once();
    assert_eq!(world.reconnector.account(world.connection), Some(Lost { accepted: 10, reached: None }));
}

#[test]
fn server_that_has_lost_its_state_is_reached_again() {
    let mut world = World::new(reliable(), Backoff::default(), quiet());
    world.send(5);
    world.run_until(|world| world.taken.len() == 5);
    let at = world.kill();
    world.start(at);
    world.send(1);
    world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
    let Told::Reconnecting(reason, lost, _) = &world.told[0] else { panic!("{:?}", world.told) };
    assert!(matches!(reason, Reason::Unknown | Reason::Restarted | Reason::Timeout), "{reason}");
    assert_eq!(lost.unknown(), 6);
    world.send(1);
    world.run_until(|world| world.taken.len() == 6);
    world.assert_once();
}

#[test]
fn what_was_reported_as_reached_was_taken_and_the_rest_is_unknown() {
    let mut reports = 0;
    for seed in 0..6 {
        let faults = Faults { loss: 0.1, duplicate: 0.1, reorder: 0.1, seed, ..quiet() };
        let mut world = World::new(loaded("receipts.nacre", "receipted"), Backoff::default(), faults);
        let mut accepted = 0;
        for life in 0..3 {
            let before = world.taken.len();
            let (messages, losses) =
                (30, world.told.iter().filter(|told| matches!(told, Told::Reconnecting(..))).count());
            world.send(messages);
            accepted += messages;
            let at = world.kill();
            world.run_until(|world| world.told.len() > losses + life);
            let taken = (world.taken.len() - before) as u64;
            let lost = world.told.iter().rev().find_map(|told| match told {
                Told::Reconnecting(_, lost, 1) => Some(*lost),
                _ => None,
            });
            let lost = lost.expect("it was lost");
            assert_eq!(lost.accepted, messages as u64);
            assert!(lost.reached.is_some_and(|reached| reached <= taken), "{lost:?} of {taken}");
            reports += lost.reached.unwrap_or(0);
            world.start(at);
            world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
        }
        assert!(world.taken.len() <= accepted);
        world.assert_once();
    }
    assert!(reports > 0);
}

#[test]
fn orderly_ends_and_refusals_are_final() {
    let mut world = World::new(reliable(), Backoff::default(), quiet());
    world.send(1);
    world.run_until(|world| world.at_server.is_some() && !world.taken.is_empty());
    let (server, at_server) = (world.server.as_mut().expect("it is there"), world.at_server.expect("it has arrived"));
    server.close(at_server).expect("it closes");
    world.run_until(|world| !world.told.is_empty());
    world.run_for(100);
    assert_eq!(world.told, [Told::Ended(Reason::Closed, Lost { accepted: 1, reached: None })]);
    for (code, is_final) in [(1, true), (7, false)] {
        let backoff = Backoff { again_on: vec![7], ..Backoff::default() };
        let mut world = World::new(reliable(), backoff, quiet());
        world.send(1);
        world.run_until(|world| world.at_server.is_some() && !world.taken.is_empty());
        let at_server = world.at_server.expect("it has arrived");
        world.server.as_mut().expect("it is there").refuse(at_server, code, "no").expect("it is there");
        world.run_until(|world| !world.told.is_empty());
        assert_eq!(matches!(world.told[0], Told::Ended(Reason::Refused, _)), is_final, "{:?}", world.told);
        if !is_final {
            world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
        }
    }
}

#[test]
fn tries_end() {
    let mut world = World::new(reliable(), Backoff { tries: Some(2), ..Backoff::default() }, quiet());
    world.send(1);
    world.kill();
    world.run_until(|world| matches!(world.told.last(), Some(Told::Ended(..))));
    let attempts: Vec<u32> = world
        .told
        .iter()
        .filter_map(|told| if let Told::Reconnecting(_, _, n) = told { Some(*n) } else { None })
        .collect();
    assert_eq!(attempts, [1, 2]);
    world.run_for(100);
    assert_eq!(world.told.len(), 3);
    assert!(world.client.connections().is_empty());
}

#[test]
fn close_and_discard_end_a_connection_that_is_lost() {
    // In the first pause, while an attempt goes on, and between attempts.
    for steps in 1..30 {
        for discards in [false, true] {
            let mut world = World::new(reliable(), Backoff::default(), quiet());
            world.send(3);
            world.run_until(|world| world.taken.len() == 3);
            let at = world.kill();
            world.run_until(|world| !world.told.is_empty());
            (0..steps).for_each(|_| world.turn());
            let before = world.told.len();
            assert!(world.reconnector.is_lost(world.connection).is_some());
            if discards {
                world.reconnector.discard(&mut world.client, world.connection);
            } else {
                world.reconnector.close(&mut world.client, world.connection).expect("it is there");
            }
            world.start(at);
            world.run_for(100);
            assert_eq!(world.told.len() - before, usize::from(!discards), "{:?}", world.told);
            assert!(discards || matches!(world.told.last(), Some(Told::Ended(..))));
            assert!(world.client.connections().is_empty());
            assert_eq!(world.reconnector.next_deadline(), u64::MAX);
        }
    }
}

#[test]
fn close_is_not_undone_by_a_loss() {
    let mut world = World::new(reliable(), Backoff::default(), quiet());
    world.send(1);
    world.run_until(|world| !world.taken.is_empty());
    world.kill();
    world.reconnector.close(&mut world.client, world.connection).expect("it is there");
    world.run_until(|world| !world.told.is_empty());
    world.run_for(100);
    assert_eq!(world.told.len(), 1);
    assert!(matches!(world.told[0], Told::Ended(Reason::Timeout, _)), "{:?}", world.told);
}

#[test]
fn connection_that_never_was_is_begun_again() {
    let mut world = World::new(reliable(), Backoff::default(), quiet());
    let at = world.kill();
    world.run_until(|world| world.told.len() == 2);
    world.start(at);
    world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
    world.send(3);
    world.run_until(|world| world.taken.len() == 3);
}

#[test]
fn name_is_looked_up_again_and_may_stop_resolving() {
    let resolves = Arc::new(AtomicBool::new(true));
    let asked = resolves.clone();
    let mut world = World::to(reliable(), Backoff::default(), quiet(), |at| {
        Target::Function(Box::new(move || match asked.load(Relaxed) {
            true => Ok(vec![at]),
            false => Err(io::Error::other("no such name")),
        }))
    });
    world.send(1);
    world.run_until(|world| !world.taken.is_empty());
    let at = world.kill();
    resolves.store(false, Relaxed);
    world.run_until(|world| world.told.len() == 5);
    assert!(matches!(world.told[4], Told::Reconnecting(Reason::Unreachable, _, 5)), "{:?}", world.told);
    resolves.store(true, Relaxed);
    world.start(at);
    world.run_until(|world| world.told.last() == Some(&Told::Reconnected));
}

#[test]
fn c_program_is_told_what_was_lost() {
    run("reconnect.c", ("receipts.nacre", "receipted"));
}
