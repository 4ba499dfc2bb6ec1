//! Questions to containers.

use nacre_stack::*;

use crate::body::Body;
use crate::places::distance;
use crate::sets::Words;
use crate::term::Term;
use crate::types::{constant, set_words, window_slots, Scalar};

impl Body<'_, '_> {
    /// A question to a container or a timer.
    pub fn query(&mut self, query: Query, place: &Place, arguments: &[Expr], scalar: Scalar) -> Term {
        let p = self.w.prefix.clone();
        let found = self.place(place);
        let text = found.text;
        let count = |words: String, n: u32| format!("{p}_count({words}, {}u)", n.div_ceil(64));
        let len = match &place.ty {
            Type::Window(_, n, bits) => format!(
                "(uint32_t)({} - {})",
                distance(&format!("{text}.high"), &format!("{text}.low"), *bits),
                count(format!("{text}.missing"), window_slots(*n))
            ),
            Type::Pool(_, n) | Type::Map(_, _, n) => count(format!("{text}.used"), *n),
            Type::Bits(n) if set_words(&place.ty).is_some() => count(format!("{text}.word"), *n),
            Type::Bits(_) => format!("{p}_count_in((uint64_t){text})"),
            Type::Array(_, n) | Type::Bytes(n) => format!("{n}u"),
            Type::Ring(..) | Type::List(..) | Type::Text(_) => format!("{text}.len"),
            _ => "0u".into(),
        };
        let capacity = match &place.ty {
            Type::Ring(_, n)
            | Type::List(_, n)
            | Type::Pool(_, n)
            | Type::Map(_, _, n)
            | Type::Bits(n)
            | Type::Text(n) => *n,
            _ => 0,
        };
        let as_number = |body: &Body, text: String| body.narrowed(text, scalar);
        match (query, &place.ty) {
            (Query::Armed, _) => Term::operation(format!("{text} != 0")),
            (Query::Low, _) => format!("{text}.low").into(),
            (Query::Next, _) => format!("{text}.next").into(),
            (Query::High, _) => format!("{text}.high").into(),
            (Query::Len, _) => match scalar {
                Scalar::Unsigned { c: 32, bits: 32 } => len.into(),
                _ => as_number(self, len).into(),
            },
            (Query::Empty, Type::Window(..)) => Term::operation(format!("{text}.low == {text}.high")),
            (Query::Empty, _) => Term::operation(format!("{len} == 0")),
            (Query::Full, Type::Window(_, n, bits)) => {
                Term::operation(format!("{} == {n}u", distance(&format!("{text}.high"), &format!("{text}.low"), *bits)))
            }
            (Query::Full, _) => Term::operation(format!("{len} >= {capacity}u")),
            (Query::Contains, Type::Ring(t, _) | Type::List(t, _)) => {
                let find = self.w.container("find", &place.ty, self.layer);
                let value = self.value(&arguments[0]);
                let wanted = self.addressed(&t.clone(), &value);
                Term::operation(format!("{find}(&{text}, &{wanted}) < {text}.len"))
            }
            (Query::Contains, Type::Map(k, _, n)) => {
                let find = self.w.container("find", &place.ty, self.layer);
                let value = self.value(&arguments[0]);
                let wanted = self.addressed(&k.clone(), &value);
                Term::operation(format!("{find}(&{text}, &{wanted}) < {n}u"))
            }
            (Query::Contains, Type::Bits(n)) => {
                let element = self.wide(&arguments[0]);
                self.is_element(&element, *n, Words::of(&place.ty, text))
            }
            (Query::Has, ty) => {
                let at = self.named(&arguments[0]);
                let (there, _) = self.w.entry(&text, &ty.clone(), &at);
                Term::operation(there)
            }
            (Query::Key, _) => self.query_key(place, &arguments[0]),
            (Query::First, Type::Bits(n)) => {
                let first = match set_words(&place.ty) {
                    Some(_) => format!("{p}_first({text}.word, {}u)", n.div_ceil(64)),
                    None => format!("{p}_first_in((uint64_t){text})"),
                };
                as_number(self, first).into()
            }
            _ => Term::number(constant(0, scalar)),
        }
    }

    /// The key in a slot of a map; zero, if the slot is free.
    pub fn query_key(&mut self, place: &Place, slot: &Expr) -> Term {
        let Type::Map(k, _, n) = place.ty.clone() else { return Term::number("0") };
        let p = self.w.prefix.clone();
        let text = self.place(place).text;
        let at = self.named(slot);
        let (c_type, zero) = (self.c_type(&k), self.zero(&k));
        let key = self.bind(&c_type, "key", &zero);
        self.code
            .line(format!("if ({at} < {n}u && {p}_has({text}.used, (uint32_t){at})) {{ {key} = {text}.key[{at}]; }}"));
        key
    }
}
