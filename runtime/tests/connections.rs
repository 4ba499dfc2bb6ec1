//! How connections begin, are replaced, removed and refused; frames that no correct peer sends.

mod support;

use nacre_runtime::faults::Faults;
use nacre_runtime::memory::Network;
use nacre_runtime::wire::Control;
use nacre_runtime::{Event, Listener, Options, ANSWERS_PER_SECOND_AND_ADDRESS};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use support::*;

const SHORT: Duration = Duration::from_millis(150);

/// A socket without a stack, to send frames that no stack sends.
fn raw() -> UdpSocket {
    let socket = UdpSocket::bind(loopback()).unwrap();
    socket.set_read_timeout(Some(SHORT)).unwrap();
    socket
}

/// A first frame of a new connection with a message, caught on its way to `raw`. The greeting comes before.
fn first_frame(raw: &UdpSocket) -> Vec<u8> {
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(raw.local_addr().unwrap(), &window()).unwrap();
    client.send(id, b"first").unwrap();
    receive(raw).unwrap();
    receive(raw).unwrap()
}

fn receive(raw: &UdpSocket) -> Option<Vec<u8>> {
    let mut buffer = [0; 2048];
    let len = raw.recv(&mut buffer).ok()?;
    Some(buffer[..len].to_vec())
}

/// All events of a listener within a short time, including all that are pending, also on a busy machine.
fn settle(listener: &mut Listener) -> Vec<String> {
    let mut words = Vec::new();
    let end = Instant::now() + Duration::from_millis(60);
    loop {
        let is_last = Instant::now() >= end;
        while let Some(event) = listener.poll() {
            words.push(word(event));
        }
        if is_last {
            return words;
        }
    }
}

#[test]
fn first_frame_with_any_flipped_bit_leaves_no_trace() {
    let mut server = server(&window(), Options::default());
    let raw = raw();
    let frame = first_frame(&raw);
    let begun = Instant::now();
    for bit in 0..52 * 8 {
        let mut bad = frame.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        raw.send_to(&bad, server.local()).unwrap();
        while server.statistics().malformed
            + server.statistics().not_accepted
            + server.statistics().other_stack
            + server.statistics().unknown_cookies
            <= bit as u64
        {
            if let Some(event) = server.poll() {
                assert!(matches!(event, Event::OtherStack(_)));
            }
        }
    }
    let statistics = server.statistics();
    assert_eq!((statistics.connections, statistics.arrived, statistics.late), (0, 0, 0), "{statistics:?}");
    let ration = ANSWERS_PER_SECOND_AND_ADDRESS * (begun.elapsed().as_secs() + 2);
    assert!(statistics.controls_out <= ration, "at most {ration}: {statistics:?}");
    raw.send_to(&frame, server.local()).unwrap();
    assert_eq!(settle(&mut server)[..2], ["arrived", "delivered first"]);
}

#[test]
fn every_cut_frame_is_dropped() {
    let mut server = server(&window(), Options::default());
    let raw = raw();
    let frame = first_frame(&raw);
    for len in 0..52 {
        raw.send_to(&frame[..len], server.local()).unwrap();
    }
    assert!(settle(&mut server).is_empty(), "a frame of a stack that is served is no other stack's");
    let statistics = server.statistics();
    assert_eq!((statistics.malformed, statistics.not_accepted, statistics.controls_out), (44, 8, 0), "{statistics:?}");
    assert_eq!(statistics.connections, 0);
}

#[test]
fn repeated_first_frame_finds_its_connection_and_a_late_one_is_dropped() {
    let mut server = server(&window(), Options::default());
    let raw = raw();
    let frame = first_frame(&raw);
    for _ in 0..3 {
        raw.send_to(&frame, server.local()).unwrap();
    }
    assert_eq!(settle(&mut server), ["arrived", "delivered first"]);
    assert_eq!(server.statistics().arrived, 1);
    let id = server.connections()[0];
    server.discard(id);
    raw.send_to(&frame, server.local()).unwrap();
    assert!(settle(&mut server).is_empty());
    let statistics = server.statistics();
    assert_eq!((statistics.late, statistics.connections), (1, 0));
}

#[test]
fn restarted_peer_replaces_its_connection_once_it_is_confirmed() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let address = client.local();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"one").unwrap();
    run_until(&mut [&mut client, &mut server], |words| words.iter().all(|words| words.contains(&"opened".into())));
    client.send(id, b"two").unwrap();
    run_until(&mut [&mut server], |words| words[0].contains(&"delivered two".into()));
    drop(client);

    // A forged frame claims that the peer restarted; its sender receives no answers, so it has no effect.
    let forged = first_frame(&raw());
    let raw = UdpSocket::bind(address).unwrap();
    raw.send_to(&forged, server.local()).unwrap();
    let words = settle(&mut server);
    assert_eq!(words[..2], ["arrived", "delivered first"]);
    assert!(!words.iter().any(|word| word.starts_with("closed")), "{words:?}");
    assert_eq!(server.statistics().connections, 2);
    drop(raw);

    let mut client = Listener::bind(address, Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"anew").unwrap();
    let closed = |words: &[Vec<String>]| words[1].iter().filter(|word| *word == "closed Restarted").count() == 2;
    run_until(&mut [&mut client, &mut server], closed);
    assert_eq!(server.statistics().connections, 1);
    assert_eq!(server.statistics().restarted, 2);
}

