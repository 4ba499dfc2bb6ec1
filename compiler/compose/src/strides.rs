//! Finds numbers that only grow in equal steps: the starts of consecutive pieces.
//!
//! Numbers wrap in the width of their type. Of a multiple of n that may have wrapped in w bits, only the greatest
//! common divisor of n and 2^w is known to divide it.

use std::sync::Arc;

use nacre_analysis::values::{BodyId, Slot, Values};
use nacre_analysis::{Lattice, Stride};
use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::greatest::Greatest;
use nacre_analysis::constants::{constant, is_lossless, width};

/// A common divisor of all values, for each cell and each local of one body.
#[derive(Clone, Debug)]
pub(crate) struct Strides {
    /// Shared by all bodies.
    cells: Arc<Values<Stride>>,
    locals: Values<Stride>,
    greatest: Greatest,
    /// None: the strides of locals are unknown.
    body: Option<BodyId>,
}

/// The value assigned to a place; none: any value.
type Assignment = (Root, Option<Expr>);

impl Default for Strides {
    /// Nothing is known.
    fn default() -> Strides {
        let nothing = Values::new(Stride::ANY);
        Strides { cells: Arc::new(nothing.clone()), locals: nothing, greatest: Greatest::default(), body: None }
    }
}

impl Strides {
    /// The strides of a stack's cells.
    pub fn of_cells(stack: &Stack) -> Strides {
        let least = Values::new(Stride::default());
        let greatest = Greatest::default();
        let mut found = Strides { cells: Arc::new(least.clone()), locals: least, greatest, body: None };
        for (i, cell) in stack.cells.iter().enumerate() {
            let first = cell.initial.as_ref().map_or(Stride::default(), |e| Strides::default().of(e));
            let given = cell.scope == Scope::Given;
            found.raise(Slot::Cell(CellId(i as u32)), if given { Stride::ANY } else { first });
        }
        let code = stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body));
        let assignments: Vec<Assignment> = code.flat_map(assignments).collect();
        // Locals are ignored here: only constants and the cells themselves count.
        found.settle(&assignments);
        found
    }

    /// The same, with the locals of a handler or function.
    pub fn with_locals(&self, body: BodyId, locals: &[Local], parameters: &[LocalId], block: &Block) -> Strides {
        let greatest = Greatest::of_locals(locals, parameters, block);
        let mut found = Strides { body: Some(body), greatest, ..self.clone() };
        for (i, local) in locals.iter().enumerate() {
            let id = LocalId(i as u32);
            if local.by_ref || parameters.contains(&id) {
                found.raise(Slot::Local(body, id), Stride::ANY);
            }
        }
        found.settle(&assignments(block));
        found
    }

    fn settle(&mut self, assignments: &[Assignment]) {
        loop {
            let mut grew = false;
            for (root, value) in assignments {
                let step = value.as_ref().map_or(Stride::ANY, |v| self.of(v));
                grew |= self.slot(*root).is_some_and(|slot| self.raise(slot, step));
            }
            if !grew {
                return;
            }
        }
    }

    /// Whether the slot grew.
    fn raise(&mut self, slot: Slot, step: Stride) -> bool {
        let grows = self.values(slot).of(slot).joined(&step) != *self.values(slot).of(slot);
        match slot {
            _ if !grows => {}
            Slot::Cell(_) => Arc::make_mut(&mut self.cells).raise(slot, &step),
            _ => self.locals.raise(slot, &step),
        }
        grows
    }

    fn values(&self, slot: Slot) -> &Values<Stride> {
        match slot {
            Slot::Cell(_) => &self.cells,
            _ => &self.locals,
        }
    }

    fn slot(&self, root: Root) -> Option<Slot> {
        match root {
            Root::Cell(cell) => Some(Slot::Cell(cell)),
            Root::Local(local) => self.body.map(|body| Slot::Local(body, local)),
        }
    }

    fn root(&self, root: Root) -> Stride {
        self.slot(root).map_or(Stride::ANY, |slot| *self.values(slot).of(slot))
    }

    /// A divisor of an expression's value.
    pub fn of(&self, expr: &Expr) -> Stride {
        if let Some(number) = constant(expr) {
            return u32::try_from(number).map_or(Stride::ANY, Stride);
        }
        match &expr.kind {
            ExprKind::Convert(inner) if is_lossless(&inner.ty, &expr.ty) => self.of(inner),
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let factor = constant(a).or_else(|| constant(b)).and_then(|n| u32::try_from(n).ok());
                self.computed(expr, factor.map_or(Stride::ANY, Stride), a, b, u64::checked_mul)
            }
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                self.computed(expr, self.of(a).joined(&self.of(b)), a, b, u64::checked_add)
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => wrapped(self.of(a).joined(&self.of(b)), &expr.ty),
            ExprKind::Local(local) => self.root(Root::Local(*local)),
            ExprKind::Load(place) if place.path.is_empty() => self.root(place.root),
            _ => Stride::ANY,
        }
    }

    /// The divisor of what an operator gives for two operands, if `stride` is one of the result that has not wrapped.
    fn computed(&self, result: &Expr, stride: Stride, a: &Expr, b: &Expr, run: fn(u64, u64) -> Option<u64>) -> Stride {
        let most = self.greatest.of(a).zip(self.greatest.of(b)).and_then(|(a, b)| run(a, b));
        match most {
            Some(most) if matches!(result.ty, Type::UInt(_)) && most >> (width(&result.ty) - 1) <= 1 => stride,
            _ => wrapped(stride, &result.ty),
        }
    }
}

/// What is known of a number of a type that is congruent to a multiple of the stride modulo 2 to the type's width.
fn wrapped(stride: Stride, ty: &Type) -> Stride {
    match ty {
        // 0 stands for the number 0 alone, and the greatest power of two that divides another one is its lowest bit.
        Type::UInt(bits) if stride.0 > 0 => {
            let modulus = 1u32.checked_shl((*bits).into()).unwrap_or(u32::MAX);
            Stride((stride.0 & stride.0.wrapping_neg()).min(modulus))
        }
        Type::UInt(_) => stride,
        _ => Stride::ANY,
    }
}

/// All assignments in code.
fn assignments(block: &Block) -> Vec<Assignment> {
    let mut found = vec![];
    block.each_statement(|statement| match &statement.kind {
        StatementKind::Store(place, value) => found.push((place.root, Some(value.clone()))),
        StatementKind::Let(local, value) => found.push((Root::Local(*local), Some(value.clone()))),
        _ => {
            found.extend(statement.places().into_iter().map(|p| (p.root, None)));
            found.extend(statement.sets().into_iter().map(|l| (Root::Local(l), None)));
        }
    });
    found
}
