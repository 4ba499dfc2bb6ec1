//! Files and lines through a stack that encrypts.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{ran, RELIABLE};
use crate::party::{file, Receiver, User};

/// The number of windows of 16 bytes of a capture that a file also has.
fn common_windows(capture: &Path, file: &Path) -> usize {
    let [capture, file] = [capture, file].map(|path| fs::read(path).expect("there"));
    let windows: HashSet<&[u8]> = file.windows(16).collect();
    capture.windows(16).filter(|window| windows.contains(window)).count()
}

#[test]
fn file_survives_a_bad_network_and_nothing_of_it_is_readable_on_the_way() {
    let (alice, bob) = (User::new(), User::new());
    let (original, pcap) = (file(&bob, "original-with-a-long-name", 3 << 20), bob.path("wire.pcap"));
    let receiver = alice.receiver(&["--once"]);
    let pcap_name = pcap.to_str().expect("UTF-8");
    let faults = ["--loss", "5%", "--duplicate", "2%", "--reorder", "2%", "--corrupt", "1%", "--delay", "1ms"];
    let more = [&faults[..], &["--seed", "3", "--pcap", pcap_name]].concat();
    let (status, out, err) = bob.send(&original, &receiver.address, &more);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("(both sides agree)") && out.contains("faults   out: lost"), "{out}");
    let (status, words) = receiver.ends();
    assert!(status.success(), "{words}");
    let copy = alice.path("received/original-with-a-long-name");
    assert!(fs::read(&original).expect("there") == fs::read(copy).expect("there"), "the files are equal");
    assert!(fs::metadata(&pcap).expect("there").len() > 3 << 20);
    assert_eq!(common_windows(&pcap, &original), 0);
    fs::write(bob.path("name"), "original-with-a-long-name").expect("written");
    assert_eq!(common_windows(&pcap, &bob.path("name")), 0);
}

/// The capture of the test above would show what is readable.
#[test]
fn capture_shows_what_a_plain_stack_carries() {
    let (alice, bob) = (User::new(), User::new());
    let (original, pcap, copy) = (file(&bob, "original", 10_000), bob.path("wire.pcap"), alice.path("copy"));
    let plain = ["run", RELIABLE, "--stack", "reliable"];
    let mut command =
        alice.command(&[&plain[..], &["receive", "--plain", "--listen", "127.0.0.1:0", "--out"]].concat());
    command.arg(&copy);
    let receiver = Receiver::start(command);
    let mut command = bob.command(&[&plain[..], &["send", "--plain", "--to", &receiver.address, "--file"]].concat());
    let (status, out, err) = ran(command.arg(&original).arg("--pcap").arg(&pcap));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("not encrypted; the peer has proven nothing"), "{out}");
    assert!(common_windows(&pcap, &original) > 9000);
}

#[test]
fn stack_that_signs_carries_a_file_with_the_keys_of_its_users() {
    let (alice, bob) = (User::new(), User::new());
    let signed = ["run", "examples/signed.nacre", "--stack", "signed"];
    let (original, copy) = (file(&bob, "original", 300_000), alice.path("copy"));
    let mut command = alice.command(&[&signed[..], &["receive", "--listen", "127.0.0.1:0", "--out"]].concat());
    command.arg(&copy);
    let receiver = Receiver::start(command);
    let send = ["send", "--to", &receiver.address, "--loss", "5%", "--file"];
    let (status, out, err) = ran(bob.command(&[&signed[..], &send[..]].concat()).arg(&original));
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("(both sides agree)"), "{out}");
    assert!(fs::read(&original).expect("there") == fs::read(copy).expect("there"), "the files are equal");

    let (status, psk, err) = bob.run(&["keys", "psk", "--output", bob.path("psk").to_str().expect("UTF-8")]);
    assert_eq!(status, 0, "{psk}{err}");
    let mut command = bob.command(&[&signed[..], &send[..]].concat());
    let (status, _, err) = ran(command.arg(&original).arg("--psk-file").arg(bob.path("psk")));
    assert!(status != 0 && err.contains("signs with the keys of its user"), "{err}");
}

#[test]
fn many_senders_share_a_receiver() {
    let alice = User::new();
    let receiver = alice.receiver(&[]);
    std::thread::scope(|scope| {
        for n in 1..4 {
            let address = &receiver.address;
            scope.spawn(move || {
                let bob = User::new();
                let original = file(&bob, &format!("file-{n}"), 100_000 * n);
                let (status, value, err) = bob.send_json(&original, address, &[]);
                assert_eq!((status, value["encrypted"].as_bool()), (0, Some(true)), "{err}");
                assert_eq!(value["sha256"], value["peer_sha256"]);
            });
        }
    });
    assert_eq!(alice.received(), ["file-1", "file-2", "file-3"]);
}

