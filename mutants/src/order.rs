//! Operators on statements: one is omitted, or two are swapped.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::conditions::leaves;
use crate::edit::Edit;
use crate::effects::Effects;
use crate::variables::is_temporary;
use crate::walk::Walker;

impl Walker<'_> {
    /// Omits a statement of a block and drops its messages; returns whether it did.
    pub fn left_out(&mut self, block: &mut Block, at: usize) -> bool {
        let Some((operator, used)) = self.omitted(&block[at], &block[at + 1..]) else { return false };
        let span = block[at].span;
        let messages: Vec<&Expr> = used.iter().filter(|e| self.stack.has_message(&e.ty)).collect();
        if messages.len() > 1 || messages.iter().any(|e| e.ty != Type::Msg) {
            return false;
        }
        let instead: Block = messages.into_iter().map(|e| StatementKind::Drop(e.clone()).at(span)).collect();
        let here = self.here(operator, span, Edit::LeftOut);
        if here {
            block.splice(at..=at, instead);
        }
        here
    }

    /// Returns the operator that omits a statement, and the values that it uses.
    fn omitted(&self, statement: &Statement, rest: &[Statement]) -> Option<(&'static str, Vec<Expr>)> {
        match &statement.kind {
            StatementKind::Store(place, value) if self.is_update(place) => Some(("update", vec![value.clone()])),
            StatementKind::Operate(o) if o.done.is_none() && o.into.is_none_or(|into| self.is_unused(into, rest)) => {
                Some(("update", o.arguments.clone()))
            }
            StatementKind::Call { into, arguments, .. }
                if self.decisive.acts(self.body, statement) && into.is_none_or(|into| self.is_unused(into, rest)) =>
            {
                let values = arguments.iter().filter_map(|a| match a {
                    Argument::Value(e) => Some(e.clone()),
                    Argument::Reference(_) => None,
                });
                Some(("call", values.collect()))
            }
            StatementKind::Arm { .. } | StatementKind::Cancel(_) => Some(("timer", vec![])),
            StatementKind::Emit(emit) => Some(("emission", emit.arguments.clone())),
            StatementKind::Assert(..) => Some(("assertion", vec![])),
            StatementKind::Let(..)
            | StatementKind::Store(..)
            | StatementKind::If { .. }
            | StatementKind::Loop { .. }
            | StatementKind::For { .. }
            | StatementKind::Each { .. }
            | StatementKind::Break
            | StatementKind::Return(_)
            | StatementKind::Call { .. }
            | StatementKind::CallExtern { .. }
            | StatementKind::Operate(_)
            | StatementKind::Drop(_)
            | StatementKind::Count(..)
            | StatementKind::Impossible
            | StatementKind::Unreachable
            | StatementKind::Fit { .. }
            | StatementKind::Random { .. }
            | StatementKind::Filter { .. }
            | StatementKind::Yield(_)
            | StatementKind::Reject
            | StatementKind::Unpack { .. }
            | StatementKind::Join { .. }
            | StatementKind::Take { .. } => None,
        }
    }

    /// Whether the result of an operation is not used by the statements after it.
    fn is_unused(&self, local: LocalId, rest: &[Statement]) -> bool {
        let is_plain = !self.stack.has_message(&self.locals[local.index()].ty);
        let reads = |e: &Expr| matches!(e.kind, ExprKind::Local(other) if other == local);
        is_plain && is_temporary(self.locals, local) && !rest.any_expr(reads)
    }

    /// Swaps a statement and the next one, if one depends on the other; returns whether it did.
    pub fn swapped(&mut self, block: &mut Block, at: usize) -> bool {
        let Some([first, second]) = block.get(at..at + 2) else { return false };
        // Several statements of the IR can be one of the source.
        let around = &block[at.saturating_sub(1)..(at + 3).min(block.len())];
        if around.windows(2).any(|pair| overlap(pair[0].span, pair[1].span)) {
            return false;
        }
        if first == second || leaves(first.control()) || leaves(second.control()) {
            return false;
        }
        if !self.decisive.acts(self.body, first) || !self.decisive.acts(self.body, second) {
            return false;
        }
        let [a, b] = [first, second].map(|s| Effects::of(self.stack, self.decisive, s));
        let edit = Edit::Swapped(first.span, second.span);
        let span = first.span.to(second.span);
        let here = a.are_declared(&b, &self.scope) && a.interfere(&b) && self.here("swap", span, edit);
        if here {
            block.swap(at, at + 1);
        }
        here
    }
}

fn overlap(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}
