//! The numbers and bytes of a shape, each at its bit.

use nacre_stack::*;

use crate::types::set_words;
use crate::writer::Writer;

/// Parts of more leaves than these are read and written by loops, as are more bytes that do not begin at a byte. C of a
/// shape is so as long as the declaration of its headers, not as its frames.
const UNROLLED: u64 = 12;

/// The buffer of a big-endian field that is read and written as if it were little-endian.
pub const BIG: &str = "big";

/// A part of a shape at its place.
#[derive(Clone)]
pub struct Leaf {
    /// Its first bit: in the shape, in the entry of an [`What::Each`], in the field of a [`What::Big`].
    pub bit: u32,
    pub bits: u32,
    pub what: What,
    /// It counts only if this flag is set; otherwise its bits must be zero.
    pub guard: Option<String>,
}

/// What is at the place of a leaf.
#[derive(Clone)]
pub enum What {
    /// The same in every message of the shape.
    Fixed(u64),
    /// A number or byte in the message; swapped: big-endian.
    Number { text: String, ty: Type, swapped: bool },
    /// A row of bytes.
    Bytes { text: String, count: u32 },
    /// Entries one after the other, read and written by a loop with this variable.
    Each { count: u32, stride: u32, variable: String, entry: Vec<Leaf> },
    /// A field whose bytes are in the other order.
    Big { field: Vec<Leaf> },
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

/// A value that is flattened: its place, and its surroundings.
struct Part<'p> {
    text: String,
    bit: u32,
    guard: Option<&'p str>,
    /// Loops around it.
    depth: usize,
}

impl Part<'_> {
    fn leaf(&self, what: What, bits: u32) -> Leaf {
        Leaf { bit: self.bit, bits, what, guard: self.guard.map(str::to_string) }
    }

    fn number(&self, text: String, ty: Type, at: u32, bits: u32) -> Leaf {
        Leaf { bit: self.bit + at, ..self.leaf(What::Number { text, ty, swapped: false }, bits) }
    }

    fn inner(&self, text: String, at: u32) -> Part<'_> {
        Part { text, bit: self.bit + at, guard: self.guard, depth: self.depth }
    }
}

