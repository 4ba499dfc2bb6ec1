//! Bodies: functions, handlers of events and timers, `accepts`, invariants, initial values.

use nacre_diagnostics::{Diagnostic, Span};
use nacre_stack::{Direction, Event, FunctionId, Guard, Parameter, PortId, Type};
use nacre_syntax::ast::{self, Member, PatternKind};
use nacre_syntax::foreign::{self, Unknown};

use crate::body::{Binding, Body, Context, NameOf};
use crate::checker::Checker;
use crate::fragment::{ABOVE, BELOW};
use crate::tree::{
    Accepts, Block, Function, Handler, HandlerParameter, Is, Name, NameId, Names, Pattern, PatternKind as TypedPattern,
    Reacts, Value,
};

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
            let parameters = f.parameters.iter().map(|p| self.resolve(&p.ty).unwrap_or(Type::Bool)).collect();
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
            // A second one of this name has been reported; its parameters are not those of the first.
            if self.tree.functions[id.index()].span == f.span {
                self.untainted(|cx| cx.function(f, id));
            }
        }
    }

    fn function(&mut self, f: &ast::Function, id: FunctionId) {
        let declared = &self.tree.functions[id.index()];
        let (result, names) = (declared.result.clone(), declared.names.clone());
        let mut body = Body::new(self, Context::Function { result: result.clone() });
        body.function = Some(id);
        for (p, name) in f.parameters.iter().zip(names.all) {
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

    /// Reports functions that call themselves, and those that make too many calls: every call is looked at by itself.
    pub(crate) fn check_calls(&mut self) {
        let functions = &self.tree.functions;
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
                    if let Some(value) = cx.pure(condition, &Type::Bool, &[]) {
                        cx.tree.invariants.push(value);
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
        let side = match &h.from {
            ast::From::Up(_) => BELOW,
            ast::From::Down(_) => ABOVE,
            ast::From::Port(name) => match self.tree.ports.iter().position(|p| *p == name.name) {
                Some(at) => PortId(2 + at as u32),
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
        let declared = self.tree.events[id.index()].clone();
        let mut body = Body::new(self, Context::Handler { side, event: id, parameters: Vec::new() });
        let Some(head) = body.parameters(&declared, &h.patterns, event.name.span) else {
            body.wrong_handler(h);
            return;
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
            reacts: Some(Reacts { side, event: id, guard }),
            parameters: head.parameters,
            fields: head.fields,
            names,
            body: block,
            span: h.span,
        });
    }

    fn add_handler(&mut self, handler: Handler) {
        if let Some(same) = self.tree.handlers.iter().find(|known| known.reacts == handler.reacts) {
            let found = Diagnostic::error("T0103", format!("`{}` has two handlers", handler.name))
                .at(handler.span, "again here")
                .also(same.span, "the first is here")
                .because("a handler takes an event over: there can be only one");
            self.found.push(found);
        }
        self.tree.handlers.push(handler);
    }

    // ---- conditions

    fn accepts(&mut self, a: &ast::Accepts) {
        let sides: Vec<PortId> = std::iter::once(ABOVE)
            .chain((0..self.tree.ports.len() as u32).map(|i| PortId(2 + i)))
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
        let declared = self.tree.events[id.index()].clone();
        if a.patterns.len() != declared.parameters.len() {
            let what = format!("`{}` has {} parameters", declared.name, declared.parameters.len());
            self.error("T0105", what, a.span, "", "");
            return;
        }
        let name = |pattern: &ast::Pattern| match &pattern.kind {
            PatternKind::Name(name) | PatternKind::Data(name) => name.name.clone(),
            _ => "_".into(),
        };
        let parameters = a.patterns.iter().zip(&declared.parameters);
        let parameters: Vec<Parameter> =
            parameters.map(|(pattern, p)| Parameter { name: name(pattern), ty: p.ty.clone() }).collect();
        if let Some(condition) = self.pure(&a.condition, &Type::Bool, &parameters) {
            self.tree.accepts.push(Accepts { event: id, condition });
        }
    }

    /// An expression without effects, over these names.
    pub(crate) fn pure(&mut self, e: &ast::Expr, ty: &Type, parameters: &[Parameter]) -> Option<Value> {
        let mut body = Body::new(self, Context::Pure { draws: false, clock: true });
        for Parameter { name, ty } in parameters {
            let id = body.hidden(name, ty.clone(), e.span);
            body.bind(name, Binding::Value(id));
        }
        let value = body.expr_as(e, ty)?;
        let names = body.names;
        if value.has_steps(&self.tree.structs) {
            self.error("T0106", "a condition has no effects", e.span, "this needs several steps", "");
            return None;
        }
        Some(Value { names, value })
    }
}

/// What stands before a handler's body.
struct Head {
    parameters: Vec<HandlerParameter>,
    guard: Guard,
    fields: Vec<NameId>,
}

impl Body<'_, '_> {
    /// The body of a handler whose head is wrong, which has been reported: its names are not known.
    fn wrong_handler(&mut self, h: &ast::Handler) {
        h.patterns.iter().for_each(|pattern| self.unknown_in_head(pattern));
        self.flow.forget();
        self.whole(&h.body, None);
    }

    fn unknown_in_head(&mut self, pattern: &ast::Pattern) {
        match &pattern.kind {
            PatternKind::Pop(name, header) => {
                self.bind(&name.name, Binding::Unknown);
                self.unknown_fields(header);
            }
            PatternKind::Header(header) => self.unknown_fields(header),
            _ => self.unknown_names(pattern),
        }
    }

    fn unknown_fields(&mut self, header: &ast::HeaderPattern) {
        for (name, pattern) in &header.fields {
            match pattern {
                Some(pattern) => self.unknown_names(pattern),
                None => self.bind(&name.name, Binding::Unknown),
            }
        }
    }

    /// The whole body of a handler or function. `must_return`: it gives a value.
    pub fn whole(&mut self, block: &ast::Block, must_return: Option<Span>) -> Block {
        let block = self.statements(block);
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
            self.leave(None);
        }
        self.flow.ended = false;
        block
    }

    /// Names for the parameters of an event, the guard, and names for the fields of the header.
    fn parameters(&mut self, event: &Event, patterns: &[ast::Pattern], span: Span) -> Option<Head> {
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
        Some(Head { parameters: ids, guard, fields })
    }

    fn parameter<'a>(
        &mut self,
        parameter: &nacre_stack::Parameter,
        pattern: Option<&'a ast::Pattern>,
        guard: &mut Guard,
        header: &mut Option<&'a ast::HeaderPattern>,
    ) -> Option<HandlerParameter> {
        let message = parameter.ty == Type::Msg;
        let plain = |name| Some(HandlerParameter { name, pattern: None });
        let (name, ty) = (parameter.name.as_str(), parameter.ty.clone());
        let Some(pattern) = pattern else { return plain(self.hidden(name, ty, Span::default())) };
        match &pattern.kind {
            PatternKind::Name(name) => plain(self.declare(name, ty)),
            PatternKind::Data(name) if message => {
                guard.data = true;
                plain(self.declare(name, ty))
            }
            PatternKind::Any if !message => plain(self.hidden(name, ty, pattern.span)),
            PatternKind::Pop(name, h) if message => {
                *header = Some(h);
                plain(self.declare(name, ty))
            }
            PatternKind::Header(h) if message => {
                *header = Some(h);
                let name = self.hidden(name, ty.clone(), pattern.span);
                let dropped = Pattern { kind: TypedPattern::Any, ty, span: pattern.span };
                Some(HandlerParameter { name, pattern: Some(dropped) })
            }
            PatternKind::PopWire { .. } => self.cx.unbuilt("wire formats", pattern.span),
            PatternKind::Tuple(_) if !message => {
                let name = self.hidden(name, ty.clone(), pattern.span);
                let pattern = self.destructure(pattern, &ty)?;
                Some(HandlerParameter { name, pattern: Some(pattern) })
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

    fn header_fields(&mut self, pattern: &ast::HeaderPattern, guard: &mut Guard) -> Option<Vec<NameId>> {
        let Some(&id) = self.cx.header_ids.get(&pattern.name.name) else {
            let known: Vec<&str> = self.cx.tree.headers.iter().map(|h| h.name.as_str()).collect();
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
        let declared = self.cx.tree.headers[id.index()].fields.clone();
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
                None => self.hidden(&field.name, field.ty.clone(), pattern.span),
                Some((name, None)) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                Some((_, Some(sub))) => match &sub.kind {
                    PatternKind::Name(name) => self.declare_constant(name, field.ty.clone(), NameOf::HeaderField),
                    PatternKind::Any => self.hidden(&field.name, field.ty.clone(), pattern.span),
                    _ => {
                        self.error("T0082", "a name is wanted here", sub.span, "", "");
                        self.hidden(&field.name, field.ty.clone(), pattern.span)
                    }
                },
            };
            ids.push(id);
        }
        Some(ids)
    }
}
