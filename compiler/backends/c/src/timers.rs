//! `tick` and `deadline`: the timer that is due first.

use nacre_stack::*;

use crate::code::Code;
use crate::names::comment;
use crate::plan::Item;
use crate::types::window_slots;
use crate::writer::Writer;

const TIMERS: &str = include_str!("support/timers.c");

impl Writer<'_> {
    /// Timers in the order in which they fire when they are due at the same time.
    pub fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.stack.timers.len()).collect();
        order.sort_by_key(|i| (self.stack.timers[*i].layer, *i));
        order
    }

    /// Returns the functions that find the earliest deadline and run the timer that is due.
    pub fn timers(&mut self) -> Code {
        let stack = self.stack;
        let depth = |t: &Timer| t.path.iter().filter(|s| **s == TimerStep::Each).count();
        let most = stack.timers.iter().map(depth).max().unwrap_or(0).max(1);
        let mut soonest = Code::new(0);
        for index in self.in_order() {
            let timer = &stack.timers[index];
            soonest.line(comment(&timer.name));
            self.scan_timer(timer, &mut soonest, &|text, indices, code| {
                code.open(format!("if ({text} - 1u < due->deadline) {{"));
                code.line(format!("due->deadline = {text} - 1u;"));
                code.line(format!("due->timer = {index};"));
                for (i, at) in indices.iter().enumerate() {
                    code.line(format!("due->index[{i}] = {at};"));
                }
                code.close("}");
            });
        }
        let waits = if self.put_off.is_empty() { "" } else { "if (s->waiting.len != 0) { return 0; }" };
        let words = [("depth", most.to_string()), ("timers", soonest.inner_text()), ("waits", waits.to_string())];
        let mut code = Code::new(0);
        code.raw(&self.of_texts(TIMERS, "soonest", &words));
        code.line("");
        self.tick(&mut code);
        code.line("");
        code.raw(&self.of_texts(TIMERS, "deadline", &words));
        code
    }

    /// Writes code that visits each timer of a family in the state.
    pub fn scan_timer(&self, timer: &Timer, code: &mut Code, found: &dyn Fn(&str, &[String], &mut Code)) {
        let text = format!("s->{}.{}", self.layer_names[timer.layer.index()], self.cell_names[timer.cell.index()]);
        self.scan(&timer.path, &self.stack.cell(timer.cell).ty, text, &mut vec![], code, found);
    }

    /// Writes code that visits each timer of a family; `found` writes the code for one, given its text and indices.
    fn scan(
        &self,
        path: &[TimerStep],
        ty: &Type,
        text: String,
        indices: &mut Vec<String>,
        code: &mut Code,
        found: &dyn Fn(&str, &[String], &mut Code),
    ) {
        let p = &self.prefix;
        let Some((step, rest)) = path.split_first() else { return found(&text, indices, code) };
        let i = format!("i{}", indices.len());
        let loops = |code: &mut Code, n: String| code.open(format!("for (uint32_t {i} = 0; {i} < {n}; {i}++) {{"));
        match (step, ty) {
            (TimerStep::Field(f), _) => {
                let inner = self.part(ty, *f);
                self.scan(rest, &inner, format!("{text}.{}", self.member(ty, *f)), indices, code, found);
            }
            (TimerStep::Each, Type::Option(t)) => {
                code.open(format!("if ({text}.some) {{"));
                self.scan(rest, t, format!("{text}.value"), indices, code, found);
                code.close("}");
            }
            (TimerStep::Each, Type::Window(t, n, bits)) => {
                let span = crate::places::distance(&format!("{text}.high"), &format!("{text}.low"), *bits);
                loops(code, span);
                let number = format!("((uint64_t){text}.low + {i}) & {}", crate::types::mask_constant(*bits as u32));
                code.line(format!("const uint64_t n{i} = {number};"));
                let slot = format!("n{i} & {}u", window_slots(*n) - 1);
                code.line(format!("if ({p}_has({text}.missing, (uint32_t)({slot}))) {{ continue; }}"));
                indices.push(format!("n{i}"));
                self.scan(rest, t, format!("{text}.at[{slot}]"), indices, code, found);
                indices.pop();
                code.close("}");
            }
            (TimerStep::Each, ty) => {
                let (n, t) = match ty {
                    Type::Array(t, n) | Type::Pool(t, n) | Type::Map(_, t, n) => (format!("{n}u"), t),
                    Type::Ring(t, _) | Type::List(t, _) => (format!("{text}.len"), t),
                    other => unreachable!("{other:?} has no timers"),
                };
                loops(code, n);
                if let Type::Pool(..) | Type::Map(..) = ty {
                    code.line(format!("if (!{p}_has({text}.used, {i})) {{ continue; }}"));
                }
                let (_, place) = self.entry(&text, ty, &i);
                indices.push(i.clone());
                self.scan(rest, t, place, indices, code, found);
                indices.pop();
                code.close("}");
            }
        }
    }

    fn part(&self, ty: &Type, field: u32) -> Type {
        match ty {
            Type::Struct(id) => self.stack.structs[id.index()].fields[field as usize].ty.clone(),
            Type::Tuple(types) => types[field as usize].clone(),
            _ => ty.clone(),
        }
    }

    fn tick(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        let stack = self.stack;
        code.open(format!(
            "int {p}_tick(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now, \
            struct nacre_out *out) {{"
        ));
        code.line(format!("struct {p}_due due = {{.timer = 0}};"));
        code.line(format!("if (!{p}_room(out)) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
        code.line(format!("{p}_soonest(s, &due);"));
        let waits = if self.put_off.is_empty() { "" } else { "s->waiting.len == 0 && " };
        code.line(format!(
            "if ({waits}(due.deadline == NACRE_NEVER || due.deadline > now)) {{ return {p}_nothing(out, \
            NACRE_IDLE); }}"
        ));
        let need = stack.bounds.timer;
        if need.extra > 0 {
            code.open(format!("if ({p}_lacks(pool, {}u)) {{", need.extra));
            code.line(format!("counters[{p}_NO_SPACE]++;"));
            code.line(format!("return {p}_nothing(out, NACRE_NO_SPACE);"));
            code.close("}");
        }
        self.begin(code, None);
        if !self.put_off.is_empty() {
            code.open("if (s->waiting.len != 0) {");
            code.line(format!("struct {p}_waiting e = s->waiting.at[s->waiting.head];"));
            code.line(format!("s->waiting.head = (s->waiting.head + 1u) % {p}_WAITING;"));
            code.line("s->waiting.len--;");
            let events: Vec<_> = self.put_off.iter().copied().collect();
            self.dispatch(&events, code);
            code.line(format!("{p}_finish(step);"));
            code.line("return NACRE_OK;");
            code.close("}");
        }
        self.fire_due(code);
    }

    /// The end of a function: fires the timer that `due` names, and ends the step.
    pub fn fire_due(&mut self, code: &mut Code) {
        code.open("switch (due.timer) {");
        for index in self.in_order() {
            self.fire(index, code);
        }
        code.line("default: break;");
        code.close("}");
        code.line(format!("{}_finish(step);", self.prefix));
        code.line("return NACRE_OK;");
        code.close("}");
    }

    /// A case of a switch: fires the timer that `due` names.
    fn fire(&mut self, index: usize, code: &mut Code) {
        let stack = self.stack;
        let timer = &stack.timers[index];
        let handler = stack.handler(timer.handler);
        let mut text = format!("s->{}.{}", self.layer_names[timer.layer.index()], self.cell_names[timer.cell.index()]);
        let mut ty = stack.cell(timer.cell).ty.clone();
        let mut each = 0;
        for step in &timer.path {
            (text, ty) = match (step, &ty) {
                (TimerStep::Field(f), _) => (format!("{text}.{}", self.member(&ty, *f)), self.part(&ty, *f)),
                (TimerStep::Each, Type::Option(t)) => (format!("{text}.value"), (**t).clone()),
                (TimerStep::Each, _) => {
                    let (_, place) = self.entry(&text, &ty, &format!("due.index[{each}]"));
                    each += 1;
                    let inner = match &ty {
                        Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) => (**t).clone(),
                        Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _) => (**t).clone(),
                        other => other.clone(),
                    };
                    (place, inner)
                }
            };
        }
        let mut texts = vec![];
        for (i, local) in handler.parameters.iter().enumerate() {
            let c_type = self.c_type(&handler.locals[local.index()].ty, timer.layer.index());
            texts.push(format!("({c_type})due.index[{i}]"));
        }
        let handler = self.ask(Item::Handler(timer.handler), false);
        code.open(format!("case {index}: /* {} */", timer.name));
        code.line(format!("{text} = 0;"));
        code.line(format!("{};", self.call_step(&handler, &texts)));
        code.line("break;");
        code.close("");
    }
}
