//! The calls of the application, with arguments and messages.

use nacre_specification::subset_construction::{Called, Letter};
use nacre_specification::ActionKind;
use nacre_stack::interpret::Value;
use nacre_stack::{mask, EventId, LayerId, Type};

use crate::setup::{bits_to_count, Setup, LONGEST};
use crate::values::{address, seen};

/// A call that the application may make: by [`Setup::calls`] and [`Setup::spare_calls`].
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub end: usize,
    /// The index in [`Bounds::calls`].
    pub kind: usize,
    /// Whether the call is beyond the bound: it is made only where no specification allows it.
    pub spare: bool,
    /// Its number among the calls of its kind at its endpoint.
    pub number: u8,
    /// The index in [`Stack::interface`].
    pub event: u32,
    pub id: EventId,
    /// All arguments but the message.
    pub arguments: Vec<Value>,
    pub bytes: Option<Vec<u8>>,
    /// The event's parameters in order, as automata see them.
    pub seen: Vec<nacre_specification::Value>,
}

/// A number with a sign as the interpreter has it; others as they are.
fn cut(number: u64, ty: &Type) -> u64 {
    match ty {
        Type::Int(bits) => number & mask(u32::from(*bits)),
        _ => number,
    }
}

impl Setup {
    /// Returns every call, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.each_kind(|kind, end, times| {
            (0..times).flat_map(|number| self.calls_of(kind, end, number, false)).collect()
        })
    }

    /// Returns for each kind of call one more than the bounds have, to be tried where no specification allows it.
    pub fn spare_calls(&self) -> Vec<Call> {
        self.each_kind(|kind, end, times| self.calls_of(kind, end, times, true))
    }

    /// Whether a layer of the stack states when it accepts a call. Then the layer answers for what it emits.
    pub fn states_acceptance(&self, call: &str) -> bool {
        let layers = (0..self.stack().layers.len() as u32).map(LayerId);
        let event = self.call_event(call).map(|(_, id)| id);
        event.is_some_and(|id| layers.into_iter().any(|layer| self.stack().acceptance(layer, id).is_some()))
    }

    fn each_kind(&self, calls: impl Fn(usize, usize, u8) -> Vec<Call>) -> Vec<Call> {
        let kinds = self.bounds.calls.iter().enumerate();
        let ends = kinds.flat_map(|(kind, (_, times))| {
            self.members().all().map(move |end| (kind, end, times.get(end).copied().unwrap_or(0)))
        });
        ends.flat_map(|(kind, end, times)| calls(kind, end, times)).collect()
    }

    /// The calls of a number: one for each size of the message and each combination of arguments.
    fn calls_of(&self, kind: usize, end: usize, number: u8, spare: bool) -> Vec<Call> {
        let Some((event, id)) = self.call_event(&self.bounds.calls[kind].0) else { return vec![] };
        let has_message = self.stack_of(end).event(id).message.is_some();
        let all = self.argument_values(id, end);
        let message = match spare {
            true => self.messages_before(self.bounds.calls.len(), end) + kind,
            false => self.messages_before(kind, end) + usize::from(number),
        };
        let can_be_empty = !spare && message == 0 && end == self.first_sender();
        let sizes: Vec<usize> = match has_message {
            true => self.bounds.sizes.iter().copied().filter(|size| *size > 0 || can_be_empty).collect(),
            false => vec![0],
        };
        let choices = sizes.iter().flat_map(|size| all.iter().map(move |arguments| (size, arguments.clone())));
        let calls = choices.map(|(size, arguments)| {
            let bytes = has_message.then(|| self.payload(end, message, *size));
            let seen = seen(self.stack_of(end), id, &arguments, bytes.as_deref());
            Call { end, kind, spare, number, event, id, arguments, bytes, seen }
        });
        calls.collect()
    }

    /// Returns the calls as inputs of automata.
    pub fn called(&self) -> Vec<Called> {
        let called = |call: Call| {
            let name = self.stack().event(call.id).name.clone();
            let letter = Letter { kind: ActionKind::Input, name, end: call.end, arguments: call.seen };
            Called { letter, kind: call.kind, number: call.number }
        };
        self.calls().into_iter().map(called).collect()
    }

    /// The endpoint of which the first message may be empty. Others may not: two empty messages are equal, and a run
    /// that confuses them would look like one that does not.
    fn first_sender(&self) -> usize {
        let kinds = self.bounds.calls.len();
        let mut senders = self.members().all().filter(|end| self.messages_before(kinds, *end) > 0);
        senders.next().unwrap_or(self.members().count() - 1)
    }

    /// The number of messages that an endpoint sends by calls of earlier kinds.
    fn messages_before(&self, kind: usize, end: usize) -> usize {
        let kinds = self.bounds.calls.iter().take(kind);
        let carries =
            |name: &str| self.call_event(name).is_some_and(|(_, id)| self.stack().event(id).message.is_some());
        kinds
            .filter(|(name, _)| carries(name))
            .map(|(_, times)| times.get(end).map_or(0, |times| usize::from(*times)))
            .sum()
    }

    /// Returns all combinations of arguments of a call, without its message.
    fn argument_values(&self, event: EventId, end: usize) -> Vec<Vec<Value>> {
        let declared = self.stack_of(end).event(event);
        let others = declared.parameters.iter().enumerate().filter(|(at, _)| declared.message != Some(*at as u32));
        others.fold(vec![vec![]], |all, (_, parameter)| {
            let set = |(call, name, _): &&(String, String, Vec<u64>)| *call == declared.name && *name == parameter.name;
            let values: Vec<Value> = match self.bounds.arguments.iter().find(set) {
                Some((.., values)) => values.iter().map(|n| Value::Num(cut(*n, &parameter.ty))).collect(),
                None => self.argument(&parameter.ty, end),
            };
            let extended = |start: &Vec<Value>, value| start.iter().cloned().chain([value]).collect();
            all.iter().flat_map(|start| values.iter().map(move |value| extended(start, value.clone()))).collect()
        })
    }

    /// Returns the values of an argument of a call that the configuration does not set: each peer's address, or 1.
    fn argument(&self, ty: &Type, end: usize) -> Vec<Value> {
        let one = Value::Num(1);
        match ty {
            Type::Addr => self.members().others(end).map(|peer| Value::Addr(address(peer))).collect(),
            ty if self.stack_of(end).fits(&one, ty) => vec![one],
            ty => vec![self.stack_of(end).zero(ty)],
        }
    }

    /// Checks that the messages can be distinguished.
    pub(crate) fn check_messages(&self) -> Result<(), String> {
        let sizes = &self.bounds.sizes;
        if sizes.is_empty() || sizes.iter().any(|s| *s > LONGEST) {
            return Err(format!(
                "messages have 1 to {LONGEST} bytes, so that they can be distinguished; one may be empty"
            ));
        }
        let kinds = self.bounds.calls.len();
        let messages: usize = self.members().all().map(|end| self.messages_before(kinds, end)).sum();
        if sizes.iter().all(|s| *s == 0) && messages > 1 {
            return Err("only one message can be empty, because two would be equal: `size` needs another length".into());
        }
        let most = (1 << (self.number_bits() - self.position_bits())) - 1;
        if self.most_messages() > most {
            let (asked, most) = (self.most_messages() - kinds, most.saturating_sub(kinds));
            let words = format!("{asked} messages of up to {} bytes", self.longest());
            return Err(format!("{words} cannot be distinguished by each of their bytes; at most {most} can"));
        }
        Ok(())
    }

    /// The most messages that an endpoint sends, with the spare ones.
    fn most_messages(&self) -> usize {
        let kinds = self.bounds.calls.len();
        self.members().all().map(|end| self.messages_before(kinds, end) + kinds).max().unwrap_or(0)
    }

    fn longest(&self) -> usize {
        self.bounds.sizes.iter().copied().max().unwrap_or(1)
    }

    /// The bits of a byte that the endpoint leaves for the number of the message and the position.
    fn number_bits(&self) -> u32 {
        u8::BITS - bits_to_count(self.members().count() as u8 - 1)
    }

    /// The bits of a byte that hold its position in the message: 3 as long as that leaves enough for the numbers.
    fn position_bits(&self) -> u32 {
        let enough = 1 << (self.number_bits() - LONGEST.ilog2());
        let most = if self.most_messages() < enough { LONGEST } else { self.longest() };
        most.max(1).next_power_of_two().ilog2()
    }

    /// No two messages and no two bytes of a message are equal: each encodes the endpoint, the index in the message,
    /// and the message's number at the endpoint. A layer that only copies payload behaves the same for any other
    /// contents.
    fn payload(&self, end: usize, number: usize, size: usize) -> Vec<u8> {
        let (bits, numbers) = (self.number_bits(), self.number_bits() - self.position_bits());
        (0..size).map(|at| ((end << bits) | (at << numbers) | (number + 1)) as u8).collect()
    }
}