#[test]
fn lines_go_both_ways() {
    let (alice, bob) = (User::new(), User::new());
    let mut one = Receiver::start(alice.transfer(&["chat", "--listen", "127.0.0.1:0", "--allow", &bob.key()]));
    let arguments = ["chat", "--loss", "10%", "--to", &one.address, "--peer", &alice.key()];
    let mut other = bob.transfer(&arguments);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let (mut speaks, mut answers) = (other.stdin.take().expect("piped"), one.input());
    let mut hears = BufReader::new(one.output()).lines();
    let mut gets = BufReader::new(other.stdout.take().expect("piped")).lines();
    speaks.write_all(b"hello\n").expect("written");
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    answers.write_all(b"yes\n").expect("written");
    assert_eq!(gets.next().expect("a line").expect("text"), "yes");
    drop((speaks, answers));
    let done = other.wait_with_output().expect("ends");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let (status, words) = one.ends();
    assert!(status.success() && words.contains(&format!("with key {}", &bob.key()[..12])), "{words}");
}

#[test]
fn speaker_that_is_not_allowed_is_not_heard() {
    let (alice, bob) = (User::new(), User::new());
    let mut one = Receiver::start(alice.transfer(&["chat", "--listen", "127.0.0.1:0", "--allow", &alice.key()]));
    let mut command = bob.transfer(&["chat", "--to", &one.address]);
    let mut other =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    other.stdin.as_mut().expect("piped").write_all(b"hello\n").expect("written");
    one.hear("is not allowed");
    let _input = other.stdin.take();
    let done = other.wait_with_output().expect("ends");
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && err.contains("your key is not among those that are allowed"), "{err}");
    let ended = std::process::Command::new("kill").args(["-INT", &one.id().to_string()]).status().expect("kill");
    assert!(ended.success());
    let mut said = String::new();
    std::io::Read::read_to_string(&mut one.output(), &mut said).expect("UTF-8");
    assert_eq!(said, "", "nothing of a peer that is not allowed is printed");
}

/// The sender learns at once that its connection is over, from a receiver with the same keys at the same address; and
/// the next one is begun without a question.
#[test]
fn sender_learns_of_a_restarted_receiver() {
    let (alice, bob) = (User::new(), User::new());
    let long = bob.path("long");
    fs::File::create(&long).and_then(|file| file.set_len(4 << 30)).expect("made");
    let receiver = alice.receiver(&[]);
    let port: u16 = receiver.address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    receiver.kill();
    let address = format!("127.0.0.1:{port}");
    let receiver = alice.receiver_at(&address, &[]);
    let mut sender = bob.transfer(&["send", "--to", &address, "--delay", "2ms", "--json", "--file"]);
    let sender = sender.arg(&long).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let until = Instant::now() + Duration::from_secs(60);
    while alice.received().is_empty() {
        assert!(Instant::now() < until, "nothing arrives");
        std::thread::sleep(Duration::from_millis(10));
    }
    receiver.kill();
    let _next = alice.receiver_at(&address, &[]);
    let done = sender.wait_with_output().expect("ends by itself");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((done.status.code(), value["cause"].as_str()), (Some(1), Some("ended")), "{err}");
    assert!(!err.contains("silent for too long"), "{err}");
    let original = file(&bob, "f", 5000);
    let (status, out, err) = bob.send(&original, &address, &[]);
    assert!(status == 0 && !err.contains("first contact"), "{out}{err}");
    assert_eq!(alice.received(), ["f"]);
}

/// One who sends twice at once is no peer that has restarted.
#[test]
fn senders_with_the_same_key_do_not_end_each_other() {
    let (alice, bob) = (User::new(), User::new());
    let long = bob.path("long");
    fs::File::create(&long).and_then(|file| file.set_len(4 << 30)).expect("made");
    let receiver = alice.receiver(&[]);
    let mut sender = bob.transfer(&["send", "--to", &receiver.address, "--delay", "2ms", "--file"]);
    let mut sender = sender.arg(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let until = Instant::now() + Duration::from_secs(60);
    while alice.received().is_empty() {
        assert!(Instant::now() < until, "nothing arrives");
        std::thread::sleep(Duration::from_millis(10));
    }
    for name in ["first", "second"] {
        let (status, _, err) = bob.send(&file(&bob, name, 5000), &receiver.address, &["--delay", "2ms"]);
        assert_eq!(status, 0, "{err}");
    }
    assert!(sender.try_wait().expect("its status").is_none(), "the long one goes on");
    sender.kill().and_then(|()| sender.wait()).expect("it ends");
}
