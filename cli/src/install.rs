//! `nacre runtime`: the runtime as a library of C, and as a package of Python.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nacre_process::{on_path, run};

use crate::args::projects::Runtime;
use crate::console::{complain, print, Exit};
use crate::output;
use crate::progress::Waiting;
use crate::sources;
use crate::user_folders;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MAJOR: &str = env!("CARGO_PKG_VERSION_MAJOR");
const MINOR: &str = env!("CARGO_PKG_VERSION_MINOR");

/// How long Cargo may take: it may have to fetch crates, too.
const LIMIT: Duration = Duration::from_secs(3600);

/// Modules of the Python package.
const PYTHON: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../../python/nacre/__init__.py")),
    ("_addresses.py", include_str!("../../python/nacre/_addresses.py")),
    ("_aio_connecting.py", include_str!("../../python/nacre/_aio_connecting.py")),
    ("_aio_connection.py", include_str!("../../python/nacre/_aio_connection.py")),
    ("_connection.py", include_str!("../../python/nacre/_connection.py")),
    ("_events.py", include_str!("../../python/nacre/_events.py")),
    ("_given.py", include_str!("../../python/nacre/_given.py")),
    ("_interface.py", include_str!("../../python/nacre/_interface.py")),
    ("_keys.py", include_str!("../../python/nacre/_keys.py")),
    ("_listener.py", include_str!("../../python/nacre/_listener.py")),
    ("_notices.py", include_str!("../../python/nacre/_notices.py")),
    ("_stack.py", include_str!("../../python/nacre/_stack.py")),
    ("_values.py", include_str!("../../python/nacre/_values.py")),
    ("_waiting.py", include_str!("../../python/nacre/_waiting.py")),
    ("aio.py", include_str!("../../python/nacre/aio.py")),
    ("py.typed", ""),
];

/// Runs `nacre runtime`.
pub fn runtime(args: &Runtime) -> Exit {
    if cfg!(not(target_os = "linux")) {
        complain("`nacre runtime` is built for Linux only; Cargo compiles the crate `nacre-runtime` on other systems");
        return Exit::Unknown;
    }
    let built = match &args.built {
        Some(folder) => Ok(folder.clone()),
        None => sources::find(args.crates.as_deref()).and_then(|crates| compile(&crates)),
    };
    let built = match built {
        Ok(built) => built,
        Err(why) => {
            complain(&why);
            return Exit::Unknown;
        }
    };
    let mut written = Vec::new();
    let installed = args.install.iter().map(|prefix| install(&built, prefix, &mut written));
    let mut done = installed.collect::<io::Result<()>>();
    if let (Ok(()), Some(folder)) = (&done, &args.python) {
        done = package(&built, folder, &mut written);
    }
    match done {
        Ok(()) => {
            written.iter().for_each(|path| print(&format!("wrote {}", path.display())));
            Exit::Yes
        }
        Err(error) => {
            complain(&format!("cannot install the runtime: {error}"));
            Exit::No
        }
    }
}

/// The name that programs are linked with: versions below 1.0 with another second number are not compatible.
fn soname() -> String {
    match MAJOR {
        "0" => format!("libnacre_runtime.so.0.{MINOR}"),
        major => format!("libnacre_runtime.so.{major}"),
    }
}

/// A path as pkg-config reads it, and prints it: as in a shell.
fn escaped_for_pkg_config(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+~@%:=,".contains(c);
    path.chars().flat_map(|c| [(!plain(c)).then_some('\\'), Some(c)]).flatten().collect()
}

/// Compiles the library; returns the folder that has it.
///
/// # Errors
/// The message.
fn compile(crates: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
    let cargo = on_path(&cargo).ok_or("Cargo was not found: install Rust (https://rustup.rs)")?;
    let cache = user_folders::find("XDG_CACHE_HOME", ".cache").ok_or("there is no folder for a cache: set HOME")?;
    let target = cache.join("runtime");
    fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let _waiting = Waiting::begin("compiling the runtime".into());
    let mut command = Command::new(cargo);
    command.args(["rustc", "--release", "--locked", "--package", "nacre-runtime", "--lib"]);
    command.args(["--crate-type", "staticlib,cdylib", "--config", "profile.release.debug=false", "--manifest-path"]);
    command.arg(crates.join("Cargo.toml")).arg("--target-dir").arg(&target);
    command.args(["--", "-C", &format!("link-arg=-Wl,-soname,{}", soname())]);
    let ran = run(&mut command, &target, LIMIT).map_err(|error| format!("cannot run Cargo: {error}"))?;
    match ran.status.success() {
        true => Ok(target.join("release")),
        false => Err(format!("Cargo could not compile the runtime:\n{}", ran.words.trim_end())),
    }
}

