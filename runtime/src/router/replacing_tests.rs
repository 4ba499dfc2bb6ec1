//! Of the secure connections of one peer that one remains that the peer has, whatever the network does to the handshakes.

use super::secure_world::*;
use super::*;
use crate::random::Random;
use crate::secure::keys::Expect;
use crate::support::secure;
use crate::wire::secure::{FINISH, INITIATE, RESPOND, SEALED};
use crate::wire::{Control, Label};

fn expectations() -> [Expect; 3] {
    [Expect::Any, Expect::Key(keys(SERVER).public()), Expect::Psk]
}

/// The client's host again, after it has lost everything but its keys.
fn restarted(now: u64) -> Router<Datagrams> {
    Router::new(Datagrams::new(), Options { seed: Some(999), ..options(CLIENT) }, now)
}

#[test]
fn late_finish_of_a_connection_that_was_given_up_ends_no_newer_one() {
    for expect in expectations() {
        for restarts in [false, true] {
            let (mut world, mut late) = (World::new(), Flying::new());
            let id = world.connect(expect);
            world.run(SECOND / 10, |flying| {
                late.extend(flying.iter().filter(|(_, _, frame)| kind(frame) == FINISH).cloned());
                flying.retain(|(_, _, frame)| kind(frame) != FINISH);
            });
            assert!(!late.is_empty() && world.told(SERVER).is_empty());
            if restarts {
                world.ends[CLIENT] = restarted(world.now);
            } else {
                world.ends[CLIENT].discard(id);
            }
            let id = world.connect(expect);
            world.run(SECOND, |_| {});
            let other = world.ends[SERVER].connections()[0];
            for (from, to, frame) in late {
                world.deliver(from, to, &frame);
                world.run(SECOND, |_| {});
            }
            world.run(100 * SECOND, |_| {});
            assert!(!world.told(SERVER).contains(&"closed Restarted"), "{:?}", world.log);
            assert_eq!(world.ends[SERVER].connections(), [other], "{expect:?}: {:?}", world.log);
            world.assert_works([id, other]);
        }
    }
}

#[test]
fn question_which_connection_lives_is_repeated_until_it_is_answered() {
    for lost in 0..5 {
        let (mut world, _) = World::connected();
        world.ends[CLIENT] = restarted(world.now);
        world.connect(Expect::Any);
        let mut left = lost;
        world.run(5 * SECOND, |flying| {
            flying.retain(|(_, _, frame)| {
                let is_lost = kind(frame) == SEALED && left > 0;
                left -= usize::from(is_lost);
                !is_lost
            });
        });
        assert_eq!(left, 0);
        assert_eq!(world.told(SERVER), ["arrived", "opened", "arrived", "opened", "closed Restarted"], "{lost}");
        assert_eq!(world.ends[SERVER].connections().len(), 1);
    }
}

#[test]
fn peer_that_does_not_answer_on_a_new_connection_keeps_the_old_one() {
    let (mut world, ids) = World::connected();
    let mut second = restarted(world.now);
    // It is somewhere else, and falls silent after `finish`.
    second.connect_expecting(at(SERVER), &secure(), Some(Expect::Any), |_| {}).unwrap();
    world.ends.push(second);
    world.places.push(at(8));
    let mut is_silent = false;
    world.run(100 * SECOND, |flying| {
        flying.retain(|(from, _, frame)| *from != at(8) || kind(frame) < SEALED && !is_silent);
        is_silent |= flying.iter().any(|(from, _, frame)| *from == at(8) && kind(frame) == FINISH);
    });
    assert_eq!(world.told(SERVER), ["arrived", "opened", "arrived", "opened", "closed Timeout"]);
    world.assert_works(ids);
}

#[test]
fn ends_that_begin_at_the_same_time_keep_the_same_connection() {
    let (mut both, mut replaced) = (0, 0);
    for seed in 0..800 {
        let with = |end: usize| Options { seed: Some(seed * 2 + end as u64), ..options(end) };
        let mut world = World::with([with(CLIENT), with(SERVER)]);
        world.ends[CLIENT].serve(&secure(), None).unwrap();
        let expect = [Expect::Any, Expect::Psk][seed as usize % 2];
        world.connect(expect);
        let (mut random, mut held) = (Random::new(seed), Flying::new());
        // Answers come later than other frames.
        let mut is_late = |frame: &[u8]| random.draw() % if kind(frame) == RESPOND { 16 } else { 4 } > 0;
        for round in 0..400 {
            // An end that has answered the other's frame may begin, too.
            if round == seed % 10 {
                let _ = world.ends[SERVER].connect_expecting(at(CLIENT), &secure(), Some(expect), |_| {});
            }
            world.run(SECOND / 100, |flying| {
                held.append(flying);
                let (late, now) = std::mem::take(&mut held).into_iter().partition(|(_, _, frame)| is_late(frame));
                (held, *flying) = (late, now);
            });
        }
        world.run(100 * SECOND, |flying| flying.append(&mut held));
        let ids = [CLIENT, SERVER].map(|end| world.ends[end].connections());
        assert!(ids.iter().all(|ids| ids.len() == 1), "seed {seed}: {ids:?} {:?}", world.log);
        world.assert_works([ids[0][0], ids[1][0]]);
        both += usize::from(world.log.iter().filter(|(_, word)| word == "opened").count() > 2);
        replaced += usize::from(world.log.iter().any(|(_, word)| word == "closed Restarted"));
    }
    assert!(both > 10 && replaced > 10, "{both} with two connections, {replaced} with one replaced");
}

