//! Code whose results the generator knows: an independent oracle for the semantics of a source.
//!
//! A mistake before the stack IR affects all machines alike, so a comparison of machines cannot find it. Here the
//! generator writes code with known inputs as a tree ([`code`]), runs it itself ([`run`]), and adds comparisons with
//! its results (`count wrong`). It uses no part of the compiler.

// What the lint suggests does not compile: `Generator::one` infers its type from the dereference.
#![allow(clippy::explicit_auto_deref)]

mod code;
mod expressions;
mod known;
mod run;
mod statements;
mod worker;

pub use worker::{FAITHFUL, UNLIKE, WRONG};
