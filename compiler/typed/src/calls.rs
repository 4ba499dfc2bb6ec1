//! Calls: of functions, externs and built-ins, and of operations on containers.

use nacre_diagnostics::{counted, nearest, Span};
use nacre_stack::{FunctionId, Type};
use nacre_syntax::ast;
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Body, Context, Signature, Value};
use crate::checker::Declared;
use crate::tree::{Argument, Expr, ExprKind, Is, NameId, Partial, UNIT};

/// The outcome of a call.
pub(crate) enum Outcome {
    /// A value, of type [`UNIT`] if the call gives none.
    Value(Value),
    /// A call that can fail.
    Failable(Partial),
}

impl Outcome {
    /// A value of the type that it has.
    pub fn value(expr: Expr) -> Outcome {
        Outcome::Value(Value::fixed(expr))
    }
}

impl Body<'_, '_> {
    /// A call that must give a value.
    pub fn call(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Value> {
        match self.outcome(f, arguments, span, want)? {
            Outcome::Value(value) if value.expr.ty != UNIT => Some(value),
            Outcome::Value(_) => {
                self.error("T0064", "this call returns no value", span, "", "");
                None
            }
            Outcome::Failable(_) => {
                self.error(
                    "T0065",
                    "this can fail",
                    span,
                    "the failure is not handled",
                    "state it: `let x = ... else { ... }`",
                );
                None
            }
        }
    }

    /// A call with any outcome.
    pub fn outcome(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Outcome> {
        let outer = std::mem::replace(&mut self.span, span);
        let outcome = self.outcome_of(f, arguments, span, want);
        self.span = outer;
        outcome
    }

    fn outcome_of(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Outcome> {
        match &f.kind {
            ast::ExprKind::Name(name) => self.named_call(name, arguments, span, want),
            ast::ExprKind::Field(base, _) if self.side(base).is_some() => {
                let help = "the event is handled after the handler has ended, and returns no value";
                self.error("T0066", "an emission is a statement, not a value", span, "", help);
                None
            }
            ast::ExprKind::Field(base, name) => {
                if self.place_type(base).is_none() {
                    self.unknown_place(base);
                    return None;
                }
                let (place, _) = self.place_with(base)?;
                self.method(place, name, arguments, span)
            }
            _ => {
                let help = match &f.kind {
                    ast::ExprKind::TypeName(name) => foreign::name(name, Unknown::Value).unwrap_or_default(),
                    _ => "",
                };
                self.error("T0067", "only functions can be called", f.span, "not a function", help);
                None
            }
        }
    }

    fn named_call(
        &mut self,
        name: &str,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Outcome> {
        if let Some(outcome) = self.own_call(name, arguments, span) {
            return outcome;
        }
        if self.cx.unsound.contains(&Declared::Function(name.into())) {
            self.poisoned = true;
            return None;
        }
        if let Some(&function) = self.cx.function_ids.get(name) {
            return self.function_call(function, name, arguments, span);
        }
        if let Some(outcome) = self.builtin(name, arguments, span, want) {
            return outcome;
        }
        if let Some(id) = self.cx.extern_named(name, span) {
            return self.extern_call(id, arguments, span);
        }
        let own: Vec<&str> = self.cx.function_ids.keys().map(String::as_str).collect();
        let help = match (nearest(name, &own), foreign::name(name, Unknown::Value)) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(help)) => help.into(),
            (None, None) => String::new(),
        };
        self.error("T0068", format!("there is no function `{name}`"), span, "not declared", help);
        None
    }

    fn function_call(
        &mut self,
        id: FunctionId,
        name: &str,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Outcome> {
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error(
                "T0069",
                "functions of the layer cannot be called here",
                span,
                "",
                "write the expression without the call",
            );
            return None;
        }
        let signature = self.signature(id);
        let arguments = self.arguments(name, &signature, arguments, span)?;
        self.note_call(id, &arguments);
        if let Some(by) = self.function {
            self.cx.calls.note(by, id);
        }
        let ty = signature.result.unwrap_or(UNIT);
        Some(Outcome::value(self.make(ExprKind::Call(id, arguments), ty)))
    }

    /// The signature of a function of the layer.
    fn signature(&self, id: FunctionId) -> Signature {
        let function = &self.cx.tree.functions[id.index()];
        let parameter = |name: &NameId| {
            let name = &function.names[*name];
            (name.name.clone(), name.ty.clone(), name.is == Is::Reference)
        };
        Signature { parameters: function.parameters.iter().map(parameter).collect(), result: function.result.clone() }
    }

    /// The arguments of a call, from left to right.
    pub fn arguments(
        &mut self,
        name: &str,
        signature: &Signature,
        given: &[ast::Argument],
        span: Span,
    ) -> Option<Vec<Argument>> {
        self.count_arguments(name, signature.parameters.len(), given.len(), span)?;
        let mut arguments = Vec::new();
        for (argument, (parameter, ty, by_ref)) in given.iter().zip(&signature.parameters) {
            if argument.by_ref != *by_ref {
                let help = match by_ref {
                    true => format!("`{parameter}` is a `ref` parameter: write `ref`"),
                    false => format!("`{parameter}` is not a `ref` parameter: remove `ref`"),
                };
                let what = "`ref` at the call and in the declaration must agree";
                self.error("T0070", what, argument.value.span, "", help);
                return None;
            }
            let argument = match by_ref {
                true => self.referred(&argument.value, ty)?,
                false => Argument::Value(self.expr_as(&argument.value, ty)?),
            };
            if let Argument::Value(value) = &argument {
                let values = arguments.iter().filter_map(|a| if let Argument::Value(v) = a { Some(v) } else { None });
                self.before(values, value);
            }
            arguments.push(argument);
        }
        Some(arguments)
    }

    /// A place for a `ref` parameter.
    fn referred(&mut self, e: &ast::Expr, ty: &Type) -> Option<Argument> {
        let place = self.changeable(e)?;
        if place.ty != *ty {
            let (have, want) = (self.show(&place.ty), self.show(ty));
            let what = format!("expected {want}, found {have}");
            self.error("T0033", what, e.span, have, "");
            return None;
        }
        self.slot_has_zero(e, ty)?;
        Some(Argument::Reference(place))
    }

    /// Checks the number of arguments.
    pub fn count_arguments(&mut self, name: &str, want: usize, have: usize, span: Span) -> Option<()> {
        if want == have {
            return Some(());
        }
        self.error("T0071", format!("`{name}` takes {}, found {have}", counted(want as u64, "argument")), span, "", "");
        None
    }

    /// Values for arguments of known types, evaluated from left to right.
    pub fn values(&mut self, arguments: &[(&ast::Expr, Type)]) -> Option<Vec<Expr>> {
        let mut values: Vec<Expr> = Vec::new();
        for (argument, ty) in arguments {
            let value = self.expr_as(argument, ty)?;
            self.before(&values, &value);
            values.push(value);
        }
        Some(values)
    }
}
