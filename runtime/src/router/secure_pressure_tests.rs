//! Attackers on path without keys who go on for long: what they add is more than the right frames, and never ends.

use super::secure_world::*;
use super::*;
use crate::error::Words;
use crate::instance::Config;
use crate::secure::keys::Expect;
use crate::stack::GivenRole;
use crate::support::secure;
use crate::wire::secure::{SecureControl, RESPOND, SEALED};
use crate::wire::{Control, Ending, Label};
use std::net::SocketAddr;

const ELSEWHERE: usize = 8;

/// The label of the end that sends a first frame.
fn sender(frame: &[u8]) -> Option<Label> {
    match SecureControl::read(frame) {
        Some(SecureControl::Initiate(it)) => Some(it.from),
        _ => None,
    }
}

/// First frames of others, which an attacker has made or recorded.
fn first_frames(count: u64) -> Vec<Vec<u8>> {
    let frame = |seed| {
        let mut router = Router::new(Datagrams::new(), Options { seed: Some(seed), ..options(CLIENT) }, 1);
        router.connect_expecting(at(SERVER), &secure(), Some(Expect::Any), |_| {}).unwrap();
        router.outbox_mut().remove(0).1
    };
    (0..count).map(|n| frame(9_000 + n)).collect()
}

/// Begins a handshake from an address at which the attacker reads what comes.
fn begin_with_proof(world: &mut World, from: SocketAddr, frame: &[u8]) {
    world.deliver(from, at(SERVER), frame);
    let (_, _, retry) = world.take().pop().unwrap();
    let Some(Control::Retry { label, .. }) = Control::read(&retry) else { panic!("{retry:?}") };
    let Some(SecureControl::Initiate(mut it)) = SecureControl::read(frame) else { panic!("it is one") };
    it.proof = label;
    world.deliver(from, at(SERVER), &it.write(frame.len()));
    world.take();
}

#[test]
fn forged_requests_for_a_proof_that_never_end_do_not_stop_a_handshake() {
    let mut world = World::with([options(CLIENT), Options { retry_above: 0, ..options(SERVER) }]);
    world.connect(Expect::Any);
    let mut n = 0;
    world.run(25 * SECOND, |flying| {
        for (from, to, frame) in std::mem::take(flying) {
            let label = sender(&frame).or(match Control::read(&frame) {
                Some(Control::Retry { to, .. }) => Some(to),
                _ => None,
            });
            let mut forged = |flying: &mut Flying| {
                if let Some(label) = label {
                    n += 1;
                    let retry = Control::Retry { to: label, label: Label { cookie: 5, key: n } };
                    flying.push((at(SERVER), at(CLIENT), retry.write(100).unwrap()));
                }
            };
            (0..5).for_each(|_| forged(flying));
            flying.push((from, to, frame));
            (0..5).for_each(|_| forged(flying));
        }
    });
    assert_eq!(world.told(CLIENT), ["opened"], "after {n} forged ones");
}

#[test]
fn requests_for_a_proof_cause_one_first_frame_in_fifty_milliseconds() {
    let mut world = World::with([options(CLIENT), options(SERVER)]);
    world.connect(Expect::Any);
    let label = sender(&world.take()[0].2).unwrap();
    let (mut sent, mut n) = (0, 0);
    while world.now < 1_000 + 2 * SECOND {
        n += 1;
        let retry = Control::Retry { to: label, label: Label { cookie: 5, key: n } };
        world.deliver(at(SERVER), at(CLIENT), &retry.write(100).unwrap());
        sent += world.take().len();
        world.now += SECOND / 1_000;
        let now = world.now;
        world.ends[CLIENT].set_time(now);
        world.log_events();
        sent += world.take().len();
    }
    assert!(sent <= 41, "{sent} in two seconds");
}

#[test]
fn address_whose_frames_others_forge_can_still_begin_a_connection() {
    let server = Options { connections_per_address: 20, retry_above: 0, ..options(SERVER) };
    let mut world = World::with([options(CLIENT), server]);
    for frame in &first_frames(50) {
        begin_with_proof(&mut world, at(CLIENT), frame);
        assert!(world.ends[SERVER].statistics().connections <= 20);
    }
    let id = world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["opened"]);
    let other = *world.ends[SERVER].connections().last().unwrap();
    // Those that are open stay.
    for frame in &first_frames(50) {
        begin_with_proof(&mut world, at(CLIENT), frame);
    }
    world.assert_works([id, other]);
}

