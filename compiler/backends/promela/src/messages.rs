//! Messages by value: data, and the fields of all possible headers.

use nacre_stack::*;

use crate::names::{clean, constant, Scope};
use crate::report::{within, Limit};
use crate::types::{plain, Field, Shape};
use crate::writer::{Frame, Writer};

impl Writer<'_> {
    /// Layers whose headers can be on a message.
    fn layers_with_headers(&self) -> Vec<LayerId> {
        (0..self.stack.layers.len() as u32).map(LayerId).filter(|l| self.headers_of(*l).next().is_some()).collect()
    }

    /// Returns the header variants of a layer, in the order of their numbers.
    pub fn headers_of(&self, layer: LayerId) -> impl Iterator<Item = HeaderId> + '_ {
        let all = self.stack.headers.iter().enumerate();
        all.filter(move |(_, h)| h.layer == layer).map(|(i, _)| HeaderId(i as u32))
    }

    /// Returns the fields of a message: data flag, length, bytes, and for each layer its header and all its fields.
    pub fn message_fields(&self) -> Vec<Field> {
        let bytes = Field { name: "b".into(), ty: Shape::Number("byte"), count: Some(self.capacity) };
        let mut fields = vec![plain("is_data", Shape::Number("bool")), plain("n", Shape::Number("byte")), bytes];
        for layer in self.layers_with_headers() {
            fields.push(plain(self.header_slot(layer), Shape::Number("byte")));
            for id in self.headers_of(layer) {
                for (i, field) in self.stack.header(id).fields.iter().enumerate() {
                    fields.push(plain(self.header_field(id, i), Shape::Of(field.ty.clone())));
                }
            }
        }
        fields
    }

    /// The field that stores the number of a layer's header; 0: none.
    pub fn header_slot(&self, layer: LayerId) -> String {
        let name = format!("{}_header", self.layer_name(layer));
        self.names.name(Scope::Message, name, format!("{layer:?}"))
    }

    /// The name of a header's number.
    pub fn header_constant(&self, id: HeaderId) -> String {
        let header = self.stack.header(id);
        let name = constant(&format!("{}_{}", self.layer_name(header.layer), clean(&header.name)));
        self.names.name(Scope::Constants, name, format!("{id:?}"))
    }

    /// Returns the name of a header field as a member of a message.
    pub fn header_field(&self, id: HeaderId, field: usize) -> String {
        let header = self.stack.header(id);
        let layer = self.layer_name(header.layer);
        let name = format!("{layer}_{}_{}", clean(&header.name), clean(&header.fields[field].name));
        self.names.name(Scope::Message, name, format!("{id:?} {field}"))
    }

    /// Writes the statements that build the message of an expression at the place `to`.
    pub fn fill_message(&mut self, e: &Expr, to: &str) {
        match &e.kind {
            ExprKind::Push(a, header, fields) => {
                let values = self.pushed(a, fields);
                self.assign(a, to);
                self.push_header(to, *header, &values);
            }
            ExprKind::Slice(a, at, len) => {
                let m = self.value(a);
                let [at, len] = [at, len].map(|e| self.count_simple(e));
                self.line(format!("slice({to}, {m}, {at}, {len});"));
            }
            ExprKind::Rest(a, at) => {
                let m = self.value(a);
                let at = self.count_simple(at);
                self.line(format!("rest({to}, {m}, {at});"));
            }
            ExprKind::Pack(layout, a) => {
                let m = self.value(a);
                self.pack(*layout, &m, to);
            }
            ExprKind::Extern(id, _) => self.refuse_extern(*id),
            _ => {
                let value = self.value(e);
                self.copy(&e.ty, to, &value);
            }
        }
    }

    /// Returns the values of a header's fields, computed before the message is changed.
    fn pushed(&mut self, _: &Expr, fields: &[Expr]) -> Vec<String> {
        self.values(fields)
    }

    fn push_header(&mut self, to: &str, id: HeaderId, values: &[String]) {
        let layer = self.stack.header(id).layer;
        let (slot, constant) = (self.header_slot(layer), self.header_constant(id));
        self.line(format!("assert({to}.{slot} == 0); {to}.{slot} = {constant};"));
        for (i, value) in values.iter().enumerate() {
            let (name, ty) = (self.header_field(id, i), self.stack.header(id).fields[i].ty.clone());
            self.copy(&ty, &format!("{to}.{name}"), value);
        }
    }

    /// Moves a header's fields from a message to locals, and removes the header.
    pub fn pop_header(&mut self, message: &str, id: HeaderId, locals: &[LocalId]) {
        let slot = self.header_slot(self.stack.header(id).layer);
        for i in 0..self.stack.header(id).fields.len() {
            let (name, ty) = (self.header_field(id, i), self.stack.header(id).fields[i].ty.clone());
            if let Some(local) = locals.get(i) {
                let local = self.local(*local);
                self.copy(&ty, &local, &format!("{message}.{name}"));
            }
            self.zero(&ty, &format!("{message}.{name}"));
        }
        self.line(format!("{message}.{slot} = 0;"));
    }

    /// Joins the pieces and the data of the last message.
    pub fn join(&mut self, into: LocalId, parts: &Place, last: &Expr) {
        let whole = self.owned(last);
        let list = self.find(parts);
        let (joined, at, byte) = (self.temporary(&Type::Msg), self.number(), self.number());
        let capacity = self.capacity;
        self.line(format!("{joined}.n = 0;"));
        let append = |w: &mut Self, from: &str| {
            w.line(format!("{byte} = 0;"));
            w.line("do");
            w.option(format!("{byte} < {from}.n"));
            w.line(within(&format!("{joined}.n < {capacity}"), Limit::Length));
            w.line(format!("{joined}.b[{joined}.n] = {from}.b[{byte}]; {joined}.n++; {byte}++"));
            w.end_option();
            w.line(":: else -> break");
            w.line("od;");
        };
        self.at(&list, |w, x| {
            w.line(format!("{at} = 0;"));
            w.line("do");
            w.option(format!("{at} < {x}.n"));
            append(w, &format!("{x}.v[{at}]"));
            w.line(format!("{at}++"));
            w.end_option();
            w.line(":: else -> break");
            w.line("od;");
            w.zero(&parts.ty, x);
        });
        append(self, &whole);
        self.line(format!("{whole}.n = {joined}.n; {byte} = 0;"));
        self.line(format!(
            "do :: {byte} < {joined}.n -> {whole}.b[{byte}] = {joined}.b[{byte}]; {byte}++ :: else -> break od;"
        ));
        let local = self.local(into);
        self.copy(&Type::Msg, &local, &whole);
    }

    /// Writes the inlines that every model has for its messages.
    pub fn message_helpers(&mut self) {
        self.type_name(&Type::Msg);
        let capacity = self.capacity;
        let cut = |w: &mut Self, from: &str, upto: &str| {
            w.line(format!("cut_from = {from}; cut_end = {upto}; i_at = 0;"));
            w.line("do");
            w.option(format!("i_at < {capacity}"));
            w.line(
                "if :: cut_from + i_at < cut_end -> cut_bytes[i_at] = M.b[cut_from + i_at] :: else -> \
                cut_bytes[i_at] = 0 fi; i_at++",
            );
            w.end_option();
            w.line(":: else -> break");
            w.line("od;");
        };
        let keep = |w: &mut Self| {
            w.line("cut_message.n = cut_end - cut_from; i_at = 0;");
            w.line(format!(
                "do :: i_at < {capacity} -> cut_message.b[i_at] = cut_bytes[i_at]; i_at++ :: else -> break od;"
            ));
            w.copy(&Type::Msg, "R", "cut_message");
        };
        let start = "(FROM < 0 || FROM > M.n -> M.n : FROM)";
        self.hidden.push(format!("hidden byte cut_bytes[{}];", capacity.max(1)));
        let four = ["R", "M", "FROM", "LEN"].map(String::from);
        let slice = self.inline("slice", &four, "Data without headers.", Frame::default(), |w| {
            cut(w, start, "(LEN < 0 || LEN > M.n - cut_from -> M.n : cut_from + LEN)");
            w.line("cut_is_data = M.is_data;");
            w.zero(&Type::Msg, "cut_message");
            w.line("cut_message.is_data = cut_is_data;");
            keep(w);
        });
        let three = ["R", "M", "FROM"].map(String::from);
        let rest =
            self.inline("rest", &three, "Without the first bytes, under the same headers.", Frame::default(), |w| {
                cut(w, start, "M.n");
                w.copy(&Type::Msg, "cut_message", "M");
                keep(w);
            });
        for (name, ty) in [
            ("cut_message", Type::Msg),
            ("cut_from", Type::UInt(32)),
            ("cut_end", Type::UInt(32)),
            ("cut_is_data", Type::Bool),
        ] {
            self.hide(name, &ty);
        }
        self.helpers.push(slice);
        self.helpers.push(rest);
    }
}
