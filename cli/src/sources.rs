//! The sources of Nacre's crates, for programs that are compiled with them.

use std::path::{Path, PathBuf};

/// The folder of the crates: the stated one, or what this program was built from.
///
/// # Errors
/// The message, if they are not there.
pub fn find(stated: Option<&Path>) -> Result<PathBuf, String> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = stated.unwrap_or(&built_from);
    let found = folder.canonicalize().ok().filter(|folder| folder.join("rust-build/Cargo.toml").is_file());
    found.ok_or_else(|| {
        format!("{} does not have the crates of Nacre: `--crates DIR` says where they are", folder.display())
    })
}
