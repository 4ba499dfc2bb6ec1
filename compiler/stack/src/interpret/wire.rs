//! Messages as bytes and back, as [`Layout`] says.

use super::report::Rule;
use super::run::Run;
use super::value::{Addr, Message, Value};
use crate::*;

/// Bits of a string of bytes, from the least significant of the first.
struct Bits(Vec<bool>);

impl Bits {
    fn of(bytes: &[u8]) -> Bits {
        Bits((0..bytes.len() * 8).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1).collect())
    }
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.0.len().div_ceil(8)];
        self.0.iter().enumerate().for_each(|(i, bit)| bytes[i / 8] |= (*bit as u8) << (i % 8));
        bytes
    }
    fn number(&self) -> u64 {
        self.0.iter().take(64).enumerate().fold(0, |n, (i, bit)| n | (*bit as u64) << i)
    }
    fn put(&mut self, n: u64, bits: u32) {
        self.0.extend((0..bits).map(|i| i < 64 && n >> i & 1 == 1));
    }
    /// The other order of bytes.
    fn swapped(self) -> Bits {
        Bits(self.0.chunks(8).rev().flatten().copied().collect())
    }
}

/// Bits of one field that are still to be read.
struct Reader<'b>(&'b [bool]);

impl Reader<'_> {
    fn take(&mut self, bits: u32) -> Option<Bits> {
        let (head, tail) = self.0.split_at_checked(bits as usize)?;
        self.0 = tail;
        Some(Bits(head.to_vec()))
    }
}

/// The decoded bytes.
pub struct Parsed {
    pub shape: usize,
    pub headers: Vec<(HeaderId, Vec<Value>)>,
    /// Bytes in front of the data.
    pub size: usize,
}

/// The first bit of a field.
fn place_of(shape: &Shape, header: HeaderId, field: usize, declared: &HeaderField) -> Option<u32> {
    let placed = shape.fields.iter().find(|p| p.header == header && p.field as usize == field);
    match declared.place {
        FieldPlace::Cookie => Some(8),
        FieldPlace::Fingerprint if shape.identified => Some(32),
        _ => placed.map(|p| p.bit),
    }
}

impl Stack {
    /// The shape of a message in a layout.
    pub fn shape_of(&self, layout: &Layout, message: &Message, event: Option<EventId>) -> Option<usize> {
        let mut headers: Vec<HeaderId> = message.headers.iter().map(|(id, _)| *id).collect();
        headers.sort_by_key(|id| self.header(*id).layer);
        let same = |shape: &&Shape| shape.headers == headers && shape.data == message.data;
        let fits = |shape: &Shape| same(&shape) && event.is_none_or(|event| shape.event == event);
        layout.shapes.iter().position(fits).or_else(|| layout.shapes.iter().position(|s| same(&s)))
    }

    /// The bytes in front of a message's data.
    pub fn head(&self, layout: &Layout, shape: &Shape, headers: &[(HeaderId, Vec<Value>)]) -> Vec<u8> {
        let mut frame = Bits(vec![false; shape.size as usize * 8]);
        let mut write = |at: u32, bits: &Bits| {
            for (i, bit) in bits.0.iter().enumerate() {
                if let Some(place) = frame.0.get_mut(at as usize + i) {
                    *place = *bit;
                }
            }
        };
        for (at, number, bits) in number_places(layout, shape) {
            let mut part = Bits(vec![]);
            part.put(number, bits);
            write(at, &part);
        }
        for (id, values) in headers {
            for (index, (field, value)) in self.header(*id).fields.iter().zip(values).enumerate() {
                let Some(at) = place_of(shape, *id, index, field) else { continue };
                let mut bits = Bits(vec![]);
                self.encode(&field.ty, value, Some(field.bits), &mut bits);
                write(at, &if field.big_endian { bits.swapped() } else { bits });
            }
        }
        frame.bytes()
    }

