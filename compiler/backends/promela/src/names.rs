//! Names that Promela, the C that SPIN makes of it, and we ourselves do not use otherwise.

/// Words of Promela and of C, and macros of pan.c, that a field or a variable must not be called.
const TAKEN: &[&str] = &[
    "active", "assert", "atomic", "auto", "bit", "bool", "break", "byte", "case", "chan", "char", "const", "continue",
    "d_step", "default", "do", "double", "else", "empty", "enabled", "end", "enum", "eval", "extern", "false", "fi",
    "float", "for", "full", "goto", "hidden", "if", "in", "init", "inline", "int", "len", "local", "long", "ltl", "me",
    "mtype", "nempty", "never", "nfull", "notrace", "now", "np_", "od", "of", "pc_value", "pid", "printf", "printm",
    "priority", "proctype", "provided", "register", "return", "run", "select", "short", "show", "signed", "sizeof",
    "skip", "static", "struct", "switch", "timeout", "trace", "true", "typedef", "union", "unless", "unsigned", "void",
    "volatile", "while", "xr", "xs", "this", "nr_pr", "last", "unix", "linux",
];

/// Types, inlines and macros of the model.
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
];

/// Letters of a name; SPIN has little room for what is made of several.
const LONGEST: usize = 32;

/// A name as a field or an inline. A long one is cut, and numbered by what it was.
pub fn clean(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
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
    if TAKEN.contains(&text.as_str()) || OURS.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// A name as a constant.
pub fn constant(name: &str) -> String {
    clean(name).to_uppercase()
}
