//! A message to the user: the problem, its location and cause, and a fix.

use serde::Serialize;

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Warning,
    Error,
}

/// A place, and what there is to say of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A message to the user.
///
/// ```
/// use nacre_diagnostics::{Diagnostic, Span};
/// let (use_, declaration) = (Span::default(), Span::default());
/// let found = Diagnostic::error("T0012", "`low` is not a field of `Nak`")
///     .at(use_, "no such field")
///     .also(declaration, "`Nak` is declared here")
///     .because("a pattern names only fields of its header")
///     .help("did you mean `lo`?");
/// assert!(found.is_error());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[must_use]
pub struct Diagnostic {
    pub code: &'static str,
    pub severity: Severity,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// Where: the primary place.
    pub label: Option<Label>,
    /// Other places that have to do with it.
    pub secondary: Vec<Label>,
    /// Why it is wrong.
    pub notes: Vec<String>,
    /// How to mend it.
    pub help: Vec<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            label: None,
            secondary: vec![],
            notes: vec![],
            help: vec![],
        }
    }

    /// Something that must be mended before the program means anything.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Valid code that is probably not intended.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// The primary place. A second call adds a secondary one.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        if self.label.is_some() {
            return self.also(span, text);
        }
        self.label = Some(Label { span, text: text.into() });
        self
    }

    /// A place that has to do with it.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Why it is wrong.
    pub fn because(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// How to mend it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Whether it is an error, not a warning.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The primary place, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.label.as_ref().map(|label| label.span)
    }
}
