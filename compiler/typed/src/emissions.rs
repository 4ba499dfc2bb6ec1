//! Emissions: events that are sent to a side, or passed on.

use nacre_diagnostics::Span;
use nacre_stack::{PortId, Type};
use nacre_syntax::ast::{self, Otherwise};

use crate::body::{Body, Context, Value};
use crate::fragment::{ABOVE, BELOW};
use crate::tree::{NameId, StatementKind};

impl Body<'_, '_> {
    /// The side named by `above`, `below` or a port.
    pub fn side(&self, e: &ast::Expr) -> Option<PortId> {
        let ast::ExprKind::Name(name) = &e.kind else { return None };
        if self.lookup(name).is_some() {
            return None;
        }
        match name.as_str() {
            "above" => Some(ABOVE),
            "below" => Some(BELOW),
            _ => {
                let at = self.cx.tree.ports.iter().position(|p| p == name)?;
                Some(PortId(2 + at as u32))
            }
        }
    }

    /// `below.send(m);`, with `later` or without. Nothing if the call is no emission.
    pub fn emission(&mut self, call: &ast::Expr, later: bool) -> Option<Option<StatementKind>> {
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
    ) -> Option<StatementKind> {
        if matches!(self.context, Context::Pure { .. } | Context::Filter { .. }) {
            self.error("T0072", "events cannot be emitted here", span, "", "");
            return None;
        }
        let Some(id) = self.cx.event_at(side, false, &event.name) else {
            let known = self.cx.events_at(side, false);
            if self.cx.may_be_missing(side, &event.name) {
                self.poisoned = true;
                return None;
            }
            let where_ = if side == ABOVE {
                "above"
            } else if side == BELOW {
                "below"
            } else {
                "there"
            };
            let help = if known.is_empty() {
                "this interface has no events in this direction".into()
            } else {
                format!("events {where_}: {known}")
            };
            self.error(
                "T0073",
                format!("there is no event `{}` to emit {where_}", event.name),
                event.span,
                "not in the interface",
                help,
            );
            return None;
        };
        let parameters = self.cx.tree.events[id.index()].parameters.clone();
        self.count_arguments(&event.name, parameters.len(), arguments.len(), span)?;
        let wanted: Vec<(&ast::Expr, Type)> =
            arguments.iter().zip(&parameters).map(|(a, p)| (&a.value, p.ty.clone())).collect();
        let arguments = self.values(&wanted)?;
        Some(StatementKind::Emit { side, event: id, arguments, later, span })
    }

    /// `pass;` hands the event on as its parameters are now; `pass m;` with another message.
    pub fn pass(
        &mut self,
        value: Option<&ast::Expr>,
        otherwise: Option<&Otherwise>,
        span: Span,
    ) -> Option<StatementKind> {
        if matches!(self.context, Context::Unknown) {
            self.poisoned = true;
            return None;
        }
        let Context::Handler { side, event, parameters } = self.context.clone() else {
            self.error(
                "T0089",
                "`pass` is allowed only in the handler of an event",
                span,
                "there is no event to pass on",
                "name the event: `below.send(m);`",
            );
            return None;
        };
        let to = if side == BELOW {
            ABOVE
        } else if side == ABOVE {
            BELOW
        } else {
            self.error(
                "T0089",
                "the event of a port cannot be passed on",
                span,
                "",
                "name the event: `below.send(m);`",
            );
            return None;
        };
        let declared = self.cx.tree.events[event.index()].clone();
        let goes_on = self.cx.event_at(to, false, &declared.name).filter(|e| *e == event);
        if goes_on.is_none() && self.cx.may_be_missing(to, &declared.name) {
            self.poisoned = true;
            return None;
        }
        if goes_on.is_none() {
            let where_ = if to == ABOVE { "above" } else { "below" };
            let other = self.cx.event_at(to, false, &declared.name).map(|other| &self.cx.tree.events[other.index()]);
            let there = match other {
                None => "has no such event".into(),
                Some(other) => {
                    let names: Vec<&str> = other.parameters.iter().map(|p| p.name.as_str()).collect();
                    format!("has `{}({})`, with other parameters", other.name, names.join(", "))
                }
            };
            let message = format!("`{}` cannot be passed on: the interface {where_} {there}", declared.name);
            self.error("T0090", message, span, "", "name the event to emit");
            return None;
        }
        if value.is_some() && declared.message.is_none() {
            self.error(
                "T0091",
                format!("`{}` carries no message", declared.name),
                span,
                "there is no message to replace",
                "write `pass;`",
            );
            return None;
        }
        let message = match (value, otherwise) {
            (None, _) => None,
            (Some(e), None) => Some(self.expr_as(e, &Type::Msg)?),
            (Some(e), Some(otherwise)) => {
                let got = self.tried(e, otherwise)?;
                Some(self.coerce(Value::fixed(got), &Type::Msg, e.span)?)
            }
        };
        if message.is_none() {
            let own = declared.message.and_then(|at| parameters.get(at as usize));
            own.map_or(Some(()), |id| self.consume_own(*id, span))?;
        }
        Some(StatementKind::Pass { side: to, event, parameters, message })
    }

    /// Consumes the message of the handled event, which is passed on.
    fn consume_own(&mut self, id: NameId, span: Span) -> Option<()> {
        if !self.flow.ended && !self.flow.uses.contains_key(&id) {
            let help = "name the event to emit: `above.deliver(m);`";
            self.error("T0091", "there is no message to pass on", span, "the header came without one", help);
            return None;
        }
        self.consume(id, span);
        Some(())
    }
}
