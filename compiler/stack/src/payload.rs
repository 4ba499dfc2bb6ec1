//! Finds the layers that read payloads. A layer that only copies payload behaves the same for any contents, so a
//! search with messages that are all different speaks for all others (data independence, Wolper 1986).

use crate::visit::{Node, Traverse};
use crate::*;

/// Layers whose behaviour can depend on the bytes of messages of the layers above, and in which way; each layer once.
pub fn readers(stack: &Stack) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &'static str)> = vec![];
    let mut note = |layer: LayerId, node| {
        let name = &stack.layer(layer).name;
        if let Some(what) = reads(node).filter(|_| !found.iter().any(|(known, _)| known == name)) {
            found.push((name.clone(), what));
        }
    };
    stack.handlers.iter().for_each(|h| h.body.each(|node| note(h.layer, node)));
    stack.functions.iter().for_each(|f| f.body.each(|node| note(f.layer, node)));
    // Of the message that is to be accepted, `accepts` knows the length only, and nothing is stored when cells begin.
    for (layer, declared) in stack.layers.iter().enumerate() {
        let conditions = declared.invariants.iter().chain(declared.goals.iter().map(|goal| &goal.holds));
        conditions.for_each(|e| e.each(|node| note(LayerId(layer as u32), node)));
    }
    found
}

/// How behaviour can depend on the bytes of messages at a node; none: it does not.
pub fn reads(node: Node) -> Option<&'static str> {
    match node {
        Node::Expr(e) => expression_reads(&e.kind),
        Node::Statement(s) => statement_reads(&s.kind),
        Node::Place(_) | Node::Set(_) => None,
    }
}

fn expression_reads(kind: &ExprKind) -> Option<&'static str> {
    use ExprKind::*;
    match kind {
        View(_) | PackView(..) => Option::Some("reads what messages say"),
        Through(..) => Option::Some("runs a filter over messages"),
        Const(_) | Literal(_) | Zero | Local(_) | Load(_) | Unary(..) | Binary(..) | MulDiv(..) | Convert(_)
        | If(..) | Struct(_) | Tuple(_) | Array(_) | Some(_) | None | IsSome(_) | Unwrap(_) | Field(..) | Index(..)
        | Query(..) | Now | Fingerprint | Room | Concat(_) | Part(..) | BytesOf(_) | Extern(..) | Empty | Share(_)
        | Borrow(_) | Length(_) | Head(..) | Push(..) | Slice(..) | Rest(..) | Pack(..) => Option::None,
    }
}

fn statement_reads(kind: &StatementKind) -> Option<&'static str> {
    use StatementKind::*;
    match kind {
        CallExtern { .. } => Some("hands messages to an extern"),
        Filter { .. } => Some("runs a filter over messages"),
        Unpack { .. } => Some("takes messages apart"),
        Let(..)
        | Store(..)
        | If { .. }
        | Loop { .. }
        | For { .. }
        | Each { .. }
        | Break
        | Return(_)
        | Call { .. }
        | Operate(_)
        | Emit(_)
        | Drop(_)
        | Arm { .. }
        | Cancel(_)
        | Count(..)
        | Assert(..)
        | Impossible
        | Unreachable
        | Fit { .. }
        | Random { .. }
        | Yield(_)
        | Reject
        | Join { .. }
        | Take { .. } => None,
    }
}
