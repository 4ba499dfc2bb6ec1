//! Expressions: typed, pure; what has an effect is put in front as statements.

use nacre_diagnostics::{nearest, Span};
use nacre_stack::visit::Rewriter;
use nacre_stack::{Expr, ExprKind, FillSpans, Place, Query, Root, Step, Type};
use nacre_syntax::ast::{self, ConditionKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Value};
use crate::bounded::is_message;

impl Value {
    pub fn fixed(expr: Expr) -> Value {
        Value { expr, flexible: false }
    }
}

/// An expression of the stack IR, for the syntax that is being lowered: that gives it its span ([`Body::place_nodes`]).
pub(crate) fn make(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, Span::default())
}

impl Body<'_, '_> {
    /// An expression of a given type.
    pub fn expr_as(&mut self, e: &ast::Expr, want: &Type) -> Option<Expr> {
        let value = self.expr(e, Some(want))?;
        self.coerce(value, want, e.span)
    }

    /// A truth value.
    pub fn truth(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.expr_as(e, &Type::Bool)
    }

    /// An expression. `want` helps where the type is not in the expression itself (`none`, `zeroes`).
    pub fn expr(&mut self, e: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        let before = self.out.len();
        let mut value = self.lower_expr(e, want)?;
        FillSpans(e.span).expr(&mut value.expr);
        self.place_nodes(before, e.span);
        Some(value)
    }

