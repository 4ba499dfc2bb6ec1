//! Secure connections between two routers: how they begin, survive losses, and end.

use super::secure_world::*;
use super::*;
use crate::error::Words;
use crate::secure::handshake::{Entropy, Initiator};
use crate::secure::keys::{Expect, Psk};
use crate::secure::noise::{Credentials, Parameters, Pattern, Suite};
use crate::secure::payload::Payload;
use crate::support::{newer, secure, window};
use crate::wire::secure::{Finish, Initiate, SecureControl, FINISH, INITIATE, RESPOND, SEALED};
use crate::wire::Label;

#[test]
fn each_pattern_opens_a_connection_with_the_keys_of_both() {
    for hybrid in [true, false] {
        for (expect, key) in [(Expect::Any, true), (Expect::Key(keys(SERVER).public()), true), (Expect::Psk, false)] {
            let mut world = World::with([Options { hybrid, ..options(CLIENT) }, options(SERVER)]);
            let id = world.connect(expect);
            assert!(matches!(world.ends[CLIENT].send(id, b"early"), Err(Error::Refused)), "the stack is not open");
            assert!(!world.ends[CLIENT].accepts(id, 1) && world.ends[CLIENT].connections().is_empty());
            world.run(SECOND, |_| {});
            assert_eq!(world.told(CLIENT), ["opened", "writable"], "{expect:?}");
            assert_eq!(world.told(SERVER), ["arrived", "opened"], "{expect:?}");
            let other = world.ends[SERVER].connections()[0];
            let known = |end: usize, id| world.ends[end].get(id).unwrap().secured.as_ref().unwrap().peer_key;
            assert_eq!(known(CLIENT, id), key.then(|| keys(SERVER).public()));
            assert_eq!(known(SERVER, other), key.then(|| keys(CLIENT).public()));
            assert!(known(CLIENT, id).is_some() == key);
            world.assert_works([id, other]);
            assert_eq!(world.ends[SERVER].statistics().agreements, 1);
            assert_eq!(world.ends[SERVER].statistics().forged, 0);
        }
    }
}

#[test]
fn nothing_is_opened_before_the_peer_has_shown_that_it_has_the_keys() {
    for expect in [Expect::Any, Expect::Key(keys(SERVER).public()), Expect::Psk] {
        let mut world = World::new();
        let id = world.connect(expect);
        world.run(SECOND, |flying| flying.retain(|(_, _, frame)| kind(frame) != FINISH));
        assert_eq!(world.told(CLIENT), ["opened"]);
        assert!(world.told(SERVER).is_empty() && world.ends[SERVER].connections().is_empty());
        world.ends[CLIENT].send(id, b"early").unwrap();
        world.run(3 * SECOND, |flying| flying.retain(|(_, _, frame)| kind(frame) != FINISH));
        assert!(world.told(SERVER).is_empty(), "{:?}", world.told(SERVER));
        world.run(3 * SECOND, |_| {});
        assert_eq!(world.told(SERVER), ["arrived", "opened", "delivered early"], "{expect:?}");
        world.run(100 * SECOND, |_| {});
        assert!(!world.log.iter().any(|(_, word)| word.starts_with("closed")), "{:?}", world.log);
    }
}

#[test]
fn every_frame_of_the_handshake_may_be_lost_several_times() {
    for expect in [Expect::Any, Expect::Key(keys(SERVER).public()), Expect::Psk] {
        for lost in [INITIATE, RESPOND, FINISH, SEALED] {
            let (mut world, mut left) = (World::new(), 3);
            let id = world.connect(expect);
            world.run(20 * SECOND, |flying| {
                flying.retain(|(_, _, frame)| {
                    let is_lost = kind(frame) == lost && left > 0;
                    left -= usize::from(is_lost);
                    !is_lost
                });
            });
            assert_eq!((world.told(CLIENT), world.told(SERVER)), (vec!["opened"], vec!["arrived", "opened"]), "{lost}");
            let other = world.ends[SERVER].connections()[0];
            let finish = &world.ends[CLIENT].get(id).unwrap().secured.as_ref().unwrap().finish;
            assert!(finish.is_none(), "it is not repeated any more");
            world.assert_works([id, other]);
        }
    }
}

#[test]
fn silent_peer_ends_the_handshake_in_time_and_nothing_is_left() {
    let mut world = World::new();
    world.connect(Expect::Any);
    world.run(60 * SECOND, |flying| flying.retain(|(_, _, frame)| kind(frame) != RESPOND));
    assert_eq!(world.told(CLIENT), ["closed Timeout"]);
    world.run(60 * SECOND, |_| {});
    assert!(world.told(SERVER).is_empty());
    for end in &world.ends {
        assert_eq!((end.next_deadline(), end.statistics().connections), (crate::ffi::NEVER, 0));
        assert!(end.security.handshakes.ids().is_empty());
    }
}

