//! What a run of the explorer violates.

use std::fmt;
use std::sync::Arc;

use nacre_specification::violation::Violation;
use nacre_stack::interpret::Rule;
use nacre_stack::Span;

/// A violation and its description.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub violation: Violation,
    pub why: Arc<str>,
    /// The statement, condition or invariant of a layer that shows it, if one does.
    pub span: Span,
}

impl Broken {
    /// A violation that no statement of a layer shows.
    pub fn new(violation: Violation, why: impl Into<Arc<str>>) -> Broken {
        Broken { violation, why: why.into(), span: Span::default() }
    }

    /// What a run says that breaks this before its first step.
    pub(crate) fn at_opening(&self) -> String {
        format!("at opening: {self}")
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// The kind of violation that the interpreter reports.
pub fn violation_of(rule: Rule) -> Violation {
    match rule {
        Rule::Assert => Violation::Assertion,
        Rule::Bound => Violation::LoopBound,
        Rule::Unreachable => Violation::Unreachable,
        Rule::Accepts => Violation::NotAccepted,
        Rule::Invariant => Violation::Invariant,
        Rule::Need | Rule::Space | Rule::Long => Violation::Space,
        Rule::Complete => Violation::NoReaction,
        Rule::Linear => Violation::Linearity,
        Rule::Extern => Violation::MissingFunction,
    }
}
