//! Which messages are held at a point of a body.

use std::collections::BTreeMap;

use nacre_diagnostics::Span;

use crate::borrows::Outdated;
use crate::tree::NameId;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Use {
    /// Held since.
    Live(Span),
    /// Consumed there.
    Gone(Span),
    /// Something before was wrong, which has been reported.
    Unknown,
}

/// The state of all message locals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    pub uses: BTreeMap<NameId, Use>,
    /// Changes of what names stand in.
    pub outdated: Outdated,
    /// Nothing comes after this point.
    pub ended: bool,
}

impl Flow {
    /// Nothing is known of the messages held so far.
    pub fn forget(&mut self) {
        self.uses.values_mut().for_each(|used| *used = Use::Unknown);
    }

    /// Whether what is known of a message can be relied upon.
    pub fn is_known(&self, id: NameId) -> bool {
        self.uses.get(&id) != Some(&Use::Unknown)
    }

    /// From here on a message is held.
    pub fn begin(&mut self, id: NameId, span: Span) {
        self.uses.insert(id, Use::Live(span));
    }

    /// Its name ends.
    pub fn end(&mut self, id: NameId) {
        self.uses.remove(&id);
    }

    /// Since where a message is held, if it is.
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
