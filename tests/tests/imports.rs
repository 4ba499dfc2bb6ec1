//! What an import under an alias makes visible, and what it does not.

use std::path::PathBuf;

use nacre_driver::Session;

/// Writes files into a temporary folder, opens the first `begins` of them, and returns the session, checked.
fn opened(files: &[(&str, &str)], begins: usize) -> Session {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |(name, text): &(&str, &str)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let paths: Vec<PathBuf> = files.iter().map(write).collect();
    let mut session = Session::open(&paths[..begins]);
    session.check();
    session
}

fn codes(session: &Session) -> Vec<&str> {
    session.found.iter().map(|d| d.code).collect()
}

const INTERFACE: &str = "interface channel<A> {\n    down send(m: msg)\n    up deliver(m: msg)\n}\n";

#[test]
fn stacks_and_tests_of_a_named_import_are_not_of_the_program() {
    let lower = format!("{INTERFACE}worker x {{}}\nstack small = x;\ntest \"of x\" {{ run 1 s; }}\n");
    let upper = "import \"lower.nacre\" as lower;\nstack large = lower.x / lower.x;\ntest \"of both\" { run 1 s; }\n";
    let session = opened(&[("upper.nacre", upper), ("lower.nacre", &lower)], 1);
    let tests: Vec<&str> = session.program.tests().map(|t| t.name.as_str()).collect();
    assert_eq!(tests, ["of both"]);
    assert!(session.program.stack("large").is_some() && session.program.stack("small").is_none());
}

#[test]
fn named_import_does_not_see_the_importing_file() {
    let lower = format!("{INTERFACE}worker x {{ down send(m) {{ if m.len < MOST {{ count small; }} pass m; }} }}\n");
    let upper = "import \"lower.nacre\" as lower;\nconst MOST: u32 = 4;\n";
    let session = opened(&[("upper.nacre", upper), ("lower.nacre", &lower)], 1);
    assert_eq!(codes(&session), ["T0047"], "{}", session.render(false));
    // Without an alias, the two share a namespace.
    let upper = "import \"lower.nacre\";\nconst MOST: u32 = 4;\n";
    let session = opened(&[("upper.nacre", upper), ("lower.nacre", &lower)], 1);
    assert_eq!(codes(&session), [""; 0], "{}", session.render(false));
}

#[test]
fn files_may_import_each_other_under_names_and_without() {
    let one = format!("import \"two.nacre\" as two;\n{INTERFACE}worker x: two.other<addr> {{}}\n");
    let two = "import \"one.nacre\" as one;\nimport \"two.nacre\" as self;\ninterface other<A> { down send(m: msg) up \
        deliver(m: msg) }\nworker x: one.channel<addr> over self.other<addr> {}\n";
    let session = opened(&[("one.nacre", &one), ("two.nacre", two)], 1);
    assert_eq!(codes(&session), [""; 0], "{}", session.render(false));
    // Opened together, both share a namespace, in which the names are declared twice.
    let session = opened(&[("one.nacre", &one), ("two.nacre", two)], 2);
    assert_eq!(codes(&session), ["T0001"], "{}", session.render(false));
}

#[test]
fn duplicate_name_in_a_named_import_is_reported_once() {
    let one = format!("{INTERFACE}worker x {{}}\nworker x {{}}\n");
    let both = "import \"one.nacre\" as one;\nimport \"more.nacre\" as more;\n";
    let more = "import \"one.nacre\";\n";
    let session = opened(&[("both.nacre", both), ("more.nacre", more), ("one.nacre", &one)], 1);
    assert_eq!(codes(&session), ["T0001"], "{}", session.render(false));
}

#[test]
fn automata_and_constants_behind_a_name_are_found() {
    let lower = format!(
        "{INTERFACE}const MOST: u32 = 3;\nautomaton limited {{\n    state {{ sent: u32 }}\n    input send(at p, m) \
         when sent < MOST {{ sent = sent + 1; }}\n}}\n"
    );
    let upper = "import \"lower.nacre\" as lower;\nconst MOST: u32 = 9;\nautomaton shorter extends lower.limited \
        {\n    state { left: u32 = lower.MOST }\n    input send(at p, m) when left > 0 { left = left - 1; }\n}\nworker x: lower.channel over lower.channel { provides shorter; requires lower.limited; }\n";
    let session = opened(&[("upper.nacre", upper), ("lower.nacre", &lower)], 1);
    assert_eq!(codes(&session), [""; 0], "{}", session.render(false));
    assert!(session.is_automaton("lower.limited") && session.is_automaton("shorter") && !session.is_automaton("x"));
}

/// Paths that are not regular files: reading them would not end, or would wait for another program.
#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("/dev/zero", at("zero")).expect("a link");
    std::os::unix::fs::symlink(at("loop"), at("loop")).expect("a link");
    std::fs::create_dir(at("folder")).expect("a folder");
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket");
    let made = std::process::Command::new("mkfifo").arg(at("fifo")).status().expect("mkfifo runs");
    assert!(made.success());
    let large = std::fs::File::create(at("large")).expect("a file");
    large.set_len(nacre_driver::files::LARGEST + 1).expect("space");
    std::fs::write(at("latin"), b"// \xe9\n").expect("a file");
    for (name, why) in [
        ("zero", "not a regular file"),
        ("fifo", "not a regular file"),
        ("socket", "not a regular file"),
        ("loop", "symbolic links"),
        ("folder", "a directory"),
        ("large", "more than 4194304 bytes"),
        ("latin", "not UTF-8 text (at byte 3)"),
        ("missing", "No such file"),
    ] {
        let importer = at("importer.nacre");
        std::fs::write(&importer, format!("import \"{name}\";\n")).expect("a file");
        for begins in [importer, at(name)] {
            let session = Session::open(&[begins]);
            assert_eq!(codes(&session), ["D0001"], "{name}");
            assert!(session.render(false).contains(why), "{name}: {}", session.render(false));
        }
    }
}

#[test]
fn a_long_chain_of_imports_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |n: usize| folder.path().join(format!("f{n}.nacre"));
    const LAST: usize = 3000;
    for n in 0..LAST {
        std::fs::write(file(n), format!("import \"f{}.nacre\";\nconst C{n}: u32 = {n};\n", n + 1)).expect("a file");
    }
    std::fs::write(file(LAST), "import \"f0.nacre\";\n").expect("a file");
    let mut session = Session::open(&[file(0)]);
    session.check();
    assert_eq!(codes(&session), [""; 0], "{}", session.render(false));
    assert_eq!(session.program.files().len(), LAST + 1);
}
