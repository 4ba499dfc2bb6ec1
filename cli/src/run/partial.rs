//! Files in progress: under temporary names in the output folder, locked while they are written.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::framing::{Sum, Summing};
use super::names::{cut, NAME_MAX};

/// The numbers that are tried for a name that is taken.
pub const NUMBERS: u32 = 10_000;
/// The unit in which files are read back.
const CHUNK: usize = 1 << 16;

/// A place for a file: a folder, and the name there.
#[derive(Clone)]
pub struct Place {
    pub folder: Arc<OwnedFd>,
    pub name: String,
    /// The path of the folder, as it is printed.
    pub shown: PathBuf,
}

/// A name of a file in progress. The file is removed when this is dropped, unless it has got its own name, or is kept.
pub struct Temporary {
    folder: Arc<OwnedFd>,
    name: String,
    is_armed: bool,
}

impl Temporary {
    /// Creates a file that does not exist yet.
    pub fn create(folder: &Arc<OwnedFd>, name: String) -> io::Result<(File, Temporary)> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(fs::openat(folder, &name, flags, Mode::from_raw_mode(0o666))?);
        let temporary = Temporary { folder: folder.clone(), name, is_armed: true };
        temporary.lock(&file)?;
        Ok((file, temporary))
    }

    /// Opens a regular file, or creates it. None: somebody else has locked it, or it is none.
    pub fn open(folder: &Arc<OwnedFd>, name: &str) -> io::Result<Option<(File, Temporary)>> {
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match fs::openat(folder, name, flags, Mode::from_raw_mode(0o666)) {
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO | Errno::ACCESS) => return Ok(None),
            opened => File::from(opened?),
        };
        let mut temporary = Temporary { folder: folder.clone(), name: name.to_string(), is_armed: false };
        let is_ours = file.metadata()?.is_file() && temporary.lock(&file).is_ok();
        temporary.is_armed = is_ours;
        Ok(is_ours.then_some((file, temporary)))
    }

    /// A file that is locked by others, or has lost its name meanwhile, is theirs.
    fn lock(&self, file: &File) -> io::Result<()> {
        // Not every file system has locks.
        if fs::flock(file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return Err(Errno::WOULDBLOCK.into());
        }
        let (there, opened) = (fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?, file.metadata()?);
        let is_same = (there.st_ino, there.st_dev) == (opened.ino(), opened.dev());
        is_same.then_some(()).ok_or_else(|| Errno::NOENT.into())
    }

    /// Leaves the file there.
    pub fn keep(mut self) {
        self.is_armed = false;
    }

    /// Gives the file its name; with a number if that is taken. Returns the path as it is printed.
    fn place(mut self, place: &Place, overwrite: bool) -> io::Result<PathBuf> {
        for number in 0..NUMBERS {
            let name = numbered(&place.name, number);
            match self.rename(place, &name, overwrite) {
                Err(Errno::EXIST) => {}
                renamed => {
                    renamed?;
                    self.is_armed = false;
                    // Some file systems cannot do it, and none needs it for the file to be there now.
                    let _ = fs::fsync(&place.folder);
                    return Ok(place.shown.join(name));
                }
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{NUMBERS} files of the name {} exist", place.name)))
    }

    fn rename(&self, place: &Place, name: &str, overwrite: bool) -> Result<(), Errno> {
        let (from, to) = (&self.folder, &place.folder);
        if overwrite {
            return fs::renameat(from, &self.name, to, name);
        }
        match fs::renameat_with(from, &self.name, to, name, RenameFlags::NOREPLACE) {
            // Not every file system can do it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                fs::linkat(from, &self.name, to, name, AtFlags::empty())?;
                fs::unlinkat(from, &self.name, AtFlags::empty())
            }
            renamed => renamed,
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_armed {
            let _ = fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// `name`, or `name-number`, cut so that it fits a folder.
pub fn numbered(name: &str, number: u32) -> String {
    let suffix = if number == 0 { String::new() } else { format!("-{number}") };
    format!("{}{suffix}", cut(name, NAME_MAX - suffix.len()))
}

/// The SHA-256 of the first bytes of a file, until it is to stop. Fewer bytes are an error.
pub fn sum_of(file: &File, length: u64, stop: &AtomicBool) -> io::Result<Sum> {
    let (mut summing, mut buffer, mut at) = (Summing::default(), vec![0; CHUNK], 0);
    while at < length {
        if stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("interrupted"));
        }
        let want = buffer.len().min(usize::try_from(length - at).unwrap_or(usize::MAX));
        match file.read_at(&mut buffer[..want], at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(got) => {
                summing.add(&buffer[..got]);
                at += got as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(summing.sum())
}

/// A file that is not complete yet. It is removed if it is dropped before.
pub struct Partial {
    file: BufWriter<File>,
    temporary: Temporary,
    place: Place,
    overwrite: bool,
    /// Whether it can be continued by a later transfer.
    is_lasting: bool,
    length: u64,
}

impl Partial {
    /// A file in progress that will get a place. `is_lasting`: it may be kept.
    pub fn new(
        (file, temporary): (File, Temporary),
        place: Place,
        overwrite: bool,
        is_lasting: bool,
    ) -> io::Result<Partial> {
        let length = file.metadata()?.len();
        Ok(Partial { file: BufWriter::with_capacity(CHUNK, file), temporary, place, overwrite, is_lasting, length })
    }

    /// The bytes that it has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The same file, for a thread that reads it.
    pub fn reader(&self) -> io::Result<File> {
        self.file.get_ref().try_clone()
    }

    /// Continues after the first bytes; those behind are removed.
    pub fn go_on_from(&mut self, offset: u64) -> io::Result<()> {
        self.file.get_ref().set_len(offset)?;
        self.file.seek(SeekFrom::Start(offset))?;
        self.length = offset;
        Ok(())
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Leaves the file for a later transfer, if it can be continued; returns whether it can.
    pub fn keep(mut self) -> bool {
        // What could not be written is missing at the end: the file is a prefix all the same.
        let is_kept = self.is_lasting && self.file.flush().is_ok() && self.length > 0;
        if is_kept {
            self.temporary.keep();
        }
        is_kept
    }

    /// Brings everything to the disk, and reads it back, until it is to stop: returns the file with the sum of what is
    /// stored.
    pub fn stored(self, stop: &AtomicBool) -> io::Result<(Stored, Sum)> {
        let Partial { file, temporary, place, overwrite, is_lasting, .. } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        // By the same descriptor: there may be no other.
        match sum_of(&file, file.metadata()?.len(), stop) {
            Ok(sum) => Ok((Stored { _locked: file, temporary, place, overwrite }, sum)),
            Err(error) => {
                if is_lasting && stop.load(Ordering::Relaxed) {
                    temporary.keep();
                }
                Err(error)
            }
        }
    }
}

/// A complete file under its temporary name.
pub struct Stored {
    _locked: File,
    temporary: Temporary,
    place: Place,
    overwrite: bool,
}

impl Stored {
    /// Gives the file its name; with a number if that is taken. Returns the path as it is printed.
    pub fn place(self) -> io::Result<PathBuf> {
        self.temporary.place(&self.place, self.overwrite)
    }
}
