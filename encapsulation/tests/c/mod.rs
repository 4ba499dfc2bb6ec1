//! Tests in C: each is a function `static void test_NAME(void)`, and `main` prints `ok NAME` after each. Each test uses
//! some of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use nacre_encapsulation::compile::{gcc, room, SANITIZERS, WARNINGS};
use tempfile::tempdir;

/// The C files of a folder of this crate.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(room().join(folder)).expect("a folder of the crate").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

/// Compiles files under sanitizers, the last of which has the tests, and checks that each test ran and passed. Objects and libraries
/// are linked as they are.
pub fn pass(files: &[PathBuf], flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("tests");
    let (linking, compiling): (Vec<&str>, Vec<&str>) = flags.iter().partition(|flag| flag.starts_with("-Wl,"));
    let is_c = |file: &Path| file.extension().is_some_and(|ending| ending == "c");
    let objects = files.iter().map(|file| if is_c(file) { object(file, &compiling) } else { file.clone() });
    let mut arguments: Vec<String> = objects.map(|file| file.display().to_string()).collect();
    arguments.extend(SANITIZERS.iter().chain(&linking).map(|flag| flag.to_string()));
    arguments.extend(["-o".to_string(), program.display().to_string(), "-ldl".to_string()]);
    gcc(&arguments, folder.path()).unwrap_or_else(|words| panic!("{words}"));
    let limit = Duration::from_secs(if std::env::var_os("NACRE_SOAK").is_some() { 12 * 3600 } else { 300 });
    let ran = nacre_process::run(&mut Command::new(&program), folder.path(), limit).expect("it runs");
    assert!(ran.status.success() && !ran.stopped, "{}", ran.words);
    let tests = declared(files.last().expect("a file of tests"));
    assert!(!tests.is_empty(), "no tests");
    let missing: Vec<&String> =
        tests.iter().filter(|test| !ran.words.lines().any(|l| l == format!("ok {test}"))).collect();
    assert!(missing.is_empty(), "these did not run: {missing:?}\n{}", ran.words);
}

/// The objects of this process: tests share files, and each is compiled once with the same flags.
struct Objects {
    folder: PathBuf,
    /// With the number that each was given when it was first asked for.
    paths: BTreeMap<(PathBuf, Vec<String>), (usize, Arc<OnceLock<PathBuf>>)>,
}

fn object(file: &Path, flags: &[&str]) -> PathBuf {
    static ALL: OnceLock<Mutex<Objects>> = OnceLock::new();
    // Of this program: statics are not dropped, so a temporary folder would stay.
    let new = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects").join(env!("CARGO_CRATE_NAME"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Mutex::new(Objects { folder, paths: BTreeMap::new() })
    };
    let key = (file.to_path_buf(), flags.iter().map(|flag| flag.to_string()).collect());
    let (number, folder, cell) = {
        let mut all = ALL.get_or_init(new).lock().expect("no test has failed in here");
        let next = all.paths.len();
        let (number, cell) = all.paths.entry(key).or_insert_with(|| (next, Arc::default())).clone();
        (number, all.folder.clone(), cell)
    };
    let compiled = cell.get_or_init(|| {
        let path = folder.join(format!("{number}.o"));
        let mut arguments: Vec<String> =
            WARNINGS.iter().chain(&SANITIZERS).chain(flags).map(|s| s.to_string()).collect();
        arguments.extend(["-Werror".to_string(), format!("-I{}", room().display()), "-c".to_string()]);
        arguments.extend([file.display().to_string(), "-o".to_string(), path.display().to_string()]);
        // Output files of concurrent compilers would be the same in one folder.
        let own = tempdir().expect("a folder");
        gcc(&arguments, own.path()).unwrap_or_else(|words| panic!("{words}"));
        path
    });
    compiled.clone()
}

/// The names of the tests in a file.
fn declared(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a file of tests");
    let names = text.lines().filter_map(|line| line.strip_prefix("static void test_")?.split('(').next());
    names.map(str::to_string).collect()
}
