//! Derives lengths from conditions: in `if m.len <= SIZE { ... }` the message has at most SIZE bytes.

use std::collections::BTreeSet;

use nacre_analysis::Lattice;
use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::greatest::{mentions_local, stated};
use crate::strides::Strides;
use nacre_analysis::constants::{constant, is_lossless, width};

/// The facts at a point of the code.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// The values of locals.
    defined: Vec<(LocalId, Expr)>,
    at_most: Vec<(Expr, u64)>,
    /// Conditions with their known outcomes.
    known: Vec<Literal>,
    /// Disjunctions: of each, one condition holds.
    clauses: Vec<Vec<Literal>>,
    /// Locals that name places of the caller.
    references: BTreeSet<LocalId>,
    /// The locals that any of these facts has been about, and others: nothing is known of a new one.
    met: BTreeSet<LocalId>,
}

/// The most expressions in the value of a local that is followed: each local could double the value of the one before.
const LARGEST: usize = 32;

/// A condition, and whether it holds.
type Literal = (Expr, bool);

impl Lattice for Facts {
    /// At a join of paths, only facts that hold on both are known.
    fn join(&mut self, other: &Facts) -> bool {
        let before = self.size();
        self.defined.retain(|d| other.defined.contains(d));
        self.at_most.retain(|f| other.at_most.contains(f));
        self.known.retain(|k| other.known.contains(k));
        self.clauses.retain(|c| other.clauses.contains(c));
        self.size() < before
    }
}

impl Facts {
    /// No facts; `references` are locals that name places of the caller.
    pub fn new(references: impl Iterator<Item = LocalId>) -> Facts {
        Facts { references: references.collect(), ..Facts::default() }
    }

    /// Records an assignment to a local.
    pub fn define(&mut self, local: LocalId, value: &Expr) {
        self.forget_local(local);
        let value = self.resolve(value);
        if !mentions_local(&value, local) && parts(&value) <= LARGEST {
            self.meet(&value);
            self.met.insert(local);
            self.defined.push((local, value));
        }
    }

    /// Removes the facts about a local.
    pub fn forget_local(&mut self, local: LocalId) {
        if !self.met.contains(&local) {
            return;
        }
        self.forget(|e| mentions_local(e, local));
        self.defined.retain(|(l, _)| *l != local);
    }

    /// Removes the facts about the state and references, after a change there.
    pub fn forget_places(&mut self) {
        let references = std::mem::take(&mut self.references);
        self.forget(|e| mentions_place(e, &references));
        self.references = references;
    }

    /// Removes the facts that the change of a place invalidates.
    pub fn change(&mut self, place: &Place) {
        self.forget_places();
        if let Root::Local(local) = place.root {
            self.forget_local(local);
        }
    }

    fn size(&self) -> usize {
        self.defined.len() + self.at_most.len() + self.known.len() + self.clauses.len()
    }

    fn forget(&mut self, old: impl Fn(&Expr) -> bool) {
        self.defined.retain(|(_, e)| !old(e));
        self.at_most.retain(|(e, _)| !old(e));
        self.known.retain(|(e, _)| !old(e));
        self.clauses.retain(|c| !c.iter().any(|(e, _)| old(e)));
    }

    /// Notes the locals of an expression of which something becomes known.
    fn meet(&mut self, of: &Expr) {
        of.any(|node| {
            if let Some(Root::Local(local)) = node.root() {
                self.met.insert(local);
            }
            false
        });
    }

