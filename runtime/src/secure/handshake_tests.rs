//! The handshake without a network: what both ends agree on, and that nothing but the right messages goes through.

use super::handshake::*;
use super::keys::{Keys, Psk, PublicKey};
use super::noise::{Credentials, Failure, Parameters, Pattern, Suite};
use super::payload::Payload;
use crate::wire::Label;

const PATTERNS: [Pattern; 3] = [Pattern::Xx, Pattern::Ik, Pattern::Psk];
const SUITES: [Suite; 2] = [Suite::Hybrid, Suite::X25519];
/// What the frames of message 3 begin with.
const HEAD: &[u8] = b"head of the frame";

struct Ends {
    client: Keys,
    server: Keys,
    expected: PublicKey,
    psks: [Psk; 2],
    parameters: [Parameters; 2],
}

fn payload(who: u32) -> Payload {
    let label = Label { cookie: who, key: who + 7 };
    Payload { label, identity: who.into(), peer_identity: 0, incarnation: u64::from(who) << 8, reset: [who as u8; 16] }
}

fn ends(pattern: Pattern, suite: Suite) -> Ends {
    let (client, server) = (Keys::from_bytes(&[3; 32]), Keys::from_bytes(&[4; 32]));
    let parameters = Parameters { pattern, suite, fingerprint: 5, initiator: payload(1).label };
    let psk = Psk::from_bytes(&[9; 32]);
    let expected = server.public();
    Ends { client, server, expected, psks: [psk.clone(), psk], parameters: [parameters; 2] }
}

impl Ends {
    fn initiator(&self) -> (Initiator, Vec<u8>) {
        let credentials =
            Credentials { keys: Some(&self.client), psk: Some(&self.psks[0]), expected: Some(&self.expected) };
        Initiator::start(self.parameters[0], &credentials, payload(1), Entropy::Seed([1; 32])).unwrap()
    }

    fn responder(&self, message: &[u8]) -> Result<(Responder, Vec<u8>), Failure> {
        let credentials = Credentials::of(Some(&self.server), Some(&self.psks[1]));
        Responder::start(&self.parameters[1], &credentials, payload(2), Entropy::Seed([2; 32]), message)
    }
}

fn are_matched(one: &Agreed, other: &Agreed) -> bool {
    one.sealing.0 == other.opening.0 && one.opening.0 == other.sealing.0
}

fn each(mut run: impl FnMut(Pattern, Suite)) {
    PATTERNS.iter().for_each(|pattern| SUITES.iter().for_each(|suite| run(*pattern, *suite)));
}

#[test]
fn both_ends_agree_and_know_each_other() {
    each(|pattern, suite| {
        let ends = ends(pattern, suite);
        let (mut initiator, first) = ends.initiator();
        let (mut responder, second) = ends.responder(&first).unwrap();
        if let Responder::Unconfirmed(waiting) = &responder {
            assert_eq!(waiting.0.peer.reset, [0; 16], "the token is not in message 1");
        }
        let (peer, key) = initiator.read(&second).unwrap();
        assert_eq!(peer, payload(2));
        let (mut one, third) = initiator.finish(peer, key, HEAD).unwrap();
        let mut other = responder.finish(&ends.parameters[1], HEAD, &third).unwrap();
        assert!(are_matched(&one, &other) && one.sealing.0 != one.opening.0, "{pattern:?} {suite:?}");
        assert_eq!(other.peer, payload(1));
        let known = |key| (pattern != Pattern::Psk).then_some(key);
        let (server, client) = (ends.server.public(), ends.client.public());
        assert_eq!((one.peer_key, other.peer_key), (known(server), known(client)));
        let number = one.channel.next_number().unwrap();
        let sealed = one.channel.seal(number, HEAD, b"inner");
        assert!(other.channel.open(number, HEAD, &sealed).is_some() && one.sealing.0 != one.opening.0);
        assert!(responder.finish(&ends.parameters[1], HEAD, &third).is_err(), "it was used up");
    });
}

#[test]
fn first_flight_fits_and_answers_are_no_longer_than_it_may_be() {
    each(|pattern, suite| {
        let ends = ends(pattern, suite);
        let (mut initiator, first) = ends.initiator();
        let (_, second) = ends.responder(&first).unwrap();
        assert!(first.len() + 32 <= 1_400 && second.len() + 22 <= 1_400, "{pattern:?} {}", first.len());
        let (peer, key) = initiator.read(&second).unwrap();
        assert!(initiator.finish(peer, key, HEAD).unwrap().1.len() <= 112);
    });
}

/// The message with each byte changed, cut at each place, and made longer.
fn spoilt(message: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let flipped = (0..message.len()).map(|at| {
        let mut spoilt = message.to_vec();
        spoilt[at] ^= 1 << (at % 8);
        spoilt
    });
    let cut = (0..message.len()).map(|len| message[..len].to_vec());
    flipped.chain(cut).chain([[message, &[0]].concat()])
}

