//! Identity of statements and expressions: each has a [`NodeId`], its number in the order of the traversal
//! ([`crate::visit`]).
//!
//! Numbers are valid for one version of a stack. Code that changes a stack numbers it again ([`number`]); the validator
//! refuses numbers that are not unique and dense. What a node was written as outlives that: its span.

use crate::visit::{rewrite_expr, rewrite_stack, rewrite_statement, Rewriter};
use crate::{Expr, NodeId, Span, Stack, Statement, StatementKind};

/// Numbers every statement and expression of a stack, from 0 in the order of the traversal. Gives how many there are.
pub fn number(stack: &mut Stack) -> u32 {
    let mut numbering = Numbering(0);
    rewrite_stack(&mut numbering, stack);
    numbering.0
}

struct Numbering(u32);

impl Numbering {
    fn next(&mut self) -> NodeId {
        self.0 += 1;
        NodeId(self.0 - 1)
    }
}

impl Rewriter for Numbering {
    fn statement(&mut self, statement: &mut Statement) {
        statement.id = self.next();
        rewrite_statement(self, statement);
    }
    fn expr(&mut self, expr: &mut Expr) {
        expr.id = self.next();
        rewrite_expr(self, expr);
    }
}

/// Gives a span to all nodes without one, for the lowering of a piece of syntax.
pub struct FillSpans(pub Span);

impl Rewriter for FillSpans {
    fn statement(&mut self, statement: &mut Statement) {
        fill(&mut statement.span, self.0);
        rewrite_statement(self, statement);
    }
    fn expr(&mut self, expr: &mut Expr) {
        fill(&mut expr.span, self.0);
        rewrite_expr(self, expr);
    }
}

fn fill(span: &mut Span, with: Span) {
    if *span == Span::default() {
        *span = with;
    }
}

impl PartialEq for Statement {
    fn eq(&self, other: &Statement) -> bool {
        self.kind == other.kind && self.in_place == other.in_place
    }
}

impl From<StatementKind> for Statement {
    /// A statement without a source, or without a known span.
    fn from(kind: StatementKind) -> Statement {
        kind.at(Span::default())
    }
}

impl StatementKind {
    /// The statement at a place of the source.
    pub fn at(self, span: Span) -> Statement {
        Statement { kind: self, in_place: false, id: NodeId::default(), span }
    }
}
