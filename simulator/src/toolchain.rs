//! Compiles emitted C with the installed compiler and loads it; compiled code is cached.

use nacre_process::on_path;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use nacre_runtime::{Stack, HOST_SOURCE};
use rustix::process::geteuid;
use sha2::{Digest, Sha256};

/// A stack's C text.
#[derive(Clone, Debug)]
pub struct Text<'t> {
    /// The name of the header as the source includes it.
    pub header_name: &'t str,
    pub header: &'t str,
    pub source: &'t str,
    /// Of the descriptor.
    pub symbol: &'t str,
}

/// Why there is no compiled stack.
#[derive(Debug)]
pub enum Error {
    /// No C compiler was found.
    Missing,
    /// The compiler's words about code that Nacre has made.
    Failed(String),
    /// The names of functions whose C, which is written in the source of a layer, the compiler rejects; its words.
    Foreign(Vec<String>, String),
    Io(PathBuf, io::Error),
    Load(nacre_runtime::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Missing => f.write_str(
                "no C compiler was found (gcc, cc and clang were tried, and $CC): install one, \
                 on Debian and Ubuntu with `apt-get install gcc libc6-dev`",
            ),
            Error::Failed(words) if words.contains("No space left on device") => {
                write!(f, "the C compiler has no space left for its files ($TMPDIR, or /tmp):\n{words}")
            }
            Error::Failed(words) => {
                write!(f, "internal error: the C compiler rejects the emitted code:\n{words}")
            }
            Error::Foreign(functions, words) => {
                write!(f, "the C compiler rejects the C of `{}`:\n{words}", functions.join("`, `"))
            }
            Error::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Error::Load(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

/// A C compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    compiler: PathBuf,
    flags: Vec<String>,
    cache: PathBuf,
}

impl Toolchain {
    /// The one that $CC names, else gcc, cc or clang.
    pub fn find() -> Result<Toolchain, Error> {
        let named = std::env::var_os("CC").filter(|cc| !cc.is_empty()).map(PathBuf::from);
        let names = ["gcc", "cc", "clang"].map(PathBuf::from);
        let compiler = named.iter().chain(&names).find_map(|name| on_path(name)).ok_or(Error::Missing)?;
        Ok(Toolchain { compiler, flags: vec!["-O1".into()], cache: cache_folder()? })
    }

    /// The compiler of this name; its results are cached in a folder of the caller.
    pub fn named(compiler: &str, cache: &Path) -> Result<Toolchain, Error> {
        let compiler = on_path(Path::new(compiler)).ok_or(Error::Missing)?;
        Ok(Toolchain { compiler, flags: vec!["-O1".into()], cache: cache.to_path_buf() })
    }

    /// The same with the compiler of this name, if it is installed.
    pub fn preferring(mut self, compiler: &str) -> Toolchain {
        self.compiler = on_path(Path::new(compiler)).unwrap_or(self.compiler);
        self
    }

    /// The same with another optimization: `-O2`.
    pub fn optimize(mut self, flag: &str) -> Toolchain {
        self.flags = vec![flag.to_string()];
        self
    }

    /// The same for code that is to run soon: it is compiled in half the time, and slower.
    pub fn quick(self) -> Toolchain {
        self.optimize("-O0").flag("-Dalways_inline=unused")
    }

    /// The same for the processor that it runs on: with the instructions that the emitted C can use.
    pub fn for_this_processor(self) -> Toolchain {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("sse4.2") {
            return self.flag("-msse4.2");
        }
        self
    }

    /// The same with one more flag.
    pub fn flag(mut self, flag: &str) -> Toolchain {
        self.flags.push(flag.to_string());
        self
    }

    /// Compiles, unless this text was compiled before, and loads.
    pub fn load(&self, text: &Text) -> Result<Stack, Error> {
        let object = self.object(text)?;
        // SAFETY: the object was made from the text of the C back end, whose only symbol to be looked up is a
        // descriptor; it lies in a folder that only this user writes to.
        unsafe { Stack::load(&object, text.symbol) }.map_err(Error::Load)
    }

    /// Compiles, unless this text was compiled before: a shared object in the cache.
    pub fn object(&self, text: &Text) -> Result<PathBuf, Error> {
        let object = self.compile(text)?;
        // Another process may have just removed it, as it had not been used for long.
        if object.exists() {
            Ok(object)
        } else {
            self.compile(text)
        }
    }

    fn compile(&self, text: &Text) -> Result<PathBuf, Error> {
        let compiler = self.compiler.to_string_lossy();
        let flags = self.flags.join(" ");
        let key = digest(&[&compiler, &flags, text.header_name, text.header, text.source, text.symbol, HOST_SOURCE]);
        let object = self.cache.join(format!("{key}.so"));
        if let Ok(file) = fs::File::open(&object) {
            // When it was used last. Where that cannot be noted, it is forgotten earlier.
            let _ = file.set_modified(SystemTime::now());
            return Ok(object);
        }
        fs::create_dir_all(&self.cache).map_err(|error| Error::Io(self.cache.clone(), error))?;
        let folder = tempfile::tempdir_in(&self.cache).map_err(|error| Error::Io(self.cache.clone(), error))?;
        self.compile_in(folder.path(), text, &object)?;
        remove_unused(&self.cache, KEPT, GRACE);
        Ok(object)
    }

    fn compile_in(&self, folder: &Path, text: &Text, object: &Path) -> Result<(), Error> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |e| Error::Io(path, e)
        };
        let (header, source, made) = (folder.join(text.header_name), folder.join("stack.c"), folder.join("stack.so"));
        fs::write(&header, text.header).map_err(io(&header))?;
        fs::write(&source, text.source).map_err(io(&source))?;
        // Layers may call functions that the runtime supplies when it loads the object.
        let host = folder.join("nacre_host.c");
        fs::write(&host, HOST_SOURCE).map_err(io(&host))?;
        let mut command = Command::new(&self.compiler);
        command.args(["-std=c11", "-w", "-fPIC", "-shared"]).args(&self.flags).arg("-I").arg(folder);
        let ran = command.arg("-o").arg(&made).arg(&source).arg(&host).output().map_err(io(&self.compiler))?;
        if !ran.status.success() {
            let words: Vec<String> =
                String::from_utf8_lossy(&ran.stderr).lines().take(20).map(str::to_string).collect();
            return Err(Error::Failed(words.join("\n")));
        }
        // The rename is atomic: another process finds the complete file or none.
        fs::rename(&made, object).map_err(io(object))
    }
}

