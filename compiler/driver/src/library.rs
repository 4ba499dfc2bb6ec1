//! The library that the program brings along: files that are imported as `nacre/...`, wherever the importing file is.

use std::path::Path;
use std::sync::OnceLock;

/// What the path of such an import begins with.
pub const PREFIX: &str = "nacre/";

/// The files by their paths in the library, with their texts.
static FILES: OnceLock<&[(&str, &str)]> = OnceLock::new();

/// Makes files known, once, before any source is read. Programs that do not call this have an empty library.
pub fn provide(files: &'static [(&'static str, &'static str)]) {
    FILES.get_or_init(|| files);
}

/// Whether an import means the library.
pub(crate) fn is_meant(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// Returns the path in the library, without the prefix, and the text of a file: `nacre/a/b.nacre`, or `nacre/a.nacre`
/// for `nacre/a/a.nacre`.
pub fn find(path: &str) -> Option<(&'static str, &'static str)> {
    let name = path.strip_prefix(PREFIX)?;
    let same = |wanted: &str| files().iter().find(|(known, _)| *known == wanted).copied();
    same(name).or_else(|| {
        let stem = name.strip_suffix(".nacre").filter(|stem| !stem.contains('/'))?;
        same(&format!("{stem}/{stem}.nacre"))
    })
}

/// Whether a path on the command line means a file of the library, as in an import.
pub fn is_of_library(path: &Path) -> bool {
    path.to_str().is_some_and(|path| find(path).is_some())
}

/// What is there to be imported, without tests: the shortest paths, and the texts.
pub fn listed() -> impl Iterator<Item = (String, &'static str)> {
    let short = |path: &str| match path.split_once('/') {
        Some((folder, file)) if file.strip_suffix(".nacre") == Some(folder) => format!("{PREFIX}{file}"),
        _ => format!("{PREFIX}{path}"),
    };
    files().iter().filter(|(path, _)| !path.ends_with("/tests.nacre")).map(move |(path, text)| (short(path), *text))
}

fn files() -> &'static [(&'static str, &'static str)] {
    FILES.get().copied().unwrap_or(&[])
}
