//! What hosts can call, and with which numbers.

use std::collections::VecDeque;

use nacre_simulator::random::Random;
use nacre_stack::interpret::Value;
use nacre_stack::{mask, EventRole, PortEvent, Stack, Type};

use crate::values::value;

/// A number of a type: often a small one, or one that the host has `heard` from the stack, as a host that answers has it from the question.
pub(crate) fn argument(stack: &Stack, random: &mut Random, heard: &Heard, ty: &Type) -> u64 {
    if let (Type::UInt(bits), false) = (ty, heard.0.is_empty()) {
        let number = heard.0[random.below(heard.0.len() as u64) as usize];
        if random.below(2) == 0 && number <= mask(u32::from(*bits)) {
            return number;
        }
    }
    let few = random.below(2) == 0;
    match (ty, value(stack, random, ty)) {
        (Type::UInt(_), _) if few => random.below(4),
        // Signed numbers are extended to 64 bits.
        (Type::Int(bits), Value::Num(n)) => {
            let free = 64 - u32::from(*bits);
            (((n << free) as i64) >> free) as u64
        }
        (_, Value::Num(n)) => n,
        _ => 0,
    }
}

/// The last numbers in events that came to a host.
#[derive(Default)]
pub(crate) struct Heard(VecDeque<u64>);

impl Heard {
    const MOST: usize = 8;

    pub(crate) fn hear(&mut self, numbers: &[u64]) {
        self.0.extend(numbers);
        self.0.drain(..self.0.len().saturating_sub(Self::MOST));
    }

    /// One of these numbers that may be the length of a message.
    pub(crate) fn length(&self, random: &mut Random, longest: u64) -> Option<u64> {
        let lengths: Vec<u64> = self.0.iter().copied().filter(|length| *length <= longest).collect();
        lengths.get(random.below(lengths.len().max(1) as u64) as usize).copied()
    }
}

/// The events that the host can call.
pub(crate) fn inputs(stack: &Stack) -> Vec<(u16, Vec<Type>)> {
    let typed = |(index, event): (usize, &PortEvent)| {
        let declared = stack.event(event.event);
        let numbers =
            declared.parameters.iter().map(|p| p.ty.clone()).filter(|ty| !matches!(ty, Type::Msg | Type::Addr));
        // At the network `init` is what opening does, and a message is a frame.
        let network = event.port.0 == 0 && (declared.message.is_some() || declared.role == EventRole::Opening);
        let mine = event.input.is_some() && !network;
        mine.then(|| (index as u16, numbers.collect()))
    };
    stack.interface().iter().enumerate().filter_map(typed).collect()
}
