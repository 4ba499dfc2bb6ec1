//! Peers that are not allowed, and other stacks: an error on both sides, and never a connection without encryption.

use std::net::UdpSocket;
use std::time::Duration;

use crate::common::{ran, RELIABLE, SECURE};
use crate::party::{file, Receiver, User};

#[test]
fn peer_that_is_not_allowed_is_refused_and_learns_why() {
    let (alice, bob, eve) = (User::new(), User::new(), User::new());
    let file = file(&bob, "f", 100);
    let mut receiver = alice.receiver(&["--allow", &alice.key(), "--allow", &bob.key()]);
    let (status, value, err) = eve.send_json(&file, &receiver.address, &[]);
    assert_eq!((status, value["cause"].as_str()), (1, Some("refused")), "{err}");
    assert!(err.contains("your key is not among those that are allowed here"), "{err}");
    assert_eq!(value["peer_key"].as_str(), Some(alice.key().as_str()));
    let refused = receiver.hear("refused 127.0.0.1");
    assert!(refused.contains(&format!("key {} is not allowed", eve.key())), "{refused}");
    assert_eq!(alice.received(), [] as [&str; 0]);
    let (status, out, err) = bob.send(&file, &receiver.address, &[]);
    assert_eq!(status, 0, "{out}{err}");
    assert_eq!(alice.received(), ["f"]);
}

#[test]
fn option_that_is_not_true_for_the_stack_is_wrong_usage() {
    let user = User::new();
    let file = file(&user, "f", 100).display().to_string();
    let run = |source: &str, stack: &str, more: &[&str]| {
        let all = [&["run", source, "--stack", stack, "send", "--to", "127.0.0.1:9", "--file", &file], more].concat();
        user.run(&all)
    };
    let (status, out, err) = run(SECURE, "secure", &["--plain"]);
    assert!(status == 2 && out.is_empty() && err.contains("the stack `secure` encrypts, so `--plain` is not"), "{err}");
    let (status, out, err) = run(RELIABLE, "reliable", &[]);
    assert!(status == 2 && out.is_empty() && err.contains("the stack `reliable` has no layer with keys"), "{err}");
    assert!(err.contains("say `--plain` on both sides"), "{err}");
    let (status, out, _) = run(RELIABLE, "reliable", &["--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, value["cause"].as_str(), value["encrypted"].as_bool()), (2, Some("usage"), Some(false)));
    let key = "a".repeat(52);
    for wrong in
        [&["--plain", "--peer", &key][..], &["--plain", "--psk-file", "x"], &["--psk-file", "x", "--peer", &key]]
    {
        let (status, _, err) = run(SECURE, "secure", wrong);
        assert!(status == 2 && err.contains("cannot be used with"), "{err}");
    }
    let (status, _, err) = run(SECURE, "secure", &["--peer", &key[1..]]);
    assert!(status == 2 && err.contains("is not a public key"), "{err}");
    for (side, option) in [("--to", "--allow"), ("--listen", "--peer")] {
        let (status, _, err) = ran(&mut user.transfer(&["chat", side, "127.0.0.1:9", option, &key]));
        assert!(status == 2 && err.contains(option), "{err}");
    }
    assert!(!user.path("config").exists(), "no keys are made for a wrong usage");
}

#[test]
fn sender_with_keys_does_not_talk_to_a_plain_receiver() {
    let (alice, bob) = (User::new(), User::new());
    let (file, out) = (file(&bob, "f", 100), alice.path("received"));
    std::fs::create_dir(&out).expect("made");
    let plain = ["run", RELIABLE, "--stack", "reliable", "receive", "--plain", "--listen", "127.0.0.1:0", "--out"];
    let mut command = alice.command(&plain);
    command.arg(&out);
    let mut receiver = Receiver::start(command);
    let (status, value, err) = bob.send_json(&file, &receiver.address, &[]);
    assert_eq!((status, value["cause"].as_str()), (1, Some("other stack")), "{err}");
    assert!(err.contains("serves fingerprint") && err.contains("is not begun without encryption instead"), "{err}");
    assert_eq!((value["encrypted"].as_bool(), bob.known_peers().as_str()), (Some(true), ""));
    assert!(receiver.hear("refused 127.0.0.1").contains("this endpoint serves"));
    assert_eq!(alice.received(), [] as [&str; 0]);
}

#[test]
fn plain_sender_is_refused_by_a_receiver_with_keys() {
    let (alice, bob) = (User::new(), User::new());
    let file = file(&bob, "f", 100).display().to_string();
    let mut receiver = alice.receiver(&[]);
    let arguments = ["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--json", "--to", &receiver.address];
    let (status, out, err) = bob.run(&[&arguments[..], &["--file", &file]].concat());
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, value["cause"].as_str()), (1, Some("other stack")), "{err}");
    assert_eq!((value["encrypted"].as_bool(), value["peer_key"].is_null()), (Some(false), true));
    assert!(err.contains("serves fingerprint"), "{err}");
    assert!(receiver.hear("refused 127.0.0.1").contains("this endpoint serves"));
    assert_eq!(alice.received(), [] as [&str; 0]);
}

/// A relay to a receiver. The first frame of a sender goes on, and back to it, too.
fn reflecting(to: &str) -> String {
    let [front, back] = [0, 1].map(|_| {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.set_read_timeout(Some(Duration::from_millis(2))).expect("a time");
        socket
    });
    let (to, address) = (to.to_string(), front.local_addr().expect("an address").to_string());
    std::thread::spawn(move || {
        let (mut sender, mut buffer) = (None, [0; 2048]);
        loop {
            if let Ok((len, from)) = front.recv_from(&mut buffer) {
                if sender.replace(from) != Some(from) {
                    front.send_to(&buffer[..len], from).expect("sent");
                }
                back.send_to(&buffer[..len], &to).expect("sent");
            }
            if let (Ok((len, _)), Some(sender)) = (back.recv_from(&mut buffer), sender) {
                let _ = front.send_to(&buffer[..len], sender);
            }
        }
    });
    address
}

#[test]
fn first_frame_that_comes_back_ends_no_transfer() {
    let (alice, bob) = (User::new(), User::new());
    let file = file(&bob, "f", 100);
    let receiver = alice.receiver(&[]);
    let (status, out, err) = bob.send(&file, &reflecting(&receiver.address), &[]);
    assert_eq!(status, 0, "{out}{err}");

    let copy = alice.path("copy");
    let plain = ["run", RELIABLE, "--stack", "reliable"];
    let mut command =
        alice.command(&[&plain[..], &["receive", "--plain", "--listen", "127.0.0.1:0", "--out"]].concat());
    let receiver = Receiver::start({
        command.arg(&copy);
        command
    });
    let to = reflecting(&receiver.address);
    let mut command = bob.command(&[&plain[..], &["send", "--plain", "--to", &to, "--file"]].concat());
    let (status, out, err) = ran(command.arg(&file));
    assert_eq!(status, 0, "{out}{err}");
}
