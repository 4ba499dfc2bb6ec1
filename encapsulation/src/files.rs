//! The C of this crate, which programs carry with them.

use std::fs;
use std::io;
use std::path::Path;

/// The files by their paths in this crate, with their texts; `build.rs` collects them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Writes all files below a folder.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// The text of a file.
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of the files whose path ends so.
pub fn ending(end: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    FILES.iter().map(|(name, _)| *name).filter(move |name| name.ends_with(end))
}

/// Writes all files below a new temporary folder.
pub fn unpacked() -> Result<tempfile::TempDir, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    unpack(folder.path()).map_err(|error| format!("{}: {error}", folder.path().display()))?;
    Ok(folder)
}
