//! The order of evaluation: from left to right (docs/language.md, rule 8).
//!
//! An expression of the stack IR has no effect, so it may be evaluated late, where it is used. What is lowered to
//! statements in front runs earlier: then what stands before it in the source is evaluated before those statements.

use nacre_stack::{Expr, ExprKind, Place, Step, Type};

use super::Lowering;
use crate::tree;

impl Lowering<'_> {
    /// Statements were put in front after these values had been lowered: evaluates the values before those.
    pub(super) fn keep_order<'v>(&mut self, values: impl IntoIterator<Item = &'v mut Expr>, at: usize) {
        if self.out.len() == at {
            return;
        }
        let later = self.out.split_off(at);
        for value in values {
            let kept = std::mem::replace(value, Expr::new(ExprKind::Zero, Type::Bool, self.span));
            *value = self.spill(kept);
        }
        self.out.extend(later);
    }

    /// Values, evaluated from left to right.
    pub(super) fn ordered<'e>(&mut self, values: impl IntoIterator<Item = &'e tree::Expr>) -> Vec<Expr> {
        let mut lowered: Vec<Expr> = Vec::new();
        for value in values {
            let before = self.out.len();
            let value = self.expr(value);
            self.keep_order(&mut lowered, before);
            lowered.push(value);
        }
        lowered
    }

    /// The same for a number of values that is known.
    pub(super) fn in_order<const N: usize>(&mut self, values: [&tree::Expr; N]) -> [Expr; N] {
        let lowered = self.ordered(values);
        lowered.try_into().unwrap_or_else(|_| unreachable!("each value is lowered to one"))
    }

    /// A place, its indices evaluated before what `then` lowers.
    pub(super) fn place_then<T>(&mut self, place: &tree::Place, then: impl FnOnce(&mut Self) -> T) -> (Place, T) {
        let mut place = self.place(place);
        let before = self.out.len();
        let made = then(self);
        self.keep_order(place.path.iter_mut().filter_map(index), before);
        (place, made)
    }

    /// Lowers a message that is read after the code of `then`, but whose place is evaluated before it.
    pub(super) fn looked_at_then<T>(&mut self, e: &tree::Expr, then: impl FnOnce(&mut Self) -> T) -> (Expr, T) {
        let tree::ExprKind::Borrow(place) = &e.kind else {
            let made = then(self);
            return (self.expr(e), made);
        };
        let (place, made) = self.place_then(place, then);
        (Expr::new(ExprKind::Borrow(Box::new(place)), e.ty.clone(), e.span), made)
    }
}

/// The index that a step has.
pub(super) fn index(step: &mut Step) -> Option<&mut Expr> {
    match step {
        Step::Index(index) => Some(index),
        Step::Field(_) | Step::Unwrap => None,
    }
}
