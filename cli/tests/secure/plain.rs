//! Transfers without encryption, of users with folders.
// Each test file uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::io::Read;
use std::process::{Command, ExitStatus};

use serde_json::Value;

use crate::common::{ran, RELIABLE};
use crate::party::{Receiver, User};

impl User {
    /// `nacre run` of a stack without encryption, at a level that is compiled fast.
    pub fn plain(&self, verb: &str, more: &[&str]) -> Command {
        let stack = ["run", RELIABLE, "--stack", "reliable", verb, "--plain", "--level", "call"];
        self.command(&[&stack, more].concat())
    }

    /// Starts a receiver without encryption, into the folder `received`.
    pub fn plain_receiver(&self, more: &[&str]) -> Receiver {
        let out = format!("{}/", self.path("received").display());
        Receiver::start(self.plain("receive", &[&["--listen", "127.0.0.1:0", "--out", &out], more].concat()))
    }

    /// Sends without encryption; returns the objects that it prints.
    pub fn send_plain(&self, to: &str, more: &[&str]) -> (i32, Vec<Value>, String) {
        let (status, out, err) = ran(&mut self.plain("send", &[&["--json", "--to", to], more].concat()));
        let objects = serde_json::Deserializer::from_str(&out).into_iter().collect::<Result<_, _>>();
        (status, objects.unwrap_or_else(|why| panic!("{why}: {out}{err}")), err)
    }

    /// All files and folders below `received`, with their paths.
    pub fn received_tree(&self) -> Vec<String> {
        let (mut found, mut folders) = (vec![], vec![self.path("received")]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(self.path("received")).expect("below").to_string_lossy().into_owned();
                match path.is_dir() {
                    true => {
                        found.push(name + "/");
                        folders.push(path);
                    }
                    false => found.push(name),
                }
            }
        }
        found.sort();
        found
    }
}

impl Receiver {
    /// Waits until it ends by itself; returns its status, its messages and its standard output.
    pub fn ends_with_output(mut self) -> (ExitStatus, String, String) {
        let mut said = String::new();
        self.output().read_to_string(&mut said).expect("UTF-8");
        let (status, words) = self.ends();
        (status, words, said)
    }
}
