//! Peers that do not keep to the rules of a transfer: receivers and senders whose messages the tests write by hand.

mod common;
#[path = "secure/party.rs"]
mod party;
#[path = "secure/plain.rs"]
mod plain;

use std::fs::{self, File, FileTimes};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use nacre_driver::{Level, Session};
use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Stack};
use nacre_simulator::toolchain::{Text, Toolchain};
use party::User;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The time limit of whatever must happen.
const LIMIT: Duration = Duration::from_secs(120);
const TURN: Duration = Duration::from_millis(20);

/// The stack of the other end.
fn stack() -> Stack {
    static STACK: OnceLock<Stack> = OnceLock::new();
    let load = || {
        nacre_driver::library::provide(nacre_library::FILES);
        let mut session = Session::open(&[common::root().join(common::RELIABLE)]);
        let mut stack = session.stack("reliable").expect("a stack");
        nacre_driver::optimize(&mut stack, Level::Call);
        let emitted = session.emit_optimized(stack, Level::Call, None);
        let text = Text {
            header_name: "reliable.h",
            header: &emitted.header,
            source: &emitted.source,
            symbol: "reliable_stack",
        };
        Toolchain::find().and_then(|toolchain| toolchain.load(&text)).expect("loaded")
    };
    STACK.get_or_init(load).clone()
}

/// One end of a connection, whose messages a test writes.
struct Hand {
    listener: Listener,
    peer: Option<ConnectionId>,
}

impl Hand {
    /// Connects to a receiver.
    fn to(address: &str) -> Hand {
        let mut listener =
            Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default()).expect("bound");
        let peer = listener.connect(address.parse().expect("an address"), &stack()).expect("begun");
        Hand { listener, peer: Some(peer) }
    }

    /// Waits for a sender.
    fn waiting() -> Hand {
        let mut listener =
            Listener::bind("127.0.0.1:0".parse().expect("an address"), Options::default()).expect("bound");
        listener.serve(&stack()).expect("served");
        Hand { listener, peer: None }
    }

    fn peer(&self) -> ConnectionId {
        self.peer.expect("connected")
    }

    fn send(&mut self, parts: &[&[u8]]) {
        let peer = self.peer();
        match self.listener.send_blocking(peer, &parts.concat(), Some(LIMIT)) {
            Ok(()) | Err(Error::Closed(_) | Error::NoConnection) => {}
            Err(error) => panic!("{error}"),
        }
    }

    /// The next message, or None if the peer has closed.
    fn hear(&mut self) -> Option<Vec<u8>> {
        let until = Instant::now() + LIMIT;
        while Instant::now() < until {
            let event = match self.listener.wait(Some(TURN)).expect("a socket") {
                Some(Event::Delivered { connection, message, .. }) => (connection, Some(message.to_vec())),
                Some(Event::Closed { connection, .. }) => (connection, None),
                _ => continue,
            };
            if *self.peer.get_or_insert(event.0) == event.0 {
                return event.1;
            }
        }
        panic!("nothing comes")
    }

    /// The next message, which must begin like this; returns the rest.
    fn expect(&mut self, begin: &[u8]) -> Vec<u8> {
        let message = self.hear().expect("not closed");
        let rest = message.strip_prefix(begin);
        rest.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(&message))).to_vec()
    }

    /// Greets a receiver that does not continue files.
    fn greet(address: &str) -> Hand {
        let mut hand = Hand::to(address);
        hand.send(&[b"nacre\x02"]);
        assert_eq!(hand.expect(b"nacre\x02").len(), 1);
        hand
    }

    fn file(&mut self, size: u64, path: &str) {
        self.send(&[b"F", &size.to_le_bytes(), path.as_bytes()]);
    }

    /// Sends a whole file; returns the answer.
    fn whole(&mut self, path: &str, content: &[u8]) -> Vec<u8> {
        self.file(content.len() as u64, path);
        if !content.is_empty() {
            self.send(&[b"d", content]);
        }
        self.send(&[b"E", &sum(content)]);
        self.hear().expect("an answer")
    }
}

