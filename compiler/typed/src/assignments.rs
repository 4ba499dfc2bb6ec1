//! Assignments: the right side is evaluated first, then the indices of the place, once.

use nacre_diagnostics::Span;
use nacre_stack::Type;
use nacre_syntax::ast::{self, AssignOp, Otherwise};

use crate::body::{Binding, Body, Value};
use crate::tree::{Expr, NameId, Pattern, PatternKind, Place, Statement, StatementKind};

/// An assignment's target and operator.
#[derive(Clone, Copy)]
pub(crate) struct Given<'s> {
    pub op: AssignOp,
    pub value: &'s ast::Expr,
    pub otherwise: Option<&'s Otherwise>,
}

impl Body<'_, '_> {
    /// An assignment, also one that combines (`+=`).
    pub fn assign(&mut self, e: &ast::Expr, given: Given, span: Span) -> Option<StatementKind> {
        match self.sequenced(e, given)? {
            Some((e, value)) => self.assign_now(&e, Given { op: given.op, value: &value, otherwise: None }, span),
            None => self.assign_now(e, given, span),
        }
    }

    fn assign_now(&mut self, e: &ast::Expr, given: Given, span: Span) -> Option<StatementKind> {
        if let ast::ExprKind::Name(name) = &e.kind {
            if let Some(&Binding::Value(id)) = self.lookup(name) {
                return self.assign_name(id, e, given, span);
            }
        }
        let place = self.changeable(e)?;
        let ty = place.ty.clone();
        if matches!(ty, Type::Timer) {
            self.error("T0086", "a timer cannot be assigned", e.span, "not assigned", "arm it: `arm t in 20 ms;`");
            return None;
        }
        let value = self.assigned(e, given, &ty, span)?;
        self.note_store(&place);
        Some(StatementKind::Store { place, value })
    }

    fn assign_name(&mut self, id: NameId, e: &ast::Expr, given: Given, span: Span) -> Option<StatementKind> {
        self.assignable(id, e.span)?;
        let ty = self.ty(id);
        let is_linear = self.cx.linear(&ty);
        let was_held = is_linear && self.flow.live(id).is_some();
        let value = self.assigned(e, given, &ty, span)?;
        if is_linear && self.flow.live(id).is_some() {
            let name = self.names[id].name.clone();
            let what = format!("`{name}` still holds a message");
            self.error("T0087", what, span, "it would be lost", "consume it first");
            return None;
        }
        self.note_set(id);
        if is_linear {
            self.revive(id, span);
        }
        let value = if was_held { self.moved_ahead(value, span) } else { value };
        Some(StatementKind::Set { name: id, value })
    }

    /// A value that consumes the message of the name to which it is assigned: a hidden name holds it in between.
    fn moved_ahead(&mut self, value: Expr, span: Span) -> Expr {
        let ty = value.ty.clone();
        let id = self.hidden("#value", ty.clone(), span);
        let pattern = Pattern { kind: PatternKind::Name(id), ty, span };
        self.ahead.push(Statement { kind: StatementKind::Let { pattern, value }, span: self.at });
        self.get(id)
    }

    /// The value of an assignment.
    fn assigned(&mut self, e: &ast::Expr, given: Given, ty: &Type, span: Span) -> Option<Expr> {
        let Given { op, value, otherwise } = given;
        let Some(op) = operator(op) else {
            let Some(otherwise) = otherwise else { return self.expr_as(value, ty) };
            let got = self.tried(value, otherwise)?;
            return self.coerce(Value::fixed(got), ty, value.span);
        };
        let sum = self.binary(op, e, value, Some(ty), span)?;
        self.coerce(sum, ty, span)
    }

    /// `place op= value` where the value or an index takes steps of its own: the value is evaluated first and the
    /// indices once, by statements ahead, and names stand for both. None: there are no such steps.
    fn sequenced(&mut self, e: &ast::Expr, given: Given) -> Option<Option<(ast::Expr, ast::Expr)>> {
        let Given { op, value, otherwise } = given;
        let Some(ty) = operator(op).and_then(|_| self.place_type(e)) else { return Some(None) };
        if matches!(value.kind, ast::ExprKind::Literal(..)) || (otherwise.is_none() && !calls(e) && !calls(value)) {
            return Some(None);
        }
        let before = (self.flow.clone(), self.cx.uses.len());
        let right = match otherwise {
            Some(otherwise) => Value::fixed(self.tried(value, otherwise)?),
            None => self.expr(value, Some(&ty))?,
        };
        let is_name = matches!(e.kind, ast::ExprKind::Name(_));
        let place = if is_name { None } else { Some(self.changeable(e)?) };
        let structs = &self.cx.tree.structs;
        let indices = place.iter().flat_map(Place::indices);
        if ![&right.expr].into_iter().chain(indices).any(|x| x.has_steps(structs)) {
            self.flow = before.0;
            self.cx.uses.truncate(before.1);
            return Some(None);
        }
        let right = if right.flexible { value.clone() } else { self.kept_ahead(right.expr, value.span)? };
        let place = place.map_or_else(|| e.clone(), |place| self.place_ahead(place, e.span));
        Some(Some((place, right)))
    }

    /// A value that is evaluated ahead of the statement.
    fn kept_ahead(&mut self, value: Expr, span: Span) -> Option<ast::Expr> {
        if !self.is_kept(&value.ty, span) {
            return None;
        }
        let name = ast::Ident { name: "#value".into(), span };
        let id = self.declare(&name, value.ty.clone());
        let pattern = Pattern { kind: PatternKind::Name(id), ty: value.ty.clone(), span };
        self.ahead.push(Statement { kind: StatementKind::Let { pattern, value }, span: self.at });
        Some(ast::Expr { kind: ast::ExprKind::Name(name.name), span })
    }

    /// A place whose indices are evaluated ahead of the statement.
    fn place_ahead(&mut self, place: Place, span: Span) -> ast::Expr {
        let name = ast::Ident { name: "#place".into(), span };
        let id = self.bind_place(&name, place, false);
        self.ahead.push(Statement { kind: StatementKind::Ref(id), span: self.at });
        ast::Expr { kind: ast::ExprKind::Name(name.name), span }
    }
}

/// The operator of a compound assignment; None: `=`.
fn operator(op: AssignOp) -> Option<ast::BinaryOp> {
    match op {
        AssignOp::Set => None,
        AssignOp::Add => Some(ast::BinaryOp::Add),
        AssignOp::Sub => Some(ast::BinaryOp::Sub),
        AssignOp::Mul => Some(ast::BinaryOp::Mul),
        AssignOp::Or => Some(ast::BinaryOp::BitOr),
        AssignOp::And => Some(ast::BinaryOp::BitAnd),
    }
}

/// Whether an expression calls something, so that it may take steps of its own.
fn calls(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Call(..) | ast::ExprKind::Through(..)) || e.children().into_iter().any(calls)
}
