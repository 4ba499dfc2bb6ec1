//! Views: bytes that are looked at where they are, in as many pieces as they lie in.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::code::Code;
use crate::strings::Source;
use crate::writer::Writer;

impl Writer<'_> {
    /// Puts the head of a message into `step->more->temp`, and gives it and the data as two pieces. Nothing is taken over.
    fn view_packed_function(&mut self, layout: LayoutId) -> String {
        let p = self.prefix.clone();
        let head = self.head_function(layout, None);
        self.helper(format!("{p}_view_packed_{}", layout.0), |w, name| {
            let ty = w.message_type(w.layout_level(layout));
            let mut code = Code::new(0);
            code.open(format!(
                "{p}_PLAIN void {name}(struct {p}_step *step, {ty} m, uint32_t temp, struct {p}_bytes pieces[2]) {{"
            ));
            code.line(format!("const uint32_t size = {head}(m, step->more->temp + temp);"));
            code.line("const bool fits = size != UINT32_MAX;");
            code.line(format!("if (!fits) {{ step->counters[{p}_BROKEN]++; }}"));
            let (front, none) = ("{.block = TEMP, .offset = temp, .len = size}", "{.block = 0}");
            let front = front.replace("TEMP", &format!("{p}_TEMP"));
            code.line(format!("pieces[0] = fits && size ? (struct {p}_bytes){front} : (struct {p}_bytes){none};"));
            code.line(format!("pieces[1] = fits ? m.bytes : (struct {p}_bytes){none};"));
            code.close("}");
            code
        })
    }

    /// Reads pieces one after the other: the next run of bytes, none at the end.
    pub fn reader(&mut self) -> String {
        let p = self.prefix.clone();
        self.helper(format!("{p}_next_run"), |_, name| {
            let mut code = Code::new(0);
            code.line("/* Where reading is in a row of pieces. */");
            code.line(format!("struct {p}_reader {{ const struct {p}_bytes *piece, *end; uint32_t at; }};"));
            code.open(format!(
                "{p}_PLAIN const uint8_t *{name}(const struct {p}_step *step, struct {p}_reader *reader, uint32_t *run) {{"
            ));
            code.open("for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {");
            code.line("if (reader->at == reader->piece->len) { continue; }");
            code.line(format!("const uint8_t *bytes = {p}_run(step, *reader->piece, reader->at, run);"));
            code.line("reader->at += *run;");
            code.line("return bytes;");
            code.close("}");
            code.line("return NULL;");
            code.close("}");
            code
        })
    }

    /// Copies pieces to where things are made, as one string of bytes.
    fn join_function(&mut self) -> String {
        let p = self.prefix.clone();
        self.helper(format!("{p}_join_pieces"), |_, name| {
            let mut code = Code::new(0);
            code.open(format!(
                "{p}_PLAIN struct {p}_bytes {name}(struct {p}_step *step, const struct {p}_bytes *piece, uint32_t pieces) {{"
            ));
            code.line("const uint32_t from = step->bytes;");
            code.open("for (uint32_t i = 0; i < pieces; i++) {");
            code.line(format!("if (!{p}_can_make(step, piece[i].len)) {{ break; }}"));
            code.line(format!("{p}_read(step, piece[i], step->out->bytes + step->bytes);"));
            code.line("step->bytes += piece[i].len;");
            code.close("}");
            code.line(format!("return {p}_made(step, from);"));
            code.close("}");
            code
        })
    }
}

impl Body<'_, '_> {
    /// A string of bytes as it lies: the pieces one after the other, valid for this statement.
    pub fn pieces(&mut self, e: &Expr) -> Vec<String> {
        match (&e.kind, &e.ty) {
            (ExprKind::View(a), _) if a.ty != Type::Msg => self.pieces(a),
            (ExprKind::PackView(layout, a), _) => self.packed_pieces(*layout, a),
            (ExprKind::Concat(parts), Type::View) => parts.iter().flat_map(|part| self.pieces(part)).collect(),
            (ExprKind::Part(a, from, to), Type::View) => self.part_of_pieces(a, from, to),
            (ExprKind::Literal(bytes), Type::View) => {
                let ty = Type::Bytes(bytes.len() as u32);
                vec![self.written(&Expr::new(e.kind.clone(), ty, e.span))]
            }
            (_, Type::View) => vec![self.value(e)],
            (_, Type::Msg) => vec![format!("{}.bytes", self.borrowed_message(e).0)],
            _ => vec![self.written(e)],
        }
    }

