//! Peers whose address changes, and others who claim that it has.

use super::attack_tests::{address, client, exchange, exchange_with, router, Datagrams, HONEST, SERVER};
use super::tests::events;
use super::*;
use crate::clock::{MILLISECOND, SECOND};
use crate::support::window;
use crate::wire::{Control, Preamble};

/// Where the client is later.
const ELSEWHERE: u32 = 9;

/// A client and a server that know each other, and what they call their connection.
fn known(moves: bool) -> ([Router<Datagrams>; 2], [ConnectionId; 2]) {
    let options = Options { seed: Some(1), moves, connections_per_address: 2, ..Options::default() };
    let ((mut client, id), mut server) = (client(2), router(options));
    server.serve(&window(), None).unwrap();
    (0..4).for_each(|_| drop(exchange(&mut client, &mut server)));
    let theirs = server.connections()[0];
    assert!(server.get(theirs).unwrap().confirmed);
    ([client, server], [id, theirs])
}

/// Carries what is there between the client at an address and the server; returns the events of the server.
fn carried(at: SocketAddr, client: &mut Router<Datagrams>, server: &mut Router<Datagrams>) -> Vec<String> {
    drop(events(client));
    let mut words = Vec::new();
    for (_, frame) in std::mem::take(client.outbox_mut()) {
        server.datagram(at, &frame);
        words.extend(events(server));
    }
    for (_, frame) in std::mem::take(server.outbox_mut()).into_iter().filter(|(to, _)| *to == at) {
        client.datagram(address(SERVER), &frame);
        drop(events(client));
    }
    words
}

/// Lets the client, now at `at`, send a message, and time pass; returns the events of the server.
fn speak(ends: &mut [Router<Datagrams>; 2], id: ConnectionId, at: SocketAddr, from: u64) -> Vec<String> {
    let [client, server] = ends;
    client.set_time(from);
    server.set_time(from);
    client.send(id, b"moved").unwrap();
    let mut words = Vec::new();
    for step in 1..20 {
        // What the server says to the old address is lost.
        words.extend(carried(at, client, server));
        client.set_time(from + step * 20 * MILLISECOND);
        server.set_time(from + step * 20 * MILLISECOND);
        words.extend(events(server));
    }
    words
}

#[test]
fn connection_moves_with_its_peer_and_loses_nothing() {
    let (mut ends, [id, theirs]) = known(true);
    let words = speak(&mut ends, id, address(ELSEWHERE), SECOND);
    assert_eq!(ends[1].get(theirs).unwrap().peer.address, address(ELSEWHERE), "{words:?}");
    assert_eq!((ends[1].statistics().moved, ends[1].statistics().connections), (1, 1));
    let moved = "moved from 10.0.0.1:7000 to 10.0.0.9:7000";
    assert_eq!(words, [moved, "delivered moved"], "the frame that began it is lost, and retransmitted");
    // It speaks to the new address, and answers there; the old one is another peer.
    ends[1].send(theirs, b"to the new address").unwrap();
    drop(events(&mut ends[1]));
    let to: Vec<SocketAddr> = ends[1].outbox_mut().drain(..).map(|(to, _)| to).collect();
    assert!(!to.is_empty() && to.iter().all(|to| *to == address(ELSEWHERE)), "{to:?}");
    // And back.
    speak(&mut ends, id, address(HONEST), 3 * SECOND);
    assert_eq!(ends[1].get(theirs).unwrap().peer.address, address(HONEST));
    assert_eq!(ends[1].statistics().moved, 2);
}

#[test]
fn nothing_moves_unless_it_is_allowed() {
    let (mut ends, [id, theirs]) = known(false);
    speak(&mut ends, id, address(ELSEWHERE), SECOND);
    assert_eq!(ends[1].get(theirs).unwrap().peer.address, address(HONEST));
    assert!(ends[1].statistics().unknown_cookies > 0);
}

/// Says twice from the old address that the server's label is not known there; returns whether the connection is left.
fn denied_at_the_old_address(ends: &mut [Router<Datagrams>; 2], theirs: ConnectionId) -> bool {
    let server = &mut ends[1];
    let unknown = server.get(theirs).unwrap().label;
    for at in [2 * SECOND, 3 * SECOND + 500 * MILLISECOND] {
        server.set_time(at);
        server.datagram(address(HONEST), &Control::Unknown { unknown }.write(16).unwrap());
        drop(events(server));
        server.outbox_mut().clear();
    }
    server.get(theirs).is_ok_and(|it| it.phase == crate::connection::Phase::Live)
}

