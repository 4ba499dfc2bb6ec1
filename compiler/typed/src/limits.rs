//! Limits of parameters: invariants about constants alone. They are decided where a stack gives the parameters values,
//! and are no part of the layer that it gets.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::Type;
use nacre_syntax::ast::{self, BinaryOp, ExprKind, Member};

use crate::checker::{Checker, Constant};
use crate::constants::mentions;
use crate::layer::show_value;

impl Checker<'_> {
    /// Whether an invariant that is a limit holds; none: it is about the state, or names nothing.
    pub(crate) fn limit(&self, condition: &ast::Expr) -> Option<bool> {
        let mut names = Vec::new();
        mentions(condition, &mut names);
        let value = self.constant(condition).filter(|value| value.ty == Some(Type::Bool) && !names.is_empty())?;
        Some(value.value != 0)
    }

    /// Reports the limits that the parameters violate.
    pub(crate) fn limits(&mut self, used_at: Span) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Invariant { condition, .. } = member else { continue };
            if self.limit(condition) == Some(false) && self.incoherent(condition).is_none() {
                let found = self.violated(self.part(condition), used_at);
                self.found.push(found);
            }
        }
    }

    /// The conjunct that does not hold.
    fn part<'e>(&self, condition: &'e ast::Expr) -> &'e ast::Expr {
        let ExprKind::Binary(BinaryOp::And, left, right) = &condition.kind else { return condition };
        let holds = self.constant(left).is_some_and(|value| value.value != 0);
        self.part(if holds { right } else { left })
    }

    fn violated(&self, condition: &ast::Expr, used_at: Span) -> Diagnostic {
        let mut names = Vec::new();
        mentions(condition, &mut names);
        let mut values: Vec<String> = vec![];
        for name in &names {
            let Some(Constant { value, ty: Some(ty) }) = self.constant_named(name, condition.span) else { continue };
            let text = format!("`{name}` is {}", show_value(value, &ty));
            if !values.contains(&text) {
                values.push(text);
            }
        }
        let given = names.iter().find_map(|name| self.given_at.get(*name)).copied().unwrap_or(used_at);
        let text = if values.is_empty() { "here".to_string() } else { values.join(", ") };
        Diagnostic::error("T0181", format!("the parameters violate a limit of `{}`", self.layer.name.name))
            .at(given, text)
            .also(condition.span, "this must hold")
    }
}
