//! Views: bytes read in place, in as many segments as they are stored in.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::calls::{CType, Callee, Function, Parameter};
use crate::code::Code;
use crate::globals::Global;
use crate::strings::Source;
use crate::term::Term;
use crate::writer::Writer;

impl Writer<'_> {
    /// Puts the head of a message into `step->more->temp`, and gives it and the data as two pieces. Nothing is taken
    /// over.
    fn view_packed_function(&mut self, layout: LayoutId) -> Callee {
        let p = self.prefix.clone();
        let head = self.head_function(layout, None);
        let pieces = Parameter::pointer(format!("struct {p}_bytes"), "pieces");
        let message = Parameter::new(self.message_type(self.layout_level(layout)), "m");
        let parameters = vec![message, Parameter::new("uint32_t", "temp"), pieces];
        let name = self.global(Global::ViewPacked(layout), format!("view_packed_{}", layout.0));
        self.step_helper(Function::plain(name, parameters), |_, code| {
            code.line(format!("const uint32_t size = {head}(m, step->more->temp + temp);"));
            code.line("const bool fits = size != UINT32_MAX;");
            code.line(format!("if (!fits) {{ step->counters[{p}_BROKEN]++; }}"));
            let none = "{.block = 0}";
            let front = format!("{{.block = {p}_TEMP, .offset = temp, .len = size}}");
            code.line(format!("pieces[0] = fits && size ? (struct {p}_bytes){front} : (struct {p}_bytes){none};"));
            code.line(format!("pieces[1] = fits ? m.bytes : (struct {p}_bytes){none};"));
        })
    }

    /// Reads pieces one after the other: the next run of bytes, none at the end.
    pub fn reader(&mut self) -> Callee {
        let p = self.prefix.clone();
        self.helper(format!("{p}_reader"), |_, name| {
            let mut code = Code::new(0);
            code.line("/* Where reading is in a row of pieces. */");
            code.line(format!("struct {name} {{ const struct {p}_bytes *piece, *end; uint32_t at; }};"));
            code
        });
        let reader = Parameter::pointer(format!("struct {p}_reader"), "reader");
        let function = Function::plain(format!("{p}_next_run"), vec![reader, Parameter::pointer("uint32_t", "run")]);
        let function = Function { result: Some(CType::pointer("const uint8_t")), reads_only: true, ..function };
        self.step_helper(function, |w, code| {
            code.open("for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {");
            code.line("if (reader->at == reader->piece->len) { continue; }");
            let run = w.call_support("run", &["*reader->piece", "reader->at", "run"]);
            code.line(format!("const uint8_t *bytes = {run};"));
            code.line("reader->at += *run;");
            code.line("return bytes;");
            code.close("}");
            code.line("return NULL;");
        })
    }

    /// Copies pieces to where things are made, as one string of bytes.
    fn join_function(&mut self) -> Callee {
        let p = self.prefix.clone();
        let piece = Parameter::pointer(format!("const struct {p}_bytes"), "piece");
        let function = Function::plain(format!("{p}_join_pieces"), vec![piece, Parameter::new("uint32_t", "pieces")]);
        let function = Function { result: Some(format!("struct {p}_bytes").into()), ..function };
        self.step_helper(function, |w, code| {
            code.line("const uint32_t from = step->bytes;");
            code.open("for (uint32_t i = 0; i < pieces; i++) {");
            let room = w.call_support("can_make", &["piece[i].len"]);
            code.line(format!("if (!{room}) {{ break; }}"));
            let read = w.call_support("read", &["piece[i]", "step->out->bytes + step->bytes"]);
            code.line(format!("{read};"));
            code.line("step->bytes += piece[i].len;");
            code.close("}");
            let made = w.call_support("made", &["from"]);
            code.line(format!("return {made};"));
        })
    }
}

impl Body<'_, '_> {
    /// A string of bytes as it lies: the pieces one after the other, valid for this statement.
    pub fn pieces(&mut self, e: &Expr) -> Vec<Term> {
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
            (_, Type::Msg) => vec![self.borrowed_message(e).0.member("bytes")],
            _ => vec![self.written(e)],
        }
    }

    /// The same in one: joined where things are made, if there are several.
    pub fn viewed(&mut self, e: &Expr) -> Term {
        let pieces = self.pieces(e);
        if let [one] = pieces.as_slice() {
            return one.clone();
        }
        let join = self.w.join_function();
        let (row, count) = self.row_of(&pieces);
        let ty = self.c_type(&Type::View);
        let joined = self.w.call_step(&join, &[row, format!("{count}u")]);
        self.bind(&ty, "joined", &joined)
    }

    /// Pieces as an array, and how many they are.
    pub fn row_of(&mut self, pieces: &[Term]) -> (String, usize) {
        let name = self.fresh("pieces");
        let list = if pieces.is_empty() { "{.block = 0}".into() } else { pieces.join(", ") };
        self.code.line(format!("const struct {}_bytes {name}[] = {{{list}}};", self.w.prefix));
        (name, pieces.len())
    }

    /// What is not in a message, written down: for this statement if it can be, else where things are made.
    fn written(&mut self, e: &Expr) -> Term {
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
                let room = self.w.call_support("can_make", &[&n]);
                self.write_to(&source, &n, &format!("step->out->bytes[{from} + i]"), &format!("{room} && "));
                self.code.line(format!("if ({n} <= step->out->bytes_max - {from}) {{ step->bytes += {n}; }}"));
                let made = self.w.call_support("made", &[&from]);
                self.bind(&view_type, "view", &made)
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
    fn part_of_pieces(&mut self, a: &Expr, from: &Expr, to: &Expr) -> Vec<Term> {
        let (pieces, from, to) = (self.pieces(a), self.raw(from), self.raw(to));
        let mut from = self.bind("const uint64_t", "from", &from);
        let mut to = self.bind("const uint64_t", "to", &to);
        let ty = self.c_type(&Type::View);
        let last = pieces.len().saturating_sub(1);
        let mut parts = vec![];
        for (i, piece) in pieces.iter().enumerate() {
            let part = self.w.call_support("slice", &[piece, &from, &format!("{to} > {from} ? {to} - {from} : 0")]);
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
    fn packed_pieces(&mut self, layout: LayoutId, inner: &Expr) -> Vec<Term> {
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
        let call = self.w.call_step(&pack, &[&*text, &format!("{at}u"), &name]);
        self.code.line(format!("{call};"));
        ["0", "1"].map(|index| format!("{name}[{index}]").into()).into()
    }
}
