//! The exit status of every verb, and its one message: for sources, arguments, outputs and tools of every kind.

mod common;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use common::*;
use tempfile::TempDir;

/// Longer than any of these commands takes: what is longer waits for something that never comes.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs command lines, in which `FOLDER` is a folder.
struct Desk {
    folder: TempDir,
}

/// Status, standard output, standard error.
type Ended = (i32, String, String);

impl Desk {
    fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("written");
    }

    fn command(&self, words: &str) -> Command {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let words: Vec<String> = words.split(' ').map(|word| word.replace("FOLDER", folder)).collect();
        let mut command = nacre(&words.iter().map(String::as_str).collect::<Vec<_>>());
        command.stdout(Stdio::piped());
        command
    }

    fn run(&self, words: &str) -> Ended {
        ended(self.command(words))
    }
}

/// How a command ends, which it must within the limit.
fn ended(mut command: Command) -> Ended {
    let what = format!("{command:?}");
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let id = child.id().to_string();
    let (send, done) = mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output()));
    let Ok(output) = done.recv_timeout(LIMIT) else {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
        panic!("it has no end: {what}");
    };
    let Output { status, stdout, stderr } = output.expect("its output");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    let messages = text(stderr).split_inclusive('\n').filter(|line| !line.starts_with("progress: ")).collect();
    (status.code().unwrap_or_else(|| panic!("a signal ended it: {what}")), text(stdout), messages)
}

/// A stack that all verbs accept, with a test and a configuration.
fn good() -> String {
    let library = root().join("layers");
    let import = |name: &str| format!("import \"{}/{name}\";\n", library.display());
    import("sequencer/sequencer.nacre")
        + &import("floor/floor.nacre")
        + "\nstack small = sequencer / floor;\n\ntest \"t\" {\n    open a, b with small;\n    a.send(\"x\");\n"
        + "    expect b.deliver(\"x\");\n}\n"
}

/// Every verb that reads a source; `SOURCE` is its path.
const READERS: [&str; 10] = [
    "check SOURCE",
    "check --json SOURCE",
    "fmt SOURCE",
    "fmt --check SOURCE",
    "explain SOURCE --stack small",
    "build SOURCE --stack small -o FOLDER/out",
    "sim SOURCE --stack small",
    "test SOURCE",
    "verify SOURCE --stack small",
    "run SOURCE --stack small send --to 127.0.0.1:9 --file SOURCE",
];

/// Paths that cannot be read as text, and why.
fn unreadable(desk: &Desk) -> Vec<(String, &'static str)> {
    std::fs::create_dir(desk.path("folder")).expect("made");
    let made = Command::new("mkfifo").arg(desk.path("fifo")).status().expect("mkfifo");
    assert!(made.success());
    std::os::unix::fs::symlink("loop", desk.path("loop")).expect("linked");
    desk.write("latin1", b"// caf\xe9\n");
    desk.write("utf16", b"\xff\xfes\0t\0");
    desk.write("huge", vec![b' '; (4 << 20) + 1]);
    desk.write("locked", "");
    let own = |name: &str, why| (desk.path(name).to_str().expect("UTF-8").to_string(), why);
    let mut all = vec![
        own("missing", "No such file"),
        own("huge/missing", "Not a directory"),
        own("folder", "it is a directory"),
        own("fifo", "it is not a regular file"),
        own("loop", "symbolic link"),
        own("latin1", "it is not UTF-8 text (at byte 6)"),
        own("utf16", "it is not UTF-8 text (at byte 0)"),
        own("huge", "it has more than 4194304 bytes"),
        ("/dev/zero".into(), "it is not a regular file"),
        ("/dev/null".into(), "it is not a regular file"),
        (format!("/{}", "x".repeat(300)), "File name too long"),
    ];
    let nothing = std::os::unix::fs::PermissionsExt::from_mode(0);
    std::fs::set_permissions(desk.path("locked"), nothing).expect("locked");
    // Some users read everything.
    if std::fs::read(desk.path("locked")).is_err() {
        all.push(own("locked", "Permission denied"));
    }
    all
}

