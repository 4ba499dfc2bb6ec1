//! Unique names that clash neither with words of Promela or C nor with names that SPIN or this back end generates.

use std::cell::RefCell;
use std::collections::HashMap;

/// Words of Promela and C, and macros of pan.c, which fields and variables cannot have as names.
const TAKEN: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "auto",
    "bit",
    "bool",
    "break",
    "byte",
    "case",
    "chan",
    "char",
    "const",
    "continue",
    "d_step",
    "default",
    "do",
    "double",
    "else",
    "empty",
    "enabled",
    "end",
    "enum",
    "eval",
    "extern",
    "false",
    "fi",
    "float",
    "for",
    "full",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "long",
    "ltl",
    "me",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "now",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "register",
    "return",
    "run",
    "select",
    "short",
    "show",
    "signed",
    "sizeof",
    "skip",
    "static",
    "struct",
    "switch",
    "timeout",
    "trace",
    "true",
    "typedef",
    "union",
    "unless",
    "unsigned",
    "void",
    "volatile",
    "while",
    "xr",
    "xs",
    "this",
    "nr_pr",
    "last",
    "unix",
    "linux",
    "restrict",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "get_priority",
    "set_priority",
    "single",
    // Macros of verifiers.
    "bfs_do_store",
    "cas",
    "enter_critical",
    "final",
    "get16bits",
    "get_permuted",
    "getframe",
    "grab_state",
    "iam_alive",
    "leave_critical",
    "max",
    "maxseq0",
    "minseq0",
    "mix",
    "onstack_now",
    "onstack_put",
    "onstack_zap",
    "pptr",
    "pthread_equal",
    "q_sz",
    "qptr",
    "rand",
    "rot",
    "uchar",
    "uint",
    "ulong",
    "ushort",
    "wasnew",
];

/// Types, inlines, macros and processes of every model.
const OURS: &[&str] = &[
    "message",
    "data",
    "frame",
    "event",
    "buffer",
    "wide",
    "end_state",
    "end_given",
    "check_invariants",
    "first_numbers",
    "first_state",
    "next_event",
    "open",
    "rest",
    "slice",
    "put_byte",
    "queued",
    "turn_bit",
    "fair",
    "endpoint",
    "network",
    "watch",
];

/// The maximum length of a name; SPIN limits the text that it builds from several.
const LONGEST: usize = 32;

/// Returns a name as a field or an inline.
pub fn clean(name: &str) -> String {
    let mut text = letters(name);
    // Names in capitals are those of macros, and of parameters of inlines: both are replaced everywhere.
    let is_capital = !text.contains(|c: char| c.is_ascii_lowercase());
    if TAKEN.contains(&text.as_str()) || OURS.contains(&text.as_str()) || is_capital {
        text.push('_');
    }
    text
}

/// Reduces a name to letters, digits and underscores. A long one is truncated, and a hash of the original is appended.
fn letters(name: &str) -> String {
    // SPIN does not accept some names with two underscores in a row, and one may be appended.
    let (mut text, mut behind) = (String::new(), false);
    for letter in name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).chain(['\0']) {
        if behind && !letter.is_ascii_alphanumeric() {
            text.push('x');
        }
        behind = letter == '_';
        text.extend(Some(letter).filter(|letter| *letter != '\0'));
    }
    if text.len() > LONGEST {
        // FNV-1a.
        let number =
            name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        text.truncate(LONGEST - 9);
        text += &format!("_{number:08x}");
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '_') || text.is_empty() {
        text.insert(0, 'x');
    }
    text
}

/// Returns a name as a constant.
pub fn constant(name: &str) -> String {
    letters(name).to_uppercase()
}

/// Macros of every model, which constants cannot have as names.
const MACROS: &[&str] = &[
    "MY",
    "GIVEN",
    "OPEN",
    "LATER",
    "QUEUE",
    "TOP",
    "BELOW",
    "SHIFTED",
    "HALVES",
    "DIVIDED",
    "COPY_MESSAGE",
    "SAME_MESSAGE",
    "CLEAR_MESSAGE",
    "MESSAGE_BEFORE",
    "COPY_FRAME",
    "SAME_FRAME",
    "CLEAR_FRAME",
    "FRAME_BEFORE",
    "COPY_DATA",
    "SAME_DATA",
    "CLEAR_DATA",
    "DATA_BEFORE",
];

/// A namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Constants,
    Inlines,
    Types,
    Layers,
    Hidden,
    /// Fields of messages.
    Message,
    /// Cells of a layer.
    Cells(u32),
    /// Fields of a struct.
    Struct(u32),
}

/// The names in use, and what each one denotes.
#[derive(Default)]
pub struct Names(RefCell<HashMap<(Scope, String), String>>);

impl Names {
    /// Returns the name for a thing: the wanted one, or the next one that is unused; always the same for the same
    /// thing.
    pub fn name(&self, scope: Scope, wanted: String, thing: impl Into<String>) -> String {
        let (mut known, thing) = (self.0.borrow_mut(), thing.into());
        let free = |name: &String| scope != Scope::Constants || !MACROS.contains(&name.as_str());
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut candidates = std::iter::once(wanted.clone()).chain(numbered).filter(free);
        let found = candidates.find(|name| known.get(&(scope, name.clone())).is_none_or(|of| *of == thing));
        let name = found.expect("numbers do not end");
        known.insert((scope, name.clone()), thing);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_objects_have_different_names() {
        let names = Names::default();
        let constant = |wanted: &str, thing: &str| names.name(Scope::Constants, constant(wanted), thing);
        assert_eq!([constant("ack", "a"), constant("Ack", "b"), constant("ACK", "c")], ["ACK", "ACK_2", "ACK_3"]);
        assert_eq!([constant("ack", "a"), constant("ACK", "c"), constant("Ack", "b")], ["ACK", "ACK_3", "ACK_2"]);
        assert_eq!([constant("open", "d"), constant("copy_data", "e")], ["OPEN_2", "COPY_DATA_2"], "ours");
        let cell = |name: &str| names.name(Scope::Cells(0), clean(name), name);
        assert_ne!(cell("run"), cell("run_"));
        assert_ne!(cell("X"), "X", "it would be replaced in an inline");
        let other = names.name(Scope::Cells(1), clean("run"), "run");
        assert_eq!(other, "run_", "each layer has its own");
    }
}
