//! Replaces emissions that never run because no message reaches them, and whose event therefore has no handler.

use nacre_stack::visit::{rewrite_statement, Rewriter};
use nacre_stack::*;

/// Runs after the unused handlers have been removed.
pub(crate) fn replace(stack: &mut Stack) {
    let (mut handlers, mut functions) = (std::mem::take(&mut stack.handlers), std::mem::take(&mut stack.functions));
    for handler in &mut handlers {
        Dead { stack, layer: handler.layer }.block(&mut handler.body);
    }
    for function in &mut functions {
        Dead { stack, layer: function.layer }.block(&mut function.body);
    }
    (stack.handlers, stack.functions) = (handlers, functions);
}

struct Dead<'a> {
    stack: &'a Stack,
    layer: LayerId,
}

impl Dead<'_> {
    fn is_dead(&self, statement: &Statement) -> bool {
        matches!(&statement.kind, StatementKind::Emit(emit) if !self.stack.is_taken(Some(self.layer), emit))
    }

    /// Releases the message, which cannot be there, and reports it.
    fn instead(&self, statement: Statement) -> Block {
        let span = statement.span;
        let StatementKind::Emit(emit) = statement.kind else { return vec![statement] };
        let messages = emit.arguments.into_iter().filter(|a| self.stack.has_message(&a.ty));
        let instead = messages.map(StatementKind::Drop).chain([StatementKind::Unreachable]);
        instead.map(|kind| kind.at(span)).collect()
    }
}

impl Rewriter for Dead<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.len());
        for mut statement in std::mem::take(block) {
            rewrite_statement(self, &mut statement);
            if self.is_dead(&statement) {
                out.extend(self.instead(statement));
            } else {
                out.push(statement);
            }
        }
        *block = out;
    }
}
