//! Walks over the entries of a container.

use super::execute::Flow;
use super::found::{part, Found, FoundStep};
use super::report::Rule;
use super::run::Run;
use super::value::Value;
use crate::operations::sets;
use crate::*;

impl<'a> Run<'a> {
    /// Runs the body once for each entry of a container that is in the range, at most `bound` times; with `drain`, the
    /// entries are removed first.
    pub fn each(&mut self, walk: &'a Walk, bound: u32, body: &'a Block) -> Flow {
        let found = self.find(&walk.over);
        let from = walk.from.as_ref().map(|e| self.evaluate(e).num());
        let to = walk.to.as_ref().map(|e| self.evaluate(e).num());
        // What is not there, as a slot that is not used, reads as zero: an array of zeros has its entries.
        let zero = self.peek(&found).is_none().then(|| self.stack.zero(&walk.over.ty));
        let indices = indices(self.peek(&found).or(zero.as_ref()).unwrap_or(&Value::Gone), from, to);
        let mut drained = if walk.drain { self.drained(&found, &walk.over.ty) } else { vec![] };
        drained.reverse();
        for (count, index) in indices.into_iter().enumerate() {
            let entry = if walk.drain { drained.pop() } else { self.entry(&found, zero.as_ref(), index, walk) };
            let Some(entry) = entry else { continue };
            if count >= bound as usize {
                self.add_to(builtin::BOUND, 1);
                self.report(Rule::Bound, "a walk met its bound".into());
                break;
            }
            self.set_locals(walk, index, entry);
            match self.execute(body) {
                Flow::Next => {}
                Flow::Break => break,
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn set_locals(&mut self, walk: &Walk, index: u64, entry: (Value, Value)) {
        let locals = [(walk.index, Value::Num(index)), (walk.key, entry.0), (walk.value, entry.1)];
        for (local, value) in locals {
            if let Some(local) = local {
                let ty = self.type_of(local);
                self.set(local, if value == Value::Gone { self.stack.zero(ty) } else { value });
            }
        }
    }

    /// Key and value of an entry that is still there; the value only if it is asked for. `zero`: what is read where
    /// nothing is.
    fn entry(&self, found: &Found, zero: Option<&Value>, index: u64, walk: &Walk) -> Option<(Value, Value)> {
        let value = |found: &Found| {
            let mut path = found.path.clone();
            path.push(FoundStep::Part(index));
            self.peek(&Found { root: found.root, path }).or_else(|| part(zero?, FoundStep::Part(index)))
        };
        let wanted = |v: &Value| if walk.value.is_some() { v.clone() } else { Value::Gone };
        match self.peek(found).or(zero)? {
            Value::Set(words) => sets::member(words, index).then_some((Value::Gone, Value::Num(index))),
            Value::Bytes(bytes) => {
                let byte = bytes.get(usize::try_from(index).ok()?)?;
                Some((Value::Gone, Value::Num(*byte as u64)))
            }
            Value::Map(slots) => {
                let (key, v) = slots.get(usize::try_from(index).ok()?)?.as_ref()?;
                Some((key.clone(), wanted(v)))
            }
            _ => value(found).map(|v| (Value::Gone, wanted(v))),
        }
    }

    /// All entries, moved out.
    fn drained(&mut self, found: &Found, ty: &Type) -> Vec<(Value, Value)> {
        let zero = self.stack.zero(ty);
        let Some(place) = self.peek_mut(found) else { return vec![] };
        let alone = |v: Value| (Value::Gone, v);
        match std::mem::replace(place, zero) {
            Value::Row(row) => row.into_iter().map(alone).collect(),
            Value::Pool(slots) => slots.into_iter().flatten().map(alone).collect(),
            Value::Map(slots) => slots.into_iter().flatten().collect(),
            Value::Window(window) => window.entries.into_iter().flatten().map(alone).collect(),
            Value::Tuple(parts) => parts.into_iter().map(alone).collect(),
            Value::Set(words) => sets::elements(&words).map(|i| alone(Value::Num(i))).collect(),
            _ => vec![],
        }
    }
}

/// The indices of the entries, in order.
fn indices(container: &Value, from: Option<u64>, to: Option<u64>) -> Vec<u64> {
    match container {
        Value::Tuple(parts) => (0..parts.len() as u64).collect(),
        Value::Row(row) => (0..row.len() as u64).collect(),
        Value::Bytes(bytes) => (0..bytes.len() as u64).collect(),
        Value::Pool(slots) => (0..slots.len() as u64).filter(|i| slots[*i as usize].is_some()).collect(),
        Value::Map(slots) => (0..slots.len() as u64).filter(|i| slots[*i as usize].is_some()).collect(),
        Value::Set(words) => sets::elements(words).collect(),
        Value::Window(window) => {
            let clamp = |n: u64| window.offset(n).clamp(0, window.span());
            let range = from.map_or(0, clamp)..to.map_or(window.span(), clamp);
            range.map(|o| window.number(o)).filter(|n| window.get(*n).is_some()).collect()
        }
        _ => vec![],
    }
}
