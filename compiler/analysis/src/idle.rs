//! Events of the interface that change nothing, whatever the state: those that all layers hand on and the last one
//! ignores, as grants of deliveries in a stack without flow control by the receiver. A host need not call them.

use std::collections::BTreeSet;

use nacre_stack::*;

/// Whether a call of an event has no effect.
pub fn is_idle(stack: &Stack, event: &PortEvent) -> bool {
    let Some(input) = event.input.map(|input| &stack.ports[event.port.index()].inputs[input as usize]) else {
        return false;
    };
    let mut open = vec![(Target::Layer(input.layer), input.event)];
    let mut seen = BTreeSet::new();
    while let Some((at, event)) = open.pop() {
        let Target::Layer(layer) = at else { return false };
        if !seen.insert((layer, event)) {
            continue;
        }
        match handed_on(stack, layer, event) {
            Some(further) => open.extend(further),
            None => return false,
        }
    }
    stack.event(event.event).message.is_none()
}

/// Where a layer hands an event on; none: it does something else with it.
fn handed_on(stack: &Stack, layer: LayerId, event: EventId) -> Option<Vec<(Target, EventId)>> {
    let reactions = stack.layer(layer).reactions.iter().filter(|reaction| reaction.event == event);
    let handlers: Vec<HandlerId> = reactions.flat_map(|reaction| &reaction.arms).map(|arm| arm.handler).collect();
    let mut further = vec![];
    for statement in handlers.iter().flat_map(|handler| &stack.handler(*handler).body) {
        match &statement.kind {
            StatementKind::Emit(emit) if !emit.later => further.push((stack.target(emit), emit.event)),
            StatementKind::Return(_) => {}
            _ if statement.is_pure(stack) => {}
            _ => return None,
        }
    }
    (!handlers.is_empty()).then_some(further)
}
