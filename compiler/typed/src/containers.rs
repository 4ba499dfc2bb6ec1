//! Operations on containers, options and structs in place.

use nacre_diagnostics::Span;
use nacre_stack::operations::methods::{self, Success};
use nacre_stack::operations::Parts;
use nacre_stack::{can_be_element, Operation, Query, Type};
use nacre_syntax::ast;
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context};
use crate::calls::Outcome;
use crate::convert::as_type;
use crate::tree::{Back, Expr, ExprKind, NameId, Partial, PartialKind, Place, UNIT};

/// The signature of an operation.
struct Form {
    operation: Operation,
    takes: Vec<Type>,
    gives: Option<Type>,
    fails: bool,
}

impl Body<'_, '_> {
    /// An operation on the value at a place.
    pub fn method(
        &mut self,
        place: Place,
        name: &ast::Ident,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Option<Outcome> {
        if let Some(outcome) = self.reading(&place, name, arguments, span) {
            return outcome;
        }
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0040", "state cannot be changed here", span, "in a condition", "");
            return None;
        }
        self.may_change(&place, span)?;
        if name.name == "clear" && !matches!(place.ty, Type::Ring(..) | Type::List(..) | Type::Window(..)) {
            self.count_arguments("clear", 0, arguments.len(), span)?;
            if self.cx.needs_message(&place.ty) {
                self.stays(&place.ty.clone(), span);
                return None;
            }
            if self.cx.lacks_zero(&place.ty) {
                self.cx.no_zero(&place.ty, span);
                return None;
            }
            self.note_store(&place);
            let operate = ExprKind::Operate(Operation::Clear, Box::new(place), Vec::new());
            return Some(Outcome::value(self.make(operate, UNIT)));
        }
        if let (Type::Option(_), "take") = (&place.ty, name.name.as_str()) {
            self.count_arguments("take", 0, arguments.len(), span)?;
            self.note_operation(Operation::Pop, &place);
            let ty = place.ty.clone();
            return Some(Outcome::value(self.make(ExprKind::Take(Box::new(place)), ty)));
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

    /// Operations that only read: `at`, `key`, `get`.
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
            ("key", Type::Map(key, _, _), [slot]) => Some(self.key_at(place, &slot.value, key, size)),
            ("at", ..) | ("key", Type::Map(..), _) => {
                Some(self.count_arguments(&name.name, 1, arguments.len(), span).and(None))
            }
            ("get", Type::Map(key, value, _), [k, default]) if !self.cx.linear(value) => {
                let wanted = [(&k.value, (**key).clone()), (&default.value, (**value).clone())];
                Some(self.get_or(place.clone(), &wanted))
            }
            ("get", _, _) => {
                self.error("T0071", "`get` takes a key and a default value", span, "", "");
                Some(None)
            }
            _ => None,
        }
    }

    /// `map.key(slot)`
    fn key_at(&mut self, place: &Place, slot: &ast::Expr, key: &Type, size: u32) -> Option<Outcome> {
        let index = self.index_of(slot, size, &place.ty)?;
        self.has_zero_if_absent(key, slot.span, "take a type of keys that contains 0")?;
        let query = ExprKind::Query(Query::Key, Box::new(place.clone()), vec![index]);
        Some(Outcome::value(self.make(query, key.clone())))
    }

    /// `pool.at(i)`: a place that may be unused.
    fn entry_at(&mut self, place: Place, ty: Type, size: u32, slot: &ast::Expr) -> Option<Outcome> {
        let value = self.expr(slot, None)?;
        if !can_be_element(&value.expr.ty) {
            let shown = self.show(&value.expr.ty);
            self.error("T0033", format!("expected a number, found {shown}"), slot.span, shown, "");
            return None;
        }
        let want = Type::Range(0, u64::from(size));
        let index = match self.coerces(&value, &want) {
            true => self.coerce(value, &want, slot.span)?,
            false => as_type(&value.expr, Type::UInt(32)),
        };
        let kind = PartialKind::At(Box::new(place), Box::new(index));
        Some(Outcome::Failable(Partial { kind, ty, back: Back::None, span: self.span }))
    }

    /// `map.get(key, default)`
    fn get_or(&mut self, place: Place, wanted: &[(&ast::Expr, Type)]) -> Option<Outcome> {
        let both: [Expr; 2] = self.values(wanted)?.try_into().ok()?;
        let ty = both[1].ty.clone();
        if !both[1].is_fixed() && !self.is_kept(&ty, both[1].span) {
            return None;
        }
        Some(Outcome::value(self.make(ExprKind::GetOr(Box::new(place), Box::new(both)), ty)))
    }