/// One message on standard error, and nothing of a panic.
fn one_message(err: &str, part: &str, what: &str) {
    let messages = err.lines().filter(|line| line.starts_with("error: ") || line.contains("] Error: ")).count();
    assert!(messages == 1 && err.contains(part), "{what}: one message with `{part}`:\n{err}");
    assert!(!err.contains("internal error") && !err.contains("panicked"), "{what}:\n{err}");
}

#[test]
fn files_that_cannot_be_read_are_one_error_of_every_verb() {
    let desk = Desk::new();
    for (path, why) in unreadable(&desk) {
        for reader in READERS.into_iter().chain(["replay SOURCE"]) {
            let (status, out, err) = desk.run(&reader.replace("SOURCE", &path));
            let what = format!("{reader} of {path}");
            if reader.contains("--json") {
                assert!(status == 1 && out.contains(why) && err.is_empty(), "{what}: {status}\n{out}{err}");
                continue;
            }
            assert_eq!((status, out.as_str()), (1, ""), "{what}: {err}");
            one_message(&err, why, &what);
            one_message(&err, &format!("cannot read `{path}`"), &what);
        }
    }
}

#[test]
fn imports_that_cannot_be_read_are_one_error_where_they_are_imported() {
    let desk = Desk::new();
    for (path, why) in unreadable(&desk) {
        desk.write("importer.nacre", format!("import \"{path}\";\n{}", good()));
        for reader in READERS.into_iter().filter(|reader| !reader.contains("--json")) {
            let (status, out, err) = desk.run(&reader.replace("SOURCE", "FOLDER/importer.nacre"));
            let what = format!("{reader} of an import of {path}");
            if reader.starts_with("fmt") {
                assert_eq!((status, err.as_str()), (0, ""), "{what}: the formatter reads no imports");
                continue;
            }
            assert_eq!((status, out.as_str()), (1, ""), "{what}: {err}");
            one_message(&err, why, &what);
            assert!(err.contains("importer.nacre:1:1") && err.contains("imported here"), "{what}: {err}");
        }
    }
}

#[test]
fn text_of_every_kind_has_its_status() {
    let desk = Desk::new();
    let good = good();
    let crlf = good.replace('\n', "\r\n");
    // Text; the status of the verbs that compose its stack, and of `check` and `test`; what is said.
    let cases: [(&str, String, i32, i32, &str); 12] = [
        ("good", good.clone(), 0, 0, ""),
        ("a byte order mark", format!("\u{feff}{good}"), 0, 0, ""),
        ("CRLF", crlf.clone(), 0, 0, ""),
        ("a byte order mark and CRLF", format!("\u{feff}{crlf}"), 0, 0, ""),
        ("no newline at the end", good.trim_end().to_string(), 0, 0, ""),
        ("an import of itself", format!("import \"case.nacre\";\n{good}"), 0, 0, ""),
        ("a cycle of imports", format!("import \"cycle.nacre\";\n{good}"), 0, 0, ""),
        ("nothing", String::new(), 2, 0, "there is no stack `small`"),
        ("only a comment", "// nothing\n".into(), 2, 0, "there is no stack `small`"),
        ("NUL bytes", format!("{good}\0\0"), 1, 1, "`\\0` means nothing here"),
        ("NUL bytes in a comment", good.replace("stack", "// \0\nstack"), 0, 0, ""),
        ("an unknown layer", good.replace("sequencer / ", "sequencr / "), 1, 1, "sequencr"),
    ];
    desk.write("cycle.nacre", "import \"back.nacre\";\n");
    desk.write("back.nacre", "import \"case.nacre\";\nimport \"cycle.nacre\";\n");
    for (name, text, composing, checking, part) in cases {
        for reader in
            READERS.into_iter().filter(|r| !r.starts_with("fmt") && !r.starts_with("run") && !r.contains("json"))
        {
            desk.write("case.nacre", &text);
            let (status, _, err) = desk.run(&reader.replace("SOURCE", "FOLDER/case.nacre"));
            let wanted = if reader.starts_with("check") || reader.starts_with("test") { checking } else { composing };
            let what = format!("{reader} of {name}");
            // The whole stack needs no automaton to compose, but one to be verified.
            let wanted = if reader.starts_with("verify") && wanted == 0 { status } else { wanted };
            assert_eq!(status, wanted, "{what}:\n{err}");
            assert!(!err.contains("internal error") && !err.contains("panicked"), "{what}:\n{err}");
            if wanted != 0 && !reader.starts_with("verify") {
                one_message(&err, part, &what);
            }
        }
    }
}

