//! Accesses by a dot or brackets: fields, variants, properties of containers, bytes of messages.

use nacre_diagnostics::Span;
use nacre_stack::{Query, Type};
use nacre_syntax::ast;
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Body, Value};
use crate::bounded::is_message;
use crate::tree::{Expr, ExprKind, Place, Step};

/// Fields of some types: that another type lacks one is not a matter of its spelling.
const FIELDS: [&str; 3] = ["len", "empty", "full"];
/// How a value in an option is read that has no zero.
const PRESENT: &str = "read it where it is there: `if let x = ... { ... }`";

impl Body<'_, '_> {
    /// `base.field`: of an enum, a message, a container, a struct, the stack, or the layer below.
    pub fn field(&mut self, base: &ast::Expr, field: &ast::Ident, e: &ast::Expr) -> Option<Value> {
        if let ast::ExprKind::TypeName(name) = &base.kind {
            return self.variant(name, field, base.span);
        }
        if let Some(known) = self.of_stack(base, field) {
            return Some(Value::fixed(known));
        }
        match field.name.as_str() {
            "bytes" if self.is_looked_at(base) => {
                let message = self.borrow(base)?;
                if matches!(message.kind, ExprKind::PackView(_)) {
                    return Some(Value::fixed(message));
                }
                return Some(Value::fixed(self.make(ExprKind::View(Box::new(message)), Type::View)));
            }
            // A struct may have a field of this name.
            "bytes" if self.place_type(e).is_none() => return self.bytes_of(base, field),
            "len" if self.place_type(base).is_some_and(|ty| is_message(&ty)) => {
                let message = self.borrow(base)?;
                return Some(Value::fixed(self.make(ExprKind::Length(Box::new(message)), Type::UInt(32))));
            }
            _ => {}
        }
        if self.place_type(e).is_some() {
            let place = self.place(e)?;
            self.slot_has_zero(e, &place.ty)?;
            return self.load(place, e.span).map(Value::fixed);
        }
        if self.place_type(base).is_some() {
            let place = self.place(base)?;
            return self.query(place, field);
        }
        self.field_of_value(base, field)
    }

    /// `stack.fingerprint`, `below.room`
    fn of_stack(&self, base: &ast::Expr, field: &ast::Ident) -> Option<Expr> {
        let ast::ExprKind::Name(name) = &base.kind else { return None };
        if self.lookup(name).is_some() {
            return None;
        }
        match (name.as_str(), field.name.as_str()) {
            ("stack", "fingerprint") => Some(self.make(ExprKind::Fingerprint, Type::UInt(64))),
            ("below", "room") => Some(self.make(ExprKind::Room, Type::UInt(32))),
            _ => None,
        }
    }

    fn field_of_value(&mut self, base: &ast::Expr, field: &ast::Ident) -> Option<Value> {
        let value = self.expr(base, None)?.expr;
        if let (Type::Option(t), "value") = (&value.ty, field.name.as_str()) {
            let ty = (**t).clone();
            self.has_zero_if_absent(&ty, field.span, PRESENT)?;
            return Some(Value::fixed(self.make(ExprKind::Unwrap(Box::new(value)), ty)));
        }
        if let Type::Bits(_) = value.ty {
            let Some((query, ty)) = property(&value.ty, &field.name) else { return self.no_field(&value.ty, field) };
            let kind = match value {
                // The set in an option, where it is: that takes no step.
                Expr { kind: ExprKind::Load(place), .. } => ExprKind::Query(query, place, Vec::new()),
                value => ExprKind::QueryValue(query, Box::new(value)),
            };
            return Some(Value::fixed(self.make(kind, ty)));
        }
        match self.field_of(&value.ty, &field.name) {
            Some((index, ty)) => Some(Value::fixed(self.make(ExprKind::Field(Box::new(value), index), ty))),
            None => self.no_field(&value.ty, field),
        }
    }

