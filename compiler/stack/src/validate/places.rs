//! Places: their paths and types.

use super::code::Check;
use crate::*;

impl<'a> Check<'a> {
    /// Checks a place and its type.
    pub fn place(&mut self, place: &'a Place) {
        let Some(mut ty) = self.root(place.root) else { return };
        for step in &place.path {
            match self.step(ty, step) {
                Some(next) => ty = next,
                None => return self.problems.add(format!("{step:?} into {ty:?}")),
            }
        }
        self.same(ty, &place.ty, "what is at a place");
    }

    /// A place that is going to be changed.
    pub fn changed(&mut self, place: &'a Place) {
        self.place(place);
        if let Root::Cell(cell) = place.root {
            let scope = self.stack.cells.get(cell.index()).map(|c| c.scope);
            let given = matches!(scope, Some(Scope::Given | Scope::Derived));
            self.problems.unless(!given, || "a given cell is changed".into());
            self.problems.unless(self.effects, || "a cell is changed where nothing may be".into());
        }
    }

    fn root(&mut self, root: Root) -> Option<&'a Type> {
        match root {
            Root::Cell(id) => {
                let Some(cell) = self.stack.cells.get(id.index()) else {
                    self.problems.add(format!("no cell {}", id.0));
                    return None;
                };
                let own = self.layer.is_none_or(|layer| cell.layer == layer);
                self.problems.unless(own, || format!("cell `{}` is of another layer", cell.name));
                let copies = self.stack.copies(id);
                let told = copies == 1 || (self.layer.is_some() && !self.outside_sessions);
                self.problems.unless(told, || format!("nothing says which session's `{}` is meant", cell.name));
                Some(&cell.ty)
            }
            Root::Local(id) => match self.locals.get(id.index()) {
                Some(local) => Some(&local.ty),
                None => {
                    self.problems.add(format!("no local {}", id.0));
                    None
                }
            },
        }
    }

    fn step(&mut self, ty: &'a Type, step: &'a Step) -> Option<&'a Type> {
        if let Step::Index(index) = step {
            self.index(index, "an index");
        }
        match (step, ty) {
            (Step::Field(i), Type::Struct(id)) => self.stack.structs[id.index()].fields.get(*i as usize).map(|f| &f.ty),
            (Step::Field(i), Type::Tuple(types)) => types.get(*i as usize),
            (Step::Index(_), Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _)) => Some(t),
            (Step::Index(_), Type::Window(t, ..) | Type::Pool(t, _) | Type::Map(_, t, _)) => Some(t),
            (Step::Index(_), Type::Bytes(_)) => Some(&Type::UInt(8)),
            (Step::Unwrap, Type::Option(t)) => Some(t),
            _ => None,
        }
    }
}
