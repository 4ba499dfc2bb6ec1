//! Floods of first frames of secure connections: nothing is computed for those whose addresses may be forged, and
//! honest peers are served.

use super::secure_world::*;
use super::*;
use crate::secure::keys::Expect;
use crate::wire::secure::{SecureControl, INITIATE};
use crate::wire::{Control, Label};
use std::net::SocketAddr;

/// Valid first frames of different clients.
fn first_frames(count: u64) -> Vec<Vec<u8>> {
    let frame = |seed| {
        let options = Options { seed: Some(seed), ..options(CLIENT) };
        let mut router = Router::new(Datagrams::new(), options, 1);
        let stack = crate::support::secure();
        router.connect_expecting(at(SERVER), &stack, Some(Expect::Any), |_| {}).unwrap();
        router.outbox_mut().remove(0).1
    };
    (0..count).map(|n| frame(5_000 + n)).collect()
}

fn forged_address(n: u32) -> SocketAddr {
    SocketAddr::from((std::net::Ipv4Addr::from(0x0b00_0000 + n), 7000))
}

#[test]
fn flood_is_answered_without_key_agreements_and_keeps_nobody_out() {
    let mut world = World::with([options(CLIENT), Options { retry_above: 100, ..options(SERVER) }]);
    let frames = first_frames(4);
    for n in 0..2_000 {
        world.deliver(forged_address(n), at(SERVER), &frames[n as usize % 4]);
    }
    let all = world.ends[SERVER].statistics();
    assert_eq!((all.agreements, all.retried, all.connections), (100, 1_900, 100));
    let answers = world.take();
    assert!(answers[100..].iter().all(|(_, _, frame)| frame.len() == 20), "nothing but requests for a proof");
    let id = world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    assert_eq!((world.told(CLIENT), world.told(SERVER)), (vec!["opened"], vec!["arrived", "opened"]));
    assert_eq!(world.ends[SERVER].statistics().agreements, 101);
    let other = world.ends[SERVER].connections()[0];
    for n in 0..2_000 {
        world.deliver(forged_address(10_000 + n), at(SERVER), &frames[n as usize % 4]);
    }
    assert_eq!(world.ends[SERVER].statistics().agreements, 101);
    world.take();
    world.assert_works([id, other]);
}

#[test]
fn address_is_always_proven_before_anything_is_kept_if_that_is_wanted() {
    let mut world = World::with([options(CLIENT), Options { retry_above: 0, ..options(SERVER) }]);
    world.connect(Expect::Any);
    let mut kinds = Vec::new();
    world.run(SECOND, |flying| kinds.extend(flying.iter().map(|(_, _, frame)| kind(frame))));
    assert_eq!(kinds[..4], [INITIATE, 4, INITIATE, 7], "the same frame again, with the proof");
    assert_eq!(world.told(CLIENT), ["opened"]);
    let all = world.ends[SERVER].statistics();
    assert_eq!((all.retried, all.agreements), (1, 1));
}

#[test]
fn forged_requests_for_a_proof_do_not_stop_a_handshake() {
    for retry_above in [0, 1000] {
        let mut world = World::with([options(CLIENT), Options { retry_above, ..options(SERVER) }]);
        world.connect(Expect::Any);
        let mut n = 0;
        world.run(3 * SECOND, |flying| {
            for (from, to, frame) in std::mem::take(flying) {
                let label = match SecureControl::read(&frame) {
                    Some(SecureControl::Initiate(it)) if n < 20 => Some(it.from),
                    _ => None,
                };
                flying.push((from, to, frame));
                if let Some(label) = label {
                    n += 1;
                    let proof = Label { cookie: 5, key: n };
                    flying.insert(0, (to, from, Control::Retry { to: label, label: proof }.write(100).unwrap()));
                }
            }
        });
        assert_eq!(world.told(CLIENT), ["opened"], "{retry_above}");
    }
}

