//! The emitted text in parts, so that readers can skip the parts that every stack has.

use crate::code::Code;

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

/// A part while it is written.
pub(crate) struct Section {
    content: Content,
    code: Code,
}

impl Section {
    pub(crate) fn new(content: Content, text: impl AsRef<str>) -> Section {
        Section::of(content, Code::verbatim(text.as_ref()))
    }

    pub(crate) fn of(content: Content, code: Code) -> Section {
        Section { content, code }
    }

    /// Without the lines that depend on the preceding text.
    pub(crate) fn part(self) -> Part {
        Part { content: self.content, text: self.code.text() }
    }
}

/// Joins parts to a file.
pub(crate) fn join(sections: &[Section], file: &str) -> String {
    let mut lines = 0;
    sections.iter().map(|section| section.code.render(Some(file), &mut lines)).collect()
}
