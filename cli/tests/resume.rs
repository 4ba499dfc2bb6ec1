//! Transfers that were broken off and go on: `receive --resume`.

mod common;
#[path = "secure/party.rs"]
mod party;
#[path = "secure/plain.rs"]
mod plain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use party::{Receiver, User};
use serde_json::Value;

/// What must happen happens within this time.
const LIMIT: Duration = Duration::from_secs(120);
/// The length of a file that is broken off, in bytes; with a delay it takes longer than a test.
const LENGTH: usize = 24 << 20;
const SLOW: [&str; 2] = ["--delay", "50ms"];

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The files in progress with this end.
fn kept(user: &User, suffix: &str) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(user.path("received")).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().expect("named").to_string_lossy();
        name.starts_with(".nacre-") && name.ends_with(suffix)
    };
    entries.filter(is_kept).collect()
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |facts| facts.len())
}

/// Starts a sender, and waits until more than `bytes` bytes of a file are stored.
fn begun(alice: &User, bob: &User, address: &str, file: &[&str], bytes: u64) -> Child {
    let more = [&["--to", address, "--json"], &SLOW[..], file].concat();
    let mut command = bob.plain("send", &more);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let until = Instant::now() + LIMIT;
    while !kept(alice, ".resume").iter().any(|path| length(path) > bytes) {
        assert!(Instant::now() < until, "{bytes} bytes do not arrive");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// A transfer of a large file of which 100,000 bytes have arrived when both ends are killed.
fn broken_off(alice: &User, bob: &User) -> PathBuf {
    let file = party::file(bob, "large", LENGTH);
    let receiver = alice.plain_receiver(&["--resume"]);
    let mut sender = begun(alice, bob, &receiver.address, &["--file", text(&file)], 100_000);
    sender.kill().and_then(|()| sender.wait()).expect("it ends");
    receiver.kill();
    file
}

fn interrupt(id: u32) {
    assert!(Command::new("kill").args(["-INT", &id.to_string()]).status().expect("kill").success());
}

/// The end of a program that is interrupted or loses its peer: the objects that it prints.
fn objects(child: Child) -> Vec<Value> {
    let out = child.wait_with_output().expect("ends").stdout;
    serde_json::Deserializer::from_slice(&out).into_iter().collect::<Result<_, _>>().expect("JSON")
}

fn same(one: &Path, other: &Path) -> bool {
    fs::read(one).expect("there") == fs::read(other).expect("there")
}

/// Sends once more: returns the bytes that were there, and requires that the file arrives.
fn again(alice: &User, bob: &User, receiver: &Receiver, file: &Path) -> u64 {
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", text(file)]);
    assert_eq!((status, objects.len()), (0, 1), "{err}");
    let name = file.file_name().expect("named");
    assert!(same(file, &alice.path("received").join(name)) && kept(alice, "").is_empty());
    assert_eq!(objects[0]["bytes"], length(file));
    objects[0]["resumed"].as_u64().expect("a number")
}

#[test]
fn interrupted_receiver_keeps_the_file_and_the_next_one_continues_it() {
    let (alice, bob) = (User::new(), User::new());
    let file = party::file(&bob, "large", LENGTH);
    let receiver = alice.plain_receiver(&["--resume", "--json"]);
    let sender = begun(&alice, &bob, &receiver.address, &["--file", text(&file)], 100_000);
    interrupt(receiver.id());
    let (_, words, said) = receiver.ends_with_output();
    assert!(words.contains("bytes are missing; kept): interrupted"), "{words}");
    let said: Value = serde_json::from_str(&said).expect("one object");
    assert_eq!((said["ok"].as_bool(), said["cause"].as_str()), (Some(false), Some("ended")), "{said}");
    let objects = objects(sender);
    assert_eq!((objects.len(), objects[0]["cause"].as_str()), (1, Some("ended")), "{objects:?}");
    let there = length(&kept(&alice, ".resume")[0]);
    assert!(there > 100_000);
    let receiver = alice.plain_receiver(&["--resume"]);
    assert_eq!(again(&alice, &bob, &receiver, &file), there);
}

#[test]
fn killed_receiver_and_interrupted_sender_leave_what_can_be_continued() {
    let (alice, bob) = (User::new(), User::new());
    let file = party::file(&bob, "large", LENGTH);
    let receiver = alice.plain_receiver(&["--resume"]);
    let mut sender = begun(&alice, &bob, &receiver.address, &["--file", text(&file)], 100_000);
    receiver.kill();
    sender.kill().and_then(|()| sender.wait()).expect("it ends");
    let mut receiver = alice.plain_receiver(&["--resume"]);
    let sender = begun(&alice, &bob, &receiver.address, &["--file", text(&file)], 300_000);
    interrupt(sender.id());
    let objects = objects(sender);
    assert_eq!((objects.len(), objects[0]["cause"].as_str()), (1, Some("interrupted")), "{objects:?}");
    receiver.hear("bytes are missing; kept): the sender has left");
    assert!(again(&alice, &bob, &receiver, &file) > 300_000);
}

#[test]
fn file_that_has_changed_since_begins_anew() {
    let (alice, bob) = (User::new(), User::new());
    let file = broken_off(&alice, &bob);
    let mut content = fs::read(&file).expect("there");
    content[0] ^= 1;
    fs::write(&file, content).expect("written");
    let receiver = alice.plain_receiver(&["--resume"]);
    assert_eq!(again(&alice, &bob, &receiver, &file), 0);
}

#[test]
fn damaged_part_begins_anew() {
    let (alice, bob) = (User::new(), User::new());
    let file = broken_off(&alice, &bob);
    fs::write(&kept(&alice, ".resume")[0], vec![0; 50_000]).expect("written");
    let receiver = alice.plain_receiver(&["--resume"]);
    assert_eq!(again(&alice, &bob, &receiver, &file), 0);
}

#[test]
fn without_resume_nothing_is_kept_and_what_was_kept_is_not_used() {
    let (alice, bob) = (User::new(), User::new());
    let file = broken_off(&alice, &bob);
    let receiver = alice.plain_receiver(&[]);
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", text(&file)]);
    assert!(status == 0 && objects[0]["resumed"] == 0, "{err}");
    assert!(same(&file, &alice.path("received/large")) && kept(&alice, ".resume").len() == 1);
}

/// Another user neither learns of the part, nor ends it.
#[test]
fn part_of_one_peer_is_not_continued_by_another() {
    let (alice, bob, eve) = (User::new(), User::new(), User::new());
    let receiver = alice.receiver(&["--resume", "--level", "call"]);
    let file = party::file(&bob, "large", LENGTH);
    let mut command = bob.transfer(&["send", "--level", "call", "--to", &receiver.address]);
    command.args(SLOW).arg("--file").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
    let mut sender = command.spawn().expect("starts");
    let until = Instant::now() + LIMIT;
    while !kept(&alice, ".resume").iter().any(|path| length(path) > 100_000) {
        assert!(Instant::now() < until, "nothing arrives");
        std::thread::sleep(Duration::from_millis(5));
    }
    sender.kill().and_then(|()| sender.wait()).expect("it ends");
    receiver.kill();
    let receiver = alice.receiver(&["--resume", "--level", "call"]);
    let other = party::file(&eve, "large", 1000);
    let (status, object, err) = eve.send_json(&other, &receiver.address, &["--level", "call"]);
    assert!(status == 0 && object["resumed"] == 0, "{err}");
    let (status, object, err) = bob.send_json(&file, &receiver.address, &["--level", "call"]);
    assert!(status == 0 && object["resumed"].as_u64().is_some_and(|resumed| resumed > 100_000), "{object} {err}");
    assert!(same(&file, &alice.path("received/large-1")) && same(&other, &alice.path("received/large")));
    assert!(kept(&alice, "").is_empty());
}

#[test]
fn tree_is_continued_where_it_ended() {
    let (alice, bob) = (User::new(), User::new());
    let tree = bob.path("tree");
    fs::create_dir_all(tree.join("a")).expect("made");
    for name in ["a/1", "a/2", "b", "z"] {
        fs::write(tree.join(name), name).expect("written");
    }
    let large = party::file(&bob, "tree/large", LENGTH);
    // Somebody else's folder of this name is left alone.
    fs::create_dir_all(alice.path("received/tree")).expect("made");
    let receiver = alice.plain_receiver(&["--resume"]);
    let arguments = ["-r", "--file", text(&tree)];
    let mut sender = begun(&alice, &bob, &receiver.address, &arguments, 100_000);
    sender.kill().and_then(|()| sender.wait()).expect("it ends");
    receiver.kill();
    assert_eq!(kept(&alice, ".tree").len(), 1);
    let receiver = alice.plain_receiver(&["--resume"]);
    let (status, objects, err) = bob.send_plain(&receiver.address, &arguments);
    assert_eq!((status, objects.len()), (0, 5), "{err}");
    for object in &objects {
        let is_new = object["name"] == "tree/z";
        assert_eq!(object["resumed"] == 0, is_new, "{object}");
    }
    let below = ["", "a/", "a/1", "a/2", "b", "large", "z"].map(|name| format!("tree-1/{name}"));
    assert_eq!(alice.received_tree(), [&below[..], &["tree/".to_string()]].concat());
    assert!(same(&large, &alice.path("received/tree-1/large")));
    // It is complete: the next one is a new one.
    assert_eq!(bob.send_plain(&receiver.address, &arguments).0, 0);
    assert!(alice.path("received/tree-2/a/1").exists());
}

#[test]
fn files_that_are_there_are_not_stored_again() {
    let (alice, bob) = (User::new(), User::new());
    let receiver = alice.plain_receiver(&["--resume"]);
    let [one, two] = [party::file(&bob, "one", 100_000), party::file(&bob, "two", 0)];
    for resumed in [0, 100_000] {
        let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", text(&one)]);
        assert!(status == 0 && objects[0]["resumed"] == resumed && objects[0]["ok"] == true, "{err}");
    }
    fs::write(&one, vec![1; 100_000]).expect("written");
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", text(&one), text(&two)]);
    assert!(status == 0 && objects.iter().all(|object| object["resumed"] == 0), "{err}");
    assert_eq!(alice.received(), ["one", "one-1", "two"]);
    assert!(same(&one, &alice.path("received/one-1")));
}
