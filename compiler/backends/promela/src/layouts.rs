//! Messages as bytes: headers as bits in front of the data, and back, as layouts say. Layers pack themselves; frames
//! are packed where they can be damaged ([`crate::frames`]).

use nacre_stack::*;

use crate::refusal::{Construct, Counted, Reason};
use crate::types::{bits_of, is_scalar, is_signed, is_wide};
use crate::writer::{Frame, Writer};

impl Writer<'_> {
    /// The condition that a message has a shape.
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

    /// Packs a message into the bytes of a message without headers.
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
                w.write_one_of(layout, &layout.shapes.iter().collect::<Vec<_>>());
            });
            self.helpers.push(text);
        }
        self.line(format!("{name}({to}, {m});"));
    }

    /// Appends the headers of `M` to `X`, as the first shape that it has.
    pub fn write_one_of(&mut self, layout: &Layout, shapes: &[&Shape]) {
        let most = if layout.form == LayoutForm::Preamble { 126 } else { 255 };
        if shapes.iter().any(|s| s.number >= most) {
            self.refuse(Reason::Size(Counted::Shapes, most.into()));
        }
        // Common fields of all shapes are written once, because SPIN limits the statements of a step.
        let most = shapes.iter().map(|s| s.size).max().unwrap_or(0);
        self.line("cut_from = X.n; i_at = 0;");
        self.line(format!("do :: i_at < {most} -> put_byte(X, 0); i_at++ :: else -> break od;"));
        self.line("if");
        for shape in shapes {
            self.option(self.has_shape(shape, "M"));
            self.line(format!("X.n = cut_from + {};", shape.size));
            self.write_shape(layout, shape);
            self.end_option();
        }
        self.line(":: else -> assert(false) /* no shape for the message */");
        self.line("fi;");
    }

    fn write_shape(&mut self, layout: &Layout, shape: &Shape) {
        if let Some(first) = first_byte(layout, shape) {
            self.line(format!("X.b[cut_from] = {first};"));
        }
        for id in &shape.headers {
            for (i, field) in self.stack.header(*id).fields.iter().enumerate() {
                let Some(bit) = place_of(shape, *id, i, field) else { continue };
                let place = format!("M.{}", self.header_field(*id, i));
                if field.big_endian {
                    self.put_swapped(bit, &place, &field.ty, field.bits);
                } else {
                    self.put_value(bit, &place, &field.ty, field.bits);
                }
            }
        }
    }

    fn put_swapped(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        if !is_scalar(ty) || bits % 8 != 0 {
            return self.refuse(Reason::Of(Construct::PackHighestFirst, ty.clone()));
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

    /// Calls `act` for the parts of a value in the order in which they are packed.
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
            other => self.refuse(Reason::Of(Construct::Pack, other.clone())),
        }
    }

    /// Writes the bits of a number to the bytes after `from`.
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

    /// Unpacks a message into an option.
    pub fn unpack(&mut self, into: LocalId, id: LayoutId, m: &str) {
        let (out, done) = (self.temporary(&Type::Msg), self.temporary(&Type::Bool));
        self.parse(id, m, &out, &done);
        self.give(into, &Type::Msg, &out, &done);
    }

    /// Parses bytes into a message; `done` is set to whether they encode one.
    pub fn parse(&mut self, id: LayoutId, from: &str, to: &str, done: &str) {
        let name = format!("unpack_{}", id.0);
        if self.inlines_known.insert(name.clone()) {
            let layout = &self.stack.layouts[id.index()];
            let frame = Frame { layer: Some(layout.layer), ..Frame::default() };
            let text = self.inline(&name, &["X", "O", "D"].map(String::from), "Bytes as headers.", frame, |w| {
                w.zero(&Type::Msg, "O");
                w.line("D = 1;");
                w.line("if");
                for shape in &layout.shapes {
                    let first = first_byte(layout, shape);
                    let named = first.map_or(String::new(), |n| format!(" && X.b[0] == {n}"));
                    let (least, most) = (shape.size + shape.data_min, shape.size.saturating_add(shape.data_max));
                    let most = if most < 255 { format!(" && X.n <= {most}") } else { String::new() };
                    w.option(format!("X.n >= {}{most}{named}", least.max(u32::from(first.is_some()))));
                    w.read_shape(layout, shape);
                    w.end_option();
                }
                w.line(":: else -> D = 0; cut_from = X.n");
                w.line("fi;");
                w.line("O.n = X.n - cut_from; i_at = 0;");
                w.line("do :: i_at < O.n -> O.b[i_at] = X.b[i_at + cut_from]; i_at++ :: else -> break od;");
            });
            self.helpers.push(text);
        }
        self.line(format!("{name}({from}, {to}, {done});"));
    }

    fn read_shape(&mut self, layout: &Layout, shape: &Shape) {
        self.line(format!("O.is_data = {}; cut_from = {};", u8::from(shape.data), shape.size));
        let mut used = vec![false; shape.size as usize * 8];
        let mut use_ =
            |bit: u32, bits: u32| used.iter_mut().skip(bit as usize).take(bits as usize).for_each(|b| *b = true);
        use_(0, if first_byte(layout, shape).is_some() { 8 } else { 0 });
        for id in &shape.headers {
            let slot = self.header_slot(self.stack.header(*id).layer);
            self.line(format!("O.{slot} = {};", self.header_constant(*id)));
            for (i, field) in self.stack.header(*id).fields.iter().enumerate() {
                let place = format!("O.{}", self.header_field(*id, i));
                match (place_of(shape, *id, i, field), &field.ty) {
                    (None, ty @ Type::Range(low, _)) => self.least(*low, ty, &place),
                    (None, _) => {}
                    (Some(bit), ty) => {
                        use_(bit, field.bits);
                        match field.big_endian {
                            true => self.get_swapped(bit, &place, ty, field.bits),
                            false => self.get_value(bit, &place, ty, field.bits),
                        }
                    }
                }
            }
        }
        let rest = (0..used.len() as u32).filter(|bit| !used[*bit as usize]).collect::<Vec<_>>();
        self.check_zero(&rest);
    }

    /// Checks that unused bits are zero.
    fn check_zero(&mut self, bits: &[u32]) {
        let Some(last) = bits.last() else { return };
        let byte = |byte: u32| {
            let mask = bits.iter().filter(|bit| **bit / 8 == byte).fold(0, |mask, bit| mask | 1u32 << (bit % 8));
            (mask != 0).then(|| format!("(X.b[{byte}] & {mask}) == 0"))
        };
        let bytes: Vec<String> = (0..=last / 8).filter_map(byte).collect();
        self.line(format!("D = D && {};", bytes.join(" && ")));
    }

    fn get_swapped(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        if !is_scalar(ty) || bits % 8 != 0 {
            return self.refuse(Reason::Of(Construct::PackHighestFirst, ty.clone()));
        }
        let byte = |byte: u32| format!("({} << {})", get_bits(bit + bits - 8 - byte * 8, 8), byte * 8);
        let bytes: Vec<String> = (0..bits / 8).map(byte).collect();
        self.set_number(place, &format!("({})", bytes.join(" | ")), ty);
    }

    fn get_value(&mut self, bit: u32, place: &str, ty: &Type, bits: u32) {
        match ty {
            Type::Duration | Type::Instant => self.refuse(Reason::ParsedTime),
            Type::Option(inner) => {
                self.line(format!("{place}.some = {};", get_bits(bit, 1)));
                self.line("if");
                self.option(format!("{place}.some"));
                self.get_value(bit + 1, &format!("{place}.v"), inner, bits - 1);
                self.line("skip");
                self.end_option();
                self.otherwise();
                self.check_zero(&(bit + 1..bit + bits).collect::<Vec<_>>());
                self.line("skip");
                self.end_option();
                self.line("fi;");
            }
            ty if is_scalar(ty) && *ty != Type::Addr => self.set_number(place, &get_bits(bit, bits), ty),
            ty if is_wide(ty) => {
                let high = get_bits(bit + 32, bits - 32);
                let high = if is_signed(ty) { crate::numbers::sign(&high, bits - 32) } else { high };
                self.line(format!("{place}.lo = {}; {place}.hi = {high};", get_bits(bit, 32)));
            }
            ty => self.each_part(bit, place, ty, &mut |w, at, place, ty, bits| w.get_value(at, place, ty, bits)),
        }
    }

    fn set_number(&mut self, place: &str, text: &str, ty: &Type) {
        let text = if is_signed(ty) { crate::numbers::sign(text, bits_of(ty)) } else { text.into() };
        self.line(format!("{place} = {text};"));
        self.check_value(place, ty);
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

/// The first byte of all frames of a shape; none: it does not depend on the shape.
fn first_byte(layout: &Layout, shape: &Shape) -> Option<u32> {
    match layout.form {
        LayoutForm::Plain if layout.shapes.len() <= 1 => None,
        LayoutForm::Plain => Some(shape.number),
        LayoutForm::Preamble => Some(u32::from(shape.identified) | shape.number << 1),
    }
}

/// The first bit of a field; none: it occupies no bits.
fn place_of(shape: &Shape, header: HeaderId, field: usize, declared: &HeaderField) -> Option<u32> {
    match declared.place {
        FieldPlace::Cookie => Some(8),
        FieldPlace::Fingerprint if shape.identified => Some(32),
        _ => shape.fields.iter().find(|p| p.header == header && p.field as usize == field).map(|p| p.bit),
    }
}

/// Reads bits of the bytes of `X` as a number.
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
