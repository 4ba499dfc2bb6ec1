//! A folder in which command lines run, and their results.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tempfile::TempDir;

use crate::common::{nacre, root};

/// A limit above the time of each command: exceeding it means that a command waits forever.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs command lines, in which `FOLDER` is a folder and `NO_BIT` a source whose verification finds a violation.
pub struct Desk {
    pub folder: TempDir,
}

/// Status, standard output, standard error.
pub type Ended = (i32, String, String);

impl Desk {
    /// Returns a desk with an empty folder.
    pub fn empty() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a folder") }
    }

    /// Returns a desk with a stack that all verbs accept, in the file `s`.
    pub fn with_stack() -> Desk {
        let desk = Desk::empty();
        desk.write("s", good());
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("there")
    }

    /// Saves the run of a violation in the file `run.json`.
    pub fn save_run(&self) {
        assert_eq!(self.run("verify NO_BIT --trace FOLDER/run.json").0, 1);
    }

    pub fn command(&self, words: &str) -> Command {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let filled = |word: &str| word.replace("FOLDER", folder).replace("NO_BIT", "cli/tests/sources/no_bit.nacre");
        let words: Vec<String> = words.split(' ').map(filled).collect();
        let mut command = nacre(&words.iter().map(String::as_str).collect::<Vec<_>>());
        command.stdout(Stdio::piped());
        command
    }

    pub fn run(&self, words: &str) -> Ended {
        ended(self.command(words))
    }
}

/// Runs a command, which must end within the limit and without an internal error.
pub fn ended(mut command: Command) -> Ended {
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
    let messages: String = text(stderr).split_inclusive('\n').filter(|line| !line.starts_with("progress: ")).collect();
    assert!(!messages.contains("internal error") && !messages.contains("panicked"), "{what}:\n{messages}");
    (status.code().unwrap_or_else(|| panic!("a signal ended it: {what}")), text(stdout), messages)
}

/// A stack that all verbs accept, with a test and a configuration.
pub fn good() -> String {
    let library = root().join("layers");
    let import = |name: &str| format!("import \"{}/{name}\";\n", library.display());
    import("sequencer/sequencer.nacre")
        + &import("floor/floor.nacre")
        + "\nstack small = sequencer / floor;\n\ntest \"t\" {\n    open a, b with small;\n    a.send(\"x\");\n"
        + "    expect b.deliver(\"x\");\n}\n"
}

/// Requires a single message on standard error that contains a part.
pub fn one_message(err: &str, part: &str, what: &str) {
    let messages = err.lines().filter(|line| line.starts_with("error: ") || line.contains("] Error: ")).count();
    assert!(messages == 1 && err.contains(part), "{what}: one message with `{part}`:\n{err}");
}

/// Every verb that reads a source; `SOURCE` is its path.
pub const READERS: [&str; 10] = [
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
