//! An attacker on path without keys: it reads every frame, and sends whatever it likes from any address, before and
//! after the right frames. Nothing is delivered that the peer has not sent, and nothing ends.

use super::secure_world::*;
use super::*;
use crate::error::Words;
use crate::secure::keys::Expect;
use crate::secure::noise::{Pattern, Suite};
use crate::support::{secure, window};
use crate::wire::secure::{Finish, Initiate, Reset, Respond, Sealed, SecureControl, INITIATE, RESPOND, SEALED};
use crate::wire::{Control, Ending, Label, Preamble};

const EXPECTED: [fn() -> Expect; 3] = [|| Expect::Any, || Expect::Key(keys(SERVER).public()), || Expect::Psk];

/// The frame with each byte changed, cut at each place, and made longer.
fn spoilt(frame: &[u8]) -> Vec<Vec<u8>> {
    let flipped = (0..frame.len()).map(|at| {
        let mut spoilt = frame.to_vec();
        spoilt[at] ^= 1 << (at % 8);
        spoilt
    });
    let cut = (0..frame.len()).map(|len| frame[..len].to_vec());
    flipped.chain(cut).chain([[frame, &[0]].concat(), [frame, &[7; 40]].concat()]).collect()
}

/// Every control frame that can be made without keys, for a label.
fn forged(label: Label, theirs: Label) -> Vec<Vec<u8>> {
    let words = Words { code: 1, text: "forged".into() };
    let ended = [Ending::Busy, Ending::Refused, Ending::Farewell, Ending::Over];
    let plain = [
        Control::Refused { to: label, fingerprint: secure().fingerprint(), serves: 0, served: vec![] },
        Control::Unknown { unknown: theirs },
        Control::Ping { to: label, token: 9 },
        Control::Pong { cookie: label.cookie, token: 9 },
        Control::Retry { to: label, label: Label { cookie: 5, key: 6 } },
    ];
    let ended = ended.into_iter().map(|why| Control::Ended { to: label, why, words: words.clone() });
    let mut frames: Vec<Vec<u8>> = plain.into_iter().chain(ended).filter_map(|it| it.write(usize::MAX)).collect();
    let message = vec![3; 96];
    frames.push(Respond { to: label, from: Label { cookie: 7, key: 7 }, message: message.clone() }.write());
    frames.push(Finish { to: label, message: message.clone() }.write());
    frames.push(Finish { to: label, message: vec![0; 16] }.write());
    frames.extend([1, 2, u64::MAX].map(|number| Sealed { to: label, number, sealed: vec![4; 25] }.write()));
    frames.extend(Reset { unknown: theirs, token: [0; 16] }.write(100));
    let short = [&(label.cookie << 8).to_le_bytes()[..], &label.key.to_le_bytes(), &[1; 60]].concat();
    frames.extend([short.clone(), [&[1], &short[1..]].concat()]);
    frames
}

/// The labels that a frame names: of its receiver, and of its sender.
fn labels(frame: &[u8]) -> [Label; 2] {
    match SecureControl::read(frame) {
        Some(SecureControl::Initiate(it)) => [Label::default(), it.from],
        Some(SecureControl::Respond(it)) => [it.to, it.from],
        Some(SecureControl::Finish(it)) => [it.to, Label::default()],
        Some(SecureControl::Sealed(it)) => [it.to, Label::default()],
        _ => {
            let cookie = Preamble::read(frame).map_or(0, |preamble| preamble.cookie);
            [Label { cookie, key: crate::wire::short_key(frame) }, Label::default()]
        }
    }
}

/// Adds to what flies everything that an attacker makes of it, before the right frames.
fn attack(flying: &mut Flying, seen: &mut Flying, limit: usize) {
    let mut all = Flying::new();
    for (from, to, frame) in flying.drain(..) {
        let [theirs, own] = labels(&frame);
        all.extend(spoilt(&frame).into_iter().take(limit).map(|frame| (from, to, frame)));
        all.push((to, from, frame.clone()));
        all.push((at(9), to, frame.clone()));
        all.extend(forged(theirs, own).into_iter().map(|frame| (from, to, frame)));
        all.extend(forged(own, theirs).into_iter().map(|frame| (to, from, frame)));
        all.extend(seen.iter().cloned());
        all.push((from, to, frame.clone()));
        if seen.len() < 30 {
            seen.push((from, to, frame));
        }
    }
    *flying = all;
}

