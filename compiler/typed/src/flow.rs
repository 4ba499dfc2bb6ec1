//! The messages held at a point of a body.

use std::collections::BTreeMap;

use nacre_diagnostics::Span;

use crate::borrows::Outdated;
use crate::tree::NameId;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Use {
    /// Held since this span.
    Live(Span),
    /// Consumed at this span.
    Gone(Span),
    /// Unknown after a reported error.
    Unknown,
}

/// The state of all message locals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    pub uses: BTreeMap<NameId, Use>,
    /// Changes of containers and options that names borrow from.
    pub outdated: Outdated,
    /// Whether this point is unreachable.
    pub ended: bool,
}

impl Flow {
    /// Forgets the state of all messages.
    pub fn forget(&mut self) {
        self.uses.values_mut().for_each(|used| *used = Use::Unknown);
    }

    /// Whether the state of a message is certain.
    pub fn is_known(&self, id: NameId) -> bool {
        self.uses.get(&id) != Some(&Use::Unknown)
    }

    /// Records a message as held.
    pub fn begin(&mut self, id: NameId, span: Span) {
        self.uses.insert(id, Use::Live(span));
    }

    /// Ends the scope of its name.
    pub fn end(&mut self, id: NameId) {
        self.uses.remove(&id);
    }

    /// Where a held message was bound, if it is held.
    pub fn live(&self, id: NameId) -> Option<Span> {
        match self.uses.get(&id) {
            Some(Use::Live(span)) => Some(*span),
            _ => None,
        }
    }

    /// All messages that are held.
    pub fn all_live(&self) -> Vec<NameId> {
        self.uses.iter().filter(|(_, u)| matches!(u, Use::Live(_))).map(|(id, _)| *id).collect()
    }
}
