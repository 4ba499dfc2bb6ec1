//! Calls of the host, valid and invalid.

use nacre_simulator::endpoint::Outcome;
use nacre_stack::Type;

use super::arguments::argument;
use super::connection::Connection;

/// The usual limit of a message's length: a message of the maximum length costs as much as thousands of short ones.
const USUAL: u64 = 300;

impl Connection<'_> {
    /// Calls an event of the host, which may be refused.
    pub(super) fn call(&mut self, end: usize) {
        if self.random.below(50) == 0 {
            return self.wrong_call(end);
        }
        let Some((event, types)) = self.choose() else {
            return self.tick(end);
        };
        let has_message = self.interface.event(event).is_some_and(|e| e.has_message());
        // What the host says to the lowest layer is half the time that it knows nothing.
        let knows = self.interface.event(event).is_some_and(|e| e.port != 0) || self.random.below(2) == 0;
        let heard = &self.ends[end].heard;
        let mut number = |ty| if knows { argument(self.stack, &mut self.random, heard, ty) } else { 0 };
        let numbers: Vec<u64> = types.iter().map(&mut number).collect();
        let message = if has_message { self.message(end) } else { Vec::new() };
        let peer = self.ends[1 - end].address;
        let accepts = self.ends[end].endpoint.accepts(event, message.len());
        let step = self.ends[end].endpoint.call(self.now, event, &numbers, Some(peer), &message);
        self.note(if accepts { "call" } else { "unaccepted call" }, step.outcome);
        self.last += &format!(", {}({numbers:?}, {} bytes)", self.name(event), message.len());
        self.take(end, step.outputs);
    }

    /// Sends a message; returns it if it was accepted.
    pub(super) fn send(&mut self, end: usize) -> Option<Vec<u8>> {
        let event = self.inputs.iter().map(|(event, _)| *event).find(|event| self.name(*event) == "send")?;
        let message = self.message(end);
        let accepts = self.ends[end].endpoint.accepts(event, message.len());
        let peer = self.ends[1 - end].address;
        let step = self.ends[end].endpoint.call(self.now, event, &[], Some(peer), &message);
        self.note("call", step.outcome);
        let taken = accepts && step.outcome == Outcome::Done;
        self.take(end, step.outputs);
        taken.then_some(message)
    }

    fn name(&self, event: u16) -> &str {
        self.interface.event(event).map_or("?", |event| &event.name)
    }

    /// Chooses a call: usually a send if there is one, rarely a close, and also calls after a close.
    fn choose(&mut self) -> Option<(u16, Vec<Type>)> {
        let close = self.random.below(600) == 0;
        let send = !close && self.random.below(4) > 0;
        let sends = self.inputs.iter().any(|(event, _)| self.name(*event) == "send");
        let wanted = |this: &Connection, event: u16| match this.name(event) {
            "close" => close,
            "send" => !close,
            _ => !(close || send && sends),
        };
        let fitting: Vec<usize> = (0..self.inputs.len()).filter(|at| wanted(self, self.inputs[*at].0)).collect();
        let at = *fitting.get(self.random.below(fitting.len() as u64) as usize)?;
        Some(self.inputs[at].clone())
    }

    /// Calls an unknown event, an output, or an event with a number outside its type.
    fn wrong_call(&mut self, end: usize) {
        let known = self.interface.events.len() as u64;
        let event =
            if self.random.below(2) == 0 { known + self.random.below(2) } else { self.random.below(known) } as u16;
        let numbers = [self.random.number(); 4];
        let count = self.interface.event(event).map_or(0, |e| e.numbers());
        let is_frame = self.interface.event(event).is_some_and(|e| e.port == 0);
        if is_frame {
            return self.tick(end);
        }
        let step = self.ends[end].endpoint.call(self.now, event, &numbers[..count.min(4)], None, b"wrong");
        self.note("wrong call", step.outcome);
        self.last += &format!(", event {event}({numbers:?})");
        self.take(end, step.outputs);
    }

    fn message(&mut self, end: usize) -> Vec<u8> {
        let block = u64::from(self.stack.bounds.block);
        let longest = u64::from(self.stack.bounds.frame_data);
        let usual = USUAL.min(longest + 1);
        let heard = &self.ends[end].heard;
        let length = match self.random.below(80) {
            // What is supplied may be as long as it was asked for.
            0..=7 if let Some(length) = heard.length(&mut self.random, usual) => length,
            0..=9 => 0,
            10..=59 => self.random.below(40),
            60..=69 => self.random.length(0, usual),
            70..=75 => self.random.below(3 * block + 2),
            76..=78 => self.random.below(longest + 2),
            _ => self.random.length(0, 80 * longest.min(2000)),
        };
        let length = if length <= usual || length <= self.long { length } else { self.random.below(usual) };
        self.long -= if length > usual { length } else { 0 };
        let mut bytes = vec![0; length as usize];
        self.random.fill(&mut bytes);
        bytes
    }
}