#[test]
fn wrong_keys_open_nothing() {
    let other = Psk::from_bytes(&[1; 32]);
    let cases = [
        (Expect::Key(keys(7).public()), options(CLIENT)),
        (Expect::Psk, Options { psk: Some(other), ..options(CLIENT) }),
    ];
    for (expect, options_of_client) in cases {
        let mut world = World::with([options_of_client, options(SERVER)]);
        world.connect(expect);
        world.run(60 * SECOND, |_| {});
        assert_eq!(world.told(CLIENT), ["closed Timeout"]);
        assert!(world.told(SERVER).is_empty());
        assert!(world.ends[SERVER].statistics().forged > 0);
        assert_eq!(world.ends[SERVER].statistics().connections, 0);
    }
}

#[test]
fn options_that_lack_keys_are_an_error() {
    let without = Options { keys: None, psk: None, ..options(0) };
    let mut router = Router::new(Datagrams::new(), without, 1);
    assert!(router.serve(&secure(), None).unwrap_err().to_string().contains("the option `keys`"));
    assert!(router.connect(at(1), &secure(), |_| {}).is_err());
    let mut router = Router::new(Datagrams::new(), Options { keys: None, ..options(0) }, 1);
    let with = |router: &mut Router<Datagrams>, expect| router.connect_expecting(at(1), &secure(), expect, |_| {});
    assert!(with(&mut router, Some(Expect::Any)).is_err());
    assert_eq!(router.statistics().connections, 0);
    with(&mut router, None).expect("by the secret");
    assert!(with(&mut router, None).is_err(), "there is one already");
    let plain = router.connect_expecting(at(1), &window(), Some(Expect::Psk), |_| {});
    assert!(plain.unwrap_err().to_string().contains("no keys"));
}

#[test]
fn plain_stack_is_served_beside_a_secure_one_only_if_that_is_wanted() {
    let stacks = [secure(), window()];
    for [one, other] in [[0, 1], [1, 0]] {
        let mut router = Router::new(Datagrams::new(), options(0), 1);
        router.serve(&stacks[one], None).unwrap();
        let error = router.serve(&stacks[other], None).unwrap_err().to_string();
        assert!(error.contains("plain_beside_secure"), "{error}");
        let mut router = Router::new(Datagrams::new(), Options { plain_beside_secure: true, ..options(0) }, 1);
        stacks.iter().for_each(|stack| router.serve(stack, None).unwrap());
    }
    let mut router = Router::new(Datagrams::new(), options(0), 1);
    router.serve(&window(), None).unwrap();
    router.serve(&newer(), None).expect("two of a kind");
}

#[test]
fn plain_and_secure_connections_work_beside_each_other() {
    let both = |end| Options { plain_beside_secure: true, ..options(end) };
    let mut world = World::with([both(CLIENT), both(SERVER)]);
    world.ends[SERVER].serve(&window(), None).unwrap();
    let plain = world.ends[CLIENT].connect(at(SERVER), &window(), |_| {}).unwrap();
    let id = world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    world.ends[CLIENT].send(plain, b"plain").unwrap();
    world.ends[CLIENT].send(id, b"secure").unwrap();
    world.run(100 * SECOND, |_| {});
    let told = world.told(SERVER);
    assert!(told.contains(&"delivered plain") && told.contains(&"delivered secure"), "{told:?}");
    assert_eq!(world.ends[SERVER].connections().len(), 2, "pings keep both");
}

#[test]
fn words_of_the_application_arrive_under_seal() {
    let (mut world, [id, _]) = World::connected();
    let words = Words { code: 7, text: "enough".into() };
    world.ends[CLIENT].close_with(id, words.clone()).unwrap();
    let mut clear = 0;
    world.run(10 * SECOND, |flying| {
        clear += flying.iter().filter(|(_, _, frame)| frame.windows(6).any(|part| part == b"enough")).count();
    });
    assert_eq!(clear, 0);
    assert_eq!(world.told(SERVER).last(), Some(&"closed Closed: enough (code 7)"));
    assert_eq!(world.told(CLIENT).last(), Some(&"closed Closed"));
    assert!(world.ends.iter().all(|end| end.statistics().connections == 0), "both have said that it is over");

    let (mut world, [_, other]) = World::connected();
    world.ends[SERVER].refuse(other, words).unwrap();
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT).last(), Some(&"closed Refused: enough (code 7)"));
}

