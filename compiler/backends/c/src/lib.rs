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
mod emitted;
mod entries;
mod events;
mod expressions;
mod externs;
mod filters;
mod functions;
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
mod naming;
mod opening;
mod operations;
mod operators;
mod outputs;
mod packing;
mod parsing;
mod parts;
mod places;
mod plan;
mod queries;
mod queue;
mod sets;
mod slots;
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
use nacre_stack::Stack;

pub use emitted::{Emitted, Level, Options, Sources};
pub use parts::{Content, Part};

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
