//! Messages of a bounded length, `msg<1100>`: which messages are known to fit, and how a layer finds out.
//!
//! The bound is a type while a layer is checked. `x as msg<N> else ...` compares the length; every other way to such a message
//! keeps a bound that is known. So the stack IR needs no such type: all messages are [`Type::Msg`] there, and `compose` finds the
//! bound of a place from what is put there.

use nacre_diagnostics::Span;
use nacre_stack::visit::Rewriter;
use nacre_stack::{BinaryOp, Expr, ExprKind, Type};
use nacre_syntax::ast;

use crate::body::Body;
use crate::calls::Back;
use crate::expressions::make;
use crate::failing::Tried;
use crate::fragment::Fragment;

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

/// The longest that a message of this type can be.
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
        (_, Type::Bytes(n)) => Some(*n),
        _ => None,
    };
    let longest: Option<Vec<u32>> = views.iter().map(longest).collect();
    longest.and_then(|all| all.into_iter().max()).map_or(Type::Msg, Type::Bounded)
}

impl Body<'_, '_> {
    /// `x as msg<N> else ...`: if it is too long, a message that has a name keeps it, and another one is dropped.
    pub fn try_bound(&mut self, x: &ast::Expr, most: u32, span: Span) -> Option<Tried> {
        let value = self.expr(x, None)?.expr;
        if !is_message(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0036", format!("{shown} cannot be converted to msg<{most}>"), x.span, "not a message", "");
            return None;
        }
        let (held, give_back) = match (&value.kind, &x.kind) {
            (ExprKind::Local(id), ast::ExprKind::Name(_)) => (value.clone(), Back::Local(*id)),
            _ => {
                let held = self.spill(value);
                let ExprKind::Local(temporary) = held.kind else { return None };
                (held, Back::Parts { temporary, parts: Vec::new() })
            }
        };
        let number = Type::UInt(32);
        let length = make(ExprKind::Length(Box::new(held.clone())), number.clone());
        let most_bytes = make(ExprKind::Const(u64::from(most)), number);
        let failed = make(ExprKind::Binary(BinaryOp::Less, Box::new(most_bytes), Box::new(length)), Type::Bool);
        let value = Expr::new(held.kind, Type::Bounded(most), span);
        Some(Tried { failed, value, give_back, option: None })
    }
}

/// Makes all messages [`Type::Msg`].
struct Erase;

impl Rewriter for Erase {
    fn ty(&mut self, ty: &mut Type) {
        match ty {
            Type::Bounded(_) => *ty = Type::Msg,
            Type::Option(t) | Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => self.ty(t),
            Type::Window(t, ..) | Type::Pool(t, _) => self.ty(t),
            Type::Map(key, t, _) => {
                self.ty(key);
                self.ty(t);
            }
            Type::Tuple(types) => types.iter_mut().for_each(|t| self.ty(t)),
            Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => {}
            Type::Struct(_) | Type::Bits(_) | Type::Addr | Type::Duration | Type::Instant | Type::Timer => {}
            Type::Bytes(_) | Type::Text(_) | Type::Msg | Type::View => {}
        }
    }
}

impl Fragment {
    /// Forgets the bounds of messages, when all has been checked.
    pub(crate) fn forget_bounds(&mut self) {
        self.rewrite(&mut |_| Erase);
        let structs = self.structs.iter_mut().flat_map(|s| &mut s.fields).map(|f| &mut f.ty);
        let externs = self.externs.iter_mut().flat_map(|e| &mut e.parameters).map(|p| &mut p.ty);
        let locals =
            self.handlers.iter_mut().map(|h| &mut h.locals).chain(self.functions.iter_mut().map(|f| &mut f.locals));
        let locals = locals.chain(self.cells.iter_mut().map(|c| &mut c.locals)).flatten().map(|l| &mut l.ty);
        structs.chain(externs).chain(locals).for_each(|ty| Erase.ty(ty));
        self.functions.iter_mut().filter_map(|f| f.result.as_mut()).for_each(|ty| Erase.ty(ty));
        self.cells.iter_mut().for_each(|cell| Erase.ty(&mut cell.ty));
    }
}
