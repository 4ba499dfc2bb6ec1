//! Programs that are killed during a transfer, at many points of it, and started again: no file is lost, replaced or
//! stored in part, and who is left learns of it.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use common::*;

/// The length of a file that arrives as a whole, in bytes; the other one, which is sparse, takes minutes.
const LENGTH: usize = 1 << 20;
const LONG: u64 = 4 << 30;
/// Where a program is killed: when so many times [`STEP`] bytes are stored. The first in the default tests.
const SOME: [u64; 4] = [0, 1, 23, 42];
const MOST: u64 = 50;
const STEP: u64 = 100_000;

/// A folder with a file to send, and one to receive into.
struct Place {
    folder: tempfile::TempDir,
    original: PathBuf,
    /// What takes minutes to send.
    long: PathBuf,
    out: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let [original, long, out] = ["original", "long", "out"].map(|name| folder.path().join(name));
        let content: Vec<u8> = (0..LENGTH as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        std::fs::write(&original, content).expect("written");
        std::fs::File::create(&long).and_then(|file| file.set_len(LONG)).expect("made");
        std::fs::create_dir(&out).expect("made");
        Self { folder, original, long, out }
    }

    /// A receiver of any number of files, with its errors and its address.
    fn receiver(&self, listen: &str) -> (Child, BufReader<ChildStderr>, String) {
        let mut command = nacre(&["run", RELIABLE, "--stack", "reliable", "receive", "--listen", listen, "--out"]);
        let mut child = command.arg(&self.out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut err = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        err.read_line(&mut line).expect("a line");
        let address = line.split(' ').nth(2).unwrap_or_else(|| panic!("no address: {line}")).to_string();
        (child, err, address)
    }

    fn sender(file: &Path, to: &str) -> Command {
        let mut command = nacre(&["run", RELIABLE, "--stack", "reliable", "send", "--to", to, "--file"]);
        command.arg(file);
        command
    }

    /// Begins a transfer that does not end by itself, and waits until as many bytes of it are stored as a point stands for.
    fn begun(&self, to: &str, point: u64) -> Child {
        let before = self.partial();
        let mut command = Self::sender(&self.long, to);
        let sender = command
            .args(["--delay", "2ms", "--loss", "1%"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let (wanted, until) = (STEP * point, Instant::now() + Duration::from_secs(60));
        let stored = |part: &PathBuf| part.metadata().is_ok_and(|part| part.len() >= wanted);
        while !self.partial().iter().any(|part| !before.contains(part) && stored(part)) {
            assert!(Instant::now() < until, "point {point} is not reached");
            std::thread::sleep(Duration::from_millis(1));
        }
        sender
    }

    /// The files that a receiver has begun.
    fn partial(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.out).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| !is_whole(path)).collect()
    }

    /// The files with a name that a sender chose; each is the whole original.
    fn whole(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.out).expect("a folder").map(|entry| entry.expect("an entry").path());
        let whole: Vec<PathBuf> = entries.filter(|path| is_whole(path)).collect();
        let original = std::fs::read(&self.original).expect("there");
        for path in &whole {
            assert!(std::fs::read(path).expect("there") == original, "{} is not the original", path.display());
        }
        whole.iter().map(|path| path.file_name().expect("named").to_string_lossy().into_owned()).collect()
    }

    /// Sends the file once more, without faults: everything is as it should be afterwards, and nothing else is there.
    fn again(&self, to: &str, expected: &[&str]) {
        let (status, out, err) = ran(&mut Self::sender(&self.original, to));
        assert_eq!(status, 0, "{out}{err}");
        let mut whole = self.whole();
        whole.sort();
        assert_eq!(whole, expected);
    }
}

fn is_whole(path: &Path) -> bool {
    !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".nacre-"))
}

fn killed(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("ends");
}

/// The sender is told that nobody knows its connection, as soon as a receiver is there again.
fn receiver_is_killed_at(points: impl IntoIterator<Item = u64>) {
    for point in points {
        let place = Place::new();
        let (receiver, _err, address) = place.receiver("127.0.0.1:0");
        let sender = place.begun(&address, point);
        killed(receiver);
        assert!(place.whole().is_empty() && place.partial().len() == 1, "point {point}");
        let (next, _err, there) = place.receiver(&address);
        assert_eq!((&there, place.partial()), (&address, vec![]), "what was left is removed; point {point}");
        let done = sender.wait_with_output().expect("ends by itself");
        let words = String::from_utf8(done.stderr).expect("UTF-8");
        assert!(
            done.status.code() == Some(1) && words.contains("does not know this connection"),
            "point {point}: {words}"
        );
        place.again(&address, &["original"]);
        killed(next);
        drop(place.folder);
    }
}

/// The receiver serves others, and stores nothing of what was broken off.
fn sender_is_killed_at(points: impl IntoIterator<Item = u64>) {
    let place = Place::new();
    let (mut receiver, mut err, address) = place.receiver("127.0.0.1:0");
    let mut expected = Vec::new();
    for (n, point) in points.into_iter().enumerate() {
        killed(place.begun(&address, point));
        expected.push(if n == 0 { "original".to_string() } else { format!("original-{n}") });
        expected.sort();
        place.again(&address, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let done = Command::new("sh").args(["-c", &format!("kill -INT {}", receiver.id())]).status().expect("a shell");
    assert!(done.success());
    let mut words = String::new();
    err.read_to_string(&mut words).expect("UTF-8");
    receiver.wait().expect("ends");
    assert_eq!((words.matches("is not complete").count(), place.partial()), (expected.len(), vec![]), "{words}");
}

#[test]
fn killed_receiver_leaves_nothing_in_part_and_the_sender_learns_of_it() {
    receiver_is_killed_at(SOME);
}

#[test]
fn killed_sender_leaves_nothing_in_part_and_the_receiver_serves_on() {
    sender_is_killed_at(SOME);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn killed_receiver_at_fifty_points() {
    receiver_is_killed_at(0..MOST);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn killed_sender_at_fifty_points() {
    sender_is_killed_at(0..MOST);
}
