//! Statements except branches and loops.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::Type;
use nacre_syntax::ast::{self, Otherwise, PatternKind as Written};
use nacre_syntax::foreign::{self, Unknown};

use crate::assignments::Given;
use crate::body::{Binding, Body, Context, NameOf, Value};
use crate::bounded::is_message;
use crate::calls::Outcome;
use crate::convert::usual_type;
use crate::tree::{Block, Dropped, Expr, ExprKind, Pattern, PatternKind, Place, Statement, StatementKind, UNIT};
use crate::walks::Head;

impl Body<'_, '_> {
    /// The statements of a block, in a scope of their own.
    pub fn statements(&mut self, block: &ast::Block) -> Block {
        self.open();
        let first = self.entries.in_loops.len();
        let mut statements = Vec::new();
        for statement in &block.statements {
            if self.flow.ended {
                self.cx.found.push(
                    Diagnostic::warning("T0079", "this is never reached")
                        .at(statement.span, "after the end of the block"),
                );
                break;
            }
            let statement = self.statement(statement);
            statements.append(&mut self.ahead);
            statements.push(statement);
        }
        self.block_ends(first, statements.last().map(|s| &s.kind));
        self.close();
        Block { statements, span: block.span }
    }

    fn statement(&mut self, s: &ast::Statement) -> Statement {
        let outer = (self.at, self.span, self.poisoned, self.reported);
        let kept = std::mem::take(&mut self.kept);
        (self.at, self.span, self.poisoned, self.reported) = (s.span, s.span, false, self.cx.found.len());
        let kind = self.statement_kind(s).unwrap_or_else(|| self.recover(s));
        self.forget_consequences();
        self.kept = kept;
        (self.at, self.span, self.poisoned, self.reported) = outer;
        Statement { kind, span: s.span }
    }

    /// Declares the names of a pattern whose value has an error.
    pub fn unknown_names(&mut self, pattern: &ast::Pattern) {
        match &pattern.kind {
            Written::Name(name) | Written::Data(name) => self.bind(&name.name, Binding::Unknown),
            Written::Tuple(parts) => parts.iter().for_each(|part| self.unknown_names(part)),
            Written::Some(inner) => self.unknown_names(inner),
            _ => {}
        }
    }

    fn statement_kind(&mut self, s: &ast::Statement) -> Option<StatementKind> {
        match &s.kind {
            ast::StatementKind::Let { pattern, value, otherwise } => self.let_(pattern, value, otherwise.as_ref()),
            ast::StatementKind::Var { name, ty, value } => self.var(name, ty.as_ref(), value.as_ref()),
            ast::StatementKind::Ref { name, place, otherwise } => self.ref_(name, place, otherwise.as_ref()),
            ast::StatementKind::Assign { place, op, value, otherwise } => {
                self.assign(place, Given { op: *op, value, otherwise: otherwise.as_ref() }, s.span)
            }
            ast::StatementKind::Expr { value, otherwise } => self.expression_statement(value, otherwise.as_ref()),
            ast::StatementKind::Pass { value, otherwise } => self.pass(value.as_ref(), otherwise.as_ref(), s.span),
            ast::StatementKind::Later(call) => self.emission(call, true).unwrap_or_else(|| {
                self.error("T0080", "`later` is followed by an emission", call.span, "", "later above.deliver(m);");
                None
            }),
            ast::StatementKind::Drop(e) => Some(StatementKind::Drop { what: self.dropped(e)?, impossible: false }),
            ast::StatementKind::Impossible(Some(e)) => {
                Some(StatementKind::Drop { what: self.dropped(e)?, impossible: true })
            }
            ast::StatementKind::Impossible(None) => {
                Some(StatementKind::Drop { what: Dropped::Nothing, impossible: true })
            }
            ast::StatementKind::Arm { timer, delay, unless_armed } => {
                let timer = self.timer(timer)?;
                let delay = self.expr_as(delay, &Type::Duration)?;
                Some(StatementKind::Arm { timer, delay, unless_armed: *unless_armed })
            }
            ast::StatementKind::Cancel(timer) => Some(StatementKind::Cancel(self.timer(timer)?)),
            ast::StatementKind::Count(name) => Some(StatementKind::Count(self.cx.counter(&name.name))),
            ast::StatementKind::Assert(e, text) => Some(StatementKind::Assert(self.truth(e)?, text.clone())),
            ast::StatementKind::If(branch) => Some(self.if_(branch, s.span)),
            ast::StatementKind::Match { value, arms } => self.match_(value, arms, s.span),
            ast::StatementKind::While { condition, bound, body } => {
                self.while_(condition, bound.as_ref(), body, s.span)
            }
            ast::StatementKind::For { pattern, over, drain, bound, body } => {
                let head = Head { pattern, over, drain: *drain, bound: bound.as_ref() };
                self.for_(&head, body, s.span)
            }
            ast::StatementKind::Return(value) => self.returned(value.as_ref(), s.span).map(StatementKind::Return),
            ast::StatementKind::Break => self.leaves_loop(s.span).map(|()| StatementKind::Break),
            ast::StatementKind::Yield(e) => self.yield_(e, s.span),
            ast::StatementKind::Reject => self.reject(s.span),
        }
    }

