//! Operations on containers, options and structs in place.

use nacre_diagnostics::Span;
use nacre_stack::operations::methods::{self, Success};
use nacre_stack::operations::Parts;
use nacre_stack::{Expr, ExprKind, LocalId, Operate, Operation, Place, Query, StatementKind, Step, Type};
use nacre_syntax::ast;
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Body, Context, Value};
use crate::calls::{Back, Outcome};
use crate::expressions::make;

/// What an operation takes and gives.
struct Form {
    operation: Operation,
    takes: Vec<Type>,
    gives: Option<Type>,
    fails: bool,
}

impl Body<'_, '_> {
    pub fn method(
        &mut self,
        place: Place,
        borrowed: bool,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Outcome> {
        if let Some(outcome) = self.reading(&place, name, arguments, span) {
            return outcome;
        }
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0040", "nothing is changed here", span, "in a condition", "");
            return None;
        }
        if let nacre_stack::Root::Cell(id) = place.root {
            if self.cx.fragment.cells[id.index()].scope == nacre_stack::Scope::Given {
                self.error("T0038", "a given value never changes", span, "", "");
                return None;
            }
        }
        if let nacre_stack::Root::Local(id) = place.root {
            self.assignable(id, span)?;
        }
        let _ = borrowed;
        if name.name == "clear" && !matches!(place.ty, Type::Ring(..) | Type::List(..) | Type::Window(..)) {
            self.count_arguments("clear", 0, arguments.len(), span)?;
            if self.cx.needs_message(&place.ty) {
                self.stays(&place.ty.clone(), span);
                return None;
            }
            let zero = make(ExprKind::Zero, place.ty.clone());
            self.push(StatementKind::Store(place, zero));
            return Some(Outcome::Nothing);
        }
        if let (Type::Option(_), "take") = (&place.ty, name.name.as_str()) {
            self.count_arguments("take", 0, arguments.len(), span)?;
            let into = self.temporary(place.ty.clone());
            self.push(StatementKind::Take { into, place });
            return Some(Outcome::Value(Value::fixed(self.get(into))));
        }
        let Some(form) = form(&place.ty, &name.name) else {
            let shown = self.show(&place.ty);
            let known = operations(&place.ty);
            let help = match foreign::name(&name.name, Unknown::Operation) {
                Some(help) if known.is_empty() => help.into(),
                Some(help) => format!("it has {known}; {help}"),
                None if known.is_empty() => String::new(),
                None => format!("it has {known}"),
            };
            self.error("T0078", format!("{shown} has no operation `{}`", name.name), name.span, "unknown", help);
            return None;
        };
        self.count_arguments(&name.name, form.takes.len(), arguments.len(), span)?;
        if let (Operation::Remove, Type::Ring(t, _) | Type::List(t, _)) = (form.operation, &place.ty) {
            self.comparable(&t.clone(), "remove", span)?;
        }
        self.operate(place, form, arguments)
    }

