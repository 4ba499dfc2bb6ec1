//! Filters: run exactly, byte for byte.

use nacre_stack::*;

use crate::names::{clean, Scope};
use crate::refusal::{Construct, Reason};
use crate::types::is_scalar;
use crate::writer::Writer;

impl Writer<'_> {
    /// Runs a filter with a result, and returns the result.
    pub fn through(&mut self, id: FilterId, a: &Expr, ty: &Type) -> String {
        let name = self.run_filter(id, a);
        let result = self.temporary(ty);
        self.line(format!("{result} = {name}_result;"));
        result
    }

    /// Runs a filter that yields bytes.
    pub fn filter(&mut self, into: LocalId, id: FilterId, input: &Expr) {
        let is_data = self.is_data(input);
        let name = self.run_filter(id, input);
        let (made, done) = (self.temporary(&Type::Msg), self.temporary(&Type::Bool));
        self.message_of(&format!("{name}_out"), &is_data, &made);
        self.line(format!("{done} = !{name}_rejected;"));
        self.give(into, &Type::Msg, &made, &done);
    }

    /// Runs a filter over its operand; returns the name of its inline.
    fn run_filter(&mut self, id: FilterId, operand: &Expr) -> String {
        let from: Vec<String> = Filter::operands(operand).iter().map(|part| self.buffer(part)).collect();
        let name = self.filter_inline(id);
        self.line(format!("{name}({});", from.join(", ")));
        name
    }

    /// The result of a filter or of a C function on data is data.
    fn is_data(&mut self, input: &Expr) -> String {
        match input.access() {
            Access::View(a) => self.is_data(a),
            _ if input.ty == Type::Msg => format!("{}.is_data", self.value(input)),
            _ => "0".into(),
        }
    }

    fn filter_inline(&mut self, id: FilterId) -> String {
        let filter = &self.stack.filters[id.index()];
        let name = format!("filter{}_{}", id.0, clean(&filter.name));
        let name = self.names.name(Scope::Inlines, name, format!("{id:?}"));
        if !self.inlines_known.insert(name.clone()) {
            return name;
        }
        let layer = self.frame.layer.unwrap_or(LayerId(0));
        let mut frame = self.frame_of(layer, &name, &filter.locals);
        // The state is preserved between units.
        frame.set = (0..filter.state.len() as u32).map(LocalId).chain(filter.inputs.iter().copied()).collect();
        let done = frame.done.clone();
        let (flag, number) = (Type::Bool, Type::UInt(32));
        self.hide(&format!("{name}_done"), &flag);
        self.hide(&format!("{name}_rejected"), &flag);
        self.hide(&format!("{name}_out"), &Type::View);
        let at = self.hide(&format!("{name}_at"), &number);
        if let Some(result) = &filter.result {
            if !is_scalar(&result.ty) {
                self.refuse(Reason::Of(Construct::FilterResult, result.ty.clone()));
            }
            self.hide(&format!("{name}_result"), &result.ty);
        }
        let inputs: Vec<String> = (0..filter.inputs.len()).map(|i| format!("IN{i}")).collect();
        let text = self.inline(&name, &inputs, &format!("filter {}", filter.name), frame, |w| {
            w.line(format!("{name}_out.n = 0; {name}_rejected = 0; {at} = 0;"));
            for (i, local) in filter.locals.iter().enumerate() {
                let place = w.local(LocalId(i as u32));
                match filter.initial.get(i) {
                    Some(Some(e)) => w.assign(e, &place),
                    _ => w.zero(&local.ty, &place),
                }
            }
            let step = if filter.unit == FilterUnit::Byte { 1 } else { 4 };
            w.line("do");
            let more: Vec<String> = inputs.iter().map(|from| format!("{at} < {from}.n")).collect();
            w.option(format!("({}) && !{name}_rejected", more.join(" || ")));
            for (local, from) in filter.inputs.iter().zip(&inputs) {
                let unit = w.local(*local);
                let parts: Vec<String> = (0..step).map(|i| byte_of(from, &at, i)).collect();
                w.line(format!("{unit} = {};", parts.join(" | ")));
            }
            w.line(format!("{at} = {at} + {step};"));
            w.body(&filter.body);
            w.end_option();
            w.line(":: else -> break");
            w.line("od;");
            w.frame.done = done;
            w.when(&format!("!{name}_rejected"), |w| w.body(&filter.end));
            if let Some(result) = &filter.result {
                let value = w.value(result);
                w.line(format!("{name}_result = ({name}_rejected -> 0 : {value});"));
            }
        });
        self.functions.push(text);
        name
    }

    /// Writes the statements that append a value to the filter's output; numbers in little-endian order.
    pub fn yield_bytes(&mut self, e: &Expr) {
        let out = self.frame.rejected.replace("_rejected", "_out");
        let bytes = Expr::new(ExprKind::BytesOf(Box::new(e.clone())), Type::View, e.span);
        match &e.ty {
            Type::Bytes(_) | Type::Text(_) | Type::View => self.append(e, &out),
            _ => self.append(&bytes, &out),
        }
    }
}

/// A byte of a buffer at its place in a unit; 0 after the end.
fn byte_of(from: &str, at: &str, i: u32) -> String {
    let there = format!("{at} + {i} < {from}.n");
    format!("({there} -> {from}.b[({there} -> {at} + {i} : 0)] << {} : 0)", i * 8)
}
