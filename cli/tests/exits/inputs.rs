//! Sources of every kind, readable or not, and saved runs.

use std::process::Command;

use super::desk::{good, one_message, Desk, READERS};

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
    let nothing = std::os::unix::fs::PermissionsExt::from_mode(0o0);
    std::fs::set_permissions(desk.path("locked"), nothing).expect("locked");
    // Some users can read all files.
    if std::fs::read(desk.path("locked")).is_err() {
        all.push(own("locked", "Permission denied"));
    }
    all
}

#[test]
fn files_that_cannot_be_read_are_one_error_of_every_verb() {
    let desk = Desk::empty();
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
    let desk = Desk::empty();
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
    let desk = Desk::empty();
    let good = good();
    let crlf = good.replace('\n', "\r\n");
    // The text; the status of the verbs that compose its stack, and of `check` and `test`; the message.
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
        ("NUL bytes", format!("{good}\0\0"), 1, 1, "unexpected character `\\0`"),
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
            // Composing the whole stack needs no automaton, but verifying it does.
            let wanted = if reader.starts_with("verify") && wanted == 0 { status } else { wanted };
            assert_eq!(status, wanted, "{what}:\n{err}");
            if wanted != 0 && !reader.starts_with("verify") {
                one_message(&err, part, &what);
            }
        }
    }
}

#[test]
fn formatted_text_stays_as_it_is() {
    let desk = Desk::empty();
    let good = good();
    for text in
        [good.replace('\n', "\r\n"), format!("\u{feff}{good}"), format!("\u{feff}\r\n{good}"), good.clone() + "\n\n"]
    {
        desk.write("case.nacre", &text);
        std::os::unix::fs::symlink("case.nacre", desk.path("link.nacre")).expect("linked");
        let before = desk.run("fmt --check FOLDER/link.nacre");
        assert_eq!((before.0, before.2.as_str()), (1, ""), "{text:?} is not in the standard layout");
        assert_eq!(desk.read("case.nacre"), text, "`--check` changes nothing");
        assert_eq!(desk.run("fmt FOLDER/link.nacre").0, 0);
        assert_eq!(desk.read("case.nacre"), good, "{text:?}");
        let link = std::fs::symlink_metadata(desk.path("link.nacre")).expect("there");
        assert!(link.is_symlink(), "the file is replaced, not the link to it");
        assert_eq!(desk.run("fmt --check FOLDER/case.nacre").0, 0);
        std::fs::remove_file(desk.path("link.nacre")).expect("removed");
        let names = std::fs::read_dir(&desk.folder).expect("there").count();
        assert_eq!(names, 1, "nothing else is left in the folder");
    }
}

#[test]
fn saved_runs_that_are_none_are_one_error() {
    let desk = Desk::empty();
    desk.save_run();
    let saved = desk.read("run.json");
    let cut = saved[..saved.len() / 2].to_string();
    let nested = "[".repeat(1 << 20);
    let other = saved.replacen("nacre_trace\": 1", "nacre_trace\": 2", 1);
    for (text, part) in [
        ("", "is not a saved run"),
        ("{}", "is not a saved run"),
        (&cut, "is not a saved run"),
        (&nested, "is not a saved run"),
        (&other, "of version 2"),
    ] {
        desk.write("run.json", text);
        let (status, out, err) = desk.run("replay FOLDER/run.json");
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        one_message(&err, part, part);
    }
}

#[test]
fn names_of_tests_are_unique() {
    let desk = Desk::empty();
    let twice = good() + &good()[good().find("test").expect("a test")..];
    desk.write("s", twice);
    for verb in ["check", "test"] {
        let (status, _, err) = desk.run(&format!("{verb} FOLDER/s"));
        assert_eq!(status, 1, "{verb}");
        one_message(&err, "two tests are named \"t\"", verb);
    }
}
