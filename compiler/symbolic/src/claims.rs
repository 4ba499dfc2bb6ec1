//! Which code claims something: an assertion, that `else unreachable` is not reached, or that a loop ends within its
//! bound.

use nacre_stack::visit::{self, Reference, Visitor};
use nacre_stack::*;

struct Finder<'s> {
    stack: &'s Stack,
    found: bool,
}

/// Whether code claims something, itself or in the filters that it runs.
pub fn any_in<'s>(stack: &'s Stack, bodies: impl IntoIterator<Item = &'s Block>) -> bool {
    let mut finder = Finder { stack, found: false };
    bodies.into_iter().for_each(|body| finder.block(body));
    finder.found
}

/// Whether the code of a filter claims something.
pub fn any_in_filter(stack: &Stack, id: FilterId) -> bool {
    let filter = &stack.filters[id.index()];
    let functions = filter.functions.iter().map(|id| &stack.function(*id).body);
    any_in(stack, [&filter.body, &filter.end].into_iter().chain(functions))
}

impl<'s> Visitor<'s> for Finder<'s> {
    fn statement(&mut self, statement: &'s Statement) {
        self.found |= match &statement.kind {
            StatementKind::Assert(..) | StatementKind::Unreachable => true,
            StatementKind::For { from, to, bound, .. } => !ends(from, to, *bound),
            _ => matches!(statement.control(), Control::Repeat { .. }),
        };
        visit::walk_statement(self, statement);
    }

    fn refer(&mut self, to: Reference<'_>) {
        if let Reference::Filter(id) = to {
            self.found = self.found || any_in_filter(self.stack, *id);
        }
    }
}

/// Whether a loop between constants ends within its bound.
fn ends(from: &Expr, to: &Expr, bound: u32) -> bool {
    match (&from.kind, &to.kind) {
        (ExprKind::Const(from), ExprKind::Const(to)) => to.saturating_sub(*from) <= u64::from(bound),
        _ => false,
    }
}
