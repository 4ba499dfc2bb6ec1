//! A server whose table is full: those that are connected are served, newcomers are told that it is busy, and are
//! served once others have left.

mod support;

use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use support::*;

/// Connections of the server.
const ROOM: usize = 12;
const NEWCOMERS: usize = 5;

struct Client {
    listener: Listener,
    id: ConnectionId,
    sent: u32,
    answered: u32,
    closed: Option<Reason>,
}

impl Client {
    fn new(ip: [u8; 4], to: SocketAddr) -> Client {
        let mut listener = Listener::bind((ip, 0).into(), Options { connections: 1, ..Options::default() }).unwrap();
        let id = listener.connect(to, &window()).unwrap();
        Client { listener, id, sent: 0, answered: 0, closed: None }
    }

    /// Keeps one message under way.
    fn turn(&mut self) {
        if self.sent == self.answered
            && self.closed.is_none()
            && self.listener.send(self.id, &self.sent.to_le_bytes()).is_ok()
        {
            self.sent += 1;
        }
        while let Some(event) = self.listener.poll() {
            match event {
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), self.answered.to_le_bytes(), "once and in order");
                    self.answered += 1;
                }
                Event::Closed { reason, .. } => assert_eq!(self.closed.replace(reason), None, "told twice"),
                _ => {}
            }
        }
    }
}

struct World {
    server: Listener,
    clients: Vec<Client>,
}

impl World {
    fn new(options: Options, ips: &[[u8; 4]]) -> World {
        let server = server(&window(), options);
        let clients = ips.iter().map(|ip| Client::new(*ip, server.local())).collect();
        let mut world = World { server, clients };
        world.all_are_served(0..ips.len());
        world
    }

    fn join(&mut self, ip: [u8; 4]) -> usize {
        self.clients.push(Client::new(ip, self.server.local()));
        self.clients.len() - 1
    }

    /// The server returns all messages.
    fn turn(&mut self) {
        while let Some(event) = self.server.poll() {
            if let Event::Delivered { connection, message, .. } = event {
                let bytes = message.to_vec();
                self.server.send(connection, &bytes).expect("one message is under way");
            }
        }
        self.clients.iter_mut().for_each(Client::turn);
    }

    fn until(&mut self, what: &str, mut done: impl FnMut(&[Client]) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !done(&self.clients) {
            let state: Vec<_> = self.clients.iter().map(|client| (client.answered, client.closed)).collect();
            assert!(Instant::now() < end, "{what}: {state:?} {:?}", self.server.statistics());
            self.turn();
        }
    }

    fn all_are_served(&mut self, which: std::ops::Range<usize>) {
        let wanted: Vec<u32> = self.clients.iter().map(|client| client.answered + 10).collect();
        self.until("answers", |clients| which.clone().all(|n| clients[n].answered >= wanted[n]));
        assert!(which.clone().all(|n| self.clients[n].closed.is_none()));
    }

    fn is_told_busy(&mut self, newcomer: usize) {
        self.until("a newcomer is told", |clients| clients[newcomer].closed.is_some());
        assert_eq!((self.clients[newcomer].closed, self.clients[newcomer].answered), (Some(Reason::Busy), 0));
    }

    fn leaves(&mut self, client: usize) {
        let Client { listener, id, .. } = &mut self.clients[client];
        listener.close(*id).unwrap();
        self.until("it has left", |clients| clients[client].closed.is_some());
        assert_eq!(self.clients[client].closed, Some(Reason::Closed));
    }
}

#[test]
fn full_table_serves_its_connections_and_tells_newcomers() {
    let mut world = World::new(Options { connections: ROOM, ..Options::default() }, &[[127, 0, 1, 1]; ROOM]);
    for n in 0..NEWCOMERS {
        let newcomer = world.join([127, 0, 2, n as u8 + 1]);
        world.is_told_busy(newcomer);
        world.all_are_served(0..ROOM);
    }
    let statistics = world.server.statistics();
    assert_eq!((statistics.connections, statistics.evicted), (ROOM, 0));
    assert!(statistics.limited >= NEWCOMERS as u64, "{statistics:?}");
    let error = world.server.connect(([127, 0, 3, 1], 7000).into(), &window()).expect_err("it is full");
    assert!(matches!(error, Error::Full("connections")), "{error}");

    for leaving in 0..NEWCOMERS {
        world.leaves(leaving);
        let newcomer = world.join([127, 0, 2, 1]);
        world.all_are_served(newcomer..newcomer + 1);
    }
    world.all_are_served(NEWCOMERS..ROOM);
    assert_eq!(world.server.statistics().connections, ROOM);
}

#[test]
fn full_address_is_told_so_and_others_are_served() {
    let options = Options { connections_per_address: ROOM, ..Options::default() };
    let mut world = World::new(options, &[[127, 0, 1, 1]; ROOM]);
    for _ in 0..NEWCOMERS {
        let newcomer = world.join([127, 0, 1, 1]);
        world.is_told_busy(newcomer);
        let other = world.join([127, 0, 2, 1]);
        world.all_are_served(other..other + 1);
        world.all_are_served(0..ROOM);
    }
    assert!(world.server.statistics().limited >= NEWCOMERS as u64);
    world.leaves(0);
    let newcomer = world.join([127, 0, 1, 1]);
    world.all_are_served(newcomer..newcomer + 1);
    world.all_are_served(1..ROOM);
}
