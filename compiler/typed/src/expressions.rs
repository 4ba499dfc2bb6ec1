//! Expressions: names, conversions, conditional values. Types are known when an expression is in the tree.

use nacre_diagnostics::{nearest, Span};
use nacre_stack::Type;
use nacre_syntax::ast::{self, ConditionKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context, Value};
use crate::convert::usual_type;
use crate::tree::{Conditional, Expr, ExprKind};

/// The help where the type of a value does not follow from its context.
pub(crate) const UNTYPED: &str = "compare it with a name of known type, or assign it to a variable with a type: \
    `var x: u8? = none;`, `var both: bits<8> = set(1, 2);`";

impl Body<'_, '_> {
    /// An expression of a given type.
    pub fn expr_as(&mut self, e: &ast::Expr, want: &Type) -> Option<Expr> {
        let value = self.expr(e, Some(want))?;
        self.coerce(value, want, e.span)
    }

    /// The same; an error node in case of an error, so that the code around it is still typed.
    pub fn expr_or_error(&mut self, e: &ast::Expr, want: &Type) -> Expr {
        self.expr_as(e, want).unwrap_or_else(|| {
            self.flow.forget();
            Expr { ty: want.clone(), ..self.salvaged(e) }
        })
    }

    /// An expression of type bool.
    pub fn truth(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.expr_as(e, &Type::Bool)
    }

    /// An expression. `want` is the expected type, for expressions without one of their own (`none`, `zeroes`).
    pub fn expr(&mut self, e: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        let outer = std::mem::replace(&mut self.span, e.span);
        let value = self.expr_of(e, want);
        self.span = outer;
        value
    }

    fn expr_of(&mut self, e: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        if let Some(constant) = self.cx.constant(e) {
            return self.constant_value(e, constant.value, constant.ty);
        }
        match &e.kind {
            ast::ExprKind::Name(name) => self.name(name, e.span, want),
            ast::ExprKind::None => match want {
                Some(ty @ Type::Option(_)) => Some(Value::fixed(self.make(ExprKind::None, ty.clone()))),
                _ => {
                    self.error("T0043", "the type of `none` is not known", e.span, "cannot be inferred", UNTYPED);
                    None
                }
            },
            ast::ExprKind::Some(x) => {
                let inner = if let Some(Type::Option(t)) = want { Some((**t).clone()) } else { None };
                let x = match &inner {
                    Some(t) => self.expr_as(x, t)?,
                    None => {
                        let x = self.expr(x, None)?;
                        self.settle(x)
                    }
                };
                let ty = Type::Option(Box::new(x.ty.clone()));
                Some(Value::fixed(self.make(ExprKind::Some(Box::new(x)), ty)))
            }
            ast::ExprKind::Text(text) => Some(Value::fixed(
                self.make(ExprKind::Literal(text.clone().into_bytes()), Type::Text(text.len() as u32)),
            )),
            ast::ExprKind::Field(base, field) => self.field(base, field, e),
            ast::ExprKind::Index(base, index) => self.indexed(e, base, index),
            ast::ExprKind::Unary(op, x) => self.unary(*op, x, want),
            ast::ExprKind::Binary(op, l, r) => self.binary(*op, l, r, want, e.span),
            ast::ExprKind::As(x, ty) => {
                let value = self.expr(x, None)?;
                self.cast(value, ty)
            }
            ast::ExprKind::Share(x) => self.share(x),
            ast::ExprKind::Through(x, filter) => self.through(x, filter),
            ast::ExprKind::Call(f, arguments) => self.call(f, arguments, e.span, want),
            ast::ExprKind::Literal(name, fields) => self.literal(name, fields, e.span),
            ast::ExprKind::Tuple(parts) => self.tuple(parts, want),
            ast::ExprKind::Array(parts) => self.array(parts, want, e.span),
            ast::ExprKind::If(x) => self.if_expression(x, want),
            ast::ExprKind::Duration(..) => {
                let help = "the longest duration is 2^64 - 1 nanoseconds, about 584 years";
                self.error("T0012", "this duration does not fit 64 bits", e.span, "too long", help);
                None
            }
            ast::ExprKind::TypeName(name) => {
                let help = foreign::name(name, Unknown::Value).unwrap_or_default();
                self.error("T0044", format!("`{name}` is a type, not a value"), e.span, "", help);
                None
            }
            _ => {
                self.error("T0045", "this is not a value", e.span, "", "");
                None
            }
        }
    }

    fn constant_value(&mut self, e: &ast::Expr, value: i128, ty: Option<Type>) -> Option<Value> {
        if !self.cx.coherent(e) {
            return None;
        }
        if value < i128::from(i64::MIN) || value > i128::from(u64::MAX) {
            self.error("T0012", format!("{value} does not fit 64 bits"), e.span, "this number", "");
            return None;
        }
        let flexible = ty != Some(Type::Bool);
        let ty = ty.unwrap_or(if value < 0 { Type::Int(64) } else { Type::UInt(64) });
        Some(Value { expr: self.make(ExprKind::Const(value as u64), ty), flexible })
    }

