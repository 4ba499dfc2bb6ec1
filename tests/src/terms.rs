//! Values of the interpreter as constant terms, and comparison of terms with values.

use nacre_stack::interpret::{Message, Value};
use nacre_stack::{Stack, Type};
use nacre_symbolic::state::zero_of;
use nacre_symbolic::terms::Sort;
use nacre_symbolic::terms::{Term, Terms};
use nacre_symbolic::values::{self, sort_of, Value as Terminal, KIND_BITS, NAME_BITS};
use nacre_symbolic::Unsupported;

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
            let mut used = 0u128;
            for (at, entry) in window.entries.iter().enumerate() {
                let Some(entry) = entry else { continue };
                used |= 1 << at;
                let index = terms.bits(made.entries.index, u128::from(window.number(at as i64)));
                let (always, entry) = (terms.truth(true), constant(stack, terms, layer, entry, t)?);
                made.entries.set(terms, always, index, &entry)?;
            }
            made.used = terms.bits(*n, used);
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
    let bytes = match value {
        Value::Set(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Value::Bytes(bytes) => bytes.clone(),
        Value::Addr(address) => address.bytes().to_vec(),
        value => value.num().to_le_bytes().to_vec(),
    };
    // From the last byte down, the first bytes are the lowest bits.
    let mut term: Option<Term> = None;
    for byte in bytes.iter().rev() {
        let low = terms.bits(8, u128::from(*byte));
        term = Some(term.map_or(low, |upper| terms.concat(upper, low)));
    }
    let whole = term.unwrap_or_else(|| terms.bits(width, 0));
    terms.resize(whole, width)
}

/// How many terms were compared, and how many are not constant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    pub equal: u64,
    pub open: u64,
}

/// Compares what code left in a place with what is expected there. Err: where they differ.
pub fn compare(
    terms: &mut Terms,
    expected: &Terminal,
    found: &Terminal,
    compared: &mut Compared,
) -> Result<(), String> {
    match (expected, found) {
        (Terminal::Term(x), Terminal::Term(y)) => one(terms, *x, *y, compared),
        (Terminal::Tuple(x), Terminal::Tuple(y)) | (Terminal::Array(x), Terminal::Array(y)) => {
            x.iter().zip(y).try_for_each(|(x, y)| compare(terms, x, y, compared))
        }
        (Terminal::Option(x, inside), Terminal::Option(y, other)) => {
            one(terms, *x, *y, compared)?;
            match terms.truth_of(*y) {
                Some(true) => compare(terms, inside, other, compared),
                _ => Ok(()),
            }
        }
        (Terminal::Message(x), Terminal::Message(y)) => {
            one(terms, x.bytes, y.bytes, compared)?;
            one(terms, x.data, y.data, compared)?;
            for (kind, other) in x.kinds.iter().zip(&y.kinds) {
                one(terms, *kind, *other, compared)?;
                if let Some(at) = terms.value_of(*kind).filter(|at| *at > 0) {
                    let at = at as usize - 1;
                    let fields = x.fields[at].iter().zip(&y.fields[at]);
                    fields.into_iter().try_for_each(|(x, y)| compare(terms, x, y, compared))?;
                }
            }
            Ok(())
        }
        (Terminal::Window(x), Terminal::Window(y)) => window(terms, x, y, compared),
        (Terminal::Row(x), Terminal::Row(y)) => {
            one(terms, x.len, y.len, compared)?;
            for at in 0..terms.value_of(x.len).unwrap_or(0) {
                let [mine, other] = [x, y].map(|row| {
                    let at = terms.bits(32, at);
                    let index = terms.binary(nacre_symbolic::terms::Op::Add, row.start, at);
                    let index = terms.resize(index, row.entries.index);
                    row.entries.get(terms, index)
                });
                compare(terms, &mine, &other, compared)?;
            }
            Ok(())
        }
        _ => Err("other forms".into()),
    }
}

fn window(terms: &mut Terms, x: &values::Window, y: &values::Window, compared: &mut Compared) -> Result<(), String> {
    for (x, y) in [(x.low, y.low), (x.next, y.next), (x.high, y.high), (x.reported, y.reported), (x.used, y.used)] {
        one(terms, x, y, compared)?;
    }
    let (Some(low), Some(used)) = (terms.value_of(x.low), terms.value_of(x.used)) else { return Ok(()) };
    for at in (0..128u32).filter(|at| used >> at & 1 == 1) {
        let index = terms.bits(x.entries.index, low + u128::from(at));
        let [mine, other] = [x, y].map(|window| window.entries.get(terms, index));
        compare(terms, &mine, &other, compared)?;
    }
    Ok(())
}

fn one(terms: &Terms, expected: Term, found: Term, compared: &mut Compared) -> Result<(), String> {
    if expected == found {
        compared.equal += 1;
        return Ok(());
    }
    let is_constant = terms.truth_of(found).is_some() || terms.value_of(found).is_some();
    if is_constant {
        return Err(format!("{:?} instead of {:?}", terms.node(found), terms.node(expected)));
    }
    compared.open += 1;
    Ok(())
}
