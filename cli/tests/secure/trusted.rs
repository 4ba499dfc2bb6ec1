//! First contacts, known peers and pinned keys.

use std::fs;

use crate::party::{file, User};

#[test]
fn first_contact_is_a_warning_and_the_key_is_remembered() {
    let (alice, bob) = (User::new(), User::new());
    let mut receiver = alice.receiver(&[]);
    let key = receiver.hear("own key").split(' ').nth(2).expect("a key").to_string();
    assert!(receiver.heard.contains("made new keys in") && alice.key() == key, "{}", receiver.heard);
    let file = file(&bob, "f", 5000);
    let (status, out, err) = bob.send(&file, &receiver.address, &[]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(err.contains("made new keys in"), "{err}");
    assert!(err.contains(&format!("warning: first contact with {}", receiver.address)), "{err}");
    assert!(err.contains(&format!("its key  {key}")), "{err}");
    assert!(out.contains(&format!("peer     key {key}; encrypted")), "{out}");
    assert_eq!(bob.known_peers(), format!("{} {key}\n", receiver.address));
    let connected = receiver.hear("has connected");
    assert!(connected.contains(&format!("with key {}...", &bob.key()[..12])), "{connected}");

    let (status, value, err) = bob.send_json(&file, &receiver.address, &[]);
    assert!(status == 0 && !err.contains("first contact") && !err.contains("made new keys"), "{err}");
    assert_eq!((value["encrypted"].as_bool(), value["peer_key"].as_str()), (Some(true), Some(key.as_str())));
    assert_eq!(alice.received(), ["f", "f-1"]);
    let stored = fs::read(alice.path("received/f-1")).expect("there");
    assert!(stored == fs::read(&file).expect("there"));
}

#[test]
fn pinned_key_is_required_and_not_remembered() {
    let (alice, bob) = (User::new(), User::new());
    let (file, key) = (file(&bob, "f", 100), alice.key());
    let mut receiver = alice.receiver(&["--allow", &bob.key()]);
    let (status, out, err) = bob.send(&file, &receiver.address, &["--peer", &key]);
    assert!(status == 0 && !err.contains("first contact"), "{out}{err}");
    assert_eq!(bob.known_peers(), "");
    receiver.hear("has connected");

    let (status, value, err) = bob.send_json(&file, &receiver.address, &["--peer", &bob.key()]);
    let words = format!("no peer at {} has proven to have the key {}", receiver.address, bob.key());
    assert!(status == 1 && err.contains(&words) && err.contains("or it has other keys"), "{err}");
    assert_eq!((value["ok"].as_bool(), value["cause"].as_str()), (Some(false), Some("unproven")));
    assert_eq!((value["encrypted"].as_bool(), value["peer_key"].is_null()), (Some(true), true));
    receiver.hear("a frame was rejected because it is not authentic");
    assert_eq!(alice.received(), ["f"]);
}

#[test]
fn changed_key_is_refused_until_the_old_one_is_forgotten() {
    let (alice, mallory, bob) = (User::new(), User::new(), User::new());
    let file = file(&bob, "f", 100);
    let receiver = alice.receiver(&[]);
    let address = receiver.address.clone();
    assert_eq!(bob.send(&file, &address, &[]).0, 0);
    receiver.kill();
    let mut other = mallory.receiver_at(&address, &[]);
    let known = bob.known_peers();
    let (status, value, err) = bob.send_json(&file, &address, &[]);
    assert_eq!((status, value["cause"].as_str()), (1, Some("other key")), "{err}");
    assert_eq!(value["peer_key"].as_str(), Some(mallory.key().as_str()));
    for words in [
        &format!("{address} has another key than before"),
        &format!("known  {}", alice.key()),
        &format!("now    {}", mallory.key()),
        &format!("nacre keys forget {address}"),
    ] {
        assert!(err.contains(words), "`{words}` in {err}");
    }
    assert_eq!((bob.known_peers(), mallory.received()), (known, vec![]));
    other.hear("refused by the peer");

    let (status, _, err) = bob.run(&["keys", "forget", &address]);
    assert_eq!(status, 0, "{err}");
    let (status, _, err) = bob.send(&file, &address, &[]);
    assert!(status == 0 && err.contains("first contact"), "{err}");
    assert_eq!(mallory.received(), ["f"]);
}

#[test]
fn concurrent_first_uses_make_one_pair_of_keys_and_lose_no_peer() {
    let (alice, bob) = (User::new(), User::new());
    let file = file(&bob, "f", 100);
    let mut receivers: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| alice.receiver(&[]))).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let key = alice.key();
    for receiver in &mut receivers {
        assert!(receiver.hear("own key").contains(&key), "{}", receiver.heard);
    }
    std::thread::scope(|scope| {
        for address in receivers.iter().map(|receiver| receiver.address.as_str()) {
            let (bob, file) = (&bob, &file);
            scope.spawn(move || {
                let (status, out, err) = bob.send(file, address, &[]);
                assert!(status == 0 && err.contains("first contact"), "{out}{err}");
            });
        }
    });
    let known = bob.known_peers();
    assert_eq!(known.lines().count(), receivers.len(), "{known}");
    for receiver in &receivers {
        assert!(known.contains(&format!("{} {key}\n", receiver.address)), "{known}");
    }
    assert_eq!(alice.received().len(), receivers.len());
}

#[test]
fn files_of_keys_that_are_no_secret_or_not_understood_end_a_transfer() {
    use std::os::unix::fs::PermissionsExt;
    let (alice, bob) = (User::new(), User::new());
    let (file, receiver) = (file(&bob, "f", 100), alice.receiver(&[]));
    bob.key();
    let known = bob.path("config/nacre/known_peers");
    fs::write(&known, "what\n").expect("written");
    let (status, value, err) = bob.send_json(&file, &receiver.address, &[]);
    assert!(status == 1 && err.contains("known_peers:1: expected `ADDRESS KEY`"), "{err}");
    assert_eq!(value["cause"].as_str(), Some("keys"));
    fs::remove_file(&known).expect("removed");
    fs::set_permissions(bob.secret_key(), fs::Permissions::from_mode(0o644)).expect("set");
    let (status, value, err) = bob.send_json(&file, &receiver.address, &[]);
    assert!(status == 1 && err.contains("other users have access to"), "{err}");
    assert_eq!(value["cause"].as_str(), Some("keys"));
    assert_eq!(alice.received(), [] as [&str; 0]);
}

#[test]
fn known_peer_has_to_prove_its_key_so_that_nobody_answers_in_its_place() {
    let (alice, bob) = (User::new(), User::new());
    let file = file(&bob, "f", 100);
    let receiver = alice.receiver(&[]);
    // Patterns of docs/wire.md: XX takes any key, IK the one that is known.
    for (contact, pattern) in [("first", 0), ("second", 1)] {
        let pcap = bob.path(contact);
        let (status, out, err) = bob.send(&file, &receiver.address, &["--pcap", pcap.to_str().expect("UTF-8")]);
        assert_eq!(status, 0, "{out}{err}");
        let capture = fs::read(pcap).expect("there");
        let first = capture.windows(32).find(|frame| frame[..8] == [0xfe, 0, 0, 0, 1, 6, 0, 0]);
        assert_eq!(first.expect("a first frame")[28], pattern, "{contact}");
    }
}
