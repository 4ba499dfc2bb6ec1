//! What can fail, and the `else` that says what happens then.

use nacre_diagnostics::Span;
use nacre_stack::{BinaryOp, Expr, ExprKind, StatementKind, Type};
use nacre_syntax::ast::{self, Otherwise, OtherwiseKind};

use crate::body::{Body, Context};
use crate::calls::{Back, Outcome};
use crate::convert::{holder, is_number};
use crate::expressions::make;
use crate::operators::{as_type, quotient};

/// A value that may not be there.
pub(crate) struct Tried {
    pub failed: Expr,
    pub value: Expr,
    pub give_back: Back,
    /// The option that holds the value, where it may be a message.
    pub option: Option<Expr>,
}

impl Body<'_, '_> {
    /// A value that may not be there.
    pub fn try_value(&mut self, e: &ast::Expr, span: Span) -> Option<Tried> {
        if let Some(tried) = self.try_fit(e)? {
            return Some(tried);
        }
        if let Some(tried) = self.try_divide(e)? {
            return Some(tried);
        }
        if let ast::ExprKind::Call(f, arguments) = &e.kind {
            return match self.outcome(f, arguments, e.span, None)? {
                Outcome::Failable { done, value: Some(value), back, .. } => {
                    let done = self.spill(done);
                    Some(Tried { failed: not(done), value, give_back: back, option: None })
                }
                Outcome::Value(value) => self.try_option(value.expr, span),
                _ => {
                    self.error("T0064", "this call gives no value", e.span, "", "");
                    None
                }
            };
        }
        // An option with a message in its place is looked at, not moved.
        let value = self.expr(e, None)?;
        self.try_option(value.expr, e.span)
    }

    /// An option: is it there, and its value.
    pub fn try_option(&mut self, value: Expr, span: Span) -> Option<Tried> {
        let Type::Option(t) = value.ty.clone() else {
            let shown = self.show(&value.ty);
            self.error("T0084", "this does not fail", span, format!("of type {shown}"), "leave `else` away");
            return None;
        };
        let held = self.spill(value);
        let there = make(ExprKind::IsSome(Box::new(held.clone())), Type::Bool);
        let inside = make(ExprKind::Unwrap(Box::new(held.clone())), *t);
        let option = self.cx.linear(&held.ty).then_some(held);
        Some(Tried { failed: not(there), value: inside, give_back: Back::None, option })
    }

    /// `x as 0..N`, `x as msg<N>`
    fn try_fit(&mut self, e: &ast::Expr) -> Option<Option<Tried>> {
        let ast::ExprKind::As(x, to) = &e.kind else { return Some(None) };
        let want = self.cx.resolve(to)?;
        if let Type::Bounded(most) = want {
            return self.try_bound(x, most, e.span).map(Some);
        }
        if !matches!(want, Type::Range(..)) {
            return Some(None);
        }
        let value = self.expr(x, None)?.expr;
        if !is_number(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0036", format!("{shown} cannot be converted to a range"), x.span, "", "");
            return None;
        }
        let into = self.temporary(Type::Option(Box::new(want)));
        self.push(StatementKind::Fit { into, value });
        let option = self.get(into);
        self.try_option(option, e.span).map(Some)
    }

