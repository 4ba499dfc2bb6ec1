//! Finds the layers that read payloads. A layer that only copies payload behaves the same for any contents, so a
//! search with
//! messages that are all different speaks for all others (data independence, Wolper 1986).

use crate::visit::{Node, Traverse};
use crate::*;

/// Layers whose behaviour can depend on the bytes of messages of the layers above, and in which way; each layer once.
pub fn readers(stack: &Stack) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &'static str)> = vec![];
    let handlers = stack.handlers.iter().map(|h| (h.layer, &h.body));
    for (layer, body) in handlers.chain(stack.functions.iter().map(|f| (f.layer, &f.body))) {
        let name = &stack.layer(layer).name;
        body.each(|node| {
            if let Some(what) = reads(node).filter(|_| !found.iter().any(|(known, _)| known == name)) {
                found.push((name.clone(), what));
            }
        });
    }
    found
}

fn reads(node: Node) -> Option<&'static str> {
    match node {
        Node::Expr(e) => match &e.kind {
            ExprKind::View(_) | ExprKind::PackView(..) => Some("reads what messages say"),
            ExprKind::Through(..) => Some("runs a filter over messages"),
            _ => None,
        },
        Node::Statement(s) => match &s.kind {
            StatementKind::CallExtern { .. } => Some("hands messages to an extern"),
            StatementKind::Filter { .. } => Some("runs a filter over messages"),
            _ => None,
        },
        Node::Place(_) | Node::Set(_) => None,
    }
}
