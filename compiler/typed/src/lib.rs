//! Syntax tree to typed layers: names, types, message use; gives each layer as a fragment of the stack IR.
//!
//! [`Program`] is all files of a program together. [`Program::instantiate`] checks one layer with its parameters filled in
//! and lowers it. Types and bodies are expressed in the language of the stack IR from the start (docs/decisions/001), so that
//! what is checked and what is composed are one thing.

mod automata;
mod blocks;
mod body;
mod borrows;
mod bounded;
mod builtins;
mod call_graph;
mod calls;
mod cells;
mod changes;
mod configurations;
mod constants;
mod containers;
mod convert;
mod expressions;
mod extent;
mod externs;
mod failing;
mod filters;
mod flow;
mod fragment;
mod handlers;
mod headers;
mod host;
mod inlined;
mod layer;
mod loops;
mod operators;
mod places;
mod program;
mod promises;
mod roles;
mod statements;
mod timers;
mod types;
mod variation;
mod walks;

pub use fragment::*;
pub use program::Program;
pub use variation::{Override, Variation};
