//! Inlined code: only calls that happen at once may be marked.

use super::problems::Problems;
use crate::visit::{walk_stack, walk_statement, Visitor};
use crate::{Reaches, Stack, Statement, Target};

/// Checks the marks of all statements.
pub fn check(stack: &Stack, problems: &mut Problems) {
    problems.at("code in place");
    walk_stack(&mut Marks { stack, problems }, stack);
}

struct Marks<'p> {
    stack: &'p Stack,
    problems: &'p mut Problems,
}

impl Marks<'_> {
    fn is_called_at_once(&self, statement: &Statement) -> bool {
        match statement.reaches() {
            Reaches::Function(_) => true,
            Reaches::Event(emit) => !emit.later && (emit.call || matches!(self.stack.target(emit), Target::Port(_))),
            Reaches::Nothing => false,
        }
    }
}

impl<'a> Visitor<'a> for Marks<'_> {
    fn statement(&mut self, statement: &'a Statement) {
        let may_be = !statement.in_place || self.is_called_at_once(statement);
        self.problems.unless(may_be, || "a statement is marked that calls nothing at once".into());
        walk_statement(self, statement);
    }
}
