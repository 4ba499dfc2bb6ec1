//! Loops.

use nacre_stack::{BinaryOp, Expr, ExprKind, LocalId, Place, Query, Root, StatementKind, Step, Type, Walk};

use super::{Bound, Lowering};
use crate::tree::{Block, Condition, Each, Entry, Index, NameId, Over};

impl Lowering<'_> {
    pub(super) fn while_(&mut self, condition: &Condition, bound: u32, body: &Block) {
        let (body, ()) = self.block(|l| l.branch(condition, |l| l.statements(body), |l| l.push(StatementKind::Break)));
        self.push(StatementKind::Loop { bound, body });
    }

    pub(super) fn for_(&mut self, variable: NameId, ends: [&crate::tree::Expr; 2], bound: u32, body: &Block) {
        let [from, to] = self.in_order(ends);
        let variable = match self.names[variable].name.as_str() {
            "_" => self.temporary(self.names[variable].ty.clone()),
            _ => self.declare(variable),
        };
        let (body, ()) = self.block(|l| l.statements(body));
        self.push(StatementKind::For { variable, from, to, bound, body });
    }

    pub(super) fn each(&mut self, each: &Each) {
        let (place, from, to) = self.walked(&each.over);
        let over = self.fixed(place);
        let (index, value) = parts_of(&over.ty);
        let index = self.index(&each.index, index);
        let key = each.key.map(|name| self.declare(name));
        let mut walk = Walk { over, index: None, key, value: None, from, to, drain: each.drain };
        walk.index = (each.index != Index::Unused).then_some(index);
        let (body, ()) = match &each.entry {
            Entry::Unused => self.block(|l| l.statements(&each.body)),
            Entry::Value(name) => {
                walk.value = Some(self.declare(*name));
                self.block(|l| l.statements(&each.body))
            }
            Entry::Pattern(pattern) => {
                let entry = self.temporary(value);
                walk.value = Some(entry);
                self.block(|l| {
                    l.destructure(pattern, l.get(entry));
                    l.statements(&each.body);
                })
            }
            Entry::InPlace(names) => {
                let current = self.get(index);
                let steps = steps_to(&each.over);
                names.iter().for_each(|name| self.bind_inside(*name, &walk.over, steps, Some(&current)));
                self.block(|l| l.statements(&each.body))
            }
        };
        self.push(StatementKind::Each { walk, bound: each.bound, body });
    }

    fn index(&mut self, index: &Index, ty: Type) -> LocalId {
        let local = self.temporary(ty);
        if let Index::Named(name) = index {
            self.locals[local.index()].name = self.names[*name].name.clone();
            self.bound[name.index()] = Some(Bound::Local(local));
        }
        local
    }

    fn walked(&mut self, over: &Over) -> (Place, Option<Expr>, Option<Expr>) {
        match over {
            Over::Place(place) => (self.place(place), None, None),
            Over::UpTo(place, to) => {
                let (place, to) = self.place_then(place, |l| l.expr(to));
                let to = self.spill(to);
                (place, None, Some(to))
            }
            Over::Between(place, both) => {
                let (place, [from, to]) = self.place_then(place, |l| l.in_order(both.each_ref()));
                let (from, to) = (self.spill(from), self.spill(to));
                (place, Some(from), Some(to))
            }
            Over::Delivered(place, both) => {
                let (place, [from, to]) = self.place_then(place, |l| l.in_order(both.each_ref()));
                let (from, ty) = (self.spill(from), to.ty.clone());
                let next = ExprKind::Query(Query::Next, Box::new(place.clone()), Vec::new());
                let next = self.make(next, ty.clone());
                let smaller = self.make(ExprKind::Binary(BinaryOp::Min, Box::new(to), Box::new(next)), ty);
                let to = self.spill(smaller);
                (place, Some(from), Some(to))
            }
            Over::Value(value) => {
                let (value, ty) = (self.expr(value), value.ty.clone());
                let local = self.temporary(ty.clone());
                self.push(StatementKind::Let(local, value));
                (Place { root: Root::Local(local), path: Vec::<Step>::new(), ty }, None, None)
            }
        }
    }
}

/// Returns the number of steps of the tree to the container of a loop.
fn steps_to(over: &Over) -> usize {
    match over {
        Over::Place(place) | Over::UpTo(place, _) | Over::Between(place, _) | Over::Delivered(place, _) => {
            place.path.len()
        }
        Over::Value(_) => 0,
    }
}

/// Returns the types of the index and of the entries of the container of a loop.
fn parts_of(ty: &Type) -> (Type, Type) {
    let numbered = |n: u32| Type::Range(0, u64::from(n));
    match ty {
        Type::Bits(n) => (numbered(*n), numbered(*n)),
        Type::Window(t, _, bits) => (Type::Seq(*bits), (**t).clone()),
        Type::Array(t, n) | Type::Ring(t, n) | Type::List(t, n) | Type::Pool(t, n) | Type::Map(_, t, n) => {
            (numbered(*n), (**t).clone())
        }
        _ => unreachable!("loops go over arrays, sets and containers"),
    }
}
