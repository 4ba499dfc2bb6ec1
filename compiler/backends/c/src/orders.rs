//! Comparisons of small signed numbers, in the form that takes the fewest instructions.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{constant, Scalar};

impl Body<'_, '_> {
    /// Distances, converted numbers and constants of fewer bits than C computes with, shifted to the top: their order
    /// is the same, and the sign is where C expects it.
    pub fn shifted(&mut self, a: &Expr, b: &Expr) -> Option<(Term, Term)> {
        let Scalar::Signed { c: c @ (32 | 64), bits } = self.w.scalar(&a.ty)? else { return None };
        let shift = c - bits;
        let fits = |e: &Expr| is_narrow(e) || constant_of(e).is_some();
        if shift == 0 || !(fits(a) && fits(b)) || !(is_narrow(a) || is_narrow(b)) {
            return None;
        }
        let mut side = |e: &Expr| match &e.kind {
            ExprKind::Binary(BinaryOp::Distance, x, y) => {
                let of = self.scalar_of(&x.ty);
                let (x, y) = (self.computed_as(x, of), self.computed_as(y, of));
                Term::operation(format!("(int{c}_t)(({x} - {y}) << {shift})"))
            }
            ExprKind::Convert(inner) if constant_of(e).is_none() => {
                let of = self.scalar_of(&inner.ty);
                Term::operation(format!("(int{c}_t)({} << {shift})", self.computed_as(inner, of)))
            }
            _ => {
                let n = constant_of(e).unwrap_or(0);
                Term::number(constant(n << shift, Scalar::Signed { c, bits: c }))
            }
        };
        Some((side(a), side(b)))
    }

    /// The order of the number of entries between both ends of a window and a constant, where it says whether there
    /// are any: whether the ends differ. A window never has more numbers than half of what its type has.
    pub fn order_of_ends(&mut self, strict: bool, a: &Expr, b: &Expr) -> Option<Term> {
        let (span, is_empty) = match (constant_of(a), constant_of(b), strict) {
            (Some(0), None, true) | (Some(1), None, false) => (b, false),
            (None, Some(1), true) | (None, Some(0), false) => (a, true),
            _ => return None,
        };
        let (high, low) = ends(span)?;
        let (high, low) = (self.value(high), self.value(low));
        Some(Term::operation(format!("{high} {} {low}", if is_empty { "==" } else { "!=" })))
    }
}

/// Both ends of a window whose distance a signed number is.
fn ends(span: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Binary(BinaryOp::Sub | BinaryOp::Distance, high, low) = &same_bits(span).kind else { return None };
    let (high, low) = (same_bits(high), same_bits(low));
    match (&high.kind, &low.kind) {
        (ExprKind::Query(Query::High, of, _), ExprKind::Query(Query::Low, other, _)) if of == other => {
            let Type::Window(_, capacity, bits) = &of.ty else { return None };
            let fits = u64::from(*capacity) < 1 << (bits - 1) && bits_of(span) == Some(*bits);
            fits.then_some((high, low))
        }
        _ => None,
    }
}

/// An expression without conversions between numbers of the same number of bits.
fn same_bits(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) if bits_of(e).is_some() && bits_of(e) == bits_of(inner) => same_bits(inner),
        _ => e,
    }
}

fn bits_of(e: &Expr) -> Option<u8> {
    match e.ty {
        Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => Some(bits),
        _ => None,
    }
}

/// Whether the sign of a number is not yet where C expects it: it is a distance, or an unsigned number of as many bits.
fn is_narrow(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Distance, ..) => true,
        ExprKind::Convert(inner) => {
            matches!((&inner.ty, &e.ty), (Type::UInt(from) | Type::Seq(from), Type::Int(to)) if from == to)
        }
        _ => false,
    }
}

fn constant_of(e: &Expr) -> Option<u64> {
    match &e.kind {
        ExprKind::Const(n) => Some(*n),
        ExprKind::Zero => Some(0),
        ExprKind::Convert(inner) if bits_of(e).is_some() && bits_of(e) == bits_of(inner) => constant_of(inner),
        _ => None,
    }
}
