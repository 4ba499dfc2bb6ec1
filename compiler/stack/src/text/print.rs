//! A whole stack as text.

use std::fmt::Write;

use super::names::{quoted, Names};
use super::print_code::{parameter, span, ty, Code};
use super::words::{self, word};
use crate::*;

/// The text of a stack, without the spans of its statements and expressions.
pub fn print(stack: &Stack) -> String {
    print_either(stack, false)
}

/// The text of a stack with all spans: reading it back gives an equal stack.
pub fn print_with_spans(stack: &Stack) -> String {
    print_either(stack, true)
}

fn print_either(stack: &Stack, spans: bool) -> String {
    let names = &Names::of(stack);
    let mut printer = Printer { stack, names, spans, text: String::new() };
    printer.declarations();
    printer.code();
    printer.boundaries();
    printer.text
}

struct Printer<'a> {
    stack: &'a Stack,
    names: &'a Names,
    spans: bool,
    text: String,
}

fn join(list: impl Iterator<Item = String>) -> String {
    list.collect::<Vec<_>>().join(", ")
}

fn need(need: Need) -> String {
    format!("need {} {}", need.copies, need.extra)
}

impl<'a> Printer<'a> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}", text.as_ref());
    }

    fn body(&self, locals: &'a [Local]) -> Code<'a> {
        Code { spans: self.spans, ..Code::new(self.stack, self.names, locals) }
    }

    fn parameters(&self, list: &[Parameter]) -> String {
        join(list.iter().map(|p| parameter(self.names, &p.name, &p.ty)))
    }

    fn layer(&self, id: LayerId) -> String {
        self.names.layers.show(id.index())
    }

    fn declarations(&mut self) {
        let (stack, names) = (self.stack, self.names);
        self.line(format!("stack {} {:?}", quoted(&stack.name), stack.description));
        self.line(bounds(&stack.bounds));
        for e in &stack.enums {
            self.line(format!("enum {} [{}]", quoted(&e.name), join(e.variants.iter().map(|v| quoted(v)))));
        }
        for s in &stack.structs {
            self.line(format!("struct {} [{}]", quoted(&s.name), self.parameters(&s.fields)));
        }
        for l in &stack.layers {
            let sessions = if l.sessions == 1 { String::new() } else { format!(" sessions {}", l.sessions) };
            let random = l.random.map_or(String::new(), |c| format!(" random #{}", c.0));
            self.line(format!(
                "layer {} {:?} version {}{sessions}{random}{}",
                quoted(&l.name),
                l.description,
                l.version,
                span(l.span)
            ));
        }
        for link in &stack.links {
            self.line(format!("link {} to {}", names.end(link.lower), names.end(link.upper)));
        }
        for e in &stack.events {
            let message = e.message.map_or(String::new(), |m| format!(" message {m}"));
            let session = e.session.map_or(String::new(), |s| format!(" session {s}"));
            let direction = word(words::DIRECTIONS, e.direction);
            let role = match e.role {
                EventRole::Plain => String::new(),
                role => format!(" as {}", word(words::EVENT_ROLES, role)),
            };
            let parameters = self.parameters(&e.parameters);
            self.line(format!("event {} {direction} [{parameters}]{message}{session}{role}", quoted(&e.name)));
        }
        for h in &stack.headers {
            let fields = join(h.fields.iter().map(|f| {
                let big = if f.big_endian { " big" } else { "" };
                let class = word(words::CLASSES, f.class);
                let place = match f.place {
                    FieldPlace::Byte(byte) => format!("byte {byte}"),
                    place => word(words::PLACES, place).to_string(),
                };
                format!("{} bits {}{big} {place} {class}", parameter(names, &f.name, &f.ty), f.bits)
            }));
            self.line(format!("header {} of {} [{fields}]", quoted(&h.name), self.layer(h.layer)));
        }
        for c in &stack.cells {
            let secret = if c.secret { " secret" } else { "" };
            let scope = word(words::SCOPES, c.scope);
            let role = c.role.map_or(String::new(), |role| format!(" as {}", word(words::GIVEN_ROLES, role)));
            self.line(format!(
                "cell {} of {} {scope}{secret}{role} '{}",
                quoted(&c.name),
                self.layer(c.layer),
                ty(names, &c.ty)
            ));
        }
        for c in &stack.counters {
            let layer = c.layer.map_or(String::new(), |l| format!(" of {}", self.layer(l)));
            self.line(format!("counter {}{layer}", quoted(&c.name)));
        }
        for x in &stack.externs {
            let result = x.result.as_ref().map_or(String::new(), |t| format!(" result '{}", ty(names, t)));
            let mut line = format!("extern {} [{}]{result}", quoted(&x.name), self.parameters(&x.parameters));
            line += if x.pure_ { " pure" } else { "" };
            line += &x.inverse_of.as_ref().map_or(String::new(), |i| format!(" inverse_of {i:?}"));
            line += &x.through.as_ref().map_or(String::new(), |i| format!(" through {i:?}"));
            line += &format!(" grows {} shrinks {}", x.grows, x.shrinks);
            line += &x.range.map_or(String::new(), |r| format!(" range {r}"));
            line += &x.body.as_ref().map_or(String::new(), |b| format!(" body {b:?}"));
            self.line(line + &span(x.span));
        }
    }

    fn locals(&self, locals: &[Local]) -> String {
        join(locals.iter().map(|l| {
            let by_ref = if l.by_ref { "ref " } else { "" };
            format!("{by_ref}{}", parameter(self.names, &l.name, &l.ty))
        }))
    }

    fn code(&mut self) {
        let stack = self.stack;
        for (index, cell) in stack.cells.iter().enumerate() {
            if let Some(initial) = &cell.initial {
                let value = self.body(&cell.locals).expr(initial);
                let draws = match cell.draws.is_empty() && cell.locals.is_empty() {
                    true => String::new(),
                    false => {
                        let block = self.body(&cell.locals).block(&cell.draws);
                        format!(" draws locals [{}] {block}", self.locals(&cell.locals))
                    }
                };
                self.line(format!("initial @{}{draws} = {value};", self.names.cells.show(index)));
            }
        }
        for f in &stack.filters {
            self.filter(f);
        }
        for f in &stack.functions {
            let mut code = self.body(&f.locals).of(f.layer);
            let parameters = join(f.parameters.iter().map(|p| code.local(*p)));
            let result = f.result.as_ref().map_or(String::new(), |t| format!(" result '{}", ty(self.names, t)));
            let block = code.block(&f.body);
            let (name, layer, locals) = (quoted(&f.name), self.layer(f.layer), self.locals(&f.locals));
            self.line(format!(
                "function {name} of {layer}{result}{} locals [{locals}] params [{parameters}] {block}",
                span(f.span)
            ));
        }
        for h in &stack.handlers {
            let mut code = self.body(&h.locals).of(h.layer);
            let parameters = join(h.parameters.iter().map(|p| code.local(*p)));
            let fields = join(h.fields.iter().map(|p| code.local(*p)));
            let event = h.event.map_or(String::new(), |e| format!(" event {}", self.names.events.show(e.index())));
            let passes = if h.passes { " passes" } else { "" };
            let block = code.block(&h.body);
            let (name, layer, locals) = (quoted(&h.name), self.layer(h.layer), self.locals(&h.locals));
            self.line(format!(
                "handler {name} of {layer}{event}{passes}{} locals [{locals}] params [{parameters}] fields [{fields}] \
                 {block}",
                span(h.span)
            ));
        }
    }

    fn filter(&mut self, f: &'a Filter) {
        let mut code = self.body(&f.locals);
        let states = join(f.state.iter().map(|s| parameter(self.names, &s.name, &s.ty)));
        let initial = join(f.initial.iter().map(|i| i.as_ref().map_or("-".into(), |e| code.expr(e))));
        let result = f.result.as_ref().map_or(String::new(), |e| format!(" result {}", code.expr(e)));
        let functions = join(f.functions.iter().map(|f| self.names.functions.show(f.index())));
        let rejects = if f.rejects { " rejects" } else { "" };
        let inputs = join(f.inputs.iter().map(|i| code.local(*i)));
        let (body, end) = (code.block(&f.body), code.block(&f.end));
        let (name, unit, locals) = (quoted(&f.name), word(words::UNITS, f.unit), self.locals(&f.locals));
        let (a, b, c) = f.grows;
        self.line(format!(
            "filter {name} {unit} grows {a} {b} {c}{rejects}{} calls [{functions}] locals [{locals}] state [{states}] \
             initial [{initial}] inputs [{inputs}]{result} {body} end {end}",
            span(f.span)
        ));
    }

    fn boundaries(&mut self) {
        let stack = self.stack;
        for (index, layer) in stack.layers.iter().enumerate() {
            let name = self.layer(LayerId(index as u32));
            for invariant in &layer.invariants {
                let value = self.body(&[]).expr(invariant);
                self.line(format!("invariant {name} {value};"));
            }
            for goal in &layer.goals {
                let (goal, value) = (quoted(&goal.name), self.body(&[]).expr(&goal.holds));
                self.line(format!("goal {name} {goal} {value};"));
            }
            for reaction in &layer.reactions {
                let arms = join(reaction.arms.iter().map(|arm| {
                    let header = arm.guard.header.map_or("-".into(), |h| self.names.headers.show(h.index()));
                    let data = if arm.guard.data { " data" } else { "" };
                    let link = arm.guard.link.map_or(String::new(), |link| format!("(#{}) ", link.0));
                    format!("{link}{header}{data} {}", self.names.handlers.show(arm.handler.index()))
                }));
                let accepts = reaction.accepts.as_ref().map_or(String::new(), |a| format!(" {}", self.admission(a)));
                let event = self.names.events.show(reaction.event.index());
                self.line(format!("reaction {name} {event} [{arms}]{accepts}"));
            }
        }
        for t in &stack.timers {
            let path = join(t.path.iter().map(|s| match s {
                TimerStep::Field(i) => i.to_string(),
                TimerStep::Each => "each".into(),
            }));
            let (layer, handler) = (self.layer(t.layer), self.names.handlers.show(t.handler.index()));
            let cell = self.names.cells.show(t.cell.index());
            self.line(format!("timer {} of {layer} @{cell} [{path}] {handler}", quoted(&t.name)));
        }
        for port in &stack.ports {
            self.port(port);
        }
        for layout in &stack.layouts {
            self.layout(layout);
        }
        for context in &stack.contexts {
            self.context(context);
        }
        for bypass in &stack.bypasses {
            self.bypass(bypass);
        }
    }

    fn bypass(&mut self, bypass: &'a Bypass) {
        let mut code = self.body(&bypass.locals);
        let port = |port: PortId| self.names.ports.show(port.index());
        let entry = match bypass.entry {
            Entry::Call(id, at) => format!("call {} {at}", port(id)),
            Entry::Frame(id, at) => format!("frame {} {at}", port(id)),
            Entry::Timer(at) => format!("timer {at}"),
        };
        let homes = join(bypass.homes.iter().map(|home| self.names.end(*home)));
        let list = |locals: &[LocalId]| join(locals.iter().map(|local| code.local(*local)));
        let parameters = list(&bypass.parameters);
        let fields = join(bypass.fields.iter().map(|fields| format!("[{}]", list(fields))));
        let (condition, block) = (code.expr(&bypass.condition), code.block(&bypass.body));
        let locals = self.locals(&bypass.locals);
        self.line(format!(
            "bypass {entry} locals [{locals}] homes [{homes}] params [{parameters}] fields [{fields}] \
             when {condition}; {block}"
        ));
    }

    fn context(&mut self, context: &Context) {
        let cell = |id: &CellId| format!("@{}", self.names.cells.show(id.index()));
        let kind = word(words::CONTEXTS, context.kind);
        let port = self.names.ports.show(context.port.index());
        let mut text = format!("context {} {kind} port {port}", quoted(&context.name));
        for (name, owned) in [("cookie", context.cookie), ("peer", context.peer), ("room", context.room)] {
            text += &owned.map_or(String::new(), |id| format!(" {name} {}", cell(&id)));
        }
        if !context.predictions.is_empty() {
            text += &format!(" predictions [{}]", join(context.predictions.iter().map(cell)));
        }
        self.line(text);
    }

    fn port(&mut self, port: &'a Port) {
        let outputs = join(port.outputs.iter().map(|e| self.names.events.show(e.index())));
        // The layout is not said where it is the usual one.
        let frames = match port.frames {
            Some(LayoutId(0)) | None => String::new(),
            Some(layout) => format!(" frames {}", layout.0),
        };
        let mut text = format!("port {}{frames} [{outputs}] {{\n", quoted(&port.name));
        for turn in &port.turns {
            let [event, back] = [turn.event, turn.comes_back].map(|e| self.names.events.show(e.index()));
            text += &format!("  turn {event} to {back}{}\n", if turn.leaves { " leaves" } else { "" });
        }
        for input in &port.inputs {
            let (event, layer) = (self.names.events.show(input.event.index()), self.layer(input.layer));
            text += &format!("  input {event} to {layer} {} [", need(input.need));
            for a in &input.admissions {
                text += &format!("\n    {}", self.admission(a));
            }
            text += "]\n";
        }
        self.line(text + "}");
    }

    fn admission(&mut self, admission: &'a Admission) -> String {
        let condition = self.body(&admission.locals).expr(&admission.condition);
        format!("accepts {} locals [{}] {condition};", self.layer(admission.layer), self.locals(&admission.locals))
    }

    fn layout(&mut self, layout: &Layout) {
        let form = word(words::FORMS, layout.form);
        let mut text = format!("layout {} {form} {} {{\n", self.layer(layout.layer), layout.fingerprint);
        for s in &layout.shapes {
            let event = self.names.events.show(s.event.index());
            let headers = join(s.headers.iter().map(|h| self.names.headers.show(h.index())));
            let identified = if s.identified { " identified" } else { "" };
            let data = if s.data { " data" } else { "" };
            let in_place = if s.in_place { " in_place" } else { "" };
            let fields = join(
                s.fields
                    .iter()
                    .map(|f| format!("{} {} at {}", self.names.headers.show(f.header.index()), f.field, f.bit)),
            );
            text += &format!(
                "  shape {}{identified}{data}{in_place} {event} [{headers}] size {} length {} {} [{fields}]\n",
                s.number, s.size, s.data_min, s.data_max
            );
        }
        self.line(text + "}");
    }
}

fn bounds(b: &Bounds) -> String {
    let plain = [
        ("queue", b.queue),
        ("later", b.later),
        ("outputs", b.outputs),
        ("segments", b.segments),
        ("scratch", b.scratch),
        ("pieces", b.pieces),
        ("block", b.block),
        ("blocks", b.blocks),
        ("frame_data", b.frame_data),
    ];
    let plain: String = plain.iter().map(|(name, bound)| format!(" {name} {bound}")).collect();
    format!("bounds{plain} open {} timer {}", need(b.open), need(b.timer))
}
