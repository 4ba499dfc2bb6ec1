//! Operators on conditions and branches.

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::edit::Edit;
use crate::variables::is_temporary;
use crate::walk::Walker;

impl Walker<'_> {
    /// Walks a condition of `accepts`.
    pub fn condition(&mut self, condition: &mut Expr) {
        self.expr(condition);
        self.fixed(condition, true);
    }

    /// Changes the condition of an `if`, and its branches.
    pub fn branches(&mut self, condition: &mut Expr, then: &mut Block, otherwise: &mut Block) {
        let (decisive, body) = (self.decisive, self.body);
        let acts = decisive.block_acts(body, then) || decisive.block_acts(body, otherwise);
        if !acts || self.by_chance(condition) {
            return;
        }
        self.expr(condition);
        if self.done.is_none() && self.here("branch", condition.span, Edit::Negated) {
            std::mem::swap(then, otherwise);
            return;
        }
        // The end of a loop, and the failure of an operation, are no conditions of the source.
        if self.done.is_some() || ends_in(otherwise, |c| matches!(c, Control::Break)) || self.is_implied(condition) {
            return;
        }
        let leaves = otherwise.is_empty() && ends_in(then, leaves);
        self.fixed(condition, !leaves);
        let acts = |s: &Statement| !matches!(s.kind, StatementKind::Drop(_)) && decisive.acts(body, s);
        if let (true, Some(span)) = (otherwise.iter().any(acts), covered(otherwise)) {
            if self.here("else", span, Edit::LeftOut) {
                *otherwise = self.dropped(otherwise);
            }
        }
    }

    /// Replaces a condition by a constant.
    fn fixed(&mut self, condition: &mut Expr, value: bool) {
        if self.done.is_none() && self.here("guard", condition.span, Edit::Becomes(value.to_string())) {
            condition.kind = ExprKind::Const(u64::from(value));
        }
    }

    /// Whether a condition compares a random number.
    fn by_chance(&self, condition: &Expr) -> bool {
        let ExprKind::Binary(_, a, b) = &condition.kind else { return false };
        [a, b].iter().any(|e| matches!(&e.kind, ExprKind::Local(local) if self.drawn.contains(local)))
    }

    /// Whether a condition is the outcome of the operation before it.
    fn is_implied(&self, condition: &Expr) -> bool {
        let own = |e: &Expr| matches!(&e.kind, ExprKind::Local(id) if is_temporary(self.locals, *id));
        let asks = |e: &Expr| e.operands().len() == 1;
        condition.any_expr(own) && !condition.any_expr(|e| !own(e) && !asks(e))
    }

    /// Drops the messages of the locals that a block uses.
    fn dropped(&self, block: &[Statement]) -> Block {
        let mut used = vec![];
        block.each_expr(|e| {
            if let ExprKind::Local(local) = e.kind {
                if e.ty == Type::Msg && self.scope.contains(&local) && !used.iter().any(|u: &Expr| u == e) {
                    used.push(e.clone());
                }
            }
        });
        used.into_iter().map(|e| StatementKind::Drop(e.clone()).at(e.span)).collect()
    }

    /// Omits an operand of `a && b && ..` or `a || b || ..`, or changes one.
    pub fn junction(&mut self, e: &mut Expr) {
        let ExprKind::Binary(op, first, last) = &e.kind else { return };
        let op = *op;
        let operator = if op == BinaryOp::Both { "conjunct" } else { "disjunct" };
        let mut operands: Vec<Expr> = Expr::chain(op, first, last).into_iter().cloned().collect();
        for at in 0..operands.len() {
            if self.here(operator, e.span, Edit::Omitted { of: spans(&operands), at }) {
                operands.remove(at);
                *e = joined(operands, op, e.span);
                return;
            }
        }
        operands.iter_mut().for_each(|operand| self.expr(operand));
        if self.done.is_some() {
            *e = joined(operands, op, e.span);
        }
    }
}

/// Whether a statement ends the code, or the loop, that it is in.
pub fn leaves(control: Control) -> bool {
    match control {
        Control::Break | Control::Exit => true,
        Control::Branch { .. } | Control::Repeat { .. } | Control::Next => false,
    }
}

fn spans(of: &[Expr]) -> Vec<Span> {
    of.iter().map(|e| e.span).collect()
}

fn joined(operands: Vec<Expr>, op: BinaryOp, span: Span) -> Expr {
    let all = operands.into_iter();
    let join = |a: Expr, b: Expr| Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Bool, span);
    all.reduce(join).expect("a chain has an operand")
}

fn ends_in(block: &Block, is: impl Fn(Control) -> bool) -> bool {
    block.last().is_some_and(|s| is(s.control()))
}

/// The source of a block.
fn covered(block: &Block) -> Option<Span> {
    let spans = block.iter().map(|s| s.span).filter(|s| *s != Span::default());
    spans.reduce(|a, b| a.to(b))
}