#[test]
fn formatted_text_stays_as_it_is() {
    let desk = Desk::new();
    let good = good();
    for text in
        [good.replace('\n', "\r\n"), format!("\u{feff}{good}"), format!("\u{feff}\r\n{good}"), good.clone() + "\n\n"]
    {
        desk.write("case.nacre", &text);
        std::os::unix::fs::symlink("case.nacre", desk.path("link.nacre")).expect("linked");
        let before = desk.run("fmt --check FOLDER/link.nacre");
        assert_eq!((before.0, before.2.as_str()), (1, ""), "{text:?} is not in the standard layout");
        assert_eq!(std::fs::read_to_string(desk.path("case.nacre")).expect("there"), text, "`--check` changes nothing");
        assert_eq!(desk.run("fmt FOLDER/link.nacre").0, 0);
        assert_eq!(std::fs::read_to_string(desk.path("case.nacre")).expect("there"), good, "{text:?}");
        let link = std::fs::symlink_metadata(desk.path("link.nacre")).expect("there");
        assert!(link.is_symlink(), "the file is replaced, not the link to it");
        assert_eq!(desk.run("fmt --check FOLDER/case.nacre").0, 0);
        std::fs::remove_file(desk.path("link.nacre")).expect("removed");
        let names = std::fs::read_dir(&desk.folder).expect("there").count();
        assert_eq!(names, 1, "nothing else is left in the folder");
    }
}

/// Wrong arguments of every verb, with a part of the message.
const WRONG_USAGE: [(&str, &str); 44] = [
    ("check", "<FILE>..."),
    ("fmt", "<FILE>..."),
    ("explain", "--stack <NAME>"),
    ("build", "--output <DIR>"),
    ("run", "Usage: nacre run"),
    ("sim", "--stack <NAME>"),
    ("test", "<FILE>..."),
    ("verify", "<FILE>"),
    ("replay", "<TRACE>"),
    ("check --frob FOLDER/s", "--frob"),
    ("fmt --stack small FOLDER/s", "--stack"),
    ("explain FOLDER/s FOLDER/s --stack small", "unexpected argument"),
    ("explain FOLDER/s --stack smal", "did you mean `small`?"),
    ("explain FOLDER/s --stack small --stage toknes", "there is no stage `toknes`"),
    ("explain FOLDER/s --stack small --spans", "--stage"),
    ("build FOLDER/s --stack small -o FOLDER/o --level fast", "the levels are: queue, call, inline"),
    ("build FOLDER/s --stack small -o FOLDER/o --level bypass", "not built yet"),
    ("build FOLDER/s --stack small -o FOLDER/o --name 1x", "cannot be a prefix"),
    ("build FOLDER/s --stack small -o FOLDER/o --name ../x", "cannot be a prefix"),
    ("sim FOLDER/s --stack small --seed -1", "-1"),
    ("sim FOLDER/s --stack small --seed 18446744073709551616", "--seed"),
    ("sim FOLDER/s --stack small --runs 0", "--runs"),
    ("sim FOLDER/s --stack small --messages 1000001", "1000000"),
    ("sim FOLDER/s --stack small --messages 1000000000", "1000000"),
    ("sim FOLDER/s --stack small --largest 16777217", "16777216"),
    ("sim FOLDER/s --stack small --delay 8889h", "at most a year"),
    ("sim FOLDER/s --stack small --delay 5", "unit"),
    ("sim FOLDER/s --stack small --loss 100.001%", "100%"),
    ("sim FOLDER/s --stack small --loss NaN%", "100%"),
    ("sim FOLDER/s --stack small --partition 1s/1s", "shorter than its period"),
    ("sim FOLDER/s --stack small --partition 0s/0s", "shorter than its period"),
    ("sim FOLDER/s --stack small --level interpreter/fast", "the levels are"),
    ("sim FOLDER/s --stack small --check complet", "complet"),
    ("sim FOLDER/s --stack small --keep a.99999999999", "a.99999999999"),
    ("test FOLDER/s --only u", "the name of no test contains `u`"),
    ("verify FOLDER/s --layer sequencr", "did you mean `sequencer`?"),
    ("verify FOLDER/s --threads 0", "--threads"),
    ("verify FOLDER/s --memory 0", "--memory"),
    ("verify FOLDER/s --bits 65537", "--bits"),
    ("verify FOLDER/s --set send=18446744073709551616", "numbers after `=`"),
    ("verify FOLDER/s --engine fast", "--engine"),
    ("run FOLDER/s --stack small send --to 127.0.0.1:0 --file FOLDER/s", "port"),
    ("run FOLDER/s --stack small chat --listen 127.0.0.1:65536", "port"),
    ("run FOLDER/s --stack small chat", "--listen"),
];