fn assert_untouched(world: &World) {
    let wrong =
        |word: &str| ["closed", "other stack: this endpoint runs", "moved"].iter().any(|it| word.starts_with(it));
    assert!(!world.log.iter().any(|(_, word)| wrong(word) || word.contains("forged")), "{:?}", world.log);
}

#[test]
fn handshake_goes_through_whatever_is_added_to_it() {
    for expect in EXPECTED {
        let mut world = World::new();
        let id = world.connect(expect());
        let (mut seen, mut rounds) = (Flying::new(), 0);
        world.run(2 * SECOND, |flying| {
            rounds += 1;
            if rounds < 12 {
                attack(flying, &mut seen, 500);
            }
        });
        assert_untouched(&world);
        // Forged first frames of other stacks are reported; they concern no connection.
        world.log.retain(|(_, word)| !word.starts_with("other stack"));
        assert_eq!(world.told(CLIENT), ["opened"]);
        assert_eq!(world.told(SERVER), ["arrived", "opened"]);
        let all = world.ends[SERVER].connections();
        assert_eq!(all.len(), 1);
        assert!(world.ends[SERVER].statistics().forged > 0 && world.ends[CLIENT].statistics().forged > 0);
        world.assert_works([id, all[0]]);
    }
}

#[test]
fn open_connection_stays_whatever_is_added_to_it() {
    let (mut world, ids) = World::connected();
    let mut seen = Flying::new();
    for n in 0..3u8 {
        world.ends[CLIENT].send(ids[0], &[b'a' + n; 3]).unwrap();
        world.ends[SERVER].send(ids[1], &[b'A' + n; 3]).unwrap();
        let mut rounds = 0;
        world.run(SECOND, |flying| {
            rounds += 1;
            if rounds < 6 {
                attack(flying, &mut seen, usize::MAX);
            }
        });
    }
    // Pings, too.
    let mut rounds = 0;
    world.run(20 * SECOND, |flying| {
        rounds += 1;
        if rounds < 20 {
            attack(flying, &mut seen, usize::MAX);
        }
    });
    assert_untouched(&world);
    world.log.retain(|(_, word)| !word.starts_with("other stack"));
    assert_eq!(world.told(SERVER)[2..], ["delivered aaa", "delivered bbb", "delivered ccc"]);
    assert_eq!(world.told(CLIENT)[1..], ["delivered AAA", "delivered BBB", "delivered CCC"]);
    assert_eq!(world.ends[SERVER].get(ids[1]).unwrap().peer.address, at(CLIENT), "nor does it move");
    world.assert_works(ids);
}

#[test]
fn refusal_of_anybody_is_believed_only_if_the_peer_says_nothing() {
    let words = Words::default();
    let (fingerprint, ids) = (secure().fingerprint(), |label| {
        [
            Control::Refused { to: label, fingerprint: secure().fingerprint(), serves: 0, served: vec![] },
            Control::Ended { to: label, why: Ending::Busy, words: Words::default() },
        ]
    });
    let reasons = ["closed OtherStack", "closed Busy"];
    for (kind_of_refusal, reason) in reasons.iter().enumerate() {
        for is_answered in [true, false] {
            let mut world = World::new();
            world.connect(Expect::Any);
            world.run(4 * SECOND, |flying| {
                for (from, to, frame) in std::mem::take(flying) {
                    if let Some(SecureControl::Initiate(it)) = SecureControl::read(&frame) {
                        let forged = ids(it.from)[kind_of_refusal].write(usize::MAX).unwrap();
                        flying.push((to, from, forged));
                    }
                    if is_answered || kind(&frame) != RESPOND {
                        flying.push((from, to, frame));
                    }
                }
            });
            match is_answered {
                true => assert_eq!(world.told(CLIENT), ["opened"]),
                false => assert_eq!(world.told(CLIENT).last(), Some(reason)),
            }
        }
    }
    let mut world = World::new();
    world.connect(Expect::Any);
    let label = labels(&world.take()[0].2)[1];
    let other = Control::Refused { to: label, fingerprint: fingerprint ^ 1, serves: 0, served: vec![] };
    let refused = Control::Ended { to: label, why: Ending::Refused, words };
    let other_label = Label { key: label.key ^ 1, ..label };
    let busy = Control::Ended { to: other_label, why: Ending::Busy, words: Words::default() };
    for control in [other, refused, busy] {
        world.deliver(at(SERVER), at(CLIENT), &control.write(usize::MAX).unwrap());
    }
    world.run(5 * SECOND, |flying| flying.retain(|(_, _, frame)| kind(frame) != RESPOND));
    assert!(world.told(CLIENT).is_empty(), "another stack, a word of the application, another label");
}

