//! Statements but for branches and loops.

use nacre_diagnostics::Span;
use nacre_stack::{Emit, Expr, ExprKind, StatementKind, Type};
use nacre_syntax::ast::{self, AssignOp, Otherwise, PatternKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context, NameOf, Value};
use crate::bounded::is_message;
use crate::calls::Outcome;
use crate::expressions::make;
use crate::failing::not;
use crate::fragment::{ABOVE, BELOW};

impl Body<'_, '_> {
    /// The statements of a block, in a scope of their own.
    pub fn statements(&mut self, block: &ast::Block) {
        self.open();
        for statement in &block.statements {
            if self.flow.ended {
                self.cx.found.push(
                    nacre_diagnostics::Diagnostic::warning("T0079", "this is never reached")
                        .at(statement.span, "after the end of the block"),
                );
                break;
            }
            self.statement(statement);
        }
        self.close();
    }

    fn statement(&mut self, s: &ast::Statement) {
        let outer = (std::mem::replace(&mut self.at, s.span), std::mem::take(&mut self.poisoned));
        let (before, first) = (self.cx.found.len(), self.out.len());
        if self.lower(s).is_none() {
            self.recover(s);
        }
        if self.poisoned {
            self.cx.found.truncate(before);
        }
        (self.at, self.poisoned) = outer;
        self.place_nodes(first, s.span);
    }

    /// Goes on after a statement that is wrong, which has been reported: what it declares and which messages it consumes is not
    /// known.
    fn recover(&mut self, s: &ast::Statement) {
        self.flow.forget();
        match &s.kind {
            ast::StatementKind::Let { pattern, .. } => self.unknown_names(pattern),
            ast::StatementKind::Var { name, .. } | ast::StatementKind::Ref { name, .. } => {
                self.bind(&name.name, Binding::Unknown);
            }
            _ => {}
        }
    }