    fn operate(&mut self, place: Place, form: Form, arguments: &[ast::Argument]) -> Option<Outcome> {
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().map(|a| &a.value).zip(form.takes.iter().cloned()).collect();
        let values = self.values(&wanted)?;
        self.note_operation(form.operation, &place);
        let ty = form.gives.clone().unwrap_or(UNIT);
        if !form.fails {
            let operate = ExprKind::Operate(form.operation, Box::new(place), values);
            return Some(Outcome::value(self.make(operate, ty)));
        }
        let back = match (wanted.last(), form.takes.last()) {
            (Some((e, _)), Some(ty)) if self.cx.linear(ty) => self.back(e, ty),
            _ => Back::None,
        };
        let kind = PartialKind::Operate(form.operation, Box::new(place), values);
        Some(Outcome::Failable(Partial { kind, ty, back, span: self.span }))
    }

    /// The name of a message, if the expression is one.
    fn message_named(&self, e: &ast::Expr) -> Option<NameId> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        match self.lookup(name) {
            Some(Binding::Value(id)) if self.cx.linear(&self.ty(*id)) => Some(*id),
            _ => None,
        }
    }

    /// The owners to which a failed operation returns its messages.
    fn back(&mut self, e: &ast::Expr, ty: &Type) -> Back {
        if let Some(id) = self.message_named(e) {
            return Back::Name(id);
        }
        let mut parts = Vec::new();
        self.named_parts(e, ty, &[], &mut parts);
        Back::Parts(parts)
    }

    /// The messages that an expression names as parts of a value of this type, and where they are in it.
    fn named_parts(&self, e: &ast::Expr, ty: &Type, at: &[u32], found: &mut Vec<(Vec<u32>, NameId)>) {
        if let Some(id) = self.message_named(e) {
            found.push((at.to_vec(), id));
            return;
        }
        let mut part = |e: &ast::Expr, ty: &Type, n: u32| self.named_parts(e, ty, &[at, &[n]].concat(), found);
        match (&e.kind, ty) {
            (ast::ExprKind::Some(inner), Type::Option(ty)) => part(inner, ty, 0),
            (ast::ExprKind::Tuple(es), Type::Tuple(types)) => {
                (0..).zip(es.iter().zip(types)).for_each(|(n, (e, ty))| part(e, ty, n))
            }
            (ast::ExprKind::Literal(_, fields), _) => {
                for (name, value) in fields {
                    let short = ast::Expr { kind: ast::ExprKind::Name(name.name.clone()), span: name.span };
                    if let Some((n, ty)) = self.field_of(ty, &name.name) {
                        part(value.as_ref().unwrap_or(&short), &ty, n);
                    }
                }
            }
            _ => {}
        }
    }

    /// Begins the failing path: named messages are held again.
    pub fn give_back(&mut self, back: &Back, span: Span) {
        match back {
            Back::None => {}
            Back::Name(id) => self.revive(*id, span),
            Back::Parts(parts) => {
                for (_, id) in parts {
                    self.note_set(*id);
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
    // An operand that is any number in the IR is an index of the container here.
    let part = |operand| parts.operand(operand).unwrap_or(Type::Range(0, u64::from(parts.capacity)));
    // The caller that removes an entry by its value or slot knows it.
    let gives = row.gives.filter(|_| operation != Operation::Remove).map(part);
    let gives = match row.success {
        Success::Absent => gives.map(|ty| Type::Option(Box::new(ty))),
        Success::Always | Success::Fails => gives,
    };
    let takes = row.takes.iter().map(|operand| part(*operand)).collect();
    Some(Form { operation, takes, gives, fails: row.success == Success::Fails })
}

/// The operations of a container, as listed in messages.
fn operations(ty: &Type) -> String {
    let more: &[&str] = match ty {
        Type::Window(..) => &["and for loops up_to", "between", "delivered"],
        Type::Pool(..) => &["at", "clear"],
        Type::Map(..) => &["get", "at", "key", "clear"],
        Type::Option(_) => &["take", "clear"],
        _ => &[],
    };
    let named = methods::all(ty).filter_map(|(_, row)| row.name);
    named.chain(more.iter().copied()).collect::<Vec<_>>().join(", ")
}
