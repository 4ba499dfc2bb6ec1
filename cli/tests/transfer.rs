//! Files and lines between processes, over UDP with faults.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use common::*;

/// Starts a receiver; returns it, and the address that it prints.
fn receiver(listen: &str, what: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    receiver_of(&[RELIABLE, "--stack", "reliable"], listen, what)
}

/// The same with another stack.
fn receiver_of(stack: &[&str], listen: &str, what: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut arguments = vec!["run"];
    arguments.extend(stack);
    arguments.extend(what);
    arguments.extend(["--plain", "--listen", listen]);
    let mut child =
        nacre(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut err = BufReader::new(child.stderr.take().expect("piped"));
    let line = message(&mut err);
    let address = line.split(' ').nth(2).unwrap_or_else(|| panic!("no address: {line}")).to_string();
    (child, address, err)
}

fn content(length: usize, seed: u64) -> Vec<u8> {
    let mut random = seed | 1;
    let byte = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    };
    std::iter::repeat_with(byte).take(length).collect()
}

fn send(file: &Path, to: &str, more: &[&str]) -> (i32, String, String) {
    let mut arguments = vec!["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--to", to, "--file"];
    arguments.push(file.to_str().expect("UTF-8"));
    arguments.extend(more);
    ran(&mut nacre(&arguments))
}

#[test]
fn file_survives_a_bad_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let (original, copy, pcap) =
        (folder.path().join("original"), folder.path().join("copy"), folder.path().join("wire.pcap"));
    std::fs::write(&original, content(3 << 20, 1)).expect("written");
    let (child, address, _err) = receiver("[::1]:0", &["receive", "--out", copy.to_str().expect("UTF-8")]);
    let faults =
        ["--loss", "5%", "--duplicate", "2%", "--reorder", "2%", "--corrupt", "1%", "--delay", "1ms", "--seed", "3"];
    let (status, out, err) =
        send(&original, &address, &[&faults[..], &["--pcap", pcap.to_str().expect("UTF-8")]].concat());
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("(both sides agree)") && out.contains("faults   out: lost"), "{out}");
    let done = child.wait_with_output().expect("ends after the first file");
    let received = String::from_utf8(done.stdout).expect("UTF-8");
    assert!(done.status.success(), "{received}");
    let sum = |text: &str| text.split("sha-256").nth(1).and_then(|t| t.split_whitespace().next().map(str::to_string));
    assert_eq!(sum(&out), sum(&received));
    assert!(std::fs::read(&original).expect("there") == std::fs::read(&copy).expect("there"), "the files are equal");
    assert!(std::fs::metadata(&pcap).expect("there").len() > 3 << 20);
}

