//! Conditions of actions, taken apart into guards that bind parameters, and patterns.

use nacre_diagnostics::Span;
use nacre_specification::{Guard, Pattern};
use nacre_syntax::ast::{self, BinaryOp, ExprKind};

use super::inferred::Ty;
use super::{Binding, Known, Typer};

impl Typer<'_> {
    /// The guards of a condition, in its order.
    pub(super) fn guards(&mut self, e: &ast::Expr, guards: &mut Vec<Guard>) {
        if let ExprKind::Binary(BinaryOp::And, a, b) = &e.kind {
            self.guards(a, guards);
            self.guards(b, guards);
            return;
        }
        guards.extend(self.guard(e));
    }

    fn guard(&mut self, e: &ast::Expr) -> Option<Guard> {
        match &e.kind {
            ExprKind::Binary(BinaryOp::In, pattern, over) if self.binds(pattern, true) => {
                let (container, ty) = self.expr(over)?;
                let element = self.element(&ty, over.span)?;
                // What is in a map are its keys; `(key, value)` takes an entry where that cannot be a key.
                if let Ty::Map(key, _) = self.known(&ty) {
                    let pair = matches!(pattern.kind, ExprKind::Tuple(_)) && !matches!(self.known(&key), Ty::Tuple(_));
                    if !pair {
                        let pattern = Pattern::Tuple(vec![self.pattern(pattern, &key)?, Pattern::Any]);
                        return Some(Guard::In(pattern, container));
                    }
                }
                Some(Guard::In(self.pattern(pattern, &element)?, container))
            }
            ExprKind::Binary(BinaryOp::Equal, a, b) if self.binds(a, false) || self.binds(b, false) => {
                let (pattern, value) = if self.binds(a, false) { (a, b) } else { (b, a) };
                let (value, ty) = self.expr(value)?;
                Some(Guard::Is(self.pattern(pattern, &ty)?, value))
            }
            _ => Some(Guard::Holds(self.condition(e)?)),
        }
    }

    /// Whether this is a pattern that binds a name. `new`: a name alone may be undeclared.
    fn binds(&self, e: &ast::Expr, new: bool) -> bool {
        match &e.kind {
            ExprKind::Name(name) => name == "_" || self.unbound(name).is_some() || new && self.is_new(name, e.span),
            ExprKind::Tuple(parts) => parts.iter().any(|p| self.binds(p, true)),
            _ => false,
        }
    }

    /// A pattern of a guard: names with a value are compared.
    fn pattern(&mut self, e: &ast::Expr, ty: &Ty) -> Option<Pattern> {
        match &e.kind {
            ExprKind::Name(name) if name == "_" => Some(Pattern::Any),
            ExprKind::Name(name) if self.unbound(name).is_some() || self.is_new(name, e.span) => {
                let n = match self.unbound(name) {
                    Some(n) => n,
                    None => self.local(name),
                };
                self.bound_to(n, ty, e.span)?;
                self.locals[n].known = Known::Yes;
                Some(Pattern::Bind(n))
            }
            ExprKind::Tuple(parts) => self.tuple(parts, ty, e.span, Self::pattern),
            _ => Some(Pattern::Equal(self.wanted(e, ty)?)),
        }
    }

    /// A pattern of `for`, `all`, `any`: every name in it is a new one.
    pub(super) fn fresh_pattern(&mut self, e: &ast::Expr, ty: &Ty) -> Option<Pattern> {
        match &e.kind {
            ExprKind::Name(name) if name == "_" => Some(Pattern::Any),
            ExprKind::Name(name) => {
                let n = self.local(name);
                self.bound_to(n, ty, e.span)?;
                Some(Pattern::Bind(n))
            }
            ExprKind::Tuple(parts) => self.tuple(parts, ty, e.span, Self::fresh_pattern),
            _ => Some(Pattern::Equal(self.wanted(e, ty)?)),
        }
    }

    fn bound_to(&mut self, n: usize, ty: &Ty, span: Span) -> Option<()> {
        let local = self.locals[n].ty.clone();
        if self.unify(&local, ty) {
            // A parameter that the event calls a number and the state a rank.
            return Some(());
        }
        let (name, local, ty) = (self.locals[n].name.clone(), self.show(&local), self.show(ty));
        self.error("T0137", format!("expected {ty}, found `{name}` of type {local}"), span, "of another type", "")
    }

    fn tuple(
        &mut self,
        parts: &[ast::Expr],
        ty: &Ty,
        span: Span,
        each: fn(&mut Self, &ast::Expr, &Ty) -> Option<Pattern>,
    ) -> Option<Pattern> {
        let types: Vec<Ty> = parts.iter().map(|_| self.fresh()).collect();
        if !self.unify(&Ty::Tuple(types.clone()), ty) {
            let words = format!("this pattern has {} parts, but the value is {}", parts.len(), self.show(ty));
            return self.error("T0137", words, span, "does not fit", "");
        }
        let parts: Vec<_> = parts.iter().zip(&types).map(|(part, ty)| each(self, part, ty)).collect();
        Some(Pattern::Tuple(parts.into_iter().collect::<Option<_>>()?))
    }

    /// A pattern as statements have it, as an expression.
    pub(super) fn as_expression(&mut self, pattern: &ast::Pattern) -> Option<ast::Expr> {
        let kind = match &pattern.kind {
            ast::PatternKind::Any => ExprKind::Name("_".into()),
            ast::PatternKind::Name(name) => ExprKind::Name(name.name.clone()),
            ast::PatternKind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.as_expression(p)).collect();
                ExprKind::Tuple(parts.into_iter().collect::<Option<_>>()?)
            }
            _ => {
                let help = "patterns of automata are names, `_` and tuples such as (a, b)";
                return self.error("T0147", "this pattern is not allowed in an automaton", pattern.span, "", help);
            }
        };
        Some(ast::Expr { kind, span: pattern.span })
    }

    /// The local of a name that may be changed, if there is one.
    pub(super) fn changeable(&self, name: &str) -> Option<usize> {
        match self.binding(name) {
            Some(Binding::Local(n)) if self.locals[n].variable => Some(n),
            _ => None,
        }
    }
}
