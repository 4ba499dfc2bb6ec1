//! The arguments of an event.

use super::value::{Addr, Message, Value};
use crate::*;

/// The session that the arguments of an event name.
pub fn session_among(stack: &Stack, event: EventId, arguments: &[Value]) -> u64 {
    stack.event(event).session.and_then(|at| arguments.get(at as usize)).map_or(0, Value::num)
}

/// The origin of an event that the host does not call: the address of the peer, and the session.
#[derive(Clone, Copy)]
pub struct Source {
    pub from: Option<Addr>,
    pub session: u32,
}

/// The arguments of an event: its message at its place, where it comes from, and the others in order.
pub fn arguments_of(
    stack: &Stack,
    event: EventId,
    message: Message,
    source: Option<Source>,
    others: &[Value],
) -> Vec<Value> {
    let declared = stack.event(event);
    let mut others = others.iter();
    let place = |(index, parameter): (usize, &Parameter)| match (&parameter.ty, source) {
        _ if declared.message == Some(index as u32) => Value::Msg(message.clone()),
        (_, Some(source)) if declared.session == Some(index as u32) => Value::Num(source.session.into()),
        (Type::Addr, Some(Source { from: Some(from), .. })) => Value::Addr(from),
        (ty, _) => others.next().cloned().unwrap_or_else(|| stack.zero(ty)),
    };
    declared.parameters.iter().enumerate().map(place).collect()
}
