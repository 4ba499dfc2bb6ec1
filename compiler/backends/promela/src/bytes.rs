//! Strings of bytes, assembled in a buffer.

use nacre_stack::*;

use crate::refusal::{Construct, Reason};
use crate::report::{within, Limit};
use crate::types::{bits_of, is_scalar, is_wide};
use crate::writer::Writer;

/// The maximum length of a string.
pub const BUFFER: u32 = 250;

impl Writer<'_> {
    /// Returns a buffer with the bytes of an expression: their number `n` and the bytes `b`.
    pub fn buffer(&mut self, e: &Expr) -> String {
        let is_buffer = |e: &Expr| matches!(e.ty, Type::Msg | Type::View | Type::Text(_));
        match &e.kind {
            ExprKind::View(a) if is_buffer(a) => self.value(a),
            ExprKind::Local(_) | ExprKind::Load(_) if is_buffer(e) => self.value(e),
            _ => self.gathered(e),
        }
    }

    /// The bytes of a string, in a buffer of its own.
    fn gathered(&mut self, e: &Expr) -> String {
        let to = self.temporary(&Type::View);
        self.line(format!("{to}.n = 0;"));
        self.append(e, &to);
        to
    }

    /// Writes the statements that append the bytes of a string to the buffer `to`.
    pub fn append(&mut self, e: &Expr, to: &str) {
        match &e.kind {
            ExprKind::Concat(parts) => parts.iter().for_each(|part| self.append(part, to)),
            ExprKind::Literal(bytes) => {
                for byte in bytes {
                    self.line(format!("put_byte({to}, {byte});"));
                }
            }
            ExprKind::BytesOf(a) => self.append_number(a, to),
            ExprKind::PackView(layout, m) => {
                let m = self.value(m);
                self.pack_head(*layout, &m, to);
                self.append_all(&m, &format!("{m}.n"), to);
            }
            ExprKind::View(a) => match &a.ty {
                Type::Msg | Type::View | Type::Text(_) => {
                    let x = self.value(a);
                    self.append_all(&x, &format!("{x}.n"), to);
                }
                _ => self.append(a, to),
            },
            ExprKind::Part(a, from, until) => {
                let whole = self.buffer(a);
                let (from, until) = (self.count(from), self.count(until));
                let (at, end) = (self.number(), self.number());
                self.line(format!("{at} = {from}; {end} = {until};"));
                self.line(format!("if :: {end} < 0 || {end} > {whole}.n -> {end} = {whole}.n :: else fi;"));
                self.line(format!(
                    "do :: {at} >= 0 && {at} < {end} -> put_byte({to}, {whole}.b[{at}]); {at}++ :: else -> break od;"
                ));
            }
            _ => match &e.ty {
                Type::Bytes(n) => {
                    let x = self.value(e);
                    self.append_all(&x, &n.to_string(), to);
                }
                Type::Text(_) | Type::Msg | Type::View => {
                    let x = self.value(e);
                    self.append_all(&x, &format!("{x}.n"), to);
                }
                other => self.refuse(Reason::Of(Construct::Bytes, other.clone())),
            },
        }
    }

    fn append_all(&mut self, x: &str, n: &str, to: &str) {
        let at = self.number();
        self.line(format!("{at} = 0; do :: {at} < {n} -> put_byte({to}, {x}.b[{at}]); {at}++ :: else -> break od;"));
    }

    /// Appends a number as bytes, in little-endian order.
    fn append_number(&mut self, a: &Expr, to: &str) {
        let bytes = match &a.ty {
            Type::UInt(b) | Type::Int(b) | Type::Seq(b) => u32::from(*b).div_ceil(8),
            Type::Bool => 1,
            Type::Bits(n) => n.div_ceil(64) * 8,
            _ => 8,
        };
        if matches!(a.ty, Type::Bytes(_) | Type::Text(_)) {
            return self.append(a, to);
        }
        if matches!(a.ty, Type::Addr) || !(is_scalar(&a.ty) || is_wide(&a.ty)) {
            return self.refuse(Reason::Of(Construct::BytesOfValue, a.ty.clone()));
        }
        let x = self.value(a);
        let parts =
            if is_wide(&a.ty) { vec![format!("{x}.lo"), format!("{x}.hi")] } else { vec![self.simple(&x, &a.ty)] };
        for byte in 0..bytes {
            let text = match parts.get(byte as usize / 4) {
                Some(part) => format!("(SHIFTED({part}, {}) & {})", byte % 4 * 8, low_mask(bits_of(&a.ty), byte)),
                None => "0".into(),
            };
            self.line(format!("byte_in = {text}; put_byte({to}, byte_in);"));
        }
    }

    /// Converts bytes to a value of their type.
    pub fn fill_bytes(&mut self, e: &Expr, to: &str) {
        let from = self.buffer(e);
        let at = self.number();
        match &e.ty {
            Type::Bytes(n) => {
                self.line(format!("{at} = 0;"));
                self.line("do");
                self.option(format!("{at} < {n}"));
                self.line(format!(
                    "if :: {at} < {from}.n -> {to}.b[{at}] = {from}.b[{at}] :: else -> {to}.b[{at}] = 0 fi; {at}++"
                ));
                self.end_option();
                self.line(":: else -> break");
                self.line("od;");
            }
            Type::Text(n) => {
                self.zero(&e.ty, to);
                self.line(format!("{to}.n = ({from}.n < {n} -> {from}.n : {n}); {at} = 0;"));
                self.line(format!("do :: {at} < {to}.n -> {to}.b[{at}] = {from}.b[{at}]; {at}++ :: else -> break od;"));
            }
            _ => {
                self.line(format!("{to}.n = 0;"));
                self.append_all(&from, &format!("{from}.n"), to);
            }
        }
    }

    /// Makes a message of bytes, without headers.
    pub fn message_of(&mut self, buffer: &str, is_data: &str, to: &str) {
        let (at, data, capacity) = (self.number(), self.temporary(&Type::Bool), self.capacity);
        self.line(format!("{data} = {is_data};"));
        self.zero(&Type::Msg, to);
        self.line(within(&format!("{buffer}.n <= {capacity}"), Limit::Length));
        self.line(format!("{to}.is_data = {data}; {to}.n = {buffer}.n; {at} = 0;"));
        self.line(format!("do :: {at} < {buffer}.n -> {to}.b[{at}] = {buffer}.b[{at}]; {at}++ :: else -> break od;"));
    }
}

/// The mask of the bits that a number of `bits` bits has in one of its bytes.
fn low_mask(bits: u32, byte: u32) -> u32 {
    let left = bits.saturating_sub(byte * 8).min(8);
    (1 << left) - 1
}

/// Appends a byte to a buffer.
pub fn put_byte() -> String {
    let room = within(&format!("X.n < {BUFFER}"), Limit::Length);
    format!("inline put_byte(X, V) {{\n    {room}\n    X.b[X.n] = V;\n    X.n++\n}}\n")
}
