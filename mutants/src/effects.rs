//! The effects of a statement, by which the order of two statements matters.

use std::collections::BTreeSet;

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::decisive::Decisive;

/// What a statement reads, changes and emits, with the functions that it calls. Values that affect only times are not
/// among them.
#[derive(Default)]
pub struct Effects {
    reads: BTreeSet<CellId>,
    writes: BTreeSet<CellId>,
    uses: BTreeSet<LocalId>,
    sets: BTreeSet<LocalId>,
    links: BTreeSet<LinkId>,
    /// It can end the code.
    leaves: bool,
    functions: BTreeSet<FunctionId>,
}

impl Effects {
    /// Returns the effects of a statement of a body.
    pub fn of(stack: &Stack, decisive: &Decisive, statement: &Statement) -> Effects {
        let mut effects = Effects::default();
        effects.add(std::slice::from_ref(statement));
        let mut called = BTreeSet::new();
        while let Some(function) = effects.functions.pop_first() {
            if called.insert(function) {
                // The locals of a function are its own, and its end is not that of the caller.
                let mut inner = Effects { functions: std::mem::take(&mut effects.functions), ..Effects::default() };
                inner.add(&stack.function(function).body);
                effects.reads.append(&mut inner.reads);
                effects.writes.append(&mut inner.writes);
                effects.links.append(&mut inner.links);
                effects.functions = inner.functions;
            }
        }
        effects.reads.retain(|cell| decisive.cell(*cell));
        effects.writes.retain(|cell| decisive.cell(*cell));
        effects
    }

    fn add(&mut self, code: &[Statement]) {
        let repeats = code.any_statement(|s| matches!(s.control(), Control::Repeat { .. }));
        code.each(|node| match node {
            Node::Statement(statement) => self.statement(statement, repeats),
            Node::Expr(e) => {
                if let ExprKind::Local(local) = e.kind {
                    self.uses.insert(local);
                }
            }
            Node::Place(place) => {
                self.root(place, false);
            }
            Node::Set(local) => {
                self.sets.insert(local);
            }
        });
    }

    fn statement(&mut self, statement: &Statement, repeats: bool) {
        match statement.control() {
            Control::Exit => self.leaves = true,
            Control::Break => self.leaves |= !repeats,
            Control::Branch { .. } | Control::Repeat { .. } | Control::Next => {}
        }
        match statement.reaches() {
            Reaches::Event(emit) => {
                self.links.insert(emit.link);
            }
            Reaches::Function(function) => {
                self.functions.insert(function);
            }
            Reaches::Nothing => {}
        }
        let only_reads = matches!(&statement.kind, StatementKind::Each { walk, .. } if !walk.drain);
        if !only_reads {
            statement.places().into_iter().for_each(|place| self.root(place, true));
        }
    }

    fn root(&mut self, place: &Place, changes: bool) {
        match (place.root, changes) {
            (Root::Cell(cell), true) => self.writes.insert(cell),
            (Root::Cell(cell), false) => self.reads.insert(cell),
            (Root::Local(local), true) => self.sets.insert(local),
            (Root::Local(local), false) => self.uses.insert(local),
        };
    }

    /// Whether the locals that two statements share are declared before both.
    pub fn are_declared(&self, other: &Effects, scope: &[LocalId]) -> bool {
        let shared = |a: &Effects, b: &Effects| a.sets.iter().all(|l| !b.mentions(l) || scope.contains(l));
        shared(self, other) && shared(other, self)
    }

    fn mentions(&self, local: &LocalId) -> bool {
        self.uses.contains(local) || self.sets.contains(local)
    }

    /// Whether the order of two statements matters: one reads or changes what the other changes, both emit over the
    /// same link, or one can end the code before the other acts.
    pub fn interfere(&self, other: &Effects) -> bool {
        let disturbs = |a: &Effects, b: &Effects| {
            a.writes.iter().any(|cell| b.reads.contains(cell) || b.writes.contains(cell))
                || a.sets.iter().any(|local| b.mentions(local))
                || a.leaves && (!b.writes.is_empty() || !b.links.is_empty())
        };
        disturbs(self, other) || disturbs(other, self) || !self.links.is_disjoint(&other.links)
    }
}