#[test]
fn answer_that_has_arrived_comes_before_a_refusal_and_before_the_time_limit() {
    for (is_refused, pause) in [(true, 10 * SECOND), (false, 40 * SECOND)] {
        let mut world = World::new();
        world.connect(Expect::Any);
        let (from, to, frame) = world.take().remove(0);
        world.deliver(from, to, &frame);
        let (_, _, respond) = world.take().remove(0);
        if is_refused {
            let busy = Control::Ended { to: sender(&frame).unwrap(), why: Ending::Busy, words: Words::default() };
            world.deliver(at(SERVER), at(CLIENT), &busy.write(100).unwrap());
        }
        // The process is stopped, and finds the answer in its socket when it goes on.
        world.now += pause;
        let (now, client) = (world.now, &mut world.ends[CLIENT]);
        client.set_time(now);
        (0..5).for_each(|_| {
            client.work_before_datagram();
        });
        client.datagram(at(SERVER), &respond);
        world.log_events();
        assert_eq!(world.told(CLIENT), ["opened"], "{is_refused}");
    }
    // One that has not arrived does not.
    let mut world = World::new();
    world.connect(Expect::Any);
    world.run(40 * SECOND, |flying| flying.clear());
    assert_eq!(world.told(CLIENT), ["closed Timeout"]);
}

#[test]
fn refusal_is_not_believed_while_a_distant_peer_may_still_answer() {
    let mut world = World::new();
    world.connect(Expect::Any);
    let mut held: Vec<(u64, OnWay)> = Vec::new();
    for _ in 0..60 {
        world.run(SECOND / 20, |flying| {
            for one in std::mem::take(flying) {
                if let Some(label) = sender(&one.2) {
                    let busy = Control::Ended { to: label, why: Ending::Busy, words: Words::default() };
                    flying.push((at(SERVER), at(CLIENT), busy.write(100).unwrap()));
                }
                match kind(&one.2) {
                    RESPOND => held.push((0, one)),
                    _ => flying.push(one),
                }
            }
        });
        held.iter_mut().for_each(|(age, _)| *age += 1);
        // Two seconds for a round trip.
        for (_, (from, to, frame)) in held.extract_if(.., |(age, _)| *age > 40).collect::<Vec<_>>() {
            world.deliver(from, to, &frame);
        }
    }
    assert_eq!(world.told(CLIENT), ["opened"]);
}

#[test]
fn flood_of_frames_that_mean_nothing_does_not_keep_a_peer_from_moving() {
    let (mut world, ids) = World::connected();
    world.places[CLIENT] = at(ELSEWHERE);
    let junk: Flying = (0..200)
        .map(|n| {
            let frame = [&[0, 7, 7, n][..], &[1; 40]].concat();
            (SocketAddr::from(([11, 0, n, 1], 7)), at(SERVER), frame)
        })
        .collect();
    world.ends[CLIENT].send(ids[0], b"from elsewhere").unwrap();
    // Before each frame of the peer come more than this end answers in a second.
    world.run(20 * SECOND, |flying| {
        for (from, to, frame) in std::mem::take(flying) {
            if from == at(ELSEWHERE) {
                flying.extend(junk.iter().cloned());
            }
            if from == at(ELSEWHERE) || to == at(ELSEWHERE) || to == at(SERVER) {
                flying.push((from, to, frame));
            }
        }
    });
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(ELSEWHERE));
}

#[test]
fn each_address_that_is_asked_makes_an_end_ask_the_old_one_too() {
    let (mut world, ids) = World::connected();
    // The first two frames are copied, by attackers at two addresses; no question arrives anywhere.
    for copier in [6, 7] {
        world.ends[CLIENT].send(ids[0], b"copied").unwrap();
        let (_, to, frame) = world.take().pop().unwrap();
        world.deliver(at(copier), to, &frame);
        let asked: Vec<_> = world.take().into_iter().filter(|(_, _, frame)| kind(frame) == SEALED).collect();
        let at_old = asked.iter().filter(|(_, to, _)| *to == at(CLIENT)).count();
        let at_new = asked.iter().filter(|(_, to, _)| *to == at(copier)).count();
        assert_eq!((at_old, at_new), (1, 1), "attacker {copier}");
        let later = world.now + 4 * SECOND;
        world.now = later;
        world.ends.iter_mut().for_each(|end| end.set_time(later));
        world.take();
    }
}

