//! Another variable of the same type.

use nacre_stack::*;

use crate::decisive::is_time;
use crate::edit::Edit;
use crate::walk::Walker;

/// Whether the compiler made the local.
pub fn is_temporary(locals: &[Local], id: LocalId) -> bool {
    let name = locals.get(id.index()).map_or("", |l| l.name.as_str());
    name.strip_prefix('t').is_some_and(|rest| rest.parse::<u32>() == Ok(id.0))
}

/// A variable of the source.
#[derive(Clone, Copy, PartialEq)]
enum Variable {
    Local(LocalId),
    Cell(CellId),
}

impl Walker<'_> {
    /// Reads the next variable of the same type instead; returns whether it did.
    pub fn variable(&mut self, e: &mut Expr) -> bool {
        let mine = match &e.kind {
            ExprKind::Local(local) => Variable::Local(*local),
            ExprKind::Load(place) if place.path.is_empty() => match place.root {
                Root::Cell(cell) => Variable::Cell(cell),
                Root::Local(_) => return false,
            },
            _ => return false,
        };
        let all = self.of_type(&e.ty);
        let Some(at) = all.iter().position(|(variable, _)| *variable == mine) else { return false };
        let (other, to) = &all[(at + 1) % all.len()];
        let edit = Edit::Constant { from: all[at].1.clone(), to: to.clone() };
        let here = *other != mine && self.here("variable", e.span, edit);
        if here {
            e.kind = match *other {
                Variable::Local(local) => ExprKind::Local(local),
                Variable::Cell(cell) => {
                    ExprKind::Load(Box::new(Place { root: Root::Cell(cell), path: vec![], ty: e.ty.clone() }))
                }
            };
        }
        here
    }

    /// The variables of a type that can be read here, with their names: the locals, then the cells of the layer.
    fn of_type(&self, ty: &Type) -> Vec<(Variable, String)> {
        let is_value = !self.stack.has_message(ty) && self.stack.capabilities(ty).compared && !is_time(ty);
        if !is_value {
            return vec![];
        }
        let locals = (0..self.locals.len() as u32).map(LocalId).filter(|id| {
            let local = &self.locals[id.index()];
            local.ty == *ty && !local.by_ref && self.scope.contains(id) && !is_temporary(self.locals, *id)
        });
        let cells = (0..self.stack.cells.len() as u32).map(CellId).filter(|id| {
            let cell = self.stack.cell(*id);
            cell.layer == self.layer && cell.ty == *ty
        });
        let name = |id: LocalId| self.locals[id.index()].name.clone();
        let locals = locals.map(|id| (Variable::Local(id), name(id)));
        locals.chain(cells.map(|id| (Variable::Cell(id), self.stack.cell(id).name.clone()))).collect()
    }
}
