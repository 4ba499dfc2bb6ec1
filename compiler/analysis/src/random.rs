//! Equivalence classes of random numbers: the values of a draw between which a stack cannot distinguish. A checker
//! needs to try only one value of each class.
//!
//! If a drawn number is only compared with constants, values with the same outcomes of these comparisons are
//! equivalent. If it is used in any other way (in a header, an index, arithmetic), every value is a class of its own.

use std::collections::BTreeSet;

use nacre_stack::interpret::Points;
use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::values;

/// The limit of values of one draw that are listed.
const MOST_POINTS: usize = 64;

/// Returns the values to try of every draw that is only compared with constants: one for each combination of outcomes.
pub fn points(stack: &Stack) -> Points {
    let mut found = Points::new();
    for body in values::bodies(stack) {
        body.block.each_statement(|statement| {
            let StatementKind::Random { into, below } = &statement.kind else { return };
            let ExprKind::Const(below) = below.kind else { return };
            if let Some(points) = compared(body.block, *into, below).and_then(|bounds| told_apart(&bounds, below)) {
                found.insert(statement.id, points);
            }
        });
    }
    found
}

/// Returns whether a stack distinguishes only the least and the greatest value of every draw.
pub fn extremes_suffice(stack: &Stack) -> bool {
    if crate::timing::draws(stack).is_empty() {
        return true;
    }
    let points = points(stack);
    let mut suffice = true;
    draws_of_effect(stack, false, |statement, below| {
        let two = matches!(below.kind, ExprKind::Const(0..=2));
        suffice &= two || points.get(&statement.id).is_some_and(|points| points.len() <= 2);
    });
    suffice
}

/// Visits every statement that draws a number, and those that draw a time if any of these decides more than how long a
/// timer waits (`has_clock`: in any case), with its limit; including those of initial values.
pub fn draws_of_effect<'s>(stack: &'s Stack, has_clock: bool, mut meet: impl FnMut(&'s Statement, &'s Expr)) {
    let times = has_clock || !crate::timing::draws_of_times(stack).is_empty();
    let code = values::bodies(stack).map(|body| (body.block, body.locals));
    let initial = stack.cells.iter().map(|cell| (&cell.draws, &cell.locals[..]));
    for (block, locals) in code.chain(initial) {
        block.each_statement(|statement| {
            let StatementKind::Random { into, below } = &statement.kind else { return };
            if times || !matches!(locals[into.index()].ty, Type::Duration) {
                meet(statement, below);
            }
        });
    }
}

/// The constants that a drawn number is compared with, if it has no other use.
fn compared(block: &Block, drawn: LocalId, below: u64) -> Option<BTreeSet<(Comparison, u64)>> {
    let mut holds = BTreeSet::from([drawn]);
    loop {
        let before = holds.len();
        block.each_statement(|statement| {
            if let StatementKind::Let(into, value) = &statement.kind {
                if number(value, below).is_some_and(|local| holds.contains(&local)) {
                    holds.insert(*into);
                }
            }
        });
        if holds.len() == before {
            break;
        }
    }
    let (mut uses, mut known, mut bounds) = (0usize, 0usize, BTreeSet::new());
    let mine = |e: &Expr| number(e, below).is_some_and(|local| holds.contains(&local));
    block.each(|node| {
        uses += usize::from(node.local().is_some_and(|local| holds.contains(&local)));
        let Node::Expr(e) = node else { return };
        if let ExprKind::Binary(op, left, right) = &e.kind {
            let bound = match (&left.kind, &right.kind) {
                (_, ExprKind::Const(c)) if mine(left) => comparison(*op, false).map(|kind| (kind, *c)),
                (ExprKind::Const(c), _) if mine(right) => comparison(*op, true).map(|kind| (kind, *c)),
                _ => None,
            };
            known += usize::from(bound.is_some());
            bounds.extend(bound);
        }
    });
    block.each_statement(|statement| {
        if matches!(&statement.kind, StatementKind::Let(_, value) if mine(value)) {
            known += 1;
        }
    });
    (uses == known).then_some(bounds)
}

/// The meaning of a comparison of a drawn number with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Comparison {
    Equal,
    /// Less than the constant.
    Less,
    /// At most the constant.
    AtMost,
}

impl Comparison {
    fn outcome(self, value: u64, constant: u64) -> bool {
        match self {
            Comparison::Equal => value == constant,
            Comparison::Less => value < constant,
            Comparison::AtMost => value <= constant,
        }
    }
}

/// The comparison that an operator is, with the drawn number on the left or `swapped` to the right.
fn comparison(op: BinaryOp, swapped: bool) -> Option<Comparison> {
    match (op, swapped) {
        (BinaryOp::Equal | BinaryOp::NotEqual, _) => Some(Comparison::Equal),
        // c < x is not x <= c, and c <= x is not x < c.
        (BinaryOp::Less, false) | (BinaryOp::LessEqual, true) => Some(Comparison::Less),
        (BinaryOp::LessEqual, false) | (BinaryOp::Less, true) => Some(Comparison::AtMost),
        _ => None,
    }
}

/// The local whose number an expression is, after lossless conversions.
fn number(e: &Expr, below: u64) -> Option<LocalId> {
    match &e.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::Convert(inner) => {
            let wide = matches!(e.ty, Type::UInt(bits) if below.saturating_sub(1) <= mask(u32::from(bits)));
            wide.then(|| number(inner, below)).flatten()
        }
        _ => None,
    }
}

/// One value for each combination of outcomes, the least and the greatest among them.
fn told_apart(bounds: &BTreeSet<(Comparison, u64)>, below: u64) -> Option<Vec<u64>> {
    let last = below.saturating_sub(1);
    let near = bounds.iter().flat_map(|(_, c)| [c.saturating_sub(1), *c, c.saturating_add(1)]);
    let candidates = [0, last].into_iter().chain(near).filter(|value| *value <= last);
    let outcomes = |value: u64| bounds.iter().map(|(kind, c)| kind.outcome(value, *c)).collect::<Vec<_>>();
    let mut points: Vec<u64> = vec![];
    for value in candidates {
        if points.contains(&value) {
            continue;
        }
        if points.iter().all(|point| outcomes(*point) != outcomes(value)) || value == last {
            points.push(value);
        }
    }
    points.sort_unstable();
    (points.len() <= MOST_POINTS).then_some(points)
}
