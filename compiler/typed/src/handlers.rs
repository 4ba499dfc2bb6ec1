//! Bodies: functions, handlers of events and timers, `accepts`, invariants, initial values.

use std::collections::HashMap;

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::{
    Admission, Direction, Event, EventId, Expr, Function, FunctionId, Guard, Handler, HandlerId, LayerId, Local,
    LocalId, PortId, StatementKind, Type,
};
use nacre_syntax::ast::{self, Member, PatternKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context, NameOf};
use crate::fragment::{FragmentReaction, ABOVE, BELOW};
use crate::layer::Checker;

/// Calls within one function, at the most.
const MOST_CALLS: u64 = 4096;

impl Checker<'_> {
    // ---- functions

    pub(crate) fn signatures(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Function(f) = member else { continue };
            if self.function_ids.contains_key(&f.name.name) {
                self.error(
                    "T0022",
                    format!("`{}` is declared twice in this layer", f.name.name),
                    f.name.span,
                    "again here",
                    "",
                );
                continue;
            }
            self.once(f.parameters.iter().map(|p| &p.name));
            let result = f.result.as_ref().and_then(|ty| self.resolve(ty));
            let mut locals = Vec::new();
            for p in &f.parameters {
                let ty = self.resolve(&p.ty).unwrap_or(Type::Bool);
                locals.push(Local { name: p.name.name.clone(), ty, by_ref: p.by_ref });
            }
            let id = FunctionId(self.fragment.functions.len() as u32);
            self.function_ids.insert(f.name.name.clone(), id);
            self.calls.add();
            self.fragment.functions.push(Function {
                name: f.name.name.clone(),
                layer: LayerId(0),
                parameters: (0..locals.len() as u32).map(LocalId).collect(),
                result,
                locals,
                body: Vec::new(),
                span: f.span,
            });
        }
    }

    pub(crate) fn functions(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Function(f) = member else { continue };
            let Some(&id) = self.function_ids.get(&f.name.name) else { continue };
            // A second one of this name has been told; its parameters are not those of the first.
            if self.fragment.functions[id.index()].span != f.span {
                continue;
            }
            let result = self.fragment.functions[id.index()].result.clone();
            let declared = self.fragment.functions[id.index()].locals.clone();
            let before = self.found.len();
            self.tainted = false;
            let mut body = Body::new(self, Context::Function { result: result.clone() });
            body.function = Some(id);
            for (p, local) in f.parameters.iter().zip(declared) {
                if local.by_ref {
                    body.reference(&p.name.name, local.ty);
                } else {
                    body.declare(&p.name, local.ty);
                }
            }
            body.whole(&f.body, result.is_some().then_some(f.name.span));
            let (locals, block) = (body.locals, body.out);
            let function = &mut self.fragment.functions[id.index()];
            function.locals = locals;
            function.body = block;
            self.untaint(before);
        }
    }

    /// Reports functions that call themselves, and those that make too many calls: every call is looked at by itself.
    pub(crate) fn check_calls(&mut self) {
        let functions = &self.fragment.functions;
        match self.calls.count() {
            Err(id) => {
                let function = &functions[id.index()];
                let found = Diagnostic::error("T0100", format!("`{}` calls itself", function.name))
                    .at(function.span, "by way of what it calls")
                    .because("handlers end, so functions are not recursive")
                    .help("write it as a loop with a bound");
                self.found.push(found);
            }
            Ok(within) => {
                let Some(id) = within.iter().position(|n| *n > MOST_CALLS) else { return };
                let (what, span) =
                    (format!("`{}` comes to more than {MOST_CALLS} calls", functions[id].name), functions[id].span);
                self.error("T0115", what, span, "with all that it calls", "call it from a loop, or less often");
            }
        }
    }

    // ---- handlers

    pub(crate) fn bodies(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            self.untainted(|cx| match member {
                Member::Handler(h) => {
                    for event in &h.events {
                        cx.handler(h, event);
                    }
                }
                Member::TimerHandler(h) => cx.timer_handler(h),
                Member::Accepts(a) => cx.accepts(a),
                Member::Invariant { condition, .. } => {
                    if let Some(e) = cx.pure(condition, &Type::Bool, Vec::new()) {
                        cx.fragment.invariants.push(e);
                    }
                }
                Member::Goal(goal) => cx.goal(goal),
                _ => {}
            });
        }
        self.timers_without_handlers();
    }

    /// Checks something; what is found where state of a wrong type is used is not told, for the type has been.
    pub(crate) fn untainted(&mut self, check: impl FnOnce(&mut Self)) {
        let before = self.found.len();
        self.tainted = false;
        check(self);
        self.untaint(before);
    }

    fn untaint(&mut self, before: usize) {
        if self.tainted {
            self.found.truncate(before);
        }
    }

    fn handler(&mut self, h: &ast::Handler, event: &ast::EventName) {
        let (side, span) = match &h.from {
            ast::From::Up(span) => (BELOW, *span),
            ast::From::Down(span) => (ABOVE, *span),
            ast::From::Port(name) => match self.fragment.ports.iter().position(|p| *p == name.name) {
                Some(at) => (PortId(2 + at as u32), name.span),
                None => {
                    let help = foreign::name(&name.name, Unknown::Port);
                    self.error(
                        "T0101",
                        format!("there is no port `{}`", name.name),
                        name.span,
                        "not declared",
                        help.unwrap_or("handlers begin with `up`, `down` or the name of a port"),
                    );
                    return;
                }
            },
        };
        if let Some(port) = &event.port {
            self.error("T0017", "only a router names one of several layers below", port.span, "in a worker", "");
            return;
        }
        let Some(id) = self.event_at(side, true, &event.name.name) else {
            let known = self.events_at(side, true);
            let from = if side == BELOW {
                "from below"
            } else if side == ABOVE {
                "from above"
            } else {
                "from there"
            };
            self.error(
                "T0102",
                format!("no event `{}` comes {from}", event.name.name),
                event.name.span,
                "not in the interface",
                format!("what comes {from}: {known}"),
            );
            return;
        };
        let declared = self.fragment.events[id.index()].clone();
        let mut body = Body::new(self, Context::Handler { side, event: id, parameters: Vec::new() });
        let Some((parameters, guard, fields)) = body.parameters(&declared, &h.patterns, event.name.span) else {
            return;
        };
        if let Context::Handler { parameters: known, .. } = &mut body.context {
            known.clone_from(&parameters);
        }
        body.whole(&h.body, None);
        let (locals, block) = (body.locals, body.out);
        let direction = match (side, declared.direction) {
            (side, _) if side.0 >= 2 => self.fragment.ports[side.index() - 2].clone(),
            (_, Direction::Up) => "up".into(),
            (_, Direction::Down) => "down".into(),
        };
        let variant = guard.header.map(|h| format!(".{}", self.fragment.headers[h.index()].name)).unwrap_or_default();
        let data = if guard.data { ".data" } else { "" };
        let handler = Handler {
            name: format!("{direction}.{}{variant}{data}", declared.name),
            layer: LayerId(0),
            event: Some(id),
            parameters,
            fields,
            locals,
            body: block,
            passes: false,
            span: h.span,
        };
        self.add_handler(handler, side, id, guard, span);
    }

    fn add_handler(&mut self, handler: Handler, side: PortId, event: EventId, guard: Guard, _span: Span) {
        let id = HandlerId(self.fragment.handlers.len() as u32);
        let same = self.fragment.reactions.iter().find(|r| r.side == side && r.event == event && r.guard == guard);
        if let Some(same) = same {
            let before = self.fragment.handlers[same.handler.index()].span;
            self.found.push(
                Diagnostic::error("T0103", format!("`{}` has two handlers", handler.name))
                    .at(handler.span, "again here")
                    .also(before, "the first is here")
                    .because("a handler takes an event over: there can be only one"),
            );
        }
        self.fragment.handlers.push(handler);
        self.fragment.reactions.push(FragmentReaction { side, event, guard, handler: id });
    }

    // ---- conditions

    fn accepts(&mut self, a: &ast::Accepts) {
        let sides: Vec<PortId> = std::iter::once(ABOVE)
            .chain((0..self.fragment.ports.len() as u32).map(|i| PortId(2 + i)))
            .chain(std::iter::once(BELOW))
            .collect();
        let Some(id) = sides.iter().find_map(|side| self.event_at(*side, true, &a.event.name)) else {
            let known = self.events_at(ABOVE, true);
            self.error(
                "T0102",
                format!("no event `{}` comes from above", a.event.name),
                a.event.span,
                "not in the interface",
                format!("what comes from above: {known}"),
            );
            return;
        };
        let declared = self.fragment.events[id.index()].clone();
        let mut locals = Vec::new();
        let mut names = a.patterns.iter();
        if a.patterns.len() != declared.parameters.len() {
            self.error(
                "T0105",
                format!("`{}` has {} parameters", declared.name, declared.parameters.len()),
                a.span,
                "",
                "",
            );
            return;
        }
        for p in &declared.parameters {
            let name = match names.next().map(|p| &p.kind) {
                Some(PatternKind::Name(name) | PatternKind::Data(name)) => name.name.clone(),
                _ => "_".into(),
            };
            locals.push(Local { name, ty: p.ty.clone(), by_ref: false });
        }
        if let Some(condition) = self.pure(&a.condition, &Type::Bool, locals.clone()) {
            self.fragment.accepts.push((id, Admission { layer: LayerId(0), locals, condition }));
        }
    }

    /// An expression without effects, over these locals.
    pub(crate) fn pure(&mut self, e: &ast::Expr, ty: &Type, locals: Vec<Local>) -> Option<Expr> {
        let mut body = Body::new(self, Context::Pure { draws: false });
        let mut scope = HashMap::new();
        for (i, local) in locals.iter().enumerate() {
            scope.insert(local.name.clone(), Binding::Local(LocalId(i as u32)));
        }
        body.scopes.push(scope);
        body.locals = locals;
        let before = body.cx.found.len();
        let value = body.expr_as(e, ty);
        let clean = body.out.is_empty();
        let told = body.cx.found.len() > before;
        if !clean && !told {
            self.error("T0106", "a condition has no effects", e.span, "this needs several steps", "");
            return None;
        }
        value
    }
}

