//! Events inside a step: reactions, the queue, the ring of what comes later, and what leaves at the ports.

use nacre_stack::visit::{Node, Traverse};
use nacre_stack::*;

use crate::body::{pushes, Body, Kind};
use crate::code::Code;
use crate::levels::Item;
use crate::writer::Writer;

/// A C function: its head, without `{`, and its body.
pub struct Written {
    pub head: String,
    pub body: Code,
}

impl Writer<'_> {
    fn list(parameters: &[(String, String)]) -> String {
        parameters.iter().map(|(ty, name)| format!(", {ty} {name}")).collect()
    }

    fn names(parameters: &[(String, String)]) -> String {
        parameters.iter().map(|(_, name)| format!(", {name}")).collect()
    }

    /// The function of a handler: parameters of the event, then fields of the header.
    pub fn handler(&mut self, id: HandlerId) -> Written {
        let p = self.prefix.clone();
        let stack = self.stack;
        let handler = stack.handler(id);
        let (word, name) = (self.word(), self.item_name(Item::Handler(id), self.plan.quick));
        let layer = handler.layer.index();
        let mut body = Body::new(self, layer, Kind::Handler, &handler.locals, &[&handler.body]);
        let parameters: Vec<LocalId> = handler.parameters.iter().chain(&handler.fields).copied().collect();
        let text = body.parameters(&parameters);
        body.line_of(handler.span);
        body.void_parameters(&parameters);
        body.code.line("(void)step;");
        body.block(&handler.body);
        let code = body.code;
        Written { head: format!("{p}{word} void {name}(struct {p}_step *step{text})"), body: code }
    }

    pub fn function(&mut self, id: FunctionId) -> Written {
        let p = self.prefix.clone();
        let stack = self.stack;
        let function = stack.function(id);
        let (word, name) = (self.word(), self.item_name(Item::Function(id), self.plan.quick));
        let layer = function.layer.index();
        let mut body = Body::new(self, layer, Kind::Function, &function.locals, &[&function.body]);
        let text = body.parameters(&function.parameters);
        body.line_of(function.span);
        body.void_parameters(&function.parameters);
        body.code.line("(void)step;");
        body.block(&function.body);
        let result = match &function.result {
            None => "void".into(),
            Some(ty) => {
                if !matches!(function.body.last().map(|s| &s.kind), Some(StatementKind::Return(_))) {
                    let zero = body.zero(&ty.clone());
                    let c_type = body.c_type(&ty.clone());
                    body.code.line(format!("return ({c_type}){zero};"));
                }
                body.c_type(&ty.clone())
            }
        };
        let code = body.code;
        Written { head: format!("{p}{word} {result} {name}(struct {p}_step *step{text})"), body: code }
    }

    /// Every event that a layer reacts to: takes its header off and hands it to the handler for it.
    pub fn reaction(&mut self, layer: LayerId, reaction: &Reaction) -> Written {
        let p = self.prefix.clone();
        let stack = self.stack;
        let target = Target::Layer(layer);
        let (word, name) = (self.word(), self.item_name(Item::Reaction(layer, reaction.event), self.plan.quick));
        let parameters = self.parameters(target, reaction.event);
        let head = format!("{p}{word} void {name}(struct {p}_step *step{})", Self::list(&parameters));
        let mut code = Code::new(1);
        let declared = stack.event(reaction.event);
        match declared.message {
            None => match reaction.arms.first() {
                Some(arm) => {
                    let handler = self.ask(Item::Handler(arm.handler), self.plan.quick);
                    code.line(format!("{handler}(step{});", Self::names(&parameters)));
                }
                None => self.no_arm(&parameters, None, &mut code),
            },
            Some(message) => self.arms(layer, reaction, message as usize, &parameters, &mut code),
        }
        Written { head, body: code }
    }

    fn no_arm(&mut self, parameters: &[(String, String)], message: Option<&str>, code: &mut Code) {
        let p = self.prefix.clone();
        for (_, name) in parameters.iter().filter(|(_, n)| Some(n.as_str()) != message) {
            code.line(format!("(void){name};"));
        }
        if let Some(message) = message {
            code.line(format!("{p}_drop(step->pool, {message}.bytes);"));
        }
        code.line(format!("step->counters[{p}_BROKEN]++;"));
    }

    fn arms(
        &mut self,
        layer: LayerId,
        reaction: &Reaction,
        message: usize,
        parameters: &[(String, String)],
        code: &mut Code,
    ) {
        let stack = self.stack;
        let slots = &self.slots[layer.index()];
        let (tag, headers) = (slots.tag.clone(), slots.headers.clone());
        let m = parameters[message].1.clone();
        let call = |w: &mut Self, handler: HandlerId, header: Option<HeaderId>, code: &mut Code| {
            let mut texts = vec!["step".to_string()];
            for (i, (_, name)) in parameters.iter().enumerate() {
                texts.push(name.clone());
                if i == message {
                    let wants = w.wanted_level(handler, message);
                    if let Some(initial) = w.as_message(&m, layer.index(), wants) {
                        let ty = w.message_type(wants);
                        texts.pop();
                        texts.push(format!("({ty}){initial}"));
                    }
                }
            }
            if let Some(header) = header {
                let count = stack.header(header).fields.len();
                (0..count).for_each(|f| texts.push(format!("{m}.{}", w.slots[layer.index()].place(header, f))));
            }
            let name = w.ask(Item::Handler(handler), w.plan.quick);
            code.line(format!("{name}({});", texts.join(", ")));
        };
        let variants: Vec<Option<HeaderId>> = headers.iter().map(|h| Some(*h)).chain([None]).collect();
        let choose = |w: &mut Self, header: Option<HeaderId>, code: &mut Code| {
            let arms: Vec<&Arm> = reaction.arms.iter().filter(|a| a.guard.header == header).collect();
            let always = arms.iter().position(|a| !a.guard.data);
            let shown = &arms[..always.map_or(arms.len(), |i| i + 1)];
            match shown {
                [] => w.no_arm(parameters, Some(&m), code),
                [only] if !only.guard.data => call(w, only.handler, header, code),
                [first, rest @ ..] => {
                    code.open(format!("if ({m}.data) {{"));
                    call(w, first.handler, header, code);
                    code.turn("} else {");
                    match rest.iter().find(|a| !a.guard.data) {
                        Some(arm) => call(w, arm.handler, header, code),
                        None => w.no_arm(parameters, Some(&m), code),
                    }
                    code.close("}");
                }
            }
        };
        if headers.is_empty() {
            return choose(self, None, code);
        }
        code.open(format!("switch ({m}.{tag}) {{"));
        for header in variants {
            match header {
                Some(header) => {
                    let number = self.slots[layer.index()].number(header);
                    code.open(format!("case {number}: /* {} */", stack.header(header).name));
                }
                None => code.open("default:"),
            }
            choose(self, header, code);
            code.line("break;");
            code.close("");
        }
        code.close("}");
    }

    /// From which layer on the message carries headers in a handler: its own too, if the handler puts one on in place.
    fn wanted_level(&self, handler: HandlerId, message: usize) -> usize {
        let handler = self.stack.handler(handler);
        let local = handler.parameters[message];
        let mut pushed = false;
        handler.body.each(|node| {
            if let Node::Statement(Statement { kind: StatementKind::Let(l, e), .. }) = node {
                pushed |= *l == local && pushes(e);
            }
        });
        handler.layer.index() + !pushed as usize
    }

    fn event_struct(&mut self, name: &str, events: &[(Target, EventId)], code: &mut Code) {
        code.open(format!("struct {name} {{"));
        code.line("uint32_t what;");
        code.open("union {");
        code.line("uint8_t nothing;");
        for (target, event) in events {
            let parameters = self.parameters(*target, *event);
            if parameters.is_empty() {
                continue;
            }
            code.open("struct {");
            for (ty, name) in &parameters {
                code.line(format!("{ty} {name};"));
            }
            code.close(format!("}} {};", self.event_name(*target, *event)));
        }
        code.close("} with;");
        code.close("};");
    }

    /// The struct of events in the queue.
    pub fn queue_struct(&mut self) -> Code {
        let mut code = Code::new(0);
        let events: Vec<_> = self.queued.iter().copied().collect();
        if !events.is_empty() {
            code.line("/* An event that waits for its turn. */");
            let name = format!("{}_event", self.prefix);
            self.event_struct(&name, &events, &mut code);
            code.line("");
        }
        code
    }

    /// The struct of events that wait, part of the state.
    pub fn waiting_struct(&mut self) -> Code {
        let mut code = Code::new(0);
        let events: Vec<_> = self.put_off.iter().copied().collect();
        if !events.is_empty() {
            let name = format!("{}_waiting", self.prefix);
            self.event_struct(&name, &events, &mut code);
        }
        code
    }

    fn fill(&mut self, number: usize, target: Target, event: EventId, code: &mut Code) {
        let name = self.event_name(target, event);
        code.line(format!("e->what = {number}; /* {name} */"));
        for (_, parameter) in self.parameters(target, event) {
            code.line(format!("e->with.{name}.{parameter} = {parameter};"));
        }
    }

    fn lose(&mut self, target: Target, event: EventId, code: &mut Code) {
        let p = self.prefix.clone();
        let _ = target;
        if let Some(message) = self.stack.event(event).message {
            let name = self.parameters(target, event)[message as usize].1.clone();
            code.line(format!("{p}_drop(step->pool, {name}.bytes);"));
        }
        code.line(format!("step->counters[{p}_BROKEN]++;"));
        code.line("return;");
    }

    /// Functions that put an event at the end of the queue.
    pub fn queue_functions(&mut self) -> Vec<Written> {
        let p = self.prefix.clone();
        let events: Vec<_> = self.queued.iter().copied().collect();
        let mut written = vec![];
        for (number, (target, event)) in events.into_iter().enumerate() {
            let parameters = self.parameters(target, event);
            let mut code = Code::new(1);
            code.open(format!("if ({p}_UNLIKELY(step->len == {p}_QUEUE)) {{"));
            self.lose(target, event, &mut code);
            code.close("}");
            code.line(format!("struct {p}_event *e = &step->more->queue[(step->first + step->len++) % {p}_QUEUE];"));
            self.fill(number, target, event, &mut code);
            let name = self.event_name(target, event);
            written.push(Written {
                head: format!("{p}_PLAIN void {p}_queue_{name}(struct {p}_step *step{})", Self::list(&parameters)),
                body: code,
            });
        }
        written
    }

    /// Functions that put an event into the ring of what comes later.
    pub fn put_off_functions(&mut self) -> Vec<Written> {
        let p = self.prefix.clone();
        let events: Vec<_> = self.put_off.iter().copied().collect();
        let mut written = vec![];
        for (number, (target, event)) in events.into_iter().enumerate() {
            let parameters = self.parameters(target, event);
            let mut code = Code::new(1);
            code.open(format!("if ({p}_UNLIKELY(step->s->waiting.len == {p}_WAITING)) {{"));
            self.lose(target, event, &mut code);
            code.close("}");
            if let Some(message) = self.stack.event(event).message {
                let name = &parameters[message as usize].1;
                code.line(format!("{name}.bytes = {p}_keep(step, {name}.bytes);"));
            }
            code.line(format!("struct {p}_waiting *e = &step->s->waiting.at[(step->s->waiting.head + step->s->waiting.len++) % {p}_WAITING];"));
            self.fill(number, target, event, &mut code);
            let name = self.event_name(target, event);
            written.push(Written {
                head: format!("{p}_PLAIN void {p}_put_off_{name}(struct {p}_step *step{})", Self::list(&parameters)),
                body: code,
            });
        }
        written
    }

    /// Hands an event to what it is for: `e` is a copy of it.
    pub fn dispatch(&mut self, events: &[(Target, EventId)], code: &mut Code) {
        code.open("switch (e.what) {");
        for (number, (target, event)) in events.iter().enumerate() {
            let name = self.event_name(*target, *event);
            let parameters = self.parameters(*target, *event);
            let texts: String = parameters.iter().map(|(_, n)| format!(", e.with.{name}.{n}")).collect();
            let function = match target {
                Target::Port(port) => self.output_function(*port, *event, false),
                Target::Layer(layer) => self.ask(Item::Reaction(*layer, *event), false),
            };
            code.line(format!("case {number}: {function}(step{texts}); break;"));
        }
        code.line("default: break;");
        code.close("}");
    }

    /// The function through which an event leaves at a port.
    pub fn output_function(&mut self, port: PortId, event: EventId, quick: bool) -> String {
        let p = self.prefix.clone();
        let name = self.event_name(Target::Port(port), event).trim_start_matches("port_").to_string();
        let (stack, target) = (self.stack, Target::Port(port));
        if quick {
            return self.helper(format!("{p}_quick_out_{name}"), |w, function| w.quick_output(function, port, event));
        }
        self.helper(format!("{p}_out_{name}"), |w, function| {
            let parameters = w.parameters(target, event);
            let number = w.output_number(port, event);
            let head = w.head_of(port, event);
            let mut code = Code::new(0);
            code.open(format!("{p}_PLAIN void {function}(struct {p}_step *step{}) {{", Self::list(&parameters)));
            if let Some(head) = &head {
                let m = &parameters[stack.event(event).message.unwrap_or(0) as usize].1;
                let longest = w.longest_head(LayoutId(0));
                code.line("uint8_t *head = step->out->bytes + step->bytes;");
                code.line(format!("uint32_t size = {p}_can_make(step, {longest}u) ? {head}({m}, head) : UINT32_MAX;"));
                code.open(format!("if ({p}_UNLIKELY(size == UINT32_MAX)) {{"));
                code.line(format!("{p}_drop(step->pool, {m}.bytes);"));
                code.line(format!("step->counters[{p}_BROKEN]++;"));
                code.line("return;");
                code.close("}");
            }
            code.line(format!("struct nacre_output *output = {p}_output(step, {}, {number});", port.0));
            code.open(format!("if ({p}_UNLIKELY(output == NULL)) {{"));
            if let Some(message) = stack.event(event).message {
                code.line(format!("{p}_drop(step->pool, {}.bytes);", parameters[message as usize].1));
            }
            code.line("return;");
            code.close("}");
            w.fill_output(event, &parameters, &mut code);
            w.fill_segments(event, &parameters, head.is_some(), &mut code);
            code.close("}");
            code
        })
    }

    fn output_number(&self, port: PortId, event: EventId) -> usize {
        let number =
            self.stack.interface().iter().position(|e| e.port == port && e.event == event && e.input.is_none());
        number.unwrap_or(u16::MAX as usize)
    }

    /// The function that writes heads, if the event leaves as a frame.
    fn head_of(&mut self, port: PortId, event: EventId) -> Option<String> {
        let frame = port.0 == 0 && self.stack.event(event).message.is_some() && !self.stack.layouts.is_empty();
        frame.then(|| self.head_function(LayoutId(0), Some(event)))
    }

    /// An output along the likely way: there is room for it.
    fn quick_output(&mut self, function: &str, port: PortId, event: EventId) -> Code {
        let p = self.prefix.clone();
        let parameters = self.parameters(Target::Port(port), event);
        let number = self.output_number(port, event);
        let mut code = Code::new(0);
        code.open(format!("{p}_INLINE void {function}(struct {p}_step *step{}) {{", Self::list(&parameters)));
        code.line("struct nacre_output *output = &step->out->outputs[step->outputs];");
        self.fill_output(event, &parameters, &mut code);
        code.line(format!("output->port = {};", port.0));
        code.line(format!("output->event = {number};"));
        code.line("output->session = 0;");
        match self.stack.event(event).message.map(|m| parameters[m as usize].1.clone()) {
            None => {
                code.line("output->len = output->segments_len = 0;");
                code.line("output->segments = NULL;");
            }
            Some(m) => {
                let (head, size) = match self.head_of(port, event) {
                    Some(head) => {
                        code.line("uint8_t *head = step->out->bytes + step->bytes;");
                        code.line(format!("uint32_t size = {head}({m}, head);"));
                        code.open(format!("if ({p}_UNLIKELY(size == UINT32_MAX)) {{"));
                        code.line(format!("{p}_drop(step->pool, {m}.bytes);"));
                        code.line(format!("step->counters[{p}_BROKEN]++;"));
                        code.line("return;");
                        code.close("}");
                        code.line("step->bytes += size;");
                        ("head", "size")
                    }
                    None => ("NULL", "0"),
                };
                code.line(format!("{p}_quick_segments(step, output, {head}, {size}, {m}.bytes);"));
            }
        }
        code.line("step->outputs++;");
        code.close("}");
        code
    }

    /// The numbers and the address of an output.
    fn fill_output(&mut self, event: EventId, parameters: &[(String, String)], code: &mut Code) {
        let declared = self.stack.event(event);
        let (mut number, mut address) = (0, false);
        for (i, (parameter, (_, name))) in declared.parameters.iter().zip(parameters).enumerate() {
            if declared.message == Some(i as u32) {
                continue;
            }
            match (&parameter.ty, self.scalar(&parameter.ty)) {
                (Type::Addr, _) if !address => {
                    address = true;
                    code.line(format!("output->address = {name};"));
                }
                (Type::Timer, _) | (_, None) => code.line(format!("(void){name};")),
                (_, Some(_)) if number < 4 => {
                    code.line(format!("output->arguments[{number}] = (uint64_t){name};"));
                    number += 1;
                }
                _ => code.line(format!("(void){name};")),
            }
        }
    }

    fn fill_segments(&mut self, event: EventId, parameters: &[(String, String)], frame: bool, code: &mut Code) {
        let p = self.prefix.clone();
        if let Some(message) = self.stack.event(event).message {
            let m = &parameters[message as usize].1;
            code.line("output->segments = step->out->segments + step->segments;");
            if frame {
                code.open("if (size > 0) {");
                code.open(format!("if ({p}_UNLIKELY(step->segments == step->out->segments_max)) {{"));
                code.line(format!("step->counters[{p}_BROKEN]++;"));
                code.turn("} else {");
                code.line("struct nacre_segment *segment = &step->out->segments[step->segments++];");
                code.line("segment->at = head;");
                code.line("segment->len = size;");
                code.line("output->segments_len = 1;");
                code.line("output->len = size;");
                code.line("step->bytes += size;");
                code.close("}");
                code.close("}");
            }
            code.line(format!("{p}_segments(step, output, {m}.bytes);"));
        }
    }
}

impl Body<'_, '_> {
    /// The list of parameters in a function's head; they are declared by it.
    fn parameters(&mut self, parameters: &[LocalId]) -> String {
        let mut text = String::new();
        for id in parameters {
            let ty = self.local_type(*id);
            let name = self.names[id.index()].clone();
            let star = if self.locals[id.index()].by_ref { "*" } else { "" };
            text.push_str(&format!(", {ty} {star}{name}"));
            self.mark_declared(*id);
        }
        text
    }

    fn void_parameters(&mut self, parameters: &[LocalId]) {
        for id in parameters {
            if !self.is_read(*id) {
                let name = self.names[id.index()].clone();
                self.code.line(format!("(void){name};"));
            }
        }
    }

    /// Says where in the layer's source the next line comes from.
    pub fn line_of(&mut self, span: Span) {
        if let Some(line) = self.w.source_line(span) {
            self.code.text.push_str(&line);
        }
    }
}