/// Installs the library for C and C++.
fn install(built: &Path, prefix: &Path, written: &mut Vec<PathBuf>) -> io::Result<()> {
    let folder = |name: &str| {
        let folder = prefix.join(name);
        fs::create_dir_all(&folder).map_err(|error| named(&folder, &error)).map(|()| folder)
    };
    let (lib, include) = (folder("lib")?, folder("include")?);
    // What is installed states its place whatever folder it is used from.
    let prefix = prefix.canonicalize()?;
    let filled = |text: &str| {
        let prefix = prefix.display().to_string();
        let values =
            [("@PREFIX@", prefix.as_str()), ("@SONAME@", &soname()), ("@VERSION@", VERSION), ("@MAJOR@", MAJOR)];
        values.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
    };
    let shared = format!("libnacre_runtime.so.{VERSION}");
    put(&built.join("libnacre_runtime.a"), &lib.join("libnacre_runtime.a"), 0o644, written)?;
    put(&built.join("libnacre_runtime.so"), &lib.join(&shared), 0o755, written)?;
    for name in [soname(), "libnacre_runtime.so".into()] {
        link(&shared, &lib.join(name), written)?;
    }
    write(&include.join("nacre_runtime.h"), nacre_runtime::C_HEADER, written)?;
    write(&folder("share/nacre")?.join("nacre_host.c"), nacre_runtime::HOST_SOURCE, written)?;
    let escaped = escaped_for_pkg_config(&prefix.display().to_string());
    let pc = filled(&include_str!("../templates/install/nacre-runtime.pc").replace("@PREFIX@", &escaped));
    write(&folder("lib/pkgconfig")?.join("nacre-runtime.pc"), &pc, written)?;
    let cmake = folder("lib/cmake/NacreRuntime")?;
    let config = filled(include_str!("../templates/install/NacreRuntimeConfig.cmake"));
    write(&cmake.join("NacreRuntimeConfig.cmake"), &config, written)?;
    let version = filled(include_str!("../templates/install/NacreRuntimeConfigVersion.cmake"));
    write(&cmake.join("NacreRuntimeConfigVersion.cmake"), &version, written)
}

/// Installs the Python package, with the library in it.
fn package(built: &Path, folder: &Path, written: &mut Vec<PathBuf>) -> io::Result<()> {
    let packages = site_packages(folder)?;
    let (package, about) = (packages.join("nacre"), packages.join(format!("nacre-{VERSION}.dist-info")));
    fs::create_dir_all(&package).map_err(|error| named(&package, &error))?;
    fs::create_dir_all(&about).map_err(|error| named(&about, &error))?;
    let before = written.len();
    for (name, text) in PYTHON {
        write(&package.join(name), text, written)?;
    }
    put(&built.join("libnacre_runtime.so"), &package.join("libnacre_runtime.so"), 0o755, written)?;
    let metadata = format!(
        "Metadata-Version: 2.1\nName: nacre\nVersion: {VERSION}\nSummary: Protocol stacks of Nacre over UDP\n\
         Requires-Python: >=3.9\nLicense: Apache-2.0 OR MIT\n"
    );
    write(&about.join("METADATA"), &metadata, written)?;
    write(&about.join("INSTALLER"), "nacre\n", written)?;
    // What `pip uninstall` removes.
    let of_pip = |path: &PathBuf| path.strip_prefix(&packages).ok().map(|path| format!("{},,\n", path.display()));
    let mut record: String = written[before..].iter().filter_map(of_pip).collect();
    record += &format!("nacre-{VERSION}.dist-info/RECORD,,\n");
    write(&about.join("RECORD"), &record, written)
}

/// The folder for packages of a virtual environment; any other folder itself.
fn site_packages(folder: &Path) -> io::Result<PathBuf> {
    if !folder.join("pyvenv.cfg").is_file() {
        return Ok(folder.to_path_buf());
    }
    let versions = fs::read_dir(folder.join("lib"))?.flatten().map(|entry| entry.path().join("site-packages"));
    let mut found: Vec<PathBuf> = versions.filter(|path| path.is_dir()).collect();
    found.sort();
    found.pop().ok_or_else(|| {
        io::Error::other(format!("{}: a virtual environment without lib/python3.*/site-packages", folder.display()))
    })
}

/// Copies a file.
fn put(from: &Path, to: &Path, mode: u32, written: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing = if from.is_file() { to } else { from };
    output::install(from, to, mode).map_err(|error| named(missing, &error))?;
    written.push(to.to_path_buf());
    Ok(())
}

fn write(to: &Path, text: &str, written: &mut Vec<PathBuf>) -> io::Result<()> {
    fs::write(to, text).map_err(|error| named(to, &error))?;
    written.push(to.to_path_buf());
    Ok(())
}

/// Makes a symbolic link, in the place of an older one.
fn link(target: &str, at: &Path, written: &mut Vec<PathBuf>) -> io::Result<()> {
    if at.is_symlink() {
        fs::remove_file(at)?;
    }
    symlink(target, at).map_err(|error| named(at, &error))?;
    written.push(at.to_path_buf());
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_for_pkg_config() {
        assert_eq!(escaped_for_pkg_config("/opt/nacre-0.1_x+y"), "/opt/nacre-0.1_x+y");
        assert_eq!(escaped_for_pkg_config("/my files/a#b"), r"/my\ files/a\#b");
        assert_eq!(escaped_for_pkg_config(r#"/a"b'c$d"#), r#"/a\"b\'c\$d"#);
    }
}