impl Body<'_, '_> {
    /// The whole body of a handler or function. `must_return`: it gives a value.
    pub fn whole(&mut self, block: &ast::Block, must_return: Option<Span>) {
        self.statements(block);
        if !self.flow.ended {
            if let Some(span) = must_return {
                self.error(
                    "T0107",
                    "this function does not return a value on every path",
                    span,
                    "it ends without one",
                    "",
                );
            }
            self.leave();
        }
        self.flow.ended = false;
    }

    /// Locals for the parameters of an event, the guard, and locals for the fields of the header.
    fn parameters(
        &mut self,
        event: &Event,
        patterns: &[ast::Pattern],
        span: Span,
    ) -> Option<(Vec<LocalId>, Guard, Vec<LocalId>)> {
        let rest = patterns.iter().position(|p| matches!(p.kind, PatternKind::Rest));
        let count = event.parameters.len();
        let fine = match rest {
            Some(_) => patterns.len() - 1 <= count,
            None => patterns.len() == count,
        };
        if !fine {
            let names: Vec<&str> = event.parameters.iter().map(|p| p.name.as_str()).collect();
            self.error(
                "T0105",
                format!("`{}` has {count} parameters", event.name),
                span,
                format!("{} patterns here", patterns.len()),
                format!("they are ({})", names.join(", ")),
            );
            return None;
        }
        let mut ids = Vec::new();
        let mut guard = Guard::NONE;
        let mut header = None;
        for (i, parameter) in event.parameters.iter().enumerate() {
            let pattern = match rest {
                Some(at) if i >= at => {
                    let skipped = count - (patterns.len() - 1);
                    if i < at + skipped {
                        None
                    } else {
                        patterns.get(i + 1 - skipped)
                    }
                }
                _ => patterns.get(i),
            };
            let id = self.parameter(parameter, pattern, &mut guard, &mut header)?;
            ids.push(id);
        }
        let fields = match header {
            Some(pattern) => self.header_fields(pattern, &mut guard)?,
            None => Vec::new(),
        };
        Some((ids, guard, fields))
    }

