//! Tests in C: each is a function `static void test_NAME(void)`, and `main` prints `ok NAME` after each.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nacre_encapsulation::compile::{gcc, room, SANITIZERS, WARNINGS};

/// The C files of a folder of this crate.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(room().join(folder)).expect("a folder of the crate").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

/// Compiles files under sanitizers, the last of which has the tests, and checks that each test ran and passed.
pub fn pass(files: &[PathBuf], flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("tests");
    let mut arguments: Vec<String> = WARNINGS.iter().chain(&SANITIZERS).chain(flags).map(|s| s.to_string()).collect();
    arguments.push("-Werror".into());
    arguments.push(format!("-I{}", room().display()));
    arguments.extend(files.iter().map(|file| file.display().to_string()));
    arguments.extend(["-o".to_string(), program.display().to_string(), "-ldl".to_string()]);
    gcc(&arguments, folder.path()).unwrap_or_else(|words| panic!("{words}"));
    let ran =
        nacre_process::run(&mut Command::new(&program), folder.path(), Duration::from_secs(300)).expect("it runs");
    assert!(ran.status.success() && !ran.stopped, "{}", ran.words);
    let tests = declared(files.last().expect("a file of tests"));
    assert!(!tests.is_empty(), "no tests");
    let missing: Vec<&String> =
        tests.iter().filter(|test| !ran.words.lines().any(|l| l == format!("ok {test}"))).collect();
    assert!(missing.is_empty(), "these did not run: {missing:?}\n{}", ran.words);
}

/// The names of the tests in a file.
fn declared(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a file of tests");
    let names = text.lines().filter_map(|line| line.strip_prefix("static void test_")?.split('(').next());
    names.map(str::to_string).collect()
}
