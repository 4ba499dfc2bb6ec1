//! Runs the program, and finds the sources of the tests.
#![allow(dead_code)]

pub mod printed;

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How lines of progress begin. Whether there are any depends on the clock.
const PROGRESS: &str = "progress: ";

/// The program with arguments, in the root of the checkout, so that paths in messages are always the same. It has no
/// keys, and cannot make any: `/dev/null` is no folder.
pub fn nacre(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nacre"));
    command.args(arguments).current_dir(root()).env_remove("CC").env("COLUMNS", "100");
    command.env("XDG_CONFIG_HOME", "/dev/null");
    command
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("cli/ lies in the checkout").to_path_buf()
}

/// The result of a run: status, standard output, standard error without lines of progress.
pub fn ran(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program speaks UTF-8");
    let messages = text(stderr).split_inclusive('\n').filter(|line| !line.starts_with(PROGRESS)).collect();
    (status.code().expect("the program ends by itself"), text(stdout), messages)
}

/// Reads the next line of standard error that is not one of progress; empty at the end.
pub fn message(from: &mut impl BufRead) -> String {
    loop {
        let mut line = String::new();
        from.read_line(&mut line).expect("UTF-8");
        if !line.starts_with(PROGRESS) {
            return line;
        }
    }
}

/// Cargo, to run a package that embeds a stack. Built in a separate target folder, which remains, as dependencies take a minute to
/// compile: in that of this build, it would replace libraries that are in use.
pub fn cargo_run(package: &Path) -> Command {
    let target = Path::new(env!("CARGO_BIN_EXE_nacre")).ancestors().nth(2).expect("target/debug/nacre");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet"]).current_dir(package).env("CARGO_TARGET_DIR", target.join("rust-embed"));
    // Compiles faster; no debugging is needed.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_INCREMENTAL", "0");
    cargo
}

pub const SMALL: &str = "cli/tests/sources/small.nacre";
pub const FAILING: &str = "cli/tests/sources/failing.nacre";
pub const WRONG: &str = "cli/tests/sources/wrong.nacre";
pub const RELIABLE: &str = "examples/reliable.nacre";
pub const SECURE: &str = "examples/secure.nacre";

/// A copy of the reliable stacks' sources, in which a text of a layer is replaced.
pub fn with_mistake(name: &str, layer: &str, text: &str, instead: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    let layers = ["frag/frag", "pt2pt/pt2pt", "crc32c/crc32c", "crc32c/castagnoli", "floor/floor", "interfaces"];
    let files = layers.map(|layer| format!("layers/{layer}.nacre"));
    for file in files.into_iter().chain([RELIABLE.to_string()]) {
        let mut source = std::fs::read_to_string(root().join(&file)).unwrap();
        if file.ends_with(&format!("/{layer}.nacre")) {
            assert_eq!(source.matches(text).count(), 1, "{layer}: {text}");
            source = source.replace(text, instead);
        }
        std::fs::create_dir_all(folder.join(&file).parent().unwrap()).unwrap();
        std::fs::write(folder.join(&file), source).unwrap();
    }
    folder
}

/// Compares with the file; with BLESS=1 in the environment, writes the file instead.
pub fn golden(name: &str, actual: &str) {
    let path = root().join("cli/tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).expect("goldens can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(expected, actual, "{} differs (BLESS=1 writes it anew)", path.display());
}

pub fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).expect("readable")
}

/// The blocks between fences of a document, each with the word after its opening fence.
pub fn blocks(document: &str) -> Vec<(String, String)> {
    let (mut found, mut open) = (vec![], None::<(String, String)>);
    for line in text(document).lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, Some(word)) => open = Some((word.trim().to_string(), String::new())),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a block has no end");
    found
}

/// A process that ends with the test, also when that fails.
pub struct Running(pub std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