#[test]
fn repeated_frames_do_not_keep_a_connection_alive() {
    let (mut world, ids) = World::connected();
    let mut recorded = Flying::new();
    world.ends[CLIENT].send(ids[0], b"once").unwrap();
    world.ends[SERVER].send(ids[1], b"once").unwrap();
    world.run(20 * SECOND, |flying| recorded.extend(flying.iter().cloned()));
    // The client is gone; the attacker repeats all that it has sent, and more.
    world.places[CLIENT] = at(77);
    for _ in 0..60 {
        for (from, to, frame) in recorded.clone() {
            world.deliver(from, to, &frame);
            world.deliver(at(ELSEWHERE), to, &frame);
            let mut flipped = frame.clone();
            let last = flipped.len() - 1;
            flipped[last] ^= 1;
            world.deliver(from, to, &flipped);
        }
        world.take();
        world.ends[SERVER].set_time(world.now + SECOND);
        world.now += SECOND;
        world.log_events();
    }
    assert_eq!(world.told(SERVER).last(), Some(&"closed Timeout"));
}

#[test]
fn handshake_that_somebody_else_has_begun_with_a_copy_becomes_that_of_the_peer() {
    for expect in [Expect::Any, Expect::Key(keys(SERVER).public()), Expect::Psk] {
        let mut world = World::new();
        let id = world.connect(expect);
        world.run(3 * SECOND, |flying| {
            for (from, to, frame) in std::mem::take(flying) {
                let is_first = from == at(CLIENT) && sender(&frame).is_some();
                if is_first {
                    // The copy is faster than the frame, and the answer to it than the answer to the frame.
                    flying.insert(0, (at(ELSEWHERE), to, frame.clone()));
                }
                match (to == at(ELSEWHERE), kind(&frame)) {
                    (true, RESPOND) => flying.insert(0, (from, at(CLIENT), frame)),
                    (true, _) => {}
                    _ => flying.push((from, to, frame)),
                }
            }
        });
        assert_eq!((world.told(CLIENT), world.told(SERVER)[1]), (vec!["opened"], "opened"), "{:?}", world.log);
        let server = world.ends[SERVER].connections()[0];
        assert_eq!(world.ends[SERVER].get(server).unwrap().peer.address, at(CLIENT));
        world.assert_works([id, server]);
    }
}

#[test]
fn peer_that_answers_no_question_has_few_connections() {
    let mut world = World::with([options(CLIENT), options(SERVER)]);
    for n in 0..60 {
        // A client that begins anew each time, and never answers a question.
        let mut client = Router::new(Datagrams::new(), Options { seed: Some(500 + n), ..options(CLIENT) }, world.now);
        client.connect_expecting(at(SERVER), &secure(), Some(Expect::Any), |_| {}).unwrap();
        world.ends[CLIENT] = client;
        world.places[CLIENT] = SocketAddr::from(([10, 1, n as u8, 1], 7000));
        world.run(SECOND / 100, |flying| flying.retain(|(_, to, frame)| *to == at(SERVER) || kind(frame) != SEALED));
    }
    let server = &world.ends[SERVER];
    let asked: usize = server
        .connections
        .iter()
        .filter_map(|it| it.secured.as_ref()?.rivals.as_ref().map(|rivals| rivals.ids.len()))
        .sum();
    assert!(asked <= 16 * 16, "{asked} rivals of {} connections", server.connections.len());
    // The next one, which answers, replaces all of them.
    let mut client = Router::new(Datagrams::new(), Options { seed: Some(999), ..options(CLIENT) }, world.now);
    world.places[CLIENT] = at(CLIENT);
    world.now += 60 * SECOND;
    let now = world.now;
    client.set_time(now);
    world.ends[CLIENT] = client;
    world.ends[SERVER].set_time(now);
    world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    assert_eq!(world.ends[SERVER].connections().len(), 1);
}

