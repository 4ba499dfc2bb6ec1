//! Messages from above that a function in C or a filter consumes, with the headers that the layers above put on.

use std::collections::HashSet;

use nacre_diagnostics::Diagnostic;

use crate::bounded::is_message;
use crate::checker::Checker;
use crate::fragment::ABOVE;
use crate::tree::{Block, Expr, ExprKind, Handler, NameId, Node, PatternKind, Statement, StatementKind};

impl Checker<'_> {
    /// Reports such messages, by the names that the handlers of events from above give them. What was packed, or is
    /// shared and sent on, loses nothing.
    pub(crate) fn lost_headers(&mut self) {
        let from_above = |h: &&Handler| h.trigger.event().is_some_and(|reacts| reacts.side == ABOVE);
        let found: Vec<Diagnostic> = self.tree.handlers.iter().filter(from_above).flat_map(of_handler).collect();
        self.found.extend(found);
    }
}

fn of_handler(handler: &Handler) -> Vec<Diagnostic> {
    let parameters = handler.parameters.iter().map(|p| p.name);
    let mut names: HashSet<NameId> = parameters.filter(|name| is_message(&handler.names[*name].ty)).collect();
    handler.body.visit(&mut |node| {
        let Node::Statement(Statement { kind: StatementKind::Let { pattern, value }, .. }) = node else { return };
        if let (PatternKind::Name(name), true) = (&pattern.kind, is_whole(value, &names)) {
            names.insert(*name);
        }
    });
    consumed(&handler.body, &names)
}

/// Whether an expression is one of these messages, also with a header of the layer.
fn is_whole(e: &Expr, names: &HashSet<NameId>) -> bool {
    match &e.kind {
        ExprKind::Name(name) => names.contains(name),
        ExprKind::Push(message, ..) => is_whole(message, names),
        _ => false,
    }
}

fn consumed(body: &Block, names: &HashSet<NameId>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    body.visit(&mut |node| {
        let Node::Expr(Expr { kind: ExprKind::CallExtern(_, values) | ExprKind::Filter(_, values), .. }) = node else {
            return;
        };
        found.extend(values.iter().filter(|e| is_whole(e, names)).map(|e| {
            Diagnostic::warning("T0187", "headers of the layers above are lost here")
                .at(e.span, "their headers are on this message")
                .because("filters and functions in C take the data of a message, without its headers")
                .help("pack it, and unpack it at the receiver: `pack(m)`; `unpack(m)`")
        }));
    });
    found
}
