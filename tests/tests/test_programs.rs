//! `tools/test.py` runs all test programs, two packages at a time and one program of each, and no failure is lost. Shell
//! scripts stand for Cargo and for the programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_tests::root;

/// A program that fails if another one of its package runs, and notes that it has run.
const ALONE: &str = "mkdir running || exit 7; sleep 0.05; rmdir running; echo \"$0\" >> ran; ";

struct Workspace {
    folder: tempfile::TempDir,
    messages: String,
}

impl Workspace {
    fn new() -> Workspace {
        let workspace = Workspace { folder: tempfile::tempdir().expect("a temporary folder"), messages: String::new() };
        let cargo = "case \"$*\" in *--doc*) exit \"${DOC:-0}\" ;; esac; cat \"$(dirname \"$0\")/messages\"; exit \"${BUILD:-0}\"";
        workspace.script("cargo", cargo);
        workspace
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        path
    }

    /// What Cargo says when it has built a program.
    fn built(&mut self, package: &str, program: &Path, is_test: bool) {
        let manifest = self.path().join(package).join("Cargo.toml");
        let (manifest, program) = (manifest.display(), program.display());
        self.messages += &format!(
            "{{\"reason\": \"compiler-artifact\", \"manifest_path\": \"{manifest}\", \"executable\": \"{program}\", \
             \"profile\": {{\"test\": {is_test}}}}}\n"
        );
    }

    fn program(&mut self, package: &str, name: &str, body: &str) {
        let path = self.script(&format!("{package}/{name}-0123"), &format!("{ALONE}{body}"));
        self.built(package, &path, true);
    }

    /// The exit status, the output, and the errors.
    fn run(&self, environment: &[(&str, &str)]) -> (i32, String, String) {
        fs::write(self.path().join("messages"), &self.messages).expect("a file");
        let mut tool = Command::new(root().join("tools/test.py"));
        tool.env("CARGO", self.path().join("cargo")).envs(environment.iter().copied());
        let ran = tool.output().expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (ran.status.code().expect("an exit status"), text(&ran.stdout), text(&ran.stderr))
    }

    /// How many programs of a package have run.
    fn ran(&self, package: &str) -> usize {
        fs::read_to_string(self.path().join(package).join("ran")).unwrap_or_default().lines().count()
    }
}

#[test]
fn packages_run_at_the_same_time_and_programs_of_one_do_not() {
    let mut workspace = Workspace::new();
    // Each waits for the other package, at most 20 s.
    let meets = |other: &str| {
        format!("touch begun; n=0; until [ -e ../{other}/begun ]; do n=$((n + 1)); [ $n -lt 400 ] || exit 9; sleep 0.05; done")
    };
    workspace.program("one", "first", &meets("two"));
    workspace.program("two", "second", &meets("one"));
    for number in 0..5 {
        workspace.program("one", &format!("more{number}"), "echo \"in $PWD\"");
    }
    let example = workspace.script("one/example", "touch ../example_ran");
    workspace.built("one", &example, false);
    let (status, out, err) = workspace.run(&[]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with("7 test programs, 0 failures\n"), "{out}");
    assert_eq!(out.matches(&format!("in {}/one\n", workspace.path().display())).count(), 5, "{out}");
    assert_eq!((workspace.ran("one"), workspace.ran("two")), (6, 1));
    assert!(!workspace.path().join("example_ran").exists(), "an example is no test");
}

#[test]
fn each_failure_is_reported_and_the_others_run() {
    let mut workspace = Workspace::new();
    workspace.program("one", "exits", "echo words; exit 3");
    workspace.program("one", "dies", "kill -SEGV $$");
    workspace.program("one", "works", "");
    workspace.program("two", "works_too", "echo fine");
    let missing = workspace.path().join("two/missing-0123");
    workspace.built("two", &missing, true);
    let (status, out, err) = workspace.run(&[("DOC", "1")]);
    assert_eq!(status, 1, "{out}{err}");
    for failed in ["exits of one: exit status 3", "dies of one: signal 11", "missing of two: ", "the examples in"] {
        assert!(err.contains(&format!("failed: {failed}")), "{failed}: {err}");
    }
    assert_eq!((out.matches("words\n").count(), out.matches("fine\n").count()), (2, 1), "{out}");
    assert!(out.ends_with("5 test programs, 4 failures\n"), "{out}");
    assert_eq!((workspace.ran("one"), workspace.ran("two")), (3, 1));
}

#[test]
fn tests_that_are_not_built_do_not_pass() {
    let mut workspace = Workspace::new();
    let (status, _, err) = workspace.run(&[]);
    assert_eq!((status, err.as_str()), (1, "there are no test programs\n"));
    workspace.program("one", "works", "");
    let (status, _, err) = workspace.run(&[("BUILD", "101")]);
    assert_eq!((status, err.as_str()), (1, "the tests are not built\n"));
    assert_eq!(workspace.ran("one"), 0);
}