    fn name(&mut self, name: &str, span: Span, want: Option<&Type>) -> Option<Value> {
        match self.lookup(name).cloned() {
            Some(Binding::Value(id)) => {
                if self.cx.linear(&self.ty(id)) {
                    self.consume(id, span);
                }
                Some(Value::fixed(self.get(id)))
            }
            Some(Binding::Place { id, borrowed: true, .. }) if self.cx.linear(&self.ty(id)) => {
                self.error(
                    "T0046",
                    format!("`{name}` is only borrowed here"),
                    span,
                    "its container owns it",
                    format!("send a second reference: `share {name}`"),
                );
                None
            }
            Some(Binding::Place { id, entry, .. }) => {
                entry.into_iter().for_each(|entry| self.note_use(entry, span));
                let place = self.place_of(id);
                self.load(place, span).map(Value::fixed)
            }
            Some(Binding::Unknown) => {
                self.poisoned = true;
                None
            }
            None if self.cx.cell_ids.contains_key(name) => {
                let place = self.place(&ast::Expr { kind: ast::ExprKind::Name(name.into()), span })?;
                self.load(place, span).map(Value::fixed)
            }
            None if name == "now" && matches!(self.context, Context::Pure { open: false, .. }) => {
                let help = "begin a `state` cell with it: `state { at: instant = now }`";
                self.error("T0176", "a given value cannot depend on the time", span, "is not known yet", help);
                None
            }
            None if name == "now" => Some(Value::fixed(self.make(ExprKind::Now, Type::Instant))),
            None if name == "zeroes" => match want {
                Some(ty) if self.cx.lacks_zero(ty) => {
                    self.cx.no_zero(ty, span);
                    None
                }
                Some(ty) => Some(Value::fixed(self.make(ExprKind::Zero, ty.clone()))),
                None => {
                    self.error("T0043", "the type of `zeroes` is not known", span, "cannot be inferred", UNTYPED);
                    None
                }
            },
            None => {
                self.unknown_name(name, span);
                None
            }
        }
    }

    /// Reports a name that is not in scope (T0047), with the nearest name that is; nothing if its declaration is in
    /// error.
    pub fn unknown_name(&mut self, name: &str, span: Span) {
        if self.cx.is_unsound(name) {
            self.poisoned = true;
            return;
        }
        if self.cx.counter_ids.contains_key(name) {
            let help = "`count` adds 1 to it; what decides something is a number of the state: `state { seen: u32 }`";
            return self.error("T0047", format!("the counter `{name}` cannot be read"), span, "a value here", help);
        }
        let mut known: Vec<String> = self.scopes.iter().flat_map(|s| s.keys().cloned()).collect();
        known.extend(self.cx.cell_ids.keys().chain(self.cx.constants.keys()).cloned());
        known.retain(|name| !name.contains('#'));
        known.extend(self.cx.program.known(name, span, |i| matches!(i, ast::Item::Const(_))));
        known.sort();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let help = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match foreign::name(name, Unknown::Value) {
                Some(help) => help.into(),
                None => "names are parameters of the handler, `let`s, state and parameters of the layer".into(),
            },
        };
        self.error("T0047", format!("`{name}` is not known here"), span, "not declared", help);
    }

    /// `if let` as a value: what it names is unknown in the rest of the statement.
    fn let_in_value(&mut self, x: &ast::IfExpr, pattern: &ast::Pattern) -> Option<Value> {
        let message = "an `if` that is a value cannot have a `let`";
        let help = "use a statement: `var x = 0; if let y = place { x = y; }`";
        self.error("T0055", message, x.condition.span, "not `let`", help);
        self.recovered();
        self.unknown_names(pattern);
        None
    }

    fn if_expression(&mut self, x: &ast::IfExpr, want: Option<&Type>) -> Option<Value> {
        let condition = match &x.condition.kind {
            ConditionKind::Expr(condition) => condition,
            ConditionKind::Let { pattern, .. } => return self.let_in_value(x, pattern),
        };
        let condition = self.truth(condition)?;
        let before = self.flow.clone();
        let then = self.expr(&x.then, want);
        let after_then = std::mem::replace(&mut self.flow, before);
        let otherwise = self.expr(&x.otherwise, want);
        let after_else = self.flow.clone();
        self.merge(after_then, after_else, x.condition.span);
        let (then, otherwise) = (then?, otherwise?);
        let numbers = |value: &Value| value.flexible && matches!(value.expr.ty, Type::UInt(64) | Type::Int(64));
        let usual = (numbers(&then) && numbers(&otherwise)).then(|| usual_type(&[&then.expr, &otherwise.expr]));
        let (then, otherwise) = self.unify(then, otherwise, want.or(usual.as_ref()), x.otherwise.span)?;
        let (ty, likely) = (then.ty.clone(), x.condition.likely);
        let kind = ExprKind::If(Box::new(Conditional { condition, likely, then, otherwise }));
        Some(Value::fixed(self.make(kind, ty)))
    }
}
