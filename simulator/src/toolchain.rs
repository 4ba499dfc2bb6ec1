//! Compiles emitted C with the installed compiler and loads it; compiled code is cached.

use nacre_process::on_path;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;

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

    /// The same with another optimization: `-O2`.
    pub fn optimize(mut self, flag: &str) -> Toolchain {
        self.flags = vec![flag.to_string()];
        self
    }

    /// The same with one more flag.
    pub fn flag(mut self, flag: &str) -> Toolchain {
        self.flags.push(flag.to_string());
        self
    }

    /// Compiles, unless this text was compiled before, and loads.
    pub fn load(&self, text: &Text) -> Result<Stack, Error> {
        let object = self.compile(text)?;
        // SAFETY: the object was made from the text of the C back end, whose only symbol to be looked up is a
        // descriptor; it lies in a folder that only this user writes to.
        unsafe { Stack::load(&object, text.symbol) }.map_err(Error::Load)
    }

    fn compile(&self, text: &Text) -> Result<PathBuf, Error> {
        let compiler = self.compiler.to_string_lossy();
        let flags = self.flags.join(" ");
        let key = digest(&[&compiler, &flags, text.header_name, text.header, text.source, text.symbol, HOST_SOURCE]);
        let object = self.cache.join(format!("{key}.so"));
        if object.exists() {
            return Ok(object);
        }
        fs::create_dir_all(&self.cache).map_err(|error| Error::Io(self.cache.clone(), error))?;
        let folder = tempfile::tempdir_in(&self.cache).map_err(|error| Error::Io(self.cache.clone(), error))?;
        self.compile_in(folder.path(), text, &object).map(|()| object)
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
    fn a_folder_that_others_write_to_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(private_folder(folder.path(), geteuid().as_raw()).is_err());
    }
}
