//! Several files, folders and standard input in one transfer, with names of every kind.

mod common;
#[path = "secure/party.rs"]
mod party;
#[path = "secure/plain.rs"]
mod plain;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use party::{file, User};
use serde_json::Value;

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn names(objects: &[Value]) -> Vec<(bool, String)> {
    let name = |object: &Value| object["name"].as_str().unwrap_or_default().to_string();
    let mut names: Vec<_> = objects.iter().map(|object| (object["ok"] == true, name(object))).collect();
    names.sort();
    names
}

/// What must not be in any output: control characters but for newlines, and marks of direction.
fn require_harmless(output: &str) {
    let is_harmful =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    assert_eq!(output.chars().find(|c| is_harmful(*c)), None, "{output:?}");
}

#[test]
fn several_files_are_stored_and_each_has_one_object() {
    let (alice, bob) = (User::new(), User::new());
    let receiver = alice.plain_receiver(&["--once"]);
    let files = [file(&bob, "one", 100_000), file(&bob, "two", 0), file(&bob, "three", 1)];
    let [one, two, three] = files.each_ref().map(|file| text(file));
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", one, two, "--file", three]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(names(&objects), [(true, "one".into()), (true, "three".into()), (true, "two".into())]);
    for object in &objects {
        assert!(object["sha256"] == object["peer_sha256"] && object["bytes_per_second"].is_f64(), "{object}");
    }
    assert!(receiver.ends().0.success());
    assert_eq!(alice.received(), ["one", "three", "two"]);
    for file in files {
        let name = file.file_name().expect("named");
        assert!(fs::read(&file).expect("there") == fs::read(alice.path("received").join(name)).expect("there"));
    }
}

#[test]
fn tree_is_recreated_without_its_links_and_each_is_reported() {
    let (alice, bob) = (User::new(), User::new());
    let tree = bob.path("tree");
    for folder in ["tree/sub/deep", "tree/empty", "tree/.hidden"] {
        fs::create_dir_all(bob.path(folder)).expect("made");
    }
    for (name, content) in [("a", "1"), ("sub/a", "2"), ("sub/deep/a", "3"), (".hidden/.a", "4"), ("sub/b", "")] {
        fs::write(tree.join(name), content).expect("written");
    }
    symlink("/etc", tree.join("folder-link")).expect("made");
    symlink("a", tree.join("link")).expect("made");
    assert!(Command::new("mkfifo").arg(tree.join("pipe")).status().expect("mkfifo").success());
    let receiver = alice.plain_receiver(&[]);
    let (status, objects, err) = bob.send_plain(&receiver.address, &["-r", "--file", text(&tree)]);
    assert_eq!(status, 1, "something was not sent: {err}");
    let (sent, failed): (Vec<Value>, Vec<Value>) = objects.into_iter().partition(|object| object["ok"] == true);
    assert_eq!(
        names(&failed).into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
        ["tree/folder-link", "tree/link", "tree/pipe"]
    );
    assert!(failed.iter().all(|object| object["cause"] == "skipped"), "{failed:?}");
    assert!(err.contains("tree/link is not sent: symbolic links are not followed"), "{err}");
    assert_eq!(sent.len(), 5);
    let expected = ["", ".hidden/", ".hidden/.a", "a", "empty/", "sub/", "sub/a", "sub/b", "sub/deep/", "sub/deep/a"];
    let below = |root: &str| expected.map(|path| format!("{root}/{path}"));
    assert_eq!(alice.received_tree(), below("tree"));
    assert_eq!(fs::read_to_string(alice.path("received/tree/sub/deep/a")).expect("there"), "3");

    // A tree is never mixed with what is there.
    assert_eq!(bob.send_plain(&receiver.address, &["-r", "--file", text(&tree)]).1.len(), 8);
    assert_eq!(alice.received_tree(), [below("tree-1"), below("tree")].concat());
}

/// Also where the results are objects.
#[test]
fn sender_whose_results_nobody_reads_sends_everything() {
    for json in [None, Some("--json")] {
        let (alice, bob) = (User::new(), User::new());
        let receiver = alice.plain_receiver(&["--once"]);
        let files = ["one", "two", "three"].map(|name| file(&bob, name, 100_000));
        let mut command = bob.plain("send", &["--to", &receiver.address]);
        command.args(json).arg("--file").args(&files).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut sender = command.spawn().expect("starts");
        drop(sender.stdout.take());
        let done = sender.wait_with_output().expect("ends");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(receiver.ends().0.success());
        assert_eq!(alice.received(), ["one", "three", "two"]);
    }
}