    fn yield_(&mut self, e: &ast::Expr, span: Span) -> Option<StatementKind> {
        if !matches!(self.context, Context::Filter { yields: true, .. }) {
            self.error("T0081", "`yield` is allowed only in a filter without `result`", span, "", "");
            return None;
        }
        Some(StatementKind::Yield(self.expr_as(e, &Type::UInt(8))?))
    }

    fn reject(&mut self, span: Span) -> Option<StatementKind> {
        if !matches!(self.context, Context::Filter { .. }) {
            let help = "in a layer, `drop` the message and `count` why";
            self.error("T0081", "`reject` is allowed only in a filter", span, "", help);
            return None;
        }
        self.own.rejecting.push(self.own.current);
        self.leave(Some(span));
        Some(StatementKind::Reject)
    }

    // ---- let, var, ref

    fn let_(
        &mut self,
        pattern: &ast::Pattern,
        value: &ast::Expr,
        otherwise: Option<&Otherwise>,
    ) -> Option<StatementKind> {
        let value = match otherwise {
            None => self.expr(value, None).map(|value| self.settle(value)),
            Some(otherwise) => self.tried(value, otherwise),
        };
        let value = value?;
        let pattern = self.destructure(pattern, &value.ty)?;
        Some(StatementKind::Let { pattern, value })
    }

    /// A constant without an expected type gets 32 bits if it fits.
    pub fn settle(&mut self, value: Value) -> Expr {
        match (value.flexible, &value.expr.kind, &value.expr.ty) {
            (true, ExprKind::Const(_), Type::UInt(64) | Type::Int(64)) => {
                let ty = usual_type(&[&value.expr]);
                Expr { ty, ..value.expr }
            }
            _ => value.expr,
        }
    }

    /// Names for (the parts of) a value, which is moved into them.
    pub fn destructure(&mut self, pattern: &ast::Pattern, ty: &Type) -> Option<Pattern> {
        self.cx.once(pattern.names().into_iter());
        self.parts(pattern, ty)
    }

    /// The same where names that are equal have been reported.
    pub fn parts(&mut self, pattern: &ast::Pattern, ty: &Type) -> Option<Pattern> {
        let kind = match (&pattern.kind, ty) {
            (Written::Name(name), ty) => {
                if !self.is_kept(ty, name.span) {
                    return None;
                }
                let id = self.declare_constant(name, ty.clone(), NameOf::Let);
                self.note_set(id);
                PatternKind::Name(id)
            }
            (Written::Any, _) => PatternKind::Any,
            (Written::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let parts = parts.iter().zip(types).map(|(part, ty)| self.parts(part, ty));
                PatternKind::Tuple(parts.collect::<Option<_>>()?)
            }
            (_, ty) => {
                let shown = self.show(ty);
                let label = format!("of type {shown}");
                self.error("T0082", "this pattern does not fit the value", pattern.span, label, "");
                return None;
            }
        };
        Some(Pattern { kind, ty: ty.clone(), span: pattern.span })
    }

