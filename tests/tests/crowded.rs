//! One host fills its part of a server's message pool, with messages behind a gap on hundreds of confirmed connections.
//! Clients at other addresses exchange messages with the server as if it were not there. Clients that share an address
//! get everything. Of clients that are not confirmed, nothing is kept behind a gap, and few pieces of a long message.

use std::net::SocketAddr;
use std::time::Duration;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Options, Stack};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 7000);
/// Of the hostile host, and how many messages each holds behind a gap, at the most.
const CONNECTIONS: u16 = 558;
const BEHIND_GAP: usize = 63;
/// Honest clients, and the messages that each sends and gets back.
const CLIENTS: u8 = 20;
const MESSAGES: usize = 40;

/// A client with its connection, and what it got.
struct Client {
    core: SansIo,
    id: ConnectionId,
    at: SocketAddr,
    got: Vec<Vec<u8>>,
}

impl Client {
    fn new(stack: &Stack, at: SocketAddr, seed: u64) -> Client {
        let mut core = SansIo::new(Options { seed: Some(seed), ..Options::default() }, 1);
        let id = core.connect(SERVER.into(), stack).expect("a connection");
        Client { core, id, at, got: Vec::new() }
    }

    fn take(&mut self) -> Vec<Vec<u8>> {
        while let Some(event) = self.core.next_event() {
            match event {
                Event::Delivered { message, .. } => self.got.push(message.to_vec()),
                Event::Closed { reason, .. } => panic!("{}: {reason}", self.at),
                _ => {}
            }
        }
        self.core.take_datagrams().into_iter().map(|(_, frame)| frame).collect()
    }

    /// Carries frames between the client and the server until none is left.
    fn exchange(&mut self, server: &mut Server) {
        loop {
            let frames = self.take();
            frames.iter().for_each(|frame| server.receive(self.at, frame));
            let answers = server.take(self.at);
            if frames.is_empty() && answers.is_empty() {
                return;
            }
            answers.iter().for_each(|frame| self.core.receive(SERVER.into(), frame));
        }
    }
}

impl Client {
    /// Lets four seconds pass, in which frames are exchanged.
    fn go_on(&mut self, server: &mut Server) {
        for step in 1..400_u64 {
            let now = 1 + step * 10_000_000;
            server.0.set_time(now);
            self.core.set_time(now);
            self.exchange(server);
        }
    }
}

/// A server that returns each message, and how many of these were refused.
struct Server(SansIo, usize);

impl Server {
    fn receive(&mut self, from: SocketAddr, frame: &[u8]) {
        self.0.receive(from, frame);
        self.act();
    }

    fn act(&mut self) {
        let mut echoes = Vec::new();
        while let Some(event) = self.0.next_event() {
            if let Event::Delivered { connection, message, .. } = event {
                echoes.push((connection, message.to_vec()));
            }
            for (connection, echo) in std::mem::take(&mut echoes) {
                self.1 += usize::from(self.0.send(connection, &echo).is_err());
            }
        }
    }

    fn take(&mut self, to: SocketAddr) -> Vec<Vec<u8>> {
        self.act();
        let all = self.0.take_datagrams().into_iter();
        all.filter(|(receiver, _)| *receiver == to).map(|(_, frame)| frame).collect()
    }
}

/// At a level with quick entries, and at one without. Its window is open from the beginning.
fn reliable() -> [Stack; 2] {
    let machines = Machines::new(&find("reliable_plain"));
    [Level::Call, Level::Bypass].map(|level| machines.load(&machines.text(level)).expect("the C compiles"))
}

/// The hostile host: each connection is confirmed, and the first of its further messages is missing.
fn occupy(server: &mut Server, stack: &Stack) {
    for n in 0..CONNECTIONS {
        let mut hostile = Client::new(stack, ([10, 9, 9, 9], 1000 + n).into(), 100 + u64::from(n));
        for _ in 0..2 {
            hostile.core.send(hostile.id, b"?").expect("it is accepted");
            hostile.exchange(server);
        }
        // As many as the window takes: acknowledgements of the first may still wait.
        let sent = (0..=BEHIND_GAP).take_while(|_| hostile.core.send(hostile.id, b"!").is_ok()).count();
        assert!(sent > 60, "{sent}");
        hostile.take().iter().skip(1).for_each(|frame| server.receive(hostile.at, frame));
        server.take(hostile.at);
    }
}

#[test]
fn one_host_does_not_take_the_pool_of_others() {
    reliable().iter().for_each(host_has_its_share);
}

fn host_has_its_share(stack: &Stack) {
    let options = Options { seed: Some(1), timeout: Duration::from_secs(3600), ..Options::default() };
    let mut server = Server(SansIo::new(options, 1), 0);
    server.0.serve(stack).expect("it serves");
    occupy(&mut server, stack);
    let before = server.0.statistics();
    server.1 = 0;
    assert_eq!(before.connections, usize::from(CONNECTIONS));
    assert!(before.traffic.no_space > 0, "the pool has not enough for all");

    let address = |n: u8| SocketAddr::from(([10, 1, 1, n], 7000));
    let mut clients: Vec<Client> = (0..CLIENTS).map(|n| Client::new(stack, address(n), n.into())).collect();
    // The time stands still: what is lost is not sent again.
    for number in 0..MESSAGES {
        for client in &mut clients {
            client.core.send(client.id, &vec![number as u8; 1000]).expect("it is accepted");
        }
        clients.iter_mut().for_each(|client| client.exchange(&mut server));
    }
    let wanted: Vec<Vec<u8>> = (0..MESSAGES).map(|number| vec![number as u8; 1000]).collect();
    assert_eq!(server.1, 0, "echoes were refused");
    assert!(clients.iter().all(|client| client.got == wanted));
    let after = server.0.statistics();
    assert_eq!((after.traffic.no_space, after.connections), (before.traffic.no_space, before.connections + 20));
}

