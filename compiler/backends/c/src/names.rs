//! C names for the named parts of a stack.

use std::collections::HashSet;
use std::sync::LazyLock;

use nacre_stack::*;

/// Names that the emitted text itself declares in every scope.
const OWN: &str = "step s out event state pool counters now data len seed config bytes node block view waiting addr";

/// Makes a valid C identifier: letters, digits and `_`.
pub fn plain(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// Makes a text of the source safe within a comment.
pub fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ")
}

/// A comment of one line.
pub fn comment(text: &str) -> String {
    format!("/* {} */", in_comment(text))
}

/// Makes a text of the source safe within a string literal of C.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Gives each name once, in a scope of C: a struct, a function.
pub struct Unique {
    /// The names given in this scope. Reserved in every scope: see `is_reserved`.
    taken: HashSet<String>,
    /// In capitals: what names at the top of the files begin with.
    prefix: String,
}

impl Unique {
    /// A scope in a file of a stack with a prefix.
    pub fn new(prefix: &str) -> Unique {
        Unique { taken: HashSet::new(), prefix: format!("{prefix}_").to_uppercase() }
    }

    /// Names that the text of the scope declares itself.
    pub fn without(mut self, own: &str) -> Unique {
        self.taken.extend(own.split_whitespace().map(str::to_string));
        self
    }

    /// Names that are not given any more.
    pub fn reserve(&mut self, names: &HashSet<String>) {
        self.taken.extend(names.iter().cloned());
    }

    /// The names given in this scope.
    pub fn taken(&self) -> impl Iterator<Item = &String> {
        self.taken.iter()
    }

    /// Returns an unused C name for `name`, and reserves it: no reserved word, library name or name of the stack
    /// itself.
    pub fn take(&mut self, name: &str) -> String {
        let mut text = plain(name);
        // `_x`, `x_t` and `X_MAX` are of C and its libraries, `nacre_x` is of our header, `<prefix>_x` of the file.
        let of_file = text.to_uppercase().starts_with(&self.prefix);
        let of_library = text.starts_with('_') || text.ends_with("_t") || is_limit(&text);
        if of_library || text.to_lowercase().starts_with("nacre") || of_file {
            text.insert_str(0, if text.starts_with('_') { "x" } else { "x_" });
        }
        let base = text.clone();
        let mut n = 2;
        while is_reserved(&text) || !self.taken.insert(text.clone()) {
            text = format!("{base}_{n}");
            n += 1;
        }
        text
    }
}

/// Whether C, its headers or the emitted text itself use this name.
fn is_reserved(name: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> =
        LazyLock::new(|| words_of_c::in_headers().chain(OWN.split_whitespace()).collect());
    ALL.contains(name)
}

/// Whether a name is, or can become, a macro of `stdint.h`: `UINT8_MAX`, `INT64_C`.
fn is_limit(name: &str) -> bool {
    let ends = ["_MAX", "_MIN", "_C", "_WIDTH"].into_iter().any(|end| name.ends_with(end));
    ends && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// `up`, `down`.
pub fn direction(event: &Event) -> &'static str {
    match event.direction {
        Direction::Up => "up",
        Direction::Down => "down",
    }
}

/// All names of a list, made unique.
pub fn all<'n>(prefix: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut unique = Unique::new(prefix);
    names.map(|n| unique.take(n)).collect()
}

/// For each of the values the names within its own group.
pub fn grouped<'n>(prefix: &str, groups: usize, names: impl Iterator<Item = (usize, &'n str)>) -> Vec<String> {
    let mut unique: Vec<Unique> = (0..groups).map(|_| Unique::new(prefix)).collect();
    names.map(|(group, name)| unique[group].take(name)).collect()
}

/// A template with the prefix of a stack in front of its names, which are written `@_name`.
pub fn with_prefix(text: &str, prefix: &str) -> String {
    text.replace("@_", &format!("{prefix}_"))
}
