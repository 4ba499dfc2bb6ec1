//! Types: typedefs, and how values of them are copied, cleared and compared.

use nacre_stack::Type;

use crate::names::{clean, Scope};
use crate::refusal::{Counted, Reason, Wide};
pub use crate::scalars::{bits_of, is_scalar, is_signed, is_wide, plain, rows, word, Field, Shape};
use crate::writer::Writer;

/// Arrays up to this length are written element by element.
const UNROLLED: u32 = 4;

impl Writer<'_> {
    /// Returns the name of a type; for a type that is not a number, writes its typedef.
    pub fn type_name(&mut self, ty: &Type) -> String {
        if is_scalar(ty) {
            return word(ty).into();
        }
        match ty {
            Type::Bits(n) if *n > 64 => self.refuse(Reason::Size(Counted::SetElements, u64::from(*n))),
            Type::Window(_, _, bits) if *bits > 32 => {
                self.refuse(Reason::Wide(Wide::Window(*bits)));
            }
            _ => {}
        }
        let name = self.short_name(ty);
        if self.typedefs_known.insert(name.clone()) {
            let fields = self.fields(ty);
            self.typedef(&name, &fields);
        }
        name
    }

    /// Returns the name of the Promela type of a field; a `typedef` that it needs is written.
    pub fn shape_name(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Number(word) => word.to_string(),
            Shape::Of(ty) => self.type_name(ty),
        }
    }

    /// Writes a typedef after those that it needs.
    pub fn typedef(&mut self, name: &str, fields: &[Field]) {
        let mut lines = vec![format!("typedef {name} {{")];
        for (at, field) in fields.iter().enumerate() {
            let of = self.shape_name(&field.ty);
            let count = field.count.map_or(String::new(), |n| format!("[{}]", n.max(1)));
            let end = if at + 1 < fields.len() { ";" } else { "" };
            lines.push(format!("    {of} {}{count}{end}", field.name));
        }
        if fields.is_empty() {
            lines.push("    bit nothing".into());
        }
        lines.push("}\n".into());
        self.typedefs.push(lines.join("\n"));
    }

    fn short_name(&self, ty: &Type) -> String {
        if is_scalar(ty) {
            return self.wanted_name(ty);
        }
        let thing = if is_wide(ty) { "two words".into() } else { format!("{ty:?}") };
        self.names.name(Scope::Types, self.wanted_name(ty), thing)
    }

    fn wanted_name(&self, ty: &Type) -> String {
        let of = |t: &Type| self.short_name(t);
        match ty {
            Type::Struct(id) => clean(&self.stack.structs[id.index()].name),
            Type::Tuple(types) => types.iter().fold("tuple".into(), |name, t| format!("{name}_{}", of(t))),
            Type::Option(t) => format!("option_{}", of(t)),
            Type::Array(t, n) => format!("array{n}_{}", of(t)),
            Type::Ring(t, n) => format!("ring{n}_{}", of(t)),
            Type::List(t, n) => format!("list{n}_{}", of(t)),
            Type::Window(t, n, b) => format!("window{n}_{}_seq{b}", of(t)),
            Type::Pool(t, n) => format!("pool{n}_{}", of(t)),
            Type::Map(k, t, n) => format!("map{n}_{}_{}", of(k), of(t)),
            Type::Bytes(n) => format!("bytes{n}"),
            Type::Text(n) => format!("text{n}"),
            Type::View => "buffer".into(),
            Type::Msg => "message".into(),
            ty if is_wide(ty) => "wide".into(),
            Type::Int(b) => format!("i{b}"),
            Type::Seq(b) => format!("seq{b}"),
            ty => format!("u{}", bits_of(ty)),
        }
    }

    /// Returns the members of the `typedef` for a composite type.
    pub fn fields(&self, ty: &Type) -> Vec<Field> {
        let number = |name: &str, word| plain(name, Shape::Number(word));
        let of = |name: &str, ty: &Type| plain(name, Shape::Of(ty.clone()));
        let used = |n: &u32| Field { name: "used".into(), ty: Shape::Number("bool"), count: Some(*n) };
        match ty {
            Type::Struct(id) => {
                let name =
                    |at: usize, name: &str| self.names.name(Scope::Struct(id.0), clean(name), format!("field {at}"));
                let fields = self.stack.structs[id.index()].fields.iter().enumerate();
                fields.map(|(at, f)| of(&name(at, &f.name), &f.ty)).collect()
            }
            Type::Tuple(types) => types.iter().enumerate().map(|(i, t)| of(&format!("f{i}"), t)).collect(),
            Type::Option(t) => vec![number("some", "bool"), of("v", t)],
            Type::Array(t, n) => vec![rows("v", t, *n)],
            Type::Ring(t, n) | Type::List(t, n) => vec![number("n", "byte"), rows("v", t, *n)],
            Type::Window(t, n, bits) => {
                let seq = Type::Seq(*bits);
                vec![of("low", &seq), of("next", &seq), of("high", &seq), of("told", &seq), used(n), rows("v", t, *n)]
            }
            Type::Pool(t, n) => vec![used(n), rows("v", t, *n)],
            Type::Map(k, t, n) => vec![used(n), rows("k", k, *n), rows("v", t, *n)],
            Type::Bytes(n) => vec![rows("b", &Type::UInt(8), *n)],
            Type::Text(n) => vec![number("n", "byte"), rows("b", &Type::UInt(8), *n)],
            Type::View => vec![number("n", "short"), rows("b", &Type::UInt(8), crate::bytes::BUFFER)],
            Type::Msg => self.message_fields(),
            _ => vec![number("lo", "int"), number("hi", "int")],
        }
    }

    /// Returns lines that apply the same operation to every number in a value, at several places at once.
    pub fn spread(&self, fields: &[Field], places: &[String], each: &dyn Fn(&[String]) -> String) -> Vec<String> {
        let mut lines = vec![];
        self.spread_at(fields, places, 0, each, &mut lines);
        lines
    }

    fn spread_at(
        &self,
        fields: &[Field],
        at: &[String],
        depth: u32,
        each: &dyn Fn(&[String]) -> String,
        to: &mut Vec<String>,
    ) {
        for field in fields {
            let inside = |index: Option<String>| -> Vec<String> {
                let index = index.map_or(String::new(), |i| format!("[{i}]"));
                at.iter().map(|place| format!("{place}.{}{index}", field.name)).collect()
            };
            match field.count {
                None => self.spread_one(&field.ty, &inside(None), depth, each, to),
                Some(n) if n <= UNROLLED => {
                    (0..n).for_each(|i| self.spread_one(&field.ty, &inside(Some(i.to_string())), depth, each, to));
                }
                Some(n) => {
                    let index = format!("i_each{depth}");
                    to.push(format!("{index} = 0; do :: {index} < {n} ->"));
                    self.spread_one(&field.ty, &inside(Some(index.clone())), depth + 1, each, to);
                    to.push(format!("{index}++ :: else -> break od;"));
                }
            }
        }
    }

    fn spread_one(
        &self,
        ty: &Shape,
        at: &[String],
        depth: u32,
        each: &dyn Fn(&[String]) -> String,
        to: &mut Vec<String>,
    ) {
        match ty {
            Shape::Of(ty) if !is_scalar(ty) => self.spread_at(&self.fields(ty), at, depth, each, to),
            _ => to.push(each(at)),
        }
    }

    /// Writes the inline of an operation on a whole value, once; returns its name.
    fn made(
        &mut self,
        what: &str,
        name: &str,
        fields: &[Field],
        parameters: &[&str],
        each: &dyn Fn(&[String]) -> String,
    ) -> String {
        let full = format!("{what}_{name}");
        if self.inlines_known.insert(full.clone()) {
            let places: Vec<String> = parameters.iter().filter(|p| **p != "R").map(|p| p.to_string()).collect();
            let mut lines = self.spread(fields, &places, each);
            if lines.is_empty() {
                lines.push("skip".into());
            }
            let body: Vec<String> = lines.iter().map(|l| format!("    {l}")).collect();
            self.helpers.push(format!("inline {full}({}) {{\n{}\n}}\n", parameters.join(", "), body.join("\n")));
        }
        full
    }

    /// `to = from`
    pub fn copy_text(&mut self, ty: &Type, to: &str, from: &str) -> String {
        if is_scalar(ty) {
            return format!("{to} = {from};");
        }
        if to == from {
            return "skip;".into();
        }
        let name = self.type_name(ty);
        let fields = self.fields(ty);
        self.copy_fields(&name, &fields, to, from)
    }

    /// Returns the statement that copies a structure of these fields, by an inline that is written once.
    pub fn copy_fields(&mut self, name: &str, fields: &[Field], to: &str, from: &str) -> String {
        let inline = self.made("copy", name, fields, &["A", "B"], &|p| format!("{} = {};", p[0], p[1]));
        format!("{inline}({to}, {from});")
    }

    /// `place = 0`
    pub fn zero_text(&mut self, ty: &Type, place: &str) -> String {
        if is_scalar(ty) {
            return format!("{place} = 0;");
        }
        let name = self.type_name(ty);
        let fields = self.fields(ty);
        self.zero_fields(&name, &fields, place)
    }

    /// Returns the statement that sets all fields to zero, by an inline that is written once.
    pub fn zero_fields(&mut self, name: &str, fields: &[Field], place: &str) -> String {
        let inline = self.made("zero", name, fields, &["A"], &|p| format!("{} = 0;", p[0]));
        format!("{inline}({place});")
    }

    /// `result = result && a == b`
    pub fn equal_text(&mut self, ty: &Type, result: &str, a: &str, b: &str) -> String {
        if is_scalar(ty) {
            return format!("{result} = {result} && ({a} == {b});");
        }
        let name = self.type_name(ty);
        let fields = self.fields(ty);
        let inline =
            self.made("equal", &name, &fields, &["R", "A", "B"], &|p| format!("R = R && ({} == {});", p[0], p[1]));
        format!("{inline}({result}, {a}, {b});")
    }
}
