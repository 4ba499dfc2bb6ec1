//! Queries of containers.

use nacre_stack::*;

use crate::numbers::{cut, sign};
use crate::refusal::{Construct, Reason};
use crate::types::{bits_of, is_scalar, is_wide};
use crate::writer::Writer;

/// The number of sequence numbers from `low` to `high` of a window.
pub fn span(x: &str, bits: u8) -> String {
    cut(&format!("{x}.high - {x}.low"), u32::from(bits))
}

impl Writer<'_> {
    /// Returns the value of a query after writing the statements that compute it. Refuses a query that has no model.
    pub fn query(&mut self, query: Query, place: &Place, arguments: &[Expr]) -> String {
        let x = self.read(place);
        match (query, &place.ty) {
            (Query::Armed, Type::Timer) => x,
            (Query::Low, Type::Window(..)) => format!("{x}.low"),
            (Query::Next, Type::Window(..)) => format!("{x}.next"),
            (Query::High, Type::Window(..)) => format!("{x}.high"),
            (Query::Empty, Type::Window(..)) => format!("({x}.low == {x}.high)"),
            (Query::Full, Type::Window(_, n, bits)) => format!("({} == {n})", span(&x, *bits)),
            (Query::Len, ty) => self.length(ty, &x),
            (Query::Empty, ty) => format!("({} == 0)", self.length(ty, &x)),
            (Query::Full, ty) => format!("({} >= {})", self.length(ty, &x), capacity(ty)),
            (Query::Has, Type::Window(_, n, bits)) => {
                let k = self.value(&arguments[0]);
                let offset = sign(&format!("{k} - {x}.low"), u32::from(*bits));
                let offset = if self.frame.pure_ { offset } else { self.simple(&offset, &Type::Int(32)) };
                format!("({offset} >= 0 && {offset} < {n} && {x}.used[{offset}])")
            }
            (Query::Has, Type::Pool(_, n) | Type::Map(_, _, n)) => {
                let k = self.count_simple(&arguments[0]);
                format!("({k} >= 0 && {k} < {n} && {x}.used[{k}])")
            }
            (Query::Has, Type::Ring(..) | Type::List(..)) => {
                let k = self.count_simple(&arguments[0]);
                format!("({k} >= 0 && {k} < {x}.n)")
            }
            (Query::Key, Type::Map(k, _, n)) if is_scalar(k) => {
                let at = self.count_simple(&arguments[0]);
                format!("({at} >= 0 && {at} < {n} -> {x}.k[{at}] : 0)")
            }
            (Query::Contains, ty @ Type::Bits(n)) => {
                let k = self.count_simple(&arguments[0]);
                match is_wide(ty) {
                    true => format!("({k} < {n} && (({k} < 32 -> {x}.lo >> {k} : {x}.hi >> ({k} - 32)) & 1))"),
                    false => format!("({k} < {n} && (({x} >> {k}) & 1))"),
                }
            }
            (Query::Contains, ty) => self.contains(ty, &x, &arguments[0]),
            (Query::First, ty @ Type::Bits(n)) => self.first(ty, &x, *n),
            (query, ty) => {
                self.refuse(Reason::Of(Construct::Query(query), ty.clone()));
                "0".into()
            }
        }
    }

    fn length(&mut self, ty: &Type, x: &str) -> String {
        let sum = |name: &str, n: u32| -> String {
            let parts: Vec<String> = (0..n).map(|i| format!("{x}.{name}[{i}]")).collect();
            format!("({})", parts.join(" + "))
        };
        match ty {
            Type::Ring(..) | Type::List(..) | Type::Text(_) => format!("{x}.n"),
            Type::Window(_, n, _) | Type::Pool(_, n) | Type::Map(_, _, n) if *n > 0 => sum("used", *n),
            Type::Bits(_) => {
                let count = self.number();
                let parts: Vec<String> = match is_wide(ty) {
                    true => (0..64).map(|i| bit(x, i)).collect(),
                    false => (0..bits_of(ty)).map(|i| format!("(({x} >> {i}) & 1)")).collect(),
                };
                self.line(format!("{count} = {};", parts.join(" + ")));
                count
            }
            Type::Bytes(n) | Type::Array(_, n) => n.to_string(),
            _ => "0".into(),
        }
    }

    fn first(&mut self, ty: &Type, x: &str, n: u32) -> String {
        let at = self.number();
        let has = match is_wide(ty) {
            true => format!("(({at} < 32 -> {x}.lo >> {at} : {x}.hi >> ({at} - 32)) & 1)"),
            false => format!("(({x} >> {at}) & 1)"),
        };
        self.line(format!("{at} = 0; do :: {at} < {n} && !{has} -> {at}++ :: else -> break od;"));
        format!("({at} < {n} -> {at} : 0)")
    }

    /// Whether a container has an entry (a map: a key) equal to a value.
    fn contains(&mut self, ty: &Type, x: &str, value: &Expr) -> String {
        let at = self.place_of(ty, x, value);
        format!("({at} >= 0)")
    }

    /// The index of the first equal entry, or the slot of the key; -1 if there is none.
    pub fn place_of(&mut self, ty: &Type, x: &str, value: &Expr) -> String {
        let wanted = self.value(value);
        let wanted = self.simple(&wanted, &value.ty);
        self.index_of(ty, x, &wanted)
    }

    /// Writes a search and returns the variable that receives the index of the entry that equals `wanted`, or -1.
    pub fn index_of(&mut self, ty: &Type, x: &str, wanted: &str) -> String {
        let (entry, part, limit, there) = match ty {
            Type::Ring(t, _) | Type::List(t, _) => (&**t, "v", format!("{x}.n"), None),
            Type::Map(k, _, n) => (&**k, "k", n.to_string(), Some("used")),
            other => {
                self.refuse(Reason::Of(Construct::Search, other.clone()));
                return "0".into();
            }
        };
        let (at, found, same) = (self.number(), self.temporary(&Type::Int(32)), self.temporary(&Type::Bool));
        self.line(format!("{found} = -1; {at} = 0;"));
        self.line("do");
        self.option(format!("{at} < {limit} && {found} < 0"));
        self.line(format!("{same} = {};", there.map_or("1".into(), |u| format!("{x}.{u}[{at}]"))));
        let text = self.equal_text(entry, &same, &format!("{x}.{part}[{at}]"), wanted);
        self.line(text);
        self.line(format!("if :: {same} -> {found} = {at} :: else fi; {at}++"));
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        found
    }
}

/// Returns element `i` (0 to 63) of a bit set, as 0 or 1.
pub fn bit(x: &str, i: u32) -> String {
    let (word, at) = if i < 32 { ("lo", i) } else { ("hi", i - 32) };
    format!("(({x}.{word} >> {at}) & 1)")
}

fn capacity(ty: &Type) -> u32 {
    match ty {
        Type::Ring(_, n) | Type::List(_, n) | Type::Pool(_, n) | Type::Map(_, _, n) | Type::Bits(n) | Type::Text(n) => {
            *n
        }
        _ => 0,
    }
}
