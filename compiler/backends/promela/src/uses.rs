//! The constructs that code uses, found by a traversal of the IR.

use std::collections::HashSet;

use nacre_stack::visit::{walk_expr, walk_place, walk_statement, Node, Visitor};
use nacre_stack::*;

/// The locals and effects that occur in code.
#[derive(Default)]
pub struct Uses {
    /// Locals with a place that is read or written.
    pub places: HashSet<LocalId>,
    /// Locals that are read, or are the root of a place.
    pub locals: HashSet<LocalId>,
    /// Whether there is a `later` emission.
    pub later: bool,
    /// Whether a message is packed.
    pub packs: bool,
}

impl Uses {
    /// Collects the uses of statements.
    pub fn of_block(block: &[Statement]) -> Uses {
        let mut uses = Uses::default();
        uses.block(block);
        uses
    }

    /// Collects the uses of one expression.
    pub fn of_expr(expr: &Expr) -> Uses {
        let mut uses = Uses::default();
        uses.expr(expr);
        uses
    }

    /// Collects the uses of all handlers and functions.
    pub fn of_code(stack: &Stack) -> Uses {
        let mut uses = Uses::default();
        stack.handlers.iter().for_each(|handler| uses.block(&handler.body));
        stack.functions.iter().for_each(|function| uses.block(&function.body));
        uses
    }
}

impl<'a> Visitor<'a> for Uses {
    fn statement(&mut self, statement: &'a Statement) {
        if let StatementKind::Emit(emit) = &statement.kind {
            self.later |= emit.later;
        }
        walk_statement(self, statement);
    }

    fn place(&mut self, place: &'a Place) {
        if let Root::Local(local) = place.root {
            self.places.insert(local);
            self.locals.insert(local);
        }
        walk_place(self, place);
    }

    fn expr(&mut self, expr: &'a Expr) {
        self.locals.extend(Node::Expr(expr).local());
        self.packs |= matches!(expr.kind, ExprKind::Pack(..));
        walk_expr(self, expr);
    }
}