#[test]
fn connections_of_different_identities_of_one_end_stay() {
    for expect in [Expect::Any, Expect::Psk] {
        let mut world = World::new();
        let connect = |world: &mut World, identity: u64| {
            let prepare = |config: &mut Config| config.set_role(GivenRole::Identity, identity);
            world.ends[CLIENT].connect_expecting(at(SERVER), &secure(), Some(expect), prepare).unwrap()
        };
        let first = connect(&mut world, 5);
        let second = connect(&mut world, 6);
        world.run(SECOND, |_| {});
        let third = connect(&mut world, 7);
        world.run(20 * SECOND, |_| {});
        assert_eq!(world.told(CLIENT), ["opened"; 3], "{:?}", world.log);
        let servers = world.ends[SERVER].connections();
        assert_eq!((servers.len(), world.ends[SERVER].statistics().restarted), (3, 0));
        for (id, text) in [(first, b"1"), (second, b"2"), (third, b"3")] {
            world.ends[CLIENT].send(id, text).unwrap();
        }
        world.run(SECOND, |_| {});
        let delivered = world.told(SERVER).iter().filter(|word| word.starts_with("delivered")).count();
        assert_eq!(delivered, 3);
    }
}

#[test]
fn peer_that_gets_the_address_of_one_that_has_moved_does_not_end_its_connection() {
    let mut world = World::with([options(CLIENT), options(SERVER), options(2)]);
    let first = world.connect(Expect::Psk);
    world.run(SECOND, |_| {});
    let server = world.ends[SERVER].connections()[0];
    world.places[CLIENT] = at(ELSEWHERE);
    world.ends[CLIENT].send(first, b"from elsewhere").unwrap();
    world.run(3 * SECOND, |_| {});
    assert_eq!(world.ends[SERVER].get(server).unwrap().peer.address, at(ELSEWHERE));
    world.places[2] = at(CLIENT);
    world.ends[2].connect_expecting(at(SERVER), &secure(), Some(Expect::Psk), |_| {}).unwrap();
    world.run(3 * SECOND, |_| {});
    assert_eq!(world.told(2), ["opened"]);
    assert_eq!(world.ends[SERVER].statistics().connections, 2);
    world.assert_works([first, server]);
}

#[test]
fn stranger_with_keys_at_the_address_of_a_peer_does_not_keep_others_from_connecting_to_it() {
    let mut world = World::with([options(CLIENT), options(SERVER)]);
    world.ends[CLIENT].serve(&secure(), None).unwrap();
    // An attacker on path, who uses the address of the server and reads the answers.
    let mut stranger = Router::new(Datagrams::new(), Options { keys: Some(keys(5)), ..options(5) }, world.now);
    stranger.connect_expecting(at(CLIENT), &secure(), Some(Expect::Any), |_| {}).unwrap();
    for _ in 0..4 {
        for (to, frame) in std::mem::take(stranger.outbox_mut()) {
            world.deliver(at(SERVER), to, &frame);
        }
        for (_, to, frame) in world.take() {
            if to == at(SERVER) {
                stranger.datagram(at(CLIENT), &frame);
                super::tests::events(&mut stranger);
            }
        }
    }
    assert_eq!(world.told(CLIENT), ["arrived", "opened"]);
    world.connect(Expect::Key(keys(SERVER).public()));
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["arrived", "opened", "opened"]);
    assert_eq!(world.told(SERVER), ["arrived", "opened"]);
}

#[test]
fn first_frames_mean_nothing_to_an_end_that_serves_nothing() {
    let (mut world, ids) = World::connected();
    let mut frames = first_frames(3);
    frames.push([&frames[0][..8], &[7; 8], &frames[0][16..]].concat());
    for (n, frame) in frames.iter().enumerate() {
        world.deliver(at(SERVER), at(CLIENT), frame);
        world.deliver(at(20 + n), at(CLIENT), frame);
    }
    assert!(world.take().is_empty());
    assert_eq!(world.told(CLIENT), ["opened"]);
    assert_eq!(world.ends[CLIENT].statistics().other_stack, 8);
    world.assert_works(ids);
}
