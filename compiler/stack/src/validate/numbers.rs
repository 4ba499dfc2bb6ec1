//! Nodes: their numbers are those of the traversal, so unique and dense.

use super::problems::Problems;
use crate::visit::{walk_expr, walk_stack, walk_statement, Visitor};
use crate::{Expr, NodeId, Stack, Statement};

/// Checks that the numbers of all nodes are those that [`number`] assigns.
pub fn check(stack: &Stack, problems: &mut Problems) {
    problems.at("nodes");
    walk_stack(&mut Numbers { next: 0, problems }, stack);
}

struct Numbers<'p> {
    next: u32,
    problems: &'p mut Problems,
}

impl Numbers<'_> {
    fn check(&mut self, id: NodeId) {
        let expected = NodeId(self.next);
        // One is enough: all that follow are off as well.
        if id != expected && self.problems.found.is_empty() {
            self.problems.add(format!("{id:?} stands where {expected:?} should: the stack has not been numbered"));
        }
        self.next += 1;
    }
}

impl<'a> Visitor<'a> for Numbers<'_> {
    fn statement(&mut self, statement: &'a Statement) {
        self.check(statement.id);
        walk_statement(self, statement);
    }
    fn expr(&mut self, expr: &'a Expr) {
        self.check(expr.id);
        walk_expr(self, expr);
    }
}
