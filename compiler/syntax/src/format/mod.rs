//! The formatter: one layout, with four spaces and 120 columns; comments are kept.
//!
//! The formatter moves tokens and never changes them, except for the comma after the last part of a list. Tokens that
//! fit on one line and may share it do so. Of the author's line breaks, only those within a block, those after the `{`
//! of a list of fields, and empty lines are kept.

mod align;
mod bodies;
mod lines;
mod sequences;
mod source;
mod spaces;

use nacre_diagnostics::{Diagnostic, SourceId};

use lines::Lines;
use source::Source;

/// Formats a source, or returns the errors that prevent it.
///
/// ```
/// let text = "worker   x{down send( m ) {pass;}}";
/// assert_eq!(nacre_syntax::format(text).unwrap(), "worker x { down send(m) { pass; } }\n");
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (_, (lexed, roles), found) = crate::parser::parse(SourceId(0), text);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    let source = Source::new(text, lexed, roles);
    let mut printer = Printer { source: &source, lines: Lines::default(), next_comment: 0 };
    printer.file();
    Ok(align::align(printer.lines.finish()))
}

/// Prints the tokens of a source in order.
struct Printer<'a> {
    source: &'a Source<'a>,
    lines: Lines,
    /// The first comment not yet printed.
    next_comment: usize,
}