#[test]
fn wrong_arguments_are_one_error_with_status_2() {
    let desk = Desk::new();
    desk.write("s", good());
    for (words, part) in WRONG_USAGE {
        let (status, out, err) = desk.run(words);
        assert_eq!((status, out.as_str()), (2, ""), "{words}: {err}");
        assert!(err.contains(part) && !err.contains("internal error"), "{words}: `{part}` in\n{err}");
        assert_eq!(
            err.lines().filter(|line| line.starts_with("error: ")).count(),
            usize::from(words != "run"),
            "{words}: {err}"
        );
    }
}

/// Every numeric option at its extremes; the status, and a part of standard output.
const EXTREMES: [(&str, i32, &str); 17] = [
    ("sim FOLDER/s --stack small --seed 0", 0, "every property holds"),
    ("sim FOLDER/s --stack small --seed 18446744073709551615 --runs 2", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 0", 3, "no message was to be sent"),
    ("sim FOLDER/s --stack small --largest 0", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 2 --largest 16777216", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 1 --delay 8760h --jitter 8760h", 1, "nothing came of waiting"),
    ("sim FOLDER/s --stack small --messages 1 --delay 0.4ns --loss 1e-300%", 0, "every property holds"),
    (
        "sim FOLDER/s --stack small --messages 3 --loss 100% --duplicate 100% --reorder 100% --corrupt 100%",
        1,
        "does not hold",
    ),
    ("sim FOLDER/s --stack small --partition 1ns/0ns", 0, "every property holds"),
    ("sim FOLDER/s --stack small --messages 2 --partition 8760h/8759h", 0, "every property holds"),
    ("verify NO_BIT --states 0", 3, "not everything was searched"),
    ("verify NO_BIT --states 18446744073709551615 --memory 1048576 --threads 64", 1, "violated"),
    ("verify NO_BIT --seconds 18446744073709551615", 1, "violated"),
    ("verify NO_BIT --memory 1", 3, "the limit of 1 MiB"),
    ("verify NO_BIT --bits 1", 1, "violated"),
    ("verify NO_BIT --set send=0,0", 3, "not everything was searched"),
    ("verify NO_BIT --set size=18446744073709551615,0", 3, "messages have 1 to 8 bytes"),
];

#[test]
fn numbers_at_their_extremes_have_their_status() {
    let desk = Desk::new();
    desk.write("s", good());
    for (words, wanted, part) in EXTREMES {
        let (status, out, err) = desk.run(&words.replace("NO_BIT", "cli/tests/sources/no_bit.nacre"));
        assert!(status == wanted && out.contains(part), "{words}: {status}, `{part}` in\n{out}{err}");
        assert!(!err.contains("internal error"), "{words}: {err}");
    }
    // Whether there is so much memory depends on the machine.
    let (status, out, err) = desk.run("verify cli/tests/sources/no_bit.nacre --bits 65536");
    assert!(status == 1 || status == 3 && out.contains("cannot be allocated"), "{status}\n{out}{err}");
}

/// Commands that print, and their status when nobody reads it, and when it cannot be written.
const PRINTERS: [(&str, i32, i32); 12] = [
    ("check FOLDER/s", 3, 3),
    ("check --json FOLDER/s", 3, 3),
    ("fmt --check FOLDER/ugly", 3, 3),
    ("fmt FOLDER/ugly FOLDER/uglier", 0, 1),
    ("explain FOLDER/s --stack small", 0, 1),
    ("explain FOLDER/s --stack small --json", 0, 1),
    ("build FOLDER/s --stack small -o FOLDER/out", 0, 1),
    ("sim FOLDER/s --stack small --messages 1", 3, 3),
    ("test FOLDER/s", 3, 3),
    ("verify cli/tests/sources/no_bit.nacre", 3, 3),
    ("replay FOLDER/run.json", 3, 3),
    ("--help", 0, 0),
];

/// A pipe that has no reader any more.
fn closed_pipe() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("`true` starts");
    let writer = reader.stdin.take().expect("piped");
    reader.wait().expect("`true` ends");
    writer.into()
}

