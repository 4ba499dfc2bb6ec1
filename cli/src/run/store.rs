//! Where received files are stored. Until a file is complete it has a temporary name that no sender can choose. Then it
//! gets its own, and replaces nothing that exists.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;
use tempfile::TempPath;

use super::framing::{cut, Sum, Summing};
use crate::output::require_replaceable;

/// How temporary names begin and end. Names that senders choose do not begin with a dot.
const PREFIX: &str = ".nacre-";
const SUFFIX: &str = ".part";
/// The limit of a file's name, in bytes.
const NAME_MAX: usize = 255;
/// The numbers that are tried for a name that is taken.
const NUMBERS: u32 = 10_000;

/// A folder for received files, or one file.
pub struct Store {
    folder: PathBuf,
    /// The name of the only file; none: senders choose names.
    name: Option<String>,
    overwrite: bool,
}

impl Store {
    /// A folder, or a file in one (several get numbers). Removes what an earlier receiver has left unfinished there.
    /// The error is a message for the user.
    pub fn open(path: &Path, overwrite: bool) -> Result<Store, String> {
        let says_folder = path.as_os_str().to_string_lossy().ends_with('/');
        if says_folder {
            fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Reported now rather than when a sender connects.
        if !parent.is_dir() {
            return Err(format!("{}: no such folder", parent.display()));
        }
        require_replaceable(path)?;
        let (folder, name) = match path.is_dir() {
            true => (path.to_path_buf(), None),
            false => {
                let name = path.file_name().and_then(|name| name.to_str());
                let name = name.ok_or_else(|| format!("{}: not the name of a file in UTF-8", path.display()))?;
                (parent.to_path_buf(), Some(name.to_string()))
            }
        };
        if name.is_some() && !overwrite && path.symlink_metadata().is_ok() {
            return Err(format!("`{}` exists; --overwrite replaces it", path.display()));
        }
        let store = Store { folder, name, overwrite };
        store.remove_leftovers().map_err(|error| format!("{}: {error}", store.folder.display()))?;
        Ok(store)
    }

    /// Whether senders choose the names.
    pub fn is_folder(&self) -> bool {
        self.name.is_none()
    }

    /// Temporary files that no running receiver has locked.
    fn remove_leftovers(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !(name.starts_with(PREFIX) && name.ends_with(SUFFIX) && entry.file_type()?.is_file()) {
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

    /// Begins a file with a name that is safe in a folder.
    pub fn begin(&self, name: &str) -> io::Result<Partial> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(16);
        let (file, path) = loop {
            // Errors of a `NamedTempFile` contain its path, which must not be sent to the sender.
            let (file, path) = builder
                .make_in(&self.folder, |path| OpenOptions::new().read(true).write(true).create_new(true).open(path))?
                .into_parts();
            // A receiver that starts just now may have taken it for a leftover; not where files cannot be locked.
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => {}
                Ok(()) if !path.exists() => {}
                _ => break (file, path),
            }
        };
        let name = self.name.clone().unwrap_or_else(|| name.to_string());
        Ok(Partial { file: BufWriter::new(file), path, folder: self.folder.clone(), name, overwrite: self.overwrite })
    }
}

/// A file that is not complete yet. It is removed if it is dropped before.
pub struct Partial {
    file: BufWriter<File>,
    path: TempPath,
    folder: PathBuf,
    name: String,
    overwrite: bool,
}

impl Partial {
    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Brings everything to the disk, and reads it back, until it is to stop: returns the file with the sum of what is
    /// stored.
    pub fn stored(self, stop: &AtomicBool) -> io::Result<(Stored, Sum)> {
        let Partial { file, path, folder, name, overwrite } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let mut summing = Summing::default();
        // By the same descriptor: there may be no other.
        let mut reader = BufReader::with_capacity(1 << 16, &file);
        reader.rewind()?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) if stop.load(Ordering::Relaxed) => return Err(io::Error::other("interrupted")),
                Ok(got) => summing.add(&buffer[..got]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok((Stored { _locked: file, path, folder, name, overwrite }, summing.sum()))
    }
}

/// A complete file under its temporary name.
pub struct Stored {
    _locked: File,
    path: TempPath,
    folder: PathBuf,
    name: String,
    overwrite: bool,
}

impl Stored {
    /// Gives the file its name; with a number if that is taken. Returns the path.
    pub fn place(self) -> io::Result<PathBuf> {
        let Stored { _locked, path: mut partial, folder, name, overwrite } = self;
        if overwrite {
            let path = folder.join(numbered(&name, 0));
            partial.persist(&path)?;
            sync_folder(&folder);
            return Ok(path);
        }
        for number in 0..NUMBERS {
            let path = folder.join(numbered(&name, number));
            match partial.persist_noclobber(&path) {
                Ok(_) => {
                    sync_folder(&folder);
                    return Ok(path);
                }
                Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => partial = taken.path,
                Err(other) => return Err(other.error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{NUMBERS} files of the name {name} exist")))
    }
}

/// Some file systems cannot do it, and none needs it for the file to be there now.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// `name`, or `name-number`, cut so that it fits a folder.
fn numbered(name: &str, number: u32) -> String {
    let suffix = if number == 0 { String::new() } else { format!("-{number}") };
    format!("{}{suffix}", cut(name, NAME_MAX - suffix.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into());
        let mut names: Vec<String> = entries.collect();
        names.sort();
        names
    }

    fn receive(store: &Store, name: &str, bytes: &[u8]) -> PathBuf {
        let mut partial = store.begin(name).unwrap();
        partial.write(bytes).unwrap();
        let (stored, sum) = partial.stored(&AtomicBool::new(false)).unwrap();
        let mut expected = Summing::default();
        expected.add(bytes);
        assert_eq!(sum, expected.sum());
        stored.place().unwrap()
    }

    #[test]
    fn nothing_that_exists_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), "before").unwrap();
        let store = Store::open(folder.path(), false).unwrap();
        let mut open = store.begin("g").unwrap();
        open.write(b"open").unwrap();
        let got = ["f", "f", "f-1", "f.part", ".nacre-x.part"].map(|name| receive(&store, name, name.as_bytes()));
        assert_eq!(
            got.each_ref().map(|path| path.file_name().unwrap().to_str().unwrap()),
            ["f-1", "f-2", "f-1-1", "f.part", ".nacre-x.part"]
        );
        assert_eq!(fs::read(folder.path().join("f")).unwrap(), b"before");
        for (path, content) in got.iter().zip(["f", "f", "f-1", "f.part", ".nacre-x.part"]) {
            assert_eq!(fs::read(path).unwrap(), content.as_bytes());
        }
        let path = open.stored(&AtomicBool::new(false)).unwrap().0.place().unwrap();
        assert_eq!(fs::read(path).unwrap(), b"open");
    }

