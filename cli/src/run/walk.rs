//! The files and folders that a sender sends, in order: what the command line names, and what is below. Links below are
//! not followed.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nacre_driver::files::open_regular;
use rustix::fs::{openat, Dir, Mode, OFlags};
use rustix::io::Errno;

use super::failure::{Cause, Failure};
use super::names::{components, shown, DEPTH};
use super::source::{Input, Pipe, Regular, Source};
use crate::args::Send;

/// What comes next.
pub enum Item {
    Folder(String),
    File(Source),
    /// It is not sent: its path, and why.
    Skipped(String, String),
}

/// Everything that is sent.
pub struct Walk {
    named: VecDeque<Named>,
    /// The folders that are being read, the innermost last.
    open: Vec<Level>,
}

/// Something that the command line names.
struct Named {
    path: PathBuf,
    /// Its name at the receiver.
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Input,
}

struct Level {
    folder: OwnedFd,
    /// The path at the receiver.
    path: String,
    /// What is in it, the last in front.
    names: Vec<OsString>,
}

impl Walk {
    /// Everything that the arguments name. What cannot be sent is reported before a connection is begun.
    pub fn begin(args: &Send) -> Result<Walk, Failure> {
        require_fitting(args)?;
        let named = args.file.iter().map(|path| named(path, args)).collect::<Result<_, String>>()?;
        Ok(Walk { named, open: vec![] })
    }

    /// Describes what is sent, for messages about all of it.
    pub fn subject(args: &Send) -> String {
        match &args.file[..] {
            [one] => shown(one),
            all => format!("{} files or folders", all.len()),
        }
    }

    /// The next one.
    pub fn advance(&mut self) -> Option<Item> {
        while let Some(level) = self.open.last_mut() {
            match level.names.pop() {
                Some(name) => {
                    let item = below(level, &name);
                    return Some(self.entered(item));
                }
                None => drop(self.open.pop()),
            }
        }
        let named = self.named.pop_front()?;
        let item = match named.kind {
            Kind::Folder => File::open(&named.path)
                .and_then(|folder| Level::open(folder.into(), named.name.clone()))
                .map(Found::Folder),
            Kind::File => regular(&named.path, named.name.clone()).map(Found::File),
            Kind::Input => {
                Pipe::begin().map(|pipe| Found::File(Source { path: named.name.clone(), input: Input::Pipe(pipe) }))
            }
        };
        let item = item.unwrap_or_else(|error| Found::Skipped(shown(&named.path), error.to_string()));
        Some(self.entered(item))
    }

    fn entered(&mut self, found: Found) -> Item {
        match found {
            Found::Folder(level) => {
                let path = level.path.clone();
                self.open.push(level);
                Item::Folder(path)
            }
            Found::File(source) => Item::File(source),
            Found::Skipped(path, why) => Item::Skipped(path, why),
        }
    }
}

enum Found {
    Folder(Level),
    File(Source),
    Skipped(String, String),
}

impl Level {
    fn open(folder: OwnedFd, path: String) -> io::Result<Level> {
        let mut names = vec![];
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_os_string());
            }
        }
        names.sort_by(|a, b| b.cmp(a));
        Ok(Level { folder, path, names })
    }
}

/// Opens what is in a folder; a pipe is not waited for.
fn below(level: &Level, name: &OsStr) -> Found {
    let path = format!("{}/{}", level.path, name.to_string_lossy());
    if components(&path).is_none() {
        return Found::Skipped(path, format!("its path is too long, or deeper than {DEPTH} folders"));
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = match openat(&level.folder, name, flags, Mode::empty()) {
        Err(Errno::LOOP) => return Found::Skipped(path, "symbolic links are not followed".into()),
        Err(Errno::NXIO) => return Found::Skipped(path, "it is not a regular file".into()),
        Err(error) => return Found::Skipped(path, io::Error::from(error).to_string()),
        Ok(opened) => File::from(opened),
    };
    let found = opened.metadata().and_then(|facts| match (facts.is_dir(), facts.is_file()) {
        (true, _) => Level::open(opened.into(), path.clone()).map(Found::Folder),
        (_, true) => {
            Regular::new(opened).map(|file| Found::File(Source { path: path.clone(), input: Input::File(file) }))
        }
        _ => Err(io::Error::other("it is not a regular file")),
    });
    found.unwrap_or_else(|error| Found::Skipped(path, error.to_string()))
}

fn regular(path: &Path, name: String) -> io::Result<Source> {
    let file = open_regular(path).map_err(io::Error::other)?;
    Ok(Source { path: name, input: Input::File(Regular::new(file)?) })
}

/// Standard input needs a name, and only one file can have one.
fn require_fitting(args: &Send) -> Result<(), Failure> {
    let inputs = args.file.iter().filter(|path| is_input(path)).count();
    let words = match (inputs, &args.name, args.file.len()) {
        (2.., _, _) => "standard input can be sent once",
        (1, None, _) => "standard input has no name: state one with `--name`",
        (_, Some(_), 2..) => "`--name` names one file: `--file` has several",
        (_, Some(name), _) if components(name).is_none_or(|parts| parts.len() != 1) => {
            "`--name` is the name of a file, without a folder"
        }
        _ => return Ok(()),
    };
    Err(Failure::new(Cause::Usage, words))
}

fn is_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn named(path: &Path, args: &Send) -> Result<Named, String> {
    if is_input(path) {
        let name = args.name.clone().unwrap_or_default();
        return Ok(Named { path: path.to_path_buf(), name, kind: Kind::Input });
    }
    let error = |why: String| format!("{}: {why}", shown(path));
    let is_folder = path.is_dir();
    if is_folder && !args.recursive {
        return Err(error("it is a directory (`-r` sends it with everything below)".into()));
    }
    if !is_folder {
        open_regular(path).map_err(error)?;
    }
    // `.` and `..` have a name, too.
    let last = match path.file_name() {
        Some(name) => name.to_os_string(),
        None => path.canonicalize().map_err(|why| error(why.to_string()))?.file_name().unwrap_or_default().into(),
    };
    let name = args.name.clone().unwrap_or_else(|| last.to_string_lossy().into_owned());
    let name = if name.is_empty() { "root".into() } else { name };
    Ok(Named { path: path.to_path_buf(), name, kind: if is_folder { Kind::Folder } else { Kind::File } })
}
