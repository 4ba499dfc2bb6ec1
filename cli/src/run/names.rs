//! Names of files: what may be printed of them, and what may be created of those that a peer chooses.

use std::path::Path;

/// The limit of a file's name, in bytes.
pub const NAME_MAX: usize = 255;
/// The limit of a path on the wire, in bytes.
const PATH_MAX: usize = 4096;
/// The limit of the components of a path.
pub const DEPTH: usize = 64;
/// How names of files in progress begin. No name that a peer chooses begins like that.
pub const PREFIX: &str = ".nacre-";

/// Whether a character commands a terminal or changes how the text around it is read: control characters, breaks of
/// lines, marks of direction, and the invisible characters of Unicode (`Default_Ignorable_Code_Point`). Joiners and
/// selectors of variants are no commands: words of several languages, and emoji, are written with them.
fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        )
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}')
        || matches!(c, '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// A text without characters that command the terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if is_command(c) { '_' } else { c }).collect()
}

/// A line of a peer without these characters; tabs stay.
pub fn line(text: &str) -> String {
    text.chars().filter(|c| *c == '\t' || !is_command(*c)).collect()
}

/// A path as it is printed.
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The longest beginning of a text that has at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A name that is safe to create in the output folder: no path, nothing that commands a terminal, not hidden, no option
/// of a program, at most `NAME_MAX` bytes.
pub fn safe(name: &str) -> String {
    finished(clean(name).trim_start_matches(|c: char| c == '.' || c.is_whitespace()))
}

/// The same in a folder that was made for the tree of a sender: there, names may be hidden, but are none of files in
/// progress.
pub fn safe_below(name: &str) -> String {
    let name = clean(name);
    match name.strip_prefix(PREFIX) {
        Some(rest) => finished(&format!("_nacre-{rest}")),
        None => finished(&name),
    }
}

fn clean(name: &str) -> String {
    let clean: String = name.chars().map(|c| if is_command(c) || matches!(c, '/' | '\\') { '_' } else { c }).collect();
    clean.trim().to_string()
}

fn finished(name: &str) -> String {
    let name = match name {
        "" | "." | ".." => "file".to_string(),
        name => match name.strip_prefix('-') {
            Some(rest) => format!("_{rest}"),
            None => name.to_string(),
        },
    };
    cut(&name, NAME_MAX).trim_end().to_string()
}

/// The components of a path that a sender states. None: it is no path below a folder.
pub fn components(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = path.split('/').collect();
    let is_name = |part: &&str| !matches!(*part, "" | "." | "..");
    (path.len() <= PATH_MAX && parts.len() <= DEPTH && parts.iter().all(is_name)).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(safe("/etc/passwd"), "_etc_passwd");
        assert_eq!(safe("../.."), "_..");
        assert_eq!(safe("..\\.profile"), "_.profile");
        assert_eq!(["", ".", "..", " ..", " . ", ". ."].map(safe), ["file"; 6]);
        assert_eq!(["", ".", "..", ".. ", "\u{a0}.."].map(safe_below), ["file"; 5]);
        for path in ["", "/", "/etc", "a//b", "a/", "a/../b", "..", "./a", "a/."] {
            assert_eq!(components(path), None, "{path:?}");
        }
        assert_eq!(components("a/.b/c"), Some(vec!["a", ".b", "c"]));
        assert_eq!(components(&"a/".repeat(DEPTH)), None);
        assert_eq!(components(&"x".repeat(PATH_MAX + 1)), None);
    }

    #[test]
    fn invisible_characters_are_replaced_and_joiners_are_not() {
        let short = "\u{ad}\u{34f}\u{61c}\u{115f}\u{17b4}\u{180e}\u{200b}\u{200e}\u{202e}\u{2060}\u{3164}\u{feff}";
        let long = "\u{ffa0}\u{fff9}\u{1d173}\u{e0001}\u{e007f}";
        for c in short.chars().chain(long.chars()) {
            assert_eq!((safe(&format!("a{c}b")), printable(&c.to_string())), ("a_b".into(), "_".into()), "{c:?}");
            assert_eq!(line(&format!("a\t{c}b")), "a\tb", "{c:?}");
        }
        for visible in ["\u{645}\u{6cc}\u{200c}\u{62e}", "\u{1f468}\u{200d}\u{1f469}", "\u{2764}\u{fe0f}"] {
            assert_eq!((safe(visible), line(visible)), (visible.into(), visible.into()));
        }
    }

    #[test]
    fn names_do_not_begin_with_a_dot() {
        for hidden in [" .profile", ". .profile", "\u{a0}.profile", ".. ..profile "] {
            assert_eq!(safe(hidden), "profile", "{hidden:?}");
        }
        // They would be taken for files in progress.
        assert_eq!(safe(" .nacre-0123.part"), "nacre-0123.part");
        assert_eq!(safe_below(" .nacre-0123.part"), "_nacre-0123.part");
        assert_eq!(safe_below(".gitignore"), ".gitignore");
    }

    #[test]
    fn names_neither_command_a_terminal_nor_look_like_options() {
        assert_eq!(safe("a\u{1b}[2Jb\n"), "a_[2Jb_");
        assert_eq!(safe("exe.\u{202e}txt"), "exe._txt");
        assert_eq!(["-rf", "--help", "..-x", "-"].map(safe), ["_rf", "_-help", "_x", "_"]);
        assert_eq!(safe_below("-rf"), "_rf");
        for mark in "\u{7f}\u{85}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{2066}\u{2069}\u{feff}".chars() {
            assert_eq!(safe(&format!("a{mark}b")), "a_b");
            assert_eq!(printable(&format!("-{mark}")), "-_");
        }
    }

    #[test]
    fn names_are_cut_at_a_character() {
        assert_eq!(safe(&"x".repeat(255)), "x".repeat(255));
        assert_eq!(safe(&"ü".repeat(128)), "ü".repeat(127));
        assert_eq!(safe_below(&"x".repeat(300)).len(), 255);
    }
}
