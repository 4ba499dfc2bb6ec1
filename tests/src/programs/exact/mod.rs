//! Code whose results the generator knows: an independent oracle for the semantics of a source.
//!
//! A mistake before the stack IR is the same for all that run the stack, so comparing them shows nothing. Here the
//! generator writes code of known inputs as a tree ([`code`]), runs it itself ([`run`]), and adds comparisons with what
//! it found (`count wrong`). It asks no part of the compiler.

mod code;
mod expressions;
mod known;
mod run;
mod statements;
mod worker;

pub use worker::{FAITHFUL, UNLIKE, WRONG};