    /// Operations that only look: `at`, `key`, `get`.
    fn reading(
        &mut self,
        place: &Place,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Option<Outcome>> {
        let (value_ty, size) = match &place.ty {
            Type::Pool(t, n) | Type::Map(_, t, n) => ((**t).clone(), *n),
            _ => return None,
        };
        match (name.name.as_str(), &place.ty, arguments) {
            ("at", _, [slot]) => Some(self.entry_at(place.clone(), value_ty, size, &slot.value)),
            ("key", Type::Map(key, _, _), [slot]) => {
                let index = self.index(&slot.value, size)?;
                let query = ExprKind::Query(Query::Key, Box::new(place.clone()), vec![index]);
                Some(Some(Outcome::Value(Value::fixed(make(query, (**key).clone())))))
            }
            ("get", Type::Map(key, value, _), [k, default]) if !self.cx.linear(value) => {
                let (key, value) = ((**key).clone(), (**value).clone());
                Some(self.get_or(place.clone(), key, value, size, &k.value, &default.value))
            }
            ("get", _, _) => {
                self.error("T0071", "`get` takes a key and what to give if it is not there", span, "", "");
                Some(None)
            }
            _ => None,
        }
    }

    /// `pool.at(i)`: a place that may be unused.
    fn entry_at(&mut self, place: Place, ty: Type, size: u32, slot: &ast::Expr) -> Option<Outcome> {
        let value = self.expr(slot, None)?;
        let index = match self.coerce_quietly(value, &Type::Range(0, u64::from(size))) {
            Ok(index) => index,
            Err(value) => crate::operators::as_type(&value.expr, Type::UInt(32)),
        };
        let index = self.spill(index);
        let has = make(ExprKind::Query(Query::Has, Box::new(place.clone()), vec![index.clone()]), Type::Bool);
        let mut entry = place;
        entry.path.push(Step::Index(index));
        entry.ty = ty;
        Some(Outcome::Failable { done: has, value: None, place: Some(entry), back: Back::None })
    }

    fn coerce_quietly(&mut self, value: Value, want: &Type) -> Result<Expr, Value> {
        let before = self.cx.found.len();
        match self.coerce(value.clone(), want, Span::default()) {
            Some(expr) => Ok(expr),
            None => {
                self.cx.found.truncate(before);
                Err(value)
            }
        }
    }

    /// `map.get(key, default)`
    fn get_or(
        &mut self,
        place: Place,
        key: Type,
        value: Type,
        size: u32,
        k: &ast::Expr,
        default: &ast::Expr,
    ) -> Option<Outcome> {
        let values = self.values(&[(k, key), (default, value.clone())])?;
        let [k, default] = <[_; 2]>::try_from(values).ok()?;
        let default = self.spill(default);
        let slot_ty = Type::Option(Box::new(Type::Range(0, u64::from(size))));
        let slot = self.temporary(slot_ty);
        self.push(StatementKind::Operate(Operate {
            operation: Operation::Find,
            place: place.clone(),
            arguments: vec![k],
            into: Some(slot),
            done: None,
            back: None,
        }));
        let slot = self.get(slot);
        let found = make(ExprKind::IsSome(Box::new(slot.clone())), Type::Bool);
        let index = make(ExprKind::Unwrap(Box::new(slot)), Type::Range(0, u64::from(size)));
        let mut entry = place;
        entry.path.push(Step::Index(index));
        entry.ty = value.clone();
        let there = make(ExprKind::Load(Box::new(entry)), value.clone());
        Some(Outcome::Value(Value::fixed(make(
            ExprKind::If(Box::new(found), Box::new(there), Box::new(default)),
            value,
        ))))
    }

    fn operate(&mut self, place: Place, form: Form, arguments: &[ast::Argument]) -> Option<Outcome> {
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().map(|a| &a.value).zip(form.takes.iter().cloned()).collect();
        let values = self.values(&wanted)?;
        let into = form.gives.clone().map(|ty| self.temporary(ty));
        if !form.fails {
            self.push(StatementKind::Operate(Operate {
                operation: form.operation,
                place,
                arguments: values,
                into,
                done: None,
                back: None,
            }));
            return Some(into.map_or(Outcome::Nothing, |id| Outcome::Value(Value::fixed(self.get(id)))));
        }
        let back = match (wanted.last(), form.takes.last()) {
            (Some((e, _)), Some(ty)) if self.cx.linear(ty) => self.back(e, ty),
            _ => Back::None,
        };
        let back_local = match &back {
            Back::None => None,
            Back::Local(id) => Some(*id),
            Back::Parts { temporary, .. } => Some(*temporary),
        };
        let done = self.temporary(Type::Bool);
        let place_after = place.clone();
        self.push(StatementKind::Operate(Operate {
            operation: form.operation,
            place,
            arguments: values,
            into,
            done: Some(done),
            back: back_local,
        }));
        let value = into.map(|id| self.get(id));
        let entry = match (&place_after.ty, &value) {
            (Type::Map(_, t, _) | Type::Pool(t, _), Some(slot)) => {
                let mut entry = place_after.clone();
                entry.ty = (**t).clone();
                entry.path.push(Step::Index(slot.clone()));
                Some(entry)
            }
            _ => None,
        };
        let done = self.get(done);
        Some(Outcome::Failable { done, value, place: entry, back })
    }

    /// Where the messages of a failed operation go back to.
    fn back(&mut self, e: &ast::Expr, ty: &Type) -> Back {
        let name_of = |b: &Self, e: &ast::Expr| -> Option<LocalId> {
            let ast::ExprKind::Name(name) = &e.kind else { return None };
            match b.lookup(name) {
                Some(crate::body::Binding::Local(id)) if b.cx.linear(&b.ty(*id)) => Some(*id),
                _ => None,
            }
        };
        if let Some(id) = name_of(self, e) {
            return Back::Local(id);
        }
        let mut parts = Vec::new();
        match &e.kind {
            ast::ExprKind::Tuple(es) => {
                parts.extend(es.iter().enumerate().filter_map(|(i, e)| Some((i as u32, name_of(self, e)?))))
            }
            ast::ExprKind::Literal(_, fields) => {
                for (name, value) in fields {
                    let e = value
                        .clone()
                        .unwrap_or(ast::Expr { kind: ast::ExprKind::Name(name.name.clone()), span: name.span });
                    if let (Some(id), Some((at, _))) = (name_of(self, &e), self.field_of(ty, &name.name)) {
                        parts.push((at, id));
                    }
                }
            }
            _ => {}
        }
        Back::Parts { temporary: self.temporary(ty.clone()), parts }
    }

    /// The beginning of the failing way: named messages are held again, temporaries are let go.
    pub fn give_back(&mut self, back: &Back, span: Span) {
        match back {
            Back::None => {}
            Back::Local(id) => self.revive(*id, span),
            Back::Parts { temporary, parts } => {
                if parts.is_empty() {
                    let value = self.get(*temporary);
                    self.push(StatementKind::Drop(value));
                }
                for (at, id) in parts {
                    let ty = self.ty(*id);
                    let part = make(ExprKind::Field(Box::new(self.get(*temporary)), *at), ty);
                    self.push(StatementKind::Let(*id, part));
                    self.revive(*id, span);
                }
            }
        }
    }
}

/// The operation that a container has by a name; see [`methods`].
fn form(ty: &Type, name: &str) -> Option<Form> {
    let (operation, row) = methods::named(ty, name)?;
    let parts = Parts::of(ty);
    // What any number may be in the IR is an index of the container here.
    let part = |operand| parts.operand(operand).unwrap_or(Type::Range(0, u64::from(parts.capacity)));
    // Who removes an entry by its value or slot knows it.
    let gives = row.gives.filter(|_| operation != Operation::Remove).map(part);
    let gives = match row.success {
        Success::Absent => gives.map(|ty| Type::Option(Box::new(ty))),
        Success::Always | Success::Fails => gives,
    };
    let takes = row.takes.iter().map(|operand| part(*operand)).collect();
    Some(Form { operation, takes, gives, fails: row.success == Success::Fails })
}

/// The names of what a container has, as a message lists them.
fn operations(ty: &Type) -> String {
    let more: &[&str] = match ty {
        Type::Window(..) => &["and for loops up_to", "delivered"],
        Type::Pool(..) => &["at", "clear"],
        Type::Map(..) => &["get", "at", "key", "clear"],
        Type::Option(_) => &["take", "clear"],
        _ => &[],
    };
    let named = methods::all(ty).filter_map(|(_, row)| row.name);
    named.chain(more.iter().copied()).collect::<Vec<_>>().join(", ")
}
