//! `canonical`: the state as bytes that tests compare, as docs/c-interface.md defines them. [`crate::check`] writes the
//! variant for checkers, which leaves out what they erase.

use nacre_stack::*;

use crate::code::Code;
use crate::instances::Instance;
use crate::lifetimes::shape;
use crate::telling::Telling;
use crate::template;
use crate::types::Scalar;
use crate::writer::Writer;

const TELL: &str = include_str!("support/tell.c");

impl Writer<'_> {
    /// Returns a statement that writes a value to the teller `t`; none: the value takes no bytes.
    pub fn tell(&mut self, ty: &Type, layer: usize, text: &str) -> Option<String> {
        let p = self.prefix.clone();
        Some(match (self.scalar(ty), ty) {
            (Some(_), Type::Timer) if self.telling != Telling::Whole => format!("{p}_tell(t, {text} != 0, 1);"),
            (Some(_), Type::Duration | Type::Instant) if self.telling == (Telling::Abstract { times: true }) => {
                return None
            }
            (Some(_), Type::Timer) => format!("{p}_tell(t, {text} - 1u, 8);"),
            (Some(Scalar::Unsigned { c: 64, .. }), _) => format!("{p}_tell(t, {text}, 8);"),
            (Some(_), _) => format!("{p}_tell(t, (uint64_t){text}, 8);"),
            _ => format!("{}(t, &{text});", self.tell_function(ty, layer)),
        })
    }

    fn tell_function(&mut self, ty: &Type, layer: usize) -> String {
        // The headers of a message may be observed.
        let telling = self.telling;
        if *ty == Type::Msg {
            self.telling = Telling::Whole;
        }
        let word = if self.telling == Telling::Whole { "tell" } else { "show" };
        let name = self.helper_name(word, ty, layer);
        let name = self.instance(name, &template::function(TELL, shape(ty)), Instance::new(ty, layer));
        self.telling = telling;
        name
    }

    /// Writes the members of a struct or tuple.
    pub fn tell_members(&mut self, ty: &Type, layer: usize, value: &str) -> String {
        let members = self.member_types(ty).into_iter().enumerate();
        let member = |i: usize| format!("{value}->{}", self.member(ty, i as u32));
        let members: Vec<(String, Type)> = members.map(|(i, t)| (member(i), t)).collect();
        let lines = members.into_iter().filter_map(|(member, t)| self.tell(&t, layer, &member));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Writes for each layer the header that it has pushed.
    pub fn tell_headers(&mut self, level: usize) -> String {
        let p = self.prefix.clone();
        let with: Vec<usize> = self.slot_layers(level);
        let mut code = Code::new(0);
        for layer in 0..self.stack.layers.len() {
            if !with.contains(&layer) {
                code.line(format!("{p}_tell(t, 0, 4);"));
                continue;
            }
            let tag = self.slots[layer].tag.clone();
            code.open(format!("switch (v->{tag}) {{"));
            for header in self.slots[layer].headers.clone() {
                let number = self.slots[layer].number(header);
                code.open(format!("case {number}:"));
                code.line(format!("{p}_tell(t, {}, 4);", header.0 + 1));
                for (i, field) in self.stack.header(header).fields.iter().enumerate() {
                    let text = format!("v->{}", self.slots[layer].place(header, i));
                    code.add_lines(self.tell(&field.ty, layer, &text));
                }
                code.line("break;");
                code.close("");
            }
            code.line(format!("default: {p}_tell(t, 0, 4); break;"));
            code.close("}");
        }
        code.inner_text()
    }

    /// Returns the C function that writes the canonical bytes of a state.
    pub fn canonical(&mut self) -> Code {
        self.teller("", "canonical")
    }

    /// The function of the given name that writes the state as bytes.
    pub fn teller(&mut self, linkage: &str, which: &str) -> Code {
        let cells = self.tell_cells();
        self.telling = Telling::Whole;
        let waiting = self.tell_waiting();
        let words = [("linkage", linkage.to_string()), ("which", which.into()), ("cells", cells), ("waiting", waiting)];
        Code::verbatim(&self.of_texts(TELL, "state", &words))
    }

    /// The cells, and then the generators.
    fn tell_cells(&mut self) -> String {
        let stack = self.stack;
        let whole = self.telling == Telling::Whole;
        let mut lines = vec![];
        for (index, cell) in stack.cells.iter().enumerate() {
            let drawn = stack.layer(cell.layer).random == Some(CellId(index as u32));
            if cell.scope != Scope::Given && (whole || !drawn) {
                let layer = cell.layer.index();
                let place = format!("s->{}.{}", self.layer_names[layer], self.cell_names[index]);
                lines.extend(self.tell(&cell.ty, layer, &place));
            }
        }
        for (index, layer) in stack.layers.iter().enumerate() {
            if let Some(cell) = layer.random.filter(|_| whole) {
                let place = format!("s->{}.{}", self.layer_names[index], self.cell_names[cell.index()]);
                lines.push(format!("{}_tell(t, {place}, 8);", self.prefix));
            }
        }
        lines.join("\n")
    }

    /// Writes the events in the ring of `later` events.
    fn tell_waiting(&mut self) -> String {
        if self.put_off.is_empty() {
            return format!("{}_tell(t, 0, 4);", self.prefix);
        }
        let events: Vec<(Target, EventId)> = self.put_off.iter().copied().collect();
        let mut code = Code::new(0);
        for (number, (target, event)) in events.into_iter().enumerate() {
            self.tell_event(number, target, event, &mut code);
        }
        let words = [("events", code.inner_text())];
        self.of_texts(TELL, "waiting", &words)
    }

    fn tell_event(&mut self, number: usize, target: Target, event: EventId, code: &mut Code) {
        let p = self.prefix.clone();
        let name = self.event_name(target, event);
        let tag = match target {
            Target::Layer(layer) => layer.0,
            Target::Port(port) => 0x8000_0000 | port.0,
        };
        code.open(format!("case {number}: /* {name} */"));
        code.line(format!("{p}_tell(t, {tag:#x}u, 4);"));
        code.line(format!("{p}_tell(t, {}u, 4);", event.0));
        let names: Vec<String> = self.parameters(target, event).into_iter().map(|p| p.name).collect();
        let level = self.level_at(target);
        for (parameter, member) in self.stack.event(event).parameters.iter().zip(names) {
            let text = format!("e->with.{name}.{member}");
            let line = match (&parameter.ty, level) {
                // The type of a message names the layer below.
                (Type::Msg, 0) => Some(format!("{}(t, &{text});", self.tell_whole_message())),
                (Type::Msg, level) => self.tell(&Type::Msg, level - 1, &text),
                (ty, _) => self.tell(ty, 0, &text),
            };
            code.add_lines(line);
        }
        code.line("break;");
        code.close("");
    }

    /// The function for a message with the headers of all layers.
    fn tell_whole_message(&mut self) -> String {
        let name = format!("{}_tell_whole_message", self.prefix);
        let words = [("name", name.clone()), ("type", self.message_type(0)), ("headers", self.tell_headers(0))];
        let text = self.of_texts(TELL, "message", &words);
        self.helper(name, |_, _| Code::verbatim(&text))
    }
}
