//! What expressions are made of, for all who walk over them.

use crate::{Expr, ExprKind, Place};

/// What an expression is made of: the expressions directly inside it in the order of evaluation, and the place that it reads.
pub fn operands(expr: &Expr) -> (Vec<&Expr>, Option<&Place>) {
    use ExprKind::*;
    match &expr.kind {
        Const(_) | Literal(_) | Zero | Local(_) | None | Now | Fingerprint | Room | Empty => (vec![], Option::None),
        Load(p) | Borrow(p) => (vec![], Option::Some(p)),
        Unary(_, a) | Convert(a) | Some(a) | IsSome(a) | Unwrap(a) | Field(a, _) | BytesOf(a) | View(a) => {
            (vec![a], Option::None)
        }
        Through(_, a) | Share(a) | Length(a) | Pack(_, a) | PackView(_, a) => (vec![a], Option::None),
        Binary(_, a, b) | Index(a, b) | Rest(a, b) => (vec![a, b], Option::None),
        If(a, b, c) | MulDiv(a, b, c) | Part(a, b, c) | Slice(a, b, c) => (vec![a, b, c], Option::None),
        Struct(list) | Tuple(list) | Array(list) | Concat(list) | Extern(_, list) => {
            (list.iter().collect(), Option::None)
        }
        Query(_, p, list) => (list.iter().collect(), Option::Some(p)),
        Push(m, _, list) => (std::iter::once(m.as_ref()).chain(list).collect(), Option::None),
    }
}
