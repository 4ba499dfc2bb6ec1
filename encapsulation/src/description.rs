//! What an import needs to know of a foreign source, and of the environment in which it runs.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use crate::files;
use crate::overlays::Buffers;

/// A description file: paths are relative to the foreign tree, those of `glue` to the description.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// Patterns of C files.
    pub sources: Vec<String>,
    /// Patterns of files that are left out.
    pub exclude: Vec<String>,
    /// Folders of headers, which come before those of the environment.
    pub include: Vec<String>,
    /// Macros: NAME or NAME=VALUE.
    pub define: Vec<String>,
    /// Further flags of the compiler.
    pub flags: Vec<String>,
    /// Flags of single files: a pattern, and what is added for files that match.
    pub file_flags: BTreeMap<String, Vec<String>>,
    /// C files that are compiled with the foreign ones, and say what the environment cannot know.
    pub glue: Vec<String>,
    /// Of STREAMS sources: the names of modules and of devices, each with the name of its `struct streamtab`. One alone
    /// may be called "".
    pub modules: BTreeMap<String, String>,
    pub devices: BTreeMap<String, String>,
}

/// An environment: `environment.toml` in a folder of this crate. Paths are relative to the crate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// What runs in it.
    pub about: String,
    /// Patterns of its own C files.
    pub sources: Vec<String>,
    /// Folders of headers for the foreign sources and its own.
    pub include: Vec<String>,
    /// Whether they come before those of the source: a tree of a whole kernel has headers of the same names.
    #[serde(default)]
    pub headers_first: bool,
    /// Folders of headers that foreign sources include in quotes (`#include "../net/if.h"`). They come before the
    /// folder of the including file, too.
    #[serde(default)]
    pub quoted: Vec<String>,
    /// Flags for foreign sources, and for the glue.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Functions of the C library that it uses beyond those that compute alone.
    #[serde(default)]
    pub libc: Vec<String>,
    /// Foreign functions in whose place other files call `__wrap_NAME` of the environment, which may call
    /// `__real_NAME`.
    #[serde(default)]
    pub intercept: Vec<String>,
    /// How it keeps packets: structures with pointers that packets are cast to are reported.
    #[serde(default)]
    pub buffers: Buffers,
    /// A table of what it provides: a name, `provided`, `partial` or `missing`, and a remark in each line.
    pub services: Option<String>,
    /// Where a source of this kind usually has its parts; a description file takes its place.
    #[serde(default)]
    pub usual: Description,
}

impl Environment {
    /// The names of all environments.
    pub fn names() -> Vec<&'static str> {
        let files = files::ending(".environment.toml");
        files.filter_map(|file| Path::new(file).file_name()?.to_str()?.strip_suffix(".environment.toml")).collect()
    }

    /// The services that the table says are partial or missing, each with its remark.
    pub fn limits(&self) -> BTreeMap<&'static str, &'static str> {
        let text = self.services.as_deref().and_then(files::text).unwrap_or_default();
        let entry = |line: &'static str| {
            let (name, rest) = line.split_once(' ')?;
            (rest.starts_with("partial") || rest.starts_with("missing")).then_some((name, rest))
        };
        text.lines().filter_map(entry).collect()
    }

    /// Reads the environment of a name.
    pub fn named(name: &str) -> Result<Environment, String> {
        let file = files::ending(".environment.toml")
            .find(|file| {
                file.strip_suffix(".environment.toml").is_some_and(|stem| stem.rsplit('/').next() == Some(name))
            })
            .ok_or_else(|| format!("no environment `{name}`; there are {}", Environment::names().join(", ")))?;
        toml::from_str(files::text(file).unwrap_or_default()).map_err(|error| format!("{file}: {error}"))
    }
}

impl Description {
    /// C that lists the streamtabs, or an error that tells of a name that is none. None: the description names none.
    pub fn listed(&self) -> Result<Option<String>, String> {
        let all = self.modules.iter().map(|pair| (pair, "STR_MODULE"));
        let all: Vec<_> = all.chain(self.devices.iter().map(|pair| (pair, "STR_DEVICE"))).collect();
        if all.is_empty() {
            return Ok(None);
        }
        if all.len() > MOST_NAMES {
            return Err(format!("there are more than {MOST_NAMES} modules and devices"));
        }
        if let Some(name) = self.modules.keys().find(|name| self.devices.contains_key(*name)) {
            return Err(format!("`{name}` is the name of a module and of a device"));
        }
        let mut text = String::from("#include \"streams/stream.h\"\n");
        let mut list = String::new();
        for ((name, table), kind) in all {
            let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !is_name(name) || !is_name(table) || table.is_empty() {
                return Err(format!("`{name} = {table}`: a name and a streamtab consist of letters, digits and `_`"));
            }
            if name.len() > LONGEST_NAME {
                return Err(format!("`{name}` is longer than {LONGEST_NAME} letters"));
            }
            text += &format!("extern struct streamtab {table};\n");
            list += &format!("    {{\"{name}\", &{table}, {kind}}},\n");
        }
        text +=
            "const struct str_foreign {\n    const char *name;\n    struct streamtab *streamtab;\n    int flags;\n}";
        Ok(Some(format!("{text} nacre_foreign[] = {{\n{list}    {{0, 0, 0}},\n}};\n")))
    }

    /// Reads a description file.
    pub fn read(path: &Path) -> Result<Description, String> {
        let trouble = |error: io::Error| format!("{}: {error}", path.display());
        let mut text = String::new();
        fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text)).map_err(trouble)?;
        if text.len() as u64 == LARGEST {
            return Err(format!("{} is too large for a description", path.display()));
        }
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// What the library of STREAMS routines takes of a capsule.
const MOST_NAMES: usize = 64;
const LONGEST_NAME: usize = 31;
/// Bytes of a description file.
const LARGEST: u64 = 1 << 20;

/// The files below a folder that match some of the patterns; an error names a pattern that no file matches.
pub fn matches(folder: &Path, patterns: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    for pattern in patterns {
        let wrong = |words: String| format!("the pattern `{pattern}`: {words}");
        if Path::new(pattern).is_absolute() {
            return Err(wrong("it is to be relative to the folder".into()));
        }
        let parts: Vec<&str> = pattern.split('/').collect();
        let deep = parts.iter().position(|part| *part == "**").unwrap_or(parts.len());
        let start: String = parts[..deep].iter().map(|part| format!("/{part}")).collect();
        let whole = format!("{}{start}", glob::Pattern::escape(&folder.display().to_string()));
        let paths = glob::glob(&whole).map_err(|error| wrong(error.to_string()))?.flatten();
        let before = found.len();
        if deep == parts.len() {
            found.extend(paths.filter(|path| path.is_file()));
        } else {
            let rest = glob::Pattern::new(&parts[deep..].join("/")).map_err(|error| wrong(error.to_string()))?;
            for start in paths.filter(|path| path.is_dir()) {
                walk(&start, &start, &rest, &mut found)?;
            }
        }
        if found.len() == before {
            return Err(format!("no file below {} matches `{pattern}`", folder.display()));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Adds the files below a folder whose path below `start` matches. Links to folders are not followed: they may lead
/// back, or out of the tree.
fn walk(folder: &Path, start: &Path, pattern: &glob::Pattern, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let options = glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
    let trouble = |error: io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(trouble)? {
        let entry = entry.map_err(trouble)?;
        let path = entry.path();
        if entry.file_type().map_err(trouble)?.is_dir() {
            walk(&path, start, pattern, found)?;
        } else if pattern.matches_path_with(path.strip_prefix(start).unwrap_or(&path), options) && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}
