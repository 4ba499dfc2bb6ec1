//! Spans, sources and diagnostics, which all phases share.

mod counted;
mod diagnostic;
mod excerpt;
mod render;
mod similar;
mod sources;

pub use counted::counted;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use render::{render, to_json};
pub use similar::{nearest, suggestion};
pub use sources::Sources;

use serde::{Deserialize, Serialize};

/// A file of the program, by its place in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct SourceId(pub u32);

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    pub file: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; of the file of `self`.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
