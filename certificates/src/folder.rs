//! Checks the certificates in a folder: of each claim, `NAME.cnf` is the formula and `NAME.drat` the proof.

use std::fs;
use std::io;
use std::path::Path;

use crate::check::check;

/// A certificate that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The name of its files, without what follows the last dot.
    pub name: String,
    pub verdict: Result<(), String>,
}

/// Checks all formulas in a folder, by name. A formula without a proof is not certified, and neither is a proof without
/// its formula.
///
/// # Errors
/// The folder cannot be read.
pub fn check_all(folder: &Path) -> io::Result<Vec<Checked>> {
    let mut names = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_part = path.extension().is_some_and(|kind| kind == "cnf" || kind == "drat");
        if let (true, Some(name)) = (is_part, path.file_stem()) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names.into_iter().map(|name| Checked { verdict: check_files(folder, &name), name }).collect())
}

/// Checks the certificate of this name.
///
/// # Errors
/// Why it proves nothing.
pub fn check_files(folder: &Path, name: &str) -> Result<(), String> {
    let read = |kind: &str| {
        let file = format!("{name}.{kind}");
        fs::read_to_string(folder.join(&file)).map_err(|error| format!("cannot read {file}: {error}"))
    };
    check(&read("cnf")?, &read("drat")?)
}