    /// Decodes the headers; none: the bytes are no message of this layout.
    pub fn parse(&self, layout: &Layout, bytes: &[u8]) -> Option<Parsed> {
        let index = find_shape(layout, bytes)?;
        let shape = &layout.shapes[index];
        let size = shape.size as usize;
        let head = Bits::of(bytes.get(..size)?);
        let length = (bytes.len() - size) as u64;
        if length < shape.data_min as u64 || length > shape.data_max as u64 {
            return None;
        }
        let mut used = vec![false; head.0.len()];
        for (at, _, bits) in number_places(layout, shape) {
            used.get_mut(at as usize..(at + bits) as usize)?.fill(true);
        }
        let mut headers = vec![];
        for id in shape.headers.iter().rev() {
            let mut values = vec![];
            for (field_index, field) in self.header(*id).fields.iter().enumerate() {
                let Some(at) = place_of(shape, *id, field_index, field).map(|at| at as usize) else {
                    values.push(self.unplaced(&field.ty));
                    continue;
                };
                let end = at + field.bits as usize;
                let bits = Bits(head.0.get(at..end)?.to_vec());
                used.get_mut(at..end)?.fill(true);
                let bits = if field.big_endian { bits.swapped() } else { bits };
                values.push(self.decode(&field.ty, Some(field.bits), &mut Reader(&bits.0))?);
            }
            headers.push((*id, values));
        }
        let clean = head.0.iter().zip(used).all(|(bit, used)| used || !bit);
        clean.then_some(Parsed { shape: index, headers, size })
    }

    /// The one value of a field that takes no place.
    fn unplaced(&self, ty: &Type) -> Value {
        match ty {
            Type::Range(low, _) => Value::Num(*low),
            ty => self.zero(ty),
        }
    }

    fn encode(&self, ty: &Type, value: &Value, bits: Option<u32>, to: &mut Bits) {
        let all = |types: &mut dyn Iterator<Item = &Type>, to: &mut Bits| {
            if let Value::Tuple(parts) = value {
                types.zip(parts).for_each(|(t, v)| self.encode(t, v, None, to));
            }
        };
        match (ty, value) {
            (Type::Bits(n), Value::Set(words)) => (0..*n).for_each(|i| to.put(words[i as usize / 64] >> (i % 64), 1)),
            (Type::Bytes(_), Value::Bytes(bytes)) => bytes.iter().for_each(|b| to.put(*b as u64, 8)),
            (Type::Addr, Value::Addr(addr)) => addr.bytes().iter().for_each(|b| to.put(*b as u64, 8)),
            (Type::Array(t, n), _) => all(&mut (0..*n).map(|_| &**t), to),
            (Type::Tuple(types), _) => all(&mut types.iter(), to),
            (Type::Struct(id), _) => all(&mut self.structs[id.index()].fields.iter().map(|f| &f.ty), to),
            (Type::Option(t), Value::Option(inner)) => {
                to.put(inner.is_some() as u64, 1);
                match inner {
                    Some(value) => self.encode(t, value, None, to),
                    None => to.put(0, self.wire_bits(t).unwrap_or(0)),
                }
            }
            (ty, value) => to.put(value.num(), bits.or_else(|| self.wire_bits(ty)).unwrap_or(0)),
        }
    }

    fn decode(&self, ty: &Type, bits: Option<u32>, from: &mut Reader) -> Option<Value> {
        let width = self.wire_bits(ty)?;
        Some(match ty {
            Type::Bits(n) => {
                let taken = from.take(*n)?;
                Value::Set(taken.0.chunks(64).map(|word| Bits(word.to_vec()).number()).collect())
            }
            Type::Bytes(_) => Value::Bytes(from.take(width)?.bytes()),
            Type::Addr => Value::Addr(Addr::of_bytes(from.take(width)?.bytes().as_slice().try_into().ok()?)),
            Type::Array(t, n) => Value::Tuple((0..*n).map(|_| self.decode(t, None, from)).collect::<Option<Vec<_>>>()?),
            Type::Tuple(types) => {
                Value::Tuple(types.iter().map(|t| self.decode(t, None, from)).collect::<Option<Vec<_>>>()?)
            }
            Type::Struct(id) => {
                let fields = &self.structs[id.index()].fields;
                Value::Tuple(fields.iter().map(|f| self.decode(&f.ty, None, from)).collect::<Option<Vec<_>>>()?)
            }
            Type::Option(t) => {
                let there = from.take(1)?.0[0];
                if there {
                    return Some(Value::some(self.decode(t, None, from)?));
                }
                let rest = from.take(width - 1)?;
                return rest.0.iter().all(|bit| !bit).then(Value::none);
            }
            ty => {
                let taken = from.take(bits.unwrap_or(width))?;
                let value = Value::Num(taken.number());
                if taken.0.iter().skip(64).any(|bit| *bit) || !self.fits(&value, ty) {
                    return None;
                }
                value
            }
        })
    }
}

