//! A peer whose address may be forged is sent at most three times what came from there; an honest one loses nothing.

use super::tests::events;
use super::*;
use crate::clock::{MILLISECOND, SECOND};
use crate::statistics::Traffic;
use crate::support::window;
use crate::wire::Control;

type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

/// Messages of the server that speaks first, 1,200 bytes each: 100 kB.
const MESSAGES: u32 = 84;

/// What the application of the server does.
#[derive(Clone, Copy, PartialEq)]
enum Application {
    Echo,
    SpeaksFirst,
}

fn address(end: u8) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, end], 7000))
}

const CLIENT: u8 = 1;

/// A server with its application.
struct Server {
    router: Router<Datagrams>,
    application: Application,
    said: u32,
    echoes: Vec<Vec<u8>>,
}

impl Server {
    fn new(application: Application) -> Server {
        let mut router = Router::new(Vec::new(), Options { seed: Some(1), ..Options::default() }, 1);
        router.serve(&window(), None).unwrap();
        Server { router, application, said: 0, echoes: Vec::new() }
    }

    /// Lets the application act on all events.
    fn act(&mut self) {
        loop {
            let words = events(&mut self.router);
            if words.is_empty() {
                return;
            }
            let Some(id) = self.router.connections().first().copied() else { return };
            let delivered = words.iter().filter_map(|word| word.strip_prefix("delivered "));
            self.echoes.extend(delivered.map(|text| text.as_bytes().to_vec()));
            match self.application {
                Application::SpeaksFirst => {
                    while self.said < MESSAGES && self.say(id, &message(self.said)) {
                        self.said += 1;
                    }
                }
                Application::Echo => {
                    while self.echoes.first().cloned().is_some_and(|echo| self.say(id, &echo)) {
                        self.echoes.remove(0);
                    }
                }
            }
        }
    }

    fn say(&mut self, id: ConnectionId, message: &[u8]) -> bool {
        let accepts = self.router.accepts(id, message.len());
        let sent = self.router.send(id, message).is_ok();
        assert_eq!(accepts, sent, "`accepts` and `send` agree");
        sent
    }

    fn receive(&mut self, now: u64, frame: &[u8]) {
        self.router.set_time(now);
        self.router.datagram(address(CLIENT), frame);
        self.act();
    }

    /// Runs all timers until a time; the bytes that were sent.
    fn bytes_sent(&mut self, until: u64) -> usize {
        let mut sent = 0;
        loop {
            self.act();
            sent += std::mem::take(self.router.outbox_mut()).iter().map(|(_, frame)| frame.len()).sum::<usize>();
            let next = self.router.next_deadline();
            if next > until {
                return sent;
            }
            self.router.set_time(next);
        }
    }
}

/// Every word of it states its number.
fn message(number: u32) -> Vec<u8> {
    format!("{number:04}").repeat(300).into_bytes()
}

/// A first frame of 60 bytes.
fn first_frame() -> Vec<u8> {
    let mut client = Router::<Datagrams>::new(Vec::new(), Options { seed: Some(9), ..Options::default() }, 1);
    let id = client.connect(address(0), &window(), |_| {}).unwrap();
    client.send(id, b"hello, h").unwrap();
    let (_, frame) = client.outbox_mut().pop().unwrap();
    assert_eq!(frame.len(), 60);
    frame
}

#[test]
fn forged_first_frame_yields_at_most_three_times_its_bytes() {
    for application in [Application::Echo, Application::SpeaksFirst] {
        let mut server = Server::new(application);
        server.receive(1, &first_frame());
        let sent = server.bytes_sent(100 * SECOND);
        assert!(sent > 60 && sent <= 180, "{sent} bytes");
        let statistics = server.router.statistics();
        assert_eq!(statistics.connections, 0, "nobody confirmed it");
        let Traffic { withheld, refused, .. } = statistics.traffic;
        assert!(withheld + refused > 0);
        assert_eq!(server.said, 0);
    }
}