/// The last frames of a short transfer are in a buffer when it ends.
#[test]
fn capture_that_cannot_be_written_is_said() {
    for length in [10, 3 << 20] {
        let folder = tempfile::tempdir().expect("a folder");
        let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
        std::fs::write(&original, content(length, 5)).expect("written");
        let (child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", copy.to_str().expect("UTF-8")]);
        let (status, out, err) = send(&original, &address, &["--pcap", "/dev/full"]);
        assert_eq!(status, 0, "{out}{err}");
        let words = "warning: /dev/full: the capture ends here: No space left on device";
        assert_eq!(err.matches(words).count(), 1, "{err}");
        assert!(child.wait_with_output().expect("ends").status.success());
    }
}

#[test]
fn rate_is_shown_beside_that_of_plain_sockets() {
    let folder = tempfile::tempdir().expect("a folder");
    let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
    std::fs::write(&original, content(8 << 20, 4)).expect("written");
    let (child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", copy.to_str().expect("UTF-8")]);
    let (status, out, err) = send(&original, &address, &[]);
    let line = out.lines().find_map(|line| line.strip_prefix("  raw UDP  ")).unwrap_or_else(|| panic!("{out}{err}"));
    let length = line.split("datagrams of ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(status == 0 && length.is_some_and(|length| (1000..1500).contains(&length)), "{line}");
    assert!(line.ends_with(" %)") && line.contains("iB/s with "), "{line}");
    assert!(child.wait_with_output().expect("ends after the first file").status.success());
}

/// The receiver runs bypasses, the sender does not: the frames are the same.
#[test]
fn quick_entries_take_frames_of_another_level() {
    let folder = tempfile::tempdir().expect("a folder");
    let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
    std::fs::write(&original, content(300_000, 5)).expect("written");
    let copy = copy.to_str().expect("UTF-8");
    let (child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", copy, "--level", "bypass", "--json"]);
    let (status, out, err) = send(&original, &address, &["--level", "call"]);
    assert!(status == 0 && !out.contains("  quick") && !out.contains("raw UDP"), "{out}{err}");
    let done = child.wait_with_output().expect("ends after the first file");
    let received: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let number = |name: &str| received[name].as_u64().expect("a number");
    assert!(received["ok"] == true && number("taken") >= number("quick") && number("quick") > 0, "{received}");
}

/// The greeting is sent once the stack takes it.
#[test]
fn sender_waits_for_a_stack_that_takes_nothing_at_first() {
    const LATE: &[&str] = &["cli/tests/sources/hasty.nacre", "--stack", "late_stack"];
    let folder = tempfile::tempdir().expect("a folder");
    let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
    std::fs::write(&original, content(500, 5)).expect("written");
    // Bypasses of this stack have no proof, which would be said first.
    let out = ["receive", "--level", "inline", "--out", copy.to_str().expect("UTF-8")];
    let (child, address, _err) = receiver_of(LATE, "127.0.0.1:0", &out);
    let file = ["send", "--level", "inline", "--plain", "--to", &address, "--file", original.to_str().expect("UTF-8")];
    let (status, out, err) = ran(nacre(&["run"]).args(LATE).args(file));
    assert_eq!(status, 0, "{out}{err}");
    assert!(child.wait_with_output().expect("ends").status.success());
    assert!(std::fs::read(&original).expect("there") == std::fs::read(&copy).expect("there"), "the files are equal");
}

#[test]
fn stack_that_takes_more_than_messages_is_refused() {
    let arguments =
        ["run", "cli/tests/sources/hasty.nacre", "--stack", "tuned_stack", "receive", "--plain", "--out", "never"];
    let (status, out, err) = ran(nacre(&arguments).args(["--listen", "127.0.0.1:0", "--json"]));
    assert!(status == 1 && err.contains("`send` of this stack takes `channel`, too"), "{status} {err}");
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert!(value["ok"] == false && value["cause"] == "stack", "{value}");
}

#[test]
fn many_senders_share_a_receiver() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("received/");
    std::fs::create_dir(&out).expect("made");
    let (mut child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", out.to_str().expect("UTF-8")]);
    let senders: Vec<_> = (0..3u64)
        .map(|n| {
            let (path, address) = (folder.path().join(format!("file-{n}")), address.clone());
            std::fs::write(&path, content(200_000 * n as usize, n)).expect("written");
            std::thread::spawn(move || (path.clone(), send(&path, &address, &["--json"])))
        })
        .collect();
    for sender in senders {
        let (path, (status, json, err)) = sender.join().expect("no panic");
        assert_eq!(status, 0, "{json}{err}");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value["sha256"], value["peer_sha256"]);
        let copy = out.join(path.file_name().expect("named"));
        assert!(std::fs::read(&path).expect("there") == std::fs::read(copy).expect("there"));
    }
    child.kill().expect("it serves on");
    child.wait().expect("ends");
}

#[test]
fn lines_go_both_ways() {
    let (mut one, address, one_err) = receiver("127.0.0.1:0", &["chat"]);
    let mut arguments = vec!["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--loss", "10%", "--to"];
    arguments.push(&address);
    let mut other =
        nacre(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let other_err = BufReader::new(other.stderr.take().expect("piped"));
    let mut speaks = other.stdin.take().expect("piped");
    speaks.write_all(b"hello\nis there anybody?\n").expect("written");
    let mut hears = BufReader::new(one.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    assert_eq!(hears.next().expect("a line").expect("text"), "is there anybody?");
    one.stdin.as_mut().expect("piped").write_all(b"yes\x1b[2J\n").expect("written");
    let mut answers = BufReader::new(other.stdout.take().expect("piped")).lines();
    assert_eq!(answers.next().expect("a line").expect("text"), "yes[2J");
    drop(speaks);
    // The end of one input is not the end: the other side still sends.
    one.stdin.take().expect("piped").write_all(b"late\n").expect("written");
    assert_eq!(answers.next().expect("a line").expect("text"), "late");
    for (child, err) in [(other, other_err), (one, one_err)] {
        let (status, words) = ends(child, err);
        assert!(status.success(), "{status}: {words}");
    }
}

/// A first frame can be forged: whoever has sent it hears nothing, and is neither shown nor waited for.
#[test]
fn forged_peers_do_not_take_part_in_a_chat() {
    // What a client says first, to somebody else.
    let socket = UdpSocket::bind("127.0.0.1:0").expect("bound");
    let to = socket.local_addr().expect("bound").to_string();
    let mut client = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &to]);
    let mut client = client.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    client.stdin.as_mut().expect("piped").write_all(b"forged\n").expect("written");
    let mut frames = vec![];
    for _ in 0..3 {
        let mut frame = [0; 2000];
        let (len, _) = socket.recv_from(&mut frame).expect("a frame");
        frames.push(frame[..len].to_vec());
    }
    client.kill().expect("it waits");
    client.wait().expect("ends");

    let (mut one, address, one_err) = receiver("127.0.0.1:0", &["chat"]);
    let mut speaks = one.stdin.take().expect("piped");
    speaks.write_all(b"before anybody\n").expect("written");
    for _ in 0..3 {
        let forger = UdpSocket::bind("127.0.0.1:0").expect("bound");
        for frame in &frames {
            forger.send_to(frame, &address).expect("sent");
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    let mut other = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &address]);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let other_err = BufReader::new(other.stderr.take().expect("piped"));
    let mut hears = BufReader::new(other.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "before anybody");
    // More than the window of a connection takes.
    (0..200).for_each(|n| speaks.write_all(format!("{n}\n").as_bytes()).expect("written"));
    for n in 0..200 {
        assert_eq!(hears.next().expect("a line").expect("text"), n.to_string());
    }
    drop((speaks, other.stdin.take()));
    let heard = std::io::read_to_string(one.stdout.take().expect("piped")).expect("UTF-8");
    assert_eq!(heard, "", "nothing that is forged is shown");
    let (status, words) = ends(one, one_err);
    assert!(status.success() && words.matches("has connected").count() == 1, "{status}: {words}");
    let (status, words) = ends(other, other_err);
    assert!(status.success(), "{status}: {words}");
}

#[test]
fn line_that_no_stack_takes_is_reported_and_the_next_is_sent() {
    let (mut one, address, one_err) = receiver("127.0.0.1:0", &["chat"]);
    let mut other = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &address]);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let other_err = BufReader::new(other.stderr.take().expect("piped"));
    let mut speaks = other.stdin.take().expect("piped");
    speaks.write_all(&[&vec![b'x'; 100_000], "\nhello\n".as_bytes()].concat()).expect("written");
    let mut hears = BufReader::new(one.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    drop((speaks, one.stdin.take()));
    let (status, words) = ends(other, other_err);
    let report = "a line was not sent: the message has 100000 bytes; the stack accepts at most 89600";
    assert!(status.code() == Some(1) && words.contains(report), "{status}: {words}");
    ends(one, one_err);
}

#[test]
fn line_without_a_peer_is_reported() {
    let (mut one, address, _err) = receiver("127.0.0.1:0", &["chat"]);
    let mut other = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &address]);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    other.stdin.as_mut().expect("piped").write_all(b"hello\n").expect("written");
    let mut hears = BufReader::new(one.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    interrupt(&one);
    assert_eq!(one.wait().expect("ends").signal(), Some(SIGINT));
    let _standard_input = other.stdin.take();
    let done = other.wait_with_output().expect("ends");
    let err = String::from_utf8(done.stderr).expect("UTF-8");
    assert!(done.status.code() == Some(1) && err.contains("what follows on standard input is not sent"), "{err}");
}

/// Who is listening notices the end of its input also when the peer has already left.
#[test]
fn end_of_input_behind_the_last_peer_is_noticed() {
    let (mut one, address, one_err) = receiver("127.0.0.1:0", &["chat"]);
    let mut other = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &address]);
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    other.stdin.as_mut().expect("piped").write_all(b"hello\n").expect("written");
    let mut hears = BufReader::new(one.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    interrupt(&other);
    assert_eq!(other.wait().expect("ends").signal(), Some(SIGINT));
    let mut said = one_err.lines().map(|line| line.expect("text"));
    assert!(said.any(|line| line.contains("a peer has disconnected: closed")));
    drop(one.stdin.take());
    assert!(one.wait().expect("ends").success());
}

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Sends SIGINT, as Ctrl-C does to a program in the foreground.
fn interrupt(child: &Child) {
    signal(child, &["INT"]);
}

