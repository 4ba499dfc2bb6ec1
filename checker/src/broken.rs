//! What a run of the explorer violates.

use std::fmt;
use std::sync::Arc;

use nacre_specification::violation::Violation;
use nacre_stack::interpret::Rule;

/// A violation and its description.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub violation: Violation,
    pub why: Arc<str>,
}

impl Broken {
    pub fn new(violation: Violation, why: impl Into<Arc<str>>) -> Broken {
        Broken { violation, why: why.into() }
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
        Rule::Need | Rule::Space => Violation::Space,
        Rule::Complete => Violation::NoReaction,
        Rule::Linear => Violation::Linearity,
        Rule::Extern => Violation::MissingFunction,
    }
}
