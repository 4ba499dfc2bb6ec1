//! The source for checkers, which includes the stack's own: the state without the parts that checkers erase, and timers
//! that fire regardless of their deadlines.

use nacre_analysis::timing;
use nacre_stack::*;

use crate::code::Code;
use crate::names::comment;
use crate::telling::Telling;
use crate::writer::Writer;

const INTERFACE: &str = include_str!("nacre_check.h");
const CHECK: &str = include_str!("support/check.c");

impl Writer<'_> {
    /// After [`Writer::write`]: all that the stack's source has is known.
    pub fn check(&mut self) -> String {
        let p = self.prefix.clone();
        self.telling = Telling::Abstract { times: timing::erasure(self.stack).is_empty() };
        let shown = self.teller("static ", "shown");
        let helpers = std::mem::take(&mut self.helpers);
        let mut code = Code::new(0);
        helpers.iter().for_each(|(_, helper)| code.add(helper));
        code.add(&shown);
        code.line("");
        let busy = if self.put_off.is_empty() { "false" } else { "s->waiting.len != 0" };
        code.raw(&self.of_texts(CHECK, "busy", &[("busy", busy.into())]));
        code.line("");
        self.next_armed(&mut code);
        self.armed(&mut code);
        self.fire_any(&mut code);
        // As `open` itself was written: what it calls is there.
        self.leave_items();
        let open = self.open_function(true);
        code.add(&open);
        code.line("");
        self.checking(&mut code);
        assert!(!self.is_asked(), "the source for checkers calls what the stack's source has");
        format!("{}#include \"{p}.c\"\n\n{INTERFACE}\n{}", self.head_comment(), code.text())
    }

    /// The armed timer that follows another, by layer, declaration and indices: unlike the order in which they are due,
    /// that is the same in states that differ in times alone.
    fn next_armed(&mut self, code: &mut Code) {
        let (p, stack) = (self.prefix.clone(), self.stack);
        let order = self.in_order();
        let rank = |timer: usize| order.iter().position(|t| *t == timer).unwrap_or(0).to_string();
        let ranks: Vec<String> = (0..stack.timers.len().max(1)).map(rank).collect();
        let mut timers = Code::new(0);
        for index in order.iter().copied() {
            let timer = &stack.timers[index];
            timers.line(comment(&timer.name));
            self.scan_timer(timer, &mut timers, &|text, indices, code| {
                let at: Vec<String> =
                    indices.iter().enumerate().map(|(i, at)| format!(", .index[{i}] = {at}")).collect();
                code.open(format!("if ({text} != 0) {{"));
                let members = format!(".deadline = {text} - 1u, .timer = {index}{}", at.concat());
                code.line(format!("struct {p}_due due = {{{members}}};"));
                let behind = format!("after == NULL || {p}_before(after, &due, rank)");
                code.line(format!("if (({behind}) && {p}_before(&due, found, rank)) {{ *found = due; }}"));
                code.close("}");
            });
        }
        code.raw(&self.of_texts(CHECK, "next_armed", &[("ranks", ranks.join(", ")), ("timers", timers.inner_text())]));
        code.line("");
    }

    fn armed(&mut self, code: &mut Code) {
        let mut timers = Code::new(0);
        for timer in &self.stack.timers {
            self.scan_timer(timer, &mut timers, &|text, _, code| code.line(format!("n += {text} != 0;")));
        }
        code.raw(&self.of_texts(CHECK, "armed", &[("timers", timers.inner_text())]));
        code.line("");
    }

    fn fire_any(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        code.open(format!(
            "static int {p}_fire(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, \
            uint64_t now, uint32_t place, struct nacre_out *out) {{"
        ));
        code.line(format!("if (!{p}_room(out)) {{ return {p}_nothing(out, NACRE_INVALID); }}"));
        code.line(format!("if ({p}_busy(s)) {{ return {p}_nothing(out, NACRE_BUSY); }}"));
        code.line(format!("struct {p}_due due, before;"));
        code.line(format!("{p}_next_armed(s, NULL, &due);"));
        code.open("for (uint32_t i = 0; i < place && due.deadline != NACRE_NEVER; i++) {");
        code.line("before = due;");
        code.line(format!("{p}_next_armed(s, &before, &due);"));
        code.close("}");
        code.line(format!("if (due.deadline == NACRE_NEVER) {{ return {p}_nothing(out, NACRE_IDLE); }}"));
        let need = self.stack.bounds.timer;
        if need.extra > 0 {
            code.open(format!("if ({p}_lacks(pool, {}u)) {{", need.extra));
            code.line(format!("counters[{p}_NO_SPACE]++;"));
            code.line(format!("return {p}_nothing(out, NACRE_NO_SPACE);"));
            code.close("}");
        }
        self.begin(code, None);
        self.fire_due(code);
        code.line("");
    }

    fn checking(&mut self, code: &mut Code) {
        let words = [("broken", self.counter_name(builtin::BROKEN)), ("bound", self.counter_name(builtin::BOUND))];
        code.raw(&self.of_texts(CHECK, "interface", &words));
    }
}
