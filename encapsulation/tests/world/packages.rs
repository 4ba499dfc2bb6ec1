//! Foreign sources that packages bring.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a package's source: Cargo fetches it, with a pinned version and checksum, and compiles nothing.
pub fn source(room: &Path, name: &str, package: &str) -> PathBuf {
    let manifest = room.join("sources").join(name).join("Cargo.toml");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let ran = cargo.output().expect("cargo runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let path = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let of = |path: &&str| {
        let folder = Path::new(path).parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        folder.strip_prefix(package).is_some_and(|rest| rest.starts_with('-'))
    };
    let found = path.into_iter().find(of).unwrap_or_else(|| panic!("no package {package}"));
    Path::new(found).parent().expect("a folder").to_path_buf()
}
