//! Files and lines between processes, over UDP with faults.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use common::*;

/// A receiver; gives it, and the address that it says it listens on.
fn receiver(listen: &str, what: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut arguments = vec!["run", RELIABLE, "--stack", "reliable"];
    arguments.extend(what);
    arguments.extend(["--listen", listen]);
    let mut child =
        nacre(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut err = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    err.read_line(&mut line).expect("a line");
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
    let mut arguments = vec!["run", RELIABLE, "--stack", "reliable", "send", "--to", to, "--file"];
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
    let (mut one, address, _err) = receiver("127.0.0.1:0", &["chat"]);
    let mut arguments = vec!["run", RELIABLE, "--stack", "reliable", "chat", "--loss", "10%", "--to"];
    arguments.push(&address);
    let mut other =
        nacre(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut speaks = other.stdin.take().expect("piped");
    speaks.write_all(b"hello\nis there anybody?\n").expect("written");
    let mut hears = BufReader::new(one.stdout.take().expect("piped")).lines();
    assert_eq!(hears.next().expect("a line").expect("text"), "hello");
    assert_eq!(hears.next().expect("a line").expect("text"), "is there anybody?");
    one.stdin.as_mut().expect("piped").write_all(b"yes\x1b[2J\n").expect("written");
    let mut answers = BufReader::new(other.stdout.take().expect("piped")).lines();
    assert_eq!(answers.next().expect("a line").expect("text"), "yes[2J");
    drop(speaks);
    assert!(other.wait().expect("ends").success());
    one.kill().expect("still there");
    one.wait().expect("ends");
}

#[test]
fn file_that_is_not_there_is_told() {
    let (status, _, err) = send(Path::new("no/such/file"), "127.0.0.1:9", &[]);
    assert!(status == 1 && err.contains("no/such/file"), "{err}");
}