#[test]
fn sender_whose_results_cannot_be_written_sends_everything_and_fails() {
    let (alice, bob) = (User::new(), User::new());
    let receiver = alice.plain_receiver(&["--once"]);
    let files = ["one", "two"].map(|name| file(&bob, name, 100_000));
    let mut command = bob.plain("send", &["--json", "--to", &receiver.address, "--file"]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let done = command.args(&files).stdout(full).output().expect("starts");
    let err = String::from_utf8_lossy(&done.stderr);
    assert_eq!((done.status.code(), err.matches("standard output: ").count()), (Some(1), 1), "{err}");
    assert!(receiver.ends().0.success());
    assert_eq!(alice.received(), ["one", "two"]);
}

/// Another sender's file is under way when the first result cannot be printed: nothing remains of it.
#[test]
fn receiver_whose_results_nobody_reads_leaves_in_order() {
    let (alice, bob, carol) = (User::new(), User::new(), User::new());
    let mut receiver = alice.plain_receiver(&["--json"]);
    let mut command = carol.plain("send", &["--to", &receiver.address, "--file", "-", "--name", "endless"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut sender = command.spawn().expect("starts");
    let mut input = sender.stdin.take().expect("piped");
    input.write_all(&[7; 100_000]).expect("taken");
    while !alice.received().iter().any(|name| name.starts_with(".nacre-")) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    drop(receiver.output());
    let (status, _, err) = bob.send_plain(&receiver.address, &["--file", text(&file(&bob, "one", 1))]);
    assert_eq!(status, 0, "it is stored: {err}");
    let (status, words) = receiver.ends();
    assert!(status.success() && words.contains("nobody reads what the receiver prints"), "{status}: {words}");
    let done = sender.wait_with_output().expect("ends");
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && err.contains("the receiver has left before it had"), "{err}");
    drop(input);
    assert_eq!(alice.received(), ["one"]);
}

/// The system makes it up when it is read, and states a size of 0.
#[test]
fn file_with_more_than_it_states_is_not_sent() {
    let (alice, bob) = (User::new(), User::new());
    let receiver = alice.plain_receiver(&[]);
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", "/proc/version"]);
    assert_eq!((status, objects.len()), (1, 1), "{err}");
    assert!(err.contains("the file has more than the 0 bytes that it states"), "{err}");
    assert!(objects[0]["ok"] == false && objects[0]["cause"] == "changed", "{objects:?}");
    receiver.kill();
    assert_eq!(alice.received(), [""; 0]);
}

#[test]
fn folder_without_recursion_is_refused_and_nothing_is_sent() {
    let bob = User::new();
    let (status, objects, err) = bob.send_plain("127.0.0.1:9", &["--file", text(&bob.path("."))]);
    assert_eq!((status, objects.len()), (1, 1));
    assert!(err.contains("it is a directory (`-r` sends it with everything below)"), "{err}");
    assert!(objects[0]["ok"] == false && objects[0]["cause"] == "other", "{objects:?}");
}

#[test]
fn names_of_every_kind_are_stored_and_printed_without_harm() {
    let (alice, bob) = (User::new(), User::new());
    let tree = bob.path("tree");
    fs::create_dir(&tree).expect("made");
    let long = "x".repeat(255);
    let inside: [&[u8]; 10] = [
        b"new\nline",
        b"\x1b[2Jclear",
        b"-rf",
        "exe.\u{202e}txt".as_bytes(),
        b"a\x01",
        b"a\x02",
        b"\xff\xfe",
        "t\u{e0041}g".as_bytes(),
        b"back\\slash",
        long.as_bytes(),
    ];
    for name in inside {
        fs::write(tree.join(OsStr::from_bytes(name)), name).expect("written");
    }
    let outside: [&[u8]; 5] = [b"\x1b[2J", b"--help", b".profile", b" .nacre-1.part", "\u{200f}r".as_bytes()];
    for name in outside {
        fs::write(bob.path("").join(OsStr::from_bytes(name)), name).expect("written");
    }
    let receiver = alice.plain_receiver(&["--once", "--json"]);
    let mut command = bob.plain("send", &["--json", "--to", &receiver.address, "-r", "--file", text(&tree)]);
    let sent = command.args(outside.map(|name| bob.path("").join(OsStr::from_bytes(name)))).output().expect("starts");
    let (out, err) = (String::from_utf8(sent.stdout).expect("UTF-8"), String::from_utf8(sent.stderr).expect("UTF-8"));
    assert!(sent.status.success(), "{out}{err}");
    let (status, words, said) = receiver.ends_with_output();
    assert!(status.success(), "{words}");
    for output in [out, err, words, said] {
        require_harmless(&output);
    }
    let below = ["__[2Jclear", "_rf", "a_", "a_-1", "back_slash", "exe._txt", "new_line", "t_g", "\u{fffd}\u{fffd}"];
    let mut expected: Vec<String> = below.iter().map(|name| format!("tree/{}", name.replace("__", "_"))).collect();
    expected.extend(["_[2J", "_-help", "profile", "nacre-1.part", "_r", "tree/"].map(str::to_string));
    expected.push(format!("tree/{long}"));
    expected.sort();
    assert_eq!(alice.received_tree(), expected);
}

#[test]
fn standard_input_of_unknown_length_is_stored_under_its_name() {
    let (alice, bob) = (User::new(), User::new());
    let receiver = alice.plain_receiver(&[]);
    let content: Vec<u8> = (0..300_000u32).map(|n| (n % 251) as u8).collect();
    for (name, content) in [("some", &content[..]), ("none", &[])] {
        let mut command = bob.plain("send", &["--json", "--to", &receiver.address, "--file", "-", "--name", name]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        child.stdin.take().expect("piped").write_all(content).expect("written");
        let done = child.wait_with_output().expect("ends");
        let object: Value = serde_json::from_slice(&done.stdout).expect("one object");
        assert!(done.status.success() && object["bytes"] == content.len(), "{object}");
        assert!(fs::read(alice.path("received").join(name)).expect("there") == content);
    }
    let closed = bob.plain("send", &["--to", &receiver.address, "--file", "-", "--name", "closed"]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" <&-", "sh"]).arg(closed.get_program()).args(closed.get_args());
    let done = shell.current_dir(common::root()).output().expect("starts");
    assert!(done.status.success(), "it has no bytes: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn wrong_names_and_inputs_are_usage_errors_with_one_object() {
    let bob = User::new();
    let one = file(&bob, "one", 1);
    for (arguments, words) in [
        (&["--file", "-"][..], "standard input has no name: state one with `--name`"),
        (&["--file", "-", "-", "--name", "x"], "standard input can be sent once"),
        (&["--file", "-", text(&one), "--name", "x"], "`--name` names one file"),
        (&["--file", "-", "--name", "a/b"], "without a folder"),
        (&["--file", "-", "--name", ".."], "without a folder"),
    ] {
        let (status, objects, err) = bob.send_plain("127.0.0.1:9", arguments);
        assert!(status == 2 && err.contains(words), "{arguments:?}: {err}");
        assert_eq!((objects.len(), objects[0]["cause"].as_str()), (1, Some("usage")), "{objects:?}");
    }
    for arguments in [&["--file"][..], &["--file", text(&one), "--unknown"], &["--file", "x", "--loss", "5"]] {
        let (status, objects, _) = bob.send_plain("127.0.0.1:9", arguments);
        assert_eq!((status, objects.len(), objects[0]["cause"].as_str()), (2, 1, Some("usage")), "{objects:?}");
    }
    let (status, objects, _) = bob.send_plain("127.0.0.1:0", &["--file", text(&one)]);
    assert_eq!((status, objects[0]["what"].as_str(), objects[0]["ok"].as_bool()), (2, Some("send"), Some(false)));
}

#[test]
fn receiver_of_one_file_takes_one_file_of_a_sender_and_no_folder() {
    let (alice, bob) = (User::new(), User::new());
    let copy = alice.path("copy");
    let [one, two] = [file(&bob, "one", 10), file(&bob, "two", 20)];
    fs::create_dir(bob.path("folder")).expect("made");
    let start = || {
        let more = ["--serve", "--listen", "127.0.0.1:0", "--out", text(&copy)];
        party::Receiver::start(alice.plain("receive", &more))
    };
    let receiver = start();
    let (status, objects, err) = bob.send_plain(&receiver.address, &["--file", text(&one), text(&two)]);
    assert!(status == 1 && err.contains("two: the receiver does not take it"), "{err}");
    assert_eq!(names(&objects), [(false, "two".into()), (true, "one".into())]);
    let (status, objects, err) = bob.send_plain(&receiver.address, &["-r", "--file", text(&bob.path("folder"))]);
    assert!(status == 1 && objects.len() == 1 && err.contains("takes no folders"), "{err}");
    assert_eq!(fs::read(&copy).expect("there"), fs::read(one).expect("there"));
    assert!(!alice.path("copy-1").exists() && !alice.path("folder").exists());
}
