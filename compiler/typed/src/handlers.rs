//! Bodies: functions, handlers of events and timers, `accepts`, invariants, initial values.

use nacre_diagnostics::{counted, Diagnostic};
use nacre_stack::{Direction, EventId, FunctionId, Parameter, PortId, Span, Type};
use nacre_syntax::ast::{self, Member, PatternKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context};
use crate::checker::{Checker, Declared};
use crate::fragment::{ABOVE, BELOW};
use crate::tree::{Accepts, Block, Expr, ExprKind, Function, Handler, Is, Name, Names, Node, Reacts, Trigger, Value};

/// The most calls within one function.
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
            let result = f.result.as_ref().map(|ty| self.resolve(ty));
            let parameters: Vec<Option<Type>> = f.parameters.iter().map(|p| self.resolve(&p.ty)).collect();
            if result == Some(None) || parameters.contains(&None) {
                self.unsound.insert(Declared::Function(f.name.name.clone()));
            }
            let result = result.flatten();
            let parameters = parameters.into_iter().map(|ty| ty.unwrap_or(Type::Bool)).collect();
            self.add_signature(f, result, parameters);
        }
    }

    fn add_signature(&mut self, f: &ast::Function, result: Option<Type>, types: Vec<Type>) {
        let id = FunctionId(self.tree.functions.len() as u32);
        self.function_ids.insert(f.name.name.clone(), id);
        self.calls.add();
        self.changes.push(Vec::new());
        let mut names = Names::default();
        let parameters = f.parameters.iter().zip(types).map(|(p, ty)| {
            let is = if p.by_ref { Is::Reference } else { Is::Value };
            names.add(Name { name: p.name.name.clone(), ty, is, span: p.name.span })
        });
        let parameters = parameters.collect();
        let (name, span) = (f.name.name.clone(), f.span);
        self.tree.functions.push(Function { name, parameters, result, names, body: Block::default(), span });
    }

    pub(crate) fn functions(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            let Member::Function(f) = member else { continue };
            let Some(&id) = self.function_ids.get(&f.name.name) else { continue };
            // A second function of this name was reported; its parameters are not those of the first.
            if self.tree.functions[id.index()].span == f.span {
                self.function(f, id);
            }
        }
    }

    fn function(&mut self, f: &ast::Function, id: FunctionId) {
        let declared = &self.tree.functions[id.index()];
        let (result, names) = (declared.result.clone(), declared.names.clone());
        let is_unsound = self.unsound.contains(&Declared::Function(f.name.name.clone()));
        let context = if is_unsound { Context::Unknown } else { Context::Function { result: result.clone() } };
        let mut body = Body::new(self, context);
        body.function = Some(id);
        for (p, name) in f.parameters.iter().zip(names.all) {
            if is_unsound && body.cx.resolve(&p.ty).is_none() {
                body.hidden(&p.name.name, name.ty, p.name.span);
                body.bind(&p.name.name, Binding::Unknown);
                continue;
            }
            match name.is {
                Is::Reference => body.reference(&p.name, name.ty),
                _ => body.declare(&p.name, name.ty),
            };
        }
        let block = body.whole(&f.body, result.is_some().then_some(f.name.span));
        let names = body.names;
        let function = &mut self.tree.functions[id.index()];
        (function.names, function.body) = (names, block);
    }

    /// Reports functions that call themselves or make too many calls: every call is analyzed separately.
    pub(crate) fn check_calls(&mut self) {
        let functions = &self.tree.functions;
        match self.calls.count() {
            Err(id) => {
                let function = &functions[id.index()];
                let found = Diagnostic::error("T0100", format!("`{}` calls itself", function.name))
                    .at(function.span, "directly, or through others")
                    .because("handlers must terminate, so functions cannot be recursive")
                    .help("write it as a loop with a bound");
                self.found.push(found);
            }
            Ok(within) => {
                let Some(id) = within.iter().position(|n| *n > MOST_CALLS) else { return };
                let (what, span) =
                    (format!("`{}` makes more than {MOST_CALLS} calls", functions[id].name), functions[id].span);
                self.error("T0115", what, span, "including nested ones", "call it from a loop, or less often");
            }
        }
    }

    // ---- handlers

    pub(crate) fn bodies(&mut self) {
        let layer = self.layer;
        for member in &layer.members {
            match member {
                Member::Handler(h) => h.events.iter().for_each(|event| self.handler(h, event)),
                Member::TimerHandler(h) => self.timer_handler(h),
                Member::Accepts(a) => self.accepts(a),
                Member::Invariant { condition, .. } => {
                    let value = self.pure(condition, &Type::Bool, &[]);
                    if self.limit(condition).is_none() {
                        self.tree.invariants.extend(value);
                    }
                }
                Member::Goal(goal) => self.goal(goal),
                _ => {}
            }
        }
        self.timers_without_handlers();
    }

    fn handler(&mut self, h: &ast::Handler, event: &ast::EventName) {
        let Some((side, id)) = self.handled(h, event) else { return self.unknown_handler(h, event) };
        let declared = self.tree.events[id.index()].clone();
        let mut body = Body::new(self, Context::Handler { side, event: id, parameters: Vec::new() });
        let Some(head) = body.parameters(&declared, &h.patterns, event.name.span) else {
            return self.unknown_handler(h, event);
        };
        if let Context::Handler { parameters: known, .. } = &mut body.context {
            known.extend(head.parameters.iter().map(|p| p.name));
        }
        let block = body.whole(&h.body, None);
        let (names, guard) = (body.names, head.guard);
        let direction = match (side, declared.direction) {
            (side, _) if side.0 >= 2 => self.tree.ports[side.index() - 2].clone(),
            (_, Direction::Up) => "up".into(),
            (_, Direction::Down) => "down".into(),
        };
        let variant = guard.header.map(|h| format!(".{}", self.tree.headers[h.index()].name)).unwrap_or_default();
        let data = if guard.data { ".data" } else { "" };
        self.add_handler(Handler {
            name: format!("{direction}.{}{variant}{data}", declared.name),
            trigger: Trigger::Event(Reacts { side, event: id, guard }),
            parameters: head.parameters,
            fields: head.fields,
            names,
            body: block,
            span: h.span,
        });
    }

    /// The side and the event of a handler; reports unknown ones.
    fn handled(&mut self, h: &ast::Handler, event: &ast::EventName) -> Option<(PortId, EventId)> {
        let side = match &h.from {
            ast::From::Up(_) => BELOW,
            ast::From::Down(_) => ABOVE,
            ast::From::Port(name) => self.port(name)?,
        };
        if let Some(port) = &event.port {
            self.error("T0017", "only a router has several layers below", port.span, "in a worker", "");
            return None;
        }
        let found = self.event_at(side, true, &event.name.name);
        if found.is_none() && !self.may_be_missing(side, &event.name.name) {
            let from = match side {
                BELOW => "from below",
                ABOVE => "from above",
                _ => "from there",
            };
            let what = format!("no event `{}` comes {from}", event.name.name);
            let known = format!("events {from}: {}", self.events_at(side, true));
            self.error("T0102", what, event.name.span, "not in the interface", known);
        }
        Some((side, found?))
    }

    fn port(&mut self, name: &ast::Ident) -> Option<PortId> {
        if let Some(at) = self.tree.ports.iter().position(|p| *p == name.name) {
            return Some(PortId(2 + at as u32));
        }
        let help = foreign::name(&name.name, Unknown::Port);
        let help = help.unwrap_or("handlers begin with `up`, `down` or the name of a port");
        self.error("T0101", format!("there is no port `{}`", name.name), name.span, "not declared", help);
        None
    }

    /// A handler whose head has a reported error: its names are unknown.
    fn unknown_handler(&mut self, h: &ast::Handler, event: &ast::EventName) {
        let from = match &h.from {
            ast::From::Up(_) => "up",
            ast::From::Down(_) => "down",
            ast::From::Port(name) => &name.name,
        };
        let name = format!("{from}.{}", event.name.name);
        let head = |body: &mut Body| h.patterns.iter().for_each(|pattern| body.unknown_in_head(pattern));
        self.add_unknown(name, head, &h.body, h.span);
    }

    /// A handler or a timer's, of which only the body is known; `head` declares its names.
    pub(crate) fn add_unknown(&mut self, name: String, head: impl FnOnce(&mut Body), code: &ast::Block, span: Span) {
        let mut body = Body::new(self, Context::Unknown);
        head(&mut body);
        let block = body.whole(code, None);
        let names = body.names;
        let (parameters, fields) = (Vec::new(), Vec::new());
        let trigger = Trigger::Unknown;
        self.tree.handlers.push(Handler { name, trigger, parameters, fields, names, body: block, span });
    }

    fn add_handler(&mut self, handler: Handler) {
        if let Some(same) = self.tree.handlers.iter().find(|known| known.trigger == handler.trigger) {
            let found = Diagnostic::error("T0103", format!("`{}` has two handlers", handler.name))
                .at(handler.span, "again here")
                .also(same.span, "the first is here")
                .because("an event can have only one handler");
            self.found.push(found);
        }
        self.tree.handlers.push(handler);
    }

    // ---- conditions

    fn accepts(&mut self, a: &ast::Accepts) {
        let mut sides = std::iter::once(ABOVE).chain((0..self.tree.ports.len() as u32).map(|port| PortId(2 + port)));
        let name = &a.event.name;
        let Some(id) = sides.clone().find_map(|side| self.event_at(side, true, name)) else {
            if sides.any(|side| self.may_be_missing(side, name)) {
                return;
            }
            let known = self.events_at(ABOVE, true);
            let label = match self.event_at(BELOW, true, name) {
                Some(_) => "it comes from below; such events cannot be refused",
                None => "not in the interface",
            };
            let help = format!("events from above: {known}");
            self.error("T0102", format!("no event `{name}` comes from above"), a.event.span, label, help);
            return;
        };
        let declared = self.tree.events[id.index()].clone();
        if a.patterns.len() != declared.parameters.len() {
            let what = format!("`{}` has {}", declared.name, counted(declared.parameters.len() as u64, "parameter"));
            self.error("T0105", what, a.span, "", "");
            return;
        }
        self.once(a.patterns.iter().flat_map(ast::Pattern::names));
        let name = |pattern: &ast::Pattern| match &pattern.kind {
            PatternKind::Name(name) | PatternKind::Data(name) => name.name.clone(),
            _ => "_".into(),
        };
        let parameters = a.patterns.iter().zip(&declared.parameters);
        let parameters: Vec<Parameter> =
            parameters.map(|(pattern, p)| Parameter { name: name(pattern), ty: p.ty.clone() }).collect();
        if let Some(condition) = self.pure(&a.condition, &Type::Bool, &parameters) {
            let mut reads = None;
            condition.value.visit(&mut |node| match node {
                Node::Expr(Expr { kind: ExprKind::View(of), span, .. }) if of.ty == Type::Msg => reads = Some(*span),
                _ => {}
            });
            if let Some(span) = reads {
                let help = "it may depend on the length, `m.len`; a handler can refuse a message: `drop m;`";
                self.error("T0106", "`accepts` cannot read a message", span, "it is asked before there is one", help);
                return;
            }
            if let Some(same) = self.tree.accepts.iter().find(|known| known.event == id) {
                let found = Diagnostic::error("T0103", format!("`accepts {}` is stated twice", a.event.name))
                    .at(a.event.span, "again here")
                    .also(same.condition.value.span, "the first condition is here")
                    .help("write one condition: `... && ...`");
                self.found.push(found);
            }
            self.tree.accepts.push(Accepts { event: id, condition });
        }
    }

    /// An expression without effects, over these names.
    pub(crate) fn pure(&mut self, e: &ast::Expr, ty: &Type, parameters: &[Parameter]) -> Option<Value> {
        let mut body = Body::new(self, Context::Pure { draws: false, open: true });
        for Parameter { name, ty } in parameters {
            let id = body.hidden(name, ty.clone(), e.span);
            body.bind(name, Binding::Value(id));
        }
        let before = body.cx.found.len();
        let value = body.expr_as(e, ty);
        if body.poisoned {
            body.cx.found.truncate(before);
        }
        let names = body.names;
        let value = value?;
        if value.has_steps(&self.tree.structs) {
            let help =
                "a condition consists of operators and queries such as `k in map` and `ring.len`; what needs a call, \
                        such as `map.get`, handlers can keep in a field: `state { known: bool }`";
            self.error("T0106", "a condition cannot have effects", e.span, "this needs several steps", help);
            return None;
        }
        Some(Value { names, value })
    }
}