    /// The same in one: joined where things are made, if there are several.
    pub fn viewed(&mut self, e: &Expr) -> String {
        let pieces = self.pieces(e);
        if let [one] = pieces.as_slice() {
            return one.clone();
        }
        let join = self.w.join_function();
        let (row, count) = self.row_of(&pieces);
        let ty = self.c_type(&Type::View);
        self.bind(&ty, "joined", &format!("{join}(step, {row}, {count}u)"))
    }

    /// Pieces as an array, and how many they are.
    pub fn row_of(&mut self, pieces: &[String]) -> (String, usize) {
        let name = self.fresh("pieces");
        let list = if pieces.is_empty() { "{.block = 0}".into() } else { pieces.join(", ") };
        self.code.line(format!("const struct {}_bytes {name}[] = {{{list}}};", self.w.prefix));
        (name, pieces.len())
    }

    /// What is not in a message, written down: for this statement if it can be, else where things are made.
    fn written(&mut self, e: &Expr) -> String {
        let (p, view_type) = (self.w.prefix.clone(), self.c_type(&Type::View));
        let source = self.source(e);
        let n = source.len(self);
        match source.most().filter(|_| self.kind != Kind::Filter).and_then(|most| self.temporary(most)) {
            Some(at) => {
                self.write_to(&source, &n, &format!("step->more->temp[{at}u + i]"), "");
                let view = format!("{{.block = {n} ? {p}_TEMP : 0, .offset = {at}u, .len = {n}}}");
                self.bind(&view_type, "view", &view)
            }
            None => {
                let from = self.bind("const uint32_t", "made_at", "step->bytes");
                self.write_to(
                    &source,
                    &n,
                    &format!("step->out->bytes[{from} + i]"),
                    &format!("{p}_can_make(step, {n}) && "),
                );
                self.code.line(format!("if ({n} <= step->out->bytes_max - {from}) {{ step->bytes += {n}; }}"));
                self.bind(&view_type, "view", &format!("{p}_made(step, {from})"))
            }
        }
    }

    fn write_to(&mut self, source: &Source, n: &str, to: &str, condition: &str) {
        self.code.open(format!("for (uint32_t i = 0; {condition}i < {n}; i++) {{"));
        let byte = source.byte(self, "i");
        self.code.line(format!("{to} = {byte};"));
        self.code.close("}");
    }

    /// Bytes `from .. to` of each piece, counted from its own beginning.
    fn part_of_pieces(&mut self, a: &Expr, from: &Expr, to: &Expr) -> Vec<String> {
        let p = self.w.prefix.clone();
        let (pieces, from, to) = (self.pieces(a), self.raw(from), self.raw(to));
        let mut from = self.bind("const uint64_t", "from", &from);
        let mut to = self.bind("const uint64_t", "to", &to);
        let ty = self.c_type(&Type::View);
        let last = pieces.len().saturating_sub(1);
        let mut parts = vec![];
        for (i, piece) in pieces.iter().enumerate() {
            let part = format!("{p}_slice(step, {piece}, {from}, {to} > {from} ? {to} - {from} : 0)");
            let part = self.bind(&ty, "part", &part);
            self.release_later(&part);
            parts.push(part);
            if i < last {
                let beyond = |at: &str| format!("{at} > {piece}.len ? {at} - {piece}.len : 0");
                (from, to) = (
                    self.bind("const uint64_t", "from", &beyond(&from)),
                    self.bind("const uint64_t", "to", &beyond(&to)),
                );
            }
        }
        parts
    }

    /// The packed bytes of a message that stays.
    fn packed_pieces(&mut self, layout: LayoutId, inner: &Expr) -> Vec<String> {
        let longest = self.w.longest_head(layout);
        let pack = self.w.view_packed_function(layout);
        let (text, has) = self.borrowed_message(inner);
        let level = self.w.layout_level(layout);
        let text = match self.w.as_message(&text, has, level) {
            None => text,
            Some(initial) => {
                let ty = self.w.message_type(level);
                self.bind(&ty, "carried", &initial)
            }
        };
        // The place is named even if nothing is ever put there.
        let at = self.temporary(longest.max(1)).expect("messages are not in filters");
        let name = self.fresh("packed");
        self.code.line(format!("struct {}_bytes {name}[2];", self.w.prefix));
        self.code.line(format!("{pack}(step, {text}, {at}u, {name});"));
        vec![format!("{name}[0]"), format!("{name}[1]")]
    }
}