    /// Adds the outcome of a condition.
    pub fn learn(&mut self, condition: &Expr, holds: bool) {
        let resolved = self.resolve(condition);
        self.meet(condition);
        self.meet(&resolved);
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.learn(inner, !holds),
            ExprKind::Binary(BinaryOp::Both, a, b) if holds => {
                self.learn(a, true);
                self.learn(b, true);
            }
            ExprKind::Binary(BinaryOp::Either, a, b) if !holds => {
                self.learn(a, false);
                self.learn(b, false);
            }
            ExprKind::Binary(BinaryOp::Both | BinaryOp::Either, a, b) => {
                let clause = vec![self.literal(a, holds), self.literal(b, holds)];
                self.clauses.push(clause);
                self.propagate();
            }
            ExprKind::Local(_) | ExprKind::Convert(_) => {
                let resolved = self.resolve(condition);
                if !matches!(resolved.kind, ExprKind::Local(_) | ExprKind::Convert(_)) {
                    self.learn(&resolved, holds);
                }
            }
            _ => {
                self.compared(condition, holds);
                let literal = self.literal(condition, holds);
                self.known.push(literal);
                self.propagate();
            }
        }
    }

    /// Removes conditions known to be false; the last one left holds.
    fn propagate(&mut self) {
        let known = self.known.clone();
        let mut alone = None;
        for clause in &mut self.clauses {
            clause.retain(|(e, holds)| !known.iter().any(|(k, h)| k == e && h != holds));
            if clause.len() == 1 {
                alone = clause.pop();
            }
        }
        self.clauses.retain(|c| !c.is_empty());
        if let Some((condition, holds)) = alone {
            self.learn(&condition, holds);
        }
    }

    /// A condition in normal form, for comparison.
    fn literal(&self, condition: &Expr, holds: bool) -> Literal {
        let resolved = self.resolve(condition);
        let make = |op, a: &Expr, b: &Expr| {
            Expr::new(ExprKind::Binary(op, Box::new(a.clone()), Box::new(b.clone())), Type::Bool, a.span)
        };
        match &resolved.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.literal(inner, !holds),
            ExprKind::Binary(BinaryOp::NotEqual, a, b) => self.literal(&make(BinaryOp::Equal, a, b), !holds),
            // Of two sequence numbers at half the number space from each other, each is less than the other.
            ExprKind::Binary(BinaryOp::LessEqual, a, b) if !matches!(a.ty, Type::Seq(_)) => {
                self.literal(&make(BinaryOp::Less, b, a), !holds)
            }
            ExprKind::Binary(BinaryOp::Less, a, b) if constant(a) == Some(0) && !signed(&b.ty) => {
                (make(BinaryOp::Equal, b, &zero(&b.ty)), !holds)
            }
            ExprKind::Binary(BinaryOp::Equal, a, b) if constant(a) == Some(0) => {
                (make(BinaryOp::Equal, b, &zero(&b.ty)), holds)
            }
            ExprKind::Binary(BinaryOp::Equal, a, b) if constant(b) == Some(0) => {
                (make(BinaryOp::Equal, a, &zero(&a.ty)), holds)
            }
            _ => (resolved, holds),
        }
    }

    /// Derives bounds from a comparison.
    fn compared(&mut self, condition: &Expr, holds: bool) {
        let ExprKind::Binary(op, a, b) = &condition.kind else { return };
        match (op, holds) {
            (BinaryOp::LessEqual, true) => self.bound(a, b, 0),
            (BinaryOp::Less, true) => self.bound(a, b, 1),
            (BinaryOp::LessEqual, false) => self.bound(b, a, 1),
            (BinaryOp::Less, false) => self.bound(b, a, 0),
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => self.bound(a, b, 0),
            _ => {}
        }
    }

    /// `low` is at most `high` minus the offset.
    fn bound(&mut self, low: &Expr, high: &Expr, less: u64) {
        if signed(&low.ty) {
            return;
        }
        let (low, high) = (number_of(self.resolve(low)), number_of(self.resolve(high)));
        if let Some(max) = stated(&high) {
            self.at_most.push((low.clone(), max.saturating_sub(less)));
        }
        // length <= at + SIZE: length - at <= SIZE
        let ExprKind::Binary(BinaryOp::Add, at, size) = &high.kind else { return };
        let first = constant(at).is_some() || stated(size).is_none();
        let (at, size) = if first { (size, stated(at)) } else { (at, stated(size)) };
        if let (Some(size), ExprKind::Length(_)) = (size, &low.kind) {
            let rest = ExprKind::Binary(BinaryOp::Sub, Box::new(low.clone()), at.clone());
            self.at_most.push((Expr::new(rest, low.ty, low.span), size.saturating_sub(less)));
        }
    }

    fn known_bound(&self, expr: &Expr) -> Option<u64> {
        self.at_most.iter().filter(|(e, _)| is_same(e, expr)).map(|(_, max)| *max).min()
    }

    /// The greatest length of the message in a local that follows from the facts.
    pub fn length(&self, local: LocalId) -> Option<u64> {
        let said = self.at_most.iter().filter(|(e, _)| is_length_of(e, local)).map(|(_, max)| *max).min();
        let made = self.defined.iter().find(|(l, _)| *l == local).and_then(|(_, value)| match &value.kind {
            ExprKind::Rest(message, at) => self.remainder(message, at),
            _ => None,
        });
        match (said, made) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The greatest length of `rest(message, at)`.
    pub fn remainder(&self, message: &Expr, at: &Expr) -> Option<u64> {
        let at = number_of(self.resolve(at));
        let said = self.at_most.iter().filter_map(|(e, max)| {
            let ExprKind::Binary(BinaryOp::Sub, a, b) = &e.kind else { return None };
            (same_message(a, message) && is_same(b, &at)).then_some(*max)
        });
        said.min().or_else(|| whole_pieces(&at, message))
    }

    /// The largest value of an expression, if it is known.
    pub fn largest(&self, expr: &Expr) -> Option<u64> {
        constant(expr).or_else(|| {
            let resolved = number_of(self.resolve(expr));
            let smaller = match &resolved.kind {
                ExprKind::Binary(BinaryOp::Min, a, b) if !signed(&a.ty) => [self.largest(a), self.largest(b)],
                _ => [None; 2],
            };
            let known = [stated(&resolved), self.known_bound(&resolved)];
            known.into_iter().chain(smaller).flatten().min()
        })
    }

    /// A divisor of the value.
    pub fn stride(&self, expr: &Expr, known: &Strides) -> u32 {
        known.of(&self.resolve(expr)).0
    }

    /// The same value of the same type, with the definitions of locals in their place and without lossless conversions
    /// of operands whose type says nothing else.
    fn resolve(&self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Convert(inner) if is_lossless(&inner.ty, &expr.ty) => {
                return converted(self.resolve(inner), expr)
            }
            ExprKind::Convert(inner) => ExprKind::Convert(Box::new(self.resolve(inner))),
            ExprKind::Zero if width(&expr.ty) < 64 || matches!(expr.ty, Type::UInt(_)) => ExprKind::Const(0),
            ExprKind::Local(local) => match self.defined.iter().find(|(l, _)| l == local) {
                Some((_, value)) => return value.clone(),
                None => expr.kind.clone(),
            },
            ExprKind::Unwrap(inner) => {
                let inner = self.resolve(inner);
                match inner.kind {
                    ExprKind::Some(value) => return *value,
                    _ => ExprKind::Unwrap(Box::new(inner)),
                }
            }
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, Box::new(self.resolve(a)), Box::new(self.resolve(b))),
            other => other.clone(),
        };
        Expr::new(kind, expr.ty.clone(), expr.span)
    }
}