/// Sends signals, in this order.
fn signal(child: &Child, names: &[&str]) {
    let kill: Vec<String> = names.iter().map(|name| format!("kill -{name} {}", child.id())).collect();
    let done = Command::new("sh").args(["-c", &kill.join(" && ")]).status().expect("a shell");
    assert!(done.success());
}

/// A transfer that cannot end before it is interrupted, of a sparse file of 4 GiB.
struct Long {
    /// The receiver, and its errors.
    one: Child,
    err: BufReader<ChildStderr>,
    /// The sender, and its errors.
    other: Child,
    other_err: BufReader<ChildStderr>,
    folder: tempfile::TempDir,
    /// The receiver's.
    address: String,
}

fn long_transfer() -> Long {
    let folder = tempfile::tempdir().expect("a folder");
    let (original, copy) = (folder.path().join("original"), folder.path().join("copy"));
    std::fs::File::create(&original).and_then(|file| file.set_len(4 << 30)).expect("made");
    let (one, address, err) = receiver("127.0.0.1:0", &["receive", "--out", copy.to_str().expect("UTF-8")]);
    let mut other =
        nacre(&["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--delay", "20ms", "--to", &address]);
    other.args(["--file", original.to_str().expect("UTF-8")]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let other_err = BufReader::new(other.stderr.take().expect("piped"));
    let until = Instant::now() + Duration::from_secs(60);
    while !unfinished(folder.path()).is_some_and(|part| part.metadata().is_ok_and(|part| part.len() > 0)) {
        assert!(Instant::now() < until, "nothing arrives");
        std::thread::sleep(Duration::from_millis(10));
    }
    Long { one, err, other, other_err, folder, address }
}

/// The file that a receiver has begun in a folder.
fn unfinished(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".nacre-")))
}

