//! Measures the figures of docs/performance.md: `nacre-benches [FILE]` prints all tables, or writes them to FILE;
//! `nacre-benches --only PART` prints one part: stacks, shares, encryption, runtime, network or handshakes.
//! `nacre-benches --verification FILE [PART ...]`: the figures of docs/verification.md, of the files of the library
//! whose paths contain a PART.

use nacre_benches::place::here;
use nacre_benches::{encryption, frame_path, handshakes, harness, shares, table, udp, verification};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: nacre-benches [FILE | --only stacks|shares|encryption|runtime|network|handshakes | \
     --verification FILE [PART ...]]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (parts, file) = match words[..] {
        [] => (Parts::All, None),
        ["--only", "stacks"] => (Parts::Stacks, None),
        ["--only", "shares"] => (Parts::Shares, None),
        ["--only", "encryption"] => (Parts::Encryption, None),
        ["--only", "runtime"] => (Parts::Runtime, None),
        ["--only", "network"] => (Parts::Network, None),
        ["--only", "handshakes"] => (Parts::Handshakes, None),
        ["--drive", object, level, messages, mode] => return done(frame_path::drive(object, level, messages, mode)),
        ["--verification", file, ref chosen @ ..] => return done(verification::measure(file, chosen)),
        [file] if !file.starts_with('-') => (Parts::All, Some(file)),
        _ => return fail(USAGE),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(report(folder.path(), parts).and_then(|text| put(&text, file)))
}

fn done(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => fail(&why),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Parts {
    All,
    Stacks,
    Shares,
    Encryption,
    Runtime,
    Network,
    Handshakes,
}

impl Parts {
    fn has(self, part: Parts) -> bool {
        self == Parts::All || self == part
    }
}

fn put(text: &str, file: Option<&str>) -> Result<(), String> {
    match file {
        Some(path) => std::fs::write(path, text).map_err(|why| format!("{path}: {why}")),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("nacre-benches: {why}");
    ExitCode::FAILURE
}

fn report(folder: &Path, parts: Parts) -> Result<String, String> {
    let stacks: PathBuf = here().join("stacks.nacre");
    let mut text = String::new();
    if parts == Parts::All {
        text += &table::head();
    }
    if parts.has(Parts::Stacks) {
        text += &table::stacks(&harness::measure_stacks(folder, &stacks)?);
    }
    if parts.has(Parts::Shares) {
        text += &table::shares(&shares::measure(&stacks)?);
    }
    if parts.has(Parts::Encryption) {
        text += &table::encryption(&encryption::measure(folder, &stacks)?);
    }
    if parts.has(Parts::Runtime) {
        text += &table::runtime(&frame_path::measure(folder, &stacks)?);
    }
    if parts.has(Parts::Network) {
        text += &table::network(&udp::measure(folder, &stacks)?);
    }
    if parts.has(Parts::Handshakes) {
        text += &table::handshakes(&handshakes::measure(folder)?);
    }
    Ok(text)
}
