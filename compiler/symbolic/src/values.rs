//! Values as terms.

use nacre_stack::{LayoutId, Stack, Type};

use crate::terms::{Op, Sort, Term, Terms};
use crate::Unsupported;

/// A value: terms in the form of its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A formula, or a number in the width of its type; sets and bytes too.
    Term(Term),
    /// Struct, tuple.
    Tuple(Vec<Value>),
    /// Whether it is there, and the value; zero if it is not.
    Option(Term, Box<Value>),
    /// One value for each index of an array.
    Array(Vec<Value>),
    Message(Message),
    Window(Window),
    Row(Row),
}

/// A message: its bytes by name, and its headers by layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Equal names: equal bytes.
    pub bytes: Term,
    /// Whether it is data.
    pub data: Term,
    /// By layer: the number of the header on it, counted from 1; 0: none. Of width 16.
    pub kinds: Vec<Term>,
    /// By header: its fields. They mean something only if the header is on it.
    pub fields: Vec<Vec<Value>>,
}

/// What has been unpacked: the name of the bytes, and the message in them, which is an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpacked {
    pub layout: LayoutId,
    pub bytes: Term,
    pub value: Value,
}

/// A window of numbered entries (`nacre_stack::operations::window`).
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    pub low: Term,
    pub next: Term,
    pub high: Term,
    pub reported: Term,
    /// Bit i: the entry at `low + i` is there.
    pub used: Term,
    /// Entries by the low bits of their numbers, of which there are enough to tell them apart.
    pub entries: Entries,
}

/// A ring or list. Entry i, counted from the oldest, is at index `start + i`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub start: Term,
    pub len: Term,
    pub entries: Entries,
}

/// Entries of one type by index: one array for each of its terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// Bits of an index.
    pub index: u32,
    /// The arrays, in the order of the terms of an entry.
    pub arrays: Vec<Term>,
    /// An entry of zeros, whose form they have.
    pub form: Box<Value>,
}

/// The bits of the name of a message's bytes.
pub const NAME_BITS: u32 = 32;
/// The bits of a length.
pub const LENGTH_BITS: u32 = 32;
/// The entries of a window that has terms, at most.
const WINDOW: u32 = 4096;
/// The bits of the number of a header.
pub const KIND_BITS: u32 = 16;

/// The sort of a type whose values are single terms; None: they are not.
pub fn sort_of(ty: &Type) -> Option<Sort> {
    Some(match ty {
        Type::Bool => Sort::Bool,
        Type::UInt(b) | Type::Int(b) | Type::Seq(b) => Sort::Bits(u32::from(*b)),
        Type::Range(..) | Type::Duration | Type::Instant | Type::Timer | Type::Enum(_) => Sort::Bits(64),
        Type::Bits(n) => Sort::Bits((*n).max(1)),
        Type::Bytes(n) => Sort::Bits((8 * n).max(1)),
        Type::Addr => Sort::Bits(160),
        Type::View => Sort::Bits(NAME_BITS),
        _ => return None,
    })
}

/// Makes a value of a type from a maker of its terms: it gets the name of a part, and its sort.
pub struct Maker<'s, F> {
    pub stack: &'s Stack,
    pub terms: &'s mut Terms,
    /// The headers of a message at this place are of layers above this one.
    pub layer: usize,
    pub make: F,
}

