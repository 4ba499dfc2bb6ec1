//! Connections over UDP on the loopback.

mod support;

use nacre_runtime::faults::{Direction, Faults, Faulty};
use nacre_runtime::transport::Transport;
use nacre_runtime::udp::Udp;
use nacre_runtime::{Endpoint, Error, Event, Listener, Options, Reason};
use std::io::{self, IoSlice};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use support::*;

/// Echoes what arrives until the connection has ended.
fn echo(mut server: Listener, connections: usize) -> std::thread::JoinHandle<usize> {
    std::thread::spawn(move || {
        let (mut closed, mut echoed) = (0, 0);
        while closed < connections {
            let copy = match server.wait(LONG).unwrap().expect("something happens") {
                Event::Delivered { connection, message, .. } => Some((connection, message.to_vec())),
                Event::Closed { reason, .. } => {
                    assert_eq!(reason, Reason::Closed);
                    closed += 1;
                    None
                }
                _ => None,
            };
            if let Some((connection, bytes)) = copy {
                server.send_blocking(connection, &bytes, LONG).unwrap();
                echoed += 1;
            }
        }
        for id in server.connections() {
            server.linger(id).unwrap();
        }
        echoed
    })
}

#[test]
fn messages_go_there_and_back() {
    let server = server(&window(), Options::default());
    let to = server.local();
    let thread = echo(server, 1);
    let mut client = Endpoint::connect(to, &window()).unwrap();
    for n in 0..1000 {
        let message = format!("message {n}");
        client.send(message.as_bytes(), LONG).unwrap();
        assert_eq!(client.receive(LONG).unwrap(), message.as_bytes());
    }
    let statistics = client.statistics().unwrap();
    assert!(statistics.confirmed);
    assert!(statistics.traffic.frames_in >= 1000);
    client.close(LONG).unwrap();
    assert_eq!(thread.join().unwrap(), 1000);
}

#[test]
fn ipv6_and_empty_messages() {
    let mut server = Listener::bind("[::1]:0".parse().unwrap(), Options::default()).unwrap();
    server.serve(&window()).unwrap();
    let to = server.local();
    let thread = echo(server, 1);
    let mut client = Endpoint::connect(to, &window()).unwrap();
    for message in [&b""[..], b"x", &[7; 1200]] {
        client.send(message, LONG).unwrap();
        assert_eq!(client.receive(LONG).unwrap(), message);
    }
    client.close(LONG).unwrap();
    thread.join().unwrap();
}

#[test]
fn dual_stack_socket_serves_ipv4() {
    let mut server = Listener::bind("[::]:0".parse().unwrap(), Options::default()).unwrap();
    server.serve(&window()).unwrap();
    let to = SocketAddr::from(([127, 0, 0, 1], server.local().port()));
    let thread = echo(server, 1);
    let mut client = Endpoint::connect(to, &window()).unwrap();
    client.send(b"four", LONG).unwrap();
    assert_eq!(client.receive(LONG).unwrap(), b"four");
    client.close(LONG).unwrap();
    thread.join().unwrap();
}

#[test]
fn faults_of_every_kind_lose_nothing_of_a_reliable_stack() {
    let faults = Faults {
        loss: 0.2,
        duplicate: 0.1,
        reorder: 0.1,
        jitter: Duration::from_millis(1),
        seed: 42,
        ..Faults::default()
    };
    let transport = Faulty::new(Udp::bind(loopback()).unwrap(), faults, Direction::Both);
    let handle = transport.handle();
    let client = Listener::new(transport, Options::default());
    let server = server(&window(), Options::default());
    let to = server.local();
    let thread = echo(server, 1);
    let mut client = Endpoint::over(client, to, &window()).unwrap();
    let mut sent = 0u32;
    for n in 0..200u32 {
        while sent < 200 && sent < n + 4 {
            client.send(&sent.to_le_bytes(), LONG).unwrap();
            sent += 1;
        }
        assert_eq!(client.receive(LONG).unwrap(), n.to_le_bytes());
    }
    assert!(client.statistics().unwrap().retransmitted.unwrap() > 0);
    client.close(LONG).unwrap();
    assert_eq!(thread.join().unwrap(), 200);
    let (out, back) = handle.counts();
    assert!(out.lost > 0 && back.lost > 0 && out.duplicated > 0, "{out:?} {back:?}");
}

