//! The folder of this user's configuration.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

use rustix::process::geteuid;

use crate::user_folders;

/// Where keys are kept. It need not exist.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// `nacre` in $XDG_CONFIG_HOME, or in ~/.config.
    ///
    /// # Errors
    /// The user has no home.
    pub fn find() -> Result<Folder, String> {
        let found = user_folders::find("XDG_CONFIG_HOME", ".config");
        let found = found.ok_or("there is no folder for keys: set HOME or XDG_CONFIG_HOME to an absolute path")?;
        Ok(Folder(found))
    }

    /// This folder.
    #[cfg(test)]
    pub fn at(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// The file with the secret key.
    pub fn secret_key(&self) -> PathBuf {
        self.0.join("secret_key")
    }

    /// The file with the keys of peers.
    pub fn known_peers(&self) -> PathBuf {
        self.0.join("known_peers")
    }

    /// Creates it, for its user alone, unless it exists.
    ///
    /// # Errors
    /// A message for the user.
    pub fn create(&self) -> Result<(), String> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        created.map_err(|error| format!("cannot create `{}`: {error}", self.0.display()))?;
        self.require_private()
    }

    /// Requires that nobody else can replace the files in it, if it exists.
    ///
    /// # Errors
    /// A message for the user.
    pub fn require_private(&self) -> Result<(), String> {
        let Ok(facts) = fs::metadata(&self.0) else { return Ok(()) };
        let path = self.0.display();
        if facts.uid() != geteuid().as_raw() {
            return Err(format!("`{path}` belongs to another user, who could replace the keys in it"));
        }
        if facts.mode() & 0o022 != 0 {
            let mode = facts.mode() & 0o777;
            return Err(format!("other users can write to `{path}` (mode {mode:o}): run `chmod 700 {path}`"));
        }
        Ok(())
    }
}
