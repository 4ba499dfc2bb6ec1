//! The one layout: four spaces, 120 columns, comments kept.
//!
//! The formatter moves tokens and never changes them, but for the comma behind the last part of a list. What fits on a
//! line and may stand on one does; of the author's line breaks only these count: within a block, behind the `{` of a
//! list of fields, and empty lines.

mod align;
mod bodies;
mod lines;
mod sequences;
mod source;
mod spaces;

use nacre_diagnostics::{Diagnostic, SourceId};

use lines::Lines;
use source::Source;

/// A source in the one layout, or the errors that prevent it.
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
    /// The first comment that has not been printed.
    next_comment: usize,
}