#[test]
fn label_of_a_retry_costs_one_frame_in_a_while() {
    let mut world = World::new();
    let id = world.connect(Expect::Any);
    world.take();
    let own = world.ends[CLIENT].begun(id).unwrap().label();
    let mut sent = 0;
    for n in 1..1000 {
        let retry = Control::Retry { to: own, label: Label { cookie: 5, key: n } };
        world.ends[CLIENT].datagram(at(SERVER), &retry.write(64).unwrap());
        sent += world.ends[CLIENT].outbox_mut().drain(..).count();
    }
    assert_eq!(sent, 1, "at once");
    world.run(SECOND / 2, |flying| {
        sent += flying.iter().filter(|(_, _, frame)| kind(frame) == INITIATE).count();
        flying.clear();
    });
    assert!((3..12).contains(&sent), "{sent}");
}

/// Another address of the server.
const OTHER: usize = 9;

fn cookie(frame: &[u8]) -> u32 {
    u32::from_le_bytes([frame[1], frame[2], frame[3], 0])
}

/// The server answers at another address to what has come there: to the connection with this cookie.
fn translate(flying: &mut Flying, second: u32) {
    for (from, to, frame) in flying {
        if *to == at(OTHER) {
            *to = at(SERVER);
        }
        if *from == at(SERVER) && cookie(frame) == second {
            *from = at(OTHER);
        }
    }
}

/// A client that has begun a connection at each of two addresses of one server. The answer to the first has not come,
/// or its `finish` has not arrived.
fn twice(late: u8) -> (World, [ConnectionId; 2], u32, Flying) {
    let (mut world, mut held) = (World::new(), Flying::new());
    let first = world.connect(Expect::Any);
    let mut hold = |flying: &mut Flying| {
        held.extend(flying.iter().filter(|(_, _, frame)| kind(frame) == late).take(1).cloned());
        flying.retain(|(_, _, frame)| kind(frame) != late);
    };
    world.run(SECOND / 100, &mut hold);
    let connected = world.ends[CLIENT].connect_expecting(at(OTHER), &secure(), Some(Expect::Any), |_| {});
    let second = connected.unwrap();
    let label = world.ends[CLIENT].begun(second).unwrap().label().cookie;
    (world, [first, second], label, held)
}

#[test]
fn handshake_that_was_begun_before_an_open_connection_ends() {
    let (mut world, [first, second], label, held) = twice(RESPOND);
    let is_of_first = |frame: &[u8]| kind(frame) == RESPOND && cookie(frame) != label;
    world.run(SECOND / 10, |flying| {
        flying.retain(|(_, _, frame)| !is_of_first(frame));
        translate(flying, label);
    });
    assert_eq!(world.told(CLIENT), ["opened"]);
    for (from, to, frame) in held {
        world.deliver(from, to, &frame);
    }
    world.run(SECOND, |flying| translate(flying, label));
    assert_eq!(world.told(CLIENT), ["opened", "closed Restarted"]);
    assert!(world.ends[CLIENT].get(first).is_err() && world.ends[CLIENT].get(second).is_ok());
    assert_eq!(world.told(SERVER), ["arrived", "opened"]);
}

#[test]
fn end_that_asks_on_a_newer_connection_is_silent_on_the_older_one() {
    let (mut world, [first, second], label, held) = twice(FINISH);
    let mut newer = None;
    world.run(SECOND / 10, |flying| {
        // The question on the second one does not arrive yet, nor does `finish` of the first one.
        flying.retain(|(from, _, frame)| {
            let is_finish = *from == at(CLIENT) && kind(frame) == FINISH;
            newer = newer.or_else(|| is_finish.then(|| cookie(frame)).filter(|at| *at != cookie(&held[0].2)));
            let is_held = is_finish && cookie(frame) == cookie(&held[0].2);
            !(is_held || kind(frame) == SEALED && *from == at(CLIENT) && Some(cookie(frame)) == newer)
        });
        translate(flying, label);
    });
    assert_eq!((world.told(CLIENT), world.told(SERVER)), (vec!["opened", "opened"], vec!["arrived", "opened"]));
    for (from, to, frame) in held {
        world.deliver(from, to, &frame);
    }
    world.run(SECOND / 10, |flying| {
        flying
            .retain(|(from, _, frame)| !(kind(frame) == SEALED && *from == at(CLIENT) && Some(cookie(frame)) == newer));
        translate(flying, label);
    });
    assert_eq!(world.ends[SERVER].connections().len(), 2, "it asks on the first one, in vain");
    world.run(100 * SECOND, |flying| translate(flying, label));
    assert!(world.ends[CLIENT].get(first).is_err() && world.ends[CLIENT].get(second).is_ok(), "{:?}", world.log);
    assert_eq!(world.ends[SERVER].connections().len(), 1);
    let other = world.ends[SERVER].connections()[0];
    world.ends[SERVER].send(other, b"still here").unwrap();
    world.run(SECOND, |flying| translate(flying, label));
    assert_eq!(world.told(CLIENT).last(), Some(&"delivered still here"), "{:?}", world.log);
}
