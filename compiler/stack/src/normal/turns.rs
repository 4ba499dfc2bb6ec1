//! What turns at a port comes back at once: the layer above emits to itself what would come up. If it also leaves, the
//! arguments are kept in locals, and the message is shared.

use crate::visit::{rewrite_statement, Rewriter};
use crate::*;

/// Makes emissions of all turns.
pub fn rewrite(stack: &mut Stack) {
    let before = stack.clone();
    for handler in &mut stack.handlers {
        Turner { stack: &before, locals: &mut handler.locals }.block(&mut handler.body);
    }
    for function in &mut stack.functions {
        Turner { stack: &before, locals: &mut function.locals }.block(&mut function.body);
    }
    stack.ports.iter_mut().for_each(|port| port.turns.clear());
}

struct Turner<'s> {
    stack: &'s Stack,
    locals: &'s mut Vec<Local>,
}

impl Rewriter for Turner<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut statement in std::mem::take(block) {
            rewrite_statement(self, &mut statement);
            let StatementKind::Emit(emit) = &mut statement.kind else {
                block.push(statement);
                continue;
            };
            let Some(turn) = self.stack.turn(emit.link, emit.event).copied() else {
                block.push(statement);
                continue;
            };
            if turn.leaves {
                let left = self.leave(emit, statement.span, block);
                block.push(StatementKind::Emit(left).at(statement.span));
            }
            emit.event = turn.comes_back;
            block.push(statement);
        }
    }
}

impl Turner<'_> {
    /// Keeps the arguments, in `emit` too; gives what leaves.
    fn leave(&mut self, emit: &mut Emit, span: Span, block: &mut Block) -> Emit {
        let mut left = emit.clone();
        for (kept, copied) in emit.arguments.iter_mut().zip(&mut left.arguments) {
            let local = LocalId(self.locals.len() as u32);
            let ty = kept.ty.clone();
            self.locals.push(Local { name: "turned".into(), ty: ty.clone(), by_ref: false });
            let name = Expr::new(ExprKind::Local(local), ty.clone(), span);
            let value = std::mem::replace(kept, name.clone());
            block.push(StatementKind::Let(local, value).at(span));
            *copied = match self.stack.has_message(&ty) {
                true => Expr::new(ExprKind::Share(Box::new(name)), ty, span),
                false => name,
            };
        }
        left
    }
}
