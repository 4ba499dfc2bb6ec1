//! Code that can fail, and its `else`.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Type};
use nacre_syntax::ast::{self, Otherwise as Written, OtherwiseKind as WrittenKind};

use crate::body::{Body, Context};
use crate::bounded::is_message;
use crate::calls::Outcome;
use crate::convert::{as_type, holder, is_number};
use crate::tree::{Back, Expr, ExprKind, NameId, Otherwise, OtherwiseKind, Partial, PartialKind, UNIT};

impl Body<'_, '_> {
    /// A value that may be missing.
    pub fn partial(&mut self, e: &ast::Expr) -> Option<Partial> {
        let outer = std::mem::replace(&mut self.span, e.span);
        let partial = self.partial_of(e);
        self.span = outer;
        partial
    }

    fn partial_of(&mut self, e: &ast::Expr) -> Option<Partial> {
        match &e.kind {
            ast::ExprKind::As(x, to) => {
                let want = self.cx.resolve(to)?;
                match want {
                    Type::Bounded(most) => return self.bounded(x, most),
                    Type::Range(..) => return self.fitted(x, want),
                    _ => {}
                }
            }
            ast::ExprKind::Binary(op @ (ast::BinaryOp::Div | ast::BinaryOp::Rem), l, r)
                if self.cx.constant(r).is_none() =>
            {
                return self.divided(*op, l, r, e.span);
            }
            ast::ExprKind::Call(f, arguments) if self.is_mul_div(f, arguments) => {
                let e: Vec<&ast::Expr> = arguments.iter().map(|a| &a.value).collect();
                let parts = self.mul_div_parts(&e, self.span, None)?;
                let ty = parts[0].ty.clone();
                return Some(self.fails(PartialKind::MulDiv(Box::new(parts)), ty));
            }
            ast::ExprKind::Call(f, arguments) => return self.called(f, arguments, e.span),
            _ => {}
        }
        let value = self.expr(e, None)?;
        self.optional(value.expr, e.span)
    }

    fn fails(&self, kind: PartialKind, ty: Type) -> Partial {
        Partial { kind, ty, back: Back::None, span: self.span }
    }

    fn called(&mut self, f: &ast::Expr, arguments: &[ast::Argument], span: Span) -> Option<Partial> {
        match self.outcome(f, arguments, span, None)? {
            Outcome::Failable(partial) if partial.ty != UNIT && !matches!(partial.kind, PartialKind::At(..)) => {
                Some(partial)
            }
            Outcome::Value(value) if value.expr.ty != UNIT => self.optional(value.expr, span),
            Outcome::Failable(partial) if matches!(partial.kind, PartialKind::At(..)) => {
                let help = "name the entry: `ref entry = x.at(key) else { ... }`";
                self.error("T0064", "`at` returns an entry, which is not a value", span, "", help);
                None
            }
            _ => {
                self.error("T0064", "this call returns no value", span, "", "");
                None
            }
        }
    }

    /// An option: its value may be missing.
    pub fn optional(&mut self, value: Expr, span: Span) -> Option<Partial> {
        let Type::Option(t) = value.ty.clone() else {
            let shown = self.show(&value.ty);
            self.error(
                "T0084",
                "this cannot fail",
                span,
                format!("of type {shown}"),
                "write `let x = ...;` without an `else`",
            );
            return None;
        };
        Some(self.fails(PartialKind::Option(value), *t))
    }

    /// `x as 0..N`
    fn fitted(&mut self, x: &ast::Expr, want: Type) -> Option<Partial> {
        let value = self.expr(x, None)?.expr;
        if !is_number(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0036", format!("{shown} cannot be converted to a range"), x.span, "", "");
            return None;
        }
        Some(self.fails(PartialKind::Fit(value), want))
    }

    /// `x as msg<N>`: if it is too long, a message that has a name keeps it, and another one is dropped.
    fn bounded(&mut self, x: &ast::Expr, most: u32) -> Option<Partial> {
        let value = self.expr(x, None)?.expr;
        if !is_message(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0036", format!("{shown} cannot be converted to msg<{most}>"), x.span, "not a message", "");
            return None;
        }
        let back = match (&value.kind, &x.kind) {
            (ExprKind::Name(id), ast::ExprKind::Name(_)) => Back::Name(*id),
            _ => Back::Parts(Vec::new()),
        };
        Some(Partial { back, ..self.fails(PartialKind::Bound(value, most), Type::Bounded(most)) })
    }