/// The rest of a program's output, and its exit status.
fn ends(mut child: Child, mut err: BufReader<ChildStderr>) -> (ExitStatus, String) {
    let mut text = String::new();
    err.read_to_string(&mut text).expect("UTF-8");
    (child.wait().expect("ends"), text)
}

fn files(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn interrupted_sender_leaves_in_order_and_the_receiver_takes_the_next() {
    let Long { mut one, mut err, other, other_err, folder, address } = long_transfer();
    interrupt(&other);
    let (status, words) = ends(other, other_err);
    assert!(status.signal() == Some(SIGINT) && words.contains("interrupted; "), "{status}: {words}");
    let mut words = String::new();
    while !words.contains("bytes are missing): the sender has left") {
        words = message(&mut err);
        assert_ne!(words, "", "the receiver ends");
    }
    assert_eq!(files(&folder), ["original"]);
    let (status, out, words) = send(Path::new(RELIABLE), &address, &[]);
    assert_eq!(status, 0, "{out}{words}");
    assert!(one.wait().expect("ends after the first whole file").success());
    let copy = std::fs::read(folder.path().join("copy")).expect("there");
    assert!(copy == std::fs::read(root().join(RELIABLE)).expect("there"));
}

#[test]
fn interrupted_receiver_leaves_in_order() {
    let Long { one, err, other, other_err, folder, .. } = long_transfer();
    interrupt(&one);
    let (status, words) = ends(one, err);
    assert!(status.signal() == Some(SIGINT) && words.contains("bytes are missing): interrupted"), "{status}: {words}");
    let (status, words) = ends(other, other_err);
    assert!(status.code() == Some(1) && words.contains("the receiver has left before it had"), "{status}: {words}");
    assert_eq!(files(&folder), ["original"]);
}

/// SIGHUP comes when a terminal is closed; it stays ignored under `nohup`, and these tests may run so.
#[test]
fn other_signals_end_a_receiver_in_order() {
    let ignored = std::fs::read_to_string("/proc/self/status").expect("a status");
    let ignored = ignored.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a set").trim();
    let hangs_up = u64::from_str_radix(ignored, 16).expect("digits") & 1 == 0;
    for (name, number) in [("TERM", SIGTERM)].into_iter().chain(hangs_up.then_some(("HUP", 1))) {
        let Long { one, err, other, other_err, folder, .. } = long_transfer();
        signal(&one, &[name]);
        let (status, words) = ends(one, err);
        assert!(status.signal() == Some(number) && words.contains("missing): interrupted"), "{status}: {words}");
        let (status, words) = ends(other, other_err);
        assert!(status.code() == Some(1) && words.contains("the receiver has left before it had"), "{status}: {words}");
        assert_eq!(files(&folder), ["original"]);
    }
}

/// The compiler of this sender never ends.
#[test]
fn sender_that_is_interrupted_before_it_connects_prints_one_object() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let [compiler, begun, file] = ["compiler", "begun", "file"].map(|name| folder.path().join(name));
    std::fs::write(&compiler, format!("#!/bin/sh\necho > '{}'\nexec sleep 1000\n", begun.display())).expect("written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("made executable");
    std::fs::write(&file, "content").expect("written");
    let arguments = ["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--json", "--to", "127.0.0.1:9"];
    let mut command = nacre(&arguments);
    command.arg("--file").arg(&file).env("CC", &compiler).stdout(Stdio::piped()).stderr(Stdio::null());
    let sender = command.spawn().expect("starts");
    while !begun.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    interrupt(&sender);
    let done = sender.wait_with_output().expect("ends");
    assert_eq!(done.status.signal(), Some(SIGINT));
    let object: serde_json::Value = serde_json::from_slice(&done.stdout).expect("one object");
    assert_eq!(
        (&object["ok"], &object["cause"], &object["name"]),
        (&false.into(), &"interrupted".into(), &serde_json::Value::Null)
    );
}

/// It does not even clean up: the stopped program receives both signals when it continues.
#[test]
fn second_signal_ends_at_once() {
    let Long { one, err, mut other, other_err: _open, folder, .. } = long_transfer();
    signal(&one, &["STOP", "TERM", "INT", "CONT"]);
    let (status, words) = ends(one, err);
    other.kill().expect("it still sends");
    other.wait().expect("ends");
    assert!(matches!(status.signal(), Some(SIGINT | SIGTERM)) && !words.contains("interrupted"), "{status}: {words}");
    let left = unfinished(folder.path()).expect("its file is still there");
    assert_eq!(files(&folder).len(), 2);
    let out = folder.path().join("again/");
    std::fs::create_dir(&out).expect("made");
    std::fs::rename(&left, out.join(left.file_name().expect("named"))).expect("moved");
    let (mut next, _, _err) = receiver("127.0.0.1:0", &["receive", "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(unfinished(&out), None, "the next receiver there removes it");
    next.kill().expect("it waits");
    next.wait().expect("ends");
}

#[test]
fn nothing_that_exists_is_replaced_without_being_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, original) = (folder.path().join("received"), folder.path().join("f"));
    std::fs::create_dir(&out).expect("made");
    std::fs::write(out.join("f"), "before").expect("written");
    std::fs::write(&original, "new").expect("written");
    let (mut child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", out.to_str().expect("UTF-8")]);
    for _ in 0..2 {
        let (status, out, err) = send(&original, &address, &[]);
        assert_eq!(status, 0, "{out}{err}");
    }
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect("there");
    assert_eq!(["f", "f-1", "f-2"].map(read), ["before", "new", "new"]);
    child.kill().expect("it serves on");
    child.wait().expect("ends");

    let one = out.join("f");
    let arguments = ["run", RELIABLE, "--stack", "reliable", "receive", "--plain", "--listen", "127.0.0.1:0", "--out"];
    let (status, _, err) = ran(nacre(&arguments).arg(&one));
    assert!(status == 1 && err.contains("exists; --overwrite replaces it"), "{err}");
    let what = ["receive", "--overwrite", "--out", one.to_str().expect("UTF-8")];
    let (child, address, _err) = receiver("127.0.0.1:0", &what);
    assert_eq!(send(&original, &address, &[]).0, 0);
    assert!(child.wait_with_output().expect("ends after the first file").status.success());
    assert_eq!(read("f"), "new");
}

#[test]
fn peer_that_sends_no_file_does_not_end_a_receiver() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    let (child, address, mut err) = receiver("127.0.0.1:0", &["receive", "--out", copy.to_str().expect("UTF-8")]);
    let mut chat = nacre(&["run", RELIABLE, "--stack", "reliable", "chat", "--plain", "--to", &address]);
    let mut chat = chat.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    chat.stdin.as_mut().expect("piped").write_all(b"no file\n").expect("written");
    let words = message(&mut err);
    assert!(words.contains("it does not begin as `nacre run send` does"), "{words}");
    assert_eq!(send(Path::new(RELIABLE), &address, &[]).0, 0);
    assert!(child.wait_with_output().expect("ends after the first file").status.success());
    assert_eq!(std::fs::read(copy).expect("there"), std::fs::read(root().join(RELIABLE)).expect("there"));
    chat.kill().expect("killed or ended");
    chat.wait().expect("ends");
}

#[test]
fn sender_learns_why_its_file_is_not_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("received/");
    std::fs::create_dir(&out).expect("made");
    let (mut child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", out.to_str().expect("UTF-8")]);
    std::fs::remove_dir(&out).expect("removed");
    let (status, _, err) = send(Path::new(RELIABLE), &address, &[]);
    assert_eq!(status, 1);
    assert!(err.contains("the receiver does not take it: cannot store it: No such file or directory"), "{err}");
    std::fs::create_dir(&out).expect("made");
    let (status, _, err) = send(Path::new(RELIABLE), &address, &[]);
    assert_eq!(status, 0, "it serves on: {err}");
    child.kill().expect("it serves on");
    child.wait().expect("ends");
}

/// A relay between a sender and a receiver, which lets the answers through only when it is asked to: until then the
/// sender's address may be forged.
#[test]
fn nothing_is_stored_of_a_sender_that_never_hears_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("received/");
    std::fs::create_dir(&out).expect("made");
    let (mut child, address, _err) = receiver("127.0.0.1:0", &["receive", "--out", out.to_str().expect("UTF-8")]);
    let [front, back] = [0, 1].map(|_| UdpSocket::bind("127.0.0.1:0").expect("a port"));
    for socket in [&front, &back] {
        socket.set_read_timeout(Some(Duration::from_millis(20))).expect("a time");
    }
    let to = front.local_addr().expect("an address").to_string();
    let mut sender =
        nacre(&["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--to", &to, "--file", RELIABLE]);
    let mut sender = sender.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let (mut frames, mut answers, mut from, mut buffer) = (0, 0, None, [0; 2048]);
    let until = Instant::now() + Duration::from_secs(60);
    let status = loop {
        assert!(Instant::now() < until, "{frames} frames, {answers} answers");
        if let Ok((len, sender)) = front.recv_from(&mut buffer) {
            from = Some(sender);
            frames += 1;
            back.send_to(&buffer[..len], &address).expect("sent");
        }
        if let (Ok((len, _)), Some(from)) = (back.recv_from(&mut buffer), from) {
            answers += 1;
            if answers <= 5 {
                assert_eq!(std::fs::read_dir(&out).expect("a folder").count(), 0, "{frames} frames, {answers} answers");
                continue;
            }
            front.send_to(&buffer[..len], from).expect("sent");
        }
        if let Some(status) = sender.try_wait().expect("a child") {
            break status;
        }
    };
    assert!(status.success() && frames > 5 && answers > 5, "{status}: {frames} frames, {answers} answers");
    assert_eq!(std::fs::read_dir(&out).expect("a folder").count(), 1);
    child.kill().expect("it serves on");
    child.wait().expect("ends");
}