#[test]
fn who_has_the_old_address_now_does_not_end_the_connection() {
    let (mut ends, [id, theirs]) = known(true);
    assert!(denied_at_the_old_address(&mut ends, theirs));
    let words = speak(&mut ends, id, address(ELSEWHERE), 4 * SECOND);
    assert_eq!(words, ["moved from 10.0.0.1:7000 to 10.0.0.9:7000", "delivered moved"]);
    let (mut ends, [_, theirs]) = known(false);
    assert!(!denied_at_the_old_address(&mut ends, theirs), "where nothing moves, the peer has forgotten it");
}

/// The client's next frame with a message.
fn frame(ends: &mut [Router<Datagrams>; 2], id: ConnectionId) -> Vec<u8> {
    ends[0].send(id, b"a message of some length").unwrap();
    drop(events(&mut ends[0]));
    ends[0].outbox_mut().pop().expect("a frame").1
}

#[test]
fn who_does_not_receive_frames_at_an_address_moves_nothing_there() {
    let (mut ends, [id, theirs]) = known(true);
    let copy = frame(&mut ends, id);
    let server = &mut ends[1];
    server.outbox_mut().clear();
    for _ in 0..100 {
        server.datagram(address(ELSEWHERE), &copy);
        drop(events(server));
    }
    let asked = std::mem::take(server.outbox_mut());
    assert_eq!(asked.len(), 1, "asked once in a while");
    assert!(asked[0].0 == address(ELSEWHERE) && asked[0].1.len() <= copy.len());
    assert!(Preamble::read(&asked[0].1).unwrap().is_control());
    let Some(Control::Ping { token, .. }) = Control::read(&asked[0].1) else { panic!("a ping") };
    let cookie = server.cookie(theirs).unwrap();
    let pong = |token| Control::Pong { cookie, token }.write(16).unwrap();
    // Another token, another place.
    for bit in 0..64 {
        server.datagram(address(ELSEWHERE), &pong(token ^ 1 << bit));
    }
    server.datagram(address(ELSEWHERE + 1), &pong(token));
    // While one is asked, another one is not.
    server.datagram(address(ELSEWHERE + 1), &copy);
    drop(events(server));
    assert!(server.outbox().is_empty());
    assert_eq!(server.get(theirs).unwrap().peer.address, address(HONEST));
    // The token is known to who receives frames there, and holds for one answer.
    server.datagram(address(ELSEWHERE), &pong(token));
    assert_eq!(server.get(theirs).unwrap().peer.address, address(ELSEWHERE));
    server.datagram(address(HONEST), &pong(token));
    assert_eq!(server.statistics().moved, 1);
}

#[test]
fn frame_without_the_label_asks_nobody() {
    let (mut ends, [id, theirs]) = known(true);
    let copy = frame(&mut ends, id);
    let server = &mut ends[1];
    server.outbox_mut().clear();
    for bit in 8..64 {
        let mut forged = copy.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        server.datagram(address(ELSEWHERE), &forged);
        drop(events(server));
    }
    let pings = server.outbox().iter().filter(|(_, frame)| matches!(Control::read(frame), Some(Control::Ping { .. })));
    assert_eq!(pings.count(), 0);
    assert!(server.get(theirs).unwrap().asked.is_none());
}

#[test]
fn no_address_gets_more_connections_by_moving_than_by_beginning_them() {
    let (mut ends, [id, theirs]) = known(true);
    for n in 0..2 {
        let (mut other, _) = client(50 + n);
        let at = SocketAddr::new(address(ELSEWHERE).ip(), 8000 + n as u16);
        (0..4).for_each(|_| drop(exchange_with(at, &mut other, &mut ends[1])));
    }
    speak(&mut ends, id, address(ELSEWHERE), SECOND);
    assert_eq!((ends[1].statistics().moved, ends[1].statistics().connections), (0, 3));
    assert_eq!(ends[1].get(theirs).unwrap().peer.address, address(HONEST));
}
