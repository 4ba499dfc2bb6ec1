//! Constant expressions, and the types of numbers.

use nacre_stack::interpret::Value;
use nacre_stack::operations::{numbers, Kind};
use nacre_stack::{BinaryOp, Expr, ExprKind, Type};

/// The value of a constant expression as the stack computes it, which wraps in the width of each type; in the two's
/// complement of 64 bits if signed.
pub fn constant(expr: &Expr) -> Option<u64> {
    match &expr.kind {
        ExprKind::Const(n) => Some(*n),
        ExprKind::Zero => Some(0),
        ExprKind::Convert(e) => is_number(&e.ty).then(|| constant(e))?.map(|n| fitted(n, &expr.ty)),
        ExprKind::Binary(op, a, b) => binary(*op, a, b).map(|n| fitted(n, &expr.ty)),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Option<u64> {
    let row = op.row(&a.ty).filter(|_| is_number(&a.ty) && is_number(&b.ty))?;
    let operand = |e: &Expr| constant(e).map(|n| Value::Num(numbers::cut(n, &e.ty)));
    match row.run(operand(a)?, operand(b)?, &a.ty) {
        Value::Num(n) => Some(n),
        _ => None,
    }
}

fn fitted(n: u64, ty: &Type) -> u64 {
    numbers::wide(numbers::cut(n, ty), ty)
}

fn is_number(ty: &Type) -> bool {
    Kind::of(ty).is_number()
}

/// Width of a number's type in bits; 64 for other types.
pub fn width(ty: &Type) -> u32 {
    match ty {
        Type::Range(_, high) => 64 - high.saturating_sub(1).leading_zeros(),
        ty => numbers::bits(ty),
    }
}

/// Whether a conversion keeps every number as it is.
pub fn is_lossless(from: &Type, to: &Type) -> bool {
    let signed = |ty: &Type| matches!(ty, Type::Int(_));
    let fits = match (signed(from), signed(to)) {
        (true, false) => false,
        (false, true) => width(from) < width(to),
        (false, false) | (true, true) => width(from) <= width(to),
    };
    fits && is_number(from) && is_number(to)
}