    fn lower_expr(&mut self, e: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        if let Some(constant) = self.cx.constant(e) {
            if !self.cx.coherent(e) {
                return None;
            }
            if constant.value < i128::from(i64::MIN) || constant.value > i128::from(u64::MAX) {
                self.error("T0012", format!("{} does not fit 64 bits", constant.value), e.span, "this number", "");
                return None;
            }
            let flexible = constant.ty != Some(Type::Bool);
            let ty = constant.ty.unwrap_or(if constant.value < 0 { Type::Int(64) } else { Type::UInt(64) });
            return Some(Value { expr: make(ExprKind::Const(constant.value as u64), ty), flexible });
        }
        match &e.kind {
            ast::ExprKind::Name(name) => self.name(name, e.span, want),
            ast::ExprKind::None => match want {
                Some(ty @ Type::Option(_)) => Some(Value::fixed(make(ExprKind::None, ty.clone()))),
                _ => {
                    self.error("T0043", "`none` of what type?", e.span, "cannot tell", "");
                    None
                }
            },
            ast::ExprKind::Some(x) => {
                let inner = if let Some(Type::Option(t)) = want { Some((**t).clone()) } else { None };
                let x = match &inner {
                    Some(t) => self.expr_as(x, t)?,
                    None => self.expr(x, None)?.expr,
                };
                let ty = Type::Option(Box::new(x.ty.clone()));
                Some(Value::fixed(make(ExprKind::Some(Box::new(x)), ty)))
            }
            ast::ExprKind::Text(text) => {
                Some(Value::fixed(make(ExprKind::Literal(text.clone().into_bytes()), Type::Text(text.len() as u32))))
            }
            ast::ExprKind::Field(base, field) => self.field(base, field, e, want),
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
                self.error("T0045", "this has no value by itself", e.span, "", "");
                None
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, want: Option<&Type>) -> Option<Value> {
        match self.lookup(name).cloned() {
            Some(Binding::Local(id)) => {
                if self.cx.linear(&self.ty(id)) {
                    self.consume(id, span);
                }
                Some(Value::fixed(self.get(id)))
            }
            Some(Binding::Place { place, borrowed: true, .. }) if self.cx.linear(&place.ty) => {
                self.error(
                    "T0046",
                    format!("`{name}` is only borrowed here"),
                    span,
                    "its container keeps it",
                    format!("send a second reference: `share {name}`"),
                );
                None
            }
            Some(Binding::Place { place, entry, .. }) => {
                entry.into_iter().for_each(|entry| self.note_use(entry, span));
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
            None if name == "now" => Some(Value::fixed(make(ExprKind::Now, Type::Instant))),
            None if name == "zeroes" => match want {
                Some(ty) if self.cx.needs_message(ty) => {
                    self.no_zero(ty, span);
                    None
                }
                Some(ty) => Some(Value::fixed(make(ExprKind::Zero, ty.clone()))),
                None => {
                    self.error("T0043", "`zeroes` of what type?", span, "cannot tell", "");
                    None
                }
            },
            None => {
                self.unknown_name(name, span);
                None
            }
        }
    }

    /// Reports that a type has no value to begin with, as it holds a message.
    pub fn no_zero(&mut self, ty: &Type, span: Span) {
        let shown = self.show(ty);
        let help =
            "a message comes from an event, `share`, `slice` or a header alone; where one may be missing, use `msg?`";
        self.error("T0154", format!("{shown} has no zero"), span, "a message would be missing", help);
    }

    pub fn unknown_name(&mut self, name: &str, span: Span) {
        if self.cx.unsound.contains(name) {
            self.cx.tainted = true;
            return;
        }
        let mut known: Vec<String> = self.scopes.iter().flat_map(|s| s.keys().cloned()).collect();
        known.extend(self.cx.cell_ids.keys().cloned());
        known.extend(self.cx.constants.keys().filter(|key| !key.contains('#')).cloned());
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

    /// `base.field`: of an enum, a message, a container, a struct, the stack, or the layer below.
    fn field(&mut self, base: &ast::Expr, field: &ast::Ident, e: &ast::Expr, want: Option<&Type>) -> Option<Value> {
        if let ast::ExprKind::TypeName(name) = &base.kind {
            return self.variant(name, field, base.span);
        }
        if let ast::ExprKind::Name(name) = &base.kind {
            if self.lookup(name).is_none() {
                match (name.as_str(), field.name.as_str()) {
                    ("stack", "fingerprint") => return Some(Value::fixed(make(ExprKind::Fingerprint, Type::UInt(64)))),
                    ("below", "room") => return Some(Value::fixed(make(ExprKind::Room, Type::UInt(32)))),
                    _ => {}
                }
            }
        }
        if matches!(field.name.as_str(), "len" | "bytes") {
            let looked_at = |m: &Expr| is_message(&m.ty) || field.name == "bytes";
            if let Some(message) = self.attempt(|b| b.borrow(base).filter(looked_at)) {
                if field.name == "bytes" && matches!(message.kind, ExprKind::PackView(..)) {
                    return Some(Value::fixed(message));
                }
                let kind = if field.name == "len" {
                    ExprKind::Length(Box::new(message))
                } else {
                    ExprKind::View(Box::new(message))
                };
                let ty = if field.name == "len" { Type::UInt(32) } else { Type::View };
                return Some(Value::fixed(make(kind, ty)));
            }
            if field.name == "bytes" {
                return self.bytes_of(base);
            }
        }
        if let Some((place, _)) = self.place_with(e) {
            return self.load(place, e.span).map(Value::fixed);
        }
        if let Some(place) = self.place(base) {
            return self.query(place, field, want);
        }
        let value = self.expr(base, None)?.expr;
        if let (Type::Option(t), "value") = (&value.ty, field.name.as_str()) {
            let ty = (**t).clone();
            return Some(Value::fixed(make(ExprKind::Unwrap(Box::new(value)), ty)));
        }
        if let Type::Bits(_) = value.ty {
            let ty = value.ty.clone();
            let set = self.temporary(ty.clone());
            self.push(nacre_stack::StatementKind::Let(set, value));
            return self.query(Place { root: Root::Local(set), path: vec![], ty }, field, want);
        }
        match self.field_of(&value.ty, &field.name) {
            Some((index, ty)) => Some(Value::fixed(make(ExprKind::Field(Box::new(value), index), ty))),
            None => {
                self.no_field::<()>(&value.ty, field);
                None
            }
        }
    }

    fn variant(&mut self, name: &str, field: &ast::Ident, span: Span) -> Option<Value> {
        let Some(id) = self.cx.enum_named(name, span) else {
            self.error("T0010", format!("there is no enum `{name}`"), span, "not declared", "");
            return None;
        };
        let variants = &self.cx.fragment.enums[id.index()].variants;
        match variants.iter().position(|v| *v == field.name) {
            Some(at) => Some(Value::fixed(make(ExprKind::Const(at as u64), Type::Enum(id)))),
            None => {
                let known = variants.join(", ");
                self.error(
                    "T0048",
                    format!("`{name}` has no variant `{}`", field.name),
                    field.span,
                    "unknown",
                    format!("it has {known}"),
                );
                None
            }
        }
    }

    /// A message, looked at without consuming it: a local, or one in place. Nothing if it is not a message.
    pub fn borrow(&mut self, e: &ast::Expr) -> Option<Expr> {
        self.attempt(|b| b.borrow_of_expr(e))
    }

    fn borrow_of_expr(&mut self, e: &ast::Expr) -> Option<Expr> {
        if let ast::ExprKind::Call(f, arguments) = &e.kind {
            if matches!(&f.kind, ast::ExprKind::Name(n) if n == "pack") {
                if let [ast::Argument { value: ast::Expr { kind: ast::ExprKind::Share(m), .. }, .. }] =
                    arguments.as_slice()
                {
                    let message = self.borrow(m)?;
                    self.cx.fragment.packs = true;
                    return Some(make(ExprKind::PackView(nacre_stack::LayoutId(0), Box::new(message)), Type::View));
                }
            }
        }
        let (place, _) = self.place_with(e)?;
        match (&place.ty, place.root, place.path.is_empty()) {
            (ty, Root::Local(id), true) if is_message(ty) && !self.locals[id.index()].by_ref => {
                self.readable(id, e.span);
                Some(self.get(id))
            }
            (ty, _, _) if is_message(ty) => {
                let ty = ty.clone();
                Some(make(ExprKind::Borrow(Box::new(place)), ty))
            }
            _ => None,
        }
    }

    fn share(&mut self, x: &ast::Expr) -> Option<Value> {
        match self.attempt(|b| b.borrow(x).filter(|m| is_message(&m.ty))) {
            Some(message) => {
                let ty = message.ty.clone();
                Some(Value::fixed(make(ExprKind::Share(Box::new(message)), ty)))
            }
            None => {
                let before = self.cx.found.len();
                let _ = self.expr(x, None);
                if self.cx.found.len() == before {
                    self.error("T0049", "only a message that is held can be shared", x.span, "not a message", "");
                }
                None
            }
        }
    }

    /// `.bytes` of a number or of bytes.
    fn bytes_of(&mut self, base: &ast::Expr) -> Option<Value> {
        let value = self.expr(base, None)?.expr;
        let size = match &value.ty {
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => u32::from(*bits).div_ceil(8),
            Type::Duration | Type::Instant => 8,
            Type::Addr => 20,
            Type::Bytes(_) | Type::View => return Some(Value::fixed(value)),
            _ => {
                let shown = self.show(&value.ty);
                self.error("T0050", format!("a value of type {shown} has no bytes"), base.span, "", "");
                return None;
            }
        };
        Some(Value::fixed(make(ExprKind::BytesOf(Box::new(value)), Type::Bytes(size))))
    }

    /// A property of a container, option or timer.
    fn query(&mut self, place: Place, field: &ast::Ident, _want: Option<&Type>) -> Option<Value> {
        let seq = |ty: &Type| if let Type::Window(_, _, bits) = ty { Type::Seq(*bits) } else { Type::Bool };
        let container = matches!(
            place.ty,
            Type::Ring(..) | Type::List(..) | Type::Window(..) | Type::Pool(..) | Type::Map(..) | Type::Bits(_)
        );
        let window = matches!(place.ty, Type::Window(..));
        let (query, ty) = match field.name.as_str() {
            "len" if container => (Query::Len, Type::UInt(32)),
            "empty" if container => (Query::Empty, Type::Bool),
            "full" if container => (Query::Full, Type::Bool),
            "low" if window => (Query::Low, seq(&place.ty)),
            "next" if window => (Query::Next, seq(&place.ty)),
            "high" if window => (Query::High, seq(&place.ty)),
            "first" => match place.ty {
                Type::Bits(n) => (Query::First, Type::Range(0, u64::from(n))),
                _ => return self.no_field(&place.ty.clone(), field),
            },
            "armed" if place.ty == Type::Timer => (Query::Armed, Type::Bool),
            "value" => match &place.ty {
                Type::Option(t) => {
                    let ty = (**t).clone();
                    let mut inside = place.clone();
                    inside.path.push(Step::Unwrap);
                    inside.ty = ty;
                    return self.load(inside, field.span).map(Value::fixed);
                }
                _ => return self.no_field(&place.ty.clone(), field),
            },
            _ => return self.no_field(&place.ty.clone(), field),
        };
        Some(Value::fixed(make(ExprKind::Query(query, Box::new(place), Vec::new()), ty)))
    }

    fn no_field<T>(&mut self, ty: &Type, field: &ast::Ident) -> Option<T> {
        let shown = self.show(ty);
        let known = match ty {
            Type::Struct(id) => self.cx.fragment.structs[id.index()]
                .fields
                .iter()
                .map(|f| f.name.clone())
                .collect::<Vec<_>>()
                .join(", "),
            Type::Window(..) => "low, next, high, len, empty, full".into(),
            Type::Ring(..) | Type::List(..) | Type::Pool(..) | Type::Map(..) => "len, empty, full".into(),
            Type::Bits(_) => "len, empty, full, first".into(),
            Type::Msg | Type::Bounded(_) => "len, bytes".into(),
            Type::Timer => "armed".into(),
            _ => String::new(),
        };
        let help = match foreign::name(&field.name, Unknown::Operation) {
            _ if matches!(ty, Type::Option(_)) => "it may be missing: take it by `if let x = place { ... }`".into(),
            Some(help) => help.into(),
            None if known.is_empty() => String::new(),
            None => format!("it has {known}"),
        };
        self.error("T0051", format!("{shown} has no `{}`", field.name), field.span, "unknown", help);
        None
    }

    fn indexed(&mut self, e: &ast::Expr, base: &ast::Expr, index: &ast::Expr) -> Option<Value> {
        if let ast::ExprKind::From(from) = &index.kind {
            let view = self.expr(base, None)?.expr;
            let from = self.expr_as(from, &Type::UInt(32))?;
            let end = make(ExprKind::Const(u64::from(u32::MAX)), Type::UInt(32));
            return Some(Value::fixed(make(ExprKind::Part(Box::new(view), Box::new(from), Box::new(end)), Type::View)));
        }
        if let Some((place, _)) = self.place_with(e) {
            return self.load(place, e.span).map(Value::fixed);
        }
        let value = self.expr(base, None)?.expr;
        let (ty, size) = match &value.ty {
            Type::Array(t, n) => ((**t).clone(), *n),
            Type::Bytes(n) => (Type::UInt(8), *n),
            other => {
                let shown = self.show(other);
                let help = match other {
                    Type::Msg | Type::View => {
                        "bytes of a message are read by a filter (`m.bytes through name`) or as a header"
                    }
                    _ => "",
                };
                self.error("T0052", format!("{shown} has no elements to index"), base.span, "", help);
                return None;
            }
        };
        let index = self.index(index, size)?;
        Some(Value::fixed(make(ExprKind::Index(Box::new(value), Box::new(index)), ty)))
    }

    /// A struct; a header by itself is a message without data.
    fn literal(&mut self, name: &ast::Ident, fields: &[(ast::Ident, Option<ast::Expr>)], span: Span) -> Option<Value> {
        if self.cx.header_ids.contains_key(&name.name) {
            let empty = make(ExprKind::Empty, Type::Msg);
            return self.push_header(empty, name, fields, span).map(Value::fixed);
        }
        let Type::Struct(id) =
            self.cx.resolve(&ast::Type { kind: ast::TypeKind::Name(name.clone(), Vec::new()), span: name.span })?
        else {
            self.error(
                "T0053",
                format!("`{}` is neither a header of this layer nor a struct", name.name),
                name.span,
                "",
                "",
            );
            return None;
        };
        let declared = self.cx.fragment.structs[id.index()].fields.clone();
        let values =
            self.fields(&declared.iter().map(|f| (f.name.clone(), f.ty.clone())).collect::<Vec<_>>(), fields, name)?;
        Some(Value::fixed(make(ExprKind::Struct(values), Type::Struct(id))))
    }

    /// Values for declared fields, evaluated in the order written; fields that are left out are zero (in structs).
    pub fn fields(
        &mut self,
        declared: &[(String, Type)],
        given: &[(ast::Ident, Option<ast::Expr>)],
        of: &ast::Ident,
    ) -> Option<Vec<Expr>> {
        let mut values: Vec<Option<Expr>> = vec![None; declared.len()];
        let mut fine = true;
        for (name, value) in given {
            let Some(at) = declared.iter().position(|d| d.0 == name.name) else {
                let known = declared.iter().map(|d| d.0.as_str()).collect::<Vec<_>>().join(", ");
                self.error(
                    "T0051",
                    format!("`{}` has no field `{}`", of.name, name.name),
                    name.span,
                    "unknown",
                    format!("it has {known}"),
                );
                fine = false;
                continue;
            };
            if values[at].is_some() {
                self.error("T0054", format!("`{}` is given twice", name.name), name.span, "again here", "");
            }
            let e =
                value.clone().unwrap_or(ast::Expr { kind: ast::ExprKind::Name(name.name.clone()), span: name.span });
            let before = self.out.len();
            match self.expr_as(&e, &declared[at].1) {
                Some(value) => {
                    if self.out.len() > before {
                        self.keep_order(&mut values, before);
                    }
                    values[at] = Some(value);
                }
                None => fine = false,
            }
        }
        for (name, ty) in declared {
            let left_out = !given.iter().any(|(n, _)| n.name == *name);
            if left_out && self.cx.needs_message(ty) {
                let message = format!("`{}` lacks its field `{name}`", of.name);
                let help = format!("it holds a message, which has no zero: write {name}: ...");
                self.error("T0074", message, of.span, "", help);
                fine = false;
            }
        }
        let zero = |d: &(String, Type)| make(ExprKind::Zero, d.1.clone());
        fine.then(|| values.into_iter().zip(declared).map(|(v, d)| v.unwrap_or_else(|| zero(d))).collect())
    }

    /// Statements were put in front after these values had been lowered: evaluate the values before those.
    pub fn keep_order(&mut self, values: &mut [Option<Expr>], at: usize) {
        let later = self.out.split_off(at);
        for value in values.iter_mut().flatten() {
            let kept = std::mem::replace(value, make(ExprKind::Zero, Type::Bool));
            *value = self.spill(kept);
        }
        self.out.extend(later);
    }

    fn tuple(&mut self, parts: &[ast::Expr], want: Option<&Type>) -> Option<Value> {
        let wants: Vec<Option<Type>> = match want {
            Some(Type::Tuple(types)) if types.len() == parts.len() => types.iter().cloned().map(Some).collect(),
            _ => vec![None; parts.len()],
        };
        let mut values: Vec<Option<Expr>> = Vec::new();
        for (part, want) in parts.iter().zip(wants) {
            let before = self.out.len();
            let value = match want {
                Some(ty) => self.expr_as(part, &ty)?,
                None => self.expr(part, None)?.expr,
            };
            if self.out.len() > before {
                self.keep_order(&mut values, before);
            }
            values.push(Some(value));
        }
        let values: Vec<Expr> = values.into_iter().flatten().collect();
        let ty = Type::Tuple(values.iter().map(|v| v.ty.clone()).collect());
        Some(Value::fixed(make(ExprKind::Tuple(values), ty)))
    }

    fn array(&mut self, parts: &[ast::Expr], want: Option<&Type>, span: Span) -> Option<Value> {
        let (element, ty) = match want {
            Some(ty @ Type::Array(t, n)) if *n as usize == parts.len() => ((**t).clone(), ty.clone()),
            Some(ty @ Type::Bytes(n)) if *n as usize == parts.len() => (Type::UInt(8), ty.clone()),
            None => (Type::UInt(8), Type::Bytes(parts.len() as u32)),
            Some(other) => {
                let shown = self.show(other);
                self.error("T0033", format!("this has {} elements, but {shown} is wanted", parts.len()), span, "", "");
                return None;
            }
        };
        let wanted: Vec<(&ast::Expr, Type)> = parts.iter().map(|p| (p, element.clone())).collect();
        let values = self.values(&wanted)?;
        let kind = if let Type::Bytes(_) = ty { bytes_of(values) } else { ExprKind::Array(values) };
        Some(Value::fixed(make(kind, ty)))
    }

    fn if_expression(&mut self, x: &ast::IfExpr, want: Option<&Type>) -> Option<Value> {
        let ConditionKind::Expr(condition) = &x.condition.kind else {
            self.error(
                "T0055",
                "an `if` that is a value tests a condition",
                x.condition.span,
                "not `let`",
                "use a statement",
            );
            return None;
        };
        let condition = self.truth(condition)?;
        let before = self.flow.clone();
        let (then_block, then) = self.block(|b| b.expr(&x.then, want));
        let after_then = std::mem::replace(&mut self.flow, before);
        let (else_block, otherwise) = self.block(|b| b.expr(&x.otherwise, want));
        let after_else = self.flow.clone();
        self.merge(after_then, after_else, x.condition.span);
        let (then, otherwise) = self.unify(then?, otherwise?, want, x.otherwise.span)?;
        let ty = then.ty.clone();
        if then_block.is_empty() && else_block.is_empty() && !self.cx.linear(&ty) {
            return Some(Value::fixed(make(
                ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
                ty,
            )));
        }
        let id = self.temporary(ty);
        let arm = |mut block: nacre_stack::Block, value: Expr| {
            let span = value.span;
            block.push(nacre_stack::StatementKind::Let(id, value).at(span));
            block
        };
        self.push(nacre_stack::StatementKind::If {
            condition,
            likely: x.condition.likely,
            then: arm(then_block, then),
            otherwise: arm(else_block, otherwise),
        });
        Some(Value::fixed(self.get(id)))
    }
}

/// A string of these bytes.
fn bytes_of(values: Vec<Expr>) -> ExprKind {
    let constant = |value: &Expr| if let ExprKind::Const(n) = value.kind { Some(n as u8) } else { None };
    match values.iter().map(constant).collect() {
        Some(bytes) => ExprKind::Literal(bytes),
        None => ExprKind::Concat(
            values.into_iter().map(|value| make(ExprKind::BytesOf(Box::new(value)), Type::Bytes(1))).collect(),
        ),
    }
}
