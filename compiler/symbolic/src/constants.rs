//! Values of the interpreter as constant terms.

use nacre_stack::interpret::{Message, Value};
use nacre_stack::{Stack, Type};

use crate::state::zero_of;
use crate::terms::{Sort, Term, Terms};
use crate::values::{sort_of, Value as Terminal, KIND_BITS, NAME_BITS};
use crate::Unsupported;

/// The name of the bytes of a message: equal bytes have equal names.
fn name(message: &Message) -> u128 {
    let bytes = message.bytes();
    if bytes.is_empty() {
        return 0;
    }
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    u128::from(hash >> 33 | 1)
}

/// A value as constants. `layer`: messages carry headers of the layers above.
pub fn constant(
    stack: &Stack,
    terms: &mut Terms,
    layer: usize,
    value: &Value,
    ty: &Type,
) -> Result<Terminal, Unsupported> {
    if let Some(sort) = sort_of(ty) {
        return Ok(Terminal::Term(single(terms, value, sort)));
    }
    let zero = zero_of(stack, terms, layer, ty)?;
    Ok(match (value, ty, zero) {
        (Value::Tuple(parts), Type::Struct(id), _) => {
            let fields = &stack.structs[id.index()].fields;
            let parts = parts.iter().zip(fields).map(|(part, f)| constant(stack, terms, layer, part, &f.ty));
            Terminal::Tuple(parts.collect::<Result<_, _>>()?)
        }
        (Value::Tuple(parts), Type::Tuple(types), _) => {
            let parts = parts.iter().zip(types).map(|(part, t)| constant(stack, terms, layer, part, t));
            Terminal::Tuple(parts.collect::<Result<_, _>>()?)
        }
        (Value::Tuple(parts), Type::Array(t, _), _) => {
            let parts = parts.iter().map(|part| constant(stack, terms, layer, part, t));
            Terminal::Array(parts.collect::<Result<_, _>>()?)
        }
        (Value::Option(Some(inner)), Type::Option(t), _) => {
            let some = terms.truth(true);
            Terminal::Option(some, Box::new(constant(stack, terms, layer, inner, t)?))
        }
        (Value::Msg(message), _, Terminal::Message(mut made)) => {
            made.bytes = terms.bits(NAME_BITS, name(message));
            made.data = terms.truth(message.data);
            for (header, fields) in &message.headers {
                let declared = stack.header(*header);
                made.kinds[declared.layer.index()] = terms.bits(KIND_BITS, u128::from(header.0) + 1);
                let fields = fields.iter().zip(&declared.fields);
                made.fields[header.index()] =
                    fields.map(|(value, f)| constant(stack, terms, layer, value, &f.ty)).collect::<Result<_, _>>()?;
            }
            Terminal::Message(made)
        }
        (Value::Window(window), Type::Window(t, n, bits), Terminal::Window(mut made)) => {
            let number = |terms: &mut Terms, n: u64| terms.bits(u32::from(*bits), u128::from(n));
            made.low = number(terms, window.low);
            made.next = number(terms, window.next);
            made.high = number(terms, window.high);
            made.reported = number(terms, window.reported);
            let mut used = vec![0; n.div_ceil(64) as usize];
            for (at, entry) in window.entries.iter().enumerate() {
                let Some(entry) = entry else { continue };
                used[at / 64] |= 1u64 << (at % 64);
                let index = terms.bits(made.entries.index, u128::from(window.number(at as i64)));
                let (always, entry) = (terms.truth(true), constant(stack, terms, layer, entry, t)?);
                made.entries.set(terms, always, index, &entry)?;
            }
            made.used = single(terms, &Value::Set(used), Sort::Bits(*n));
            Terminal::Window(made)
        }
        (Value::Row(row), Type::Ring(t, _) | Type::List(t, _), Terminal::Row(mut made)) => {
            made.len = terms.bits(32, row.len() as u128);
            for (at, entry) in row.iter().enumerate() {
                let index = terms.bits(made.entries.index, at as u128);
                let (always, entry) = (terms.truth(true), constant(stack, terms, layer, entry, t)?);
                made.entries.set(terms, always, index, &entry)?;
            }
            Terminal::Row(made)
        }
        (_, _, zero) => zero,
    })
}

fn single(terms: &mut Terms, value: &Value, sort: Sort) -> Term {
    let Sort::Bits(width) = sort else { return terms.truth(value.truth()) };
    let bytes: Vec<u8> = match value {
        Value::Set(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Addr(address) => address.bytes().to_vec(),
        value => value.num().to_le_bytes().to_vec(),
    };
    terms.of_bytes(width, &bytes)
}
