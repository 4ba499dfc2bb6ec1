//! Text to tokens to syntax tree, and the formatter.
pub mod ast;
