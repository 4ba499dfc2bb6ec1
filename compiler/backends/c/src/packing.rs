//! `pack` and `unpack`: a message with its headers as one string of bytes, and back.

use nacre_stack::*;

use crate::body::Body;
use crate::functions::{Callee, Function, Parameter};
use crate::globals::Global;
use crate::template;
use crate::term::Term;
use crate::views::VIEWS;
use crate::writer::Writer;

impl Writer<'_> {
    /// Puts a message's headers and then its bytes where things are made, as one string: as every bound counts it.
    fn pack_function(&mut self, layout: LayoutId) -> Callee {
        let p = self.prefix.clone();
        let head = self.head_function(layout, None);
        let message = Parameter::new(self.message_type(self.layout_level(layout)), "m");
        let function = Function::plain(self.global(Global::Pack(layout), format!("pack_{}", layout.0)), vec![message]);
        let function = Function { result: Some(format!("struct {p}_bytes").into()), ..function };
        let words = [("head_function", head), ("longest", format!("{}u", self.longest_head(layout)))];
        self.step_instance(function, &template::function(VIEWS, "pack"), &words)
    }
}

impl Body<'_, '_> {
    /// A message with its headers as the bytes of another.
    pub fn pack(&mut self, layout: LayoutId, inner: &Expr, want: usize) -> Term {
        let pack = self.w.pack_function(layout);
        let level = self.w.layout_level(layout);
        let text = self.message(inner, level);
        let ty = self.w.message_type(want);
        let packed = self.w.call_step(&pack, &[&text]);
        self.bind(&ty, "packed", &format!("{{.bytes = {packed}, .data = {text}.data}}"))
    }

    /// A message out of the bytes of another, if they are one.
    pub fn unpack(&mut self, into: LocalId, layout: LayoutId, message: &Expr) {
        let p = self.w.prefix.clone();
        let level = self.w.layout_level(layout);
        let parse = self.w.parse_function(layout);
        let longest = self.w.longest_head(layout).max(1);
        let text = self.message(message, level);
        let ty = self.w.message_type(level);
        let option = self.locals[into.index()].ty.clone();
        let c_type = self.c_type(&option);
        let head = self.fresh("head");
        let slice = self.w.call_support("slice", &[&format!("{text}.bytes"), "0", &format!("{longest}u")]);
        let prefix = self.bind(&format!("struct {p}_bytes"), "front", &slice);
        self.code.line(format!("uint8_t {head}[{longest}] = {{0}};"));
        let read = self.w.call_support("read", &[&prefix, &head]);
        self.code.line(format!("{read};"));
        self.code.line(format!("{p}_drop(step->pool, {prefix});"));
        let inner = self.bind(&ty, "inner", "{.data = false}");
        let size = self.bind("const uint32_t", "size", &format!("{parse}({head}, {text}.bytes.len, &{inner})"));
        let unpacked = self.bind(&c_type, "unpacked", "{.some = false}");
        self.code.open(format!("if ({size} != UINT32_MAX) {{"));
        self.code.line(format!("{inner}.bytes = {p}_rest(step, {text}.bytes, {size});"));
        self.code.line(format!("{unpacked}.some = true;"));
        let value = self.w.as_message(&inner, level, self.layer + 1);
        match value {
            None => self.code.line(format!("{unpacked}.value = {inner};")),
            Some(initial) => {
                let ty = self.w.message_type(self.layer + 1);
                self.code.line(format!("{unpacked}.value = ({ty}){initial};"));
            }
        }
        self.code.turn("} else {");
        self.code.line(format!("{p}_drop(step->pool, {text}.bytes);"));
        self.code.close("}");
        self.assign(into, &unpacked);
    }
}
