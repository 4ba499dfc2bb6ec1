//! Violations of properties.

use crate::flaw::Property;
use crate::state::State;

/// A property that a step violates, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// How.
    pub how: String,
}

pub(crate) fn violated(property: Property, how: String) -> Result<(), Violation> {
    Err(Violation { property, how })
}

pub(crate) fn holds(is_true: bool, property: Property, how: impl Fn() -> String) -> Result<(), Violation> {
    if is_true {
        Ok(())
    } else {
        violated(property, how())
    }
}

/// A connection end in a message.
pub(crate) fn place(state: &State, at: usize) -> String {
    let session = &state.sessions[at];
    format!("{}'s end {}", crate::term::member(session.owner), session.own)
}
