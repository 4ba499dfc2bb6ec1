//! Attackers who do not read the frames of others. First frames from forged addresses cost what the limits say, and
//! keep nobody out; a forged answer captures no client.

use super::tests::events;
use super::*;
use crate::clock::SECOND;
use crate::connection::Phase;
use crate::support::window;
use crate::wire::{Control, Label, Preamble};
use std::net::{IpAddr, Ipv4Addr};

pub(super) type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

pub(super) fn router(options: Options) -> Router<Datagrams> {
    Router::new(Vec::new(), options, 1)
}

pub(super) fn server(connections: usize, unconfirmed: usize) -> Router<Datagrams> {
    let mut server = router(Options { seed: Some(1), connections, unconfirmed, ..Options::default() });
    server.serve(&window(), None).unwrap();
    server
}

pub(super) fn address(n: u32) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + n)), 7000)
}

pub(super) const SERVER: u32 = 0;
pub(super) const HONEST: u32 = 1;

/// A client with a connection to the server whose first frame has left.
pub(super) fn client(seed: u64) -> (Router<Datagrams>, ConnectionId) {
    let mut client = router(Options { seed: Some(seed), ..Options::default() });
    let id = client.connect(address(SERVER), &window(), |_| {}).unwrap();
    client.send(id, b"hello").unwrap();
    (client, id)
}

/// Delivers a valid first frame from each of `count` forged addresses.
pub(super) fn flood(server: &mut Router<Datagrams>, from: u32, count: u32) {
    let (mut forger, _) = client(99);
    let (_, frame) = forger.outbox_mut().remove(0);
    for n in 0..count {
        server.datagram(address(1000 + from + n), &frame);
        events(server);
    }
}

/// Carries what is there between the honest client and the server.
pub(super) fn exchange(client: &mut Router<Datagrams>, server: &mut Router<Datagrams>) -> Vec<String> {
    exchange_with(address(HONEST), client, server)
}

/// The same of a client at another address.
pub(super) fn exchange_with(
    at: SocketAddr,
    client: &mut Router<Datagrams>,
    server: &mut Router<Datagrams>,
) -> Vec<String> {
    let mut words = events(client);
    for (_, frame) in std::mem::take(client.outbox_mut()) {
        server.datagram(at, &frame);
        events(server);
    }
    for (to, frame) in std::mem::take(server.outbox_mut()) {
        if to == at {
            client.datagram(address(SERVER), &frame);
            words.extend(events(client));
        }
    }
    words
}

#[test]
fn flood_of_first_frames_keeps_nobody_out() {
    let mut server = server(60, 50);
    flood(&mut server, 0, 500);
    assert_eq!((server.statistics().connections, server.statistics().evicted), (13, 0));
    let (mut client, id) = client(2);
    exchange(&mut client, &mut server);
    exchange(&mut client, &mut server);
    // The client's answer confirms its connection: nobody takes its place any more.
    client.send(id, b"again").unwrap();
    exchange(&mut client, &mut server);
    flood(&mut server, 500, 500);
    let honest = server.connections.at(address(HONEST)).expect("the honest connection is there");
    assert!(honest.confirmed);
    assert_eq!(server.statistics().connections, 14);
    assert!(!exchange(&mut client, &mut server).iter().any(|word| word.starts_with("closed")));
}

#[test]
fn unknown_is_believed_of_nobody_who_has_not_seen_the_label() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    (0..3).for_each(|_| drop(exchange(&mut client, &mut server)));
    let label = client.get(id).unwrap().label;
    assert_ne!(label.cookie, 0);
    for step in 1..=3 {
        client.set_time(step * SECOND / 4);
        for bit in 0..32 {
            let unknown = Label { key: label.key ^ 1 << bit, ..label };
            client.datagram(address(SERVER), &Control::Unknown { unknown }.write(12).unwrap());
        }
        events(&mut client);
        assert!(client.outbox().is_empty(), "nothing happens");
    }
    client.datagram(address(SERVER), &Control::Unknown { unknown: label }.write(12).unwrap());
    events(&mut client);
    let sent: Vec<bool> =
        client.outbox().iter().map(|(_, frame)| Preamble::read(frame).unwrap().is_control()).collect();
    assert_eq!(sent, [true], "a ping; there is nothing to say again");
}

