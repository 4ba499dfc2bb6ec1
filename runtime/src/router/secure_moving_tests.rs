//! Secure connections whose peer gets another address, and those whose frames somebody else repeats from elsewhere.

use super::secure_world::*;
use super::*;
use crate::secure::keys::Expect;
use crate::wire::secure::SEALED;

const ELSEWHERE: usize = 8;

#[test]
fn connection_follows_its_peer_to_another_address() {
    let (mut world, ids) = World::connected();
    world.places[CLIENT] = at(ELSEWHERE);
    world.ends[CLIENT].send(ids[0], b"from elsewhere").unwrap();
    let mut before_moving = Vec::new();
    let mut is_there = false;
    world.run(3 * SECOND, |flying| {
        is_there |= flying.iter().any(|(from, _, frame)| *from == at(ELSEWHERE) && kind(frame) == SEALED);
        if !is_there {
            before_moving.extend(flying.iter().filter(|(_, to, _)| *to == at(ELSEWHERE)).map(|(_, _, it)| kind(it)));
        }
    });
    assert!(
        before_moving.iter().all(|kind| *kind == SEALED),
        "nothing but questions goes there before: {before_moving:?}"
    );
    let told = world.told(SERVER);
    assert!(told.contains(&"delivered from elsewhere"), "{told:?}");
    assert!(told.contains(&"moved from 10.0.0.1:7000 to 10.0.0.9:7000"), "{told:?}");
    assert_eq!(world.ends[SERVER].statistics().moved, 1);
    world.assert_works(ids);
    world.places[CLIENT] = at(CLIENT);
    world.ends[CLIENT].send(ids[0], b"and back").unwrap();
    world.run(10 * SECOND, |_| {});
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(CLIENT));
    world.assert_works(ids);
}

#[test]
fn quiet_peer_that_moves_is_found_by_its_pings() {
    let (mut world, ids) = World::connected();
    world.places[CLIENT] = at(ELSEWHERE);
    world.run(29 * SECOND, |_| {});
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(ELSEWHERE));
    world.assert_works(ids);
}

#[test]
fn copies_from_elsewhere_move_nothing_and_get_no_more_than_three_times_their_bytes() {
    for relays in [false, true] {
        let (mut world, ids) = World::connected();
        let (mut came, mut went) = (0, 0);
        for n in 0..20u8 {
            world.ends[CLIENT].send(ids[0], &[n; 10]).unwrap();
            world.run(SECOND, |flying| {
                for (from, to, frame) in std::mem::take(flying) {
                    if from == at(CLIENT) {
                        // The copy is faster than the frame.
                        came += frame.len();
                        flying.push((at(ELSEWHERE), to, frame.clone()));
                    }
                    if to == at(ELSEWHERE) {
                        went += frame.len();
                        if relays {
                            // The question goes on to the peer, whose answer is copied like everything else.
                            flying.push((at(SERVER), at(CLIENT), frame.clone()));
                        }
                    }
                    flying.push((from, to, frame));
                }
            });
        }
        assert!(went <= 3 * came && went > 0, "{went} to {came}");
        assert!(!world.log.iter().any(|(_, word)| word.starts_with("closed")));
        assert_eq!(world.ends[SERVER].statistics().moved, 0, "the peer still answers at its address");
        let delivered = world.told(SERVER).iter().filter(|word| word.starts_with("delivered")).count();
        assert_eq!(delivered, 20);
        world.run(60 * SECOND, |_| {});
        assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(CLIENT), "{relays}");
        world.assert_works(ids);
    }
}

/// Two attackers, each near an end, have taken the connection at both ends, and go away.
#[test]
fn ends_that_have_both_followed_somebody_else_find_each_other() {
    let (mut world, ids) = World::connected();
    for (end, place) in [(CLIENT, 5), (SERVER, 6)] {
        let id = ids[end];
        world.ends[end].move_to(id, at(place), 0);
    }
    world.run(SECOND, |_| {});
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(6));
    world.run(25 * SECOND, |_| {});
    assert!(!world.log.iter().any(|(_, word)| word.starts_with("closed")), "{:?}", world.log);
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(CLIENT));
    assert_eq!(world.ends[CLIENT].get(ids[0]).unwrap().peer.address, at(SERVER));
    world.log.clear();
    world.assert_works(ids);
}

#[test]
fn nothing_moves_if_that_is_not_wanted() {
    let mut world = World::with([options(CLIENT), Options { secure_moves: false, ..options(SERVER) }]);
    let id = world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    world.places[CLIENT] = at(ELSEWHERE);
    world.ends[CLIENT].send(id, b"from elsewhere").unwrap();
    world.run(60 * SECOND, |_| {});
    assert_eq!(world.told(SERVER), ["arrived", "opened", "closed Timeout"]);
}

#[test]
fn copied_process_does_not_use_the_keys_of_the_original() {
    let (mut world, ids) = World::connected();
    let connecting = world.ends[CLIENT].connect_expecting(at(7), &crate::support::secure(), Some(Expect::Any), |_| {});
    world.take();
    let label = world.label(CLIENT, ids[0]);
    let token = world.ends[CLIENT].security.token(label);
    // SAFETY: the copy only looks at its own memory, and ends at once.
    let status = unsafe {
        match libc::fork() {
            0 => {
                let client = &mut world.ends[CLIENT];
                client.set_time(world.now + 1);
                let told = super::tests::events(client);
                let closed = told.iter().filter(|word| *word == "closed Unknown").count();
                let errors = told.iter().filter(|word| word.starts_with("error")).count();
                let is_over = client.send(ids[0], b"copy").is_err() && client.connections().is_empty();
                let is_over = is_over && client.security.token(label) != token;
                let is_right = closed == 2 && errors == 2 && is_over && client.outbox().is_empty();
                libc::_exit(i32::from(!is_right));
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                status
            }
        }
    };
    assert!(connecting.is_ok() && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status}");
    world.assert_works(ids);
}