    fn variant(&mut self, name: &str, field: &ast::Ident, span: Span) -> Option<Value> {
        let Some(id) = self.cx.enum_named(name, span) else {
            self.error("T0010", format!("there is no enum `{name}`"), span, "not declared", "");
            return None;
        };
        let variants = &self.cx.tree.enums[id.index()].variants;
        match variants.iter().position(|v| *v == field.name) {
            Some(at) => Some(Value::fixed(self.make(ExprKind::Const(at as u64), Type::Enum(id)))),
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

    /// Whether an expression is a message that can be borrowed: a local one, one in place, or `pack(share m)`.
    pub fn is_looked_at(&self, e: &ast::Expr) -> bool {
        match packed(e) {
            Some(m) => self.is_looked_at(m),
            None => self.place_type(e).is_some_and(|ty| is_message(&ty)),
        }
    }

    /// Borrows a message. None, without a report, if it is not a message.
    pub fn borrow(&mut self, e: &ast::Expr) -> Option<Expr> {
        if !self.is_looked_at(e) {
            return None;
        }
        if let Some(m) = packed(e) {
            let message = self.borrow(m)?;
            self.cx.tree.packs = true;
            return Some(self.make(ExprKind::PackView(Box::new(message)), Type::View));
        }
        let place = self.place(e)?;
        Some(self.looked_at(place, e.span))
    }

    /// Borrows the value at a place.
    pub fn looked_at(&mut self, place: Place, span: Span) -> Expr {
        match self.names.whole_value(&place) {
            Some(id) => {
                self.readable(id, span);
                self.get(id)
            }
            None => {
                let ty = place.ty.clone();
                self.make(ExprKind::Borrow(Box::new(place)), ty)
            }
        }
    }

    /// `share m`
    pub fn share(&mut self, x: &ast::Expr) -> Option<Value> {
        if self.place_type(x).is_some_and(|ty| is_message(&ty)) {
            let message = self.borrow(x)?;
            let ty = message.ty.clone();
            return Some(Value::fixed(self.make(ExprKind::Share(Box::new(message)), ty)));
        }
        let before = self.cx.found.len();
        let _ = self.expr(x, None);
        if self.cx.found.len() == before {
            self.error("T0049", "only a message can be shared", x.span, "not a message", "");
        }
        None
    }

    /// `.bytes` of a number or of bytes, or a field of a struct.
    fn bytes_of(&mut self, base: &ast::Expr, field: &ast::Ident) -> Option<Value> {
        let value = self.expr(base, None)?.expr;
        if let Some((index, ty)) = self.field_of(&value.ty, &field.name) {
            return Some(Value::fixed(self.make(ExprKind::Field(Box::new(value), index), ty)));
        }
        let size = match &value.ty {
            Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits) => u32::from(*bits).div_ceil(8),
            Type::Duration | Type::Instant => 8,
            Type::Addr => 20,
            Type::Bytes(_) | Type::View => return Some(Value::fixed(value)),
            _ => {
                let shown = self.show(&value.ty);
                let named = "bind the message to a name first: `let part = ...;`, then `part.bytes`";
                let help = if is_message(&value.ty) { named } else { "" };
                self.error("T0050", format!("a value of type {shown} has no bytes"), base.span, "", help);
                return None;
            }
        };
        Some(Value::fixed(self.make(ExprKind::BytesOf(Box::new(value)), Type::Bytes(size))))
    }

    /// A property of a container, option or timer.
    fn query(&mut self, place: Place, field: &ast::Ident) -> Option<Value> {
        if let (Type::Option(t), "value") = (&place.ty, field.name.as_str()) {
            let ty = (**t).clone();
            self.has_zero_if_absent(&ty, field.span, PRESENT)?;
            return self.load(place.with(Step::Unwrap, ty), field.span).map(Value::fixed);
        }
        let Some((query, ty)) = property(&place.ty, &field.name) else { return self.no_field(&place.ty, field) };
        Some(Value::fixed(self.make(ExprKind::Query(query, Box::new(place), Vec::new()), ty)))
    }

    fn no_field<T>(&mut self, ty: &Type, field: &ast::Ident) -> Option<T> {
        let shown = self.show(ty);
        let known = match ty {
            Type::Struct(id) => {
                self.cx.tree.structs[id.index()].fields.iter().map(|f| f.name.clone()).collect::<Vec<_>>().join(", ")
            }
            Type::Window(..) => "low, next, high, len, empty, full".into(),
            Type::Ring(..) | Type::List(..) | Type::Pool(..) | Type::Map(..) => "len, empty, full".into(),
            Type::Bits(_) => "len, empty, full, first".into(),
            Type::Msg | Type::Bounded(_) => "len, bytes".into(),
            Type::Timer => "armed".into(),
            _ => String::new(),
        };
        let help = match foreign::name(&field.name, Unknown::Operation) {
            _ if matches!(ty, Type::Option(_)) => "it may be absent: bind it with `if let x = place { ... }`".into(),
            Some(help) if !FIELDS.contains(&field.name.as_str()) => help.into(),
            _ if known.is_empty() => String::new(),
            _ => format!("it has {known}"),
        };
        if self.is_unsound_field(&field.name) {
            return None;
        }
        self.error("T0051", format!("{shown} has no `{}`", field.name), field.span, "unknown", help);
        None
    }

    /// Whether a place lies in a slot of a pool or map, which may be unused.
    fn lies_in_slot(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Field(base, _) => self.lies_in_slot(base),
            ast::ExprKind::Index(base, _) => {
                matches!(self.place_type(base), Some(Type::Pool(..) | Type::Map(..))) || self.lies_in_slot(base)
            }
            _ => false,
        }
    }

