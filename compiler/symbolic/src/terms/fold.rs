//! Operations on constants.

use super::{low, signed, Op};

/// The result of an operation on constant bit vectors of one width; None: it is a formula, or has another form.
pub(super) fn bits(op: Op, width: u32, a: u128, b: u128) -> Option<u128> {
    let result = match op {
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        // As SMT-LIB defines them: all ones, and the dividend.
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv => match (signed(a, width), signed(b, width)) {
            (left, 0) => {
                if left < 0 {
                    1
                } else {
                    u128::MAX
                }
            }
            (left, right) => left.wrapping_div(right) as u128,
        },
        Op::SRem => match (signed(a, width), signed(b, width)) {
            (_, 0) => a,
            (left, right) => left.wrapping_rem(right) as u128,
        },
        Op::Shl => {
            if b >= u128::from(width) {
                0
            } else {
                a << b
            }
        }
        Op::LShr => {
            if b >= u128::from(width) {
                0
            } else {
                a >> b
            }
        }
        Op::AShr => (signed(a, width) >> b.min(127)) as u128,
        _ => return None,
    };
    Some(low(result, width))
}

/// The result of a comparison of constant bit vectors.
pub(super) fn compare(op: Op, width: u32, a: u128, b: u128) -> Option<bool> {
    match op {
        Op::ULess => Some(a < b),
        Op::SLess => Some(signed(a, width) < signed(b, width)),
        _ => None,
    }
}