    /// `a / b` where b may be zero.
    fn try_divide(&mut self, e: &ast::Expr) -> Option<Option<Tried>> {
        if let ast::ExprKind::Call(f, arguments) = &e.kind {
            return self.try_mul_div(f, arguments, e.span);
        }
        let ast::ExprKind::Binary(op @ (ast::BinaryOp::Div | ast::BinaryOp::Rem), l, r) = &e.kind else {
            return Some(None);
        };
        if self.cx.constant(r).is_some() {
            return Some(None);
        }
        let (left, right) = self.sides(l, r, None)?;
        let (left, right) = self.unify(left, right, None, e.span)?;
        // Ranges are closed under nothing: compute in a width that holds them.
        let ty = holder(&left.ty);
        if !matches!(ty, Type::UInt(_) | Type::Int(_) | Type::Duration) {
            let op = if *op == ast::BinaryOp::Div { ast::BinaryOp::Div } else { ast::BinaryOp::Rem };
            return self.no_operator(op, &left.ty.clone(), e.span);
        }
        let (left, right) = (as_type(&left, ty.clone()), as_type(&right, ty.clone()));
        let right = self.spill(right);
        let zero = make(ExprKind::Const(0), ty.clone());
        let failed = make(ExprKind::Binary(BinaryOp::Equal, Box::new(right.clone()), Box::new(zero)), Type::Bool);
        let op = if *op == ast::BinaryOp::Div { BinaryOp::Div } else { BinaryOp::Rem };
        let value = make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty);
        let value = if op == BinaryOp::Div { quotient(value) } else { value };
        Some(Some(Tried { failed, value, give_back: Back::None, option: None }))
    }

    /// `mul_div(a, b, c)` where c may be zero.
    fn try_mul_div(&mut self, f: &ast::Expr, arguments: &[ast::Argument], span: Span) -> Option<Option<Tried>> {
        let [_, _, by] = arguments else { return Some(None) };
        let named = matches!(&f.kind, ast::ExprKind::Name(name) if name == "mul_div");
        if !named || self.cx.function_ids.contains_key("mul_div") || self.cx.constant(&by.value).is_some() {
            return Some(None);
        }
        let e: Vec<&ast::Expr> = arguments.iter().map(|a| &a.value).collect();
        let [a, b, c] = self.mul_div_parts(&e, span, None)?;
        let c = self.spill(c);
        let zero = make(ExprKind::Const(0), c.ty.clone());
        let failed = make(ExprKind::Binary(BinaryOp::Equal, Box::new(c.clone()), Box::new(zero)), Type::Bool);
        Some(Some(Tried { failed, value: crate::builtins::mul_div([a, b, c]), give_back: Back::None, option: None }))
    }

    /// The failing way: `if failed { give back; otherwise }`. With `diverges`, it must not come back.
    pub fn fail(&mut self, failed: &Expr, back: Back, otherwise: Option<&Otherwise>, diverges: bool, span: Span) {
        let before = self.flow.clone();
        let (then, ()) = self.block(|b| {
            b.give_back(&back, span);
            if let Some(otherwise) = otherwise {
                b.otherwise(otherwise);
            }
        });
        let after = std::mem::replace(&mut self.flow, before.clone());
        if diverges && !after.ended {
            let at = otherwise.map_or(span, |o| o.span);
            self.error(
                "T0085",
                "this `else` must not come back",
                at,
                "what it guards has no value then",
                "end it with `return`, `break` or `else unreachable`",
            );
        }
        self.push(StatementKind::If { condition: failed.clone(), likely: Some(false), then, otherwise: Vec::new() });
        self.merge(after, before, span);
    }

    fn otherwise(&mut self, o: &Otherwise) {
        match &o.kind {
            OtherwiseKind::Block(block) => self.statements(block),
            OtherwiseKind::Return(value) => {
                let _ = self.return_(value.as_ref(), o.span);
            }
            OtherwiseKind::Break => {
                let _ = self.break_(o.span);
            }
            OtherwiseKind::Reject => {
                self.push(StatementKind::Reject);
                self.leave();
            }
            OtherwiseKind::Unreachable => {
                // Counted; whatever is held is let go.
                self.push(StatementKind::Unreachable);
                self.drop_all();
                self.push(StatementKind::Return(self.default_result()));
                self.flow.ended = true;
            }
        }
    }

    fn default_result(&self) -> Option<Expr> {
        match &self.context {
            Context::Function { result: Some(ty) } | Context::Filter { function: Some(Some(ty)), .. } => {
                Some(make(ExprKind::Zero, ty.clone()))
            }
            _ => None,
        }
    }

    fn drop_all(&mut self) {
        for id in 0..self.locals.len() as u32 {
            let id = nacre_stack::LocalId(id);
            if self.flow.live(id).is_some() {
                let value = self.get(id);
                self.push(StatementKind::Drop(value));
                self.flow.end(id);
            }
        }
    }
}

pub(crate) fn not(e: Expr) -> Expr {
    make(ExprKind::Unary(nacre_stack::UnaryOp::Not, Box::new(e)), Type::Bool)
}
