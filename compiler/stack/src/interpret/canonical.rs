//! The state as bytes that tests compare; the emitted C's `canonical` writes the same.
//!
//! First every Session, Shared and Lasting cell, in the order of [`Stack::cells`] (a generator's cell like any other):
//!
//! | type | bytes |
//! |---|---|
//! | number, bool, enum, duration, instant | 8, little-endian; Int sign-extended |
//! | Bits | 8 for each 64 elements |
//! | Bytes | the bytes |
//! | Text | u32 length, the bytes |
//! | Addr | 16 ip, 2 port, 2 family |
//! | timer | 8: deadline, or all ones |
//! | Option | 0; or 1 and the value |
//! | struct, tuple, array | parts in order |
//! | ring, list | u32 count, entries from the oldest |
//! | window | 8 each: low, next, high, reported; then for each number from low up to high 0, or 1 and the entry |
//! | pool | for each slot 0, or 1 and the value |
//! | map | for each slot 0, or 1, key, value |
//! | msg | u32 length, data, 1 if data else 0; then for each layer from 0 u32 header id + 1 and the fields, or u32 0 |
//!
//! Then the generator states of the layers that have one, 8 bytes each. Then the `later` ring: u32 count, and for each
//! event u32 target (the layer; or 0x8000_0000 + the port), u32 event, and its arguments by their types.
//!
//! **Abstract** bytes ([`Kind::Abstract`]) are for a checker in which any armed timer may fire at any time, and which
//! tries the numbers that are drawn at random itself. In cells, a timer is one byte there (1: armed); where `times` may
//! be erased (`nacre_analysis::timing::erasure`), durations and instants take no bytes; the generators take none.
//! Messages and `later` events are unchanged: their arguments may be observed.

use super::state::State;
use super::value::{Message, Value, NEVER};
use crate::operations::numbers::wide;
use crate::*;

/// Which bytes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Abstract {
        /// Durations and instants are left out.
        times: bool,
    },
}

/// Returns the canonical bytes of a state, in the layout of the module head.
pub fn write(stack: &Stack, state: &State, kind: Kind) -> Vec<u8> {
    let mut to = vec![];
    let drawn = |index: usize| stack.layers.iter().any(|l| l.random.is_some_and(|cell| cell.index() == index));
    for (index, (cell, value)) in stack.cells.iter().zip(&state.cells).enumerate() {
        if !matches!(cell.scope, Scope::Given | Scope::Derived) && (kind == Kind::Whole || !drawn(index)) {
            put(&Form { stack, kind }, &stack.whole_type(CellId(index as u32)), value, &mut to);
        }
    }
    let whole = &Form { stack, kind: Kind::Whole };
    if kind == Kind::Whole {
        for cell in stack.layers.iter().filter_map(|l| l.random) {
            word(state.cells[cell.index()].num(), &mut to);
        }
    }
    half(state.later.len(), &mut to);
    for event in &state.later {
        let target = match stack.arrives(event.link, event.event) {
            Target::Layer(layer) => layer.0,
            Target::Port(port) => 0x8000_0000 | port.0,
        };
        half(target as usize, &mut to);
        half(event.event.index(), &mut to);
        let parameters = &stack.event(event.event).parameters;
        parameters.iter().zip(&event.arguments).for_each(|(p, v)| put(whole, &p.ty, v, &mut to));
    }
    to
}

struct Form<'a> {
    stack: &'a Stack,
    kind: Kind,
}

fn word(n: u64, to: &mut Vec<u8>) {
    to.extend(n.to_le_bytes());
}

fn half(n: usize, to: &mut Vec<u8>) {
    to.extend((n as u32).to_le_bytes());
}

fn put_if(form: &Form, ty: &Type, value: Option<&Value>, to: &mut Vec<u8>) {
    to.push(value.is_some() as u8);
    if let Some(value) = value {
        put(form, ty, value, to);
    }
}

fn put(form: &Form, ty: &Type, value: &Value, to: &mut Vec<u8>) {
    let zero;
    let value = match value {
        Value::Gone => {
            zero = form.stack.zero(ty);
            &zero
        }
        value => value,
    };
    match (ty, value) {
        (_, Value::Set(words)) => words.iter().for_each(|w| word(*w, to)),
        (Type::Text(_), Value::Bytes(bytes)) => {
            half(bytes.len(), to);
            to.extend(bytes);
        }
        (_, Value::Bytes(bytes)) => to.extend(bytes),
        (_, Value::Addr(addr)) => to.extend(addr.bytes()),
        (Type::Option(t), Value::Option(inner)) => put_if(form, t, inner.as_deref(), to),
        (Type::Struct(id), Value::Tuple(parts)) => {
            let fields = &form.stack.structs[id.index()].fields;
            fields.iter().zip(parts).for_each(|(f, v)| put(form, &f.ty, v, to));
        }
        (Type::Tuple(types), Value::Tuple(parts)) => {
            types.iter().zip(parts).for_each(|(t, v)| put(form, t, v, to));
        }
        (Type::Array(t, _), Value::Tuple(parts)) => parts.iter().for_each(|v| put(form, t, v, to)),
        (Type::Ring(t, _) | Type::List(t, _), Value::Row(row)) => {
            half(row.len(), to);
            row.iter().for_each(|v| put(form, t, v, to));
        }
        (Type::Window(t, _, _), Value::Window(w)) => {
            [w.low, w.next, w.high, w.reported].iter().for_each(|n| word(*n, to));
            w.entries.iter().for_each(|e| put_if(form, t, e.as_ref(), to));
        }
        (Type::Pool(t, _), Value::Pool(slots)) => slots.iter().for_each(|s| put_if(form, t, s.as_ref(), to)),
        (Type::Map(k, t, _), Value::Map(slots)) => slots.iter().for_each(|slot| {
            put_if(form, k, slot.as_ref().map(|(key, _)| key), to);
            if let Some((_, value)) = slot {
                put(form, t, value, to);
            }
        }),
        (Type::Timer, value) if form.kind != Kind::Whole => to.push((value.num() != NEVER) as u8),
        (Type::Duration | Type::Instant, _) if form.kind == (Kind::Abstract { times: true }) => {}
        (_, Value::Msg(message)) => put_message(form.stack, message, to),
        (ty, value) => word(wide(value.num(), ty), to),
    }
}

fn put_message(stack: &Stack, message: &Message, to: &mut Vec<u8>) {
    half(message.len(), to);
    to.extend(message.bytes());
    to.push(message.data as u8);
    for layer in 0..stack.layers.len() {
        let header = message.headers.iter().find(|(id, _)| stack.header(*id).layer.index() == layer);
        half(header.map_or(0, |(id, _)| id.index() + 1), to);
        if let Some((id, fields)) = header {
            stack
                .header(*id)
                .fields
                .iter()
                .zip(fields)
                .for_each(|(f, v)| put(&Form { stack, kind: Kind::Whole }, &f.ty, v, to));
        }
    }
}
