//! Messages as bytes: straight-line code for each shape of a layout. `parsing` is the way back.

use nacre_stack::*;

use crate::code::Code;
use crate::types::{constant, mask_constant, Scalar};
use crate::writer::Writer;

/// A number of a shape at its place.
pub struct Leaf {
    pub bit: u32,
    pub bits: u32,
    pub what: What,
    /// It counts only if this flag is set; otherwise its bits must be zero.
    pub guard: Option<String>,
}

pub enum What {
    /// The same in every message of the shape.
    Fixed(u64),
    /// A number or byte in the message; swapped: big-endian.
    Number { text: String, ty: Type, swapped: bool },
    /// So many bytes.
    Bytes { text: String, count: u32 },
}

/// Numbers of the shape that every message of it has.
fn number_leaves(layout: &Layout, shape: &Shape) -> Vec<Leaf> {
    let number = shape.number as u64;
    let fixed = |bit, value, bits| Leaf { bit, bits, what: What::Fixed(value), guard: None };
    match layout.form {
        LayoutForm::Plain if layout.shapes.len() <= 1 => vec![],
        LayoutForm::Plain if number < 255 => vec![fixed(0, number, 8)],
        LayoutForm::Plain => vec![fixed(0, 255, 8), fixed(8, number, 16)],
        LayoutForm::Preamble => {
            let mut leaves = vec![fixed(0, shape.identified as u64, 1), fixed(1, number.min(126), 7)];
            if number >= 126 {
                leaves.push(fixed(if shape.identified { 96 } else { 32 }, number, 16));
            }
            leaves
        }
    }
}