impl<F: FnMut(&mut Terms, &str, Sort, &Type) -> Term> Maker<'_, F> {
    /// The value of a type; its parts are named after `name`.
    pub fn value(&mut self, name: &str, ty: &Type) -> Result<Value, Unsupported> {
        if let Some(sort) = sort_of(ty) {
            return Ok(Value::Term((self.make)(self.terms, name, sort, ty)));
        }
        match ty {
            Type::Struct(id) => {
                let fields = &self.stack.structs[id.index()].fields;
                fields
                    .iter()
                    .map(|f| self.value(&format!("{name}.{}", f.name), &f.ty))
                    .collect::<Result<_, _>>()
                    .map(Value::Tuple)
            }
            Type::Tuple(types) => {
                let parts = types.iter().enumerate().map(|(i, t)| self.value(&format!("{name}.{i}"), t));
                parts.collect::<Result<_, _>>().map(Value::Tuple)
            }
            Type::Array(t, n) if *n <= 256 => {
                let parts = (0..*n).map(|i| self.value(&format!("{name}[{i}]"), t));
                parts.collect::<Result<_, _>>().map(Value::Array)
            }
            Type::Option(t) => {
                let some = (self.make)(self.terms, &format!("{name}.some"), Sort::Bool, &Type::Bool);
                Ok(Value::Option(some, Box::new(self.value(&format!("{name}.value"), t)?)))
            }
            Type::Msg | Type::Bounded(_) => Ok(Value::Message(self.message(name)?)),
            Type::Window(t, n, bits) if *n <= WINDOW => self.window(name, t, *n, *bits),
            Type::Ring(t, n) | Type::List(t, n) => {
                let [start, len] = ["start", "len"]
                    .map(|part| (self.make)(self.terms, &format!("{name}.{part}"), Sort::Bits(32), &Type::UInt(32)));
                Ok(Value::Row(Row { start, len, entries: self.entries(name, t, index_bits(*n))? }))
            }
            _ => Err(Unsupported::new(format!("{name}: {}", kind_of(ty)))),
        }
    }

    fn window(&mut self, name: &str, t: &Type, n: u32, bits: u8) -> Result<Value, Unsupported> {
        let [low, next, high, reported] = ["low", "next", "high", "reported"].map(|part| {
            (self.make)(self.terms, &format!("{name}.{part}"), Sort::Bits(u32::from(bits)), &Type::Seq(bits))
        });
        let used = (self.make)(self.terms, &format!("{name}.used"), Sort::Bits(n), &Type::Bits(n));
        let entries = self.entries(name, t, index_bits(n))?;
        Ok(Value::Window(Window { low, next, high, reported, used, entries }))
    }

    /// A message with headers of the layers above `layer`.
    pub fn message(&mut self, name: &str) -> Result<Message, Unsupported> {
        let bytes = (self.make)(self.terms, &format!("{name}.bytes"), Sort::Bits(NAME_BITS), &Type::UInt(32));
        let data = (self.make)(self.terms, &format!("{name}.data"), Sort::Bool, &Type::Bool);
        let (layer, above) = (self.layer, self.stack.layers.len());
        let mut kinds = vec![];
        for of in 0..above {
            let kind = Sort::Bits(KIND_BITS);
            kinds.push(match of > layer {
                true => (self.make)(self.terms, &format!("{name}.kind{of}"), kind, &Type::UInt(16)),
                false => self.terms.bits(KIND_BITS, 0),
            });
        }
        let mut fields = vec![];
        for header in &self.stack.headers {
            let of = header.layer.index() > layer;
            let named = header.fields.iter().map(|f| (format!("{name}.{}.{}", header.name, f.name), &f.ty));
            let named: Vec<_> = named.collect();
            fields.push(match of {
                true => named.iter().map(|(name, ty)| self.value(name, ty)).collect::<Result<_, _>>()?,
                false => vec![],
            });
        }
        Ok(Message { bytes, data, kinds, fields })
    }

    /// Entries: each of their terms as an array.
    fn entries(&mut self, name: &str, t: &Type, index: u32) -> Result<Entries, Unsupported> {
        let mut zeros = Maker { stack: self.stack, terms: self.terms, layer: self.layer, make: zero };
        let form = zeros.value(name, t)?;
        // What is the same in each value of the type: a message carries no headers of the layers below.
        let any = Maker { stack: self.stack, terms: self.terms, layer: self.layer, make: free }.value(name, t)?;
        let mut parts = vec![];
        leaves(&any, &mut parts)?;
        let arrays = parts.iter().enumerate().map(|(at, part)| {
            if self.terms.value_of(*part).is_some() {
                return self.terms.filled(index, *part);
            }
            let width = self.terms.width(*part);
            (self.make)(self.terms, &format!("{name}#{at}"), Sort::Array(index, width), &Type::UInt(1))
        });
        Ok(Entries { index, arrays: arrays.collect(), form: Box::new(form) })
    }
}

/// Bits of an index below `n`.
pub fn index_bits(n: u32) -> u32 {
    n.next_power_of_two().trailing_zeros().max(1)
}

/// A free constant of a sort.
fn free(terms: &mut Terms, part: &str, sort: Sort, _: &Type) -> Term {
    terms.free(part, sort)
}

/// The zero of a sort; a timer is not armed.
pub fn zero(terms: &mut Terms, _: &str, sort: Sort, ty: &Type) -> Term {
    match sort {
        Sort::Bool => terms.truth(false),
        Sort::Bits(width) if *ty == Type::Timer => terms.bits(width, u128::from(u64::MAX)),
        Sort::Bits(width) => terms.bits(width, 0),
        Sort::Array(index, 0) => {
            let element = terms.truth(false);
            terms.filled(index, element)
        }
        Sort::Array(index, width) => {
            let element = terms.bits(width, 0);
            terms.filled(index, element)
        }
    }
}

/// The terms of a value that has no containers, in order.
pub fn leaves(value: &Value, found: &mut Vec<Term>) -> Result<(), Unsupported> {
    match value {
        Value::Term(term) => found.push(*term),
        Value::Tuple(parts) | Value::Array(parts) => return parts.iter().try_for_each(|part| leaves(part, found)),
        Value::Option(some, inner) => {
            found.push(*some);
            return leaves(inner, found);
        }
        Value::Message(message) => {
            found.extend([message.bytes, message.data]);
            found.extend(&message.kinds);
            return message.fields.iter().flatten().try_for_each(|field| leaves(field, found));
        }
        Value::Window(_) | Value::Row(_) => return Err(Unsupported::new("a container in a container".into())),
    }
    Ok(())
}

