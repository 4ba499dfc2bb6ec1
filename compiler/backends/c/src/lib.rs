//! Writes a stack as C: sans-I/O, freestanding C11, readable, with `#line` back to the layers.
//!
//! The modules that write a part of the text describe it: [`messages`] the messages, `support/pool.c` their bytes,
//! [`events`] the queue and what replaces it at each [`Level`], [`wire`] the frames, [`entries`] the host's side.
//!
//! **Optimizations are passes over the stack IR** (`compiler/optimize`); this crate prints their result. It puts in
//! place what is marked so, and for each node of the IR it selects C by the kinds and types of the operands alone: a
//! shift by a constant needs no function, a set of up to 64 elements is a number, an index whose type is in range needs
//! no comparison. No such choice looks at other statements, and none can change a result.
//!
//! **Views are borrowed in the IR**: they are valid for one statement and own no bytes. So there is nothing to decide
//! about copies or references; [`views`] only names the places where the bytes of an operand are, and writes numbers
//! and texts, which are not bytes yet, to temporary space of the statement (docs/decisions/022).

mod actions;
mod admission;
mod body;
mod bypasses;
mod calls;
mod canonical;
mod check;
mod choices;
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
mod heads;
mod homes;
mod input;
mod instances;
mod known;
mod leaves;
mod levels;
mod lifetimes;
mod loops;
mod messages;
mod models;
mod names;
mod naming;
mod opening;
mod operations;
mod operators;
mod orders;
mod outputs;
mod packing;
mod parsing;
mod parts;
mod places;
mod plan;
mod queries;
mod queue;
mod quick;
mod quick_frames;
mod remainders;
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
pub use header::INTERFACE;
pub use parts::{Content, Part};

/// Emits a stack as C with default options.
pub fn write(stack: &Stack, level: Level, sources: Sources) -> Emitted {
    write_with(stack, level, sources, Options::default())
}

/// Emits a stack as C; the stack is brought into its normal form first.
pub fn write_with(stack: &Stack, level: Level, sources: Sources, options: Options) -> Emitted {
    writer::Writer::new(&normal(stack), level, options, sources).write()
}

/// The prefix of all names in a stack's C, unless an option sets another.
pub fn prefix(stack: &Stack) -> String {
    names::plain(&stack.name)
}

/// Writes the additional source for checkers, `<prefix>_check.c`, which includes `<prefix>.c` unchanged. The head of
/// `nacre_check.h`, which is a part of the text, describes it.
pub fn write_check(stack: &Stack, level: Level, options: Options) -> String {
    let stack = normal(stack);
    let mut writer = writer::Writer::new(&stack, level, options, &|_| None);
    writer.write();
    writer.check()
}