    /// Requires that what lies in a slot, which may be unused, has a zero.
    pub(crate) fn slot_has_zero(&mut self, e: &ast::Expr, ty: &Type) -> Option<()> {
        match self.lies_in_slot(e) {
            true => {
                self.has_zero_if_absent(ty, e.span, "name the slot where it is used: `ref x = p.at(slot) else ...;`")
            }
            false => Some(()),
        }
    }

    /// Requires that what reads as zero where it is absent has a zero: another value would be outside its range.
    pub(crate) fn has_zero_if_absent(&mut self, ty: &Type, span: Span, help: &str) -> Option<()> {
        if !self.cx.begins_above_zero(ty) {
            return Some(());
        }
        let shown = self.show(ty);
        let words = format!("{shown} has no zero value, which this would be if nothing is there");
        self.error("T0154", words, span, "it contains a range that begins above 0", help);
        None
    }

    /// `base[index]`, `bytes[4..]`
    pub fn indexed(&mut self, e: &ast::Expr, base: &ast::Expr, index: &ast::Expr) -> Option<Value> {
        if let ast::ExprKind::From(from) = &index.kind {
            let view = self.expr(base, None)?.expr;
            let from = self.expr_as(from, &Type::UInt(32))?;
            self.before([&view], &from);
            return Some(Value::fixed(self.make(ExprKind::From(Box::new(view), Box::new(from)), Type::View)));
        }
        if self.place_type(e).is_some() {
            let place = self.place(e)?;
            self.slot_has_zero(e, &place.ty)?;
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
                        "a filter reads the bytes of a message (`m.bytes through name`), and a header has fields"
                    }
                    _ => "",
                };
                self.error("T0052", format!("{shown} has no elements to index"), base.span, "", help);
                return None;
            }
        };
        let index = self.index(index, size)?;
        Some(Value::fixed(self.make(ExprKind::Index(Box::new(value), Box::new(index)), ty)))
    }
}

/// The message of `pack(share m)`.
fn packed(e: &ast::Expr) -> Option<&ast::Expr> {
    let ast::ExprKind::Call(f, arguments) = &e.kind else { return None };
    match (&f.kind, arguments.as_slice()) {
        (ast::ExprKind::Name(name), [ast::Argument { value: ast::Expr { kind: ast::ExprKind::Share(m), .. }, .. }])
            if name == "pack" =>
        {
            Some(m)
        }
        _ => None,
    }
}

/// A property of a container, a set or a timer, and its type.
fn property(ty: &Type, name: &str) -> Option<(Query, Type)> {
    let container = matches!(
        ty,
        Type::Ring(..) | Type::List(..) | Type::Window(..) | Type::Pool(..) | Type::Map(..) | Type::Bits(_)
    );
    let sequence = if let Type::Window(_, _, bits) = ty { Some(Type::Seq(*bits)) } else { None };
    match name {
        "len" if container => Some((Query::Len, Type::UInt(32))),
        "empty" if container => Some((Query::Empty, Type::Bool)),
        "full" if container => Some((Query::Full, Type::Bool)),
        "low" => Some((Query::Low, sequence?)),
        "next" => Some((Query::Next, sequence?)),
        "high" => Some((Query::High, sequence?)),
        "first" => match ty {
            Type::Bits(n) => Some((Query::First, Type::Range(0, u64::from(*n)))),
            _ => None,
        },
        "armed" if *ty == Type::Timer => Some((Query::Armed, Type::Bool)),
        _ => None,
    }
}
