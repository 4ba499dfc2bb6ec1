//! Events of the interface that change nothing, whatever the state: those that all layers hand on and the last one
//! ignores, as grants of deliveries in a stack without flow control by the receiver. A host need not call them.

use nacre_stack::*;

/// Whether a call of an event has no effect.
pub fn is_idle(stack: &Stack, event: &PortEvent) -> bool {
    let Some(input) = event.input.map(|input| &stack.ports[event.port.index()].inputs[input as usize]) else {
        return false;
    };
    stack.event(event.event).message.is_none() && is_ignored(stack, Target::Layer(input.layer), input.event)
}

/// Whether nothing comes of an event at a layer. Layers form no cycle in one direction, and each hands on events of
/// its own, so this ends.
fn is_ignored(stack: &Stack, at: Target, event: EventId) -> bool {
    let Target::Layer(layer) = at else { return false };
    let mut reactions = stack.layer(layer).reactions.iter().filter(|reaction| reaction.event == event).peekable();
    let handlers = |reaction: &Reaction| reaction.arms.iter().map(|arm| arm.handler).collect::<Vec<_>>();
    reactions.peek().is_some()
        && reactions.flat_map(handlers).all(|handler| {
            stack.handler(handler).body.iter().all(|statement| match &statement.kind {
                StatementKind::Return(_) => true,
                StatementKind::Emit(emit) => {
                    let same = stack.event(emit.event).direction == stack.event(event).direction;
                    same && !emit.later && is_ignored(stack, stack.target(emit), emit.event)
                }
                _ => statement.is_pure(stack),
            })
        })
}
