//! The options of the C back end, and its result.

use nacre_stack::Span;

use crate::parts::Part;

/// How the events of one step reach the layers. The wire and the behaviour are the same at each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Through a queue; a scheduler calls the layers.
    Queue,
    /// By calls, where `Emit.call` is set.
    Call,
    /// One function for each outside event; what is unlikely is outlined.
    Inline,
    /// Common events by bypasses, the others by calls.
    Bypass,
}

impl Level {
    /// Every level.
    pub const ALL: [Level; 4] = [Level::Queue, Level::Call, Level::Inline, Level::Bypass];

    /// The name of a level on the command line and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Level::Queue => "queue",
            Level::Call => "call",
            Level::Inline => "inline",
            Level::Bypass => "bypass",
        }
    }

    /// Whether common events have code of their own, which is inlined.
    pub fn is_quick(self) -> bool {
        matches!(self, Level::Inline | Level::Bypass)
    }
}

/// How the C is written.
#[derive(Clone, Debug)]
pub struct Options {
    /// The prefix of every name, and the name of the files; none: the stack's name. With different prefixes, several
    /// levels of a stack can be linked together.
    pub prefix: Option<String>,
    /// `#line` directives.
    pub lines: bool,
    /// For checkers, which try several random numbers: they come from `uint64_t <prefix>_drawn(uint64_t below)`, which
    /// the including source must have declared.
    pub asks_draws: bool,
    /// For tests and checkers: models of their contracts replace functions of the host.
    pub models: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { prefix: None, lines: true, asks_draws: false, models: false }
    }
}

/// The text of a stack in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// For `<prefix>.h`.
    pub header: String,
    /// For `<prefix>.c`.
    pub source: String,
    /// The parts of the header, then those of the source, in order. Joined, they are the two files, except for the
    /// `#line` directives that return to the numbering of the file itself.
    pub parts: Vec<Part>,
}

/// Returns the file and line of a span.
pub type Sources<'a> = &'a dyn Fn(Span) -> Option<(String, u32)>;
