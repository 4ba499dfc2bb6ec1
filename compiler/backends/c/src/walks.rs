//! Walks over containers.

use nacre_stack::*;

use crate::body::Body;
use crate::places::distance;
use crate::types::{set_words, window_slots};

impl<'a> Body<'_, 'a> {
    /// A loop over the entries of a container.
    pub fn each(&mut self, walk: &Walk, bound: u32, body: &'a [Statement]) {
        let p = self.w.prefix.clone();
        let ty = walk.over.ty.clone();
        let found = self.place(&walk.over);
        let mut text = found.text.clone();
        if walk.drain || matches!(ty, Type::Bits(_)) {
            let c_type = self.c_type(&ty);
            text = self.bind(&c_type, "all", &text);
            if walk.drain {
                self.code.line(format!("memset(&{0}, 0, sizeof {0});", found.text));
            }
        }
        let count = self.fresh("count");
        let i = self.fresh("i");
        let (head, there, entry) = self.walk_head(walk, &ty, &text, &i);
        self.code.line(format!("uint32_t {count} = 0;"));
        self.code.open(head);
        if let Some(there) = there {
            self.code.line(format!("if (!({there})) {{ continue; }}"));
        }
        self.code.open(format!("if ({p}_UNLIKELY({count}++ == {bound}u)) {{"));
        self.code.line(format!("step->counters[{p}_BOUND]++;"));
        self.code.line("break;");
        self.code.close("}");
        if let Some(local) = walk.index {
            let scalar = self.scalar_of(&self.locals[local.index()].ty.clone());
            let value = self.narrowed(i.clone(), scalar);
            self.set_in_loop(local, &value);
        }
        if let (Some(local), Type::Map(..)) = (walk.key, &ty) {
            self.set_in_loop(local, &format!("{text}.key[{i}]"));
        }
        if let Some(local) = walk.value {
            let value = match &ty {
                Type::Bits(_) => {
                    let scalar = self.scalar_of(&self.locals[local.index()].ty.clone());
                    self.narrowed(i.clone(), scalar)
                }
                _ => entry,
            };
            self.set_in_loop(local, &value);
        }
        let drains = walk.drain && self.w.stack.has_message(&ty);
        if drains {
            self.take_from_copy(&ty, &text, &i);
            let clear = self.w.drop_of(&ty, self.layer, &text);
            self.draining.extend(clear);
        }
        self.loop_body(body);
        self.code.close("}");
        if drains {
            let clear = self.draining.pop();
            self.code.add_lines(clear);
        }
        self.code.line(format!("(void){count};"));
    }

    /// An entry of a copy that is drained is the body's now.
    fn take_from_copy(&mut self, ty: &Type, text: &str, i: &str) {
        let p = self.w.prefix.clone();
        match ty {
            Type::Pool(..) | Type::Map(..) => self.code.line(format!("{p}_unmark({text}.used, (uint32_t){i});")),
            Type::Window(_, n, _) => {
                self.code.line(format!("{p}_mark({text}.missing, (uint32_t){i} & {}u);", window_slots(*n) - 1))
            }
            _ => {
                let (_, place) = self.w.entry(text, ty, i);
                self.code.line(format!("memset(&{place}, 0, sizeof {place});"));
            }
        }
    }

    /// The head of the loop, the condition under which an entry is there, and the entry.
    fn walk_head(&mut self, walk: &Walk, ty: &Type, text: &str, i: &str) -> (String, Option<String>, String) {
        let p = self.w.prefix.clone();
        let up_to = |n: &str| format!("for (uint32_t {i} = 0; {i} < {n}; {i}++) {{");
        match ty {
            Type::Window(_, _, bits) => {
                let number = self.c_type(&Type::Seq(*bits));
                let span = distance(&format!("{text}.high"), &format!("{text}.low"), *bits);
                let clamp = |body: &mut Self, e: &Expr| {
                    let value = body.wide(e);
                    let at = body.bind("const int64_t", "offset", &format!("{p}_sign({value} - {text}.low, {bits}u)"));
                    format!("({at} < 0 ? 0 : (uint64_t){at} > {span} ? {span} : (uint64_t){at})")
                };
                let from = match &walk.from {
                    Some(e) => clamp(self, e),
                    None => "0".into(),
                };
                let to = match &walk.to {
                    Some(e) => clamp(self, e),
                    None => span.clone(),
                };
                let low = self.bind(&format!("const {number}"), "low", &format!("{text}.low"));
                let from = self.bind("uint64_t", "from", &from);
                let to = self.bind("const uint64_t", "to", &to);
                let scalar = self.scalar_of(&Type::Seq(*bits));
                let of = self.narrowed(format!("({low} + {from})"), scalar);
                self.code.line(format!("{number} {i} = {of};"));
                let head = format!("for (; {from} < {to}; {from}++, {i} = {of}) {{");
                let (there, entry) = self.w.entry(text, ty, i);
                (head, Some(there), entry)
            }
            Type::Pool(_, n) | Type::Map(_, _, n) => {
                (up_to(&format!("{n}u")), Some(format!("{p}_has({text}.used, {i})")), format!("{text}.at[{i}]"))
            }
            Type::Bits(n) => {
                let there = match set_words(ty) {
                    Some(_) => format!("{p}_has({text}.word, {i})"),
                    None => format!("(uint64_t){text} >> {i} & 1u"),
                };
                (up_to(&format!("{n}u")), Some(there), String::new())
            }
            Type::Array(_, n) | Type::Bytes(n) => (up_to(&format!("{n}u")), None, format!("{text}.at[{i}]")),
            Type::Ring(_, n) => (up_to(&format!("{text}.len")), None, format!("{text}.at[({text}.head + {i}) % {n}u]")),
            _ => (up_to(&format!("{text}.len")), None, format!("{text}.at[{i}]")),
        }
    }
}
