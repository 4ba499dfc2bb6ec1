//! The use of messages: each is consumed exactly once on every path.

use nacre_diagnostics::{Diagnostic, Span};

use crate::body::{Binding, Body};
use crate::flow::{Flow, Use};
use crate::tree::NameId;

impl Body<'_, '_> {
    /// Moves a message out of its local.
    pub fn consume(&mut self, id: NameId, span: Span) {
        if self.readable(id, span) && self.flow.is_known(id) && !self.flow.ended {
            self.flow.uses.insert(id, Use::Gone(span));
        }
    }

    /// Whether the local still holds its message; says so if not.
    pub fn readable(&mut self, id: NameId, span: Span) -> bool {
        if let Some(Use::Gone(before)) = self.flow.uses.get(&id).copied() {
            if !self.flow.ended {
                let name = self.names[id].name.clone();
                self.cx.found.push(
                    Diagnostic::error("T0031", format!("`{name}` is used after it was consumed"))
                        .at(span, "used here")
                        .also(before, "consumed here")
                        .because("a message is consumed exactly once on every path")
                        .help(format!("use its values before, or write `share {name}` at its first use")),
                );
            }
            return false;
        }
        true
    }

    /// A message comes back to its local (an operation failed), or a `var` is set.
    pub fn revive(&mut self, id: NameId, span: Span) {
        if self.flow.is_known(id) {
            self.flow.uses.insert(id, Use::Live(span));
        }
    }

    /// The body ends, at a statement or behind its last one: every message must be consumed by now.
    pub fn leave(&mut self, at: Option<Span>) {
        for id in self.flow.all_live() {
            self.lost(id, at);
        }
        self.flow.ended = true;
    }

    /// Joins two ways that lead here. `at` is where they part, for the message.
    pub fn merge(&mut self, one: Flow, other: Flow, at: Span) {
        self.merge_with(one, other, at, |name| {
            format!("drop it on the other path, too (`drop {name};`), or end the path that consumes it by `return;`")
        });
    }

    /// Joins the way around a loop and the one through its body.
    pub fn merge_loop(&mut self, around: Flow, through: Flow, at: Span) {
        self.merge_with(around, through, at, |name| {
            format!("a loop runs any number of times: write `share {name}` in it, and `drop {name};` after it")
        });
    }

    fn merge_with(&mut self, one: Flow, other: Flow, at: Span, help: impl Fn(&str) -> String) {
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
            let name = self.names[*id].name.clone();
            self.cx.found.push(
                Diagnostic::error("T0032", format!("`{name}` is consumed on one path but not on another"))
                    .at(gone, "consumed here")
                    .also(at, "but not on every path through this")
                    .because("after this point it is unknown whether the message has been consumed")
                    .help(help(&name)),
            );
            merged.uses.insert(*id, Use::Unknown);
        }
        for (id, used) in other.uses {
            merged.uses.entry(id).or_insert(used);
        }
        self.flow = merged;
    }

    /// Reports a message that is still held where its name ends: at a statement that leaves, or behind its block.
    pub fn lost(&mut self, id: NameId, at: Option<Span>) {
        if self.flow.ended {
            return;
        }
        if let Some(span) = self.flow.live(id) {
            let name = self.names[id].name.clone();
            let found = match at {
                Some(at) => Diagnostic::error("T0030", format!("the message `{name}` is lost here"))
                    .at(at, format!("`{name}` is not consumed before this"))
                    .also(span, "owned from here on"),
                None => Diagnostic::error("T0030", format!("the message `{name}` is lost at the end of its block"))
                    .at(span, "owned from here on, and not consumed on every path"),
            };
            let found = found
                .because("a message is consumed exactly once on every path: sent on, kept, or dropped")
                .help(match self.lookup(&name) {
                    Some(Binding::Value(known)) if *known == id => format!("if it is not needed, write `drop {name};`"),
                    _ => "it has no name here: `pass;` it, or name it to drop it".into(),
                });
            self.cx.found.push(found);
        }
        self.flow.end(id);
    }
}