/// How many compiled stacks are kept at least, and for how long one that was used is.
const KEPT: usize = 500;
const GRACE: Duration = Duration::from_secs(3600);

/// Removes the least recently used objects beyond `kept`, but none that was used within `grace`. What cannot be
/// removed stays.
fn remove_unused(folder: &Path, kept: usize, grace: Duration) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let age = |path: &Path| fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    let objects =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "so"));
    let mut objects: Vec<(Duration, PathBuf)> = objects.filter_map(|path| Some((age(&path)?, path))).collect();
    objects.sort();
    for (_, path) in objects.into_iter().skip(kept) {
        // Looked at again: it may have been used meanwhile.
        if age(&path).is_some_and(|age| age > grace) {
            let _ = fs::remove_file(path);
        }
    }
}

/// A folder that only this user can write to: code is loaded from it.
fn cache_folder() -> Result<PathBuf, Error> {
    let variable =
        |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let user = geteuid().as_raw();
    let beside = std::env::temp_dir().join(format!("nacre-{user}"));
    let mut wrong = None;
    for folder in base.map(|base| base.join("nacre")).into_iter().chain([beside]) {
        match private_folder(&folder, user) {
            Ok(()) => return Ok(folder),
            Err(error) => wrong = Some(Error::Io(folder, error)),
        }
    }
    Err(wrong.expect("one folder was tried"))
}

fn private_folder(folder: &Path, user: u32) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
        return Err(io::Error::other("other users can write to this folder, so no code is loaded from it"));
    }
    // Writable at all?
    tempfile::tempfile_in(folder).map(drop)
}

/// SHA-256 of all parts and where they end, in hexadecimal digits.
fn digest(parts: &[&str]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update((part.len() as u64).to_le_bytes());
        sum.update(part);
    }
    format!("{:x}", sum.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_depends_on_the_ends_of_parts() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["ab", "c"]), digest(&["ab", "c"]));
    }

    #[test]
    fn least_recently_used_objects_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let hour = Duration::from_secs(3600);
        for (hours, name) in [(9, "oldest.so"), (8, "old.so"), (7, "notes"), (3, "new.so"), (0, "used.so")] {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - hours * hour).unwrap();
        }
        let left = || {
            let names =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        remove_unused(folder.path(), 4, hour);
        assert_eq!(left().len(), 5);
        remove_unused(folder.path(), 2, hour);
        assert_eq!(left(), ["new.so", "notes", "used.so"]);
        remove_unused(folder.path(), 0, 4 * hour);
        assert_eq!(left(), ["new.so", "notes", "used.so"]);
    }

    #[test]
    fn a_folder_that_others_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(private_folder(folder.path(), geteuid().as_raw()).is_err());
    }
}