/// Behind a gap, whoever forges addresses has nothing kept. An honest client whose first message was lost loses nothing.
#[test]
fn nothing_is_kept_behind_a_gap_of_a_client_that_is_not_confirmed() {
    reliable().iter().for_each(nothing_is_kept);
}

fn nothing_is_kept(stack: &Stack) {
    let options = Options { seed: Some(1), ..Options::default() };
    let mut server = Server(SansIo::new(options, 1), 0);
    server.0.serve(stack).expect("it serves");
    let forged = Client::new(stack, ([10, 9, 9, 9], 1000).into(), 7);
    let honest = Client::new(stack, ([10, 1, 1, 1], 7000).into(), 8);
    let mut clients = [forged, honest];
    let frames = clients.each_mut().map(|client| {
        assert!((0..40).all(|n| client.core.send(client.id, &[n; 100]).is_ok()));
        client.take()
    });
    // First a greeting. What is lost is the first message.
    for (client, frames) in clients.iter().zip(&frames) {
        server.receive(client.at, &frames[0]);
    }
    for (client, frames) in clients.iter().zip(&frames) {
        frames.iter().skip(2).for_each(|frame| server.receive(client.at, frame));
    }
    for id in server.0.connections() {
        let counters = server.0.counters(id).expect("it lives");
        let unkept = stack.counters().iter().position(|name| name == "pt2pt.unkept").expect("it is counted");
        assert_eq!(counters[unkept], 39);
    }
    let [_, mut honest] = clients;
    honest.go_on(&mut server);
    assert_eq!(honest.got, (0..40).map(|n| vec![n; 100]).collect::<Vec<_>>(), "all come back");
}

/// The pool is scarce: of a long message whoever forges addresses has eight pieces kept. An honest client is asked to
/// confirm, and its message arrives.
#[test]
fn few_pieces_are_kept_of_a_client_that_is_not_confirmed() {
    reliable().iter().for_each(few_pieces_are_kept);
}

fn few_pieces_are_kept(stack: &Stack) {
    let options = Options { seed: Some(1), pool_blocks: Some(500), ..Options::default() };
    let mut server = Server(SansIo::new(options, 1), 0);
    server.0.serve(stack).expect("it serves");
    let forged = Client::new(stack, ([10, 9, 9, 9], 1000).into(), 7);
    let honest = Client::new(stack, ([10, 1, 1, 1], 7000).into(), 8);
    let mut clients = [forged, honest];
    let long = vec![5; LONG];
    let frames = clients.each_mut().map(|client| {
        client.core.send(client.id, &long).expect("it is accepted");
        client.take()
    });
    // First a greeting.
    for (client, frames) in clients.iter().zip(&frames) {
        server.receive(client.at, &frames[0]);
    }
    for (client, frames) in clients.iter().zip(&frames) {
        assert_eq!(frames.len(), 1 + 64);
        frames.iter().skip(1).for_each(|frame| server.receive(client.at, frame));
    }
    let statistics = server.0.statistics();
    assert_eq!(statistics.traffic.no_space, 2 * (64 - 8));
    assert_eq!(statistics.controls_out, 2, "each is asked");
    let [_, mut honest] = clients;
    honest.go_on(&mut server);
    assert_eq!(honest.got, [long], "it comes back");
}

/// Clients behind one address that a server sends much to, and what each gets.
const AUDIENCE: u16 = 200;
const LONG_MESSAGES: usize = 2;
const LONG: usize = 89_000;

#[test]
fn clients_behind_one_address_get_all_that_a_server_sends_them() {
    reliable().iter().for_each(audience_gets_all);
}

fn audience_gets_all(stack: &Stack) {
    // A message of this length takes 64 blocks.
    let options = Options { seed: Some(1), pool_blocks: Some(6_000), ..Options::default() };
    let mut server = Server(SansIo::new(options, 1), 0);
    server.0.serve(stack).expect("it serves");
    let address = |n: u16| SocketAddr::from(([10, 9, 9, 9], 1000 + n));
    let mut clients: Vec<Client> = (0..AUDIENCE).map(|n| Client::new(stack, address(n), n.into())).collect();
    for client in &mut clients {
        for _ in 0..2 {
            client.core.send(client.id, b"?").expect("it is accepted");
            client.exchange(&mut server);
        }
        client.got.clear();
    }
    // As much as the pool takes is sent before anybody acknowledges.
    let ids = server.0.connections();
    let mut left: Vec<(ConnectionId, usize)> = ids.into_iter().map(|id| (id, LONG_MESSAGES)).collect();
    let mut refused = 0;
    for round in 1.. {
        for (id, left) in &mut left {
            while *left > 0 && server.0.send(*id, &vec![*left as u8; LONG]).is_ok() {
                *left -= 1;
            }
        }
        refused += left.iter().filter(|(_, left)| *left > 0).count();
        clients.iter_mut().for_each(|client| client.core.set_time(1 + round * 10_000_000));
        for (to, frame) in server.0.take_datagrams() {
            clients[usize::from(to.port() - 1000)].core.receive(SERVER.into(), &frame);
        }
        server.0.set_time(1 + round * 10_000_000);
        clients.iter_mut().for_each(|client| client.exchange(&mut server));
        if clients.iter().all(|client| client.got.len() == LONG_MESSAGES) {
            break;
        }
        assert!(
            round < 300,
            "{} clients wait",
            clients.iter().filter(|client| client.got.len() < LONG_MESSAGES).count()
        );
    }
    assert!(refused > usize::from(AUDIENCE), "the pool has not enough for all at once");
}
