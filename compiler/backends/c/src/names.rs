//! Names in C of what the stack names.

use std::collections::HashSet;

use nacre_stack::*;

const TAKEN: &str = "auto break case char const continue default do double else enum extern float for goto if inline int \
    long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while \
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t size_t memset memcpy memcmp \
    bool true false NULL step s out event asm typeof errno main state pool counters now data len seed config bytes node block view waiting addr";

/// Macros of compilers and of the C library, and the functions of it that emitted code calls.
const LIBRARY: &str =
    "linux unix i386 memcpy memset memcmp memmove offsetof alignas alignof noreturn complex static_assert \
    thread_local stdin stdout stderr";

/// A name that C takes: letters, digits and `_`.
pub fn plain(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// What the source says, so that it can stand in a comment.
pub fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace('\n', " ")
}

/// A comment of one line.
pub fn comment(text: &str) -> String {
    format!("/* {} */", in_comment(text))
}

/// What the source says, so that it can stand in a string of C.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Gives each name once.
pub struct Unique(HashSet<String>);

impl Unique {
    pub fn new() -> Unique {
        Unique(TAKEN.split_whitespace().chain(LIBRARY.split_whitespace()).map(str::to_string).collect())
    }

    pub fn take(&mut self, name: &str) -> String {
        let mut text = plain(name);
        // `_x` and `x_t` are of C and its libraries, `nacre_x` is of our header.
        if text.starts_with('_') || text.ends_with("_t") || text.starts_with("nacre") {
            text.insert_str(0, if text.starts_with('_') { "x" } else { "x_" });
        }
        let base = text.clone();
        let mut n = 2;
        while !self.0.insert(text.clone()) {
            text = format!("{base}_{n}");
            n += 1;
        }
        text
    }
}

/// `up`, `down`.
pub fn direction(event: &Event) -> &'static str {
    match event.direction {
        Direction::Up => "up",
        Direction::Down => "down",
    }
}

/// All names of a list, made unique.
pub fn all<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut unique = Unique::new();
    names.map(|n| unique.take(n)).collect()
}

/// For each of the values the names within its own group.
pub fn grouped<'n>(groups: usize, names: impl Iterator<Item = (usize, &'n str)>) -> Vec<String> {
    let mut unique: Vec<Unique> = (0..groups).map(|_| Unique::new()).collect();
    names.map(|(group, name)| unique[group].take(name)).collect()
}

/// A template with the prefix of a stack in front of its names, which are written `@_name`.
pub fn with_prefix(text: &str, prefix: &str) -> String {
    text.replace("@_", &format!("{prefix}_"))
}
