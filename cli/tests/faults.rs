//! Programs that are killed during a transfer, at many points of it, and started again; that are stopped for a while;
//! that have no descriptor for another file: no file is lost, replaced or stored in part, and who is left learns of it.

mod common;

use std::io::{BufReader, Read};
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
        let mut command =
            nacre(&["run", RELIABLE, "--stack", "reliable", "receive", "--plain", "--listen", listen, "--out"]);
        let mut child = command.arg(&self.out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
        let mut err = BufReader::new(child.stderr.take().expect("piped"));
        let line = message(&mut err);
        let address = line.split(' ').nth(2).unwrap_or_else(|| panic!("no address: {line}")).to_string();
        (child, err, address)
    }

    fn sender(file: &Path, to: &str) -> Command {
        let mut command = nacre(&["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--to", to, "--file"]);
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
        let (wanted, until) = (STEP * point, Instant::now() + Duration::from_secs(180));
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

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Stops a program during a transfer that takes some seconds, for so long.
fn stopped(place: &Place, program: &Child, seconds: u64) {
    until("a transfer begins", || !place.partial().is_empty());
    signal(program, "STOP");
    until("it stops", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", program.id())).expect("it runs");
        stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
    });
    assert!(place.whole().is_empty() && place.partial().len() == 1, "it is under way");
    std::thread::sleep(Duration::from_secs(seconds));
    assert!(place.whole().is_empty(), "nothing is stored meanwhile");
    signal(program, "CONT");
}

/// As soon as both go on, the file arrives as a whole.
fn stops(which: usize, seconds: u64) {
    let place = Place::new();
    let (receiver, _err, address) = place.receiver("127.0.0.1:0");
    let mut command = Place::sender(&place.original, &address);
    command.args(["--delay", "200ms"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let sender = command.spawn().expect("starts");
    stopped(&place, [&sender, &receiver][which], seconds);
    let done = sender.wait_with_output().expect("ends by itself");
    let words = String::from_utf8_lossy(&done.stderr);
    if seconds < 30 {
        assert_eq!(done.status.code(), Some(0), "{words}");
        assert_eq!((place.whole(), place.partial()), (vec!["original".to_string()], vec![]));
    } else {
        assert_eq!(done.status.code(), Some(1), "{words}");
        until("what is not complete is removed", || place.partial().is_empty());
        place.again(&address, &["original"]);
    }
    killed(receiver);
}

#[test]
fn sender_that_is_stopped_for_a_while_sends_the_whole_file() {
    stops(0, 1);
}

#[test]
fn receiver_that_is_stopped_for_a_while_gets_the_whole_file() {
    stops(1, 1);
}

#[test]
#[ignore = "minutes: `make soak`"]
fn program_that_is_stopped_for_longer_than_the_timeout_leaves_nothing_in_part() {
    (0..2).for_each(|which| stops(which, 60));
}

/// Limits a program to this number of additional descriptors.
fn allow_more_descriptors(program: &Child, count: usize) {
    let used: Vec<u64> = std::fs::read_dir(format!("/proc/{}/fd", program.id()))
        .expect("it runs")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    let last = (0..).filter(|number| !used.contains(number)).nth(count - 1).expect("a free one");
    let limit = format!("--nofile={}:", last + 1);
    let done = Command::new("prlimit").args(["--pid", &program.id().to_string(), &limit]).status();
    assert!(done.expect("prlimit, of util-linux").success());
}

#[test]
fn receiver_without_descriptors_tells_senders_and_goes_on() {
    let place = Place::new();
    let (receiver, _err, address) = place.receiver("127.0.0.1:0");
    allow_more_descriptors(&receiver, 2);
    let [first, second] = [0, 1].map(|_| place.begun(&address, 1));
    for _ in 0..2 {
        let (status, out, err) = ran(&mut Place::sender(&place.original, &address));
        assert!(status == 1 && err.contains("cannot store it: Too many open files"), "{status} {out}{err}");
        assert!(!err.contains(".part"), "no path of the receiver: {err}");
        let stored = || place.partial().iter().map(|part| part.metadata().map_or(0, |of| of.len())).sum::<u64>();
        let before = stored();
        until("the others go on", || stored() > before + 2 * STEP);
    }
    assert_eq!((place.whole().len(), place.partial().len()), (0, 2));
    signal(&first, "INT");
    first.wait_with_output().expect("ends");
    until("its file is removed", || place.partial().len() == 1);
    place.again(&address, &["original"]);
    place.again(&address, &["original", "original-1"]);
    killed(second);
    killed(receiver);
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