#[test]
fn proof_is_valid_for_one_first_frame_from_one_address() {
    let mut world = World::with([options(CLIENT), Options { retry_above: 0, ..options(SERVER) }]);
    let frames = first_frames(2);
    world.deliver(at(5), at(SERVER), &frames[0]);
    let (_, _, retry) = world.take().remove(0);
    let Some(Control::Retry { label, .. }) = Control::read(&retry) else { panic!("{retry:?}") };
    let with_proof = |frame: &[u8]| {
        let Some(SecureControl::Initiate(mut it)) = SecureControl::read(frame) else { panic!("it is one") };
        it.proof = label;
        it.write(frame.len())
    };
    let agreements = |world: &mut World, from: SocketAddr, frame: &[u8]| {
        world.deliver(from, at(SERVER), frame);
        world.ends[SERVER].statistics().agreements
    };
    assert_eq!(agreements(&mut world, at(6), &with_proof(&frames[0])), 0, "another address");
    assert_eq!(agreements(&mut world, at(5), &with_proof(&frames[1])), 0, "another frame");
    assert_eq!(agreements(&mut world, at(5), &with_proof(&frames[0])), 1);
    assert_eq!(agreements(&mut world, at(5), &with_proof(&frames[0])), 1, "again: the same answer");
}

#[test]
fn pending_handshakes_are_bounded_and_make_room_for_later_ones() {
    let server = Options { connections: 60, unconfirmed: 50, unconfirmed_per_address: 10, ..options(SERVER) };
    let mut world = World::with([options(CLIENT), server]);
    let frames = first_frames(30);
    for (n, frame) in frames.iter().enumerate() {
        world.deliver(at(5), at(SERVER), frame);
        let all = world.ends[SERVER].statistics();
        assert_eq!((all.connections, all.evicted), ((n + 1).min(3), 0));
    }
    for n in 0..200 {
        world.deliver(forged_address(n), at(SERVER), &frames[n as usize % 30]);
        assert!(world.ends[SERVER].statistics().connections <= 50);
    }
    assert!(world.told(SERVER).is_empty(), "nobody hears of them");
    world.take();
    world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["opened"]);
    world.run(100 * SECOND, |_| {});
    assert_eq!(world.ends[SERVER].statistics().connections, 1, "the others have ended");
    assert_eq!(world.ends[SERVER].security.handshakes.ids(), []);
}

#[test]
fn repeated_first_frame_gets_the_same_answer_and_later_none() {
    let mut world = World::new();
    world.connect(Expect::Any);
    let (_, _, frame) = world.take().remove(0);
    let mut answers = Vec::new();
    for _ in 0..5 {
        world.deliver(at(CLIENT), at(SERVER), &frame);
        answers.extend(world.take());
    }
    assert!(answers.len() == 5 && answers.windows(2).all(|pair| pair[0] == pair[1]));
    world.deliver(at(SERVER), at(CLIENT), &answers[0].2);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(SERVER), ["arrived", "opened"]);
    world.deliver(at(CLIENT), at(SERVER), &frame);
    assert!(world.take().is_empty(), "the connection is open");
    assert_eq!(world.ends[SERVER].statistics().agreements, 1);
    let id = world.ends[SERVER].connections()[0];
    world.ends[SERVER].discard(id);
    world.deliver(at(CLIENT), at(SERVER), &frame);
    assert_eq!(world.ends[SERVER].statistics().agreements, 2, "afterwards it is a new one, which leads to nothing");
    world.run(100 * SECOND, |_| {});
    assert_eq!((world.ends[SERVER].statistics().arrived, world.ends[SERVER].statistics().connections), (1, 0));
}

#[test]
fn flood_of_forged_messages_costs_no_more_than_a_hundred_agreements_a_second() {
    let mut world = World::new();
    let frame = {
        let mut router = Router::new(Datagrams::new(), options(CLIENT), 1);
        let expect = Some(Expect::Key(keys(9).public()));
        router.connect_expecting(at(SERVER), &crate::support::secure(), expect, |_| {}).unwrap();
        router.outbox_mut().remove(0).1
    };
    for second in 1..4 {
        world.ends[SERVER].set_time(second * SECOND);
        for n in 0..1_000 {
            world.deliver(forged_address(n), at(SERVER), &frame);
        }
        let all = world.ends[SERVER].statistics();
        assert_eq!((all.agreements, all.forged, all.connections), (100 * second, 100 * second, 0));
    }
    world.now = 3 * SECOND;
    world.take();
    world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["opened"], "after a proof");
}

#[test]
fn peer_without_room_is_told_so() {
    let server = Options { connections_per_address: 0, ..options(SERVER) };
    let mut world = World::with([options(CLIENT), server]);
    world.connect(Expect::Any);
    world.run(4 * SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["closed Busy"]);
    assert_eq!(world.ends[SERVER].statistics().agreements, 0);
}
