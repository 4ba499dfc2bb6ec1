//! Coverage of a run: which handlers and statements were executed, and which operands of conditions decided.

use std::collections::BTreeSet;

use crate::{HandlerId, NodeId, Stack};

/// The code that a run executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    /// By handler.
    pub handlers: Vec<bool>,
    /// The statements.
    pub statements: BTreeSet<NodeId>,
    /// The operands of `&&` and `||` that decided the result, because all others were neutral, with their values.
    pub decided: BTreeSet<(NodeId, bool)>,
}

impl Covered {
    /// Returns the coverage of a stack of which nothing has run.
    pub fn none_of(stack: &Stack) -> Covered {
        Covered { handlers: vec![false; stack.handlers.len()], ..Covered::default() }
    }

    /// Adds the coverage of another run.
    pub fn add(&mut self, other: Covered) {
        self.handlers.resize(self.handlers.len().max(other.handlers.len()), false);
        self.handlers.iter_mut().zip(other.handlers).for_each(|(all, one)| *all |= one);
        self.statements.extend(other.statements);
        self.decided.extend(other.decided);
    }

    /// Returns whether a handler has run.
    pub fn has_run(&self, handler: HandlerId) -> bool {
        self.handlers.get(handler.index()).is_some_and(|ran| *ran)
    }
}