impl Writer<'_> {
    /// The parts of a shape, and the fields that take no place in it.
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
                    Some(bit) => self.field_leaves(field, text, bit, &mut leaves),
                }
            }
        }
        (leaves, unplaced)
    }

    fn field_leaves(&self, field: &HeaderField, text: String, bit: u32, to: &mut Vec<Leaf>) {
        let mut found = vec![];
        let part = Part { text, bit: 0, guard: None, depth: 0 };
        self.flatten(&field.ty, &part, field.bits, &mut found);
        if field.big_endian {
            found = match found.iter().all(is_reversible) {
                true => found.into_iter().flat_map(|leaf| reversed(leaf, field.bits)).collect(),
                false => vec![part.leaf(What::Big { field: found }, field.bits)],
            };
        }
        found.iter_mut().for_each(|leaf| leaf.bit += bit);
        to.extend(found);
    }

    fn flatten(&self, ty: &Type, part: &Part, bits: u32, to: &mut Vec<Leaf>) {
        let text = &part.text;
        match ty {
            Type::Bytes(n) => to.push(part.leaf(What::Bytes { text: format!("{text}.at"), count: *n }, n * 8)),
            Type::Addr => {
                to.push(part.leaf(What::Bytes { text: format!("{text}.ip"), count: 16 }, 128));
                to.push(part.number(format!("{text}.port"), Type::UInt(16), 128, 16));
                to.push(part.number(format!("{text}.family"), Type::UInt(16), 144, 16));
            }
            Type::Bits(n) if set_words(ty).is_some() => {
                self.flatten_row(&Type::UInt(64), n / 64, "word", part, to);
                if n % 64 != 0 {
                    let word = format!("{text}.word[{}]", n / 64);
                    to.push(part.number(word, Type::UInt((n % 64) as u8), n - n % 64, n % 64));
                }
            }
            Type::Array(t, n) => self.flatten_row(t, *n, "at", part, to),
            Type::Tuple(types) => self.flatten_members(ty, types, part, to),
            Type::Struct(id) => {
                let fields = &self.stack.structs[id.index()].fields;
                self.flatten_members(ty, &fields.iter().map(|f| f.ty.clone()).collect::<Vec<_>>(), part, to);
            }
            Type::Option(t) => {
                to.push(part.number(format!("{text}.some"), Type::Bool, 0, 1));
                let flag = match part.guard {
                    Some(outer) => format!("{outer} && {text}.some"),
                    None => format!("{text}.some"),
                };
                let inner = Part { guard: Some(&flag), ..part.inner(format!("{text}.value"), 1) };
                self.flatten(t, &inner, self.width(t), to);
            }
            _ => to.push(part.number(text.clone(), ty.clone(), 0, bits)),
        }
    }

    fn flatten_members(&self, ty: &Type, types: &[Type], part: &Part, to: &mut Vec<Leaf>) {
        let mut at = 0;
        for (i, t) in types.iter().enumerate() {
            let text = format!("{}.{}", part.text, self.member(ty, i as u32));
            self.flatten(t, &part.inner(text, at), self.width(t), to);
            at += self.width(t);
        }
    }

    /// Values of one type one after the other, in a member that is an array of C.
    fn flatten_row(&self, t: &Type, n: u32, member: &str, part: &Part, to: &mut Vec<Leaf>) {
        let (text, stride) = (&part.text, self.width(t));
        if self.leaf_count(t).saturating_mul(n as u64) <= UNROLLED {
            for i in 0..n {
                self.flatten(t, &part.inner(format!("{text}.{member}[{i}]"), i * stride), stride, to);
            }
            return;
        }
        let variable = format!("i{}", part.depth);
        let text = format!("{text}.{member}[{variable}]");
        let mut entry = vec![];
        self.flatten(t, &Part { text, bit: 0, guard: part.guard, depth: part.depth + 1 }, stride, &mut entry);
        to.push(Leaf { guard: None, ..part.leaf(What::Each { count: n, stride, variable, entry }, n * stride) });
    }

    fn width(&self, ty: &Type) -> u32 {
        self.stack.wire_bits(ty).unwrap_or(0)
    }

    /// The numbers and rows of bytes in a value.
    fn leaf_count(&self, ty: &Type) -> u64 {
        let sum =
            |types: &mut dyn Iterator<Item = &Type>| types.fold(0u64, |n, t| n.saturating_add(self.leaf_count(t)));
        match ty {
            Type::Addr => 3,
            Type::Bits(n) => n.div_ceil(64).into(),
            Type::Array(t, n) => self.leaf_count(t).saturating_mul((*n).into()),
            Type::Tuple(types) => sum(&mut types.iter()),
            Type::Struct(id) => sum(&mut self.stack.structs[id.index()].fields.iter().map(|f| &f.ty)),
            Type::Option(t) => self.leaf_count(t).saturating_add(1),
            _ => 1,
        }
    }
}

impl Leaf {
    /// Whether straight-line code reads and writes it.
    pub fn is_unrolled(&self) -> bool {
        match &self.what {
            What::Fixed(_) | What::Number { .. } => true,
            What::Bytes { count, .. } => self.bit % 8 == 0 || u64::from(*count) <= UNROLLED,
            What::Each { .. } | What::Big { .. } => false,
        }
    }

    /// Whether it and all in it are whole bytes at whole bytes.
    pub fn is_whole_bytes(&self) -> bool {
        self.bit % 8 == 0
            && match &self.what {
                What::Each { stride, entry, .. } => stride % 8 == 0 && entry.iter().all(Leaf::is_whole_bytes),
                What::Fixed(_) | What::Number { .. } => self.bits % 8 == 0,
                What::Bytes { .. } | What::Big { .. } => true,
            }
    }
}

/// Whether its bytes in the other order are numbers again.
fn is_reversible(leaf: &Leaf) -> bool {
    let few = match leaf.what {
        What::Bytes { count, .. } => u64::from(count) <= UNROLLED,
        _ => leaf.is_unrolled(),
    };
    few && leaf.is_whole_bytes()
}

/// A part of a big-endian field of `bits` bits.
fn reversed(leaf: Leaf, bits: u32) -> Vec<Leaf> {
    let bit = bits - leaf.bit - leaf.bits;
    match leaf.what {
        What::Bytes { text, count } => (0..count)
            .map(|i| Leaf {
                bit: bit + 8 * (count - 1 - i),
                bits: 8,
                what: What::Number { text: format!("{text}[{i}]"), ty: Type::UInt(8), swapped: false },
                guard: leaf.guard.clone(),
            })
            .collect(),
        What::Number { text, ty, .. } => {
            vec![Leaf { bit, what: What::Number { text, ty, swapped: true }, ..leaf }]
        }
        _ => vec![Leaf { bit, ..leaf }],
    }
}
