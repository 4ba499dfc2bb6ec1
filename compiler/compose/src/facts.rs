//! What conditions say about lengths: in `if m.len <= SIZE { ... }` the message is no longer than SIZE.

use std::collections::BTreeMap;

use nacre_stack::*;

use crate::message::gcd;
use crate::walk::{any, constant, parts, statements};

/// Upper bounds of expressions and definitions of locals that hold at a point of the code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    defined: Vec<(LocalId, Expr)>,
    at_most: Vec<(Expr, u64)>,
}

impl Facts {
    /// A local has been set.
    pub fn define(&mut self, local: LocalId, value: &Expr) {
        self.forget_local(local);
        let value = self.resolve(value);
        if !mentions_local(&value, local) {
            self.defined.push((local, value));
        }
    }

    pub fn forget_local(&mut self, local: LocalId) {
        self.defined.retain(|(l, e)| *l != local && !mentions_local(e, local));
        self.at_most.retain(|(e, _)| !mentions_local(e, local));
    }

    /// Something in the state, or behind a reference, has changed.
    pub fn forget_places(&mut self) {
        self.defined.retain(|(_, e)| !mentions_place(e));
        self.at_most.retain(|(e, _)| !mentions_place(e));
    }

    /// What holds in both.
    pub fn meet(&mut self, other: &Facts) {
        self.defined.retain(|d| other.defined.contains(d));
        self.at_most.retain(|f| other.at_most.contains(f));
    }

    /// Learns that a condition holds, or that it does not.
    pub fn learn(&mut self, condition: &Expr, holds: bool) {
        match &condition.kind {
            ExprKind::Unary(nacre_stack::UnaryOp::Not, inner) => self.learn(inner, !holds),
            ExprKind::Binary(BinaryOp::Both, a, b) if holds => {
                self.learn(a, true);
                self.learn(b, true);
            }
            ExprKind::Binary(BinaryOp::Either, a, b) if !holds => {
                self.learn(a, false);
                self.learn(b, false);
            }
            ExprKind::Binary(BinaryOp::LessEqual, a, b) if holds => self.bound(a, constant(b)),
            ExprKind::Binary(BinaryOp::Less, a, b) if holds => self.bound(a, constant(b).map(|n| n.saturating_sub(1))),
            ExprKind::Binary(BinaryOp::LessEqual, a, b) => self.bound(b, constant(a).map(|n| n.saturating_sub(1))),
            ExprKind::Binary(BinaryOp::Less, a, b) => self.bound(b, constant(a)),
            ExprKind::Binary(BinaryOp::Equal, a, b) if holds => self.bound(a, constant(b)),
            ExprKind::Local(_) | ExprKind::Convert(_) => {
                let resolved = self.resolve(condition);
                if !matches!(resolved.kind, ExprKind::Local(_) | ExprKind::Convert(_)) {
                    self.learn(&resolved, holds);
                }
            }
            _ => {}
        }
    }

    fn bound(&mut self, expr: &Expr, max: Option<u64>) {
        let Some(max) = max else { return };
        if signed(&expr.ty) {
            return;
        }
        let expr = self.resolve(expr);
        self.at_most.push((expr, max));
    }

    fn known(&self, expr: &Expr) -> Option<u64> {
        self.at_most.iter().filter(|(e, _)| e.kind == expr.kind).map(|(_, max)| *max).min()
    }

    /// The longest that the message in a local can be, as far as conditions tell.
    pub fn length(&self, local: LocalId) -> Option<u64> {
        self.at_most.iter().filter(|(e, _)| is_length_of(e, local)).map(|(_, max)| *max).min()
    }

    /// The longest that `rest(message, at)` can be.
    pub fn remainder(&self, message: &Expr, at: &Expr) -> Option<u64> {
        let at = self.resolve(at);
        let said = self.at_most.iter().filter_map(|(e, max)| {
            let ExprKind::Binary(BinaryOp::Sub, a, b) = &e.kind else { return None };
            (same_message(a, message) && b.kind == at.kind).then_some(*max)
        });
        said.min().or_else(|| whole_pieces(&at, message))
    }