/// The place and value of a shape's number: first bit, value, width.
fn number_places(layout: &Layout, shape: &Shape) -> Vec<(u32, u64, u32)> {
    let number = shape.number as u64;
    match layout.form {
        LayoutForm::Plain if layout.shapes.len() <= 1 => vec![],
        LayoutForm::Plain if number < 255 => vec![(0, number, 8)],
        LayoutForm::Plain => vec![(0, 255, 8), (8, number, 16)],
        LayoutForm::Preamble => {
            let mut places = vec![(0, shape.identified as u64, 1), (1, number.min(126), 7)];
            if number >= 126 {
                places.push((if shape.identified { 96 } else { 32 }, number, 16));
            }
            places
        }
    }
}

/// The shape that the first bytes name. A number that has a short form is not accepted in the long one.
fn find_shape(layout: &Layout, bytes: &[u8]) -> Option<usize> {
    let long = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]) as u32);
    let (number, identified) = match layout.form {
        LayoutForm::Plain if layout.shapes.len() <= 1 => return (!layout.shapes.is_empty()).then_some(0),
        LayoutForm::Plain => match *bytes.first()? {
            255 => (long(1).filter(|n| *n >= 255)?, None),
            n => (n as u32, None),
        },
        LayoutForm::Preamble => {
            let first = *bytes.first()?;
            let identified = first & 1 == 1;
            let number = match first >> 1 {
                127 => return None,
                126 => long(if identified { 12 } else { 4 }).filter(|n| *n >= 126)?,
                n => n as u32,
            };
            (number, Some(identified))
        }
    };
    let same = |shape: &Shape| shape.number == number && identified.is_none_or(|i| shape.identified == i);
    layout.shapes.iter().position(same)
}

impl Run<'_> {
    /// Headers and data as bytes, in a message without headers.
    pub fn pack(&mut self, id: LayoutId, message: Message) -> Message {
        self.pack_as(id, message, None).unwrap_or_default()
    }

    /// A frame for the transport; none: the message has no shape.
    pub fn frame(&mut self, layout: LayoutId, message: Message, event: EventId) -> Option<Vec<u8>> {
        self.pack_as(layout, message, Some(event)).map(|m| m.bytes())
    }

    fn pack_as(&mut self, id: LayoutId, message: Message, event: Option<EventId>) -> Option<Message> {
        let layout = self.stack.layouts.get(id.index())?;
        let Some(index) = self.stack.shape_of(layout, &message, event) else {
            let names: Vec<&str> = message.headers.iter().map(|(h, _)| self.stack.header(*h).name.as_str()).collect();
            let kind = if message.data { "data" } else { "control" };
            self.broken(Rule::Complete, format!("no shape for a {kind} message with the headers {names:?}"));
            return None;
        };
        let shape = &layout.shapes[index];
        let length = message.len() as u64;
        if length < shape.data_min as u64 || length > shape.data_max as u64 {
            let too_long = event.is_some() && length > u64::from(self.stack.bounds.frame_data);
            let rule = if too_long { Rule::Long } else { Rule::Space };
            let packed = if event.is_some() { "a frame" } else { "a packed message" };
            self.report(rule, format!("{length} bytes of data in {packed} of shape {}", shape.number));
        }
        let mut bytes = self.stack.head(layout, shape, &message.headers);
        bytes.extend(message.bytes());
        Some(Message::made(&bytes, message.data))
    }

    /// The inverse of `pack`.
    pub fn unpack(&mut self, id: LayoutId, message: Message) -> Option<Message> {
        let layout = self.stack.layouts.get(id.index())?;
        let parsed = self.stack.parse(layout, &message.bytes())?;
        let data = layout.shapes[parsed.shape].data;
        Some(Message { headers: parsed.headers, data, ..message.slice(parsed.size as u64, u64::MAX) })
    }
}
