//! No key seals two messages with the same nonce: over changed keys, epochs and numbers that wrap around, the last number, and
//! restarts. And the detector finds layers and hosts that do.

use std::path::Path;
use std::sync::Arc;

use nacre_stack::Stack;
use nacre_tests::keyed::{open_pair, Host};
use nacre_tests::library::{find, open};
use nacre_tests::pair::Pair;
use nacre_tests::root;

const KEYS: [[u8; 32]; 2] = [[1; 32], [2; 32]];

/// Messages in both directions, of which some are lost.
fn talk(pair: &mut Pair, messages: usize) {
    for n in 0..messages {
        let data = (n as u32).to_le_bytes();
        if n % 5 == 3 {
            pair.send_lost(0, &data)
        } else {
            pair.send(0, &data)
        }
        pair.send(1, &data);
    }
}

fn stack(name: &str) -> Stack {
    find(name).compose().1
}

#[test]
fn keys_and_epochs_that_are_replaced_meet_no_nonce_twice() {
    let host = Arc::new(Host::default());
    let mut pair = open_pair(&stack("encrypt_renewing"), &host, KEYS);
    talk(&mut pair, 600);
    assert!(host.keys() > 512, "epochs wrapped around: {} keys", host.keys());
    assert!(host.sealed() >= 1200, "{}", host.sealed());
    assert_eq!(host.reused(), Vec::<Vec<u8>>::new());
    assert_eq!(pair.outputs_of(0, "deliver").len(), 600);
}

#[test]
fn retransmitted_messages_have_nonces_of_their_own() {
    let host = Arc::new(Host::default());
    let mut pair = open_pair(&stack("secure"), &host, KEYS);
    // As many as are granted at first: after a loss no more are.
    for n in 0..10u8 {
        pair.send_lost(0, &[n]);
        pair.wait(0);
        pair.send(1, &[n]);
    }
    assert!(host.sealed() >= 30, "{}", host.sealed());
    assert_eq!(host.reused(), Vec::<Vec<u8>>::new());
    assert_eq!(pair.outputs_of(1, "deliver").len(), 10);
}

#[test]
fn nothing_is_sealed_after_the_last_number() {
    let host = Arc::new(Host::default());
    let mut pair = open_pair(&stack("encrypt_brief"), &host, KEYS);
    talk(&mut pair, 10);
    assert_eq!((host.sealed(), host.reused().len()), (6, 0));
    assert_eq!(pair.outputs_of(0, "closed").len(), 1);
    assert_eq!(pair.outputs_of(1, "closed").len(), 1);
}

#[test]
fn restart_with_new_keys_meets_no_nonce_twice_and_with_old_ones_is_detected() {
    let host = Arc::new(Host::default());
    let stack = stack("encrypt_alone");
    for first in [1, 3, 5] {
        talk(&mut open_pair(&stack, &host, [[first; 32], [first + 1; 32]]), 20);
    }
    assert_eq!((host.sealed(), host.reused().len()), (120, 0));
    talk(&mut open_pair(&stack, &host, KEYS), 1);
    assert_eq!(host.reused().len(), 2, "both directions, nonce 0");
}

/// The stack `encrypt_alone` of a copy of the library in which a mistake was made.
fn mistaken(folder: &Path, right: &str, wrong: &str) -> Stack {
    let copied = std::process::Command::new("cp").arg("-r").arg(root().join("layers")).arg(folder).status();
    assert!(copied.expect("cp runs").success());
    let path = folder.join("layers/encrypt/encrypt.nacre");
    let text = std::fs::read_to_string(&path).expect("readable");
    assert_eq!(text.matches(right).count(), 1, "{right}");
    std::fs::write(&path, text.replace(right, wrong)).expect("writable");
    let mut session = open(&folder.join("layers/encrypt/tests.nacre"));
    session.stack("encrypt_alone").expect("it composes")
}

#[test]
fn layer_that_uses_a_number_twice_is_detected() {
    for (right, wrong) in [
        ("        sent += 1;\n", ""),
        ("[0, 0, 0, 0] ++ (number as u64).bytes", "[0, 0, 0, 0] ++ (number >> 1 as u64).bytes"),
        ("[0, 0, 0, 0] ++ (number as u64).bytes", "zeroes"),
    ] {
        let wrong = wrong.replace("number >> 1 as u64", "(number / 2) as u64");
        let folder = tempfile::tempdir().expect("a folder");
        let host = Arc::new(Host::default());
        let mut pair = open_pair(&mistaken(folder.path(), right, &wrong), &host, KEYS);
        pair.send_lost(0, b"one");
        pair.send_lost(0, b"two");
        assert_eq!(host.reused().len(), 1, "{wrong}");
    }
}