/// An identified frame with the cookie of another time is one from before a restart, whatever else it states.
#[test]
fn frame_with_a_cookie_of_another_time_is_not_routed_by_its_incarnation() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    let (_, first) = client.outbox_mut().pop().expect("a first frame");
    server.datagram(address(HONEST), &first);
    events(&mut server);
    let received = |server: &mut Router<Datagrams>| {
        let honest = server.connections.at(address(HONEST)).expect("it is there");
        (honest.traffic.frames_in, honest.traffic.dropped)
    };
    assert_eq!(received(&mut server), (1, 0));
    server.datagram(address(HONEST), &first);
    events(&mut server);
    assert_eq!(received(&mut server).0, 2, "the same frame again is its");
    let mut stale = first;
    stale[1..4].copy_from_slice(&[1, 2, 3]);
    server.datagram(address(HONEST), &stale);
    assert_eq!(received(&mut server).0, 2, "the frame is of no connection");
    assert_eq!(server.statistics().unknown_cookies, 1);
    assert!(client.get(id).is_ok());
}

#[test]
fn frames_with_a_guessed_cookie_have_no_effect_without_the_key() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    (0..3).for_each(|_| drop(exchange(&mut client, &mut server)));
    client.send(id, b"again").unwrap();
    let (_, short) = client.outbox_mut().pop().expect("a frame");
    assert_eq!(short[0] & 1, 0, "a short frame");
    let honest = server.connections.at(address(HONEST)).expect("it is there");
    let (heard, dropped) = (honest.heard_at, honest.traffic.dropped);
    server.set_time(1_000_000);
    for bit in 0..32 {
        let mut forged = short.clone();
        forged[4 + bit / 8] ^= 1 << (bit % 8);
        server.datagram(address(HONEST), &forged);
        assert!(events(&mut server).is_empty());
        let to = Label { cookie: Preamble::read(&short).unwrap().cookie, key: crate::wire::short_key(&forged) };
        server.datagram(address(HONEST), &Control::Ping { to, token: 1 }.write(20).unwrap());
    }
    let honest = server.connections.at(address(HONEST)).expect("it is there");
    assert_eq!((honest.heard_at, honest.traffic.dropped), (heard, dropped + 32));
    server.datagram(address(HONEST), &short);
    assert_eq!(events(&mut server), ["delivered again"]);
}

#[test]
fn first_frame_that_is_damaged_makes_nobody_leave() {
    let mut server = server(60, 50);
    flood(&mut server, 0, 12);
    let (mut forger, _) = client(99);
    let (_, mut frame) = forger.outbox_mut().remove(0);
    frame.truncate(46);
    server.datagram(address(900), &frame);
    events(&mut server);
    let statistics = server.statistics();
    assert_eq!((statistics.not_accepted, statistics.evicted, statistics.connections), (1, 0, 12));
}

#[test]
fn connection_that_made_room_can_be_begun_again() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    let first = client.outbox()[0].1.clone();
    exchange(&mut client, &mut server);
    let own: Vec<_> = (0..60).map(|n| server.connect(address(5000 + n), &window(), |_| {}).unwrap()).collect();
    assert!(server.connections.at(address(HONEST)).is_none(), "it is the only one that is not confirmed");
    server.discard(own[0]);
    server.datagram(address(HONEST), &first);
    events(&mut server);
    assert_eq!((server.statistics().late, server.connections.at(address(HONEST)).is_some()), (0, true));
    assert!(client.get(id).is_ok());
}

#[test]
fn full_table_has_room_as_long_as_one_is_not_confirmed() {
    let mut server = server(10, 100);
    flood(&mut server, 0, 30);
    assert_eq!((server.statistics().connections, server.statistics().evicted), (3, 0));
    let own: Vec<_> = (0..10).map(|n| server.connect(address(5000 + n), &window(), |_| {})).collect();
    assert!(own.iter().all(Result::is_ok));
    assert!(matches!(server.connect(address(6000), &window(), |_| {}), Err(Error::Full("connections"))));
    flood(&mut server, 30, 5);
    assert_eq!((server.statistics().limited, server.statistics().connections), (5, 10));
}

