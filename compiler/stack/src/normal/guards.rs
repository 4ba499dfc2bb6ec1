//! Guards that ask for a link become events of their own: where a layer tells over which link an event comes, all
//! links but one get a copy of the event, with the arms that fit. Ports keep the event itself where they can.

use std::collections::HashMap;

use crate::visit::{rewrite_stack, ChangeStatements};
use crate::*;

/// The replacement of an event over a link.
type Copies = HashMap<(LinkId, EventId), EventId>;

/// Takes the links out of all guards.
pub fn rewrite(stack: &mut Stack) {
    let mut copies = Copies::new();
    for layer in (0..stack.layers.len() as u32).map(LayerId) {
        for reaction in std::mem::take(&mut stack.layers[layer.index()].reactions) {
            let asks = reaction.arms.iter().any(|arm| arm.guard.link.is_some());
            let parts = if asks { split(stack, layer, &reaction, &mut copies) } else { vec![reaction] };
            stack.layers[layer.index()].reactions.extend(parts);
        }
    }
    rename(stack, &copies);
}

/// The reactions to an event, one for each link over which it can come.
fn split(stack: &mut Stack, layer: LayerId, reaction: &Reaction, copies: &mut Copies) -> Vec<Reaction> {
    let direction = stack.event(reaction.event).direction;
    let ends = |(_, link): &(usize, &Link)| link.end(direction) == Target::Layer(layer);
    let mut links: Vec<LinkId> =
        stack.links.iter().enumerate().filter(ends).map(|(index, _)| LinkId(index as u32)).collect();
    links.sort_by_key(|link| matches!(stack.link(*link).begin(direction), Target::Layer(_)));
    let mut parts: Vec<Reaction> = vec![];
    for link in links {
        let fits = |arm: &&Arm| arm.guard.link.is_none_or(|asked| asked == link);
        let mut arms: Vec<Arm> = reaction.arms.iter().filter(fits).cloned().collect();
        if arms.is_empty() {
            continue;
        }
        arms.iter_mut().for_each(|arm| arm.guard.link = None);
        let event = match parts.is_empty() {
            true => reaction.event,
            false => {
                stack.events.push(stack.event(reaction.event).clone());
                EventId(stack.events.len() as u32 - 1)
            }
        };
        if event != reaction.event {
            copies.insert((link, reaction.event), event);
            arms.iter_mut().for_each(|arm| arm.handler = copy(stack, arm.handler, event));
        }
        parts.push(Reaction { event, accepts: reaction.accepts.clone(), arms });
    }
    parts
}

/// A handler for a copy of its event.
fn copy(stack: &mut Stack, handler: HandlerId, event: EventId) -> HandlerId {
    let made = Handler { event: Some(event), ..stack.handler(handler).clone() };
    stack.handlers.push(made);
    HandlerId(stack.handlers.len() as u32 - 1)
}

/// Puts the copies where their links are used.
fn rename(stack: &mut Stack, copies: &Copies) {
    for input in stack.ports.iter_mut().flat_map(|port| &mut port.inputs) {
        if let Some(copy) = copies.get(&(input.link, input.event)) {
            input.event = *copy;
        }
    }
    let change = |statement: &mut Statement| {
        if let StatementKind::Emit(emit) = &mut statement.kind {
            if let Some(copy) = copies.get(&(emit.link, emit.event)) {
                emit.event = *copy;
            }
        }
    };
    rewrite_stack(&mut ChangeStatements(change), stack);
}
