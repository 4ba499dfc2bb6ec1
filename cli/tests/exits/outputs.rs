//! Outputs without a reader or that cannot be written, and missing tools.

use std::process::{Command, Stdio};

use super::desk::{ended, one_message, Desk};
use crate::common::{nacre, WRONG};

/// Commands that print, and their status if there is no reader, and if the output cannot be written.
const PRINTERS: [(&str, i32, i32); 14] = [
    ("check FOLDER/s", 3, 3),
    ("check --json FOLDER/s", 3, 3),
    ("fmt --check FOLDER/ugly", 3, 3),
    ("fmt FOLDER/ugly FOLDER/uglier", 0, 1),
    ("explain FOLDER/s --stack small", 0, 1),
    ("explain FOLDER/s --stack small --json", 0, 1),
    ("build FOLDER/s --stack small -o FOLDER/out", 0, 1),
    ("sim FOLDER/s --stack small --messages 1", 3, 3),
    ("test FOLDER/s", 3, 3),
    ("verify NO_BIT", 3, 3),
    ("replay FOLDER/run.json", 3, 3),
    ("--help", 0, 1),
    ("--version", 0, 1),
    ("verify --help", 0, 1),
];

/// A pipe without a reader.
fn closed_pipe() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("`true` starts");
    let writer = reader.stdin.take().expect("piped");
    reader.wait().expect("`true` ends");
    writer.into()
}

#[test]
fn output_that_is_not_read_or_not_written_leaves_no_verdict() {
    let desk = Desk::with_stack();
    desk.save_run();
    for (words, gone, full) in PRINTERS {
        for name in ["ugly", "uglier"] {
            desk.write(name, "stack   s=a/b;");
        }
        let mut command = desk.command(words);
        command.stdout(closed_pipe());
        let (status, _, err) = ended(command);
        assert_eq!((status, err.as_str()), (gone, ""), "{words}: the reader has gone");
        if words.starts_with("fmt FOLDER") {
            assert_eq!(desk.run("fmt --check FOLDER/ugly FOLDER/uglier").0, 0, "all files are formatted even so");
            desk.write("ugly", "stack   s=a/b;");
        }
        let mut command = desk.command(words);
        let device = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        command.stdout(device);
        let (status, _, err) = ended(command);
        assert_eq!(status, full, "{words}: the disk is full: {err}");
        assert!(full == 0 || err.contains("No space left") && err.lines().count() == 1, "{words}: {err}");
    }
}

#[test]
fn messages_that_cannot_be_written_change_no_status() {
    for sink in [None, Some("/dev/full")] {
        let mut command = nacre(&["check", WRONG]);
        match sink {
            None => command.stderr(closed_pipe()),
            Some(path) => command.stderr(std::fs::OpenOptions::new().write(true).open(path).expect("opened")),
        };
        assert_eq!(command.status().expect("starts").code(), Some(1), "{sink:?}");
    }
}

/// Commands whose output cannot be written; their status and a part of the message.
const UNWRITABLE: [(&str, i32, &str); 12] = [
    ("build FOLDER/s --stack small -o FOLDER/s", 1, "cannot create the folder"),
    ("build FOLDER/s --stack small -o FOLDER/s/below", 1, "cannot create the folder"),
    ("build FOLDER/s --stack small -o /proc/nacre", 1, "cannot create the folder"),
    ("build FOLDER/s --stack small -o FOLDER/taken", 1, "cannot write"),
    ("verify NO_BIT --trace FOLDER/taken", 3, "it is a directory"),
    ("verify NO_BIT --trace FOLDER/missing/run.json", 3, "cannot write"),
    ("verify NO_BIT --svg FOLDER/s/run.svg", 3, "cannot write"),
    ("run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out FOLDER/missing/x", 1, "no such folder"),
    ("run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out /dev/null", 1, "it is not a regular file"),
    (
        "run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out /proc/nacre",
        1,
        "cannot write `/proc/nacre`",
    ),
    ("run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out /proc", 1, "cannot write `/proc`"),
    ("run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out FOLDER/x --pcap FOLDER/taken", 1, "taken"),
];

#[test]
fn outputs_that_cannot_be_written_are_one_error() {
    let desk = Desk::with_stack();
    std::fs::create_dir_all(desk.path("taken/small.c")).expect("made");
    for (words, wanted, part) in UNWRITABLE {
        let (status, out, err) = desk.run(words);
        assert_eq!((status, out.as_str()), (wanted, ""), "{words}: {err}");
        one_message(&err, part, words);
    }
}

/// Commands that need external programs, and the one that is reported as missing; none: they need none.
const TOOLS: [(&str, Option<&str>); 12] = [
    ("check FOLDER/s", None),
    ("fmt FOLDER/s", None),
    ("explain FOLDER/s --stack small --stage promela", None),
    ("build FOLDER/s --stack small -o FOLDER/out", None),
    ("sim FOLDER/s --stack small", None),
    ("sim FOLDER/s --stack small --level inline", Some("gcc")),
    ("test FOLDER/s", Some("gcc")),
    ("run FOLDER/s --stack small receive --plain --listen 127.0.0.1:0 --out FOLDER/x", Some("gcc")),
    ("verify NO_BIT --engine spin", Some("`spin`")),
    ("verify NO_BIT --engine spin-c", Some("`spin`")),
    ("replay FOLDER/run.json", None),
    ("replay FOLDER/run.json --level call --gdb", Some("`g")),
];

#[test]
fn missing_tools_are_one_error_with_status_3() {
    let desk = Desk::with_stack();
    desk.save_run();
    for (words, missing) in TOOLS {
        let mut command = desk.command(words);
        command.env("PATH", desk.folder.path());
        let (status, out, err) = ended(command);
        match missing {
            None => assert_eq!((status, err.as_str()), (0, ""), "{words}"),
            Some(tool) => {
                assert_eq!(status, 3, "{words}: {out}{err}");
                one_message(&err, tool, words);
                assert!(err.contains("apt-get install"), "{words}: {err}");
            }
        }
    }
}

#[test]
fn long_simulations_report_progress() {
    let desk = Desk::with_stack();
    let mut child = desk
        .command("sim FOLDER/s --stack small --messages 1000000")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().expect("piped")));
    let first = lines.map_while(Result::ok).next().unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    assert!(first.starts_with("progress: run 1 of 1: ") && first.contains("of 2000000 messages sent"), "{first}");
}