#[test]
fn one_address_fills_its_part_of_the_table_and_others_still_come() {
    let mut server = server(20, 20);
    server.options.connections_per_address = 5;
    server.admission = Admission::new(&server.options, 1);
    // One host with confirmed connections from many ports.
    let confirmed = |server: &mut Router<Datagrams>, at: SocketAddr| {
        let (mut client, id) = client(u64::from(at.port()));
        exchange_with(at, &mut client, server);
        let _ = client.send(id, b"again");
        exchange_with(at, &mut client, server);
        let found = server.connections.at(at).is_some_and(|connection| connection.confirmed);
        found.then_some((client, id))
    };
    let port = |n: u16| SocketAddr::new(address(77).ip(), 8000 + n);
    let mut came: Vec<_> = (0..8).filter_map(|n| confirmed(&mut server, port(n))).collect();
    assert_eq!((came.len(), server.statistics().limited, server.statistics().evicted), (5, 6, 0));
    assert!((0..15).all(|n| confirmed(&mut server, address(n)).is_some()), "one from each address");
    // A connection that is closed in order makes room at once, also while it still answers.
    let (client, id) = &mut came[0];
    client.close(*id).unwrap();
    for _ in 0..3 {
        events(client);
        // The client does not say that it is over.
        client.outbox_mut().retain(|(_, frame)| Control::read(frame).is_none());
        exchange_with(port(0), client, &mut server);
    }
    assert!(server
        .connections
        .at(port(0))
        .is_some_and(|connection| connection.phase == Phase::Lingering { until: 3_000_000_001 }));
    assert!(confirmed(&mut server, port(9)).is_some());
}

#[test]
fn client_takes_its_first_answer_from_nobody_who_does_not_know_its_cookie() {
    let mut server = server(60, 50);
    let (mut client, id) = client(2);
    // A first frame of the same stack, as anybody could send it in the name of the server.
    let (mut forger, _) = self::client(99);
    let (_, forged) = forger.outbox_mut().remove(0);
    for _ in 0..3 {
        client.datagram(address(SERVER), &forged);
        assert!(!events(&mut client).iter().any(|word| word.starts_with("delivered")));
    }
    assert_eq!(client.get(id).unwrap().peer_incarnation, None);
    client.outbox_mut().retain(|(_, frame)| frame[0] & 1 == 1);
    assert!(exchange(&mut client, &mut server).contains(&"opened".to_string()));
}

/// Of the two keys that a stack takes, that of a proof is none of an end that begins a connection.
#[test]
fn client_takes_its_first_answer_from_nobody_who_has_guessed_half_of_its_incarnation() {
    for (half, is_taken) in [(32, true), (36, false)] {
        let (mut client, id) = client(2);
        let greeting = &client.outbox()[0].1;
        let key = u32::from_le_bytes(greeting[half..half + 4].try_into().unwrap());
        let label = Label { cookie: client.cookie(id).unwrap(), key };
        // A greeting of the same stack with this label, as of somebody who was told it.
        let (mut forger, other) = self::client(99);
        let to = Label { cookie: forger.cookie(other).unwrap(), key: forger.get(other).unwrap().key };
        forger.outbox_mut().clear();
        forger.datagram(address(SERVER), &Control::Retry { to, label }.write(20).unwrap());
        events(&mut forger);
        let (_, forged) = forger.outbox_mut().remove(0);
        client.datagram(address(SERVER), &forged);
        events(&mut client);
        assert_eq!(client.get(id).unwrap().peer_incarnation.is_some(), is_taken, "{half}");
    }
}

#[test]
fn peers_that_begin_at_once_have_one_connection() {
    let mut ends = [1, 2].map(|seed| {
        let mut end = router(Options { seed: Some(seed), ..Options::default() });
        end.serve(&window(), None).unwrap();
        end
    });
    let ids = [0, 1].map(|end| ends[end].connect(address(1 - end as u32), &window(), |_| {}).unwrap());
    (0..2).for_each(|end| ends[end].send(ids[end], b"hello").unwrap());
    let mut words = [vec![], vec![]];
    for _ in 0..4 {
        let flying = ends.each_mut().map(|end| std::mem::take(end.outbox_mut()));
        for (from, frames) in flying.into_iter().enumerate() {
            for (_, frame) in frames {
                ends[1 - from].datagram(address(from as u32), &frame);
                words[1 - from].extend(events(&mut ends[1 - from]));
            }
        }
    }
    for (end, words) in words.iter().enumerate() {
        assert_eq!(ends[end].connections(), [ids[end]]);
        assert_eq!(words.iter().filter(|word| *word == "delivered hello").count(), 1, "{words:?}");
    }
}
