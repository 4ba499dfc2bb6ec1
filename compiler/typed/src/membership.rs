//! `in`: what is in a set or a container.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Query, Type};
use nacre_syntax::ast;

use crate::body::{Body, Value};
use crate::convert::as_type;
use crate::tree::{Expr, ExprKind};

impl Body<'_, '_> {
    /// Reports a constant that cannot be an element of a set of this type.
    pub fn element(&mut self, x: &Expr, set: &Type, span: Span) -> Option<()> {
        let (Type::Bits(n), ExprKind::Const(value)) = (set, &x.kind) else { return Some(()) };
        if x.ty == *set || *value < u64::from(*n) {
            return Some(());
        }
        let shown = self.show(set);
        let help = format!("its elements are 0 to {}", n - 1);
        self.error("T0118", format!("this cannot be an element of a {shown}"), span, "too large, or negative", help);
        None
    }

    /// `x in set`, `x in container`.
    pub fn contains(&mut self, l: &ast::Expr, r: &ast::Expr) -> Option<Value> {
        if let Some(key) = self.place_type(r).and_then(|ty| key_of(&ty)) {
            let place = self.place(r)?;
            self.comparable(&key, "in", r.span)?;
            let x = self.expr_as(l, &key)?;
            let query =
                if matches!(place.ty, Type::Window(..) | Type::Pool(..)) { Query::Has } else { Query::Contains };
            return Some(Value::fixed(self.make(ExprKind::Query(query, Box::new(place), vec![x]), Type::Bool)));
        }
        let (x, set) = self.sides(l, r, None)?;
        let Type::Bits(_) = set.expr.ty else {
            let shown = self.show(&set.expr.ty);
            self.error("T0061", format!("`in` tests a set or a container, not {shown}"), r.span, "", "");
            return None;
        };
        self.element(&x.expr, &set.expr.ty, l.span)?;
        if !nacre_stack::can_be_element(&x.expr.ty) {
            let shown = self.show(&x.expr.ty);
            self.error("T0061", format!("the elements of a set are numbers, not {shown}"), l.span, "", "");
            return None;
        }
        let x = as_type(&x.expr, Type::UInt(32));
        Some(Value::fixed(self.make(ExprKind::Binary(BinaryOp::Member, Box::new(x), Box::new(set.expr)), Type::Bool)))
    }
}

/// What `x in container` compares with; None: no container.
fn key_of(ty: &Type) -> Option<Type> {
    match ty {
        Type::Ring(t, _) | Type::List(t, _) => Some((**t).clone()),
        Type::Map(k, _, _) => Some((**k).clone()),
        Type::Window(_, _, bits) => Some(Type::Seq(*bits)),
        Type::Pool(_, n) => Some(Type::Range(0, u64::from(*n))),
        _ => None,
    }
}
