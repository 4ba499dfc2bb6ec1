//! Which messages are held at a point of a body: the check that each is consumed exactly once on every path.

use std::collections::BTreeMap;

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::LocalId;

use crate::body::Body;
use crate::borrows::Outdated;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
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
    uses: BTreeMap<LocalId, Use>,
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

    fn is_known(&self, id: LocalId) -> bool {
        self.uses.get(&id) != Some(&Use::Unknown)
    }

    pub fn begin(&mut self, id: LocalId, span: Span) {
        self.uses.insert(id, Use::Live(span));
    }

    pub fn end(&mut self, id: LocalId) {
        self.uses.remove(&id);
    }

    pub fn live(&self, id: LocalId) -> Option<Span> {
        match self.uses.get(&id) {
            Some(Use::Live(span)) => Some(*span),
            _ => None,
        }
    }

    fn all_live(&self) -> Vec<LocalId> {
        self.uses.iter().filter(|(_, u)| matches!(u, Use::Live(_))).map(|(id, _)| *id).collect()
    }
}

impl Body<'_, '_> {
    /// Moves a message out of its local.
    pub fn consume(&mut self, id: LocalId, span: Span) {
        if self.readable(id, span) && self.flow.is_known(id) && !self.flow.ended {
            self.flow.uses.insert(id, Use::Gone(span));
        }
    }

    /// Whether the local still holds its message; says so if not.
    pub fn readable(&mut self, id: LocalId, span: Span) -> bool {
        if let Some(Use::Gone(before)) = self.flow.uses.get(&id).copied() {
            if !self.flow.ended {
                let name = self.locals[id.index()].name.clone();
                self.cx.found.push(
                    Diagnostic::error("T0031", format!("`{name}` is used after it was consumed"))
                        .at(span, "used here")
                        .also(before, "consumed here")
                        .because("a message is consumed exactly once on every path")
                        .help(format!(
                            "for a second reference to the same bytes, say `share {name}` where it is used first"
                        )),
                );
            }
            return false;
        }
        true
    }

    /// A message comes back to its local (an operation failed), or a `var` is set.
    pub fn revive(&mut self, id: LocalId, span: Span) {
        if self.flow.is_known(id) {
            self.flow.uses.insert(id, Use::Live(span));
        }
    }

    /// The body ends here: every message must be consumed by now.
    pub fn leave(&mut self) {
        for id in self.flow.all_live() {
            self.lost(id);
        }
        self.flow.ended = true;
    }

    /// Joins two ways that lead here. `at` is where they part, for the message.
    pub fn merge(&mut self, one: Flow, other: Flow, at: Span) {
        if one.ended || other.ended {
            self.flow = if one.ended { other } else { one };
            return;
        }
        let mut merged = one.clone();
        merged.outdated.extend(&other.outdated);
        for (id, used) in &one.uses {
            let Some(else_used) = other.uses.get(id) else { continue };
            let (gone, _held) = match (used, else_used) {
                (Use::Gone(gone), Use::Live(held)) | (Use::Live(held), Use::Gone(gone)) => (*gone, *held),
                (_, Use::Unknown) => {
                    merged.uses.insert(*id, Use::Unknown);
                    continue;
                }
                _ => continue,
            };
            let name = self.locals[id.index()].name.clone();
            self.cx.found.push(
                Diagnostic::error("T0032", format!("`{name}` is consumed on one path but not on another"))
                    .at(gone, "consumed here")
                    .also(at, "but not on every way through this")
                    .because("after this point nobody could say whether the message is still held")
                    .help(format!("drop it on the other path: `drop {name};`")),
            );
            merged.uses.insert(*id, Use::Gone(gone));
        }
        for (id, used) in other.uses {
            merged.uses.entry(id).or_insert(used);
        }
        self.flow = merged;
    }
}
