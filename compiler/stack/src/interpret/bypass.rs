//! Steps that take a bypass.

use super::run::{Emitted, Frame, Run, Slot};
use super::state::Pending;
use super::value::Value;
use crate::*;

impl<'a> Run<'a> {
    /// An event from outside: by the first bypass of its entry whose condition holds, or through the queue.
    pub fn begin(&mut self, entry: Option<Entry>, event: Pending) {
        if let (Some(ways), Some(entry)) = (&mut self.state.ways, entry) {
            ways.begin(entry);
        }
        let taken = entry.is_some_and(|entry| self.takes_bypass(entry, &event));
        if !taken {
            self.put(event);
        }
    }

    /// Runs the first bypass of an entry that takes the event; returns whether there was one.
    fn takes_bypass(&mut self, entry: Entry, event: &Pending) -> bool {
        let stack = self.stack;
        for (bypass, number) in stack.bypasses.iter().zip(0..) {
            if bypass.entry != entry {
                continue;
            }
            // The layer is named in reports only.
            let mut frame = Frame::new(&bypass.locals, LayerId(0));
            frame.homes = &bypass.homes;
            for (local, value) in bypass.parameters.iter().zip(&event.arguments) {
                frame.slots[local.index()] = Slot::Value(self.without_headers(bypass, value, &mut vec![]));
            }
            let mut fields = vec![];
            event.arguments.iter().for_each(|value| drop(self.without_headers(bypass, value, &mut fields)));
            for (local, value) in bypass.fields.iter().flatten().zip(fields) {
                frame.slots[local.index()] = Slot::Value(value);
            }
            self.frames.push(frame);
            if let Some(rest) = self.is_taken(bypass) {
                self.bypass(rest, number);
                return true;
            }
            self.frames.pop();
        }
        false
    }

    /// A value of an event; of a message, its headers' fields, in the order in which the entry states the headers.
    fn without_headers(&self, bypass: &Bypass, value: &Value, fields: &mut Vec<Value>) -> Value {
        let Value::Msg(message) = value else { return value.clone() };
        for header in bypass.entry.headers(self.stack) {
            let found = message.headers.iter().find(|(id, _)| id == header);
            fields.extend(found.into_iter().flat_map(|(_, values)| values.iter().cloned()));
        }
        let mut plain = message.clone();
        plain.headers.clear();
        Value::Msg(plain)
    }

    /// A value for a local of a bypass: a message carries the headers of the layers above its home only.
    pub(super) fn bring_home(&self, local: LocalId, mut value: Value) -> Value {
        let home = self.frames.last().and_then(|frame| frame.homes.get(local.index()));
        if let (Some(Target::Layer(home)), Value::Msg(message)) = (home, &mut value) {
            message.headers.retain(|(header, _)| self.stack.header(*header).layer > *home);
        }
        value
    }

    /// What is left to run of a bypass, if it takes the event; its opening has run then.
    fn is_taken(&mut self, bypass: &'a Bypass) -> Option<&'a [Statement]> {
        if !self.evaluate(&bypass.condition).truth() {
            return None;
        }
        let Some(opening) = bypass.opening() else { return Some(&bypass.body) };
        self.execute(opening.code);
        self.evaluate(opening.condition).truth().then_some(opening.rest)
    }

    fn bypass(&mut self, rest: &'a [Statement], number: usize) {
        self.state.bypassed[number] += 1;
        self.execute(rest);
        self.check_consumed("a bypass");
        self.frames.pop();
        let later = std::mem::take(&mut self.emissions).into_iter().filter(|emitted| emitted.later);
        self.state.later.extend(later.map(|Emitted { event, .. }| event));
    }
}