#[test]
fn sender_without_a_receiver_reports_it_and_continues() {
    let nobody = UdpSocket::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").to_string();
    let arguments = ["run", RELIABLE, "--stack", "reliable", "send", "--plain", "--to", &nobody, "--file", RELIABLE];
    let mut child = nacre(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut err = BufReader::new(child.stderr.take().expect("piped"));
    message(&mut err); // the introduction
    let words = message(&mut err);
    assert!(words.contains(&nobody) && words.contains("Connection refused"), "{words}");
    assert!(child.try_wait().expect("a child").is_none(), "it still tries");
    signal(&child, &["TERM"]);
    let (status, words) = ends(child, err);
    assert_eq!(status.signal(), Some(SIGTERM));
    assert!(words.contains("nothing is known to have arrived") && !words.contains("bytes"), "{words}");
}

#[test]
fn other_stack_is_reported_with_a_message_on_both_sides() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("copy").display().to_string();
    let (mut receiving, address, mut err) = receiver("127.0.0.1:0", &["receive", "--out", &out]);
    let file = root().join("README.md").display().to_string();
    let arguments =
        ["run", RELIABLE, "--stack", "reliable_plain", "send", "--plain", "--to", &address, "--file", &file];
    let (status, _, told) = ran(&mut nacre(&arguments));
    let here = message(&mut err);
    receiving.kill().expect("it still listens");
    receiving.wait().expect("ends");
    assert_ne!(status, 0, "{told}");
    for words in
        ["this endpoint runs frag<1400> / pt2pt<64> / floor", "serves fingerprint", "Did one side change a layer"]
    {
        assert!(told.contains(words), "the sender: {told}");
    }
    for words in ["refused 127.0.0.1", "this endpoint serves frag<1400> / pt2pt<64, FRIENDLY = true> / crc32c / floor"]
    {
        assert!(here.contains(words), "the receiver: {here}");
    }
}

