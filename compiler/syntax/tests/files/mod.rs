//! The sources that the tests read.

// Each test uses only some of them.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// A folder next to the tests.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Every `.nacre` file of a folder, by name: (name, text).
pub fn sources(folder_name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder(folder_name)).expect("the folder is there");
    let paths = entries
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "nacre"));
    let mut files: Vec<_> = paths
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).expect("a source can be read"),
            )
        })
        .collect();
    files.sort();
    files
}

/// The layers of the design.
pub fn design() -> Vec<(String, String)> {
    sources("design")
}
