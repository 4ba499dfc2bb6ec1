//! The source for checkers, which includes the stack's own: the state without the parts that checkers erase, and timers
//! that fire regardless of their deadlines.

use nacre_analysis::timing;
use nacre_stack::*;

use crate::canonical::Telling;
use crate::code::Code;
use crate::writer::Writer;

const INTERFACE: &str = include_str!("nacre_check.h");

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
        code.open(format!("static bool {p}_busy(const struct {p}_state *s) {{"));
        if self.put_off.is_empty() {
            code.line("(void)s;");
            code.line("return false;");
        } else {
            code.line("return s->waiting.len != 0;");
        }
        code.close("}");
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
        let p = self.prefix.clone();
        let stack = self.stack;
        code.line("/* Whether one stands before another: by layer from the bottom, declaration, indices. */");
        code.open(format!(
            "{p}_PLAIN bool {p}_before(const struct {p}_due *a, const struct {p}_due *b, const uint32_t *rank) {{"
        ));
        code.line("if (b->deadline == NACRE_NEVER) { return true; }");
        code.line("if (rank[a->timer] != rank[b->timer]) { return rank[a->timer] < rank[b->timer]; }");
        code.open("for (size_t i = 0; i < sizeof a->index / sizeof a->index[0]; i++) {");
        code.line("if (a->index[i] != b->index[i]) { return a->index[i] < b->index[i]; }");
        code.close("}");
        code.line("return false;");
        code.close("}");
        code.line("");
        code.line("/* The first of those behind `after` (NULL: of all); none: deadline NACRE_NEVER. */");
        code.open(format!(
            "static void {p}_next_armed(const struct {p}_state *s, const struct {p}_due *after, struct {p}_due *found) {{"
        ));
        let order = self.in_order();
        let rank = |timer: usize| order.iter().position(|t| *t == timer).unwrap_or(0).to_string();
        let ranks: Vec<String> = (0..stack.timers.len().max(1)).map(rank).collect();
        code.line(format!("static const uint32_t rank[] = {{{}}};", ranks.join(", ")));
        for name in ["s", "after", "rank"] {
            code.line(format!("(void){name};"));
        }
        code.line(format!("*found = (struct {p}_due){{.deadline = NACRE_NEVER}};"));
        for index in order.iter().copied() {
            let timer = &stack.timers[index];
            let layer = timer.layer.index();
            let text = format!("s->{}.{}", self.layer_names[layer], self.cell_names[timer.cell.index()]);
            let ty = stack.cell(timer.cell).ty.clone();
            code.line(format!("/* {} */", timer.name));
            self.scan(&timer.path, &ty, text, &mut vec![], code, &|text, indices, code| {
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
        code.close("}");
        code.line("");
    }

    fn armed(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        let stack = self.stack;
        code.open(format!("static uint32_t {p}_armed(const struct {p}_state *s) {{"));
        code.line("uint32_t n = 0;");
        code.line("(void)s;");
        for timer in &stack.timers {
            let layer = timer.layer.index();
            let text = format!("s->{}.{}", self.layer_names[layer], self.cell_names[timer.cell.index()]);
            let ty = stack.cell(timer.cell).ty.clone();
            let count = |text: &str, _: &[String], code: &mut Code| code.line(format!("n += {text} != 0;"));
            self.scan(&timer.path, &ty, text, &mut vec![], code, &count);
        }
        code.line("return n;");
        code.close("}");
        code.line("");
    }

    fn fire_any(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        code.open(format!("static int {p}_fire(struct {p}_state *s, struct {p}_pool *pool, uint64_t *counters, uint64_t now, uint32_t place, struct nacre_out *out) {{"));
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
            code.open(format!("if (!{p}_space(pool, 0, {}u, 0)) {{", need.extra));
            code.line(format!("counters[{p}_NO_SPACE]++;"));
            code.line(format!("return {p}_nothing(out, NACRE_NO_SPACE);"));
            code.close("}");
        }
        self.begin(code, None);
        code.open("switch (due.timer) {");
        for index in self.in_order() {
            self.fire(index, code);
        }
        code.line("default: break;");
        code.close("}");
        code.line(format!("{p}_finish(step);"));
        code.line("return NACRE_OK;");
        code.close("}");
        code.line("");
    }

    fn checking(&mut self, code: &mut Code) {
        let p = self.prefix.clone();
        let mut adapter = |result: &str, name: &str, parameters: &str, arguments: &str| {
            code.line(format!("static {result} {p}_any_{name}({parameters}) {{ return {p}_{name}({arguments}); }}"));
        };
        adapter("uint32_t", "shown", "const void *s, const void *pool, uint8_t *to, uint32_t max", "s, pool, to, max");
        adapter("bool", "busy", "const void *s", "s");
        adapter("uint32_t", "armed", "const void *s", "s");
        let with = "void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t place, struct nacre_out *out";
        let opening = "void *s, void *pool, uint64_t *counters, const void *config, uint64_t first, uint64_t seed, uint64_t now, struct nacre_out *out";
        adapter("int", "open_at", opening, "s, pool, counters, config, first, seed, now, out");
        adapter("int", "fire", with, "s, pool, counters, now, place, out");
        code.line("");
        code.line(format!("extern const struct nacre_check {p}_check;"));
        code.open(format!("const struct nacre_check {p}_check = {{"));
        code.line(format!(".stack = &{p}_stack,"));
        code.line(format!(".broken = {},", self.counter_name(builtin::BROKEN)));
        code.line(format!(".bound = {},", self.counter_name(builtin::BOUND)));
        for name in ["open_at", "shown", "busy", "armed", "fire"] {
            code.line(format!(".{name} = {p}_any_{name},"));
        }
        code.close("};");
    }
}