#[test]
fn restarted_server_does_not_know_its_clients_and_they_learn_it() {
    let mut first = server(&window(), Options::default());
    let address = first.local();
    let options = Options { ping_after: Duration::from_millis(300), ..Options::default() };
    let mut client = Listener::bind(loopback(), options).unwrap();
    let id = client.connect(address, &window()).unwrap();
    client.send(id, b"one").unwrap();
    run_until(&mut [&mut client, &mut first], |words| words[0].contains(&"opened".into()));
    drop(first);
    let mut second = Listener::bind(address, Options::default()).unwrap();
    second.serve(&window()).unwrap();
    client.send(id, b"two").unwrap();
    let words = run_until(&mut [&mut client, &mut second], |words| words[0].contains(&"closed Unknown".into()));
    assert!(words[1].is_empty(), "{words:?}");
    assert_eq!(second.statistics().arrived, 0);
    assert!(second.statistics().unknown_cookies > 1);
}

#[test]
fn refusal_and_unknown_from_strangers_change_nothing() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"one").unwrap();
    let stranger = raw();
    let to = client.label(id).unwrap();
    let cookie = to.cookie;
    let lies = [
        Control::Refused { to, fingerprint: window().fingerprint(), serves: 1, served: vec![5] },
        Control::Unknown { unknown: to },
        Control::Pong { cookie, token: 0 },
    ];
    for lie in lies {
        stranger.send_to(&lie.write(100).unwrap(), client.local()).unwrap();
    }
    assert!(settle(&mut client).is_empty());
    assert_eq!(client.statistics().controls_ignored, 3);
    let words = run_until(&mut [&mut client, &mut server], |words| words[0].contains(&"opened".into()));
    assert!(!words[0].iter().any(|word| word.starts_with("closed")));
}

#[test]
fn address_with_a_part_of_its_places_is_asked_for_proofs() {
    let options = Options { unconfirmed_per_address: 5, ..Options::default() };
    let mut server = server(&window(), options);
    for _ in 0..8 {
        let raw = raw();
        raw.send_to(&first_frame(&raw), server.local()).unwrap();
    }
    let words = settle(&mut server);
    let statistics = server.statistics();
    assert_eq!((statistics.connections, statistics.evicted, statistics.limited), (2, 0, 0));
    assert_eq!(statistics.retried, 6);
    assert!(!words.iter().any(|word| word.starts_with("closed")), "{words:?}");
}

fn many(connections: usize) -> Options {
    Options {
        connections,
        connections_per_address: connections,
        unconfirmed: connections,
        unconfirmed_per_address: connections,
        ..Options::default()
    }
}

/// Many connections from one socket, each with its own identity: two messages each. `time_passes` is called in each
/// iteration.
fn crowd(connections: usize, client: &mut Listener, server: &mut Listener, mut time_passes: impl FnMut()) {
    server.serve(&window()).unwrap();
    let to = server.local();
    let (mut opened, mut delivered, mut arrived) = (0, 0, 0);
    let mut begun = Vec::new();
    while delivered < 2 * connections {
        time_passes();
        // A few at a time: the buffer of the socket is bounded.
        if begun.len() < connections && begun.len() < opened + 200 {
            let own = begun.len() as u64 + 1;
            let id = client.connect_with(to, &window(), |config| assert!(config.set("floor.identity", own))).unwrap();
            client.send(id, &own.to_le_bytes()).unwrap();
            begun.push(id);
        }
        let mut confirmed = Vec::new();
        while let Some(event) = client.poll() {
            if let Event::Opened { connection, .. } = event {
                confirmed.push(connection);
            }
        }
        for id in confirmed {
            opened += 1;
            client.send(id, b"second").unwrap();
        }
        while let Some(event) = server.poll() {
            match event {
                Event::Arrived { .. } => arrived += 1,
                Event::Delivered { .. } => delivered += 1,
                Event::Closed { reason, .. } => panic!("closed: {reason}"),
                _ => {}
            }
        }
    }
    assert_eq!((arrived, server.statistics().connections), (connections, connections));
    let cookies: std::collections::HashSet<u32> =
        server.connections().iter().map(|id| server.label(*id).unwrap().cookie).collect();
    assert_eq!(cookies.len(), connections);
}

#[test]
fn thousand_connections_at_one_socket() {
    let [mut client, mut server] = [0; 2].map(|_| Listener::bind(loopback(), many(1_000)).unwrap());
    let end = Instant::now() + Duration::from_secs(100);
    crowd(1_000, &mut client, &mut server, || assert!(Instant::now() < end, "not done in time"));
}

/// In simulated time, so that peers do not time out on a busy machine.
#[test]
fn ten_thousand_connections_at_one_listener() {
    let network = Network::new(Faults::default());
    let [mut client, mut server] = [0; 2].map(|_| Listener::new(network.end(), many(10_000)));
    let mut turns = 0;
    crowd(10_000, &mut client, &mut server, || {
        turns += 1;
        assert!(turns < 1_000_000, "no progress");
        network.advance_to(network.now() + 100_000);
    });
}

#[test]
fn both_sides_may_begin_at_once() {
    let mut left = server(&window(), Options::default());
    let mut right = server(&window(), Options::default());
    let from_left = left.connect(right.local(), &window()).unwrap();
    let from_right = right.connect(left.local(), &window()).unwrap();
    left.send(from_left, b"from the left").unwrap();
    right.send(from_right, b"from the right").unwrap();
    let words = run_until(&mut [&mut left, &mut right], |words| words.iter().all(|words| words.len() >= 2));
    assert!(words[0].contains(&"delivered from the right".into()), "{words:?}");
    assert!(words[1].contains(&"delivered from the left".into()), "{words:?}");
    assert_eq!((left.statistics().connections, right.statistics().connections), (1, 1));
}

#[test]
fn second_connection_with_the_same_peer_needs_an_identity() {
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let to: SocketAddr = raw().local_addr().unwrap();
    client.connect(to, &window()).unwrap();
    let error = client.connect(to, &window()).unwrap_err();
    assert!(error.to_string().contains("identity"), "{error}");
}