    fn unknown_names(&mut self, pattern: &ast::Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) | PatternKind::Data(name) => self.bind(&name.name, Binding::Unknown),
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.unknown_names(part)),
            PatternKind::Some(inner) => self.unknown_names(inner),
            _ => {}
        }
    }

    fn lower(&mut self, s: &ast::Statement) -> Option<()> {
        match &s.kind {
            ast::StatementKind::Let { pattern, value, otherwise } => {
                self.let_(pattern, value, otherwise.as_ref(), s.span)
            }
            ast::StatementKind::Var { name, ty, value } => self.var(name, ty.as_ref(), value.as_ref()),
            ast::StatementKind::Ref { name, place, otherwise } => self.ref_(name, place, otherwise.as_ref()),
            ast::StatementKind::Assign { place, op, value, otherwise } => {
                self.assign(place, *op, value, otherwise.as_ref(), s.span)
            }
            ast::StatementKind::Expr { value, otherwise } => self.expression_statement(value, otherwise.as_ref()),
            ast::StatementKind::Pass { value, otherwise } => self.pass(value.as_ref(), otherwise.as_ref(), s.span),
            ast::StatementKind::Later(call) => match self.emission(call, true) {
                Some(done) => done,
                None => {
                    self.error("T0080", "`later` is followed by an emission", call.span, "", "later above.deliver(m);");
                    None
                }
            },
            ast::StatementKind::Drop(e) => self.drop_(e),
            ast::StatementKind::Arm { timer, delay, unless_armed } => {
                let timer = self.timer(timer)?;
                let delay = self.expr_as(delay, &Type::Duration)?;
                self.push(StatementKind::Arm { timer, delay, unless_armed: *unless_armed });
                Some(())
            }
            ast::StatementKind::Cancel(timer) => {
                let timer = self.timer(timer)?;
                self.push(StatementKind::Cancel(timer));
                Some(())
            }
            ast::StatementKind::Count(name) => {
                let id = self.cx.counter(&name.name);
                self.push(StatementKind::Count(id, make(ExprKind::Const(1), Type::UInt(64))));
                Some(())
            }
            ast::StatementKind::Assert(e, text) => {
                let condition = self.truth(e)?;
                self.push(StatementKind::Assert(condition, text.clone()));
                Some(())
            }
            ast::StatementKind::Impossible(e) => {
                self.drop_(e)?;
                self.push(StatementKind::Impossible);
                Some(())
            }
            ast::StatementKind::If(branch) => self.if_(branch, s.span),
            ast::StatementKind::Match { value, arms } => self.match_(value, arms, s.span),
            ast::StatementKind::While { condition, bound, body } => {
                self.while_(condition, bound.as_ref(), body, s.span)
            }
            ast::StatementKind::For { pattern, over, drain, bound, body } => {
                self.for_(pattern, over, *drain, bound.as_ref(), body, s.span)
            }
            ast::StatementKind::Return(value) => self.return_(value.as_ref(), s.span),
            ast::StatementKind::Break => self.break_(s.span),
            ast::StatementKind::Yield(e) => {
                if !matches!(self.context, Context::Filter { yields: true, .. }) {
                    self.error("T0081", "`yield` stands in a filter without `result`", s.span, "", "");
                    return None;
                }
                let byte = self.expr_as(e, &Type::UInt(8))?;
                self.push(StatementKind::Yield(byte));
                Some(())
            }
            ast::StatementKind::Reject => {
                if !matches!(self.context, Context::Filter { .. }) {
                    self.error(
                        "T0081",
                        "`reject` stands in a filter",
                        s.span,
                        "",
                        "in a layer, `drop` the message and `count` why",
                    );
                    return None;
                }
                self.push(StatementKind::Reject);
                self.leave();
                Some(())
            }
        }
    }

    // ---- let, var, ref

    fn let_(
        &mut self,
        pattern: &ast::Pattern,
        value: &ast::Expr,
        otherwise: Option<&Otherwise>,
        span: Span,
    ) -> Option<()> {
        let Some(otherwise) = otherwise else {
            let value = self.expr(value, None)?;
            let value = self.settle(value);
            return self.destructure(pattern, value);
        };
        let got = self.try_value(value, span)?;
        self.fail(&got.failed, got.give_back, Some(otherwise), true, span);
        self.destructure(pattern, got.value)
    }

    /// A constant without a wanted type becomes a number of 32 bits where it fits.
    pub fn settle(&mut self, value: Value) -> Expr {
        match (value.flexible, &value.expr.kind, &value.expr.ty) {
            (true, ExprKind::Const(n), Type::UInt(64)) if *n <= u64::from(u32::MAX) => {
                make(ExprKind::Const(*n), Type::UInt(32))
            }
            _ => value.expr,
        }
    }

    /// Names for (the parts of) a value, which is moved into them.
    pub fn destructure(&mut self, pattern: &ast::Pattern, value: Expr) -> Option<()> {
        match (&pattern.kind, &value.ty) {
            (PatternKind::Name(name), ty) => {
                if !self.is_kept(&ty.clone(), name.span) {
                    return None;
                }
                let id = self.declare_constant(name, ty.clone(), NameOf::Let);
                self.push(StatementKind::Let(id, value));
                Some(())
            }
            (PatternKind::Any, ty) => {
                if self.cx.linear(ty) {
                    self.push(StatementKind::Drop(value));
                }
                Some(())
            }
            (PatternKind::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let types = types.clone();
                let whole = self.spill(value);
                for (i, (part, ty)) in parts.iter().zip(types).enumerate() {
                    self.destructure(part, make(ExprKind::Field(Box::new(whole.clone()), i as u32), ty))?;
                }
                Some(())
            }
            (_, ty) => {
                let shown = self.show(ty);
                self.error(
                    "T0082",
                    "this pattern does not fit the value",
                    pattern.span,
                    format!("of type {shown}"),
                    "",
                );
                None
            }
        }
    }

    fn var(&mut self, name: &ast::Ident, ty: Option<&ast::Type>, value: Option<&ast::Expr>) -> Option<()> {
        let ty = match ty {
            Some(ty) => Some(self.cx.resolve(ty)?),
            None => None,
        };
        let value = match (value, &ty) {
            (Some(value), Some(ty)) => self.expr_as(value, ty)?,
            (Some(value), None) => {
                let value = self.expr(value, None)?;
                let value = self.settle(value);
                // A variable takes messages of any length, whatever the first one is.
                let ty = if is_message(&value.ty) { Type::Msg } else { value.ty.clone() };
                Expr { ty, ..value }
            }
            (None, Some(ty)) if self.cx.needs_message(ty) => {
                self.no_zero(ty, name.span);
                return None;
            }
            (None, Some(ty)) => make(ExprKind::Zero, ty.clone()),
            (None, None) => {
                self.error("T0020", format!("`{}` needs a type or a value", name.name), name.span, "here", "");
                return None;
            }
        };
        if !self.is_kept(&value.ty, name.span) {
            return None;
        }
        let id = self.declare(name, value.ty.clone());
        self.push(StatementKind::Let(id, value));
        Some(())
    }

    fn ref_(&mut self, name: &ast::Ident, e: &ast::Expr, otherwise: Option<&Otherwise>) -> Option<()> {
        let place = match otherwise {
            None => {
                let Some(place) = self.place(e) else {
                    self.unknown_place(e);
                    return None;
                };
                place
            }
            Some(otherwise) => {
                let ast::ExprKind::Call(f, arguments) = &e.kind else {
                    self.error("T0084", "this does not fail", otherwise.span, "", "leave `else` away");
                    return None;
                };
                match self.outcome(f, arguments, e.span, None)? {
                    Outcome::Failable { done, place: Some(place), back, .. } => {
                        let done = self.spill(done);
                        self.fail(&not(done), back, Some(otherwise), true, e.span);
                        place
                    }
                    _ => {
                        self.unknown_place(e);
                        return None;
                    }
                }
            }
        };
        let place = self.fixed(place);
        self.bind_place(&name.name, place, false);
        Some(())
    }

    // ---- assignments

    fn assign(
        &mut self,
        e: &ast::Expr,
        op: AssignOp,
        value: &ast::Expr,
        otherwise: Option<&Otherwise>,
        span: Span,
    ) -> Option<()> {
        if let ast::ExprKind::Name(name) = &e.kind {
            if let Some(Binding::Local(id)) = self.lookup(name).cloned() {
                if !self.locals[id.index()].by_ref {
                    return self.assign_local(id, e, op, value, span);
                }
            }
        }
        let place = self.changeable(e)?;
        let ty = place.ty.clone();
        if matches!(ty, Type::Timer) {
            self.error("T0086", "a timer is armed or cancelled", e.span, "not assigned", "arm it: `arm t in 20 ms;`");
            return None;
        }
        let value = match (op, otherwise) {
            (AssignOp::Set, None) => self.expr_as(value, &ty)?,
            (AssignOp::Set, Some(otherwise)) => {
                let got = self.try_value(value, span)?;
                self.fail(&got.failed, got.give_back, Some(otherwise), true, span);
                self.coerce(Value::fixed(got.value), &ty, value.span)?
            }
            (op, _) => self.combined(e, op, value, &ty, span)?,
        };
        self.push(StatementKind::Store(place, value));
        Some(())
    }

    fn assign_local(
        &mut self,
        id: nacre_stack::LocalId,
        e: &ast::Expr,
        op: AssignOp,
        value: &ast::Expr,
        span: Span,
    ) -> Option<()> {
        self.assignable(id, e.span)?;
        let ty = self.ty(id);
        if self.cx.linear(&ty) && self.flow.live(id).is_some() {
            let name = self.locals[id.index()].name.clone();
            self.error(
                "T0087",
                format!("`{name}` still holds a message"),
                span,
                "it would be lost",
                "consume it first",
            );
            return None;
        }
        let value =
            if op == AssignOp::Set { self.expr_as(value, &ty)? } else { self.combined(e, op, value, &ty, span)? };
        self.push(StatementKind::Let(id, value));
        if self.cx.linear(&ty) {
            self.revive(id, span);
        }
        Some(())
    }

    /// `place op= value`
    fn combined(&mut self, e: &ast::Expr, op: AssignOp, value: &ast::Expr, ty: &Type, span: Span) -> Option<Expr> {
        let op = match op {
            AssignOp::Add => ast::BinaryOp::Add,
            AssignOp::Sub => ast::BinaryOp::Sub,
            AssignOp::Mul => ast::BinaryOp::Mul,
            AssignOp::Or => ast::BinaryOp::BitOr,
            AssignOp::And | AssignOp::Set => ast::BinaryOp::BitAnd,
        };
        let sum = self.binary(op, e, value, Some(ty), span)?;
        self.coerce(sum, ty, span)
    }

    // ---- calls and emissions

    fn expression_statement(&mut self, e: &ast::Expr, otherwise: Option<&Otherwise>) -> Option<()> {
        if let Some(emitted) = self.emission(e, false) {
            if let Some(otherwise) = otherwise {
                self.error("T0084", "an emission does not fail", otherwise.span, "", "leave `else` away");
            }
            return emitted;
        }
        let ast::ExprKind::Call(f, arguments) = &e.kind else {
            let help = match &e.kind {
                ast::ExprKind::Binary(ast::BinaryOp::Equal, ..) => "to assign, write `=`; to claim, write `assert`",
                ast::ExprKind::Name(name) => foreign::name(name, Unknown::Value).unwrap_or_default(),
                _ => "",
            };
            self.error("T0088", "this does nothing", e.span, "a value that nobody uses", help);
            return None;
        };
        match (self.outcome(f, arguments, e.span, None)?, otherwise) {
            (Outcome::Nothing, None) => Some(()),
            (Outcome::Value(value), None) => {
                if self.cx.linear(&value.expr.ty) {
                    self.error(
                        "T0030",
                        "the message that this gives is lost here",
                        e.span,
                        "nobody consumes it",
                        "give it a name, or drop it: `drop ...;`",
                    );
                    return None;
                }
                Some(())
            }
            (Outcome::Failable { done, back, .. }, Some(otherwise)) => {
                self.fail(&not(done), back, Some(otherwise), false, e.span);
                Some(())
            }
            (Outcome::Failable { .. }, None) => {
                self.error(
                    "T0065",
                    "this can fail",
                    e.span,
                    "what happens then?",
                    "say it: `... else { drop m; count refused; }` or `else unreachable;`",
                );
                None
            }
            (Outcome::Value(value), Some(otherwise)) if matches!(value.expr.ty, Type::Option(_)) => {
                let got = self.try_option(value.expr, e.span)?;
                self.fail(&got.failed, got.give_back, Some(otherwise), false, e.span);
                if let Some(option) = got.option {
                    self.push(StatementKind::Drop(option));
                }
                Some(())
            }
            (_, Some(otherwise)) => {
                self.error("T0084", "this does not fail", otherwise.span, "", "leave `else` away");
                None
            }
        }
    }

    /// `pass;` hands the event on as its parameters are now; `pass m;` with another message.
    fn pass(&mut self, value: Option<&ast::Expr>, otherwise: Option<&Otherwise>, span: Span) -> Option<()> {
        let Context::Handler { side, event, parameters } = self.context.clone() else {
            self.error(
                "T0089",
                "`pass` stands in the handler of an event",
                span,
                "there is no event here to hand on",
                "name the event: `below.send(m);`",
            );
            return None;
        };
        let to = if side == BELOW {
            ABOVE
        } else if side == ABOVE {
            BELOW
        } else {
            self.error("T0089", "an event of a port is not passed on", span, "", "name the event: `below.send(m);`");
            return None;
        };
        let declared = self.cx.fragment.events[event.index()].clone();
        let goes_on = self.cx.event_at(to, false, &declared.name).filter(|e| *e == event);
        if goes_on.is_none() {
            let where_ = if to == ABOVE { "above" } else { "below" };
            self.error(
                "T0090",
                format!("`{}` does not go on: the interface {where_} has no such event", declared.name),
                span,
                "",
                "name the event that is meant",
            );
            return None;
        }
        if value.is_some() && declared.message.is_none() {
            self.error(
                "T0091",
                format!("`{}` carries no message", declared.name),
                span,
                "nothing to replace",
                "write `pass;`",
            );
            return None;
        }
        let mut message = None;
        if let Some(e) = value {
            message = Some(match otherwise {
                None => self.expr_as(e, &Type::Msg)?,
                Some(otherwise) => {
                    let got = self.try_value(e, span)?;
                    self.fail(&got.failed, got.give_back, Some(otherwise), true, span);
                    got.value
                }
            });
        }
        let mut arguments = Vec::new();
        for (i, id) in parameters.iter().enumerate() {
            let is_message = declared.message == Some(i as u32);
            if is_message {
                if let Some(message) = message.take() {
                    arguments.push(message);
                    continue;
                }
                self.consume(*id, span);
            }
            arguments.push(self.get(*id));
        }
        let emit = Emit { link: crate::link_of(to), event, arguments, later: false, call: false, likely: None };
        self.push(StatementKind::Emit(emit).at(span));
        Some(())
    }

    fn drop_(&mut self, e: &ast::Expr) -> Option<()> {
        let held = self.attempt(|b| {
            let (place, borrowed) = b.place_with(e)?;
            (!borrowed && !b.is_local(&place) && b.cx.linear(&place.ty)).then_some(place)
        });
        if let Some(place) = held {
            if self.cx.needs_message(&place.ty) {
                self.stays(&place.ty.clone(), e.span);
                return None;
            }
            let zero = make(ExprKind::Zero, place.ty.clone());
            self.push(StatementKind::Store(place, zero));
            return Some(());
        }
        let value = self.expr(e, None)?.expr;
        if !self.cx.linear(&value.ty) {
            let shown = self.show(&value.ty);
            self.error("T0092", "only messages are dropped", e.span, format!("of type {shown}"), "");
            return None;
        }
        self.push(StatementKind::Drop(value));
        Some(())
    }

    /// Reports that a message is not dropped out of a place that must hold one.
    pub fn stays(&mut self, ty: &Type, span: Span) {
        let shown = self.show(ty);
        let help =
            "put another there, `place = share m`, or remove the whole entry; where it may be missing, use `msg?`";
        self.error(
            "T0155",
            "nothing would be left here",
            span,
            format!("of type {shown}, which holds a message"),
            help,
        );
    }

    fn timer(&mut self, e: &ast::Expr) -> Option<nacre_stack::Place> {
        let place = self.changeable(e)?;
        if place.ty != Type::Timer {
            let shown = self.show(&place.ty);
            self.error(
                "T0093",
                "this is not a timer",
                e.span,
                format!("of type {shown}"),
                "declare it in the state: `resend: timer`",
            );
            return None;
        }
        Some(place)
    }

    // ---- ends

    pub fn return_(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<()> {
        let want = match &self.context {
            Context::Function { result } | Context::Filter { function: Some(result), .. } => result.clone(),
            _ => None,
        };
        let value = match (value, want) {
            (None, None) => None,
            (Some(e), Some(ty)) => Some(self.expr_as(e, &ty)?),
            (Some(e), None) => {
                self.error("T0094", "nothing is returned here", e.span, "", "declare the result: fn name() -> type");
                return None;
            }
            (None, Some(ty)) => {
                let shown = self.show(&ty);
                self.error("T0094", format!("a value of type {shown} is returned here"), span, "none given", "");
                return None;
            }
        };
        self.push(StatementKind::Return(value));
        self.leave();
        Some(())
    }

    pub fn break_(&mut self, span: Span) -> Option<()> {
        let Some(&(depth, _)) = self.breaks.last() else {
            self.error("T0095", "`break` stands in a loop", span, "there is none here", "to end the handler, `return`");
            return None;
        };
        for id in self.declared[depth..].concat() {
            self.lost(id);
        }
        let flow = self.flow.clone();
        if let Some((_, breaks)) = self.breaks.last_mut() {
            breaks.push(flow);
        }
        self.push(StatementKind::Break);
        self.flow.ended = true;
        Some(())
    }
}
