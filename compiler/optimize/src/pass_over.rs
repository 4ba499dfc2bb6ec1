//! `skip_to(n)` directly followed by `release(n)` of the same window becomes one operation: `pass_over(n)`.
//!
//! Layers write this for a message that was delivered without being kept: the likely path of a window that receives in
//! order. Back ends have code for it that takes a few instructions for an empty window.
//!
//! **Why behaviour is unchanged.** [`Operation::PassOver`] is defined as the two operations, one after the other.
//! Nothing is between them, and nothing of what is fused depends on the first: the place is a cell or a local
//! without an index on the way, and the number names no place, which `skip_to` could have changed. What `release`
//! gives is not read, neither says whether it was done, and neither can fail.

use std::collections::BTreeSet;

use nacre_stack::visit::{rewrite_block, Node, Rewriter, Traverse};
use nacre_stack::*;

use crate::calls::Decision;

/// Fuses such pairs in all handlers and functions. Nothing is reported: the operation is in the text of the stack IR.
pub fn fuse(stack: &mut Stack) -> Vec<Decision> {
    let handlers = stack.handlers.iter_mut().map(|handler| &mut handler.body);
    let functions = stack.functions.iter_mut().map(|function| &mut function.body);
    for body in handlers.chain(functions) {
        let read = read(body);
        Pairs { read }.block(body);
    }
    number(stack);
    vec![]
}

/// The locals that a body reads.
fn read(body: &Block) -> BTreeSet<LocalId> {
    let mut locals = BTreeSet::new();
    body.each(|node| {
        if let Node::Expr(Expr { kind: ExprKind::Local(local), .. })
        | Node::Place(Place { root: Root::Local(local), .. }) = node
        {
            locals.insert(*local);
        }
    });
    locals
}

struct Pairs {
    read: BTreeSet<LocalId>,
}

impl Rewriter for Pairs {
    fn block(&mut self, block: &mut Block) {
        for at in (1..block.len()).rev() {
            if let Some(fused) = self.fused(&block[at - 1], &block[at]) {
                block[at - 1].kind = StatementKind::Operate(fused);
                block.remove(at);
            }
        }
        rewrite_block(self, block);
    }
}

impl Pairs {
    fn fused(&self, first: &Statement, second: &Statement) -> Option<Operate> {
        let (StatementKind::Operate(skip), StatementKind::Operate(release)) = (&first.kind, &second.kind) else {
            return None;
        };
        let names_a_place = skip.arguments.iter().any(|e| e.any(|node| matches!(node, Node::Place(_))));
        let is_unread = |local: Option<LocalId>| local.is_none_or(|local| !self.read.contains(&local));
        let fits = (skip.operation, release.operation) == (Operation::SkipTo, Operation::Release)
            && skip.place == release.place
            && skip.place.path.is_empty()
            && skip.arguments == release.arguments
            && is_unread(release.into)
            && skip.done.is_none()
            && release.done.is_none();
        (fits && !names_a_place).then(|| Operate { operation: Operation::PassOver, ..skip.clone() })
    }
}