#[test]
fn full_window_refuses_and_nothing_is_lost() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    let mut accepted = 0u32;
    while client.send(id, &accepted.to_le_bytes()).is_ok() {
        accepted += 1;
    }
    assert_eq!(accepted, 8, "the window");
    assert!(matches!(client.send(id, b"more"), Err(Error::Refused)));
    assert!(!client.accepts(id, 4));
    assert!(matches!(client.send_blocking(id, b"more", Some(Duration::from_millis(20))), Err(Error::TimedOut)));
    let words = run_until(&mut [&mut client, &mut server], |words| words[0].iter().any(|word| word == "writable"));
    let delivered = words[1].iter().filter(|word| word.starts_with("delivered")).count();
    assert_eq!(delivered, 8);
    assert!(client.accepts(id, 4));
}

#[test]
fn reader_that_does_not_read_stops_the_sender() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"0").unwrap();
    let at_server = server.accept(LONG).unwrap();
    server.set_grants_by_itself(at_server, false).unwrap();
    let mut sent = 1;
    let mut received = 0;
    let end = std::time::Instant::now() + LONG.unwrap();
    let mut turns_when_full = 0;
    while turns_when_full < 10_000 {
        assert!(std::time::Instant::now() < end, "{received} received, {sent} sent");
        turns_when_full += u32::from((received, sent) == (8, 16));
        sent += u32::from(client.send(id, b"x").is_ok());
        while let Some(event) = server.poll() {
            received += u32::from(word(event).starts_with("delivered"));
        }
        client.drive();
    }
    assert_eq!((received, sent), (8, 16), "a window at each end");
    while received < sent {
        server.grant(at_server, 1).unwrap();
        while let Some(event) = server.poll() {
            received += u32::from(word(event).starts_with("delivered"));
        }
        client.drive();
    }
    assert_eq!(received, 16);
}

#[test]
fn stack_without_preamble_has_its_port_alone() {
    let mut server = server(&bare(), Options::default());
    let error = server.serve(&window()).unwrap_err();
    assert!(error.to_string().contains("cannot share a port"), "{error}");
    let to = server.local();
    let thread = echo(server, 2);
    for _ in 0..2 {
        let mut client = Endpoint::connect(to, &bare()).unwrap();
        for n in 0..50u32 {
            client.send(&n.to_le_bytes(), LONG).unwrap();
            assert_eq!(client.receive(LONG).unwrap(), n.to_le_bytes());
        }
        client.close(LONG).unwrap();
    }
    assert_eq!(thread.join().unwrap(), 100);
}

#[test]
fn listener_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Listener>();
    is_send::<Endpoint>();
}

#[test]
fn several_stacks_share_a_port() {
    let mut server = server(&window(), Options::default());
    server.serve(&other()).unwrap();
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    for stack in [window(), other()] {
        let id = client.connect(server.local(), &stack).unwrap();
        client.send(id, stack.description().as_bytes()).unwrap();
    }
    let words = run_until(&mut [&mut server, &mut client], |words| {
        words[0].iter().filter(|word| word.starts_with("delivered")).count() == 2
    });
    assert!(words[0].contains(&"delivered window<8> / floor".to_string()), "{words:?}");
    assert!(words[0].contains(&"delivered other<8> / floor".to_string()), "{words:?}");
}

#[test]
fn other_stack_is_reported_on_both_sides_with_a_message() {
    let mut server = server(&other(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"hello, anybody?").unwrap();
    let words = run_until(&mut [&mut client, &mut server], |words| words.iter().all(|words| !words.is_empty()));
    assert!(words[0][0].contains("this endpoint runs window<8> / floor (fingerprint 1122334455667788)"), "{words:?}");
    assert!(words[0][0].contains("serves fingerprint 99aabbccddeeff00"), "{words:?}");
    assert_eq!(words[0][1], "closed OtherStack");
    assert!(words[1][0].contains("refused 127.0.0.1"), "{words:?}");
    assert_eq!(server.statistics().other_stack, 2, "the greeting and the message");

    let mut endpoint = Endpoint::connect(server.local(), &window()).unwrap();
    endpoint.send(b"hello again, anybody?", LONG).unwrap();
    let thread = std::thread::spawn(move || {
        let _ = server.wait(LONG);
        let _ = server.wait(Some(Duration::from_millis(50)));
    });
    let error = endpoint.receive(LONG).unwrap_err();
    assert!(matches!(error, Error::OtherStack { .. }), "{error}");
    thread.join().unwrap();
}

#[test]
fn versions_of_one_stack_have_different_descriptions() {
    let mut server = server(&newer(), Options::default());
    // This endpoint has both versions, and so the descriptions of both.
    let mut client = server_of(&[window(), newer()]);
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"hello, which?").unwrap();
    let words = run_until(&mut [&mut client, &mut server], |words| words.iter().all(|words| !words.is_empty()));
    assert!(words[0][0].contains("this endpoint runs window<8> / floor (fingerprint 1122334455667788)"), "{words:?}");
    assert!(words[0][0].contains("serves window<8> / floor (fingerprint 0102030405060708)"), "{words:?}");
    assert_eq!(words[0][1], "closed OtherStack");
    // Both on one port: each connects to its own version.
    server.serve(&window()).unwrap();
    for stack in [window(), newer()] {
        let id = client.connect(server.local(), &stack).unwrap();
        client.send(id, &stack.fingerprint().to_le_bytes()).unwrap();
    }
    run_until(&mut [&mut server, &mut client], |words| {
        words[0].iter().filter(|word| word.starts_with("delivered")).count() == 2
    });
    assert_eq!(server.statistics().arrived, 2);
}

