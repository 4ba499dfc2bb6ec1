//! What a handshake and the AEAD cost. Prints figures; `cargo test --release -p nacre-runtime costs -- --ignored
//! --nocapture` measures.

use super::aead::{nacre_seal, nacre_unseal};
use super::handshake::{Entropy, Initiator, Responder};
use super::keys::{Keys, Psk};
use super::noise::{Credentials, Parameters, Pattern, Suite};
use super::payload::Payload;
use crate::wire::Label;

/// This thread's time on a processor, in nanoseconds.
fn used() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is writable.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Microseconds of processor time of the initiator and of the responder, of one handshake of many.
fn handshake(pattern: Pattern, suite: Suite) -> [f64; 2] {
    const ROUNDS: u32 = 200;
    let (client, server, psk) = (Keys::from_bytes(&[1; 32]), Keys::from_bytes(&[2; 32]), Psk::from_bytes(&[3; 32]));
    let label = Label { cookie: 1, key: 2 };
    let payload = Payload { label, identity: 0, peer_identity: 0, incarnation: 2, reset: [0; 16] };
    let parameters = Parameters { pattern, suite, fingerprint: 3, initiator: label };
    let expected = server.public();
    let mut spent = [0; 2];
    for _ in 0..ROUNDS {
        let own = Credentials { keys: Some(&client), psk: Some(&psk), expected: Some(&expected) };
        let at = [used(), 0, 0, 0, 0];
        let (mut initiator, first) = Initiator::start(parameters, &own, payload, Entropy::System).unwrap();
        let at = [at[0], used(), 0, 0, 0];
        let theirs = Credentials::of(Some(&server), Some(&psk));
        let (mut responder, second) = Responder::start(&parameters, &theirs, payload, Entropy::System, &first).unwrap();
        let at = [at[0], at[1], used(), 0, 0];
        let (peer, key) = initiator.read(&second).unwrap();
        let (_, third) = initiator.finish(peer, key, b"head").unwrap();
        let at = [at[0], at[1], at[2], used(), 0];
        responder.finish(&parameters, b"head", &third).unwrap();
        spent[0] += at[1] - at[0] + at[3] - at[2];
        spent[1] += at[2] - at[1] + used() - at[3];
    }
    spent.map(|all| all as f64 / f64::from(ROUNDS) / 1000.0)
}

#[test]
#[ignore = "a measurement"]
fn handshake_costs() {
    for (suite, name) in [(Suite::Hybrid, "X25519 and ML-KEM-768"), (Suite::X25519, "X25519 alone")] {
        for (pattern, pattern_name) in [(Pattern::Xx, "XX"), (Pattern::Ik, "IK"), (Pattern::Psk, "NNpsk0")] {
            let [initiator, responder] = handshake(pattern, suite);
            println!(
                "{pattern_name}, {name}: {initiator:.0} µs for the initiator, {responder:.0} µs for the responder"
            );
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn sealing_costs() {
    const ROUNDS: u32 = 200_000;
    let (key, nonce, also) = ([1; 32], [2; 12], [3; 8]);
    for len in [16u32, 64, 256, 1024, 1400] {
        let (plain, mut sealed, mut opened) = (vec![1u8; len as usize], vec![0u8; 1500], vec![0u8; 1500]);
        let begin = used();
        for _ in 0..ROUNDS {
            // SAFETY: all have the lengths that are stated.
            unsafe {
                let (m, to) = (plain.as_ptr(), sealed.as_mut_ptr());
                std::hint::black_box(nacre_seal(key.as_ptr(), nonce.as_ptr(), also.as_ptr(), m, len, to, 1500));
            }
        }
        let middle = used();
        for _ in 0..ROUNDS {
            // SAFETY: as above.
            unsafe {
                let (m, to) = (sealed.as_ptr(), opened.as_mut_ptr());
                std::hint::black_box(nacre_unseal(key.as_ptr(), nonce.as_ptr(), also.as_ptr(), m, len + 16, to, 1500));
            }
        }
        let each = |spent: u64| spent as f64 / f64::from(ROUNDS);
        println!("{len} bytes: {:.0} ns to seal, {:.0} ns to open", each(middle - begin), each(used() - middle));
    }
}

#[test]
#[ignore = "a measurement"]
fn expansion_costs() {
    use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce, UnboundKey, CHACHA20_POLY1305};
    const ROUNDS: u32 = 200_000;
    let make = || LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, &[1; 32]).unwrap());
    let begin = used();
    for _ in 0..ROUNDS {
        std::hint::black_box(make());
    }
    let middle = used();
    let key = make();
    let mut sealed = [0; 32];
    for _ in 0..ROUNDS {
        let (data, tag) = sealed.split_at_mut(16);
        let nonce = Nonce::assume_unique_for_key([2; 12]);
        key.seal_out_of_place_scatter(nonce, Aad::from([3; 8]), &[1; 16], data, &[], tag).unwrap();
    }
    let each = |spent: u64| spent as f64 / f64::from(ROUNDS);
    println!("{:.0} ns for a key, {:.0} ns to seal 16 bytes with it", each(middle - begin), each(used() - middle));
}