#[test]
fn each_frame_raises_what_may_be_sent() {
    for application in [Application::Echo, Application::SpeaksFirst] {
        let mut server = Server::new(application);
        let (frame, mut sent) = (first_frame(), 0);
        for n in 1..=20u64 {
            server.receive(n * SECOND, &frame);
            sent += server.bytes_sent(n * SECOND + SECOND / 2);
            assert!(sent <= n as usize * 180, "{sent} bytes after {n} frames");
        }
        assert!(sent > 10 * 180, "{sent} bytes");
    }
}

#[test]
fn forged_control_frames_raise_nothing() {
    let mut server = Server::new(Application::SpeaksFirst);
    server.receive(1, &first_frame());
    let label = server.router.connections.at(address(CLIENT)).unwrap().label;
    let mut sent = 0;
    for n in 0..900 {
        server.receive(1 + n * MILLISECOND, &Control::Unknown { unknown: label }.write(12).unwrap());
        server.receive(1 + n * MILLISECOND, &Control::Pong { cookie: 5, token: n }.write(16).unwrap());
        sent += server.bytes_sent(1 + n * MILLISECOND);
    }
    assert!(sent <= 180, "{sent} bytes");
    assert_eq!(server.router.connections().len(), 1);
}

/// Runs a client that says hello to a server, over a network on which a frame takes `trip` milliseconds: what the
/// client gets, and in which millisecond it has the last message.
fn visited(application: Application, trip: u64, mut lost: impl FnMut() -> bool) -> (Vec<String>, u64) {
    let mut server = Server::new(application);
    let mut client = Router::<Datagrams>::new(Vec::new(), Options { seed: Some(2), ..Options::default() }, 1);
    let id = client.connect(address(0), &window(), |_| {}).unwrap();
    client.send(id, b"hello, hello").unwrap();
    let (mut flying, mut delivered, mut last): (Vec<(u64, bool, Vec<u8>)>, _, _) = (vec![], vec![], 0);
    for now in (0..20_000).map(|n| 1 + n * MILLISECOND) {
        client.set_time(now);
        server.router.set_time(now);
        let (arrived, others): (Vec<_>, Vec<_>) = flying.into_iter().partition(|(at, _, _)| *at <= now);
        flying = others;
        for (_, to_server, frame) in arrived {
            match to_server {
                true => server.receive(now, &frame),
                false => client.datagram(address(0), &frame),
            }
            for word in events(&mut client) {
                delivered.extend(word.strip_prefix("delivered ").map(String::from));
                last = now;
            }
        }
        server.act();
        events(&mut client);
        for (to_server, end) in [(true, &mut client), (false, &mut server.router)] {
            let frames = std::mem::take(end.outbox_mut()).into_iter().filter(|_| !lost());
            flying.extend(frames.map(|(_, frame)| (now + trip * MILLISECOND, to_server, frame)));
        }
    }
    assert!(client.get(id).is_ok() && server.router.connections().len() == 1);
    (delivered, last / MILLISECOND)
}

#[test]
fn honest_client_of_a_server_that_speaks_first_gets_everything() {
    let wanted: Vec<String> = (0..MESSAGES).map(|n| String::from_utf8(message(n)).unwrap()).collect();
    for trip in [10, 100] {
        let (got, last) = visited(Application::SpeaksFirst, trip, || false);
        assert!(got == wanted, "{} messages", got.len());
        // A trip of the hello, a round trip until it is confirmed, eleven windows of eight messages.
        assert!(last <= trip + 2 * trip + 11 * 2 * trip, "after {last} ms");
    }
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let (got, _) = visited(Application::SpeaksFirst, 10, || random.chance(0.3));
        assert!(got == wanted, "seed {seed}: {} messages", got.len());
    }
}

#[test]
fn honest_client_of_an_echo_server_is_answered_at_once() {
    let (got, last) = visited(Application::Echo, 10, || false);
    assert_eq!(got, ["hello, hello"]);
    assert!(last <= 21, "after {last} ms");
}
