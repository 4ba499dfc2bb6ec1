//! Resolved places, and the parts of values that they name.

use super::value::Value;
use crate::*;

/// A place whose indices have been evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub root: FoundRoot,
    pub path: Vec<FoundStep>,
}

/// The cell or the local that a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundRoot {
    Cell(CellId),
    /// A local of the frame with that index.
    Local(usize, LocalId),
}

/// One step on the way to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundStep {
    Part(u64),
    Unwrap,
}

impl Found {
    /// Whether it is in the state.
    pub fn is_cell(&self) -> bool {
        matches!(self.root, FoundRoot::Cell(_))
    }
}

/// A part of a value; None: it is missing.
pub fn part(value: &Value, step: FoundStep) -> Option<&Value> {
    match (value, step) {
        (Value::Tuple(parts), FoundStep::Part(i)) => parts.get(usize::try_from(i).ok()?),
        (Value::Row(row), FoundStep::Part(i)) => row.get(usize::try_from(i).ok()?),
        (Value::Window(window), FoundStep::Part(n)) => window.get(n),
        (Value::Pool(slots), FoundStep::Part(i)) => slots.get(usize::try_from(i).ok()?)?.as_ref(),
        (Value::Map(slots), FoundStep::Part(i)) => slots.get(usize::try_from(i).ok()?)?.as_ref().map(|(_, v)| v),
        (Value::Option(inner), FoundStep::Unwrap) => inner.as_deref(),
        _ => None,
    }
}

/// The same, with leave to change it.
pub fn part_mut(value: &mut Value, step: FoundStep) -> Option<&mut Value> {
    match (value, step) {
        (Value::Tuple(parts), FoundStep::Part(i)) => parts.get_mut(usize::try_from(i).ok()?),
        (Value::Row(row), FoundStep::Part(i)) => row.get_mut(usize::try_from(i).ok()?),
        (Value::Window(window), FoundStep::Part(n)) => window.get_mut(n),
        (Value::Pool(slots), FoundStep::Part(i)) => slots.get_mut(usize::try_from(i).ok()?)?.as_mut(),
        (Value::Map(slots), FoundStep::Part(i)) => slots.get_mut(usize::try_from(i).ok()?)?.as_mut().map(|(_, v)| v),
        (Value::Option(inner), FoundStep::Unwrap) => inner.as_deref_mut(),
        _ => None,
    }
}
