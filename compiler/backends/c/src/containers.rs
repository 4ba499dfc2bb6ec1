//! Operations on containers. Those that add return the place for the new entry, or none; those that remove return the
//! place that still holds the entry.

use nacre_stack::*;

use crate::code::Code;
use crate::places::distance;
use crate::types::{mask_constant, window_slots};
use crate::writer::Writer;

impl Writer<'_> {
    /// `<prefix>_<what>_<type>`: a helper for a container type.
    pub fn container(&mut self, what: &str, ty: &Type, layer: usize) -> String {
        let what = what.to_string();
        self.helper(self.helper_name(&what, ty, layer), |w, name| match ty {
            Type::Window(t, n, bits) => w.window(&what, name, ty, t, *n, *bits, layer),
            Type::Map(k, t, n) => w.map(&what, name, ty, k, t, *n, layer),
            Type::Pool(t, n) => w.pool(&what, name, ty, t, *n, layer),
            Type::Ring(t, n) | Type::List(t, n) => w.row(&what, name, ty, t, *n, layer),
            other => unreachable!("{other:?} is no container"),
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn window(&mut self, what: &str, name: &str, ty: &Type, t: &Type, n: u32, bits: u8, layer: usize) -> Code {
        let p = self.prefix.clone();
        let c_type = self.c_type(ty, layer);
        let entry = self.c_type(t, layer);
        let number = self.c_type(&Type::Seq(bits), layer);
        let (last, mask) = (window_slots(n) - 1, mask_constant(bits as u32));
        let slot = |n: &str| format!("((uint32_t){n} & {last}u)");
        let span = |a: &str, b: &str| distance(a, b, bits);
        let next = |n: &str, by: &str| match bits {
            8 | 16 | 32 | 64 => format!("({number})({n} + {by})"),
            _ => format!("({number})(({n} + {by}) & {mask})"),
        };
        let holds = self.stack.has_message(t);
        let drop_low = {
            let drop = self.drop_in(t, layer, &format!("w->at[{}]", slot("w->low")).into());
            let slot = slot("w->low");
            let drop = if holds { format!("if ({p}_has(w->used, {slot})) {{ {drop} }} ") } else { String::new() };
            format!("{drop}{p}_unmark(w->used, {slot});")
        };
        let pool = format!("struct {p}_pool *pool, ");
        let mut code = Code::new(0);
        let inline = format!("{p}_INLINE");
        let plain = format!("{p}_PLAIN");
        match what {
            "push" => {
                code.open(format!("{inline} {entry} *{name}({c_type} *w, {number} *number) {{"));
                code.line(format!("if ({p}_UNLIKELY({} == {n}u)) {{ return NULL; }}", span("w->high", "w->low")));
                code.line("*number = w->high;");
                code.line(format!("w->high = {};", next("w->high", "1u")));
                code.line(format!("{p}_mark(w->used, {});", slot("*number")));
                code.line(format!("return &w->at[{}];", slot("*number")));
            }
            "put" => {
                code.open(format!("{inline} {entry} *{name}({c_type} *w, {number} n) {{"));
                code.line(format!(
                    "if ({} >= {n}u - {}) {{ return NULL; }}",
                    span("n", "w->next"),
                    span("w->next", "w->low")
                ));
                code.line(format!("if ({p}_has(w->used, {})) {{ return NULL; }}", slot("n")));
                code.line(format!(
                    "if ({} >= {}) {{ w->high = {}; }}",
                    span("n", "w->low"),
                    span("w->high", "w->low"),
                    next("n", "1u")
                ));
                code.line(format!("{p}_mark(w->used, {});", slot("n")));
                code.line(format!("return &w->at[{}];", slot("n")));
            }
            // The entry at `next`; everything below it is let go. It must be copied at once.
            "take" => {
                code.open(format!("{plain} {entry} *{name}({pool}{c_type} *w) {{"));
                code.line("(void)pool;");
                code.line(format!(
                    "if (w->next == w->high || !{p}_has(w->used, {})) {{ return NULL; }}",
                    slot("w->next")
                ));
                code.line(format!("for (; w->low != w->next; w->low = {}) {{ {drop_low} }}", next("w->low", "1u")));
                code.line(format!("{p}_unmark(w->used, {});", slot("w->next")));
                code.line(format!("w->next = {};", next("w->next", "1u")));
                code.line(format!("{number} taken = w->low;"));
                code.line("w->low = w->next;");
                code.line(format!("return &w->at[{}];", slot("taken")));
            }
            "read" => {
                code.open(format!("{plain} {entry} *{name}({c_type} *w) {{"));
                code.line(format!(
                    "if (w->next == w->high || !{p}_has(w->used, {})) {{ return NULL; }}",
                    slot("w->next")
                ));
                code.line(format!("{number} read = w->next;"));
                code.line(format!("w->next = {};", next("w->next", "1u")));
                code.line(format!("return &w->at[{}];", slot("read")));
            }
            "release" => {
                code.open(format!("{inline} uint32_t {name}({pool}{c_type} *w, {number} n) {{"));
                code.line("(void)pool;");
                code.line(format!("uint32_t count = (uint32_t){};", span("n", "w->low")));
                code.line(format!("if ({} > {}) {{ return 0; }}", span("n", "w->low"), span("w->high", "w->low")));
                code.line(format!("bool beyond = {} < {};", span("w->next", "w->low"), span("n", "w->low")));
                let some = self.container("release_some", ty, layer);
                code.open(format!("if ({p}_LIKELY(count == 1u)) {{"));
                code.line(&drop_low);
                code.turn("} else {");
                code.line(format!("{some}(pool, w, count);"));
                code.close("}");
                code.line("w->low = n;");
                code.line("if (beyond) { w->next = n; }");
                code.line("return count;");
            }
            // Releases the entries of the given number of sequence numbers from `low` on.
            "release_some" => {
                let drop = self.drop_in(t, layer, &"w->at[slot]".into());
                code.open(format!("{plain} void {name}({pool}{c_type} *w, uint32_t count) {{"));
                code.line("(void)pool;");
                if self.stack.has_message(t) || window_slots(n) > 64 {
                    code.open("for (uint32_t i = 0; i < count; i++) {");
                    code.line(format!("uint32_t slot = {};", slot("(w->low + i)")));
                    if self.stack.has_message(t) {
                        code.line(format!("if ({p}_has(w->used, slot)) {{ {drop} }}"));
                    }
                    if window_slots(n) > 64 {
                        code.line(format!("{p}_unmark(w->used, slot);"));
                    }
                    code.close("}");
                }
                if window_slots(n) <= 64 {
                    code.line(format!("w->used[0] &= ~{p}_around({}, count, {}u);", slot("w->low"), window_slots(n)));
                }
            }
            "raise" => {
                code.open(format!("{plain} void {name}({c_type} *w, {number} n) {{"));
                code.line(format!("uint64_t by = {};", span("n", "w->high")));
                code.line(format!("if (by <= {n}u - {}) {{ w->high = n; }}", span("w->high", "w->low")));
            }
            "skip_to" => {
                code.open(format!("{inline} void {name}({c_type} *w, {number} n) {{"));
                // `- 1`: nothing to skip is too much.
                let c = if bits <= 32 { 32 } else { 64 };
                code.line(format!(
                    "if ((uint{c}_t)({} - 1u) >= {n}u - {}) {{ return; }}",
                    span("n", "w->next"),
                    span("w->next", "w->low")
                ));
                code.line(format!("if ({} > {}) {{ w->high = n; }}", span("n", "w->low"), span("w->high", "w->low")));
                code.line("w->next = n;");
            }
            // `skip_to`, then `release` to the same number; mostly nothing is kept.
            "pass" => {
                let (skip, release) = (self.container("skip_to", ty, layer), self.container("release", ty, layer));
                let c = if bits <= 32 { 32 } else { 64 };
                code.open(format!("{inline} void {name}({pool}{c_type} *w, {number} n) {{"));
                code.open(format!("if ({p}_LIKELY(w->low == w->high)) {{"));
                code.line(format!(
                    "if ((uint{c}_t)({} - 1u) < {n}u) {{ w->low = w->next = w->high = n; }}",
                    span("n", "w->low")
                ));
                code.turn("} else {");
                code.line(format!("{skip}(w, n);"));
                code.line(format!("(void){release}(pool, w, n);"));
                code.close("}");
            }
            "hole" => {
                code.open(format!("{plain} bool {name}(const {c_type} *w, {number} *from, {number} *to) {{"));
                code.line("*from = w->next;");
                code.line(format!(
                    "while (*from != w->high && {p}_has(w->used, {})) {{ *from = {}; }}",
                    slot("*from"),
                    next("*from", "1u")
                ));
                code.line("*to = *from;");
                code.line(format!(
                    "while (*to != w->high && !{p}_has(w->used, {})) {{ *to = {}; }}",
                    slot("*to"),
                    next("*to", "1u")
                ));
                code.line("return *from != w->high;");
            }
            "new_hole" => {
                let hole = self.container("hole", ty, layer);
                let (c, shift) = if bits <= 32 { (32, 32 - bits) } else { (64, 64 - bits) };
                code.open(format!("{plain} bool {name}({c_type} *w, {number} *from, {number} *to) {{"));
                code.line(format!("if (!{hole}(w, from, to)) {{ return false; }}"));
                code.line(format!(
                    "if ((int{c}_t)(((uint{c}_t)*to - (uint{c}_t)w->reported) << {shift}) <= 0) {{ return false; }}"
                ));
                code.line("w->reported = *to;");
                code.line("return true;");
            }
            "clear" => {
                code.open(format!("{plain} void {name}({pool}{c_type} *w) {{"));
                code.line("(void)pool;");
                code.line(format!("for (; w->low != w->high; w->low = {}) {{ {drop_low} }}", next("w->low", "1u")));
                code.line("w->low = w->next = w->high = w->reported = 0;");
            }
            "clear_undelivered" => {
                let at = slot("n");
                let drop = self.drop_in(t, layer, &format!("w->at[{at}]").into());
                let drop = if holds { format!("if ({p}_has(w->used, {at})) {{ {drop} }} ") } else { String::new() };
                code.open(format!("{plain} void {name}({pool}{c_type} *w) {{"));
                code.line("(void)pool;");
                code.line(format!(
                    "for ({number} n = w->next; n != w->high; n = {}) {{ {drop}{p}_unmark(w->used, {at}); }}",
                    next("n", "1u")
                ));
                code.line("w->high = w->next;");
            }
            other => unreachable!("windows have no {other}"),
        }
        code.close("}");
        code
    }

    #[allow(clippy::too_many_arguments)]
    fn map(&mut self, what: &str, name: &str, ty: &Type, k: &Type, t: &Type, n: u32, layer: usize) -> Code {
        let p = self.prefix.clone();
        let (c_type, key) = (self.c_type(ty, layer), self.c_type(k, layer));
        let mut code = Code::new(0);
        match what {
            "find" => {
                let same = match self.scalar(k) {
                    Some(_) => "map->key[slot] == *key".to_string(),
                    None => format!("{}(&map->key[slot], key)", self.same(k, layer)),
                };
                code.open(format!("{p}_PLAIN uint32_t {name}(const {c_type} *map, const {key} *key) {{"));
                code.open(format!("for (uint32_t slot = 0; slot < {n}u; slot++) {{"));
                code.line(format!("if ({p}_has(map->used, slot) && {same}) {{ return slot; }}"));
                code.close("}");
                code.line(format!("return {n}u;"));
            }
            // The slot for a key: n, if there is no room. Whether it was there before.
            "place" => {
                let find = self.container("find", ty, layer);
                code.open(format!("{p}_PLAIN uint32_t {name}({c_type} *map, const {key} *key, bool *old) {{"));
                code.line(format!("uint32_t slot = {find}(map, key);"));
                code.line(format!("*old = slot < {n}u;"));
                code.line("if (*old) { return slot; }");
                code.line(format!("slot = {p}_lowest_free(map->used, {n}u);"));
                code.open(format!("if (slot < {n}u) {{"));
                code.line(format!("{p}_mark(map->used, slot);"));
                code.line("map->key[slot] = *key;");
                code.close("}");
                code.line("return slot;");
            }
            _ => return self.clear_used(name, &c_type, t, n, layer),
        }
        code.close("}");
        code
    }

    fn pool(&mut self, what: &str, name: &str, ty: &Type, t: &Type, n: u32, layer: usize) -> Code {
        let p = self.prefix.clone();
        let c_type = self.c_type(ty, layer);
        if what == "clear" {
            return self.clear_used(name, &c_type, t, n, layer);
        }
        let mut code = Code::new(0);
        // The slot for a new entry; n, if there is no room.
        code.open(format!("{p}_PLAIN uint32_t {name}({c_type} *pool) {{"));
        code.line(format!("uint32_t slot = {p}_lowest_free(pool->used, {n}u);"));
        code.line(format!("if (slot < {n}u) {{ {p}_mark(pool->used, slot); }}"));
        code.line("return slot;");
        code.close("}");
        code
    }

    fn clear_used(&mut self, name: &str, c_type: &str, t: &Type, n: u32, layer: usize) -> Code {
        let p = self.prefix.clone();
        let drop = self.drop_in(t, layer, &"all->at[i]".into());
        let mut code = Code::new(0);
        code.open(format!("{p}_PLAIN void {name}(struct {p}_pool *pool, {c_type} *all) {{"));
        code.line("(void)pool;");
        if self.stack.has_message(t) {
            code.open(format!("for (uint32_t i = 0; i < {n}u; i++) {{"));
            code.line(format!("if ({p}_has(all->used, i)) {{ {drop} }}"));
            code.close("}");
        }
        code.line("memset(all->used, 0, sizeof all->used);");
        code.close("}");
        code
    }

    fn row(&mut self, what: &str, name: &str, ty: &Type, t: &Type, n: u32, layer: usize) -> Code {
        let p = self.prefix.clone();
        let (c_type, entry) = (self.c_type(ty, layer), self.c_type(t, layer));
        let ring = matches!(ty, Type::Ring(..));
        let at = |i: &str| if ring { format!("row->at[(row->head + {i}) % {n}u]") } else { format!("row->at[{i}]") };
        let mut code = Code::new(0);
        match what {
            "push" => {
                code.open(format!("{p}_INLINE {entry} *{name}({c_type} *row) {{"));
                code.line(format!("if ({p}_UNLIKELY(row->len >= {n}u)) {{ return NULL; }}"));
                code.line("row->len++;");
                code.line(format!("return &{};", at("row->len - 1u")));
            }
            "pop" if ring => {
                code.open(format!("{p}_PLAIN {entry} *{name}({c_type} *row) {{"));
                code.line("if (row->len == 0) { return NULL; }");
                code.line("uint32_t oldest = row->head;");
                code.line(format!("row->head = row->head + 1u == {n}u ? 0 : row->head + 1u;"));
                code.line("row->len--;");
                code.line("return &row->at[oldest];");
            }
            "pop" => {
                code.open(format!("{p}_PLAIN {entry} *{name}({c_type} *row) {{"));
                code.line("return row->len == 0 ? NULL : &row->at[--row->len];");
            }
            "find" => {
                let place = at("i");
                let same = match self.scalar(t) {
                    Some(_) => format!("{place} == *value"),
                    None => format!("{}(&{place}, value)", self.same(t, layer)),
                };
                code.open(format!("{p}_PLAIN uint32_t {name}(const {c_type} *row, const {entry} *value) {{"));
                code.line("uint32_t i = 0;");
                code.line(format!("while (i < row->len && !({same})) {{ i++; }}"));
                code.line("return i;");
            }
            // Takes the entry out that is so old; those that are younger move up.
            "remove" => {
                code.open(format!("{p}_PLAIN void {name}({c_type} *row, uint32_t i) {{"));
                code.line(format!("for (; i + 1u < row->len; i++) {{ {} = {}; }}", at("i"), at("i + 1u")));
                code.line("row->len--;");
            }
            "clear" => {
                let drop = self.drop_in(t, layer, &at("i").into());
                code.open(format!("{p}_PLAIN void {name}(struct {p}_pool *pool, {c_type} *row) {{"));
                code.line("(void)pool;");
                if self.stack.has_message(t) {
                    code.line(format!("for (uint32_t i = 0; i < row->len; i++) {{ {drop} }}"));
                }
                code.line("row->len = 0;");
            }
            other => unreachable!("rows have no {other}"),
        }
        code.close("}");
        code
    }
}