/// A resolved expression without loss as one of the type of `to`. What an operator computes depends on the type of its
/// operands, and stays converted.
fn converted(value: Expr, to: &Expr) -> Expr {
    let value = number_of(value);
    let is_free =
        matches!(value.kind, ExprKind::Const(_) | ExprKind::Local(_) | ExprKind::Length(_) | ExprKind::Load(_));
    let kind = if is_free { value.kind } else { ExprKind::Convert(Box::new(value)) };
    Expr::new(kind, to.ty.clone(), to.span)
}

/// Returns an expression with the value of a resolved one, in any type.
fn number_of(value: Expr) -> Expr {
    if let ExprKind::Convert(inner) = &value.kind {
        if is_lossless(&inner.ty, &value.ty) {
            return (**inner).clone();
        }
    }
    value
}

/// Whether two expressions have the same value. The types of operands determine that of the result, except for a
/// conversion.
fn is_same(a: &Expr, b: &Expr) -> bool {
    a.kind == b.kind && (a.ty == b.ty || !matches!(a.kind, ExprKind::Convert(_)))
}

fn signed(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Seq(_))
}

fn mentions_place(expr: &Expr, references: &BTreeSet<LocalId>) -> bool {
    expr.any(|node| match node.root() {
        Some(Root::Cell(_)) => true,
        Some(Root::Local(local)) => references.contains(&local),
        None => false,
    })
}

fn zero(ty: &Type) -> Expr {
    Expr::new(ExprKind::Const(0), ty.clone(), Span::default())
}

/// The number of expressions in an expression.
fn parts(expr: &Expr) -> usize {
    let mut count = 0;
    expr.each_expr(|_| count += 1);
    count
}

fn is_length_of(expr: &Expr, local: LocalId) -> bool {
    let ExprKind::Length(message) = &expr.kind else { return false };
    local_of(message) == Some(local)
}

/// The local of a message, shared, borrowed or owned.
fn local_of(message: &Expr) -> Option<LocalId> {
    match &message.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Share(inner) | ExprKind::Unwrap(inner) => local_of(inner),
        ExprKind::Borrow(place) if place.path.is_empty() => match place.root {
            Root::Local(local) => Some(local),
            Root::Cell(_) => None,
        },
        _ => None,
    }
}

fn place_of(message: &Expr) -> Option<&Place> {
    match &message.kind {
        ExprKind::Share(inner) | ExprKind::Unwrap(inner) => place_of(inner),
        ExprKind::Borrow(place) => Some(place),
        _ => None,
    }
}

/// Whether `length` is the length of the message.
fn same_message(length: &Expr, message: &Expr) -> bool {
    let ExprKind::Length(measured) = &length.kind else { return false };
    let local = local_of(message);
    (local.is_some() && local == local_of(measured))
        || (place_of(message).is_some() && place_of(message) == place_of(measured))
}

/// `at` is `(m.len - 1) / SIZE * SIZE` or `m.len / SIZE * SIZE`: at most SIZE bytes remain.
fn whole_pieces(at: &Expr, message: &Expr) -> Option<u64> {
    let ExprKind::Binary(BinaryOp::Mul, a, b) = &at.kind else { return None };
    if width(&at.ty) < 32 {
        return None;
    }
    let (count, size) = if let Some(size) = constant(b) { (a, size) } else { (b, constant(a)?) };
    let ExprKind::Binary(BinaryOp::Div, length, by) = &count.kind else { return None };
    let length = match &length.kind {
        ExprKind::Binary(BinaryOp::Sub, length, one) if constant(one) == Some(1) => length,
        _ => length,
    };
    (constant(by) == Some(size) && same_message(length, message)).then_some(size)
}
