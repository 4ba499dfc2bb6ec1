//! Frames that no endpoint sent, but that are well-formed by the layout of the stack: one of those that were sent, with
//! another value of a field, other headers, or another body.
//!
//! A field takes its extremes, the values next to its own, and the values that the other fields, the given values of
//! the endpoints and the constants of the code have, with those next to them. One field at a time is changed: a network
//! that keeps what it made up can change another field of that.

use std::collections::BTreeSet;
use std::sync::Arc;

use nacre_specification::forger::{Forge, Forgery};
use nacre_stack::interpret::Value;
use nacre_stack::visit::{self, Visitor};
use nacre_stack::{mask, Expr, ExprKind, FieldPlace, Header, HeaderId, Layout, Shape, Stack, Type};

/// The headers of a frame, the outermost last, with the values of their fields.
type Headers = Vec<(HeaderId, Vec<Value>)>;

/// Makes up frames of a stack.
pub(crate) struct Forger {
    stack: Arc<Stack>,
    /// Given values of the endpoints, and constants of the code.
    known: BTreeSet<u64>,
}

impl Forger {
    /// A forger who knows values that endpoints were given.
    pub(crate) fn of(stack: Arc<Stack>, given: impl Iterator<Item = Value>) -> Forger {
        let mut constants = Constants::default();
        visit::walk_stack(&mut constants, &stack);
        let mut known = constants.0;
        known.extend(given.filter_map(|value| number(&value)));
        Forger { stack, known }
    }

    /// Returns a frame's headers with other values, and those of the other shapes.
    fn altered(&self, layout: &Layout, shape: usize, headers: &Headers) -> Vec<(usize, Headers)> {
        let mut all = vec![];
        for (other, declared) in layout.shapes.iter().enumerate() {
            let own = other == shape;
            let base = if own { headers.clone() } else { self.converted(declared, headers) };
            let same_event = declared.event == layout.shapes[shape].event;
            if !same_event {
                continue;
            }
            let mut near = self.known.clone();
            near.extend(base.iter().flat_map(|(_, values)| values).filter_map(number));
            let others = |ty: &Type, value: &Value| self.others(ty, value, &near);
            all.extend(self.with_another_value(&base, &others).into_iter().map(|headers| (other, headers)));
            if !own {
                all.push((other, base));
            }
        }
        all
    }

    /// Returns the headers of a shape, in which fields have the values of the fields of the same name.
    fn converted(&self, shape: &Shape, headers: &Headers) -> Headers {
        let value = |name: &str, ty: &Type| {
            let fields = headers.iter().flat_map(|(id, values)| self.stack.header(*id).fields.iter().zip(values));
            let mut same = fields.filter(|(field, value)| field.name == name && self.stack.fits(value, ty));
            same.next().map(|(_, value)| value.clone())
        };
        let fields = |header: &Header| {
            header.fields.iter().map(|f| value(&f.name, &f.ty).unwrap_or_else(|| least(&self.stack, &f.ty))).collect()
        };
        shape.headers.iter().rev().map(|id| (*id, fields(self.stack.header(*id)))).collect()
    }

    /// Returns the headers with another value of one field.
    fn with_another_value(&self, headers: &Headers, others: &dyn Fn(&Type, &Value) -> Vec<Value>) -> Vec<Headers> {
        let mut all = vec![];
        for (at, (id, values)) in headers.iter().enumerate() {
            for (place, field) in self.stack.header(*id).fields.iter().enumerate() {
                for value in others(&field.ty, &values[place]) {
                    let mut changed = headers.clone();
                    changed[at].1[place] = value;
                    all.push(changed);
                }
            }
        }
        all
    }

    /// Returns the headers as an endpoint of another stack sends them; none: they do not name the stack.
    fn foreign(&self, headers: &Headers) -> Option<Headers> {
        let mut headers = headers.clone();
        for (id, values) in &mut headers {
            let place = self.stack.header(*id).fields.iter().position(|f| f.place == FieldPlace::Fingerprint);
            if let Some(Value::Num(fingerprint)) = place.map(|at| &mut values[at]) {
                *fingerprint = fingerprint.wrapping_add(1);
                return Some(headers);
            }
        }
        None
    }

    /// Returns the numbers that are about half of the range of a type away.
    fn distant(&self, ty: &Type, value: &Value) -> Vec<Value> {
        let (Value::Num(n), Type::UInt(bits) | Type::Seq(bits)) = (value, ty) else { return vec![] };
        let half = 1u64 << (bits - 1);
        let all =
            [half.wrapping_sub(1), half, half + 1].map(|far| Value::Num(n.wrapping_add(far) & mask(u32::from(*bits))));
        // Numbers of few bits have none that is distant.
        if *bits < 8 {
            vec![]
        } else {
            all.to_vec()
        }
    }

