//! Views: bytes read in place, in as many segments as they are stored in.

use nacre_stack::*;

use crate::body::{Body, Kind};
use crate::functions::{Callee, Function, Linkage, Parameter};
use crate::globals::Global;
use crate::strings::Source;
use crate::template;
use crate::term::Term;
use crate::writer::Writer;

/// Functions for views and packed messages.
pub const VIEWS: &str = include_str!("support/views.c");

impl Writer<'_> {
    /// Views the head of a message and its data as two pieces. Nothing is taken over.
    fn view_packed_function(&mut self, layout: LayoutId, linkage: Linkage) -> Callee {
        let head = self.head_function(layout, None);
        let pieces = Parameter::pointer(format!("struct {}_bytes", self.prefix), "pieces");
        let message = Parameter::new(self.message_type(self.layout_level(layout)), "m");
        let parameters = vec![message, Parameter::new("uint32_t", "temp"), pieces];
        let name = match linkage {
            Linkage::InPlace => {
                self.global(Global::ViewPackedInPlace(layout), format!("view_packed_in_place_{}", layout.0))
            }
            _ => self.global(Global::ViewPacked(layout), format!("view_packed_{}", layout.0)),
        };
        let text = template::function(VIEWS, "view_packed");
        let function = Function { linkage, ..Function::plain(name, parameters) };
        self.step_instance(function, &text, &[("head_function", head)])
    }

    /// Reads pieces one after the other: the next run of bytes, none at the end.
    pub fn reader(&mut self) -> Callee {
        self.optional_support("reader", &template::function(VIEWS, "reader"));
        self.view_support("next_run")
    }

    /// A function of `support/views.c`, which is for stacks that need it.
    pub fn view_support(&mut self, name: &str) -> Callee {
        self.optional_support(name, &template::function(VIEWS, name));
        self.support_function(name)
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
        let join = self.w.view_support("join_pieces");
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
        // On a bypass it is known which headers are on the message.
        let linkage = if self.bypass.is_some() { Linkage::InPlace } else { Linkage::Plain };
        let pack = self.w.view_packed_function(layout, linkage);
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