    /// `a / b` where b may be zero.
    fn divided(&mut self, op: ast::BinaryOp, l: &ast::Expr, r: &ast::Expr, span: Span) -> Option<Partial> {
        let (left, right) = self.sides(l, r, None)?;
        let (left, right) = self.unify(left, right, None, span)?;
        // Ranges are not closed under arithmetic: compute in a width that holds them.
        let ty = holder(&left.ty);
        if !matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Duration) {
            return self.no_operator(op, &left.ty, span);
        }
        let both = Box::new([as_type(&left, ty.clone()), as_type(&right, ty.clone())]);
        Some(match op {
            // A quotient of two durations is a plain number.
            ast::BinaryOp::Div if ty == Type::Duration => {
                self.fails(PartialKind::Divide(BinaryOp::Div, both), Type::UInt(64))
            }
            ast::BinaryOp::Div => self.fails(PartialKind::Divide(BinaryOp::Div, both), ty),
            _ => self.fails(PartialKind::Divide(BinaryOp::Rem, both), ty),
        })
    }

    /// `mul_div(a, b, c)` where c may be zero.
    fn is_mul_div(&self, f: &ast::Expr, arguments: &[ast::Argument]) -> bool {
        let [_, _, by] = arguments else { return false };
        let named = matches!(&f.kind, ast::ExprKind::Name(name) if name == "mul_div");
        named && !self.cx.function_ids.contains_key("mul_div") && self.cx.constant(&by.value).is_none()
    }

    /// A value with the `else` for the case that it is missing; the `else` must leave.
    pub fn tried(&mut self, e: &ast::Expr, otherwise: &Written) -> Option<Expr> {
        let partial = self.partial(e);
        let otherwise = self.failing(partial.as_ref(), otherwise, true);
        let Some(partial) = partial else {
            if let OtherwiseKind::Block(block) = otherwise.kind {
                self.kept.push(block);
            }
            return None;
        };
        let (ty, span) = (partial.ty.clone(), partial.span);
        Some(Expr::new(ExprKind::Try(Box::new(partial), Box::new(otherwise)), ty, span))
    }

    /// The `else` of code that can fail. With `diverges`, it must leave.
    pub fn failing(&mut self, partial: Option<&Partial>, written: &Written, diverges: bool) -> Otherwise {
        let before = self.flow.clone();
        match partial {
            Some(partial) => self.give_back(&partial.back, partial.span),
            None => self.flow.forget(),
        }
        let otherwise = self.otherwise(written);
        let after = std::mem::replace(&mut self.flow, before.clone());
        if partial.is_some() && diverges && !after.ended {
            self.error(
                "T0085",
                "this `else` must leave",
                written.span,
                "the value is absent after it",
                "end it with `return`, `break` or `else unreachable`",
            );
        }
        let span = self.at;
        self.merge(after, before, span);
        otherwise
    }

    fn otherwise(&mut self, o: &Written) -> Otherwise {
        let kind = match &o.kind {
            WrittenKind::Block(block) => OtherwiseKind::Block(self.statements(block)),
            WrittenKind::Return(value) => match self.returned(value.as_ref(), o.span) {
                Some(value) => OtherwiseKind::Return(value),
                None => self.left(),
            },
            WrittenKind::Break => match self.leaves_loop(o.span) {
                Some(()) => OtherwiseKind::Break,
                None => self.left(),
            },
            WrittenKind::Reject => {
                self.own.rejecting.push(self.own.current);
                self.leave(Some(o.span));
                OtherwiseKind::Reject
            }
            WrittenKind::Unreachable => {
                let drops = self.flow.all_live();
                drops.iter().for_each(|id: &NameId| self.flow.end(*id));
                self.flow.ended = true;
                OtherwiseKind::Unreachable { drops, result: self.result() }
            }
        };
        Otherwise { kind, span: o.span }
    }

    /// An `else` that leaves, for code with a reported error.
    fn left(&mut self) -> OtherwiseKind {
        self.flow.forget();
        self.flow.ended = true;
        OtherwiseKind::Error
    }

    /// The result type of this body's function.
    pub fn result(&self) -> Option<Type> {
        match &self.context {
            Context::Function { result } | Context::Filter { function: Some(result), .. } => result.clone(),
            _ => None,
        }
    }
}