#[test]
fn refusal_that_is_lost_is_repeated_under_seal() {
    let (mut world, [id, other]) = World::connected();
    world.ends[SERVER].refuse(other, Words { code: 7, text: "enough".into() }).unwrap();
    world.take();
    world.ends[CLIENT].send(id, b"still there?").unwrap();
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT).last(), Some(&"closed Refused: enough (code 7)"));
}

#[test]
fn restarted_client_replaces_its_connection_wherever_it_is_now() {
    let (mut world, _) = World::connected();
    world.places.push(at(8));
    let mut again = Router::new(Datagrams::new(), Options { seed: Some(999), ..options(CLIENT) }, world.now);
    again.connect_expecting(at(SERVER), &secure(), Some(Expect::Any), |_| {}).unwrap();
    world.ends.push(again);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(SERVER), ["arrived", "opened", "arrived", "opened", "closed Restarted"]);
    assert_eq!(world.ends[SERVER].connections().len(), 1);
}

#[test]
fn other_keys_at_the_same_address_replace_nothing() {
    let (mut world, ids) = World::connected();
    let stranger = Options { seed: Some(999), ..options(5) };
    let mut stranger = Router::new(Datagrams::new(), stranger, world.now);
    stranger.connect_expecting(at(SERVER), &secure(), Some(Expect::Any), |_| {}).unwrap();
    // It sends in the name of the client's address, and reads what goes there.
    for _ in 0..10 {
        for (_, frame) in std::mem::take(stranger.outbox_mut()) {
            world.ends[SERVER].datagram(at(CLIENT), &frame);
            world.log_events();
        }
        for (_, frame) in std::mem::take(world.ends[SERVER].outbox_mut()) {
            stranger.datagram(at(SERVER), &frame);
            super::tests::events(&mut stranger);
        }
    }
    assert_eq!(world.told(SERVER), ["arrived", "opened", "arrived", "opened"]);
    world.assert_works(ids);
}

#[test]
fn restarted_server_with_its_secret_ends_the_connections_that_it_has_forgotten() {
    for keeps in [true, false] {
        let secret = |n: u8| Some(crate::Secret([n; 16]));
        let server = Options { secret: secret(1), ..options(SERVER) };
        let mut world = World::with([options(CLIENT), server.clone()]);
        let id = world.connect(Expect::Any);
        world.run(SECOND, |_| {});
        let again = Options { seed: Some(5), secret: secret(if keeps { 1 } else { 2 }), ..server };
        let mut again = Router::new(Datagrams::new(), again, world.now);
        again.serve(&secure(), None).unwrap();
        world.ends[SERVER] = again;
        world.ends[CLIENT].send(id, b"are you there?").unwrap();
        world.run(SECOND, |_| {});
        let closed: &[&str] = if keeps { &["closed Unknown"] } else { &[] };
        assert_eq!(world.told(CLIENT)[1..], *closed);
        assert_eq!(world.ends[CLIENT].statistics().forged == 0, keeps);
        world.run(60 * SECOND, |_| {});
        assert_eq!(world.told(CLIENT).last(), Some(&if keeps { "closed Unknown" } else { "closed Timeout" }));
    }
}

#[test]
fn both_ends_may_begin_at_the_same_time() {
    for (mine, theirs) in [
        (Expect::Any, Expect::Any),
        (Expect::Key(keys(SERVER).public()), Expect::Key(keys(CLIENT).public())),
        (Expect::Any, Expect::Key(keys(CLIENT).public())),
        (Expect::Psk, Expect::Psk),
    ] {
        for seed in 0..8 {
            let with = |end: usize| Options { seed: Some(seed * 2 + end as u64), ..options(end) };
            let mut world = World::with([with(CLIENT), with(SERVER)]);
            world.ends[CLIENT].serve(&secure(), None).unwrap();
            let id = world.connect(mine);
            let other = world.ends[SERVER].connect_expecting(at(CLIENT), &secure(), Some(theirs), |_| {}).unwrap();
            // One frame is lost, another one each time.
            let mut n = 0;
            world.run(10 * SECOND, |flying| {
                flying.retain(|_| {
                    n += 1;
                    n != seed
                })
            });
            assert_eq!(world.told(CLIENT), ["opened"], "seed {seed}: {:?}", world.log);
            assert_eq!(world.told(SERVER), ["opened"], "seed {seed}: {:?}", world.log);
            assert!(world.ends.iter().all(|end| end.statistics().connections == 1));
            world.assert_works([id, other]);
        }
    }
}

#[test]
fn stack_that_is_not_served_is_reported_if_nobody_answers() {
    let mut world = World::with([options(CLIENT), options(SERVER)]);
    let mut server = Router::new(Datagrams::new(), options(SERVER), world.now);
    server.serve(&window(), None).unwrap();
    world.ends[SERVER] = server;
    world.connect(Expect::Any);
    world.run(4 * SECOND, |_| {});
    assert!(world.told(CLIENT)[0].starts_with("other stack") && world.told(CLIENT)[1] == "closed OtherStack");
    assert!(world.told(SERVER)[0].starts_with("other stack"));
}

