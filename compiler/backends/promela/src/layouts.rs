//! What layers pack themselves: headers as bits in front of the data, and back, as layouts say.
//!
//! Frames are not packed; see the head of the crate.

use nacre_stack::*;

use crate::types::{bits_of, is_scalar, is_wide};
use crate::writer::{Frame, Writer};

impl Writer<'_> {
    /// What must hold of a message for a shape.
    pub fn has_shape(&self, shape: &Shape, m: &str) -> String {
        let mut parts = vec![format!("{m}.is_data == {}", u8::from(shape.data))];
        for layer in (0..self.stack.layers.len() as u32).map(LayerId) {
            if self.headers_of(layer).next().is_none() {
                continue;
            }
            let here = shape.headers.iter().find(|h| self.stack.header(**h).layer == layer);
            let number = here.map_or("0".into(), |h| self.header_constant(*h));
            parts.push(format!("{m}.{} == {number}", self.header_slot(layer)));
        }
        parts.join(" && ")
    }

    /// A message as bytes, as a message without headers.
    pub fn pack(&mut self, layout: LayoutId, m: &str, to: &str) {
        let (buffer, at) = (self.temporary(&Type::View), self.number());
        self.line(format!("{buffer}.n = 0;"));
        self.pack_head(layout, m, &buffer);
        self.line(format!(
            "{at} = 0; do :: {at} < {m}.n -> put_byte({buffer}, {m}.b[{at}]); {at}++ :: else -> break od;"
        ));
        self.message_of(&buffer, &format!("{m}.is_data"), to);
    }

    /// Appends a message's headers.
    pub fn pack_head(&mut self, id: LayoutId, m: &str, to: &str) {
        let name = format!("pack_{}", id.0);
        if self.inlines_known.insert(name.clone()) {
            let layout = &self.stack.layouts[id.index()];
            let frame = Frame { layer: Some(layout.layer), ..Frame::default() };
            let text = self.inline(&name, &["X".into(), "M".into()], "Headers as bytes.", frame, |w| {
                w.line("if");
                for shape in &layout.shapes {
                    w.option(w.has_shape(shape, "M"));
                    w.line(format!(
                        "i_at = 0; do :: i_at < {} -> put_byte(X, 0); i_at++ :: else -> break od;",
                        shape.size
                    ));
                    w.line(format!("cut_from = X.n - {};", shape.size));
                    w.write_shape(layout, shape);
                    w.end_option();
                }
                w.line(":: else -> assert(false) /* no shape for the message */");
                w.line("fi;");
            });
            self.helpers.push(text);
        }
        self.line(format!("{name}({to}, {m});"));
    }

    fn number_place(&mut self, layout: &Layout, shape: &Shape) -> Option<u32> {
        if layout.form == LayoutForm::Preamble || shape.number >= 255 {
            self.refuse("packing with a preamble, or with more than 255 shapes");
        }
        (layout.shapes.len() > 1).then_some(shape.number)
    }

    fn write_shape(&mut self, layout: &Layout, shape: &Shape) {
        if let Some(number) = self.number_place(layout, shape) {
            self.put_bits(0, &number.to_string(), 8);
        }
        for placed in &shape.fields {
            let field = &self.stack.header(placed.header).fields[placed.field as usize];
            let place = format!("M.{}", self.header_field(placed.header, placed.field as usize));
            if field.big_endian {
                self.put_swapped(placed.bit, &place, &field.ty, field.bits);
            } else {
                self.put_value(placed.bit, &place, &field.ty, field.bits);
            }
        }
    }

    fn put_swapped(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        if !is_scalar(ty) || bits % 8 != 0 {
            return self.refuse(format!("packing {ty:?} with the highest byte first"));
        }
        for byte in 0..bits / 8 {
            self.put_bits(bit + bits - 8 - byte * 8, &format!("SHIFTED({place}, {})", byte * 8), 8);
        }
    }

    fn put_value(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        if is_scalar(ty) && *ty != Type::Addr {
            return self.put_bits(bit, place, bits.min(32));
        }
        if is_wide(ty) {
            self.put_bits(bit, &format!("{place}.lo"), 32);
            return self.put_bits(bit + 32, &format!("{place}.hi"), bits - 32);
        }
        self.each_part(bit, place, ty, &mut |w, at, place, ty, bits| w.put_value(at, place, ty, bits));
    }

    /// The parts of a value in the order in which they are packed.
    fn each_part(&mut self, bit: u32, place: &str, ty: &Type, act: &mut dyn FnMut(&mut Self, u32, &str, &Type, u32)) {
        let mut at = bit;
        let mut part = |w: &mut Self, name: String, ty: &Type| {
            let bits = w.stack.wire_bits(ty).unwrap_or(0);
            act(w, at, &format!("{place}.{name}"), ty, bits);
            at += bits;
        };
        match ty {
            Type::Bytes(n) => (0..*n).for_each(|i| part(self, format!("b[{i}]"), &Type::UInt(8))),
            Type::Array(t, n) => (0..*n).for_each(|i| part(self, format!("v[{i}]"), t)),
            Type::Struct(_) | Type::Tuple(_) => {
                for (i, field) in self.fields(ty).into_iter().enumerate() {
                    let of = self.part_type(ty, i as u32);
                    part(self, field.name, &of);
                }
            }
            Type::Option(t) => {
                part(self, "some".into(), &Type::Bool);
                part(self, "v".into(), t);
            }
            other => self.refuse(format!("packing {other:?}")),
        }
    }

    /// Bits of a number into the bytes behind `from`.
    fn put_bits(&mut self, bit: u32, text: &str, bits: u32) {
        if bits == 0 {
            return;
        }
        let number = crate::numbers::cut(text, bits);
        for byte in bit / 8..=(bit + bits - 1) / 8 {
            let moved = match (byte * 8).checked_sub(bit) {
                Some(0) => number.clone(),
                Some(down) => format!("SHIFTED({number}, {down})"),
                None => format!("({number} << {})", bit - byte * 8),
            };
            self.line(format!("X.b[cut_from + {byte}] = X.b[cut_from + {byte}] | ({moved} & 255);"));
        }
    }

    /// The inverse: an option of a message.
    pub fn unpack(&mut self, into: LocalId, id: LayoutId, m: &str) {
        let name = format!("unpack_{}", id.0);
        if self.inlines_known.insert(name.clone()) {
            let layout = &self.stack.layouts[id.index()];
            let frame = Frame { layer: Some(layout.layer), ..Frame::default() };
            let parameters = ["X", "O", "D"].map(String::from);
            let text = self.inline(
                &name,
                &parameters,
                "Bytes as headers. Bits that mean nothing are not looked i_at.",
                frame,
                |w| {
                    w.zero(&Type::Msg, "O");
                    w.line("D = 1;");
                    w.line("if");
                    for shape in &layout.shapes {
                        let number =
                            w.number_place(layout, shape).map_or(String::new(), |n| format!(" && X.b[0] == {n}"));
                        let (least, most) = (shape.size + shape.data_min, shape.size.saturating_add(shape.data_max));
                        let first = if number.is_empty() { 0 } else { 1 };
                        w.option(format!("X.n >= {} && X.n <= {most}{number}", least.max(first)));
                        w.read_shape(shape);
                        w.end_option();
                    }
                    w.line(":: else -> D = 0");
                    w.line("fi;");
                },
            );
            self.helpers.push(text);
        }
        let (out, done) = (self.temporary(&Type::Msg), self.temporary(&Type::Bool));
        self.line(format!("{name}({m}, {out}, {done});"));
        self.give(into, &Type::Msg, &out, &done);
    }

    fn read_shape(&mut self, shape: &Shape) {
        self.line(format!("O.is_data = {}; O.n = X.n - {}; i_at = 0;", u8::from(shape.data), shape.size));
        self.line(format!("do :: i_at < O.n -> O.b[i_at] = X.b[i_at + {}]; i_at++ :: else -> break od;", shape.size));
        for id in &shape.headers {
            let slot = self.header_slot(self.stack.header(*id).layer);
            self.line(format!("O.{slot} = {};", self.header_constant(*id)));
            for (i, field) in self.stack.header(*id).fields.iter().enumerate() {
                let place = format!("O.{}", self.header_field(*id, i));
                let placed = shape.fields.iter().find(|p| p.header == *id && p.field as usize == i);
                match (placed, &field.ty) {
                    (None, Type::Range(low, _)) => self.line(format!("{place} = {low};")),
                    (None, _) => {}
                    (Some(p), ty) if field.big_endian => {
                        let parts: Vec<String> = (0..field.bits / 8)
                            .map(|byte| format!("({} << {})", get_bits(p.bit + field.bits - 8 - byte * 8, 8), byte * 8))
                            .collect();
                        self.line(format!("{place} = {};", parts.join(" | ")));
                        self.check_value(&place, ty);
                    }
                    (Some(p), ty) => self.get_value(p.bit, &place, ty, field.bits),
                }
            }
        }
    }

    fn get_value(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        if is_scalar(ty) && *ty != Type::Addr {
            let text = get_bits(bit, bits.min(32));
            let text = if crate::types::is_signed(ty) { crate::numbers::sign(&text, bits_of(ty)) } else { text };
            self.line(format!("{place} = {text};"));
            return self.check_value(place, ty);
        }
        if is_wide(ty) {
            self.line(format!("{place}.lo = {};", get_bits(bit, 32)));
            return self.line(format!("{place}.hi = {};", get_bits(bit + 32, bits - 32)));
        }
        self.each_part(bit, place, ty, &mut |w, at, place, ty, bits| w.get_value(at, place, ty, bits));
    }

    fn check_value(&mut self, place: &str, ty: &Type) {
        match ty {
            Type::Range(low, high) => {
                self.line(format!("D = D && {place} >= {low} && {place} < {high};"));
            }
            Type::Enum(id) => {
                let n = self.stack.enums[id.index()].variants.len();
                self.line(format!("D = D && {place} < {n};"));
            }
            _ => {}
        }
    }
}

/// Bits of the bytes of `X` as a number.
fn get_bits(bit: u32, bits: u32) -> String {
    if bits == 0 {
        return "0".into();
    }
    let parts: Vec<String> = (bit / 8..=(bit + bits - 1) / 8)
        .map(|byte| match (byte * 8).checked_sub(bit) {
            Some(up) => format!("(X.b[{byte}] << {up})"),
            None => format!("(X.b[{byte}] >> {})", bit - byte * 8),
        })
        .collect();
    crate::numbers::cut(&format!("({})", parts.join(" | ")), bits)
}