#[test]
fn missing_output_folder_of_a_receiver_is_reported_at_once() {
    let arguments = ["run", RELIABLE, "--stack", "reliable", "receive", "--plain", "--listen", "127.0.0.1:0", "--out"];
    let (status, out, err) = ran(nacre(&arguments).arg("no/such/folder/copy"));
    assert_eq!((status, out.as_str()), (1, ""));
    assert_eq!(err, "error: no/such/folder: no such folder\n");
}

#[test]
fn causes_of_the_system_reach_the_user() {
    let receive = |listen: &str| {
        let arguments =
            ["run", RELIABLE, "--stack", "reliable", "receive", "--plain", "--out", "x", "--listen", listen];
        ran(&mut nacre(&arguments))
    };
    let (status, _, err) = receive("192.0.2.1:0");
    assert!(status == 1 && err.contains("cannot bind 192.0.2.1:0: Cannot assign"), "{err}");
    let holder = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let (status, _, err) = receive(&holder.local_addr().expect("an address").to_string());
    assert!(status == 1 && err.contains("Address already in use"), "{err}");
    let (status, _, err) = send(Path::new("cli"), "127.0.0.1:9", &[]);
    assert!(status == 1 && err.contains("cli: it is a directory"), "{err}");
}

#[test]
fn missing_file_is_reported() {
    let (status, _, err) = send(Path::new("no/such/file"), "127.0.0.1:9", &[]);
    assert!(status == 1 && err.contains("no/such/file"), "{err}");
}