fn sum(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

/// A sender of a file, to a receiver by hand.
fn sender(user: &User, hand: &Hand, file: &str) -> Child {
    let address = hand.listener.local().to_string();
    let mut command = user.plain("send", &["--json", "--to", &address, "--file", file]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts")
}

/// Waits for the end of a sender, whose frames are answered meanwhile: its status, and its objects.
fn ended(mut child: Child, hand: &mut Hand) -> (i32, Vec<Value>) {
    let until = Instant::now() + LIMIT;
    let status = loop {
        let _ = hand.listener.wait(Some(TURN));
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        assert!(Instant::now() < until, "it does not end");
    };
    let mut out = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("UTF-8");
    let objects = serde_json::Deserializer::from_str(&out).into_iter().collect::<Result<_, _>>().expect("JSON");
    (status.code().expect("it ends by itself"), objects)
}

/// A file of 4 MiB, far more than a stack holds.
fn large(user: &User) -> PathBuf {
    party::file(user, "large", 4 << 20)
}

/// Takes a file of a sender to its end, and changes it after the first data: returns how the sender ends it.
fn changed(user: &User, change: impl FnOnce(&File)) -> (Vec<u8>, i32, Vec<Value>) {
    let (path, mut hand) = (large(user), Hand::waiting());
    let child = sender(user, &hand, path.to_str().expect("UTF-8"));
    hand.expect(b"nacre\x02");
    hand.send(&[b"nacre\x02\0"]);
    hand.expect(b"F");
    hand.expect(b"d");
    change(&File::options().read(true).write(true).open(&path).expect("there"));
    let last = loop {
        let message = hand.hear().expect("not closed");
        if message[0] != b'd' {
            break message;
        }
    };
    hand.send(&[b"N", &0u64.to_le_bytes(), b"given up"]);
    hand.expect(b"Z");
    let (status, objects) = ended(child, &mut hand);
    (last, status, objects)
}

#[test]
fn file_that_changes_while_it_is_sent_is_given_up() {
    let written = |file: &File| (&*file).write_all(b"other").expect("written");
    let grown = |file: &File| file.set_len((4 << 20) + 1).expect("grown");
    let cut = |file: &File| file.set_len(10).expect("cut");
    // Of the whole size, with the old time: only its content tells.
    let hidden = |file: &File| {
        let time = file.metadata().and_then(|facts| facts.modified()).expect("a time");
        written(file);
        file.set_times(FileTimes::new().set_modified(time)).expect("set");
    };
    let changes: [(&str, &dyn Fn(&File)); 4] = [
        ("it was written to", &written),
        ("from 4194304 to 4194305 bytes", &grown),
        ("from 4194304 to 10 bytes", &cut),
        ("its content is another", &hidden),
    ];
    for (words, change) in changes {
        // The hidden change has two steps, and shows between them: then once more.
        let mut tries = 5;
        let (last, status, objects) = loop {
            let one = changed(&User::new(), change);
            tries -= 1;
            if tries == 0 || String::from_utf8_lossy(&one.0).contains(words) {
                break one;
            }
        };
        let last = String::from_utf8_lossy(&last).into_owned();
        assert!(last.starts_with("Xthe file has changed while it was sent: ") && last.contains(words), "{last}");
        assert_eq!((status, objects.len(), objects[0]["cause"].as_str()), (1, 1, Some("changed")), "{objects:?}");
        assert!(objects[0]["error"].as_str().expect("a text").contains(words) && objects[0]["name"] == "large");
    }
}

#[test]
fn file_that_a_sender_gives_up_is_not_stored_and_the_next_one_is() {
    let alice = User::new();
    let receiver = alice.plain_receiver(&["--resume"]);
    let mut hand = Hand::greet(&receiver.address);
    hand.file(10, "f");
    hand.expect(b"H");
    hand.send(&[b"dhalf"]);
    hand.send(&[b"Xit has\nchanged\xe2\x80\xae"]);
    hand.expect(b"N");
    hand.file(2, "g");
    hand.expect(b"H");
    hand.send(&[b"dgg"]);
    hand.send(&[b"E", &sum(b"gg")]);
    hand.expect(b"S");
    assert_eq!(alice.received(), ["g"]);
}

#[test]
fn paths_that_lead_out_of_the_output_folder_are_refused() {
    let alice = User::new();
    fs::create_dir_all(alice.path("received/there")).expect("made");
    fs::create_dir(alice.path("outside")).expect("made");
    symlink("../outside", alice.path("received/link")).expect("made");
    let receiver = alice.plain_receiver(&[]);
    let mut hand = Hand::greet(&receiver.address);
    for path in
        ["../f", "/etc/f", "a/../../f", "", "/", "there/f", "link/f", "tree//f", "t/./f", "\0", &"d/".repeat(99)]
    {
        let answer = hand.whole(path, b"bad");
        assert!(answer[0] == b'N' || path == "\0", "{path:?}: {}", String::from_utf8_lossy(&answer));
        hand.send(&[b"D", path.as_bytes(), b"/x"]);
        hand.expect(b"N");
    }
    // A tree's folder is always a new one, also where a link has its name.
    for root in ["link", "there"] {
        hand.send(&[b"D", root.as_bytes()]);
        hand.expect(b"M");
        assert_eq!(hand.whole(&format!("{root}/f"), b"good")[0], b'S');
        assert_eq!(hand.whole(&format!("{root}/../f"), b"bad")[0], b'N');
        assert_eq!(hand.whole("other/f", b"bad")[0], b'N', "not announced");
    }
    // The same name twice: nothing is replaced.
    assert_eq!(hand.whole("there/f", b"second")[0], b'S');
    // A file is no folder.
    assert_eq!(hand.whole("there/f/g", b"bad")[0], b'N');
    hand.send(&[b"Z"]);
    let found = alice.received_tree();
    assert_eq!(found, ["_", "link-1/", "link-1/f", "link/", "there-1/", "there-1/f", "there-1/f-1", "there/"]);
    assert_eq!(fs::read(alice.path("received/there-1/f")).expect("there"), b"good");
    assert_eq!(fs::read_dir(alice.path("outside")).expect("a folder").count(), 0);
}

/// Each ends the connection, and no other one.
#[test]
fn senders_that_break_the_rules_are_rejected_and_others_are_served() {
    let alice = User::new();
    let mut receiver = alice.plain_receiver(&["--json"]);
    let file = |size: u64| [b"F".as_slice(), &size.to_le_bytes(), b"f"].concat();
    let data = |length: usize| [b"d".as_slice(), &vec![0; length]].concat();
    let end = [b"E".as_slice(), &[0; 32]].concat();
    let broken: [(&str, Vec<Vec<u8>>); 10] = [
        ("does not keep to the order", vec![data(1)]),
        ("does not keep to the order", vec![end.clone()]),
        ("does not keep to the order", vec![file(3), file(3)]),
        ("does not keep to the order", vec![file(3), [b"P".as_slice(), &[0; 32]].concat()]),
        ("does not keep to the order", vec![file(3), b"Z".to_vec()]),
        ("more bytes arrived than announced", vec![file(3), data(4)]),
        ("more bytes arrived than announced", vec![file(u64::MAX - 1), data(1), file(0)]),
        ("fewer bytes arrived than announced", vec![file(3), data(2), end.clone()]),
        ("something follows the end", vec![b"Z".to_vec(), file(0)]),
        ("it does not begin as", vec![b"\xff\xff".to_vec()]),
    ];
    for (words, messages) in broken {
        let mut hand = Hand::greet(&receiver.address);
        messages.iter().for_each(|message| hand.send(&[message]));
        let why = String::from_utf8_lossy(&hand.expect(b"not")).into_owned();
        assert!(why.contains(words) || why.contains("keep to the order"), "{why}");
        assert_eq!(hand.hear(), None, "it closes");
    }
    for first in [&b"nacre\x01\x05\0\0\0\0\0\0\0name"[..], b"nacre\x03", b"hello", b""] {
        let mut hand = Hand::to(&receiver.address);
        hand.send(&[first]);
        let why = String::from_utf8_lossy(&hand.expect(b"not")).into_owned();
        assert!(why.contains("version") == first.starts_with(b"nacre"), "{why}");
    }
    receiver.hear("version 3 of transfers");
    assert_eq!(Hand::greet(&receiver.address).whole("f", b"content")[0], b'S');
    assert_eq!(alice.received(), ["f"], "{}", receiver.heard);
}

#[test]
fn sum_of_a_file_that_is_there_is_not_revealed_and_a_wrong_part_begins_anew() {
    let alice = User::new();
    fs::create_dir(alice.path("received")).expect("made");
    fs::write(alice.path("received/f"), b"secret").expect("written");
    let receiver = alice.plain_receiver(&["--resume"]);
    let mut hand = Hand::greet(&receiver.address);
    hand.file(6, "f");
    assert_eq!(hand.expect(b"H\0\0\0\0\0\0\0\0"), 6u64.to_le_bytes(), "the length, which the sender has stated");
    hand.send(&[b"P", &[0; 32]]);
    assert_eq!(hand.expect(b"C\0\0\0\0\0\0\0\0"), [0; 8], "it begins anew");
    hand.send(&[b"dpublic"[..7].as_ref()]);
    hand.send(&[b"E", &sum(b"public")]);
    assert_eq!(hand.expect(b"S\0\0\0\0\0\0\0\0"), sum(b"public"));
    // The right content is not stored again, and nothing is sent.
    hand.file(6, "f");
    hand.expect(b"H");
    hand.send(&[b"P", &sum(b"secret")]);
    assert_eq!(hand.expect(b"C\x01\0\0\0\0\0\0\0"), 6u64.to_le_bytes());
    hand.send(&[b"E", &sum(b"secret")]);
    assert_eq!(hand.expect(b"S\x01\0\0\0\0\0\0\0"), sum(b"secret"));
    assert_eq!(alice.received(), ["f", "f-1"]);
    assert_eq!(fs::read(alice.path("received/f")).expect("there"), b"secret");
}

/// Answers of a receiver that are none, or come at the wrong time.
#[test]
fn receivers_that_break_the_rules_end_a_sender_with_one_object() {
    let bob = User::new();
    let path = large(&bob);
    let entry = |kind: &[u8], number: u64, rest: &[u8]| [kind, &number.to_le_bytes(), rest].concat();
    let broken: [(bool, Vec<u8>); 12] = [
        (false, b"hello".to_vec()),
        (false, b"".to_vec()),
        (false, b"nacre\x02\0".to_vec()),
        (false, entry(b"S", 0, &[0; 32])),
        (false, entry(b"M", 0, b"")),
        (false, entry(b"S", 7, &[0; 32])),
        (false, entry(b"N", 7, b"why")),
        (false, b"notno \x1b[2J\xe2\x80\xae".to_vec()),
        (true, entry(b"H", 0, &u64::MAX.to_le_bytes())),
        (true, entry(b"H", 5, &[0; 8])),
        (true, entry(b"C", 0, &[1; 8])),
        (true, b"not a".to_vec()),
    ];
    for (asks, answer) in broken {
        let mut hand = Hand::waiting();
        let child = sender(&bob, &hand, path.to_str().expect("UTF-8"));
        hand.expect(b"nacre\x02");
        hand.send(&[b"nacre\x02", &[u8::from(asks)]]);
        hand.expect(b"F");
        hand.send(&[&answer]);
        let (status, objects) = ended(child, &mut hand);
        assert_eq!((status, objects.len()), (1, 1), "{answer:?}: {objects:?}");
        let words = objects[0]["error"].as_str().expect("a text");
        assert!(words.contains("something else than") || words.contains("does not take it"), "{words}");
        assert!(!words.chars().any(|c| c.is_control() || c == '\u{202e}'), "{words:?}");
    }
}

#[test]
fn file_that_a_receiver_refuses_does_not_keep_the_others_from_being_sent() {
    let bob = User::new();
    let (large, mut hand) = (large(&bob), Hand::waiting());
    let small = party::file(&bob, "small", 10);
    let address = hand.listener.local().to_string();
    let files = [&large, &small].map(|path| path.to_str().expect("UTF-8"));
    let mut command = bob.plain("send", &["--json", "--to", &address, "--file", files[0], files[1]]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    hand.expect(b"nacre\x02");
    hand.send(&[b"nacre\x02\0"]);
    hand.expect(b"F");
    hand.expect(b"d");
    hand.send(&[b"N", &0u64.to_le_bytes(), b"no space"]);
    while hand.hear().expect("not closed")[0] == b'd' {}
    hand.expect(b"F");
    let content = hand.expect(b"d");
    hand.expect(b"E");
    hand.send(&[b"S", &1u64.to_le_bytes(), &sum(&content)]);
    hand.expect(b"Z");
    let (status, objects) = ended(child, &mut hand);
    let told = |n: usize| (objects[n]["name"].as_str(), objects[n]["ok"].as_bool(), objects[n]["cause"].as_str());
    assert_eq!((status, objects.len()), (1, 2), "{objects:?}");
    assert_eq!(told(0), (Some("large"), Some(false), Some("refused")));
    assert_eq!(told(1), (Some("small"), Some(true), None));
}
