//! Values as the interpreter holds them; among them messages: headers, and a rope of byte strings that are shared.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::operations::window::Window;
use crate::{mask, HeaderId, Stack, Type};

/// A timer that is not armed, and the deadline of a stack in which none is.
pub const NEVER: u64 = u64::MAX;

/// A transport address, as in `struct nacre_addr`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Addr {
    pub ip: [u8; 16],
    pub port: u16,
    pub family: u16,
}

impl Addr {
    /// The address as 20 bytes: ip, port and family, little-endian.
    pub fn bytes(&self) -> [u8; 20] {
        let mut bytes = [0; 20];
        bytes[..16].copy_from_slice(&self.ip);
        bytes[16..18].copy_from_slice(&self.port.to_le_bytes());
        bytes[18..].copy_from_slice(&self.family.to_le_bytes());
        bytes
    }
    /// Decodes the 20 bytes of an address: 16 of the IP address, then port and family, both little-endian.
    pub fn of_bytes(bytes: &[u8; 20]) -> Addr {
        let mut ip = [0; 16];
        ip.copy_from_slice(&bytes[..16]);
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Addr { ip, port: half(16), family: half(18) }
    }
}

/// A value. Its type follows from the context.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Bool, UInt, Int, Seq, Range, Enum, Duration, Instant: masked to the width of its type.
    Num(u64),
    /// Bits: 64 elements a word, ceil(n / 64) words.
    Set(Vec<u64>),
    /// A deadline or [`NEVER`].
    Timer(u64),
    /// Bytes, Text and View.
    Bytes(Vec<u8>),
    Addr(Addr),
    Option(Option<Box<Value>>),
    /// Struct, Tuple, Array.
    Tuple(Vec<Value>),
    /// Ring and List, oldest first.
    Row(VecDeque<Value>),
    Window(Window<Value>),
    Pool(Vec<Option<Value>>),
    Map(Vec<Option<(Value, Value)>>),
    Msg(Message),
    /// Moved out of here, or not set yet.
    Gone,
}

/// A message. At most one header for each layer, the lowest last.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub headers: Vec<(HeaderId, Vec<Value>)>,
    pub segments: Vec<Segment>,
    /// It entered at a port of the stack, or was cut from one that did.
    pub data: bool,
}

/// Bytes `from .. to` of an immutable string.
#[derive(Clone, Debug)]
pub struct Segment {
    pub bytes: Arc<[u8]>,
    pub from: usize,
    pub to: usize,
    pub origin: Origin,
    /// Of a message that was joined: which of its pieces this is a part of.
    pub piece: u32,
}

/// The location of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller's message or frame, lent for this step.
    Input,
    /// Made in this step.
    Made,
    /// A block of the pool, by a number that is never used again.
    Block(u64),
}

impl Value {
    /// Returns a bool as a value: 1 for true, 0 for false.
    pub fn bool(value: bool) -> Value {
        Value::Num(value as u64)
    }
    /// Returns an option that contains the value.
    pub fn some(value: Value) -> Value {
        Value::Option(Some(Box::new(value)))
    }
    /// Returns an empty option.
    pub fn none() -> Value {
        Value::Option(None)
    }
    /// Returns the number, the deadline of a timer or the first word of a bit set; 0 for any other value.
    pub fn num(&self) -> u64 {
        match self {
            Value::Num(n) | Value::Timer(n) => *n,
            Value::Set(words) => words.first().copied().unwrap_or(0),
            _ => 0,
        }
    }
    /// Returns whether the number is not 0.
    pub fn truth(&self) -> bool {
        self.num() != 0
    }
    /// Returns the bytes of a byte string; empty for any other value.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// Calls `visit` for each message inside.
    pub fn messages(&self, visit: &mut dyn FnMut(&Message)) {
        match self {
            Value::Msg(message) => visit(message),
            Value::Option(Some(inner)) => inner.messages(visit),
            Value::Tuple(parts) => parts.iter().for_each(|p| p.messages(visit)),
            Value::Row(row) => row.iter().for_each(|p| p.messages(visit)),
            Value::Window(window) => window.entries.iter().flatten().for_each(|p| p.messages(visit)),
            Value::Pool(slots) => slots.iter().flatten().for_each(|p| p.messages(visit)),
            Value::Map(slots) => slots.iter().flatten().for_each(|(_, p)| p.messages(visit)),
            _ => {}
        }
    }

