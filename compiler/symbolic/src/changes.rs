//! What code may change.

use std::collections::BTreeSet;

use nacre_stack::visit::{self, Visitor};
use nacre_stack::*;

/// The cells and locals that code may change.
#[derive(Default)]
pub(crate) struct Changes {
    pub cells: BTreeSet<CellId>,
    pub locals: BTreeSet<LocalId>,
}

/// Collects the changes of code and of the functions that it calls.
struct Collector<'s> {
    stack: &'s Stack,
    changes: Changes,
    seen: BTreeSet<FunctionId>,
    /// In a called function, locals are others.
    inside: bool,
}

impl Changes {
    /// Those of a block, and of the functions that it calls.
    pub fn of(stack: &Stack, body: &Block) -> Changes {
        let mut collector = Collector { stack, changes: Changes::default(), seen: BTreeSet::new(), inside: false };
        collector.block(body);
        collector.changes
    }
}

impl<'a> Visitor<'a> for Collector<'a> {
    fn statement(&mut self, statement: &'a Statement) {
        if let Reaches::Function(function) = statement.reaches() {
            if self.seen.insert(function) {
                let was = std::mem::replace(&mut self.inside, true);
                self.block(&self.stack.function(function).body);
                self.inside = was;
            }
        }
        visit::walk_statement(self, statement);
    }

    /// Every place that is mentioned as one, whether it is changed or read.
    fn place(&mut self, place: &'a Place) {
        match place.root {
            Root::Cell(cell) if crate::state::is_state(self.stack.cell(cell).scope) => {
                self.changes.cells.insert(cell);
            }
            Root::Local(local) if !self.inside => {
                self.changes.locals.insert(local);
            }
            Root::Cell(_) | Root::Local(_) => {}
        }
        visit::walk_place(self, place);
    }

    fn set(&mut self, local: &LocalId) {
        if !self.inside {
            self.changes.locals.insert(*local);
        }
    }
}
