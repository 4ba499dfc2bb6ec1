//! Places.

use nacre_stack::{Expr, ExprKind, Place, Root, Step};

use super::order::index;
use super::{Bound, Lowering};
use crate::tree::{self, Is, NameId};

impl Lowering<'_> {
    /// A place; its indices are evaluated where it is used.
    pub(super) fn place(&mut self, place: &tree::Place) -> Place {
        let (root, mut path) = match place.root {
            tree::Root::Cell(id) => (Root::Cell(id), Vec::new()),
            tree::Root::Name(id) => match &self.bound[id.index()] {
                Some(Bound::Local(local)) => (Root::Local(*local), Vec::new()),
                Some(Bound::Place(place)) => (place.root, place.path.clone()),
                None => unreachable!("`{}` has been declared", self.names[id].name),
            },
            tree::Root::Walked => unreachable!("the entries of a loop are bound by the loop"),
        };
        for step in &place.path {
            let before = self.out.len();
            let step = self.step(step, None);
            self.keep_order(path.iter_mut().filter_map(index), before);
            path.push(step);
        }
        Place { root, path, ty: place.ty.clone() }
    }

    fn step(&mut self, step: &tree::Step, current: Option<&Expr>) -> Step {
        match (step, current) {
            (tree::Step::Field(i), _) => Step::Field(*i),
            (tree::Step::Index(e), _) => Step::Index(self.expr(e)),
            (tree::Step::Unwrap, _) => Step::Unwrap,
            (tree::Step::Current, Some(index)) => Step::Index(index.clone()),
            (tree::Step::Current, None) => unreachable!("entries are bound where they are found"),
        }
    }

    /// The place with its indices evaluated once and for all, as `ref` promises.
    pub(super) fn fixed(&mut self, mut place: Place) -> Place {
        let path = std::mem::take(&mut place.path);
        place.path = path
            .into_iter()
            .map(|step| match step {
                Step::Index(e) => Step::Index(self.spill(e)),
                other => other,
            })
            .collect();
        place
    }

    /// What is at a place, copied.
    pub(super) fn load(&self, place: Place) -> ExprKind {
        match place.root {
            Root::Local(id) if place.path.is_empty() && !self.locals[id.index()].by_ref => ExprKind::Local(id),
            _ => ExprKind::Load(Box::new(place)),
        }
    }

    /// A `ref`.
    pub(super) fn bind_ref(&mut self, name: NameId) {
        let Is::Place(place) = &self.names[name].is else { unreachable!("a `ref` stands for a place") };
        let place = self.place(place);
        let place = self.fixed(place);
        self.bound[name.index()] = Some(Bound::Place(place));
    }

    /// A name for what lies behind a place that has been evaluated: `steps` are those of the tree that lead there.
    pub(super) fn bind_inside(&mut self, name: NameId, base: &Place, steps: usize, current: Option<&Expr>) {
        let Is::Place(place) = &self.names[name].is else { unreachable!("an entry stands in a place") };
        let mut bound = base.clone();
        for step in &place.path[steps..] {
            let step = self.step(step, current);
            bound.path.push(step);
        }
        bound.ty = place.ty.clone();
        self.bound[name.index()] = Some(Bound::Place(bound));
    }
}
