//! Calls of the host, valid and invalid.

use nacre_simulator::endpoint::Outcome;
use nacre_stack::interpret::Value;
use nacre_stack::Type;

use super::connection::Connection;
use crate::values::value;

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
        let numbers: Vec<u64> = types.iter().map(|ty| if knows { self.argument(ty) } else { 0 }).collect();
        let message = if has_message { self.message() } else { Vec::new() };
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
        let message = self.message();
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

    /// Chooses a call: usually a send, rarely a close, and also calls after a close.
    fn choose(&mut self) -> Option<(u16, Vec<Type>)> {
        let close = self.random.below(250) == 0;
        let send = !close && self.random.below(4) > 0;
        let wanted = |this: &Connection, event: u16| match this.name(event) {
            "close" => close,
            "send" => !close,
            _ => !close && !send,
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

    fn argument(&mut self, ty: &Type) -> u64 {
        let few = self.random.below(2) == 0;
        match (ty, value(self.stack, &mut self.random, ty)) {
            (Type::UInt(_), _) if few => self.random.below(4),
            // Signed numbers are extended to 64 bits.
            (Type::Int(bits), Value::Num(n)) => {
                let free = 64 - u32::from(*bits);
                (((n << free) as i64) >> free) as u64
            }
            (_, Value::Num(n)) => n,
            _ => 0,
        }
    }

    fn message(&mut self) -> Vec<u8> {
        let block = u64::from(self.stack.bounds.block);
        let longest = u64::from(self.stack.bounds.frame_data);
        let usual = USUAL.min(longest + 1);
        let length = match self.random.below(80) {
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
