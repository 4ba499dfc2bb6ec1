//! Coverage of a run: which handlers and blocks were executed.

use std::collections::BTreeSet;

use crate::{HandlerId, NodeId, Stack};

/// The handlers and blocks that a run executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    /// By handler.
    pub handlers: Vec<bool>,
    /// The first statements of the blocks that were entered.
    pub blocks: BTreeSet<NodeId>,
}

impl Covered {
    /// Returns the coverage of a stack of which nothing has run.
    pub fn none_of(stack: &Stack) -> Covered {
        Covered { handlers: vec![false; stack.handlers.len()], blocks: BTreeSet::new() }
    }

    /// Adds the coverage of another run.
    pub fn add(&mut self, other: Covered) {
        self.handlers.resize(self.handlers.len().max(other.handlers.len()), false);
        self.handlers.iter_mut().zip(other.handlers).for_each(|(all, one)| *all |= one);
        self.blocks.extend(other.blocks);
    }

    /// Returns whether a handler has run.
    pub fn has_run(&self, handler: HandlerId) -> bool {
        self.handlers.get(handler.index()).is_some_and(|ran| *ran)
    }
}
