//! Calls: of functions, externs and built-ins, of operations on containers, and emissions.

use nacre_diagnostics::{nearest, Span};
use nacre_stack::{Argument, Emit, Expr, ExprKind, LocalId, Place, PortId, StatementKind, Type};
use nacre_syntax::ast;
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Body, Context, Value};
use crate::expressions::make;
use crate::fragment::{ABOVE, BELOW};

/// What a call comes to.
pub(crate) enum Outcome {
    Nothing,
    Value(Value),
    /// It can fail: `done` says whether it did.
    Failable {
        done: Expr,
        value: Option<Expr>,
        place: Option<Place>,
        back: Back,
    },
}

/// Messages that come back when an operation fails.
#[derive(Clone, Debug)]
pub(crate) enum Back {
    None,
    /// The named local itself has it again.
    Local(LocalId),
    /// In a temporary; the named parts go back to their locals.
    Parts {
        temporary: LocalId,
        parts: Vec<(u32, LocalId)>,
    },
}

impl Body<'_, '_> {
    /// A call whose value is wanted.
    pub fn call(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Value> {
        match self.outcome(f, arguments, span, want)? {
            Outcome::Value(value) => Some(value),
            Outcome::Nothing => {
                self.error("T0064", "this call gives no value", span, "", "");
                None
            }
            Outcome::Failable { .. } => {
                self.error("T0065", "this can fail", span, "what happens then?", "say it: `let x = ... else { ... }`");
                None
            }
        }
    }

    /// A call, whatever it gives.
    pub fn outcome(
        &mut self,
        f: &ast::Expr,
        arguments: &[ast::Argument],
        span: Span,
        want: Option<&Type>,
    ) -> Option<Outcome> {
        match &f.kind {
            ast::ExprKind::Name(name) => self.named_call(name, arguments, span, want),
            ast::ExprKind::Field(base, name) => {
                if let Some(side) = self.side(base) {
                    let _ = side;
                    self.error(
                        "T0066",
                        "an emission is a statement by itself",
                        span,
                        "",
                        "it happens when the handler has ended, and gives no value",
                    );
                    return None;
                }
                match self.place_with(base) {
                    Some((place, borrowed)) => self.method(place, borrowed, name, arguments, span),
                    None => {
                        self.unknown_place(base);
                        None
                    }
                }
            }
            _ => {
                let help = match &f.kind {
                    ast::ExprKind::TypeName(name) => foreign::name(name, Unknown::Value).unwrap_or_default(),
                    _ => "",
                };
                self.error("T0067", "only functions are called", f.span, "not a function", help);
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
        if let Some(outcome) = self.filter_function(name, arguments, span) {
            return outcome;
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
        id: nacre_stack::FunctionId,
        name: &str,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Outcome> {
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error(
                "T0069",
                "functions of the layer are not called here",
                span,
                "",
                "a condition reads the state; write it out",
            );
            return None;
        }
        let signature: Vec<(String, Type, bool)> = {
            let function = &self.cx.fragment.functions[id.index()];
            let local = |l: &LocalId| &function.locals[l.index()];
            function.parameters.iter().map(|l| (local(l).name.clone(), local(l).ty.clone(), local(l).by_ref)).collect()
        };
        let result = self.cx.fragment.functions[id.index()].result.clone();
        self.count_arguments(name, signature.len(), arguments.len(), span)?;
        let mut values: Vec<Option<Expr>> = Vec::new();
        let mut places: Vec<Option<Place>> = Vec::new();
        for (argument, (parameter, ty, by_ref)) in arguments.iter().zip(&signature) {
            if argument.by_ref != *by_ref {
                let help = if *by_ref {
                    format!("`{parameter}` stands for a place: write `ref`")
                } else {
                    format!("`{parameter}` is a value: leave `ref` away")
                };
                self.error(
                    "T0070",
                    "`ref` at the call and in the declaration must agree",
                    argument.value.span,
                    "",
                    help,
                );
                return None;
            }
            if *by_ref {
                let place = self.changeable(&argument.value)?;
                if place.ty != *ty {
                    let (have, want) = (self.show(&place.ty), self.show(ty));
                    self.error(
                        "T0033",
                        format!("this is of type {have}, but {want} is wanted here"),
                        argument.value.span,
                        have,
                        "",
                    );
                    return None;
                }
                let place = self.fixed(place);
                places.push(Some(place));
                values.push(None);
            } else {
                let before = self.out.len();
                let value = self.expr_as(&argument.value, ty)?;
                if self.out.len() > before {
                    self.keep_order(&mut values, before);
                }
                values.push(Some(value));
                places.push(None);
            }
        }
        let arguments = values
            .into_iter()
            .zip(places)
            .filter_map(|(value, place)| value.map(Argument::Value).or(place.map(Argument::Reference)))
            .collect();
        let into = result.map(|ty| self.temporary(ty));
        self.push(StatementKind::Call { into, function: id, arguments });
        if let Some(by) = self.function {
            self.cx.calls.note(by, id);
        }
        Some(into.map_or(Outcome::Nothing, |id| Outcome::Value(Value::fixed(self.get(id)))))
    }

    pub fn count_arguments(&mut self, name: &str, want: usize, have: usize, span: Span) -> Option<()> {
        if want == have {
            return Some(());
        }
        self.error("T0071", format!("`{name}` takes {want} arguments"), span, format!("{have} are given"), "");
        None
    }

    /// Values for arguments of known types, evaluated from left to right.
    pub fn values(&mut self, arguments: &[(&ast::Expr, Type)]) -> Option<Vec<Expr>> {
        let mut values: Vec<Option<Expr>> = Vec::new();
        for (argument, ty) in arguments {
            let before = self.out.len();
            let value = self.expr_as(argument, ty)?;
            if self.out.len() > before {
                self.keep_order(&mut values, before);
            }
            values.push(Some(value));
        }
        Some(values.into_iter().flatten().collect())
    }

    // ---- emissions

    /// The side that `above`, `below` or the name of a port means.
    pub fn side(&self, e: &ast::Expr) -> Option<PortId> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        if self.lookup(name).is_some() {
            return None;
        }
        match name.as_str() {
            "above" => Some(ABOVE),
            "below" => Some(BELOW),
            _ => {
                let at = self.cx.fragment.ports.iter().position(|p| p == name)?;
                Some(PortId(2 + at as u32))
            }
        }
    }

    /// `below.send(m);`, with `later` or without. Nothing if the call is no emission.
    pub fn emission(&mut self, call: &ast::Expr, later: bool) -> Option<Option<()>> {
        let ast::ExprKind::Call(f, arguments) = &call.kind else { return None };
        let ast::ExprKind::Field(base, event) = &f.kind else { return None };
        let side = self.side(base)?;
        Some(self.emit(side, event, arguments, later, call.span))
    }

    fn emit(
        &mut self,
        side: PortId,
        event: &ast::Ident,
        arguments: &[ast::Argument],
        later: bool,
        span: Span,
    ) -> Option<()> {
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0072", "nothing is emitted here", span, "", "");
            return None;
        }
        let Some(id) = self.cx.event_at(side, false, &event.name) else {
            let known = self.cx.events_at(side, false);
            let where_ = if side == ABOVE {
                "above"
            } else if side == BELOW {
                "below"
            } else {
                "there"
            };
            let help = if known.is_empty() {
                "nothing goes out on this side".into()
            } else {
                format!("what goes out {where_}: {known}")
            };
            self.error(
                "T0073",
                format!("there is no event `{}` to send {where_}", event.name),
                event.span,
                "not in the interface",
                help,
            );
            return None;
        };
        let parameters = self.cx.fragment.events[id.index()].parameters.clone();
        self.count_arguments(&event.name, parameters.len(), arguments.len(), span)?;
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().zip(&parameters).map(|(a, p)| (&a.value, p.ty.clone())).collect();
        let arguments = self.values(&wanted)?;
        let emit = Emit { link: crate::link_of(side), event: id, arguments, later, call: false, likely: None };
        self.push(StatementKind::Emit(emit).at(span));
        Some(())
    }

    // ---- messages with headers

    /// `m + Header { ... }`
    pub fn push_header(
        &mut self,
        message: Expr,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        span: Span,
    ) -> Option<Expr> {
        let before = self.out.len();
        self.push_header_after(&mut [Some(message)], before, name, fields, span)
    }

    /// The same, where the message was evaluated before.
    pub fn push_header_after(
        &mut self,
        message: &mut [Option<Expr>; 1],
        before: usize,
        name: &ast::Ident,
        fields: &[(ast::Ident, Option<ast::Expr>)],
        span: Span,
    ) -> Option<Expr> {
        let &id = self.cx.header_ids.get(&name.name)?;
        self.cx.pushed.insert(id);
        let declared: Vec<(String, Type)> =
            self.cx.fragment.headers[id.index()].fields.iter().map(|f| (f.name.clone(), f.ty.clone())).collect();
        let values = self.fields(&declared, fields, name)?;
        for (field, _) in &declared {
            if !fields.iter().any(|(n, _)| n.name == *field) {
                self.error(
                    "T0074",
                    format!("`{}` lacks its field `{field}`", name.name),
                    span,
                    "",
                    format!("write {field}: ..."),
                );
            }
        }
        if self.out.len() > before {
            self.keep_order(message, before);
        }
        let message = message[0].take()?;
        if let ExprKind::Push(_, other, _) = &message.kind {
            let other = self.cx.fragment.headers[other.index()].name.clone();
            self.error(
                "T0075",
                "a message carries one header of a layer",
                span,
                format!("`{other}` is on it already"),
                "make one variant with the fields of both",
            );
            return None;
        }
        Some(make(ExprKind::Push(Box::new(message), id, values), Type::Msg))
    }
}
