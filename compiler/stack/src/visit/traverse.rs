//! Traversals that are one closure: questions about code, and changes that need nothing but the node.

use super::*;

/// A root of a traversal: code of any size.
pub trait Traverse {
    /// The visitor visits this node.
    fn accept<'a>(&'a self, v: &mut dyn Visitor<'a>);

    /// Visits the direct parts of this.
    fn descend<'a>(&'a self, v: &mut dyn Visitor<'a>);

    /// Every node of this, outer ones first.
    fn each<'a>(&'a self, meet: impl FnMut(Node<'a>)) {
        self.accept(&mut Each(meet));
    }

    /// Every statement of this, outer ones first.
    fn each_statement<'a>(&'a self, mut meet: impl FnMut(&'a Statement)) {
        self.each(|node| {
            if let Node::Statement(statement) = node {
                meet(statement);
            }
        });
    }

    /// Every expression of this, outer ones first; those in places too.
    fn each_expr<'a>(&'a self, mut meet: impl FnMut(&'a Expr)) {
        self.each(|node| {
            if let Node::Expr(expr) = node {
                meet(expr);
            }
        });
    }

    /// Whether a node of this satisfies the predicate.
    fn any<'a>(&'a self, mut is: impl FnMut(Node<'a>) -> bool) -> bool {
        let mut found = false;
        self.each(|node| found = found || is(node));
        found
    }

    /// Whether an expression of this satisfies the predicate.
    fn any_expr<'a>(&'a self, mut is: impl FnMut(&'a Expr) -> bool) -> bool {
        self.any(|node| matches!(node, Node::Expr(e) if is(e)))
    }

    /// Whether a statement of this satisfies the predicate.
    fn any_statement<'a>(&'a self, mut is: impl FnMut(&'a Statement) -> bool) -> bool {
        self.any(|node| matches!(node, Node::Statement(s) if is(s)))
    }

    /// The expressions directly in this, in the order of evaluation; not those in places and in blocks.
    fn operands(&self) -> Vec<&Expr> {
        self.parts().operands
    }

    /// The places directly in this.
    fn places(&self) -> Vec<&Place> {
        self.parts().places
    }

    /// The direct parts of this.
    fn parts(&self) -> Parts<'_> {
        let mut parts = Parts::default();
        self.descend(&mut parts);
        parts
    }
}

macro_rules! traverse {
    ($($type:ty: $accept:ident $descend:ident),* $(,)?) => { $(
        impl Traverse for $type {
            fn accept<'a>(&'a self, v: &mut dyn Visitor<'a>) {
                v.$accept(self);
            }
            fn descend<'a>(&'a self, v: &mut dyn Visitor<'a>) {
                $descend(v, self);
            }
        }
    )* };
}
traverse! {
    [Statement]: block walk_block,
    Statement: statement walk_statement,
    Place: place walk_place,
    Expr: expr walk_expr,
}

impl Traverse for Stack {
    fn accept<'a>(&'a self, v: &mut dyn Visitor<'a>) {
        walk_stack(v, self);
    }
    fn descend<'a>(&'a self, v: &mut dyn Visitor<'a>) {
        walk_stack(v, self);
    }
}

impl Statement {
    /// Every node of a statement but itself and the blocks in it.
    pub fn each_own<'a>(&'a self, meet: impl FnMut(Node<'a>)) {
        self.descend(&mut Own(Each(meet)));
    }

    /// The blocks in it.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        self.parts().blocks
    }

    /// The locals that it sets, except for those set in its blocks.
    pub fn sets(&self) -> Vec<LocalId> {
        self.parts().sets
    }
}

struct Each<F>(F);

impl<'a, F: FnMut(Node<'a>)> Visitor<'a> for Each<F> {
    fn statement(&mut self, statement: &'a Statement) {
        (self.0)(Node::Statement(statement));
        walk_statement(self, statement);
    }
    fn place(&mut self, place: &'a Place) {
        (self.0)(Node::Place(place));
        walk_place(self, place);
    }
    fn expr(&mut self, expr: &'a Expr) {
        (self.0)(Node::Expr(expr));
        walk_expr(self, expr);
    }
    fn set(&mut self, local: &LocalId) {
        (self.0)(Node::Set(*local));
    }
}

/// Leaves out blocks.
struct Own<V>(V);

impl<'a, V: Visitor<'a>> Visitor<'a> for Own<V> {
    fn block(&mut self, _: &'a [Statement]) {}
    fn place(&mut self, place: &'a Place) {
        self.0.place(place);
    }
    fn expr(&mut self, expr: &'a Expr) {
        self.0.expr(expr);
    }
    fn set(&mut self, local: &LocalId) {
        self.0.set(local);
    }
}

/// The direct parts of a statement, an expression or a place.
#[derive(Default)]
pub struct Parts<'a> {
    pub operands: Vec<&'a Expr>,
    pub places: Vec<&'a Place>,
    pub blocks: Vec<&'a [Statement]>,
    pub sets: Vec<LocalId>,
}

impl<'a> Visitor<'a> for Parts<'a> {
    fn block(&mut self, block: &'a [Statement]) {
        self.blocks.push(block);
    }
    fn place(&mut self, place: &'a Place) {
        self.places.push(place);
    }
    fn expr(&mut self, expr: &'a Expr) {
        self.operands.push(expr);
    }
    fn set(&mut self, local: &LocalId) {
        self.sets.push(*local);
    }
}

/// Changes every expression, then its parts.
pub struct ChangeExprs<F>(pub F);

impl<F: FnMut(&mut Expr)> Rewriter for ChangeExprs<F> {
    fn expr(&mut self, expr: &mut Expr) {
        (self.0)(expr);
        rewrite_expr(self, expr);
    }
}

/// Changes every statement, then its parts.
pub struct ChangeStatements<F>(pub F);

impl<F: FnMut(&mut Statement)> Rewriter for ChangeStatements<F> {
    fn statement(&mut self, statement: &mut Statement) {
        (self.0)(statement);
        rewrite_statement(self, statement);
    }
}