    fn var(&mut self, name: &ast::Ident, ty: Option<&ast::Type>, value: Option<&ast::Expr>) -> Option<StatementKind> {
        let ty = match ty {
            Some(ty) => Some(self.cx.resolve(ty)?),
            None => None,
        };
        let value = match (value, &ty) {
            (Some(value), Some(ty)) => self.expr_as(value, ty)?,
            (Some(value), None) => {
                let value = self.expr(value, None)?;
                let value = self.settle(value);
                // A variable accepts messages of any length, independent of the first one.
                let ty = if is_message(&value.ty) { Type::Msg } else { value.ty.clone() };
                Expr { ty, ..value }
            }
            (None, Some(ty)) if self.cx.lacks_zero(ty) => {
                self.cx.no_zero(ty, name.span);
                return None;
            }
            (None, Some(ty)) => self.make(ExprKind::Zero, ty.clone()),
            (None, None) => {
                self.error("T0020", format!("`{}` needs a type or a value", name.name), name.span, "here", "");
                return None;
            }
        };
        if !self.is_kept(&value.ty, name.span) {
            return None;
        }
        let name = self.declare(name, value.ty.clone());
        self.note_set(name);
        Some(StatementKind::Var { name, value })
    }

    fn ref_(&mut self, name: &ast::Ident, e: &ast::Expr, otherwise: Option<&Otherwise>) -> Option<StatementKind> {
        let Some(otherwise) = otherwise else {
            if self.place_type(e).is_none() {
                self.unknown_place(e);
                return None;
            }
            let place = self.place(e)?;
            self.slot_has_zero(e, &place.ty)?;
            return Some(StatementKind::Ref(self.bind_place(name, place, false)));
        };
        let ast::ExprKind::Call(f, arguments) = &e.kind else {
            self.error("T0084", "this cannot fail", otherwise.span, "", "remove the `else`");
            return None;
        };
        let entry = match self.outcome(f, arguments, e.span, None)? {
            Outcome::Failable(value) => value.entry().map(|place| (value, place)),
            Outcome::Value(_) => None,
        };
        let Some((value, place)) = entry else {
            self.unknown_place(e);
            return None;
        };
        let otherwise = self.failing(Some(&value), otherwise, true);
        let name = self.bind_place(name, place, false);
        Some(StatementKind::TryRef { name, value, otherwise })
    }

    // ---- calls

    fn expression_statement(&mut self, e: &ast::Expr, otherwise: Option<&Otherwise>) -> Option<StatementKind> {
        if let Some(emitted) = self.emission(e, false) {
            if let Some(otherwise) = otherwise {
                self.error("T0084", "an emission cannot fail", otherwise.span, "", "remove the `else`");
            }
            return emitted;
        }
        let ast::ExprKind::Call(f, arguments) = &e.kind else {
            let help = match &e.kind {
                ast::ExprKind::Binary(ast::BinaryOp::Equal, ..) => {
                    "to assign, write `=`; to state a condition, write `assert`"
                }
                ast::ExprKind::Name(name) => foreign::name(name, Unknown::Value).unwrap_or_default(),
                _ => "",
            };
            self.error("T0088", "this statement has no effect", e.span, "an unused value", help);
            return None;
        };
        match (self.outcome(f, arguments, e.span, None)?, otherwise) {
            (Outcome::Value(value), None) => self.unused(value.expr),
            (Outcome::Failable(value), Some(otherwise)) => {
                let otherwise = self.failing(Some(&value), otherwise, false);
                Some(StatementKind::Attempt { value, otherwise })
            }
            (Outcome::Failable(_), None) => {
                let help = "handle the failure: `... else { drop m; count refused; }` or `else unreachable;`";
                self.error("T0065", "this can fail", e.span, "the failure is not handled", help);
                None
            }
            (Outcome::Value(value), Some(otherwise)) if matches!(value.expr.ty, Type::Option(_)) => {
                let value = self.optional(value.expr, e.span)?;
                let otherwise = self.failing(Some(&value), otherwise, false);
                Some(StatementKind::Attempt { value, otherwise })
            }
            (Outcome::Value(_), Some(otherwise)) => {
                self.error("T0084", "this cannot fail", otherwise.span, "", "remove the `else`");
                None
            }
        }
    }

