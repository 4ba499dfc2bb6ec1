//! Bounds numbers from above: by their types, and the locals of a body by what is assigned to them.

use std::collections::BTreeMap;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use nacre_analysis::constants::{constant, is_lossless};

/// The greatest values of the unsigned locals of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Greatest(BTreeMap<LocalId, u64>);

/// What is assigned to a local, over all of a body.
#[derive(Default)]
struct Assigned {
    /// The greatest value that does not depend on the local itself.
    base: u64,
    /// The sum of all that is added to it.
    added: u64,
    /// Something else can happen to it.
    unknown: bool,
}

impl Greatest {
    /// The locals of a body that only grow by bounded numbers, a bounded number of times.
    pub fn of_locals(locals: &[Local], parameters: &[LocalId], block: &Block) -> Greatest {
        let mut found: BTreeMap<LocalId, Assigned> = BTreeMap::new();
        collect(block, 1, &mut found);
        let bounded = locals.iter().zip((0..).map(LocalId)).filter_map(|(declared, local)| {
            let any = of_type(&declared.ty)?;
            let assigned = found.get(&local).filter(|a| !a.unknown && !declared.by_ref && !parameters.contains(&local));
            let most = assigned.and_then(|a| a.base.checked_add(a.added)).filter(|most| *most <= any);
            Some((local, most.unwrap_or(any)))
        });
        Greatest(bounded.collect())
    }

    /// The greatest value of an unsigned number; none: the expression has another type.
    pub fn of(&self, expr: &Expr) -> Option<u64> {
        let any = of_type(&expr.ty)?;
        let found = match &expr.kind {
            _ if constant(expr).is_some() => constant(expr),
            ExprKind::Local(local) => self.0.get(local).copied(),
            // Facts give the value of a place the type to which it is converted.
            ExprKind::Load(place) => match place.root {
                Root::Local(local) if place.path.is_empty() => self.0.get(&local).copied(),
                Root::Local(_) | Root::Cell(_) => of_type(&place.ty),
            },
            ExprKind::Length(_) => Some(u32::MAX.into()),
            ExprKind::Convert(inner) if is_lossless(&inner.ty, &expr.ty) => self.of(inner),
            ExprKind::Binary(BinaryOp::Add, a, b) => self.of(a).zip(self.of(b)).and_then(|(a, b)| a.checked_add(b)),
            ExprKind::Binary(BinaryOp::Mul, a, b) => self.of(a).zip(self.of(b)).and_then(|(a, b)| a.checked_mul(b)),
            ExprKind::Binary(BinaryOp::Div, a, b) => self.of(a).zip(constant(b)).and_then(|(a, b)| a.checked_div(b)),
            ExprKind::Binary(BinaryOp::Rem, _, b) => constant(b).and_then(|b| b.checked_sub(1)),
            ExprKind::Binary(BinaryOp::Min, a, b) => self.of(a).zip(self.of(b)).map(|(a, b)| a.min(b)),
            _ => None,
        };
        // What can be greater than the type may have wrapped.
        Some(found.filter(|n| *n <= any).unwrap_or(any))
    }
}

/// The greatest value of an unsigned number in any body, if its form or the type of a place states one.
pub(crate) fn stated(expr: &Expr) -> Option<u64> {
    let any = of_type(&expr.ty);
    let found = Greatest::default().of(expr).filter(|most| matches!(expr.ty, Type::Range(..)) || Some(*most) < any);
    constant(expr).or(found)
}

/// The greatest value of an unsigned type.
fn of_type(ty: &Type) -> Option<u64> {
    match ty {
        Type::UInt(64) => Some(u64::MAX),
        Type::UInt(bits) if *bits < 64 => Some((1 << bits) - 1),
        Type::Range(_, high) => Some(high.saturating_sub(1)),
        _ => None,
    }
}

/// Adds all assignments of code that runs up to `times` times.
fn collect(block: &[Statement], times: u64, found: &mut BTreeMap<LocalId, Assigned>) {
    for statement in block {
        match statement.control() {
            Control::Branch { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|b| collect(b, times, found))
            }
            Control::Repeat { bound, body } => {
                counted(statement, found);
                collect(body, times.saturating_mul(bound.into()), found);
            }
            Control::Break | Control::Exit | Control::Next => assigned(statement, times, found),
        }
    }
}

/// The locals that a loop itself sets.
fn counted(statement: &Statement, found: &mut BTreeMap<LocalId, Assigned>) {
    if let StatementKind::For { variable, from, to, bound, .. } = &statement.kind {
        let of = |e: &Expr| Greatest::default().of(e).filter(|_| !mentions_local(e, *variable));
        if let (Some(from), Some(to)) = (of(from), of(to)) {
            let known = found.entry(*variable).or_default();
            known.base = known.base.max(to.min(from.saturating_add((*bound).into())));
            return;
        }
    }
    statement.sets().into_iter().for_each(|local| found.entry(local).or_default().unknown = true);
}

fn assigned(statement: &Statement, times: u64, found: &mut BTreeMap<LocalId, Assigned>) {
    let (local, value) = match &statement.kind {
        StatementKind::Let(local, value) => (*local, value),
        StatementKind::Store(Place { root: Root::Local(local), path, .. }, value) if path.is_empty() => (*local, value),
        _ => {
            let places = statement.places().into_iter().filter_map(|place| match place.root {
                Root::Local(local) => Some(local),
                Root::Cell(_) => None,
            });
            let changed = places.chain(statement.sets());
            changed.for_each(|local| found.entry(local).or_default().unknown = true);
            return;
        }
    };
    let of = |e: &Expr| Greatest::default().of(e).filter(|_| !mentions_local(e, local));
    let (base, added) = match &value.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) if is(a, local) => (Some(0), of(b)),
        ExprKind::Binary(BinaryOp::Add, a, b) if is(b, local) => (Some(0), of(a)),
        _ => (of(value), Some(0)),
    };
    let known = found.entry(local).or_default();
    known.base = known.base.max(base.unwrap_or(0));
    known.added = known.added.saturating_add(added.unwrap_or(0).saturating_mul(times));
    known.unknown |= base.is_none() || added.is_none();
}

/// Whether an expression is the value of a local.
fn is(expr: &Expr, local: LocalId) -> bool {
    match &expr.kind {
        ExprKind::Local(l) => *l == local,
        ExprKind::Load(place) => place.root == Root::Local(local) && place.path.is_empty(),
        _ => false,
    }
}

/// Whether an expression reads a local.
pub(crate) fn mentions_local(expr: &Expr, local: LocalId) -> bool {
    expr.any(|node| node.root() == Some(Root::Local(local)))
}