    #[test]
    fn file_that_is_stopped_before_it_is_read_back_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), false).unwrap();
        let mut partial = store.begin("f").unwrap();
        partial.write(b"content").unwrap();
        assert_eq!(names(folder.path()).len(), 1);
        assert!(partial.stored(&AtomicBool::new(true)).is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn two_receivers_share_a_folder_and_leftovers_go() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".nacre-0123.part"), "left by a receiver that was killed").unwrap();
        fs::write(folder.path().join("kept.part"), "not ours").unwrap();
        let one = Store::open(folder.path(), false).unwrap();
        assert_eq!(names(folder.path()), ["kept.part"]);
        let mut partial = one.begin("f").unwrap();
        partial.write(b"one").unwrap();
        let other = Store::open(folder.path(), false).unwrap();
        assert_eq!(names(folder.path()).len(), 2, "the other receiver still writes it");
        receive(&other, "f", b"other");
        partial.stored(&AtomicBool::new(false)).unwrap().0.place().unwrap();
        assert_eq!(names(folder.path()), ["f", "f-1", "kept.part"]);
        drop(one.begin("g").unwrap());
        assert_eq!(names(folder.path()).len(), 3, "a file that is given up goes");
    }

    #[test]
    fn one_file_is_replaced_on_request_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let store = Store::open(&path, false).unwrap();
        assert_eq!(receive(&store, "chosen", b"one"), path);
        assert_eq!(receive(&store, "chosen", b"two"), folder.path().join("f-1"));
        let error = Store::open(&path, false).err().unwrap();
        assert!(error.contains("exists; --overwrite replaces it"), "{error}");
        assert_eq!(receive(&Store::open(&path, true).unwrap(), "chosen", b"three"), path);
        assert_eq!(fs::read(&path).unwrap(), b"three");
    }

    #[test]
    fn names_of_any_length_fit() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), false).unwrap();
        for name in ["x".repeat(255), "ü".repeat(127) + "x", "x".repeat(300)] {
            for number in 0..3 {
                let path = receive(&store, &name, b"content");
                let len = path.file_name().unwrap().len();
                assert!((250..=255).contains(&len), "{number}: {len}");
            }
        }
        assert_eq!(names(folder.path()).len(), 9);
    }
}
