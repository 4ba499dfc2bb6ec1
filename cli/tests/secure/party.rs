//! Users with keys of their own, their receivers and senders.
// Each test file uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::common::{nacre, ran, SECURE};

/// A user: a configuration, and files.
pub struct User {
    folder: tempfile::TempDir,
}

/// Status, standard output, standard error.
pub type Ended = (i32, String, String);

impl User {
    pub fn new() -> User {
        User { folder: tempfile::tempdir().expect("a folder") }
    }

    /// A file or a folder of the user.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn secret_key(&self) -> PathBuf {
        self.path("config/nacre/secret_key")
    }

    /// The file of known peers; empty if there is none.
    pub fn known_peers(&self) -> String {
        fs::read_to_string(self.path("config/nacre/known_peers")).unwrap_or_default()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = nacre(arguments);
        command.env("XDG_CONFIG_HOME", self.path("config"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        ran(&mut self.command(arguments))
    }

    /// The public key; made if there is none.
    pub fn key(&self) -> String {
        if !self.secret_key().exists() {
            self.run(&["keys", "new"]);
        }
        let (status, key, err) = self.run(&["keys", "show"]);
        assert_eq!(status, 0, "{err}");
        key.trim_end().to_string()
    }

    /// `nacre run` of the stack that encrypts.
    pub fn transfer(&self, more: &[&str]) -> Command {
        self.command(&[&["run", SECURE, "--stack", "secure"], more].concat())
    }

    /// Starts a receiver of any number of files, into the folder `received`.
    pub fn receiver(&self, more: &[&str]) -> Receiver {
        self.receiver_at("127.0.0.1:0", more)
    }

    pub fn receiver_at(&self, listen: &str, more: &[&str]) -> Receiver {
        let out = format!("{}/", self.path("received").display());
        Receiver::start(self.transfer(&[&["receive", "--listen", listen, "--out", &out], more].concat()))
    }

    /// Sends a file.
    pub fn send(&self, file: &Path, to: &str, more: &[&str]) -> Ended {
        let file = file.to_str().expect("UTF-8");
        ran(&mut self.transfer(&[&["send", "--to", to, "--file", file], more].concat()))
    }

    /// The same, with the object that it prints.
    pub fn send_json(&self, file: &Path, to: &str, more: &[&str]) -> (i32, Value, String) {
        let (status, out, err) = self.send(file, to, &[more, &["--json"]].concat());
        (status, serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}{err}")), err)
    }

    /// The names of the received files.
    pub fn received(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("received")).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// What a receiver must print is printed within this time, if it ever is.
const LIMIT: Duration = Duration::from_secs(120);

/// A running receiver. It ends with the test, also if the test fails.
pub struct Receiver {
    child: Child,
    lines: mpsc::Receiver<String>,
    pub address: String,
    /// What it has printed so far.
    pub heard: String,
}

impl Receiver {
    pub fn start(mut command: Command) -> Receiver {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let err = BufReader::new(child.stderr.take().expect("piped"));
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || err.lines().map_while(Result::ok).try_for_each(|line| send.send(line + "\n")));
        let mut receiver = Receiver { child, lines, address: String::new(), heard: String::new() };
        let line = receiver.hear("listening on ");
        receiver.address = line.split(' ').nth(2).expect("an address").to_string();
        receiver
    }

    /// Reads its messages up to the one that contains a text.
    pub fn hear(&mut self, text: &str) -> String {
        loop {
            let next = self.lines.recv_timeout(LIMIT);
            let line = next.unwrap_or_else(|why| panic!("no `{text}` ({why}): {}", self.heard));
            self.heard.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
    }

    pub fn input(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("piped")
    }

    pub fn output(&mut self) -> std::process::ChildStdout {
        self.child.stdout.take().expect("piped")
    }

    /// Waits until it ends by itself; returns its status, and all its messages.
    pub fn ends(mut self) -> (ExitStatus, String) {
        let rest: String = self.lines.iter().collect();
        (self.child.wait().expect("ends"), std::mem::take(&mut self.heard) + &rest)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file with bytes that look random.
pub fn file(user: &User, name: &str, length: usize) -> PathBuf {
    let mut random = length as u64 | 1;
    let byte = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    };
    let path = user.path(name);
    fs::write(&path, std::iter::repeat_with(byte).take(length).collect::<Vec<u8>>()).expect("written");
    path
}