#[test]
fn output_that_is_not_read_or_not_written_leaves_no_verdict() {
    let desk = Desk::new();
    desk.write("s", good());
    assert_eq!(desk.run("verify cli/tests/sources/no_bit.nacre --trace FOLDER/run.json").0, 1);
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
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out FOLDER/missing/x", 1, "no such folder"),
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out /dev/null", 1, "it is not a regular file"),
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out /proc/nacre", 1, "cannot write `/proc/nacre`"),
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out /proc", 1, "cannot write `/proc`"),
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out FOLDER/x --pcap FOLDER/taken", 1, "taken"),
];

#[test]
fn outputs_that_cannot_be_written_are_one_error() {
    let desk = Desk::new();
    desk.write("s", good());
    std::fs::create_dir_all(desk.path("taken/small.c")).expect("made");
    for (words, wanted, part) in UNWRITABLE {
        let (status, out, err) = desk.run(&words.replace("NO_BIT", "cli/tests/sources/no_bit.nacre"));
        assert_eq!((status, out.as_str()), (wanted, ""), "{words}: {err}");
        one_message(&err, part, words);
    }
}

/// Commands that need programs of the machine, and the one that is reported as missing; none: they need none.
const TOOLS: [(&str, Option<&str>); 12] = [
    ("check FOLDER/s", None),
    ("fmt FOLDER/s", None),
    ("explain FOLDER/s --stack small --stage promela", None),
    ("build FOLDER/s --stack small -o FOLDER/out", None),
    ("sim FOLDER/s --stack small", None),
    ("sim FOLDER/s --stack small --level inline", Some("gcc")),
    ("test FOLDER/s", Some("gcc")),
    ("run FOLDER/s --stack small receive --listen 127.0.0.1:0 --out FOLDER/x", Some("gcc")),
    ("verify NO_BIT --engine spin", Some("`spin`")),
    ("verify NO_BIT --engine spin-c", Some("`spin`")),
    ("replay FOLDER/run.json", None),
    ("replay FOLDER/run.json --level call --gdb", Some("`g")),
];

