//! Writes a stack as C: sans-I/O, freestanding C11, readable, with `#line` back to the layers.
//!
//! What the text looks like is told where it is written: [`messages`] for messages, `support/pool.c` for their bytes,
//! [`events`] for the queue and what replaces it at each [`Level`], [`wire`] for frames, [`entries`] for the host's side.

mod actions;
mod body;
mod calls;
mod canonical;
mod check;
mod code;
mod containers;
mod descriptor;
mod entries;
mod events;
mod expressions;
mod externs;
mod filters;
mod globals;
mod graphs;
mod header;
mod homes;
mod input;
mod instances;
mod leaves;
mod levels;
mod lifetimes;
mod loops;
mod messages;
mod names;
mod opening;
mod operations;
mod operators;
mod outputs;
mod packing;
mod parsing;
mod parts;
mod places;
mod queries;
mod queue;
mod sets;
mod source;
mod statements;
mod strings;
mod table_calls;
mod telling;
mod template;
mod term;
mod timers;
mod types;
mod views;
mod walks;
mod wire;
mod writer;

use nacre_stack::normal::normal;
use nacre_stack::{Span, Stack};

pub use parts::{Content, Part};

/// How the events of one step reach the layers. The wire and the behaviour are the same at each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Through a queue; a scheduler calls the layers.
    Queue,
    /// By calls, where `Emit.call` is set.
    Call,
    /// One function for each outside event; what is unlikely is outlined.
    Inline,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Queue, Level::Call, Level::Inline];

    pub fn name(self) -> &'static str {
        match self {
            Level::Queue => "queue",
            Level::Call => "call",
            Level::Inline => "inline",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    /// In front of every name, and the name of the files; none: the stack's. Several levels of a stack can so be linked together.
    pub prefix: Option<String>,
    /// `#line` directives.
    pub lines: bool,
    /// For checkers, which try several: a number drawn at random is asked of `uint64_t <prefix>_drawn(uint64_t below)`, which whoever
    /// takes the text in must have declared.
    pub asks_draws: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { prefix: None, lines: true, asks_draws: false }
    }
}

/// The text of a stack in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// For `<prefix>.h`.
    pub header: String,
    /// For `<prefix>.c`.
    pub source: String,
    /// The parts of the header, then those of the source, in order. Joined, they are the two files, except for the `#line`
    /// directives that return to the numbering of the file itself.
    pub parts: Vec<Part>,
}

/// Where a piece of a layer's source stands: file, line.
pub type Sources<'a> = &'a dyn Fn(Span) -> Option<(String, u32)>;

pub fn write(stack: &Stack, level: Level, sources: Sources) -> Emitted {
    write_with(stack, level, sources, Options::default())
}

pub fn write_with(stack: &Stack, level: Level, sources: Sources, options: Options) -> Emitted {
    writer::Writer::new(&normal(stack), level, options, sources).write()
}

/// What the names of a stack's C begin with, unless an option says otherwise.
pub fn prefix(stack: &Stack) -> String {
    names::plain(&stack.name)
}

/// What a checker needs beside the stack: one more source, `<prefix>_check.c`, which includes `<prefix>.c` as it is. The head of
/// `nacre_check.h`, which is a part of the text, says what is in it.
pub fn write_check(stack: &Stack, level: Level, options: Options) -> String {
    let stack = normal(stack);
    let mut writer = writer::Writer::new(&stack, level, options, &|_| None);
    writer.write();
    writer.check()
}