/// Maps the terms of two values of one form to one.
pub fn zip(a: &Value, b: &Value, join: &mut impl FnMut(Term, Term) -> Term) -> Value {
    let mut all = |x: &[Value], y: &[Value]| -> Vec<Value> { x.iter().zip(y).map(|(x, y)| zip(x, y, join)).collect() };
    match (a, b) {
        (Value::Term(x), Value::Term(y)) => Value::Term(join(*x, *y)),
        (Value::Tuple(x), Value::Tuple(y)) => Value::Tuple(all(x, y)),
        (Value::Array(x), Value::Array(y)) => Value::Array(all(x, y)),
        (Value::Option(x, inside), Value::Option(y, other)) => {
            Value::Option(join(*x, *y), Box::new(zip(inside, other, join)))
        }
        (Value::Message(x), Value::Message(y)) => Value::Message(Message {
            bytes: join(x.bytes, y.bytes),
            data: join(x.data, y.data),
            kinds: x.kinds.iter().zip(&y.kinds).map(|(x, y)| join(*x, *y)).collect(),
            fields: x
                .fields
                .iter()
                .zip(&y.fields)
                .map(|(x, y)| x.iter().zip(y).map(|(x, y)| zip(x, y, join)).collect())
                .collect(),
        }),
        (Value::Window(x), Value::Window(y)) => Value::Window(Window {
            low: join(x.low, y.low),
            next: join(x.next, y.next),
            high: join(x.high, y.high),
            reported: join(x.reported, y.reported),
            used: join(x.used, y.used),
            entries: zip_entries(&x.entries, &y.entries, join),
        }),
        (Value::Row(x), Value::Row(y)) => Value::Row(Row {
            start: join(x.start, y.start),
            len: join(x.len, y.len),
            entries: zip_entries(&x.entries, &y.entries, join),
        }),
        // Values of one type have one form.
        (other, _) => other.clone(),
    }
}

fn zip_entries(x: &Entries, y: &Entries, join: &mut impl FnMut(Term, Term) -> Term) -> Entries {
    let arrays = x.arrays.iter().zip(&y.arrays).map(|(x, y)| join(*x, *y)).collect();
    Entries { arrays, ..x.clone() }
}

/// The value if the condition holds, otherwise the other.
pub fn choose(terms: &mut Terms, condition: Term, a: &Value, b: &Value) -> Value {
    zip(a, b, &mut |x, y| terms.choose(condition, x, y))
}

/// Whether two values are equal; entries of containers by name, so they must be the same arrays.
pub fn equal(terms: &mut Terms, a: &Value, b: &Value) -> Term {
    let mut parts = vec![];
    zip(a, b, &mut |x, y| {
        parts.push(terms.equal(x, y));
        x
    });
    terms.and(&parts)
}

impl Entries {
    /// The entry at an index.
    pub fn get(&self, terms: &mut Terms, index: Term) -> Value {
        let mut arrays = self.arrays.iter();
        map(&self.form, &mut |form| arrays.next().map_or(form, |array| terms.select(*array, index)))
    }

    /// Sets the entry at an index where a condition holds.
    pub fn set(&mut self, terms: &mut Terms, condition: Term, index: Term, value: &Value) -> Result<(), Unsupported> {
        let mut parts = vec![];
        leaves(value, &mut parts)?;
        for (array, part) in self.arrays.iter_mut().zip(parts) {
            let with = terms.store(*array, index, part);
            *array = terms.choose(condition, with, *array);
        }
        Ok(())
    }
}

fn map(value: &Value, change: &mut impl FnMut(Term) -> Term) -> Value {
    zip(value, value, &mut |term, _| change(term))
}

impl Value {
    /// The term of a single one.
    pub fn term(&self) -> Result<Term, Unsupported> {
        match self {
            Value::Term(term) => Ok(*term),
            _ => Err(Unsupported::new("a value of several parts where one is expected".into())),
        }
    }
}

/// The name of a kind of types that has no terms.
fn kind_of(ty: &Type) -> &'static str {
    match ty {
        Type::Text(_) => "text",
        Type::Pool(..) => "pool",
        Type::Map(..) => "map",
        Type::Window(..) => "window of more than 4096 entries",
        Type::Array(..) => "array of more than 256 elements",
        _ => "type",
    }
}

/// `a - b` as a signed comparison with zero: whether `a` is less than `b`, as sequence numbers compare.
pub fn less_by_distance(terms: &mut Terms, a: Term, b: Term) -> Term {
    let distance = terms.binary(Op::Sub, a, b);
    let zero = terms.bits(terms.width(a), 0);
    terms.less(Op::SLess, distance, zero)
}