    /// The same, with leave to change them.
    pub fn messages_mut(&mut self, visit: &mut dyn FnMut(&mut Message)) {
        match self {
            Value::Msg(message) => visit(message),
            Value::Option(Some(inner)) => inner.messages_mut(visit),
            Value::Tuple(parts) => parts.iter_mut().for_each(|p| p.messages_mut(visit)),
            Value::Row(row) => row.iter_mut().for_each(|p| p.messages_mut(visit)),
            Value::Window(window) => window.entries.iter_mut().flatten().for_each(|p| p.messages_mut(visit)),
            Value::Pool(slots) => slots.iter_mut().flatten().for_each(|p| p.messages_mut(visit)),
            Value::Map(slots) => slots.iter_mut().flatten().for_each(|(_, p)| p.messages_mut(visit)),
            _ => {}
        }
    }
}

impl Stack {
    /// The zero of a type.
    pub fn zero(&self, ty: &Type) -> Value {
        match ty {
            Type::Bits(n) => Value::Set(vec![0; n.div_ceil(64) as usize]),
            Type::Timer => Value::Timer(NEVER),
            Type::Bytes(n) => Value::Bytes(vec![0; *n as usize]),
            Type::Text(_) | Type::View => Value::Bytes(vec![]),
            Type::Addr => Value::Addr(Addr::default()),
            Type::Option(_) => Value::none(),
            Type::Struct(id) => {
                Value::Tuple(self.structs[id.index()].fields.iter().map(|f| self.zero(&f.ty)).collect())
            }
            Type::Tuple(types) => Value::Tuple(types.iter().map(|t| self.zero(t)).collect()),
            Type::Array(t, n) => Value::Tuple((0..*n).map(|_| self.zero(t)).collect()),
            Type::Ring(..) | Type::List(..) => Value::Row(VecDeque::new()),
            Type::Window(_, capacity, bits) => Value::Window(Window::new(*capacity, *bits)),
            Type::Pool(_, n) => Value::Pool(vec![None; *n as usize]),
            Type::Map(_, _, n) => Value::Map(vec![None; *n as usize]),
            Type::Msg => Value::Msg(Message::default()),
            _ => Value::Num(0),
        }
    }

    /// Whether a value that the host gives is one of the type.
    pub fn fits(&self, value: &Value, ty: &Type) -> bool {
        match (value, ty) {
            (Value::Num(n), Type::Bool) => *n <= 1,
            (Value::Num(n), Type::UInt(b) | Type::Int(b) | Type::Seq(b)) => *n <= mask(*b as u32),
            (Value::Num(n), Type::Range(low, high)) => low <= n && n < high,
            (Value::Num(n), Type::Enum(id)) => *n < self.enums[id.index()].variants.len() as u64,
            (Value::Num(_), Type::Duration | Type::Instant) => true,
            (Value::Set(words), Type::Bits(n)) => {
                words.len() == n.div_ceil(64) as usize
                    && (n % 64 == 0 || words.last().is_none_or(|w| *w <= mask(n % 64)))
            }
            (Value::Bytes(bytes), Type::Bytes(n)) => bytes.len() == *n as usize,
            (Value::Bytes(bytes), Type::Text(n)) => bytes.len() <= *n as usize,
            (Value::Addr(_), Type::Addr) => true,
            (Value::Option(inner), Type::Option(t)) => inner.as_ref().is_none_or(|v| self.fits(v, t)),
            (Value::Tuple(parts), Type::Array(t, n)) => {
                parts.len() == *n as usize && parts.iter().all(|p| self.fits(p, t))
            }
            (Value::Tuple(parts), Type::Tuple(types)) => {
                parts.len() == types.len() && parts.iter().zip(types).all(|(p, t)| self.fits(p, t))
            }
            (Value::Tuple(parts), Type::Struct(id)) => {
                let fields = &self.structs[id.index()].fields;
                parts.len() == fields.len() && parts.iter().zip(fields).all(|(p, f)| self.fits(p, &f.ty))
            }
            _ => false,
        }
    }
}