    fn parameter<'a>(
        &mut self,
        parameter: &nacre_stack::Parameter,
        pattern: Option<&'a ast::Pattern>,
        guard: &mut Guard,
        header: &mut Option<&'a ast::HeaderPattern>,
    ) -> Option<LocalId> {
        let message = parameter.ty == Type::Msg;
        let Some(pattern) = pattern else {
            return Some(self.hidden(&parameter.name, parameter.ty.clone()));
        };
        match &pattern.kind {
            PatternKind::Name(name) => Some(self.declare(name, parameter.ty.clone())),
            PatternKind::Data(name) if message => {
                guard.data = true;
                Some(self.declare(name, parameter.ty.clone()))
            }
            PatternKind::Any if !message => Some(self.hidden(&parameter.name, parameter.ty.clone())),
            PatternKind::Pop(name, h) if message => {
                *header = Some(h);
                Some(self.declare(name, parameter.ty.clone()))
            }
            PatternKind::Header(h) if message => {
                *header = Some(h);
                let id = self.hidden(&parameter.name, parameter.ty.clone());
                let value = self.get(id);
                self.push(StatementKind::Drop(value));
                Some(id)
            }
            PatternKind::PopWire { .. } => self.cx.unbuilt("wire formats", pattern.span),
            PatternKind::Tuple(parts) if !message => {
                let id = self.hidden(&parameter.name, parameter.ty.clone());
                let value = self.get(id);
                let _ = parts;
                self.destructure(pattern, value)?;
                Some(id)
            }
            _ => {
                let shown = self.show(&parameter.ty);
                let help =
                    if message { "name it: `m`, or take a header off: `m - Header { ... }`" } else { "a name, or `_`" };
                self.error(
                    "T0082",
                    "this pattern does not fit the parameter",
                    pattern.span,
                    format!("of type {shown}"),
                    help,
                );
                None
            }
        }
    }

    fn hidden(&mut self, name: &str, ty: Type) -> LocalId {
        let id = self.temporary(ty);
        self.locals[id.index()].name = name.into();
        id
    }

    fn header_fields(&mut self, pattern: &ast::HeaderPattern, guard: &mut Guard) -> Option<Vec<LocalId>> {
        let Some(&id) = self.cx.header_ids.get(&pattern.name.name) else {
            let known: Vec<&str> = self.cx.fragment.headers.iter().map(|h| h.name.as_str()).collect();
            let help = if known.is_empty() {
                "the layer declares none".into()
            } else {
                format!("it has {}", known.join(", "))
            };
            self.error(
                "T0108",
                format!("this layer has no header `{}`", pattern.name.name),
                pattern.name.span,
                "not declared",
                help,
            );
            return None;
        };
        guard.header = Some(id);
        let declared = self.cx.fragment.headers[id.index()].fields.clone();
        for (name, _) in &pattern.fields {
            if !declared.iter().any(|f| f.name == name.name) {
                let known = declared.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", ");
                self.error(
                    "T0051",
                    format!("`{}` has no field `{}`", pattern.name.name, name.name),
                    name.span,
                    "unknown",
                    format!("it has {known}"),
                );
            }
        }
        let mut ids = Vec::new();
        for field in &declared {
            let given = pattern.fields.iter().find(|(n, _)| n.name == field.name);
            let id = match given {
                None => self.hidden(&field.name, field.ty.clone()),
                Some((name, None)) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                Some((_, Some(sub))) => match &sub.kind {
                    PatternKind::Name(name) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                    PatternKind::Any => self.hidden(&field.name, field.ty.clone()),
                    _ => {
                        self.error("T0082", "a name is wanted here", sub.span, "", "");
                        self.hidden(&field.name, field.ty.clone())
                    }
                },
            };
            ids.push(id);
        }
        Some(ids)
    }
}
