//! Messages of a bounded length, `msg<1100>`: which messages are known to fit.
//!
//! The bound is a type while a layer is checked. `x as msg<N> else ...` compares the length; every other way to such a
//! message keeps a bound that is known. So the stack IR needs no such type: all messages are [`Type::Msg`] there, and
//! `compose` finds the bound of a place from what is put there.

use nacre_stack::Type;

use crate::tree::{Expr, ExprKind};

/// Whether a type is that of a message, of any length.
pub(crate) fn is_message(ty: &Type) -> bool {
    matches!(ty, Type::Msg | Type::Bounded(_))
}

/// Whether a result that may be missing is a message with a bound.
pub(crate) fn is_bounded(ty: &Type) -> bool {
    match ty {
        Type::Option(t) => is_bounded(t),
        _ => bound(ty).is_some(),
    }
}

/// The greatest length of a message of this type.
fn bound(ty: &Type) -> Option<u32> {
    match ty {
        Type::Bounded(n) => Some(*n),
        _ => None,
    }
}

/// Whether every value of one type is one of the other, which differs in the bounds of messages alone.
pub(crate) fn loosens(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Msg | Type::Bounded(_), Type::Msg) => true,
        (Type::Bounded(a), Type::Bounded(b)) => a <= b,
        (Type::Option(a), Type::Option(b)) => loosens(a, b),
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| loosens(a, b)),
        _ => from == to,
    }
}

/// The type of a slice of constant length, or of one of a message with this type.
pub(crate) fn slice_of(message: &Type, length: &Expr) -> Type {
    let stated = match length.kind {
        ExprKind::Const(n) => u32::try_from(n).ok(),
        _ => None,
    };
    stated.into_iter().chain(bound(message)).min().map_or(Type::Msg, Type::Bounded)
}

/// The type of the message that a filter makes which yields no more than it reads: as long as the longest of these.
pub(crate) fn longest_of(views: &[Expr]) -> Type {
    let longest = |view: &Expr| match (&view.kind, &view.ty) {
        (ExprKind::View(of), _) => bound(&of.ty),
        (_, Type::Msg | Type::Bounded(_)) => bound(&view.ty),
        (_, Type::Bytes(n)) => Some(*n),
        _ => None,
    };
    let longest: Option<Vec<u32>> = views.iter().map(longest).collect();
    longest.and_then(|all| all.into_iter().max()).map_or(Type::Msg, Type::Bounded)
}