#[test]
fn changed_first_frames_never_lead_to_less() {
    let fingerprint = window().fingerprint();
    let changes: [fn(&mut Initiate, u64); 5] = [
        |it, plain| it.fingerprint = plain,
        |it, _| it.pattern = Pattern::Psk,
        |it, _| it.suite = Suite::X25519,
        |it, _| it.from.key ^= 1,
        |it, _| it.message[0] ^= 1,
    ];
    for change in changes {
        let both = |end| Options { plain_beside_secure: true, hybrid: true, ..options(end) };
        let mut world = World::with([both(CLIENT), both(SERVER)]);
        world.ends[SERVER].serve(&window(), None).unwrap();
        world.connect(Expect::Any);
        let mut left = 3;
        world.run(SECOND, |flying| {
            for (_, _, frame) in flying.iter_mut().filter(|(_, _, frame)| kind(frame) == INITIATE) {
                let Some(SecureControl::Initiate(mut it)) = SecureControl::read(frame) else { continue };
                if left > 0 {
                    left -= 1;
                    change(&mut it, fingerprint);
                    *frame = it.write(frame.len());
                }
            }
        });
        assert_eq!((left, world.told(CLIENT)), (0, vec!["opened"]));
        let opened: Vec<&str> = world.told(SERVER).into_iter().filter(|word| !word.starts_with("other")).collect();
        assert_eq!(opened, ["arrived", "opened"], "of the right one, and of no other");
        let server = &world.ends[SERVER];
        let kinds: Vec<bool> = server.connections.iter().map(|it| it.instance.stack().is_secure()).collect();
        assert_eq!(kinds, [true]);
    }
}

#[test]
fn nobody_makes_an_end_agree_with_itself() {
    for expect in EXPECTED {
        let mut world = World::new();
        world.ends[CLIENT].serve(&secure(), None).unwrap();
        world.connect(expect());
        // All that the client sends comes back, as if it were the server's.
        world.run(60 * SECOND, |flying| {
            let sent: Flying = flying.drain(..).filter(|(from, _, _)| *from == at(CLIENT)).collect();
            flying.extend(sent.into_iter().map(|(from, to, frame)| (to, from, frame)));
        });
        assert_eq!(world.told(CLIENT), ["closed Timeout"]);
        assert_eq!(world.ends[CLIENT].statistics().agreements, 0);
    }
}

#[test]
fn identified_frames_and_greetings_do_not_reach_a_secure_stack() {
    let (mut world, ids) = World::connected();
    let mut plain = Router::new(Datagrams::new(), Options { seed: Some(3), ..Options::default() }, world.now);
    plain.connect(at(SERVER), &window(), |_| {}).unwrap();
    let (_, mut greeting) = plain.outbox_mut().remove(0);
    greeting[4..12].copy_from_slice(&secure().fingerprint().to_le_bytes());
    let label = world.label(SERVER, ids[1]);
    for known in [false, true] {
        if known {
            greeting[1..4].copy_from_slice(&label.cookie.to_le_bytes()[..3]);
            greeting[40..44].copy_from_slice(&label.key.to_le_bytes());
        }
        world.deliver(at(CLIENT), at(SERVER), &greeting);
        world.deliver(at(9), at(SERVER), &greeting);
    }
    assert_eq!(world.ends[SERVER].statistics().insecure, 4);
    assert_eq!(world.told(SERVER), ["arrived", "opened"]);
    assert!(world.take().is_empty(), "no answer");
    world.assert_works(ids);
}