fn server_of(stacks: &[nacre_runtime::Stack]) -> Listener {
    let mut listener = Listener::bind(loopback(), Options::default()).unwrap();
    stacks.iter().for_each(|stack| listener.serve(stack).unwrap());
    listener
}

#[test]
fn closed_port_is_reported_with_its_cause() {
    let port = UdpSocket::bind(loopback()).unwrap().local_addr().unwrap();
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(port, &window()).unwrap();
    client.send(id, b"nobody").unwrap();
    let words = run_until(&mut [&mut client], |words| !words[0].is_empty());
    assert_eq!(words[0], ["error ConnectionRefused"]);
    assert!(client.statistics_of(id).is_ok(), "the connection goes on");
}

/// Frames that are gathered leave with `flush`, or when the program polls; a lone answer waits for nothing.
#[test]
fn gathered_frames_leave_with_the_next_turn() {
    let gather = || Options { gather: true, ..Options::default() };
    let mut server = server(&window(), gather());
    let mut client = Listener::bind(loopback(), gather()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    run_until(&mut [&mut client, &mut server], |words| words[0].iter().any(|word| word.starts_with("opened")));
    client.flush();
    let quiet = Duration::from_millis(50);
    while server.wait(Some(quiet)).unwrap().is_some() {}
    client.send(id, b"held").unwrap();
    client.send(id, b"too").unwrap();
    assert_eq!(client.next_deadline(), 0, "an event loop comes back for them");
    let frames_in = |server: &Listener| server.statistics().traffic.frames_in;
    let before = frames_in(&server);
    assert!(server.wait(Some(quiet)).unwrap().is_none() && frames_in(&server) == before);
    client.flush();
    for wanted in [&b"held"[..], b"too"] {
        match server.wait(LONG).unwrap() {
            Some(Event::Delivered { message, .. }) => assert_eq!(message.to_vec(), wanted),
            other => panic!("{:?}", other.map(word)),
        }
    }
    client.send(id, b"last").unwrap();
    assert!(client.poll().is_none());
    assert!(matches!(server.wait(LONG).unwrap(), Some(Event::Delivered { .. })));
}

#[test]
fn gathered_messages_arrive_once_and_in_order() {
    let gather = || Options { gather: true, ..Options::default() };
    let server = server(&window(), gather());
    let to = server.local();
    let thread = echo(server, 1);
    let mut client = Listener::bind(loopback(), gather()).unwrap();
    let id = client.connect(to, &window()).unwrap();
    let message = |n: usize| vec![n as u8; n % 97 + 1];
    let (mut sent, mut back) = (0, 0);
    while back < 2000 {
        while sent < 2000 && client.send(id, &message(sent)).is_ok() {
            sent += 1;
        }
        if let Some(Event::Delivered { message: got, .. }) = client.wait(LONG).unwrap() {
            assert_eq!(got.to_vec(), message(back));
            back += 1;
        }
    }
    client.close_blocking(id, LONG).unwrap();
    client.linger(id).unwrap();
    assert_eq!(thread.join().unwrap(), 2000);
}

/// A UDP socket that counts how often the system is asked for frames.
struct Counted {
    inner: Udp,
    asked: Arc<AtomicU64>,
}

impl Transport for Counted {
    fn local(&self) -> SocketAddr {
        self.inner.local()
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.inner.send(to, frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        if !self.inner.has_received() {
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.receive(buffer)
    }

    fn has_received(&self) -> bool {
        self.inner.has_received()
    }

    fn take_emptied(&mut self) -> bool {
        self.inner.take_emptied()
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.inner.wait(writable, time)
    }

    fn deadline(&self) -> u64 {
        self.inner.deadline()
    }
}

/// A turn that sleeps takes one call to wait and one to receive: the system is not asked again to learn that nothing is
/// left.
#[cfg(target_os = "linux")]
#[test]
fn system_is_asked_once_in_each_turn_that_sleeps() {
    const ROUNDS: u64 = 300;
    let mut server = server(&window(), Options::default());
    let asked = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: Udp::bind(loopback()).unwrap(), asked: asked.clone() };
    let mut client = Listener::new(counted, Options::default());
    let id = client.connect(server.local(), &window()).unwrap();
    client.send_blocking(id, b"hello", LONG).unwrap();
    let back = loop {
        if let Some(Event::Delivered { connection, .. }) = server.wait(LONG).unwrap() {
            break connection;
        }
    };
    let before = asked.load(Ordering::Relaxed);
    for _ in 0..ROUNDS {
        server.send_blocking(back, b"message", LONG).unwrap();
        while !matches!(client.wait(LONG).unwrap(), Some(Event::Delivered { .. })) {}
        // Nothing comes; the stack is granted what was taken.
        assert!(client.wait(Some(Duration::from_millis(1))).unwrap().is_none());
        server.drive();
    }
    let asked = asked.load(Ordering::Relaxed) - before;
    assert!((2 * ROUNDS..5 * ROUNDS / 2).contains(&asked), "{asked} times for {ROUNDS} messages");
}

#[test]
fn frames_of_a_connection_that_does_not_receive_are_as_lost() {
    let mut server = server(&window(), Options::default());
    let mut client = Listener::bind(loopback(), Options::default()).unwrap();
    let id = client.connect(server.local(), &window()).unwrap();
    client.send(id, b"first").unwrap();
    run_until(&mut [&mut client, &mut server], |words| words[1].iter().any(|word| word == "delivered first"));
    let there = server.connections()[0];
    server.set_receives(there, false).unwrap();
    client.send(id, b"second").unwrap();
    let mut dropped = 0;
    while dropped < 2 {
        run_until(&mut [&mut client, &mut server], |_| true);
        let (_, said) = (client.poll().map(word), server.poll().map(word));
        assert!(!said.is_some_and(|word| word.starts_with("delivered")));
        dropped = server.statistics_of(there).unwrap().traffic.no_space;
    }
    server.set_receives(there, true).unwrap();
    run_until(&mut [&mut client, &mut server], |words| words[1].iter().any(|word| word == "delivered second"));
    server.discard(there);
    assert!(server.set_receives(there, false).is_err());
}

#[test]
fn how_a_connection_ended_is_said_again_when_it_is_closed() {
    let nobody = std::net::UdpSocket::bind(loopback()).unwrap();
    let lost = || {
        let options = Options { timeout: Duration::from_millis(300), ..Options::default() };
        let listener = Listener::bind(loopback(), options).unwrap();
        let mut peer = Endpoint::over(listener, nobody.local_addr().unwrap(), &window()).unwrap();
        peer.send(b"lost", LONG).unwrap();
        peer
    };
    // Said by a call, by an event, or not yet.
    let mut peer = lost();
    assert!(matches!(peer.receive(LONG), Err(Error::Closed(Reason::Timeout))));
    assert!(matches!(peer.close(LONG), Err(Error::Closed(Reason::Timeout))));
    let mut peer = lost();
    let (listener, id) = peer.parts();
    while !matches!(listener.wait(LONG).unwrap(), Some(Event::Closed { .. })) {}
    assert!(matches!(listener.close_blocking(id, LONG), Err(Error::Closed(Reason::Timeout))));
    let mut peer = lost();
    let (listener, id) = peer.parts();
    listener.discard(id);
    assert!(matches!(peer.close(LONG), Err(Error::NoConnection)));
    assert!(lost().close(LONG).is_err());
    // In order.
    let server = server(&window(), Options::default());
    let to = server.local();
    let thread = std::thread::spawn(move || {
        let mut server = server;
        let id = server.accept(LONG).unwrap();
        assert_eq!(server.receive(id, LONG).unwrap(), b"hello");
        server.close_blocking(id, LONG).unwrap();
        server.linger(id).unwrap();
    });
    let mut peer = Endpoint::connect(to, &window()).unwrap();
    peer.send(b"hello", LONG).unwrap();
    assert!(matches!(peer.receive(LONG), Err(Error::Closed(Reason::Closed))));
    peer.close(LONG).unwrap();
    thread.join().unwrap();
}
