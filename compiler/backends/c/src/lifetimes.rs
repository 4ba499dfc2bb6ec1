//! Helpers that traverse a value: to release its messages, share them or copy them into the pool, or to compare two
//! values.

use nacre_stack::*;

use crate::calls::{Callee, Function, Parameter};
use crate::code::Code;
use crate::term::Term;
use crate::types::window_slots;
use crate::writer::Writer;

/// What is done to each message inside.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Drop,
    Share,
    Keep,
}

impl Writer<'_> {
    /// Returns a statement that releases the messages in a value.
    pub fn drop_of(&mut self, ty: &Type, layer: usize, value: &Term) -> String {
        self.act_on(Act::Drop, ty, layer, value, "step->pool")
    }
    /// The same where there is no step.
    pub fn drop_in(&mut self, ty: &Type, layer: usize, value: &Term) -> String {
        self.act_on(Act::Drop, ty, layer, value, "pool")
    }
    pub fn share_of(&mut self, ty: &Type, layer: usize, value: &Term) -> String {
        self.act_on(Act::Share, ty, layer, value, "step->pool")
    }
    /// Returns a statement that copies the messages in a value into the pool.
    pub fn keep_of(&mut self, ty: &Type, layer: usize, value: &Term) -> String {
        self.act_on(Act::Keep, ty, layer, value, "step")
    }

    fn act_on(&mut self, act: Act, ty: &Type, layer: usize, value: &Term, with: &str) -> String {
        let p = self.prefix.clone();
        if !self.stack.has_message(ty) {
            return String::new();
        }
        if *ty == Type::Msg {
            let bytes = value.member("bytes");
            return match act {
                Act::Drop => format!("{p}_drop({with}, {bytes});"),
                Act::Share => format!("{p}_share({with}, {bytes});"),
                Act::Keep => format!("{bytes} = {p}_keep({with}, {bytes});"),
            };
        }
        let word = match act {
            Act::Drop => "drop",
            Act::Share => "share",
            Act::Keep => "keep",
        };
        let name = self.helper_name(word, ty, layer);
        let address = value.address();
        let c_type = self.c_type(ty, layer);
        if act == Act::Keep {
            let function = Function::plain(name, vec![Parameter::pointer(format!("{c_type}"), "value")]);
            let keep = self.step_helper(function, |w, code| w.write_act(act, ty, layer, code));
            return format!("{};", self.call_step(&keep, &[address]));
        }
        let name = self.helper(name, |w, name| {
            let mut code = Code::new(0);
            code.open(format!("{p}_PLAIN void {name}(struct {p}_pool *pool, {c_type} *value) {{"));
            w.write_act(act, ty, layer, &mut code);
            code.close("}");
            code
        });
        format!("{name}({with}, {address});")
    }

    fn write_act(&mut self, act: Act, ty: &Type, layer: usize, code: &mut Code) {
        let p = self.prefix.clone();
        let who = if act == Act::Keep { "step" } else { "pool" };
        let on = |w: &mut Self, ty: &Type, text: &str| w.act_on(act, ty, layer, &Term::from(text), who);
        match ty {
            Type::Struct(id) => {
                for (i, field) in self.stack.structs[id.index()].fields.iter().enumerate() {
                    let member = self.member(ty, i as u32);
                    let line = on(self, &field.ty, &format!("value->{member}"));
                    if !line.is_empty() {
                        code.line(line);
                    }
                }
            }
            Type::Tuple(types) => {
                for (i, ty) in types.iter().enumerate() {
                    let line = on(self, ty, &format!("value->_{i}"));
                    if !line.is_empty() {
                        code.line(line);
                    }
                }
            }
            Type::Option(t) => {
                let line = on(self, t, "value->value");
                code.line(format!("if (value->some) {{ {line} }}"));
            }
            Type::Array(t, n) => {
                let line = on(self, t, "value->at[i]");
                code.line(format!("for (uint32_t i = 0; i < {n}u; i++) {{ {line} }}"));
            }
            Type::List(t, _) => {
                let line = on(self, t, "value->at[i]");
                code.line(format!("for (uint32_t i = 0; i < value->len; i++) {{ {line} }}"));
            }
            Type::Ring(t, n) => {
                let line = on(self, t, &format!("value->at[(value->head + i) % {n}u]"));
                code.line(format!("for (uint32_t i = 0; i < value->len; i++) {{ {line} }}"));
            }
            Type::Window(t, n, _) => {
                let line = on(self, t, "value->at[i]");
                let slots = crate::types::window_slots(*n);
                code.open(format!("for (uint32_t i = 0; i < {slots}u; i++) {{"));
                code.line(format!("if ({p}_has(value->used, i)) {{ {line} }}"));
                code.close("}");
            }
            Type::Pool(t, n) | Type::Map(_, t, n) => {
                let line = on(self, t, "value->at[i]");
                code.open(format!("for (uint32_t i = 0; i < {n}u; i++) {{"));
                code.line(format!("if ({p}_has(value->used, i)) {{ {line} }}"));
                code.close("}");
            }
            other => unreachable!("{other:?} holds no message"),
        }
    }

    /// The helper that says whether two values without messages are equal.
    pub fn same(&mut self, ty: &Type, layer: usize) -> String {
        let p = self.prefix.clone();
        self.helper(self.helper_name("same", ty, layer), |w, name| {
            let c_type = w.c_type(ty, layer);
            let mut code = Code::new(0);
            code.open(format!("{p}_PLAIN bool {name}(const {c_type} *a, const {c_type} *b) {{"));
            w.write_same(ty, layer, &mut code);
            code.close("}");
            code
        })
    }

    /// Whether two numbers or values at places are equal.
    pub fn same_text(&mut self, ty: &Type, layer: usize, a: &str, b: &str) -> String {
        match self.scalar(ty) {
            Some(_) => format!("{a} == {b}"),
            None => format!("{}(&{a}, &{b})", self.same(ty, layer)),
        }
    }

    fn write_same(&mut self, ty: &Type, layer: usize, code: &mut Code) {
        let parts = |w: &mut Self, types: Vec<Type>| {
            let all: Vec<String> = types
                .iter()
                .enumerate()
                .map(|(i, t)| {
                    let member = w.member(ty, i as u32);
                    w.same_text(t, layer, &format!("a->{member}"), &format!("b->{member}"))
                })
                .collect();
            if all.is_empty() {
                "a->nothing == b->nothing".to_string()
            } else {
                all.join(" && ")
            }
        };
        match ty {
            Type::Struct(id) => {
                let types = self.stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect();
                let all = parts(self, types);
                code.line(format!("return {all};"));
            }
            Type::Tuple(types) => {
                let all = parts(self, types.clone());
                code.line(format!("return {all};"));
            }
            Type::Option(t) => {
                let same = self.same_text(t, layer, "a->value", "b->value");
                code.line(format!("return a->some == b->some && (!a->some || ({same}));"));
            }
            Type::Bits(n) if *n > 512 => code.line("return memcmp(a->word, b->word, sizeof a->word) == 0;"),
            Type::Bits(n) => {
                let words: Vec<String> = (0..n.div_ceil(64)).map(|i| format!("a->word[{i}] == b->word[{i}]")).collect();
                code.line(format!("return {};", words.join(" && ")));
            }
            Type::Bytes(0) => code.line("return a == b || true;"),
            Type::Bytes(n) => code.line(format!("return memcmp(a->at, b->at, {n}) == 0;")),
            Type::Text(_) => code.line("return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;"),
            Type::Addr => {
                code.line("return memcmp(a->ip, b->ip, 16) == 0 && a->port == b->port && a->family == b->family;")
            }
            Type::Array(t, n) => {
                let same = self.same_text(t, layer, "a->at[i]", "b->at[i]");
                code.open(format!("for (uint32_t i = 0; i < {n}u; i++) {{"));
                code.line(format!("if (!({same})) {{ return false; }}"));
                code.close("}");
                code.line("return true;");
            }
            Type::List(t, _) | Type::Ring(t, _) => {
                let at = |x: &str| match ty {
                    Type::Ring(_, n) => format!("{x}->at[({x}->head + i) % {n}u]"),
                    _ => format!("{x}->at[i]"),
                };
                let same = self.same_text(t, layer, &at("a"), &at("b"));
                code.line("if (a->len != b->len) { return false; }");
                code.open("for (uint32_t i = 0; i < a->len; i++) {");
                code.line(format!("if (!({same})) {{ return false; }}"));
                code.close("}");
                code.line("return true;");
            }
            Type::Window(..) | Type::Pool(..) | Type::Map(..) => self.write_same_slots(ty, layer, code),
            other => unreachable!("{other:?} is not compared"),
        }
    }

    /// Containers with slots: equal if the same slots are used, with equal entries, and a window has the same numbers.
    fn write_same_slots(&mut self, ty: &Type, layer: usize, code: &mut Code) {
        let p = self.prefix.clone();
        let (n, mut parts) = match ty {
            Type::Map(k, t, n) => (*n, vec![("key", &**k), ("at", &**t)]),
            Type::Pool(t, n) => (*n, vec![("at", &**t)]),
            Type::Window(t, n, _) => {
                let numbers = ["low", "next", "high", "reported"].map(|name| format!("a->{name} != b->{name}"));
                code.line(format!("if ({}) {{ return false; }}", numbers.join(" || ")));
                (window_slots(*n), vec![("at", &**t)])
            }
            other => unreachable!("{other:?} has no slots"),
        };
        let same = parts
            .drain(..)
            .map(|(name, t)| self.same_text(t, layer, &format!("a->{name}[i]"), &format!("b->{name}[i]")));
        let same = same.collect::<Vec<_>>().join(" && ");
        code.line("if (memcmp(a->used, b->used, sizeof a->used) != 0) { return false; }");
        code.open(format!("for (uint32_t i = 0; i < {n}u; i++) {{"));
        code.line(format!("if ({p}_has(a->used, i) && !({same})) {{ return false; }}"));
        code.close("}");
        code.line("return true;");
    }

    /// The helper that orders two strings of bytes or addresses: below 0, 0, above.
    pub fn order(&mut self, ty: &Type, layer: usize) -> String {
        let p = self.prefix.clone();
        self.helper(self.helper_name("order", ty, layer), |w, name| {
            let c_type = w.c_type(ty, layer);
            let mut code = Code::new(0);
            code.open(format!("{p}_PLAIN int {name}(const {c_type} *a, const {c_type} *b) {{"));
            match ty {
                Type::Addr => {
                    code.line("int ip = memcmp(a->ip, b->ip, 16);");
                    code.line("if (ip != 0) { return ip; }");
                    code.line("if (a->port != b->port) { return a->port < b->port ? -1 : 1; }");
                    code.line("return a->family == b->family ? 0 : a->family < b->family ? -1 : 1;");
                }
                Type::Text(_) => {
                    code.line("int common = memcmp(a->at, b->at, a->len < b->len ? a->len : b->len);");
                    code.line("if (common != 0) { return common; }");
                    code.line("return a->len == b->len ? 0 : a->len < b->len ? -1 : 1;");
                }
                Type::Bytes(n) => code.line(format!("return memcmp(a->at, b->at, {n});")),
                other => unreachable!("{other:?} has no order"),
            }
            code.close("}");
            code
        })
    }

    /// Product and quotient of 128 bits.
    pub fn need_mul_div(&mut self) {
        let p = self.prefix.clone();
        let text = self.support(include_str!("support/mul_div.c"));
        self.helper(format!("{p}_mul_div"), |_, _| Code::verbatim(&text));
    }

    /// The helper that compares two views.
    pub fn same_view(&mut self) -> Callee {
        let p = self.prefix.clone();
        let parameters = ["a", "b"].map(|name| Parameter::new(format!("struct {p}_bytes"), name));
        let function = Function::plain(format!("{p}_same_view"), parameters.into());
        let function = Function { result: Some("bool".into()), reads_only: true, ..function };
        self.step_helper(function, |w, code| {
            code.line("if (a.len != b.len) { return false; }");
            code.open("for (uint32_t at = 0; at < a.len; at++) {");
            let [a, b] = ["a", "b"].map(|view| w.call_support("byte", &[view, "at"]));
            code.line(format!("if ({a} != {b}) {{ return false; }}"));
            code.close("}");
            code.line("return true;");
        })
    }
}
