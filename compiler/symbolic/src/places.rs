//! Places: read and written.

use nacre_stack::*;

use crate::execute::Run;
use crate::terms::Term;
use crate::values::{self, Value};
use crate::Unsupported;

type Found<T> = Result<T, Unsupported>;

impl Run<'_> {
    /// The value at a place.
    pub(crate) fn load(&mut self, place: &Place) -> Found<Value> {
        let mut value = match place.root {
            Root::Cell(cell) => self.state.cells[cell.index()].clone()?,
            Root::Local(local) => match &self.frame().values[local.index()] {
                Some(value) => value.clone(),
                None => {
                    let ty = self.frame().type_of(local).clone();
                    self.zero(&ty)?
                }
            },
        };
        for step in &place.path {
            value = match (step, value) {
                (Step::Field(at), Value::Tuple(parts)) => parts[*at as usize].clone(),
                (Step::Unwrap, Value::Option(_, inner)) => *inner,
                (Step::Index(index), Value::Array(parts)) => {
                    let index = self.term(index)?;
                    // In range by its type.
                    let last = parts[parts.len() - 1].clone();
                    self.chosen(&parts[..parts.len() - 1], index, last)
                }
                (Step::Index(index), Value::Window(window)) => {
                    let number = self.term(index)?;
                    self.entry_of(&window, number)
                }
                (Step::Index(index), Value::Row(row)) => {
                    let at = self.term(index)?;
                    self.entry_at(&row, at)
                }
                _ => return Err(Unsupported::new("a part of that".into())),
            };
        }
        Ok(value)
    }

    /// Stores a value at a place under a condition.
    pub(crate) fn store(&mut self, place: &Place, value: Value, guard: Term) -> Found<()> {
        let root = match place.root {
            Root::Cell(cell) => self.state.cells[cell.index()].clone()?,
            Root::Local(local) => {
                let ty = self.frame().type_of(local).clone();
                match self.frame().values[local.index()].clone() {
                    Some(value) => value,
                    None => self.zero(&ty)?,
                }
            }
        };
        let changed = self.with(root, &place.path, value, guard)?;
        match place.root {
            Root::Cell(cell) => self.state.cells[cell.index()] = Ok(changed),
            Root::Local(local) => {
                self.frames.last_mut().expect("a frame").values[local.index()] = Some(changed);
            }
        }
        Ok(())
    }

    /// The value with another one at the end of a path.
    fn with(&mut self, old: Value, path: &[Step], value: Value, guard: Term) -> Found<Value> {
        let Some((step, rest)) = path.split_first() else {
            return Ok(values::choose(&mut self.terms, guard, &value, &old));
        };
        match (step, old) {
            (Step::Field(at), Value::Tuple(mut parts)) => {
                let part = parts[*at as usize].clone();
                parts[*at as usize] = self.with(part, rest, value, guard)?;
                Ok(Value::Tuple(parts))
            }
            (Step::Unwrap, Value::Option(some, inner)) => {
                Ok(Value::Option(some, Box::new(self.with(*inner, rest, value, guard)?)))
            }
            (Step::Index(index), Value::Array(parts)) => {
                let index = self.term(index)?;
                let mut changed = vec![];
                for (at, part) in parts.into_iter().enumerate() {
                    let here = self.is_number(index, at);
                    let guard = self.terms.and(&[guard, here]);
                    changed.push(self.with(part, rest, value.clone(), guard)?);
                }
                Ok(Value::Array(changed))
            }
            (Step::Index(index), Value::Window(mut window)) => {
                let number = self.term(index)?;
                let there = self.has(&window, number);
                let entry = self.entry_of(&window, number);
                let entry = self.with(entry, rest, value, guard)?;
                let (guard, at) = (self.terms.and(&[guard, there]), self.terms.resize(number, window.entries.index));
                window.entries.set(&mut self.terms, guard, at, &entry)?;
                Ok(Value::Window(window))
            }
            _ => Err(Unsupported::new("a part of that".into())),
        }
    }
}
