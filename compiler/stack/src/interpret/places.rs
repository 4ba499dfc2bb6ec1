//! Places: found once, then read and written.

use super::found::{part, part_mut, Found, FoundRoot, FoundStep};
use super::run::{Frame, Run, Slot};
use super::value::Value;
use crate::*;

impl Run<'_> {
    /// Resolves a place: evaluates its indices once, and follows a `ref` parameter to the caller's place.
    pub fn find(&mut self, place: &Place) -> Found {
        let frame = self.frames.len() - 1;
        let mut found = match place.root {
            Root::Cell(cell) => {
                self.derive(cell);
                let session = FoundStep::Part(self.frames[frame].session);
                let path = if self.stack.copies(cell) > 1 { vec![session] } else { vec![] };
                Found { root: FoundRoot::Cell(cell), path }
            }
            Root::Local(local) => match &self.frames[frame].slots[local.index()] {
                Slot::Ref(found) => found.clone(),
                Slot::Value(_) => Found { root: FoundRoot::Local(frame, local), path: vec![] },
            },
        };
        for step in &place.path {
            found.path.push(match step {
                Step::Field(i) => FoundStep::Part(*i as u64),
                Step::Index(index) => FoundStep::Part(self.evaluate(index).num()),
                Step::Unwrap => FoundStep::Unwrap,
            });
        }
        found
    }

    /// Derived cells are computed from their inputs at each read.
    fn derive(&mut self, id: CellId) {
        let cell = &self.stack.cells[id.index()];
        if let (Scope::Derived, Some(initial)) = (cell.scope, &cell.initial) {
            self.frames.push(Frame::new(&[], cell.layer));
            let value = self.evaluate(initial);
            self.frames.pop();
            self.state.cells[id.index()] = value;
        }
    }

    fn root(&self, root: FoundRoot) -> Option<&Value> {
        match root {
            FoundRoot::Cell(cell) => self.state.cells.get(cell.index()),
            FoundRoot::Local(frame, local) => match &self.frames[frame].slots[local.index()] {
                Slot::Value(value) => Some(value),
                Slot::Ref(_) => None,
            },
        }
    }

    fn root_mut(&mut self, root: FoundRoot) -> Option<&mut Value> {
        match root {
            FoundRoot::Cell(cell) => self.state.cells.get_mut(cell.index()),
            FoundRoot::Local(frame, local) => {
                let declared = &self.frames[frame].declared[local.index()].ty;
                match &mut self.frames[frame].slots[local.index()] {
                    Slot::Value(value) => {
                        if matches!(value, Value::Gone) {
                            *value = self.stack.zero(declared);
                        }
                        Some(value)
                    }
                    Slot::Ref(_) => None,
                }
            }
        }
    }

    /// The value at a place; None: it is missing.
    pub fn peek(&self, found: &Found) -> Option<&Value> {
        found.path.iter().try_fold(self.root(found.root)?, |value, step| part(value, *step))
    }

    /// Returns the value at a resolved place; none if the path crosses an unused slot or an absent value.
    pub fn peek_mut(&mut self, found: &Found) -> Option<&mut Value> {
        found.path.iter().try_fold(self.root_mut(found.root)?, |value, step| part_mut(value, *step))
    }

    /// A copy of the value at a place; zero if it is missing.
    pub fn read(&self, found: &Found, ty: &Type) -> Value {
        let value = match self.peek(found) {
            Some(value) => value.clone(),
            None => self.byte(found).unwrap_or(Value::Gone),
        };
        match value {
            Value::Gone => self.stack.zero(ty),
            value => value,
        }
    }

    /// A byte of a string of bytes.
    fn byte(&self, found: &Found) -> Option<Value> {
        let (last, path) = found.path.split_last()?;
        let FoundStep::Part(i) = *last else { return None };
        let value = path.iter().try_fold(self.root(found.root)?, |value, step| part(value, *step))?;
        match value {
            Value::Bytes(bytes) => bytes.get(usize::try_from(i).ok()?).map(|b| Value::Num(*b as u64)),
            _ => None,
        }
    }

    /// Overwrites; a value for a place that is not there is lost.
    pub fn write(&mut self, found: &Found, mut value: Value) {
        if self.peek_mut(found).is_some() {
            if found.is_cell() {
                self.state.pool.keep(&mut value);
            }
            if let Some(place) = self.peek_mut(found) {
                *place = value;
            }
            return;
        }
        let Some((FoundStep::Part(i), path)) = found.path.split_last().map(|(l, p)| (*l, p.to_vec())) else { return };
        if let Some(Value::Bytes(bytes)) = self.peek_mut(&Found { root: found.root, path }) {
            if let Some(byte) = usize::try_from(i).ok().and_then(|i| bytes.get_mut(i)) {
                *byte = value.num() as u8;
            }
        }
    }
}
