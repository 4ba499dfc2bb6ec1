//! The functions that the host calls.

use nacre_stack::*;

use crate::code::Code;
use crate::globals::Global;
use crate::names;
use crate::parts::{Content, Section};
use crate::plan::Item;
use crate::types::{constant, Scalar};
use crate::writer::Writer;

const DISCARD: &str = include_str!("support/discard.c");

/// An input of a port that the host may call.
pub struct Call {
    /// Index in the interface.
    pub number: usize,
    pub port: usize,
    pub input: usize,
    /// `above_send`
    pub name: String,
}

impl Call {
    /// The entry by which the event enters.
    pub fn entry(&self) -> Entry {
        Entry::Call(PortId(self.port as u32), self.input)
    }
}

/// The parameters of an entry after the state and its regions.
pub struct EntryParameter {
    pub name: String,
    pub c_type: String,
    pub ty: Type,
}

impl Writer<'_> {
    /// Whether the host calls an input by its number. Frames enter through `input` and `init` through `open`;
    /// everything else is a call, including the driver's other events for the lowest layer (`unknown`).
    pub fn callable(&self, event: &PortEvent) -> bool {
        let declared = self.stack.event(event.event);
        let called = declared.message.is_none() && declared.role != EventRole::Opening;
        event.input.is_some() && (!self.stack.is_lower(event.port) || called)
    }

    /// The inputs that the host may call, by the numbers of the interface.
    pub fn calls(&self) -> Vec<Call> {
        let mut found = vec![];
        for (number, event) in self.stack.interface().iter().enumerate() {
            if let (Some(input), true) = (event.input, self.callable(event)) {
                let port = &self.stack.ports[event.port.index()];
                let wanted = names::plain(&format!("{}_{}", port.name, self.stack.event(event.event).name));
                let name = self.globals.name(Global::Call(number), &wanted);
                found.push(Call { number, port: event.port.index(), input: input as usize, name });
            }
        }
        found
    }

    /// The parameters of an entry beside the message.
    pub fn entry_parameters(&mut self, event: EventId) -> Vec<EntryParameter> {
        let declared = self.stack.event(event);
        let names = self.parameter_names(declared);
        let mut list = vec![];
        for (index, (parameter, name)) in declared.parameters.iter().zip(names).enumerate() {
            if declared.message != Some(index as u32) {
                let c_type = self.c_type(&parameter.ty, 0);
                list.push(EntryParameter { name, c_type, ty: parameter.ty.clone() });
            }
        }
        list
    }

    /// The head of a typed entry.
    pub fn entry_head(&mut self, call: &Call) -> String {
        let name = format!("int {}_{}", self.prefix, call.name);
        self.head_as_entry(&name, call)
    }

    /// The head of a function with the parameters of a typed entry.
    pub fn head_as_entry(&mut self, name: &str, call: &Call) -> String {
        let p = self.prefix.clone();
        let event = self.stack.ports[call.port].inputs[call.input].event;
        let mut text = format!("{name}(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now");
        for parameter in self.entry_parameters(event) {
            match self.scalar(&parameter.ty) {
                Some(_) => text.push_str(&format!(", {} {}", parameter.c_type, parameter.name)),
                None => text.push_str(&format!(", const {} *{}", parameter.c_type, parameter.name)),
            }
        }
        if self.stack.event(event).message.is_some() {
            text.push_str(", const uint8_t *data, uint32_t len");
        }
        format!("{text}, struct nacre_out *out)")
    }

    /// The condition under which a number is one of a type.
    pub fn fits(&self, ty: &Type, text: &str) -> Option<String> {
        let c = self.scalar(ty)?.c();
        let number = |value: u64| constant(value, Scalar::unsigned(c));
        let within = |low: u64, most: u64| {
            let low = (low > 0).then(|| format!("{text} >= {}", number(low)));
            let high = (most < mask(c)).then(|| format!("{text} <= {}", number(most)));
            let both: Vec<String> = low.into_iter().chain(high).collect();
            (!both.is_empty()).then(|| both.join(" && "))
        };
        match (ty, self.scalar(ty)?) {
            (Type::Range(low, high), _) => within(*low, high.saturating_sub(1)),
            (Type::Enum(id), _) => within(0, (self.stack.enums[id.index()].variants.len() as u64).saturating_sub(1)),
            (_, Scalar::Unsigned { bits, .. }) => within(0, mask(bits)),
            (_, Scalar::Signed { c, bits }) if bits < c => {
                let most = mask(bits - 1);
                Some(format!("{text} >= -{} && {text} <= {most}", most + 1))
            }
            _ => None,
        }
    }

    /// Whether steps have a part that only some operations need.
    fn needs_more(&self) -> bool {
        !self.queued.is_empty() || self.temporary > 0
    }

    /// `step` for an entry.
    pub fn begin(&self, code: &mut Code, data: Option<(&str, &str)>) {
        self.begin_or(code, data, &format!("{}_nothing(out, NACRE_INVALID)", self.prefix));
    }

    /// The same, with what the entry returns if a message has a length and no bytes.
    pub fn begin_or(&self, code: &mut Code, data: Option<(&str, &str)>, refused: &str) {
        let p = &self.prefix;
        let (at, len) = data.unwrap_or(("NULL", "0"));
        if at == "data" {
            // Of an empty message. Nothing may be added to NULL, not even 0.
            code.open(format!("if ({p}_UNLIKELY(data == NULL)) {{"));
            code.line(format!("if (len != 0) {{ return {refused}; }}"));
            code.line("data = (const uint8_t *)\"\";");
            code.close("}");
        }
        let mut members =
            format!(".s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = {at}, .in_len = {len}");
        if self.needs_more() {
            code.line(format!("struct {p}_more more;"));
            members.push_str(", .more = &more");
        }
        code.line(format!("struct {p}_step this_step = {{{members}}};"));
        code.line(format!("struct {p}_step *const step = &this_step;"));
    }

    /// An event of a port, with its own types.
    fn call_function(&mut self, call: &Call) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let input = &stack.ports[call.port].inputs[call.input];
        let declared = stack.event(input.event);
        let has_message = declared.message.is_some();
        let mut code = self.admission_function(call);
        code.line("");
        let quick = self.quick_call(call.entry());
        if let Some(quick) = &quick {
            let function = self.quick_call_function(call, quick);
            code.add(&function);
        }
        if quick.is_some() {
            let head = format!("{p}_APART int {}", self.slower_name(call));
            code.open(format!("{} {{", self.head_as_entry(&head, call)));
        } else {
            self.begin_entry(call, &mut code);
        }
        self.busy(&mut code);
        self.begin(&mut code, has_message.then_some(("data", "len")));
        let target = Target::Layer(input.layer);
        let texts = self.entry_arguments(input.event, target, &mut code);
        if !input.admissions.is_empty() {
            let admitted = self.call_step(&self.admission(call).callee(), &texts);
            code.open(format!("if ({p}_UNLIKELY(!{admitted})) {{"));
            code.line(format!("counters[{p}_REFUSED]++;"));
            code.line(format!("return {p}_nothing(out, NACRE_REFUSED);"));
            code.close("}");
        }
        let apart = has_message && self.level.is_quick() && self.is_limited(input.need);
        let bypassed = !self.bypasses_of(call.entry()).is_empty();
        if !apart {
            self.need(input.need, if has_message { "len" } else { "0" }, None, &mut code);
        } else if !bypassed || !self.slower_bypasses(call.entry()).is_empty() {
            self.enough(call, input, &mut code);
        }
        if bypassed {
            self.try_bypasses(call.entry(), &texts, &[], &mut code);
            let rest = self.call_rest(call);
            code.line(format!("return {rest};"));
            code.close("}");
        } else {
            self.react(input, true, &texts, &mut code);
        }
        if apart || bypassed {
            let mut rest = self.rest_of_call(call, input);
            rest.line("");
            rest.add(&code);
            code = rest;
        }
        if let Some(quick) = &quick {
            code.line("");
            self.begin_entry(call, &mut code);
            self.try_quick_call(call, quick, &mut code);
            let slower = self.slower_name(call);
            code.line(format!("return {};", self.passed_on(call, &slower)));
            code.close("}");
        }
        code
    }

    /// The beginning of the entry of a call, with the checks of its arguments.
    fn begin_entry(&mut self, call: &Call, code: &mut Code) {
        let p = self.prefix.clone();
        code.open(format!("{} {{", self.entry_head(call)));
        let event = self.stack.ports[call.port].inputs[call.input].event;
        for parameter in self.entry_parameters(event) {
            if let Some(fits) = self.fits(&parameter.ty, &parameter.name) {
                code.line(format!("if (!({fits})) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
            }
        }
        code.line(format!("if ({p}_UNLIKELY(!{p}_room(out))) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
    }

    /// The separate function for a call that the quick entry does not take, so that its registers and stack frame do
    /// not slow the common path.
    fn slower_name(&self, call: &Call) -> String {
        self.global(Global::Slower(call.number), format!("slower_{}", call.name))
    }

    /// Calls what takes an event of a port, and ends the entry.
    pub fn react(&mut self, input: &PortInput, quick: bool, texts: &[String], code: &mut Code) {
        let reaction = self.ask(Item::Reaction(input.layer, input.event), quick);
        code.line(format!("{};", self.call_step(&reaction, texts)));
        code.line(format!("{}_finish(step);", self.prefix));
        code.line("return NACRE_OK;");
        code.close("}");
    }

    /// The arguments of a reaction in an entry, with the message of the call.
    pub fn entry_arguments(&mut self, event: EventId, target: Target, code: &mut Code) -> Vec<String> {
        let p = self.prefix.clone();
        let declared = self.stack.event(event);
        let names: Vec<String> = self.parameters(target, event).into_iter().map(|p| p.name).collect();
        let mut texts = vec![];
        for (i, (parameter, name)) in declared.parameters.iter().zip(names).enumerate() {
            if declared.message == Some(i as u32) {
                let ty = self.message_type(self.level_at(target));
                code.line(format!(
                    "{ty} {name} = {{.bytes = {{.block = {p}_IN, .offset = 0, .len = len}}, .data = true}};"
                ));
                texts.push(name);
            } else if self.scalar(&parameter.ty).is_some() {
                texts.push(name);
            } else {
                texts.push(format!("*{name}"));
            }
        }
        texts
    }

    /// A call while events of an earlier step wait is refused.
    pub fn busy(&self, code: &mut Code) {
        if !self.put_off.is_empty() {
            code.line(format!(
                "if ({0}_UNLIKELY(s->waiting.len != 0)) {{ return {0}_nothing(out, NACRE_BUSY); }}",
                self.prefix
            ));
        }
    }

    /// Returns the functions of the C interface, with the support code that they need.
    pub fn entries(&mut self) -> Vec<Section> {
        let mut parts = vec![
            Section::of(Content::Open, self.config_default()),
            Section::of(Content::Open, self.open_function(false)),
        ];
        for call in self.calls() {
            let mut code = Code::new(0);
            code.line("");
            let text = self.call_function(&call);
            code.add(&text);
            parts.push(Section::of(Content::Call, code));
        }
        parts.push(Section::new(Content::Support, "\n"));
        let views = self.stack.has_views().then(|| (Content::Open, self.view_function()));
        let rest = [
            (Content::Input, self.input_functions()),
            (Content::Timers, self.timers()),
            (Content::Call, self.generic_call()),
            (Content::Call, self.accepts_function()),
            (Content::State, self.discard_function()),
        ];
        parts.extend(rest.into_iter().chain(views).map(|(content, mut code)| {
            code.line("");
            Section::of(content, code)
        }));
        parts
    }

    /// Several events of opening go through the queue: to be known before it is written.
    pub fn note_openings(&mut self) {
        let stack = self.stack;
        let inits: Vec<(&PortInput, u32)> = stack.opened().collect();
        if inits.len() > 1 {
            self.queued.extend(inits.iter().map(|(i, _)| (Target::Layer(i.layer), i.event)));
        }
    }

    fn accepts_function(&mut self) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let mut code = Code::new(0);
        code.open(format!(
            "bool {p}_accepts(const struct {p}_state *s, const struct {p}_pool *pool, uint32_t event, uint32_t len) {{"
        ));
        if !self.put_off.is_empty() {
            code.line("if (s->waiting.len != 0) { return false; }");
        }
        // A condition may read bytes of the state through a filter.
        let more = if self.needs_more() { ", .more = &more" } else { "" };
        if self.needs_more() {
            code.line(format!("struct {p}_more more;"));
        }
        code.line(format!(
            "struct {p}_step this_step = {{.s = (struct {p}_state *)(uintptr_t)s, .pool = (struct \
            {p}_pool *)(uintptr_t)pool, .in_len = len{more}}};"
        ));
        code.line(format!("struct {p}_step *const step = &this_step;"));
        code.open("switch (event) {");
        for call in self.calls() {
            let input = &stack.ports[call.port].inputs[call.input];
            let target = Target::Layer(input.layer);
            let declared = stack.event(input.event);
            let mut texts = vec![];
            for (i, parameter) in declared.parameters.iter().enumerate() {
                let text = match (&parameter.ty, self.scalar(&parameter.ty)) {
                    _ if declared.message == Some(i as u32) => {
                        let ty = self.message_type(self.level_at(target));
                        format!("({ty}){{.bytes = {{.len = len}}, .data = true}}")
                    }
                    (_, Some(_)) => "0".into(),
                    (ty, None) => format!("({}){}", self.c_type(&ty.clone(), 0), self.zero(&ty.clone())),
                };
                texts.push(text);
            }
            let needed = format!("{p}_needed({}u, {}u, len)", input.need.copies, input.need.extra);
            let space = format!("{needed} <= (uint64_t)pool->free + pool->fresh");
            let admitted = self.call_step(&self.admission(&call).callee(), &texts);
            code.line(format!("case {}: return {admitted} && {space};", call.number));
        }
        code.line("default: return false;");
        code.close("}");
        code.close("}");
        code
    }

    fn discard_function(&mut self) -> Code {
        let stack = self.stack;
        let (mut lines, mut secrets) = (vec![], vec![]);
        for (index, cell) in stack.cells.iter().enumerate() {
            let layer = cell.layer.index();
            let text = format!("s->{}.{}", self.layer_names[layer], self.cell_names[index]);
            if cell.secret {
                secrets.push(format!("{}_erase(&{text}, sizeof {text});", self.prefix));
            }
            lines.extend(self.drop_in(&cell.ty, layer, &text.into()));
        }
        let erase = if secrets.is_empty() { String::new() } else { self.of_texts(DISCARD, "erase", &[]) + "\n\n" };
        let words = [("cells", lines.join("\n")), ("waiting", self.discard_waiting()), ("secrets", secrets.join("\n"))];
        Code::verbatim(&(erase + &self.of_texts(DISCARD, "discard", &words)))
    }

    /// Releases the messages of events that come later.
    fn discard_waiting(&mut self) -> String {
        let put_off: Vec<(Target, EventId)> = self.put_off.iter().copied().collect();
        let mut code = Code::new(0);
        for (number, (target, event)) in put_off.into_iter().enumerate() {
            let Some(message) = self.stack.event(event).message else { continue };
            let m = &self.parameters(target, event)[message as usize].name;
            let (p, name) = (&self.prefix, self.event_name(target, event));
            code.line(format!("if (e->what == {number}u) {{ {p}_drop(pool, e->with.{name}.{m}.bytes); }}"));
        }
        match code.is_empty() {
            true => String::new(),
            false => self.of_texts(DISCARD, "waiting", &[("events", code.inner_text())]),
        }
    }
}
