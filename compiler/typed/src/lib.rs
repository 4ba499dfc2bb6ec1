//! Syntax tree to typed layers: names, types, message use; gives each layer as a fragment of the stack IR.

mod fragment;
pub use fragment::*;
