//! Where received files are stored. Until a file is complete it has a temporary name that no sender can choose. Then it
//! gets its own, and replaces nothing that exists.

use std::cell::RefCell;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{flock, fstat, openat, stat, FlockOperation, Mode, OFlags};
use sha2::{Digest, Sha256};

use super::framing::hex;
use super::names::{printable, safe, shown, PREFIX};
use super::partial::{Partial, Place, Temporary};
use crate::output::require_replaceable;

/// How the names of files in progress end: of those that go with their transfer, and of those that are kept.
const SUFFIX: &str = ".part";
const KEPT: &str = ".resume";
/// How the names of files end that name the folder of a tree in progress.
const TREE: &str = ".tree";

/// A folder for received files, or one file.
pub struct Store {
    folder: PathBuf,
    /// The folder when it was opened last: each file needs a descriptor, but not for the folder.
    opened: RefCell<Arc<OwnedFd>>,
    /// The name of the only file; none: senders choose names.
    name: Option<String>,
    pub overwrite: bool,
    /// Whether files that are not complete are kept, and continued.
    pub keeps: bool,
}

/// A file that is there, and its path as it is printed.
type Present = (File, String);

impl Store {
    /// A folder, or a file in one (several get numbers). Removes what an earlier receiver has left unfinished there,
    /// but for what is kept. The error is a message for the user.
    pub fn open(path: &Path, overwrite: bool, keeps: bool) -> Result<Store, String> {
        let says_folder = path.as_os_str().to_string_lossy().ends_with('/');
        if says_folder {
            fs::create_dir_all(path).map_err(|error| format!("{}: {error}", shown(path)))?;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Reported now rather than when a sender connects.
        if !parent.is_dir() {
            return Err(format!("{}: no such folder", shown(parent)));
        }
        require_replaceable(path)?;
        let (folder, name) = match path.is_dir() {
            true => (path.to_path_buf(), None),
            false => {
                let name = path.file_name().and_then(|name| name.to_str());
                let name = name.ok_or_else(|| format!("{}: not the name of a file in UTF-8", shown(path)))?;
                (parent.to_path_buf(), Some(name.to_string()))
            }
        };
        if name.is_some() && !overwrite && path.symlink_metadata().is_ok() {
            return Err(format!("`{}` exists; --overwrite replaces it", shown(path)));
        }
        let opened = File::open(&folder).map_err(|error| format!("{}: {error}", shown(&folder)))?;
        let opened = RefCell::new(Arc::new(opened.into()));
        let store = Store { folder, opened, name, overwrite, keeps };
        store.remove_leftovers().map_err(|error| format!("{}: {error}", shown(&store.folder)))?;
        Ok(store)
    }

    /// Whether senders choose the names.
    pub fn is_folder(&self) -> bool {
        self.name.is_none()
    }

    /// The place of a file that is not in a tree.
    pub fn place(&self, name: &str) -> io::Result<Place> {
        let name = self.name.clone().unwrap_or_else(|| safe(name));
        Ok(Place { folder: self.folder()?, name, shown: self.shown() })
    }

    /// The output folder. It may have been made anew.
    pub fn folder(&self) -> io::Result<Arc<OwnedFd>> {
        let mut opened = self.opened.borrow_mut();
        let (before, now) = (fstat(&*opened)?, stat(&self.folder)?);
        if (before.st_ino, before.st_dev) != (now.st_ino, now.st_dev) {
            *opened = Arc::new(File::open(&self.folder)?.into());
        }
        Ok(opened.clone())
    }

    /// The path of the folder, as it is printed.
    pub fn shown(&self) -> PathBuf {
        shown(&self.folder).into()
    }

    /// Begins a file, or continues the one of the same owner. If nothing of it is there, a file of the same name and
    /// length may be it.
    pub fn begin(&self, place: Place, size: Option<u64>, owner: &str) -> io::Result<(Partial, Option<Present>)> {
        let folder = self.folder()?;
        let Some(size) = size.filter(|_| self.keeps) else {
            let partial = Partial::new(self.temporary(&folder)?, place, self.overwrite, false)?;
            return Ok((partial, None));
        };
        let path = place.shown.join(&place.name);
        let below = path.strip_prefix(self.shown()).unwrap_or(&path).to_string_lossy();
        let (opened, is_lasting) = match Temporary::open(&folder, &kept_name(owner, &below, KEPT))? {
            Some(kept) => (kept, true),
            None => (self.temporary(&folder)?, false),
        };
        let mut partial = Partial::new(opened, place.clone(), self.overwrite, is_lasting)?;
        if partial.length() > size {
            partial.go_on_from(0)?;
        }
        let may_be_there = partial.length() == 0 && size > 0 && self.is_folder();
        let present = if may_be_there { present(&place, size) } else { None };
        Ok((partial, present.map(|file| (file, printable(&path.to_string_lossy())))))
    }

    fn temporary(&self, folder: &Arc<OwnedFd>) -> io::Result<(File, Temporary)> {
        loop {
            let [one, two] = [0, 1].map(|_| RandomState::new().build_hasher().finish());
            match Temporary::create(folder, format!("{PREFIX}{one:016x}{two:016x}{SUFFIX}")) {
                // A receiver that starts just now may have taken it for a leftover.
                Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::WouldBlock) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound && self.folder.exists() => {}
                created => return created,
            }
        }
    }

    /// The file that names the folder of a tree in progress. None: another transfer uses it, or nothing is kept.
    pub fn tree(&self, sent: &str, owner: &str) -> io::Result<Option<(File, Temporary)>> {
        match self.keeps {
            true => Temporary::open(&self.folder()?, &kept_name(owner, sent, TREE)),
            false => Ok(None),
        }
    }

    /// Temporary files that no running receiver has locked, and kept ones in which nothing is.
    fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_empty = || entry.metadata().is_ok_and(|facts| facts.len() == 0);
            let is_leftover = name.ends_with(SUFFIX) || name.ends_with(KEPT) && is_empty();
            if !(name.starts_with(PREFIX) && is_leftover && entry.file_type()?.is_file()) {
                continue;
            }
            let is_free = File::open(entry.path())
                .is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok());
            if is_free {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// A regular file that is there already, with this length.
fn present(place: &Place, size: u64) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&place.folder, &place.name, flags, Mode::empty()).ok()?);
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.len() == size).then_some(file)
}

/// The name of what is kept for an owner. Others do not find it: they could remove it, or learn its length.
fn kept_name(owner: &str, path: &str, suffix: &str) -> String {
    let mut sum = Sha256::new();
    sum.update((owner.len() as u64).to_le_bytes());
    sum.update(owner);
    sum.update(path);
    format!("{PREFIX}{}{suffix}", hex(&sum.finalize()[..16]))
}

#[cfg(test)]
mod tests;
