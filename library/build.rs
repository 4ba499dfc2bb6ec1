//! Writes the table of the library's files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by Cargo")).join("../layers");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, "", &mut files);
    let mut text = String::from("&[\n");
    for (name, path) in files {
        writeln!(text, "({name:?}, include_str!({:?})),", path.display().to_string()).expect("a string");
    }
    text += "]\n";
    let written = PathBuf::from(env::var("OUT_DIR").expect("set by Cargo")).join("library.rs");
    fs::write(written, text).expect("the folder for what is generated");
}

/// Adds the sources below a folder, with their names in the library.
fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    let entries = fs::read_dir(folder).expect("the library is beside the program");
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let own = path.file_name().expect("it has a name").to_string_lossy();
        let name = if name.is_empty() { own.into_owned() } else { format!("{name}/{own}") };
        match path.extension() {
            _ if path.is_dir() => collect(&path, &name, files),
            Some(extension) if extension == "nacre" => files.push((name, path.canonicalize().expect("it is there"))),
            _ => {}
        }
    }
}
