//! Where a user keeps what programs store (XDG Base Directory Specification).

use std::path::PathBuf;

/// `nacre` in the folder that a variable names, or in this folder of the user's home; none: the user has neither.
pub fn find(variable: &str, in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(in_home)))?;
    Some(base.join("nacre"))
}
