//! Bytes through a filter.

use nacre_diagnostics::Span;
use nacre_stack::{FunctionId, Type};
use nacre_syntax::ast;

use crate::body::{Body, Context, Value};
use crate::bounded::{is_message, longest_of};
use crate::calls::Outcome;
use crate::tree::{Expr, ExprKind, UNIT};

impl Body<'_, '_> {
    /// A call of a function of this filter; nothing if it has none of this name.
    pub fn own_call(&mut self, name: &str, arguments: &[ast::Argument], span: Span) -> Option<Option<Outcome>> {
        let at = self.own.names.iter().position(|known| known == name)?;
        Some(self.call_own(at, arguments, span))
    }

    fn call_own(&mut self, at: usize, arguments: &[ast::Argument], span: Span) -> Option<Outcome> {
        let signature = self.own.signatures[at].clone();
        let arguments = self.arguments(&self.own.names[at].clone(), &signature, arguments, span)?;
        let callee = FunctionId(at as u32);
        match self.own.current {
            Some(by) => self.own.calls.note(by, callee),
            None => self.own.called.push(callee),
        }
        let ty = signature.result.unwrap_or(UNIT);
        Some(Outcome::value(self.make(ExprKind::CallOwn(at as u32, arguments), ty)))
    }

    /// `bytes through filter`, `(bytes, bytes) through filter`
    pub fn through(&mut self, x: &ast::Expr, filter: &ast::Ident) -> Option<Value> {
        let Some(id) = self.cx.filter_named(filter) else {
            if !self.cx.found.iter().any(|d| d.is_error()) {
                self.error("T0111", format!("there is no filter `{}`", filter.name), filter.span, "not declared", "");
            }
            return None;
        };
        let made = &self.cx.tree.filters[id.index()];
        let (result, rejects, count) = (made.result.as_ref().map(|r| r.ty.clone()), made.rejects, made.inputs.len());
        let keeps_length = made.grows == (0, 1, 0);
        let parts = match &x.kind {
            ast::ExprKind::Tuple(parts) => parts.as_slice(),
            _ => std::slice::from_ref(x),
        };
        if parts.len() != count {
            self.wrong_count(filter, count, parts.len(), x.span);
            return None;
        }
        let values = self.strings(parts)?;
        for (value, part) in values.iter().zip(parts) {
            if result.is_some() || !is_message(&value.ty) {
                self.is_read(value, part)?;
            }
        }
        if let Some(ty) = result {
            return Some(Value::fixed(self.make(ExprKind::Through(id, values), ty)));
        }
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0076", "bytes cannot be computed here", x.span, "it has an effect", "");
            return None;
        }
        let made = if keeps_length { longest_of(&values) } else { Type::Msg };
        let ty = if rejects { Type::Option(Box::new(made)) } else { made };
        Some(Value::fixed(self.make(ExprKind::Filter(id, values), ty)))
    }

    fn wrong_count(&mut self, filter: &ast::Ident, want: usize, have: usize, span: Span) {
        let strings = |n: usize| if n == 1 { "one string of bytes".into() } else { format!("{n} strings of bytes") };
        let help = match want {
            1 => "concatenate them: `a.bytes ++ b.bytes`".to_string(),
            _ => format!("list them in parentheses: `(a.bytes, b.bytes) through {}`", filter.name),
        };
        let label = format!("{have} given");
        self.error("T0071", format!("`{}` reads {}", filter.name, strings(want)), span, label, help);
    }

    /// The strings that a filter reads, from left to right. Bytes are read in place, after all parts have been
    /// evaluated.
    fn strings(&mut self, parts: &[ast::Expr]) -> Option<Vec<Expr>> {
        let mut values: Vec<Expr> = Vec::new();
        for part in parts {
            let value = self.expr(part, None)?.expr;
            if value.has_steps(&self.cx.tree.structs) && values.iter().any(|v| v.ty == Type::View) {
                let help = "name it with a `let` before, and use the name here";
                self.error(
                    "T0112",
                    "an input of a filter cannot contain a call",
                    part.span,
                    "a call with effects",
                    help,
                );
                return None;
            }
            self.before(&values, &value);
            values.push(value);
        }
        for (value, part) in values.iter().zip(parts) {
            self.still_there(value, part.span)?;
        }
        Some(values)
    }

    /// Checks that no later part consumes the borrowed message.
    fn still_there(&mut self, view: &Expr, span: Span) -> Option<()> {
        match &view.kind {
            ExprKind::View(of) | ExprKind::PackView(of) => match of.kind {
                ExprKind::Name(id) if is_message(&of.ty) => self.readable(id, span).then_some(()),
                _ => self.still_there(of, span),
            },
            ExprKind::From(of, _) => self.still_there(of, span),
            ExprKind::Concat(parts) => parts.iter().try_for_each(|part| self.still_there(part, span)),
            _ => Some(()),
        }
    }

    /// Checks that a filter can read a value.
    fn is_read(&mut self, value: &Expr, x: &ast::Expr) -> Option<()> {
        if matches!(value.ty, Type::View | Type::Bytes(_)) {
            return Some(());
        }
        let what = format!("a filter reads bytes, not {}", self.show(&value.ty));
        self.error("T0112", what, x.span, "", "take its bytes: m.bytes, or pack(share m).bytes");
        None
    }
}