    fn unused(&mut self, value: Expr) -> Option<StatementKind> {
        if value.ty != UNIT && self.cx.linear(&value.ty) {
            let what = "the resulting message is lost here";
            self.error("T0030", what, value.span, "not consumed", "give it a name, or drop it: `drop ...;`");
            return None;
        }
        Some(StatementKind::Evaluate(value))
    }

    fn dropped(&mut self, e: &ast::Expr) -> Option<Dropped> {
        if let Some(place) = self.dropped_in_place(e) {
            if self.cx.needs_message(&place.ty) {
                self.stays(&place.ty.clone(), e.span);
                return None;
            }
            self.note_store(&place);
            return Some(Dropped::At(place));
        }
        let value = self.expr(e, None)?.expr;
        if !self.cx.linear(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0092", "only messages can be dropped", e.span, format!("of type {shown}"), "");
            return None;
        }
        Some(Dropped::Value(value))
    }

    /// A place whose messages are dropped; not a whole value, and not a borrowed entry.
    fn dropped_in_place(&mut self, e: &ast::Expr) -> Option<Place> {
        self.place_type(e).filter(|ty| self.cx.linear(ty))?;
        if self.is_whole_value(e) || self.is_borrowed(e) {
            return None;
        }
        self.place(e)
    }

    /// Reports that a message is not dropped out of a place that must hold one.
    pub fn stays(&mut self, ty: &Type, span: Span) {
        let label = format!("of type {}, which contains a message", self.show(ty));
        let help = "drop the whole value, assign another message (`place = share m`), or make it optional: `msg?`";
        self.error("T0155", "a place that must contain a message would become empty", span, label, help);
    }

    fn timer(&mut self, e: &ast::Expr) -> Option<Place> {
        let place = self.changeable(e)?;
        if place.ty != Type::Timer {
            let shown = self.show(&place.ty);
            let help = "declare it in the state: `resend: timer`";
            self.error("T0093", "this is not a timer", e.span, format!("of type {shown}"), help);
            return None;
        }
        Some(place)
    }

    // ---- ends

    /// `return`, and what is returned.
    pub fn returned(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<Option<Expr>> {
        let value = match (value, self.result()) {
            (value, _) if matches!(self.context, Context::Unknown) => value.map(|e| self.salvaged(e)),
            (None, None) => None,
            (Some(e), Some(ty)) => Some(self.expr_as(e, &ty)?),
            (Some(e), None) => {
                let help = match self.context {
                    Context::Handler { .. } => "a handler returns nothing; a message is sent on by `pass m;`",
                    _ => "declare the result: `fn name() -> type`",
                };
                self.error("T0094", "this code returns no value", e.span, "", help);
                return None;
            }
            (None, Some(ty)) => {
                let shown = self.show(&ty);
                self.error("T0094", format!("a value of type {shown} is returned here"), span, "none given", "");
                return None;
            }
        };
        if self.loops.iter().any(|around| around.drains) {
            self.leaves_undrained(span);
        }
        self.leave(Some(span));
        Some(value)
    }

    /// `break`
    pub fn leaves_loop(&mut self, span: Span) -> Option<()> {
        let Some((depth, drains)) = self.loops.last().map(|l| (l.depth, l.drains)) else {
            self.error(
                "T0095",
                "`break` is allowed only in a loop",
                span,
                "not in a loop",
                "to end the handler, `return`",
            );
            return None;
        };
        if drains {
            self.leaves_undrained(span);
        }
        for id in self.declared[depth..].concat() {
            self.lost(id, Some(span));
        }
        let flow = self.flow.clone();
        if let Some(around) = self.loops.last_mut() {
            around.breaks.push(flow);
        }
        self.flow.ended = true;
        Some(())
    }
}