#[test]
fn missing_tools_are_one_error_with_status_3() {
    let desk = Desk::new();
    desk.write("s", good());
    assert_eq!(desk.run("verify cli/tests/sources/no_bit.nacre --trace FOLDER/run.json").0, 1);
    for (words, missing) in TOOLS {
        let mut command = desk.command(&words.replace("NO_BIT", "cli/tests/sources/no_bit.nacre"));
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
fn saved_runs_that_are_none_are_one_error() {
    let desk = Desk::new();
    assert_eq!(desk.run("verify cli/tests/sources/no_bit.nacre --trace FOLDER/run.json").0, 1);
    let saved = std::fs::read_to_string(desk.path("run.json")).expect("saved");
    let cut = saved[..saved.len() / 2].to_string();
    let nested = "[".repeat(1 << 20);
    let other = saved.replacen("nacre_trace\": 1", "nacre_trace\": 2", 1);
    for (text, part) in [
        ("", "is no saved run"),
        ("{}", "is no saved run"),
        (&cut, "is no saved run"),
        (&nested, "is no saved run"),
        (&other, "of version 2"),
    ] {
        desk.write("run.json", text);
        let (status, out, err) = desk.run("replay FOLDER/run.json");
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        one_message(&err, part, part);
    }
}

#[test]
fn names_of_tests_are_told_apart() {
    let desk = Desk::new();
    let twice = good() + &good()[good().find("test").expect("a test")..];
    desk.write("s", twice);
    for verb in ["check", "test"] {
        let (status, _, err) = desk.run(&format!("{verb} FOLDER/s"));
        assert_eq!(status, 1, "{verb}");
        one_message(&err, "two tests are named \"t\"", verb);
    }
}

#[test]
fn long_simulations_report_progress() {
    let desk = Desk::new();
    desk.write("s", good());
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

/// A stack of one layer, whose members are repeated with their numbers.
fn repeated(members: &str, first: &str, last: &str, count: usize) -> String {
    let interfaces = format!(
        "import \"{0}/interfaces.nacre\";\nimport \"{0}/floor/floor.nacre\";\n",
        root().join("layers").display()
    );
    let all: String =
        (1..count).map(|n| members.replace("PRE", &(n - 1).to_string()).replace("NUM", &n.to_string())).collect();
    format!("{interfaces}worker w {{\n{first}{all}{last}}}\nstack small = w / floor;\n")
}

#[test]
fn long_sources_take_bounded_time_and_stack() {
    let desk = Desk::new();
    let nested = |open: &str, close: &str| {
        let body = format!("{}count x;{}", open.repeat(500), close.repeat(500));
        repeated("", "down send(m) { ", &format!("{body} pass m; }}\n"), 1)
    };
    let cases = [
        (
            "lets",
            0,
            repeated(
                "let aNUM = aPRE + 1;\n",
                "down send(m) {\nlet a0 = m.len;\n",
                "if a1999 == 7 { count x; }\npass m; }\n",
                2000,
            ),
        ),
        (
            "functions",
            0,
            repeated(
                "fn fNUM(x: u32) -> u32 { return fPRE(x) + 1; }\n",
                "fn f0(x: u32) -> u32 { return x; }\n",
                "down send(m) { if f999(m.len) == 2 { count x; } pass m; }\n",
                1000,
            ),
        ),
        (
            "timers",
            0,
            repeated("state { tNUM: timer }\non tNUM { count x; }\n", "", "down send(m) { pass m; }\n", 1000),
        ),
        (
            "headers",
            0,
            repeated(
                "header HxNUM { x: u8 }\nup deliver(m - HxNUM { x }) { if x == 1 { count c; } pass m; }\n",
                "",
                "down send(m) { below.send(m + Hx1 { x: 1 }); }\n",
                1000,
            ),
        ),
        ("blocks", 1, nested("if m.len > 0 { ", "}")),
        ("loops", 1, nested("for i in 0 .. 1 { ", "}")),
        ("parentheses", 1, nested("let a = (((((((((", ")))))))))")),
        ("errors", 1, repeated("nope = NUM;\n", "down send(m) {\n", "pass m; }\n", 2000)),
        ("a name", 1, repeated("", "down send(m) { ", &format!("{} = 1; pass m; }}\n", "a".repeat(10_000)), 1)),
        ("a number", 1, repeated("", "down send(m) { let a = ", &format!("{}; pass m; }}\n", "9".repeat(100_000)), 1)),
    ];
    for (name, wanted, text) in cases {
        desk.write("long.nacre", text);
        for verb in
            ["check FOLDER/long.nacre", "sim FOLDER/long.nacre --stack small --messages 2", "fmt FOLDER/long.nacre"]
        {
            let (status, out, err) = desk.run(verb);
            assert!(!err.contains("internal error"), "{verb} of {name}: {err}");
            assert!(verb.starts_with("fmt") || status == wanted, "{verb} of {name}: {status}\n{out}{err}");
            assert!(err.lines().all(|line| line.chars().count() < 1_000), "{verb} of {name}");
        }
    }
}
