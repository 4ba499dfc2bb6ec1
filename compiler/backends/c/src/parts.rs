//! The emitted text in parts, so that a reader can leave out what every stack has.

use crate::code::Code;
use crate::source::HERE;

/// What a part of the text contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The comment that names the stack and the level, and the level as a macro.
    Title,
    /// The interface that every stack has: `nacre.h` as it is.
    Interface,
    /// Other text that is the same in every stack, except for the prefix and for sections that only some stacks need.
    Support,
    /// The bounds of the stack as macros, and the structs whose size they determine.
    Bounds,
    /// Types of messages, of the state, of values and of the configuration.
    Types,
    /// Prototypes.
    Prototypes,
    /// One function that layers need: to read or write headers, for a container, a filter.
    Helper,
    /// One function that runs layers: a handler, a function or the dispatch of an event.
    Layer,
    /// A function that begins a connection.
    Open,
    /// A function by which the host calls an event, or asks whether it would be accepted.
    Call,
    /// The function that takes a frame, and what only it needs.
    Input,
    /// The functions that find and fire what is due.
    Timers,
    /// A function over the whole state.
    State,
    /// Constant data that describes the stack.
    Descriptor,
}

/// A part of the header or source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub content: Content,
    pub text: String,
}

impl Part {
    pub(crate) fn new(content: Content, text: impl Into<String>) -> Part {
        Part { content, text: text.into() }
    }

    pub(crate) fn of(content: Content, code: Code) -> Part {
        Part::new(content, code.text)
    }
}

/// Joins parts to a file and puts the line numbers of the file itself where they are asked for.
pub fn join(parts: &[Part], file: &str) -> String {
    let text: String = parts.iter().map(|part| part.text.as_str()).collect();
    let mut result = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if line == HERE {
            result.push_str(&format!("#line {} \"{file}\"\n", index + 2));
        } else {
            result.push_str(line.trim_end());
            result.push('\n');
        }
    }
    result
}

/// The parts without the places of line numbers.
pub fn unnumbered(parts: Vec<Part>) -> Vec<Part> {
    let without = |text: &str| -> String {
        let lines = text.lines().filter(|line| *line != HERE);
        lines.map(|line| format!("{}\n", line.trim_end())).collect()
    };
    parts.into_iter().map(|part| Part { text: without(&part.text), ..part }).collect()
}
