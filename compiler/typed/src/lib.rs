//! Syntax tree to typed layers: names, types, the use of messages.
//!
//! [`Program`] is all files of a program together. [`Program::tree`] types one layer with its parameters filled in
//! ([`tree`]); [`Program::instantiate`] also lowers it to a [`Fragment`] of the stack IR ([`lower`]), if nothing is
//! wrong.

mod aggregates;
mod assignments;
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
mod checker;
mod configurations;
mod constants;
mod containers;
mod convert;
mod duplicates;
mod emissions;
mod expressions;
mod extent;
mod externs;
mod failing;
mod fields;
mod filters;
mod flow;
mod fragment;
mod growth;
mod handlers;
mod headers;
mod heads;
mod host;
mod instantiate;
mod interfaces;
mod inverses;
mod items;
mod layer;
mod limits;
mod loops;
mod lost_headers;
mod lower;
mod membership;
mod messages;
mod operators;
mod outdated;
mod own_headers;
mod places;
mod program;
mod promises;
mod recovery;
mod roles;
mod statements;
mod through;
mod timers;
pub mod tree;
mod types;
mod variation;
mod walks;

pub use convert::fits;
pub use fragment::*;
pub use program::Program;
pub use variation::{Override, Variation};
