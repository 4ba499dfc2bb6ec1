//! Derived cells become what they are derived from, where they are read: so they never lag behind. The cells are
//! removed.

use crate::visit::{rewrite_expr, rewrite_place, rewrite_stack, Rewriter};
use crate::*;

/// Puts the values of derived cells where they are read.
pub fn rewrite(stack: &mut Stack) {
    let cells = stack.cells.clone();
    rewrite_stack(&mut Substitute(&cells), stack);
    let mut kept = 0;
    let numbers: Vec<CellId> = cells
        .iter()
        .map(|cell| {
            kept += u32::from(cell.scope != Scope::Derived);
            CellId(kept.saturating_sub(1))
        })
        .collect();
    stack.cells.retain(|cell| cell.scope != Scope::Derived);
    stack.contexts.iter_mut().for_each(|context| context.predictions.clear());
    let owned = stack.contexts.iter_mut().flat_map(|c| [&mut c.cookie, &mut c.peer, &mut c.room]).flatten();
    let drawn = stack.layers.iter_mut().filter_map(|layer| layer.random.as_mut());
    let timers = stack.timers.iter_mut().map(|timer| &mut timer.cell);
    owned.chain(drawn).chain(timers).for_each(|id| *id = numbers[id.index()]);
    rewrite_stack(&mut Renumber(&numbers), stack);
}

struct Substitute<'c>(&'c [Cell]);

impl Rewriter for Substitute<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Load(place) = &expr.kind else { return rewrite_expr(self, expr) };
        let Root::Cell(id) = place.root else { return rewrite_expr(self, expr) };
        let cell = &self.0[id.index()];
        let Some(value) = cell.initial.as_ref().filter(|_| cell.scope == Scope::Derived) else {
            return rewrite_expr(self, expr);
        };
        let fields = place.path.iter().filter_map(|step| match step {
            Step::Field(field) => Some(*field),
            Step::Index(_) | Step::Unwrap => None,
        });
        let read = fields.fold(value.kind.clone(), |kind, field| {
            ExprKind::Field(Box::new(Expr::new(kind, cell.ty.clone(), expr.span)), field)
        });
        expr.kind = read;
        // What it is derived from may be derived itself.
        self.expr_again(expr);
    }
}

impl Substitute<'_> {
    fn expr_again(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::Load(_) => self.expr(expr),
            _ => rewrite_expr(self, expr),
        }
    }
}

struct Renumber<'n>(&'n [CellId]);

impl Rewriter for Renumber<'_> {
    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
        if let Root::Cell(id) = &mut place.root {
            *id = self.0[id.index()];
        }
    }
}
