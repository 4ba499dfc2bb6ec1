//! Text to tokens to syntax tree, and the formatter.

pub mod ast;
mod errors;
pub mod foreign;
mod format;
pub mod lexer;
mod limits;
mod parser;
pub mod token;

pub use errors::CODES;
pub use format::format;
pub use limits::LONGEST;

use nacre_diagnostics::{Diagnostic, SourceId};

/// Parses a text. Erroneous parts are omitted from the tree and reported in the diagnostics, in the order of the file.
///
/// ```
/// let text = "worker nothing { down send(m) { pass; } }";
/// let (file, found) = nacre_syntax::parse(nacre_diagnostics::SourceId(0), text);
/// assert!(found.is_empty());
/// assert_eq!(file.items.len(), 1);
/// ```
pub fn parse(source: SourceId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    let (file, _, found) = parser::parse(source, text);
    (file, found)
}