#[test]
fn handshake_that_is_closed_or_discarded_leaves_nothing() {
    let mut world = World::new();
    let id = world.connect(Expect::Any);
    world.ends[CLIENT].close(id).unwrap();
    world.run(SECOND, |_| {});
    assert_eq!(world.told(CLIENT), ["closed Closed"]);
    let id = world.connect(Expect::Any);
    world.ends[CLIENT].discard(id);
    world.run(SECOND, |_| {});
    assert_eq!((world.told(CLIENT), world.ends[CLIENT].statistics().connections), (vec!["closed Closed"], 0));
    assert!(world.ends[CLIENT].send(id, b"").is_err_and(|error| matches!(error, Error::NoConnection)));
}

#[test]
fn silence_is_broken_by_sealed_pings() {
    let (mut world, ids) = World::connected();
    let mut plain = 0;
    world.run(300 * SECOND, |flying| {
        plain += flying.iter().filter(|(_, _, frame)| [2, 3].contains(&kind(frame))).count()
    });
    assert_eq!(plain, 0);
    assert!(world.ends[CLIENT].get(ids[0]).unwrap().round_trip.is_some());
    world.assert_works(ids);
    world.run(300 * SECOND, Vec::clear);
    assert!(world.log.iter().filter(|(_, word)| word == "closed Timeout").count() == 2, "{:?}", world.log);
}

#[test]
fn runs_with_seeds_repeat() {
    let run = |seed| {
        let with = |end: usize| Options { seed: Some(seed + end as u64), ..options(end) };
        let mut world = World::with([with(CLIENT), with(SERVER)]);
        let id = world.connect(Expect::Any);
        let mut frames = Vec::new();
        world.run(SECOND, |flying| frames.extend(flying.clone()));
        world.ends[CLIENT].send(id, b"hello").unwrap();
        world.run(10 * SECOND, |flying| frames.extend(flying.clone()));
        frames
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(3));
}

/// An initiator that does not care who answers.
#[test]
fn responder_that_is_not_meant_opens_nothing() {
    let mut server = World::with([options(CLIENT), Options { identity: 5, ..options(SERVER) }]);
    for (meant, arrives) in [(6, false), (5, true), (0, true)] {
        let label = Label { cookie: 7 + meant as u32, key: 8 };
        let own = Payload { label, identity: meant + 1, peer_identity: meant, incarnation: 8, reset: [0; 16] };
        let (pattern, suite, fingerprint) = (Pattern::Psk, Suite::X25519, secure().fingerprint());
        let parameters = Parameters { pattern, suite, fingerprint, initiator: label };
        let psk = Psk::from_bytes(&[77; 32]);
        let credentials = Credentials::of(None, Some(&psk));
        let (mut initiator, message) = Initiator::start(parameters, &credentials, own, Entropy::System).unwrap();
        let first = Initiate { proof: Label::default(), fingerprint, from: label, pattern, suite, message };
        server.deliver(at(9), at(SERVER), &first.write(Initiate::answer_len(pattern, suite)));
        let (_, _, frame) = server.take().remove(0);
        let Some(SecureControl::Respond(respond)) = SecureControl::read(&frame) else { panic!("an answer") };
        let (peer, key) = initiator.read(&respond.message).unwrap();
        let (_, message) = initiator.finish(peer, key, &Finish::head(peer.label)).unwrap();
        server.deliver(at(9), at(SERVER), &Finish { to: peer.label, message }.write());
        server.take();
        let arrived = server.log.iter().any(|(_, word)| word == "arrived");
        server.log.clear();
        assert_eq!((arrived, peer.identity), (arrives, 5), "{meant}");
    }
}

#[test]
fn identities_that_are_not_meant_open_nothing() {
    let mut world = World::with([options(CLIENT), Options { identity: 5, ..options(SERVER) }]);
    let mean = |world: &mut World, identity| {
        let set = |config: &mut crate::instance::Config| {
            config.set("floor.peer_identity", identity);
            config.set("floor.identity", identity + 100);
        };
        world.ends[CLIENT].connect_expecting(at(SERVER), &secure(), Some(Expect::Any), set).unwrap()
    };
    mean(&mut world, 6);
    world.run(SECOND, |_| {});
    assert_eq!((world.told(CLIENT), world.told(SERVER)), (vec!["closed Unknown"], vec![]));
    mean(&mut world, 5);
    world.run(SECOND, |_| {});
    assert_eq!(world.told(SERVER), ["arrived", "opened"]);
}
