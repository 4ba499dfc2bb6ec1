//! `canonical`: the state as bytes that tests compare. docs/c-interface.md says which. The same for checkers, without what
//! they erase, is [`crate::check`]'s.

use nacre_stack::*;

use crate::code::Code;
use crate::places::distance;
use crate::types::{window_slots, Scalar};
use crate::writer::Writer;

/// Which bytes are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    #[default]
    Whole,
    /// Timers are armed or not, and nothing more; `times`: durations and instants take no bytes.
    Abstract { times: bool },
}

impl Writer<'_> {
    /// A statement that tells a value; `t` is the teller.
    fn tell(&mut self, ty: &Type, layer: usize, text: &str) -> String {
        let p = self.prefix.clone();
        match (self.scalar(ty), ty) {
            (Some(_), Type::Timer) if self.telling != Telling::Whole => format!("{p}_tell(t, {text} != 0, 1);"),
            (Some(_), Type::Duration | Type::Instant) if self.telling == (Telling::Abstract { times: true }) => {
                String::new()
            }
            (Some(_), Type::Timer) => format!("{p}_tell(t, {text} - 1u, 8);"),
            (Some(Scalar::Unsigned { c: 64, .. }), _) => format!("{p}_tell(t, {text}, 8);"),
            (Some(_), _) => format!("{p}_tell(t, (uint64_t){text}, 8);"),
            _ => {
                // What a message carries may be seen.
                let telling = self.telling;
                if *ty == Type::Msg {
                    self.telling = Telling::Whole;
                }
                let word = if self.telling == Telling::Whole { "tell" } else { "show" };
                let name = self.helper(self.helper_name(word, ty, layer), |w, name| w.write_tell(ty, layer, name));
                self.telling = telling;
                format!("{name}(t, &{text});")
            }
        }
    }

    fn write_tell(&mut self, ty: &Type, layer: usize, name: &str) -> Code {
        let p = self.prefix.clone();
        let c_type = self.c_type(ty, layer);
        let mut code = Code::new(0);
        code.open(format!("static void {name}(struct {p}_teller *t, const {c_type} *v) {{"));
        if self.telling != Telling::Whole {
            code.line("(void)t;");
            code.line("(void)v;");
        }
        match ty {
            Type::Msg => {
                code.line(format!("{p}_tell_message(t, v->bytes, v->data);"));
                self.tell_headers(layer + 1, &mut code);
            }
            Type::Struct(_) | Type::Tuple(_) => {
                let types: Vec<Type> = match ty {
                    Type::Tuple(types) => types.clone(),
                    Type::Struct(id) => self.stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect(),
                    _ => vec![],
                };
                for (i, t) in types.iter().enumerate() {
                    let line = self.tell(t, layer, &format!("v->{}", self.member(ty, i as u32)));
                    code.line(line);
                }
                if types.is_empty() && self.telling == Telling::Whole {
                    code.line("(void)t;");
                    code.line("(void)v;");
                }
            }
            Type::Option(t) => {
                let line = self.tell(t, layer, "v->value");
                code.line(format!("{p}_tell(t, v->some, 1);"));
                code.line(format!("if (v->some) {{ {line} }}"));
            }
            Type::Bits(n) => code
                .line(format!("for (uint32_t i = 0; i < {}u; i++) {{ {p}_tell(t, v->word[i], 8); }}", n.div_ceil(64))),
            Type::Bytes(n) => code.line(format!("{p}_tell_bytes(t, v->at, {n});")),
            Type::Text(_) => {
                code.line(format!("{p}_tell(t, v->len, 4);"));
                code.line(format!("{p}_tell_bytes(t, v->at, v->len);"));
            }
            Type::Addr => {
                code.line(format!("{p}_tell_bytes(t, v->ip, 16);"));
                code.line(format!("{p}_tell(t, v->port, 2);"));
                code.line(format!("{p}_tell(t, v->family, 2);"));
            }
            Type::Array(t, n) => {
                let line = self.tell(t, layer, "v->at[i]");
                code.line(format!("for (uint32_t i = 0; i < {n}u; i++) {{ {line} }}"));
            }
            Type::Ring(t, _) | Type::List(t, _) => {
                let (_, place) = self.entry("(*v)", ty, "i");
                let line = self.tell(t, layer, &place);
                code.line(format!("{p}_tell(t, v->len, 4);"));
                code.line(format!("for (uint32_t i = 0; i < v->len; i++) {{ {line} }}"));
            }
            Type::Window(t, n, bits) => {
                let slot = format!("((uint32_t)(v->low + i) & {}u)", window_slots(*n) - 1);
                let line = self.tell(t, layer, &format!("v->at[{slot}]"));
                for member in ["low", "next", "high", "reported"] {
                    code.line(format!("{p}_tell(t, v->{member}, 8);"));
                }
                code.open(format!("for (uint32_t i = 0; i < {}; i++) {{", distance("v->high", "v->low", *bits)));
                code.line(format!("{p}_tell(t, {p}_has(v->used, {slot}), 1);"));
                code.line(format!("if ({p}_has(v->used, {slot})) {{ {line} }}"));
                code.close("}");
            }
            Type::Pool(t, n) | Type::Map(_, t, n) => {
                let value = self.tell(t, layer, "v->at[i]");
                let key = match ty {
                    Type::Map(k, _, _) => self.tell(k, layer, "v->key[i]"),
                    _ => String::new(),
                };
                code.open(format!("for (uint32_t i = 0; i < {n}u; i++) {{"));
                code.line(format!("{p}_tell(t, {p}_has(v->used, i), 1);"));
                code.line(format!("if (!{p}_has(v->used, i)) {{ continue; }}"));
                if !key.is_empty() {
                    code.line(key);
                }
                code.line(value);
                code.close("}");
            }
            other => unreachable!("{other:?} is told as a number"),
        }
        code.close("}");
        code
    }

    /// For each layer, the header that it has put on.
    fn tell_headers(&mut self, level: usize, code: &mut Code) {
        let p = self.prefix.clone();
        let with: Vec<usize> = self.slot_layers(level);
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
                    let line = self.tell(&field.ty, layer, &text);
                    code.line(line);
                }
                code.line("break;");
                code.close("");
            }
            code.line(format!("default: {p}_tell(t, 0, 4); break;"));
            code.close("}");
        }
    }

    pub fn canonical(&mut self) -> Code {
        self.teller("", "canonical")
    }

    /// The function that tells the state, by its name.
    pub fn teller(&mut self, word: &str, name: &str) -> Code {
        let p = self.prefix.clone();
        let stack = self.stack;
        let whole = self.telling == Telling::Whole;
        let mut code = Code::new(0);
        code.open(format!(
            "{word}uint32_t {p}_{name}(const struct {p}_state *s, const struct {p}_pool *pool, \
             uint8_t *to, uint32_t max) {{"
        ));
        code.line(format!("struct {p}_step step;"));
        code.line("memset(&step, 0, sizeof step);");
        code.line(format!("step.pool = (struct {p}_pool *)(uintptr_t)pool;"));
        code.line(format!(
            "struct {p}_teller teller = {{.step = &step, .to = to, .max = max, .len = 0}}, *t = &teller;"
        ));
        for (index, cell) in stack.cells.iter().enumerate() {
            let drawn = stack.layer(cell.layer).random == Some(CellId(index as u32));
            if cell.scope != Scope::Given && (whole || !drawn) {
                let layer = cell.layer.index();
                let line =
                    self.tell(&cell.ty, layer, &format!("s->{}.{}", self.layer_names[layer], self.cell_names[index]));
                code.line(line);
            }
        }
        for (index, layer) in stack.layers.iter().enumerate() {
            if let Some(cell) = layer.random.filter(|_| whole) {
                code.line(format!("{p}_tell(t, s->{}.{}, 8);", self.layer_names[index], self.cell_names[cell.index()]));
            }
        }
        self.telling = Telling::Whole;
        if self.put_off.is_empty() {
            code.line(format!("{p}_tell(t, 0, 4);"));
        } else {
            self.tell_waiting(&mut code);
        }
        if !whole || (stack.cells.iter().all(|c| c.scope == Scope::Given) && self.put_off.is_empty()) {
            code.line("(void)s;");
        }
        code.line("return teller.len;");
        code.close("}");
        code
    }

    fn tell_waiting(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        let events: Vec<(Target, EventId)> = self.put_off.iter().copied().collect();
        code.line(format!("{p}_tell(t, s->waiting.len, 4);"));
        code.open("for (uint32_t i = 0; i < s->waiting.len; i++) {");
        code.line(format!("const struct {p}_waiting *e = &s->waiting.at[(s->waiting.head + i) % {p}_WAITING];"));
        code.open("switch (e->what) {");
        for (number, (target, event)) in events.into_iter().enumerate() {
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
                    (Type::Msg, 0) => {
                        let name = self.helper(format!("{p}_tell_whole_message"), |w, name| {
                            let c_type = w.message_type(0);
                            let mut code = Code::new(0);
                            code.open(format!("static void {name}(struct {p}_teller *t, const {c_type} *v) {{"));
                            code.line(format!("{p}_tell_message(t, v->bytes, v->data);"));
                            w.tell_headers(0, &mut code);
                            code.close("}");
                            code
                        });
                        format!("{name}(t, &{text});")
                    }
                    (Type::Msg, level) => self.tell(&Type::Msg, level - 1, &text),
                    (ty, _) => self.tell(ty, 0, &text),
                };
                code.line(line);
            }
            code.line("break;");
            code.close("");
        }
        code.line("default: break;");
        code.close("}");
        code.close("}");
    }
}