    /// The largest value of an expression, where that is plain.
    pub fn largest(&self, expr: &Expr) -> Option<u64> {
        constant(expr).or_else(|| {
            let resolved = self.resolve(expr);
            constant(&resolved).or_else(|| self.known(&resolved)).or(match &resolved.kind {
                ExprKind::Binary(BinaryOp::Min, a, b) => match (self.largest(a), self.largest(b)) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                },
                _ => None,
            })
        })
    }

    /// A number of which the value is a multiple.
    pub fn stride(&self, expr: &Expr, cells: &BTreeMap<CellId, u32>) -> u32 {
        stride(&self.resolve(expr), cells)
    }

    /// The expression with locals replaced by their definitions, conversions that lose nothing left out.
    fn resolve(&self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Convert(inner) if width(&inner.ty) <= width(&expr.ty) => return self.resolve(inner),
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
        Expr { kind, ty: expr.ty.clone() }
    }
}

fn stride(expr: &Expr, cells: &BTreeMap<CellId, u32>) -> u32 {
    if let Some(number) = constant(expr) {
        return u32::try_from(number).unwrap_or(1);
    }
    match &expr.kind {
        ExprKind::Convert(inner) if width(&inner.ty) <= width(&expr.ty) => stride(inner, cells),
        ExprKind::Binary(BinaryOp::Mul, a, b) if width(&expr.ty) >= 32 => {
            let factor = constant(a).or_else(|| constant(b)).and_then(|n| u32::try_from(n).ok());
            factor.unwrap_or(1)
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if width(&expr.ty) >= 32 => gcd(stride(a, cells), stride(b, cells)),
        ExprKind::Load(place) => match (place.root, place.path.is_empty()) {
            (Root::Cell(cell), true) => cells.get(&cell).copied().unwrap_or(1),
            _ => 1,
        },
        _ => 1,
    }
}

/// For cells that are only ever counted up in steps, or set to constants, the number that divides all their values.
pub(crate) fn strides(stack: &Stack) -> BTreeMap<CellId, u32> {
    let mut found: BTreeMap<CellId, u32> = BTreeMap::new();
    for (i, cell) in stack.cells.iter().enumerate().filter(|(_, c)| width(&c.ty) >= 32 && c.scope != Scope::Given) {
        let first = cell.initial.as_ref().map_or(0, |e| stride(e, &BTreeMap::new()));
        found.insert(CellId(i as u32), first);
    }
    let code = stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body));
    let mut touched: Vec<(CellId, Option<Expr>)> = vec![];
    for block in code {
        statements(block, &mut |statement| match statement {
            Statement::Store(Place { root: Root::Cell(cell), .. }, value) => touched.push((*cell, Some(value.clone()))),
            other => {
                let places = parts(other).1.into_iter().filter_map(|p| if let Root::Cell(c) = p.root { Some(c) } else { None });
                touched.extend(places.map(|cell| (cell, None)));
            }
        });
    }
    loop {
        let before = found.clone();
        for (cell, value) in &touched {
            let step = value.as_ref().map_or(1, |v| stride(v, &before));
            if let Some(known) = found.get_mut(cell) {
                *known = gcd(*known, step);
            }
        }
        if found == before {
            return found;
        }
    }
}

fn signed(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Seq(_))
}

/// Bits of a number's type; 64 for what is not a plain number.
fn width(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::UInt(bits) => u32::from(*bits),
        Type::Range(_, high) => 64 - high.saturating_sub(1).leading_zeros(),
        _ => 64,
    }
}

fn mentions_local(expr: &Expr, local: LocalId) -> bool {
    any(expr, &mut |e| match &e.kind {
        ExprKind::Local(l) => *l == local,
        ExprKind::Load(p) | ExprKind::Borrow(p) | ExprKind::Query(_, p, _) => p.root == Root::Local(local),
        _ => false,
    })
}

fn mentions_place(expr: &Expr) -> bool {
    any(expr, &mut |e| matches!(e.kind, ExprKind::Load(_) | ExprKind::Borrow(_) | ExprKind::Query(..)))
}

fn is_length_of(expr: &Expr, local: LocalId) -> bool {
    let ExprKind::Length(message) = &expr.kind else { return false };
    local_of(message) == Some(local)
}

/// The local whose message is meant, shared or borrowed or not.
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

/// Whether `length` is that of the message.
fn same_message(length: &Expr, message: &Expr) -> bool {
    let ExprKind::Length(measured) = &length.kind else { return false };
    let local = local_of(message);
    (local.is_some() && local == local_of(measured)) || (place_of(message).is_some() && place_of(message) == place_of(measured))
}

/// `at` is `(m.len - 1) / SIZE * SIZE` or `m.len / SIZE * SIZE`: what is left is at most SIZE.
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