impl Writer<'_> {
    /// From which layer on messages of a layout carry headers.
    pub fn layout_level(&self, layout: LayoutId) -> usize {
        if layout.0 == 0 || self.stack.ports.iter().any(|port| port.frames == Some(layout)) {
            0
        } else {
            self.stack.layouts[layout.index()].layer.index() + 1
        }
    }

    pub fn longest_head(&self, layout: LayoutId) -> u32 {
        self.stack.layouts[layout.index()].shapes.iter().map(|s| s.size).max().unwrap_or(0)
    }

    pub fn leaves(&self, layout: &Layout, shape: &Shape, message: &str) -> (Vec<Leaf>, Vec<(String, Type)>) {
        let mut leaves = number_leaves(layout, shape);
        let mut unplaced = vec![];
        for header in &shape.headers {
            let declared = self.stack.header(*header);
            let slots = &self.slots[declared.layer.index()];
            for (i, field) in declared.fields.iter().enumerate() {
                let text = format!("{message}{}", slots.place(*header, i));
                let bit = match field.place {
                    FieldPlace::Cookie => Some(8),
                    FieldPlace::Fingerprint => Some(32),
                    FieldPlace::Packed | FieldPlace::Byte(_) => {
                        shape.fields.iter().find(|p| p.header == *header && p.field as usize == i).map(|p| p.bit)
                    }
                };
                match bit {
                    None => unplaced.push((text, field.ty.clone())),
                    Some(bit) => self.field_leaves(&field.ty, text, bit, field.bits, field.big_endian, &mut leaves),
                }
            }
        }
        (leaves, unplaced)
    }

    fn field_leaves(&self, ty: &Type, text: String, bit: u32, bits: u32, big_endian: bool, to: &mut Vec<Leaf>) {
        let mut found = vec![];
        self.flatten(ty, text, 0, bits, None, &mut found);
        if big_endian {
            for leaf in &mut found {
                leaf.bit = bits - leaf.bit - leaf.bits;
                if let What::Number { swapped, .. } = &mut leaf.what {
                    *swapped = true;
                }
            }
            found = found.into_iter().flat_map(reversed).collect();
        }
        found.iter_mut().for_each(|leaf| leaf.bit += bit);
        to.extend(found);
    }

    fn flatten(&self, ty: &Type, text: String, bit: u32, bits: u32, guard: Option<&str>, to: &mut Vec<Leaf>) {
        let width = |ty: &Type| self.stack.wire_bits(ty).unwrap_or(0);
        let guarded = guard.map(str::to_string);
        let number = |text: String, ty: Type, bit: u32, bits: u32| Leaf {
            bit,
            bits,
            what: What::Number { text, ty, swapped: false },
            guard: guarded.clone(),
        };
        match ty {
            Type::Bytes(n) => to.push(Leaf {
                bit,
                bits: n * 8,
                what: What::Bytes { text: format!("{text}.at"), count: *n },
                guard: guarded,
            }),
            Type::Addr => {
                to.push(Leaf {
                    bit,
                    bits: 128,
                    what: What::Bytes { text: format!("{text}.ip"), count: 16 },
                    guard: guarded.clone(),
                });
                to.push(number(format!("{text}.port"), Type::UInt(16), bit + 128, 16));
                to.push(number(format!("{text}.family"), Type::UInt(16), bit + 144, 16));
            }
            Type::Bits(n) if *n > 64 => {
                for word in 0..n.div_ceil(64) {
                    let bits = (n - word * 64).min(64);
                    to.push(number(format!("{text}.word[{word}]"), Type::UInt(bits as u8), bit + word * 64, bits));
                }
            }
            Type::Array(t, n) => {
                for i in 0..*n {
                    self.flatten(t, format!("{text}.at[{i}]"), bit + i * width(t), width(t), guard, to);
                }
            }
            Type::Tuple(_) | Type::Struct(_) => {
                let types: Vec<Type> = match ty {
                    Type::Tuple(types) => types.clone(),
                    Type::Struct(id) => self.stack.structs[id.index()].fields.iter().map(|f| f.ty.clone()).collect(),
                    _ => vec![],
                };
                let mut at = bit;
                for (i, t) in types.iter().enumerate() {
                    self.flatten(t, format!("{text}.{}", self.member(ty, i as u32)), at, width(t), guard, to);
                    at += width(t);
                }
            }
            Type::Option(t) => {
                to.push(number(format!("{text}.some"), Type::Bool, bit, 1));
                let flag = match guard {
                    Some(outer) => format!("{outer} && {text}.some"),
                    None => format!("{text}.some"),
                };
                self.flatten(t, format!("{text}.value"), bit + 1, width(t), Some(&flag), to);
            }
            _ => to.push(number(text, ty.clone(), bit, bits)),
        }
    }

    /// Writes the head of a shape to `to`; the message is `m`.
    fn write_shape(&mut self, layout: &Layout, shape: &Shape, code: &mut Code) {
        let p = self.prefix.clone();
        let (leaves, _) = self.leaves(layout, shape, "m.");
        let mut covered = vec![false; shape.size as usize];
        let mut numbers: Vec<(u32, u32, String)> = vec![];
        for leaf in leaves {
            match &leaf.what {
                What::Bytes { text, count } if leaf.bit % 8 == 0 => {
                    let at = leaf.bit / 8;
                    if *count > 0 {
                        code.line(format!("memcpy(to + {at}, {text}, {count});"));
                    }
                    covered[at as usize..(at + count) as usize].fill(true);
                }
                What::Bytes { text, count } => {
                    (0..*count).for_each(|i| numbers.push((leaf.bit + 8 * i, 8, format!("(uint64_t){text}[{i}]"))));
                }
                What::Fixed(0) => {}
                What::Fixed(value) => numbers.push((leaf.bit, leaf.bits, constant(*value, Scalar::WORD))),
                What::Number { text, ty, swapped } => {
                    let scalar = self.scalar(ty).unwrap_or(Scalar::Bool);
                    let value = match scalar {
                        Scalar::Signed { bits, .. } if bits < 64 => {
                            format!("((uint64_t){text} & {})", mask_constant(bits))
                        }
                        _ => format!("(uint64_t){text}"),
                    };
                    let value = if *swapped { format!("{p}_swap({value}, {}u)", leaf.bits / 8) } else { value };
                    numbers.push((leaf.bit, leaf.bits, value));
                }
            }
        }
        for (at, n) in chunks(&covered) {
            let (from, to) = (at * 8, (at + n) * 8);
            let parts: Vec<String> = numbers
                .iter()
                .filter(|(bit, bits, _)| *bit < to && bit + bits > from)
                .map(|(bit, _, value)| match bit.cmp(&from) {
                    std::cmp::Ordering::Equal => value.clone(),
                    std::cmp::Ordering::Greater => format!("{value} << {}", bit - from),
                    std::cmp::Ordering::Less => format!("{value} >> {}", from - bit),
                })
                .collect();
            let word = if parts.is_empty() { "0".into() } else { parts.join(" | ") };
            code.line(format!("{p}_put(to + {at}, {word}, {n}u);"));
        }
    }

    /// A function that writes what stands in front of the data, and gives its length; UINT32_MAX: no such shape.
    pub fn head_function(&mut self, layout: LayoutId, event: Option<EventId>) -> String {
        let p = self.prefix.clone();
        let name = match event {
            Some(event) => format!("{p}_head_{}_{}", layout.0, crate::names::plain(&self.stack.event(event).name)),
            None => format!("{p}_head_{}", layout.0),
        };
        self.helper(name, |w, name| {
            let level = w.layout_level(layout);
            let stack = w.stack;
            let declared = &stack.layouts[layout.index()];
            let ty = w.message_type(level);
            let mut code = Code::new(0);
            let word = if w.level == crate::Level::Inline { "_INLINE" } else { "_PLAIN" };
            code.open(format!("{p}{word} uint32_t {name}({ty} m, uint8_t *to) {{"));
            let key = w.key_of(level, "m.");
            code.open(format!("switch ({key}) {{"));
            for (key, shape) in w.shape_keys(declared, level, event) {
                let names: Vec<&str> = shape.headers.iter().map(|h| stack.header(*h).name.as_str()).collect();
                code.open(format!("case {key}: /* {} */", names.join(" ")));
                w.write_shape(declared, shape, &mut code);
                code.line(format!("return {}u;", shape.size));
                code.close("");
            }
            code.line("default: break;");
            code.close("}");
            code.line("(void)to;");
            code.line("return UINT32_MAX;");
            code.close("}");
            code
        })
    }

    /// A number that says which headers are on a message and whether it is data; of 64 bits where 32 are too few.
    fn key_of(&self, level: usize, message: &str) -> String {
        let layers = self.slot_layers(level);
        let variants = |layer: &usize| self.slots[*layer].headers.len() as u64 + 1;
        let keys: u64 = layers.iter().map(variants).product::<u64>() * 2;
        let bits = if keys <= 1 << 32 { 32 } else { 64 };
        let mut text = format!("(uint{bits}_t){message}data");
        let mut radix = 2u64;
        for layer in layers {
            text = format!("{text} + {} * {message}{}", constant(radix, Scalar::unsigned(bits)), self.slots[layer].tag);
            radix *= variants(&layer);
        }
        text
    }

    fn shape_keys<'s>(&self, layout: &'s Layout, level: usize, event: Option<EventId>) -> Vec<(u64, &'s Shape)> {
        let mut found: Vec<(u64, &Shape)> = vec![];
        let fitting = layout.shapes.iter().filter(|s| event.is_none_or(|e| s.event == e));
        for shape in fitting.chain(&layout.shapes) {
            let (mut key, mut radix) = (shape.data as u64, 2u64);
            for layer in self.slot_layers(level) {
                let header = shape.headers.iter().find(|h| self.stack.header(**h).layer.index() == layer);
                key += radix * header.map_or(0, |h| self.slots[layer].number(*h) as u64);
                radix *= self.slots[layer].headers.len() as u64 + 1;
            }
            if found.iter().all(|(k, _)| *k != key) {
                found.push((key, shape));
            }
        }
        found
    }

    /// A function that reads one shape; `at` has at least `len` bytes or the longest head.
    pub fn shape_function(&mut self, layout: LayoutId, index: usize) -> String {
        let p = self.prefix.clone();
        self.helper(format!("{p}_shape_{}_{index}", layout.0), |w, name| {
            let level = w.layout_level(layout);
            let stack = w.stack;
            let declared = &stack.layouts[layout.index()];
            let shape = &declared.shapes[index];
            let ty = w.message_type(level);
            let mut code = Code::new(0);
            let names: Vec<&str> = shape.headers.iter().map(|h| stack.header(*h).name.as_str()).collect();
            code.line(format!(
                "/* {}: {} bytes, then {} to {} of data */",
                names.join(" "),
                shape.size,
                shape.data_min,
                shape.data_max
            ));
            code.open(format!("{p}_INLINE bool {name}(const uint8_t *at, uint32_t len, {ty} *m) {{"));
            w.read_shape(declared, shape, &mut code);
            code.line("return true;");
            code.close("}");
            code
        })
    }
}