#[test]
fn every_changed_message_fails_and_the_right_one_still_goes_through() {
    each(|pattern, suite| {
        let ends = ends(pattern, suite);
        let (mut initiator, first) = ends.initiator();
        for first in spoilt(&first) {
            // XX: the first message is in clear, so the second shows that it was changed.
            if let Ok((_, second)) = ends.responder(&first) {
                assert_eq!(pattern, Pattern::Xx);
                assert!(initiator.read(&second).is_err());
            }
        }
        let (mut responder, second) = ends.responder(&first).unwrap();
        for second in spoilt(&second) {
            assert!(initiator.read(&second).is_err());
        }
        let (peer, key) = initiator.read(&second).expect("the right one, after all");
        let (one, third) = initiator.finish(peer, key, HEAD).unwrap();
        for third in spoilt(&third) {
            assert!(responder.finish(&ends.parameters[1], HEAD, &third).is_err());
        }
        if pattern != Pattern::Xx {
            assert!(responder.finish(&ends.parameters[1], b"another", &third).is_err());
        }
        let other = responder.finish(&ends.parameters[1], HEAD, &third).expect("the right one, after all");
        assert!(are_matched(&one, &other), "{pattern:?} {suite:?}");
    });
}

/// Whether both ends get through.
fn goes_through(ends: &Ends) -> bool {
    let (mut initiator, first) = ends.initiator();
    let Ok((mut responder, second)) = ends.responder(&first) else { return false };
    let Ok((peer, key)) = initiator.read(&second) else { return false };
    let (_, third) = initiator.finish(peer, key, HEAD).unwrap();
    responder.finish(&ends.parameters[1], HEAD, &third).is_ok()
}

#[test]
fn ends_that_do_not_mean_the_same_do_not_agree() {
    each(|pattern, suite| {
        assert!(goes_through(&ends(pattern, suite)));
        let with = |change: &dyn Fn(&mut Ends)| {
            let mut ends = ends(pattern, suite);
            change(&mut ends);
            goes_through(&ends)
        };
        let other_suite = if suite == Suite::Hybrid { Suite::X25519 } else { Suite::Hybrid };
        let other_pattern = PATTERNS[(pattern as usize + 1) % 3];
        assert!(!with(&|ends| ends.parameters[1].fingerprint += 1), "another stack");
        assert!(!with(&|ends| ends.parameters[1].initiator.key += 1), "another label");
        assert!(!with(&|ends| ends.parameters[1].initiator.cookie += 1), "another label");
        assert!(!with(&|ends| ends.parameters[1].suite = other_suite), "another suite");
        assert!(!with(&|ends| ends.parameters[1].pattern = other_pattern), "another pattern");
        assert_eq!(with(&|ends| ends.psks[1] = Psk::from_bytes(&[8; 32])), pattern != Pattern::Psk, "another secret");
        assert_eq!(with(&|ends| ends.expected = ends.client.public()), pattern != Pattern::Ik, "another key");
        // The initiator's label in its payload is another one than in clear.
        assert!(!with(&|ends| ends.parameters.iter_mut().for_each(|both| both.initiator.key += 1)));
    });
}

#[test]
fn missing_keys_are_no_handshake() {
    let parameters = |pattern| ends(pattern, Suite::X25519).parameters[0];
    let none = Credentials::of(None, None);
    for pattern in PATTERNS {
        assert!(Initiator::start(parameters(pattern), &none, payload(1), Entropy::System).is_err());
        let (_, first) = ends(pattern, Suite::X25519).initiator();
        let started = Responder::start(&parameters(pattern), &none, payload(2), Entropy::System, &first);
        assert!(started.is_err());
    }
    let own = Keys::from_bytes(&[1; 32]);
    let unexpected = Credentials::of(Some(&own), None);
    assert!(Initiator::start(parameters(Pattern::Ik), &unexpected, payload(1), Entropy::System).is_err());
}

#[test]
fn points_of_small_order_are_refused() {
    let ends = ends(Pattern::Xx, Suite::X25519);
    for point in [[0; 32], std::array::from_fn(|at| u8::from(at == 0))] {
        assert!(ends.responder(&point).is_err());
    }
}

#[test]
fn suite_without_kem_repeats_and_the_systems_randomness_does_not() {
    let messages = |suite| {
        let ends = ends(Pattern::Xx, suite);
        let (_, first) = ends.initiator();
        let second = ends.responder(&first).unwrap().1;
        (first, second)
    };
    assert_eq!(messages(Suite::X25519), messages(Suite::X25519));
    assert_ne!(messages(Suite::Hybrid), messages(Suite::Hybrid));
    let ends = ends(Pattern::Xx, Suite::X25519);
    let credentials = Credentials::of(Some(&ends.client), None);
    let begin = || Initiator::start(ends.parameters[0], &credentials, payload(1), Entropy::System).unwrap().1;
    assert_ne!(begin(), begin());
}
