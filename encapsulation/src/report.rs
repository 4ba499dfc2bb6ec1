//! What stands in the way of an import, and what is doubtful: from the words of the compiler and the symbols of
//! objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::overlays::Overlay;

/// Names, each with the files that ask for it.
pub type Asked = BTreeMap<String, BTreeSet<String>>;

/// What was found in a foreign source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Headers that neither the source nor the environment has.
    pub headers: Asked,
    /// Functions and data that nobody provides.
    pub services: Asked,
    /// Services that the environment provides in part, or not at all, each with its remark.
    pub remarks: BTreeMap<String, String>,
    /// Errors of the compiler, other than missing headers: file, line and words.
    pub errors: Vec<String>,
    /// Places that keep a pointer in fewer bits than it has, or make one of too few: such code was written for
    /// processors whose pointers have the size of `int`.
    pub narrow: Vec<String>,
    /// Functions that are called without a declaration, so that they are taken to return `int`.
    pub undeclared: Asked,
    /// Structures with pointers that packets are cast to.
    pub overlays: Vec<Overlay>,
}

/// The flags that make gcc report what `read` recognizes, whatever the flags before them say.
pub const FLAGS: [&str; 7] = [
    "-fdiagnostics-color=never",
    "-fdiagnostics-plain-output",
    "-Wno-error",
    "-Wpointer-to-int-cast",
    "-Wint-to-pointer-cast",
    "-Wint-conversion",
    "-Wimplicit-function-declaration",
];

const MISSING_HEADER: &str = ": No such file or directory";
const NARROW: [&str; 3] = ["[-Wpointer-to-int-cast]", "[-Wint-to-pointer-cast]", "[-Wint-conversion]"];

impl Report {
    /// Whether the source cannot be imported.
    pub fn is_fatal(&self) -> bool {
        !(self.headers.is_empty() && self.services.is_empty() && self.errors.is_empty())
    }

    /// Adds what gcc said of a file. `trim` is removed from the beginning of paths.
    pub fn read(&mut self, file: &str, words: &str, trim: &str) {
        for line in words.lines() {
            let line = line.strip_prefix(trim).unwrap_or(line);
            if let Some((_, rest)) = line.split_once(": fatal error: ") {
                match rest.strip_suffix(MISSING_HEADER) {
                    Some(header) => drop(self.headers.entry(header.into()).or_default().insert(file.into())),
                    None => self.errors.push(line.into()),
                }
            } else if line.contains(": error: ") {
                self.errors.push(line.into());
            } else if NARROW.iter().any(|kind| line.ends_with(kind)) {
                self.narrow.push(line.into());
            } else if line.ends_with("[-Wimplicit-function-declaration]") {
                let name = line.split(['‘', '\'']).nth(1).and_then(|rest| rest.split(['’', '\'']).next());
                self.undeclared.entry(name.unwrap_or(line).into()).or_default().insert(file.into());
            }
        }
        self.narrow.sort();
        self.narrow.dedup();
    }
}

/// Headers of packets must not have them; what is only kept in buffers, such as protocol control blocks, may.
const OVERLAYS: &str = "pointers and `long` in structures that data of buffers is cast to";

/// The most lines of one kind that are shown.
const SHOWN: usize = 20;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names(f, "headers that are missing", &self.headers)?;
        lines(f, "errors of the compiler", &self.errors)?;
        names(f, "functions and data that are missing", &self.services)?;
        let remarks: Vec<String> = self.remarks.iter().map(|(name, remark)| format!("{name}: {remark}")).collect();
        lines(f, "services with limits", &remarks)?;
        lines(f, "pointers in fewer bits than they have", &self.narrow)?;
        names(f, "functions that are called without a declaration", &self.undeclared)?;
        let overlays: Vec<String> = self.overlays.iter().map(Overlay::to_string).collect();
        lines(f, OVERLAYS, &overlays)
    }
}

fn names(f: &mut fmt::Formatter<'_>, title: &str, asked: &Asked) -> fmt::Result {
    let line = |(name, files): (&String, &BTreeSet<String>)| {
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let more = files.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{name} ({}{more})", files[..files.len().min(3)].join(", "))
    };
    lines(f, title, &asked.iter().map(line).collect::<Vec<String>>())
}

fn lines(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}: {}", lines.len())?;
    for line in lines.iter().take(SHOWN) {
        writeln!(f, "  {line}")?;
    }
    match lines.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(f, "  and {more} more"),
    }
}
