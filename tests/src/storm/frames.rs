//! Events of the network: frames that arrive, late or again, damaged, random, or well-formed with other values.

use nacre_simulator::endpoint::Output;
use nacre_stack::interpret::Value;
use nacre_stack::HeaderId;

use super::connection::{Connection, FLYING, PAST};
use crate::values::value;

impl Connection<'_> {
    /// A frame comes in.
    pub(super) fn input(&mut self, end: usize, what: &str, frame: &[u8]) {
        let from = self.ends[1 - end].address;
        let step = self.ends[end].endpoint.input(self.now, from, frame);
        self.note(what, step.outcome);
        self.last += &format!(", {} bytes", frame.len());
        self.take(end, step.outputs);
    }

    /// Delivers all frames and runs all `later` events of an endpoint, until nothing is left.
    pub(super) fn calm(&mut self, end: usize) {
        for _ in 0..FLYING {
            match self.flying.is_empty() {
                true => self.tick(end),
                false => {
                    let (end, frame) = self.flying.remove(0);
                    self.input(end, "frame", &frame);
                }
            }
            if self.flying.is_empty() && self.ends.iter().all(|end| end.endpoint.deadline() > 0) {
                break;
            }
        }
    }

    /// Delivers usually the oldest frame; loses some, reorders others.
    pub(super) fn arrive(&mut self) {
        if self.flying.is_empty() {
            return self.tick(0);
        }
        let at = if self.random.below(5) == 0 { self.random.below(self.flying.len() as u64) as usize } else { 0 };
        let (end, frame) = self.flying.remove(at);
        if self.random.below(10) > 0 {
            self.input(end, "frame", &frame);
        }
    }

    /// Delivers a past frame with other bits, another length, or the end of another frame.
    pub(super) fn damaged(&mut self, end: usize) {
        let Some(mut frame) = self.old(end) else {
            return self.tick(end);
        };
        for _ in 0..=self.random.below(3) {
            let length = frame.len() as u64;
            match self.random.below(6) {
                0 => frame.truncate(self.random.below(length + 1) as usize),
                1 => {
                    let mut more = vec![0; self.random.below(20) as usize];
                    self.random.fill(&mut more);
                    frame.extend(more);
                }
                2 => {
                    let other = self.old(end).unwrap_or_default();
                    let cut = self.random.below(length.min(other.len() as u64) + 1) as usize;
                    frame.truncate(cut);
                    frame.extend(&other[cut..]);
                }
                _ if length > 0 => {
                    let near = if self.random.below(4) == 0 { length } else { length.min(16) };
                    let at = self.random.below(near) as usize;
                    frame[at] ^= 1 << self.random.below(8);
                }
                _ => {}
            }
        }
        self.input(end, "damaged frame", &frame);
    }

    /// Delivers random bytes.
    pub(super) fn made_up(&mut self, end: usize) {
        let mut frame = vec![0; self.random.length(0, 80) as usize];
        self.random.fill(&mut frame);
        self.input(end, "made-up frame", &frame);
    }

    /// Delivers a well-formed frame with other values, as a faulty or malicious peer would send.
    pub(super) fn crafted(&mut self, end: usize) {
        let Some(frame) = self.old(end) else {
            return self.tick(end);
        };
        let stack = self.stack;
        let layout = &stack.layouts[0];
        let Some(parsed) = stack.parse(layout, &frame) else {
            return self.input(end, "crafted frame", &frame);
        };
        let mut shape = &layout.shapes[parsed.shape];
        let mut headers = parsed.headers;
        if self.random.below(2) == 0 {
            let other = &layout.shapes[self.random.below(layout.shapes.len() as u64) as usize];
            let known = |id| headers.iter().find(|(known, _)| *known == id).cloned();
            headers =
                other.headers.iter().rev().map(|id| known(*id).unwrap_or_else(|| (*id, self.fields(*id)))).collect();
            shape = other;
        }
        self.change(&mut headers);
        let mut crafted = stack.head(layout, shape, &headers);
        crafted.extend(&frame[parsed.size..]);
        self.input(end, "crafted frame", &crafted);
    }

    /// Changes a field, but rarely one of the lowest header, which identifies the connection.
    fn change(&mut self, headers: &mut [(HeaderId, Vec<Value>)]) {
        let most = headers.len().saturating_sub(usize::from(self.random.below(8) > 0)) as u64;
        if most == 0 {
            return;
        }
        let (id, values) = &mut headers[self.random.below(most) as usize];
        let fields = &self.stack.header(*id).fields;
        if fields.is_empty() {
            return;
        }
        let at = self.random.below(fields.len() as u64) as usize;
        values[at] = match &values[at] {
            Value::Num(n) if self.random.below(2) == 0 => {
                let near = n.wrapping_add(self.random.below(9)).wrapping_sub(4);
                let near = Value::Num(near & nacre_stack::mask(fields[at].bits));
                if self.stack.fits(&near, &fields[at].ty) {
                    near
                } else {
                    values[at].clone()
                }
            }
            _ => value(self.stack, &mut self.random, &fields[at].ty),
        };
    }

    fn fields(&mut self, id: HeaderId) -> Vec<Value> {
        let stack = self.stack;
        stack.header(id).fields.iter().map(|field| value(stack, &mut self.random, &field.ty)).collect()
    }

    /// Delivers a past frame again.
    pub(super) fn again(&mut self, end: usize) {
        let Some(frame) = self.old(end) else {
            return self.tick(end);
        };
        self.input(end, "frame again", &frame);
    }

    fn old(&mut self, end: usize) -> Option<Vec<u8>> {
        let past = &self.ends[end].past;
        // The latest frames match the state.
        let back = self.random.length(1, past.len() as u64) as usize;
        past.len().checked_sub(back).and_then(|at| past.get(at)).cloned()
    }

    /// Records the outputs; puts the frames in flight, some twice.
    pub(super) fn take(&mut self, end: usize, outputs: Vec<Output>) {
        for output in outputs {
            if !output.is_frame() {
                if let Some(end) = self.ends.get_mut(end) {
                    end.heard.hear(&output.arguments);
                }
                let name = self.interface.event(output.event).map_or("?", |event| &event.name).to_string();
                if name == "deliver" {
                    self.delivered.extend(output.message.map(|message| (end, message)));
                }
                *self.outputs.entry(name).or_insert(0) += 1;
                continue;
            }
            *self.outputs.entry("frame".into()).or_insert(0) += 1;
            let frame = output.message.unwrap_or_default();
            let to = 1 - end;
            if let Some(peer) = self.ends.get_mut(to) {
                peer.past.push(frame.clone());
                if peer.past.len() > PAST {
                    peer.past.remove(0);
                }
            }
            if self.random.below(12) == 0 {
                self.flying.push((to, frame.clone()));
            }
            self.flying.push((to, frame));
            while self.flying.len() > FLYING {
                self.flying.remove(0);
            }
        }
    }
}
