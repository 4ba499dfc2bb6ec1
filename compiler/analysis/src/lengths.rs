//! How long the messages of calls may be.

use std::collections::BTreeMap;

use nacre_stack::{BinaryOp, EventId, Expr, ExprKind, LocalId, PortId, Root, Stack, Type};

use crate::constants::{constant, is_lossless};

/// Upper limit of a message's length, for messages that no condition bounds.
pub const LONGEST: u32 = 1 << 24;

/// The longest message of each port's input, where its admission bounds it by a constant.
pub fn longest_calls(stack: &Stack) -> BTreeMap<(PortId, EventId), u32> {
    let mut result = BTreeMap::new();
    for (p, port) in stack.ports.iter().enumerate() {
        for input in &port.inputs {
            let Some(message) = stack.event(input.event).message else { continue };
            let said = input.admissions.iter().filter_map(|a| stated_length(&a.condition, LocalId(message))).min();
            if let Some(limit) = said {
                result.insert((PortId(p as u32), input.event), limit);
            }
        }
    }
    result
}

/// The longest message for which a condition can hold, if it bounds the length by a constant.
pub fn stated_length(condition: &Expr, message: LocalId) -> Option<u32> {
    length_limit(condition, message).map(|limit| limit.min(u64::from(LONGEST)) as u32)
}

/// `m.len <= N` as one of the conditions that must hold.
fn length_limit(condition: &Expr, message: LocalId) -> Option<u64> {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::Both, a, b) => match (length_limit(a, message), length_limit(b, message)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        ExprKind::Binary(BinaryOp::LessEqual, a, b) if is_length(a, message) => constant(b),
        ExprKind::Binary(BinaryOp::Less, a, b) if is_length(a, message) => constant(b).map(|n| n.saturating_sub(1)),
        _ => None,
    }
}

fn is_length(expr: &Expr, message: LocalId) -> bool {
    match &expr.kind {
        // Between sequence numbers, a long length can be less than a short one.
        ExprKind::Convert(inner) => {
            is_lossless(&inner.ty, &expr.ty) && !matches!(expr.ty, Type::Seq(_)) && is_length(inner, message)
        }
        ExprKind::Length(of) => match &of.kind {
            ExprKind::Local(local) => *local == message,
            ExprKind::Borrow(place) => place.root == Root::Local(message) && place.path.is_empty(),
            _ => false,
        },
        _ => false,
    }
}
