//! Constant expressions, and the types of numbers.

use nacre_stack::{BinaryOp, Expr, ExprKind, Type};

/// The value of a constant expression.
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

/// Width of a number's type in bits; 64 for other types.
pub(crate) fn width(ty: &Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::UInt(bits) => u32::from(*bits),
        Type::Range(_, high) => 64 - high.saturating_sub(1).leading_zeros(),
        _ => 64,
    }
}
