//! Files that the program writes.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Writes a file.
///
/// # Errors
/// The message with the path.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|why| cannot_write(path, why))
}

/// Requires that a file can be written at `path`, before long work whose result belongs there. What is there stays.
///
/// # Errors
/// The message with the path.
pub fn require_writable(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(cannot_write(path, "it is a directory")),
        Ok(there) if there.is_file() => {
            OpenOptions::new().append(true).open(path).map(drop).map_err(|why| cannot_write(path, why))
        }
        // A device or a pipe.
        Ok(_) => Ok(()),
        Err(_) => beside(path).map(drop).map_err(|why| cannot_write(path, why)),
    }
}

/// The same for a file that arrives beside `path` and then takes its place; or for files in it, if it is a folder.
///
/// # Errors
/// The message with the path.
pub fn require_replaceable(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => beside(&path.join("file")).map(drop).map_err(|why| cannot_write(path, why)),
        Ok(there) if !there.is_file() => Err(cannot_write(path, "it is not a regular file")),
        _ => beside(path).map(drop).map_err(|why| cannot_write(path, why)),
    }
}

fn cannot_write(path: &Path, why: impl Display) -> String {
    format!("cannot write `{}`: {why}", path.display())
}

/// Replaces the text of a file at once: a full disk, or another program that reads, never meets half of it.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // The file that a symbolic link names, not the link.
    let path = path.canonicalize()?;
    let mut new = beside(&path)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(fs::metadata(&path)?.permissions())?;
    new.persist(&path)?;
    Ok(())
}

/// A temporary file in the same folder.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Builder::new().prefix(".nacre-").tempfile_in(folder)
}
