//! With stacks of the library: a server sends at most three times what came from an address that may be forged, and an
//! honest client of a server that speaks first gets everything.

use std::net::SocketAddr;

use nacre_driver::Level;
use nacre_runtime::sans_io::SansIo;
use nacre_runtime::{ConnectionId, Event, Options, Stack};
use nacre_tests::library::find;
use nacre_tests::machines::Machines;

const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 7000);
const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 2], 7000);
const MILLISECOND: u64 = 1_000_000;
/// What the server says to everybody, in messages of 1,000 bytes.
const MESSAGES: usize = 100;

/// A server that says all it has to say to a peer that has come.
struct Server {
    core: SansIo,
    peer: Option<ConnectionId>,
    said: usize,
}

impl Server {
    fn new(stack: &Stack) -> Server {
        let mut core = SansIo::new(Options { seed: Some(1), ..Options::default() }, 1);
        core.serve(stack).expect("it serves");
        Server { core, peer: None, said: 0 }
    }

    fn act(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        loop {
            let mut is_called = false;
            while let Some(event) = self.core.next_event() {
                match event {
                    Event::Arrived { connection, .. } => (self.peer, is_called) = (Some(connection), true),
                    Event::Writable { .. } => is_called = true,
                    Event::Closed { .. } => self.peer = None,
                    _ => {}
                }
            }
            let Some(peer) = self.peer.filter(|_| is_called) else {
                return self.core.take_datagrams();
            };
            while self.said < MESSAGES && self.core.send(peer, &[self.said as u8; 1000]).is_ok() {
                self.said += 1;
            }
        }
    }
}

fn client(stack: &Stack) -> (SansIo, ConnectionId) {
    let mut client = SansIo::new(Options { seed: Some(2), ..Options::default() }, 1);
    let id = client.connect(SERVER.into(), stack).expect("a connection");
    client.send(id, b"hello").expect("it is accepted");
    (client, id)
}

/// The bytes of each frame that nobody answers for, a greeting and one with a message, and of all that the server sends.
fn forged(stack: &Stack) -> Vec<(usize, usize)> {
    let (mut client, _) = client(stack);
    while client.next_event().is_some() {}
    let frames = client.take_datagrams();
    assert!(frames.len() == 2 && frames[0].1.len() < frames[1].1.len(), "a greeting, and a message");
    frames.iter().map(|(_, frame)| (frame.len(), sent_for(stack, frame))).collect()
}

/// The bytes that a server sends for a first frame.
fn sent_for(stack: &Stack, frame: &[u8]) -> usize {
    let mut server = Server::new(stack);
    server.core.receive(CLIENT.into(), frame);
    let mut sent = 0;
    for now in (0..100_000).map(|n| 1 + n * MILLISECOND) {
        server.core.set_time(now);
        sent += server.act().iter().map(|(_, frame)| frame.len()).sum::<usize>();
    }
    assert_eq!(server.core.connections().len(), 0);
    sent
}

/// When an honest client has everything, in milliseconds, if a frame takes as many as stated.
fn honest(stack: &Stack, trip: u64) -> u64 {
    let (mut client, _) = client(stack);
    let mut server = Server::new(stack);
    let (mut flying, mut got): (Vec<(u64, bool, Vec<u8>)>, usize) = (Vec::new(), 0);
    for now in 0..60_000 {
        client.set_time(1 + now * MILLISECOND);
        server.core.set_time(1 + now * MILLISECOND);
        let (arrived, others): (Vec<_>, Vec<_>) = flying.into_iter().partition(|(at, _, _)| *at <= now);
        flying = others;
        for (_, to_server, frame) in arrived {
            match to_server {
                true => server.core.receive(CLIENT.into(), &frame),
                false => client.receive(SERVER.into(), &frame),
            }
        }
        while let Some(event) = client.next_event() {
            match event {
                Event::Delivered { message, .. } => {
                    assert_eq!(message.to_vec(), [got as u8; 1000]);
                    got += 1;
                }
                Event::Closed { reason, .. } => panic!("{reason}"),
                _ => {}
            }
        }
        if got == MESSAGES {
            return now;
        }
        flying.extend(server.act().into_iter().map(|(_, frame)| (now + trip, false, frame)));
        flying.extend(client.take_datagrams().into_iter().map(|(_, frame)| (now + trip, true, frame)));
    }
    panic!("the client has {got} messages");
}

#[test]
fn address_that_may_be_forged_gets_little_and_an_honest_client_everything() {
    for name in ["reliable", "reliable_plain"] {
        let machines = Machines::new(&find(name));
        let stack = machines.load(&machines.text(Level::Call)).expect("the C compiles");
        let forged = forged(&stack);
        for (came, sent) in &forged {
            assert!(*sent > 0 && *sent <= 3 * came, "{name}: {sent} bytes for {came}");
        }
        for trip in [1, 20, 100] {
            let time = honest(&stack, trip);
            println!("{name}: (bytes that came, bytes sent) {forged:?}; {time} ms with a trip of {trip} ms");
            // The window of `reliable` begins with ten messages, and doubles.
            let trips = if name == "reliable" { 20 } else { 8 };
            assert!(time <= trips * trip + 60, "{name}: {time} ms with a trip of {trip} ms");
        }
    }
}