    /// Returns other values of a type.
    fn others(&self, ty: &Type, value: &Value, near: &BTreeSet<u64>) -> Vec<Value> {
        let parts = |types: &[&Type], parts: &[Value]| -> Vec<Value> {
            let with = |at: usize, part: Value| {
                let mut parts = parts.to_vec();
                parts[at] = part;
                Value::Tuple(parts)
            };
            let each = types.iter().zip(parts).enumerate();
            each.flat_map(|(at, (ty, part))| self.others(ty, part, near).into_iter().map(move |p| with(at, p)))
                .collect()
        };
        let others: Vec<Value> = match (ty, value) {
            (_, Value::Num(_)) => {
                let most = mask(self.stack.wire_bits(ty).unwrap_or(64).clamp(1, 64));
                let beside = near.iter().flat_map(|n| [n.wrapping_sub(1), *n, n.wrapping_add(1)]);
                let around_the_ends = [0, 1, most >> 1, (most >> 1) + 1, most];
                beside.filter(|n| *n <= most).chain(around_the_ends).map(Value::Num).collect()
            }
            (Type::Bits(many), Value::Set(words)) => {
                let toggled = |bit: u32| {
                    let mut words = words.clone();
                    words[bit as usize / 64] ^= 1 << (bit % 64);
                    Value::Set(words)
                };
                let few = (0..(*many).min(4)).chain([many - 1]).map(toggled);
                let all = (0..words.len()).map(|at| mask(64.min(many - 64 * at as u32))).collect();
                few.chain([Value::Set(vec![0; words.len()]), Value::Set(all)]).collect()
            }
            (Type::Bytes(_), Value::Bytes(bytes)) => {
                [0, 0xff].map(|byte| Value::Bytes(vec![byte; bytes.len()])).to_vec()
            }
            (Type::Option(of), Value::Option(Some(inner))) => {
                self.others(of, inner, near).into_iter().map(Value::some).chain([Value::none()]).collect()
            }
            (Type::Option(of), Value::Option(None)) => vec![Value::some(least(&self.stack, of))],
            (Type::Array(of, _), Value::Tuple(values)) => parts(&vec![&**of; values.len()], values),
            (Type::Tuple(types), Value::Tuple(values)) => parts(&types.iter().collect::<Vec<_>>(), values),
            (Type::Struct(id), Value::Tuple(values)) => {
                let fields = &self.stack.structs[id.index()].fields;
                parts(&fields.iter().map(|f| &f.ty).collect::<Vec<_>>(), values)
            }
            _ => vec![],
        };
        others.into_iter().filter(|other| other != value && self.stack.fits(other, ty)).collect()
    }
}

impl Forge for Forger {
    fn frames(&self, of: &[u8], forgery: Forgery) -> Vec<Vec<u8>> {
        let layout = &self.stack.layouts[0];
        let Some(parsed) = self.stack.parse(layout, of) else { return vec![] };
        let body = &of[parsed.size..];
        let frame = |shape: usize, headers: &Headers, body: &[u8]| {
            let mut frame = self.stack.head(layout, &layout.shapes[shape], headers);
            frame.extend(body);
            frame
        };
        let altered = match forgery {
            Forgery::Foreign => {
                self.foreign(&parsed.headers).map(|headers| (parsed.shape, headers)).into_iter().collect()
            }
            Forgery::Distant => {
                let distant = self.with_another_value(&parsed.headers, &|ty, value| self.distant(ty, value));
                distant.into_iter().map(|headers| (parsed.shape, headers)).collect()
            }
            _ => self.altered(layout, parsed.shape, &parsed.headers),
        };
        let mut all: Vec<Vec<u8>> = vec![];
        for (shape, headers) in &altered {
            // A message without data has no body.
            let with_data = layout.shapes[*shape].data_max > 0;
            all.push(frame(*shape, headers, if with_data { body } else { &[] }));
            if with_data && body.is_empty() {
                all.push(frame(*shape, headers, &[0]));
            }
        }
        if forgery == Forgery::Forged {
            all.extend(other_bodies(body).iter().map(|body| frame(parsed.shape, &parsed.headers, body)));
        }
        all.retain(|frame| frame != of && self.stack.parse(layout, frame).is_some());
        all.sort();
        all.dedup();
        all
    }
}

/// A body that is empty, cut, longer, or has another first byte.
fn other_bodies(body: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![vec![], [body, &[0]].concat()];
    if let [first, rest @ ..] = body {
        all.push(body[..body.len() - 1].to_vec());
        all.push([&[!first], rest].concat());
    }
    all
}

/// The least value of a field.
fn least(stack: &Stack, ty: &Type) -> Value {
    match ty {
        Type::Range(low, _) => Value::Num(*low),
        ty => stack.zero(ty),
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Num(n) => Some(*n),
        _ => None,
    }
}

/// The constants of a stack's code.
#[derive(Default)]
struct Constants(BTreeSet<u64>);

impl<'a> Visitor<'a> for Constants {
    fn expr(&mut self, expr: &'a Expr) {
        if let ExprKind::Const(n) = expr.kind {
            self.0.insert(n);
        }
        visit::walk_expr(self, expr);
    }
}
