//! Places: what can be read, written, armed and operated on. A missing entry reads as zero, and writes to it are lost.

use nacre_stack::*;

use crate::body::Body;
use crate::term::Term;
use crate::types::{mask_constant, window_slots};

/// A place as text that C can assign to.
pub struct Where {
    pub text: Term,
    /// Stored values outlive the step there.
    pub keeps: bool,
    /// Holds if nothing is there: for each entry on the way, whether it is missing.
    pub lost: Vec<String>,
}

impl Body<'_, '_> {
    /// Resolves a place: an lvalue, and the conditions under which it exists.
    pub fn place(&mut self, place: &Place) -> Where {
        let (mut text, mut ty, keeps) = match place.root {
            Root::Cell(cell) => {
                let declared = self.w.stack.cell(cell);
                let (layer, name) = (&self.w.layer_names[declared.layer.index()], &self.w.cell_names[cell.index()]);
                let text = match self.in_config {
                    true => format!("config->{}", self.w.given_names[cell.index()]),
                    false => format!("step->s->{layer}.{name}"),
                };
                (Term::from(text), declared.ty.clone(), true)
            }
            Root::Local(id) => {
                let local = &self.locals[id.index()];
                (self.local(id), local.ty.clone(), local.by_ref)
            }
        };
        let mut lost = Vec::new();
        for step in &place.path {
            let next = self.step_type(&ty, step);
            match step {
                Step::Field(i) if matches!(ty, Type::Array(..)) => text = text.member(&format!("at[{i}]")),
                Step::Field(i) => text = text.member(&self.w.member(&ty, *i)),
                Step::Unwrap => text = text.member("value"),
                Step::Index(index) => {
                    let safe = self.index_is_safe(index, &ty);
                    let at = self.value(index);
                    let at = if at.is_simple() {
                        at
                    } else {
                        let c_type = self.c_type(&index.ty);
                        self.bind(&format!("const {c_type}"), "at", &at)
                    };
                    if safe {
                        text = text.member(&format!("at[{at}]"));
                    } else {
                        let c_type = self.w.c_type(&next, self.home(place.root));
                        let (found, nowhere) = self.guarded(&text, &ty, &c_type, &at);
                        lost.push(format!("{found} == &{nowhere}"));
                        text = Term::pointee(found);
                    }
                }
            }
            ty = next;
        }
        Where { text, keeps, lost }
    }

    fn step_type(&self, ty: &Type, step: &Step) -> Type {
        match (ty, step) {
            (Type::Struct(id), Step::Field(i)) => self.w.stack.structs[id.index()].fields[*i as usize].ty.clone(),
            (Type::Tuple(types), Step::Field(i)) => types[*i as usize].clone(),
            (Type::Option(t), _) => (**t).clone(),
            (Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _), _) => (**t).clone(),
            (Type::Window(t, _, _) | Type::Pool(t, _) | Type::Map(_, t, _), _) => (**t).clone(),
            (Type::Bytes(_) | Type::Text(_), _) => Type::UInt(8),
            _ => ty.clone(),
        }
    }

    /// A pointer to an entry, or to a local zero if the entry is missing.
    fn guarded(&mut self, text: &str, ty: &Type, c_type: &str, at: &str) -> (String, String) {
        let (there, place) = self.w.entry(text, ty, at);
        let nowhere = self.fresh("nowhere");
        let found = self.fresh("entry");
        self.code.line(format!("{c_type} {nowhere}, *{found};"));
        self.code.open(format!("if ({}) {{", self.w.likely(&there)));
        self.code.line(format!("{found} = &{place};"));
        self.code.turn("} else {");
        self.code.line(format!("memset(&{nowhere}, 0, sizeof {nowhere});"));
        self.code.line(format!("{found} = &{nowhere};"));
        self.code.close("}");
        (found, nowhere)
    }

    /// Releases what a statement wrote to a place that is not there.
    pub fn release_lost(&mut self, found: &Where, ty: &Type) {
        if found.lost.is_empty() {
            return;
        }
        if let Some(drop) = self.w.drop_of(ty, self.layer, &found.text) {
            self.later(format!("if ({}) {{ {drop} }}", found.lost.join(" || ")));
        }
    }
}

impl crate::writer::Writer<'_> {
    /// The condition under which an entry is there, and the place of the entry.
    pub fn entry(&self, text: &str, ty: &Type, at: &str) -> (String, String) {
        let p = &self.prefix;
        match ty {
            Type::Array(_, n) | Type::Bytes(n) => (format!("{at} < {n}u"), format!("{text}.at[{at}]")),
            Type::List(..) | Type::Text(_) => (format!("{at} < {text}.len"), format!("{text}.at[{at}]")),
            Type::Ring(_, n) => {
                (format!("{at} < {text}.len"), format!("{text}.at[({text}.head + (uint32_t){at}) % {n}u]"))
            }
            Type::Pool(_, n) | Type::Map(_, _, n) => {
                (format!("{at} < {n}u && {p}_has({text}.used, (uint32_t){at})"), format!("{text}.at[{at}]"))
            }
            Type::Window(_, n, bits) => {
                let slot = format!("((uint32_t){at} & {}u)", window_slots(*n) - 1);
                let inside = format!(
                    "{} < {}",
                    distance(at, &format!("{text}.low"), *bits),
                    distance(&format!("{text}.high"), &format!("{text}.low"), *bits)
                );
                (format!("{inside} && !{p}_has({text}.missing, {slot})"), format!("{text}.at[{slot}]"))
            }
            other => unreachable!("{other:?} has no entries"),
        }
    }
}

/// `a - b` as an unsigned number of `bits` bits.
pub fn distance(a: &str, b: &str, bits: u8) -> String {
    match bits {
        64 => format!("({a} - {b})"),
        33..=63 => format!("(({a} - {b}) & {})", mask_constant(bits as u32)),
        32 => format!("((uint32_t){a} - (uint32_t){b})"),
        _ => format!("(((uint32_t){a} - (uint32_t){b}) & {})", mask_constant(bits as u32)),
    }
}
