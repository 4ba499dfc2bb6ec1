//! Places: cells, locals and their parts.

use nacre_stack::*;

use crate::names::{clean, Scope as NameScope};
use crate::numbers;
use crate::refusal::{Construct, Reason};
use crate::types::{bits_of, is_scalar};
use crate::writer::Writer;

/// A resolved place.
pub struct Found {
    pub text: String,
    /// The conditions under which it exists, in the order of the path.
    pub guards: Vec<String>,
}

impl Found {
    /// Returns the condition under which the place exists; none if it always does.
    pub fn guard(&self) -> Option<String> {
        (!self.guards.is_empty()).then(|| format!("({})", self.guards.join(" && ")))
    }
}

impl Writer<'_> {
    /// Returns the variable of a cell.
    pub fn cell(&mut self, id: CellId) -> String {
        let cell = self.stack.cell(id);
        let (layer, name) = (self.layer_name(cell.layer), self.cell_name(id));
        match cell.scope {
            Scope::Given => format!("{}.{layer}.{name}", self.given_values()),
            _ => format!("{}.{layer}.{name}", self.my()),
        }
    }

    /// The field of a cell in the state of its layer.
    pub fn cell_name(&self, id: CellId) -> String {
        let cell = self.stack.cell(id);
        self.names.name(NameScope::Cells(cell.layer.0), clean(&cell.name), format!("{id:?}"))
    }

    fn root_type(&self, root: Root) -> Type {
        match root {
            Root::Cell(id) => self.stack.cell(id).ty.clone(),
            Root::Local(id) => self.local_type(id),
        }
    }

    /// Resolves a place: its text, and the conditions under which it exists. Statements for its indices are written
    /// first.
    pub fn find(&mut self, place: &Place) -> Found {
        let mut ty = self.root_type(place.root);
        let mut found = Found { text: String::new(), guards: vec![] };
        found.text = match place.root {
            Root::Cell(id) => self.cell(id),
            Root::Local(id) => self.local(id),
        };
        for step in &place.path {
            ty = self.step(&mut found, &ty, step);
        }
        found
    }

    fn step(&mut self, found: &mut Found, ty: &Type, step: &Step) -> Type {
        match (step, ty) {
            (Step::Field(i), _) => {
                let field = self.fields(ty).swap_remove(*i as usize);
                found.text = format!("{}.{}", found.text, field.name);
                self.part_type(ty, *i)
            }
            (Step::Unwrap, Type::Option(inner)) => {
                found.guards.push(format!("{}.some", found.text));
                found.text = format!("{}.v", found.text);
                (**inner).clone()
            }
            (Step::Index(index), _) => {
                let at = self.index(index);
                self.element(found, ty, &at, index)
            }
            _ => {
                self.refuse(Reason::Of(Construct::Step, ty.clone()));
                ty.clone()
            }
        }
    }

    fn index(&mut self, index: &Expr) -> String {
        // For a window, the index is a number, not a distance.
        if matches!(index.ty, Type::Seq(_)) && is_scalar(&index.ty) {
            let text = self.value(index);
            return if self.frame.pure_ { text } else { self.simple(&text, &index.ty) };
        }
        self.count_simple(index)
    }

    fn element(&mut self, found: &mut Found, ty: &Type, at: &str, index: &Expr) -> Type {
        let x = found.text.clone();
        let fits = |n: u32| match (&index.kind, &index.ty) {
            (ExprKind::Const(c), _) => *c < u64::from(n),
            (_, Type::Range(_, high)) => *high <= u64::from(n),
            (_, ty) => is_scalar(ty) && bits_of(ty) < 32 && 1u64 << bits_of(ty) <= u64::from(n),
        };
        match ty {
            Type::Array(t, n) => {
                if !fits(*n) {
                    found.guards.push(format!("{at} >= 0 && {at} < {n}"));
                }
                found.text = format!("{x}.v[{at}]");
                (**t).clone()
            }
            Type::Ring(t, _) | Type::List(t, _) => {
                found.guards.push(format!("{at} >= 0 && {at} < {x}.n"));
                found.text = format!("{x}.v[{at}]");
                (**t).clone()
            }
            Type::Pool(t, n) | Type::Map(_, t, n) => {
                found.guards.push(format!("{at} >= 0 && {at} < {n} && {x}.used[{at}]"));
                found.text = format!("{x}.v[{at}]");
                (**t).clone()
            }
            Type::Window(t, n, bits) => {
                let offset = numbers::sign(&format!("{at} - {x}.low"), u32::from(*bits));
                let offset = if self.frame.pure_ { offset } else { self.simple(&offset, &Type::Int(32)) };
                found.guards.push(format!("{offset} >= 0 && {offset} < {n} && {x}.used[{offset}]"));
                found.text = format!("{x}.v[{offset}]");
                (**t).clone()
            }
            Type::Bytes(n) => {
                if !fits(*n) {
                    found.guards.push(format!("{at} >= 0 && {at} < {n}"));
                }
                found.text = format!("{x}.b[{at}]");
                Type::UInt(8)
            }
            Type::Text(_) | Type::View => {
                found.guards.push(format!("{at} >= 0 && {at} < {x}.n"));
                found.text = format!("{x}.b[{at}]");
                Type::UInt(8)
            }
            _ => {
                self.refuse(Reason::Of(Construct::Element, ty.clone()));
                ty.clone()
            }
        }
    }

    /// The type of a struct's or tuple's part.
    pub fn part_type(&self, ty: &Type, part: u32) -> Type {
        match ty {
            Type::Struct(id) => self.stack.structs[id.index()].fields[part as usize].ty.clone(),
            Type::Tuple(types) => types[part as usize].clone(),
            other => other.clone(),
        }
    }

    /// Returns the value at a place; zero if the place is absent.
    pub fn read(&mut self, place: &Place) -> String {
        let found = self.find(place);
        let Some(guard) = found.guard() else { return found.text };
        if is_scalar(&place.ty) {
            return format!("({guard} -> {} : 0)", found.text);
        }
        let value = self.temporary(&place.ty);
        self.zero(&place.ty, &value);
        self.when(&guard, |w| w.copy(&place.ty, &value, &found.text));
        value
    }

    /// Writes statements on a place under the condition that it exists.
    pub fn at(&mut self, found: &Found, act: impl FnOnce(&mut Self, &str)) {
        match found.guard() {
            None => act(self, &found.text),
            Some(guard) => self.when(&guard, |w| act(w, &found.text)),
        }
    }
}
