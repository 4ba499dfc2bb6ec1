//! Numbers that are only ever counted up in equal steps: where pieces begin, if they are cut one behind the other.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::activation::assigned;
use crate::facts::width;
use crate::message::gcd;
use crate::walk::{constant, parts, statements};

/// For cells and locals, a number of which all their values are multiples (0: they are zero; 1: nothing is known).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Strides {
    cells: BTreeMap<CellId, u32>,
    locals: BTreeMap<LocalId, u32>,
}

/// What a place is set to; none: anything.
type Assignment = (Root, Option<Expr>);

impl Strides {
    /// Those of the cells of a stack.
    pub fn of_cells(stack: &Stack) -> Strides {
        let mut found = Strides::default();
        for (i, cell) in stack.cells.iter().enumerate().filter(|(_, c)| width(&c.ty) >= 32 && c.scope != Scope::Given) {
            let first = cell.initial.as_ref().map_or(0, |e| Strides::default().of(e));
            found.cells.insert(CellId(i as u32), first);
        }
        let code = stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body));
        let assignments: Vec<Assignment> = code.flat_map(assignments).collect();
        // What locals hold is not looked at here: only constants and the cells themselves count.
        found.settle(&assignments);
        found
    }

    /// The same with the locals of a handler or function.
    pub fn with_locals(&self, locals: &[Local], parameters: &[LocalId], body: &Block) -> Strides {
        let mut found = self.clone();
        for (i, local) in locals.iter().enumerate() {
            let id = LocalId(i as u32);
            let plain = width(&local.ty) >= 32 && !local.by_ref && !parameters.contains(&id);
            found.locals.insert(id, u32::from(!plain));
        }
        found.settle(&assignments(body));
        found
    }

    fn settle(&mut self, assignments: &[Assignment]) {
        loop {
            let before = self.clone();
            for (root, value) in assignments {
                let step = value.as_ref().map_or(1, |v| before.of(v));
                let known = match root {
                    Root::Cell(cell) => self.cells.get_mut(cell),
                    Root::Local(local) => self.locals.get_mut(local),
                };
                if let Some(known) = known {
                    *known = gcd(*known, step);
                }
            }
            if *self == before {
                return;
            }
        }
    }

    /// A number of which the value of an expression is a multiple.
    pub fn of(&self, expr: &Expr) -> u32 {
        if let Some(number) = constant(expr) {
            return u32::try_from(number).unwrap_or(1);
        }
        match &expr.kind {
            ExprKind::Convert(inner) if width(&inner.ty) <= width(&expr.ty) => self.of(inner),
            ExprKind::Binary(BinaryOp::Mul, a, b) if width(&expr.ty) >= 32 => {
                let factor = constant(a).or_else(|| constant(b)).and_then(|n| u32::try_from(n).ok());
                factor.unwrap_or(1)
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if width(&expr.ty) >= 32 => {
                gcd(self.of(a), self.of(b))
            }
            ExprKind::Local(local) => self.locals.get(local).copied().unwrap_or(1),
            ExprKind::Load(place) if place.path.is_empty() => match place.root {
                Root::Cell(cell) => self.cells.get(&cell).copied().unwrap_or(1),
                Root::Local(local) => self.locals.get(&local).copied().unwrap_or(1),
            },
            _ => 1,
        }
    }
}

/// Everything that code sets.
fn assignments(block: &Block) -> Vec<Assignment> {
    let mut found = vec![];
    statements(block, &mut |statement| match &statement.kind {
        StatementKind::Store(place, value) => found.push((place.root, Some(value.clone()))),
        StatementKind::Let(local, value) => found.push((Root::Local(*local), Some(value.clone()))),
        _ => {
            found.extend(parts(statement).1.into_iter().map(|p| (p.root, None)));
            found.extend(assigned(statement).into_iter().map(|l| (Root::Local(l), None)));
        }
    });
    found
}
