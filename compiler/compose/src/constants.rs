//! Expressions that are numbers already.

use nacre_stack::{BinaryOp, Expr, ExprKind};

/// The value of an expression of constants.
pub(crate) fn constant(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Const(n) => Some(*n),
        ExprKind::Zero => Some(0),
        ExprKind::Convert(e) => constant(e),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Min => Some(a.min(b)),
                BinaryOp::Max => Some(a.max(b)),
                _ => None,
            }
        }
        _ => None,
    }
}
