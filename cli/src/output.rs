//! Files that the program writes.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Writes a file.
///
/// # Errors
/// The message with the path.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|why| cannot_write(path, why))
}

/// Requires, before long work, that its result can be written at `path`. An existing file is not changed.
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

/// The same for a file that is written next to `path` and then replaces it; or for files in `path`, if it is a folder.
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

/// Copies a file with these permissions into the place of an older one, which a program may have loaded.
pub fn install(from: &Path, to: &Path, mode: u32) -> io::Result<()> {
    let new = beside(to)?;
    fs::copy(from, new.path())?;
    fs::set_permissions(new.path(), fs::Permissions::from_mode(mode))?;
    new.persist(to)?;
    Ok(())
}

fn cannot_write(path: &Path, why: impl Display) -> String {
    format!("cannot write `{}`: {why}", path.display())
}

/// Replaces the text of a file atomically: neither a full disk nor a concurrent reader leaves or sees a partial file.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Follow a symbolic link instead of replacing it.
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
