//! Stacks as text that people read and the reader reads back: `read(&print(stack)) == stack`.
//!
//! One item for each entry of a table, in the tables' order; one line for each statement. `%x` is a local, `@x` a
//! cell, `#3` an index where a name would not be clear; `'u32` is a type, written only where it does not follow from
//! the rest. The reader skips comments, from `//` to the end of the line; `samples/*.stack` are stacks that people
//! wrote.
//!
//! Spans of statements and expressions are written where they are asked for ([`print_with_spans`]), as
//! `@file:start..end` behind what they belong to: `set @next = (@next@0:40..44 + 1'seq32)@0:40..48; @0:33..49`.
//!
//! ```text
//! handler sequencer.down.send of sequencer event send locals [m'msg] params [%m] fields [] {
//!   emit layer floor send(push(%m, Seq, @next));
//!   set @next = (@next + 1'seq32);
//! }
//! ```

mod implied;
mod lexer;
mod names;
mod print;
mod print_code;
mod read;
mod read_code;
mod read_items;
mod read_links;
mod read_types;
mod spans;
mod words;

pub use print::{print, print_with_spans};
pub use read::{read, ReadError};