/// The condition under which a frame has the length of a shape; none if any is long enough.
pub fn fitting(shape: &Shape) -> Option<String> {
    let span = shape.data_max.saturating_sub(shape.data_min);
    let least = shape.size as u64 + shape.data_min as u64;
    (span < u32::MAX - shape.size).then(|| format!("len - {least}u <= {span}u"))
}

/// Big-endian bytes stand in the other order.
fn reversed(leaf: Leaf) -> Vec<Leaf> {
    match leaf.what {
        What::Bytes { text, count } => (0..count)
            .map(|i| Leaf {
                bit: leaf.bit + 8 * (count - 1 - i),
                bits: 8,
                what: What::Number { text: format!("{text}[{i}]"), ty: Type::UInt(8), swapped: false },
                guard: leaf.guard.clone(),
            })
            .collect(),
        _ => vec![leaf],
    }
}

/// Runs of bytes that are not covered, cut into words.
pub fn chunks(covered: &[bool]) -> Vec<(u32, u32)> {
    let (mut found, mut at) = (vec![], 0usize);
    while at < covered.len() {
        if covered[at] {
            at += 1;
            continue;
        }
        let run = covered[at..].iter().take_while(|c| !**c).count();
        let n = [8, 4, 2, 1].into_iter().find(|n| *n <= run).unwrap_or(1);
        found.push((at as u32, n as u32));
        at += n;
    }
    found
}