#[test]
fn frames_of_one_connection_have_no_effect_on_another() {
    let (mut world, [_, first]) = World::connected();
    let mut recorded = Flying::new();
    let client = world.ends[CLIENT].connections()[0];
    world.ends[CLIENT].send(client, b"once").unwrap();
    world.run(10 * SECOND, |flying| recorded.extend(flying.iter().cloned()));
    assert!(recorded.iter().any(|(_, _, frame)| kind(frame) == SEALED));
    world.ends[CLIENT].discard(client);
    let id = world.connect(Expect::Any);
    world.run(SECOND, |_| {});
    let second = world.ends[SERVER].connections()[0];
    assert_ne!(first, second);
    let to = [world.label(CLIENT, id), world.label(SERVER, second)];
    let before = world.log.len();
    for (from, dest, mut frame) in recorded {
        let label = to[usize::from(dest == at(SERVER))];
        frame[1..4].copy_from_slice(&label.cookie.to_le_bytes()[..3]);
        let key = if frame[0] == 0xfe { 8..12 } else { 4..8 };
        frame[key].copy_from_slice(&label.key.to_le_bytes());
        world.deliver(from, dest, &frame);
    }
    assert_eq!(world.log[before..], []);
    world.assert_works([id, second]);
}

#[test]
fn token_of_a_live_connection_is_told_to_nobody() {
    let (mut world, [client, server]) = World::connected();
    let label = world.label(SERVER, server);
    let short = [&(label.cookie << 8).to_le_bytes()[..], &label.key.to_le_bytes(), &[1; 60]].concat();
    let sealed = Sealed { to: label, number: 1, sealed: vec![1; 40] }.write();
    for frame in [&short, &sealed] {
        for from in [at(CLIENT), at(9)] {
            world.deliver(from, at(SERVER), frame);
        }
    }
    let unknown = crate::wire::Control::Unknown { unknown: label }.write(100).unwrap();
    let token = world.ends[SERVER].security.token(label);
    let answers = world.take();
    assert!(answers.iter().all(|(_, _, frame)| !frame.windows(16).any(|part| part == token)));
    assert!(answers.iter().all(|(_, _, frame)| *frame != unknown), "{answers:?}");
    // Once it has ended, the token ends it at the other end, too.
    world.ends[SERVER].discard(server);
    world.deliver(at(9), at(SERVER), &short);
    let answers = world.take();
    assert!(answers.len() == 1 && answers[0].2.len() <= short.len() && answers[0].2.ends_with(&token));
    world.deliver(at(9), at(CLIENT), &answers[0].2);
    assert_eq!(world.told(CLIENT), ["opened"], "from another address it means nothing");
    world.deliver(at(SERVER), at(CLIENT), &answers[0].2);
    assert_eq!(world.told(CLIENT), ["opened", "closed Unknown"]);
    assert!(world.ends[CLIENT].get(client).is_err());
}

#[test]
fn answers_before_the_handshake_is_over_are_no_longer_than_their_cause() {
    let mut world = World::new();
    world.connect(Expect::Any);
    let (_, _, frame) = world.take().remove(0);
    for len in 0..frame.len() + 200 {
        let mut spoilt = frame.clone();
        spoilt.resize(len, 0);
        world.deliver(at(100 + len % 100), at(SERVER), &spoilt);
        let answers = world.take();
        let total: usize = answers.iter().map(|(_, _, frame)| frame.len()).sum();
        assert!(total <= len, "{total} bytes in answer to {len}");
        assert_eq!(total > 0, len >= frame.len());
    }
    assert_eq!(world.ends[SERVER].connections().len(), 0);
    let all = world.ends[SERVER].statistics();
    assert_eq!((all.arrived, all.forged), (0, 0));
    assert_eq!(kind(&frame), INITIATE);
}
