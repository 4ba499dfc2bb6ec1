//! Proofs about the code of a stack, the lemmas on which verification depends, and the solvers that prove them.
//!
//! - [`obligations`]: what has to be shown of the handlers of a stack, as problems for solvers;
//! - [`inference`]: invariants that no layer states, from [`atoms`], [`candidates`] and [`houdini`];
//! - [`bypasses`]: proofs of the bypasses of a stack;
//! - [`replays`]: events that show in the interpreter what is wrong with one, from [`cases`] of what solvers refute;
//! - [`cnf`]: goals as formulas for solvers of another kind, whose proofs can be checked;
//! - [`certificates`]: proofs that a small program checks;
//! - [`solvers`]: runs z3 and cvc5 on problems;
//! - [`sequence_numbers`]: the lemma about numbers that wrap.

pub mod atoms;
pub mod bypasses;
pub mod candidates;
pub mod cases;
pub mod certificates;
pub mod cnf;
pub mod houdini;
pub mod inference;
mod models;
pub mod obligations;
pub mod replays;
pub mod sequence_numbers;
pub mod solvers;
pub mod threads;
