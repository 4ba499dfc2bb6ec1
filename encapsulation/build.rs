//! Writes the table of the C sources, headers and descriptions of this crate.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folders of what an import needs.
const FOLDERS: [&str; 12] = [
    "streams",
    "bsd",
    "libc",
    "measure",
    "stacks/appletalk",
    "stacks/common",
    "stacks/lwip",
    "stacks/nacre",
    "stacks/streams",
    "stacks/usrsctp",
    "sunos4",
    "xkernel",
];
const ENDINGS: [&str; 4] = ["c", "h", "toml", "txt"];

fn main() {
    let room = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", room.join(folder).display());
        collect(&room.join(folder), folder, &mut files);
    }
    let mut text = String::from("&[\n");
    for (name, path) in files {
        writeln!(text, "({name:?}, include_str!({:?})),", path.display().to_string()).expect("a string");
    }
    text += "]\n";
    let written = PathBuf::from(env::var("OUT_DIR").expect("set by Cargo")).join("files.rs");
    fs::write(written, text).expect("the folder for what is generated");
}

fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = format!("{name}/{}", path.file_name().expect("it has a name").to_string_lossy());
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => collect(&path, &name, files),
            Some(ending) if ENDINGS.contains(&ending) => files.push((name, path)),
            _ => {}
        }
    }
}
