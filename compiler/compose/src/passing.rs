//! Handlers for events that a layer only passes on.

use nacre_stack::*;

use crate::linked::{add_arm, Linked, LOWER};

/// Makes the handler that passes an event on unchanged, in its direction; at the end of the stack the event ends.
pub(crate) fn make(linked: &mut Linked, layer: LayerId, event: EventId) -> HandlerId {
    let link = onward(linked, layer, event);
    let stack = &mut linked.stack;
    let declared = stack.events[event.index()].clone();
    let locals: Vec<Local> =
        declared.parameters.iter().map(|p| Local { name: p.name.clone(), ty: p.ty.clone(), by_ref: false }).collect();
    let parameters: Vec<LocalId> = (0..locals.len() as u32).map(LocalId).collect();
    let span = stack.layer(layer).span;
    let value = |(id, local): (&LocalId, &Local)| Expr::new(ExprKind::Local(*id), local.ty.clone(), span);
    let values: Vec<Expr> = parameters.iter().zip(&locals).map(value).collect();
    let body = match link {
        Some(link) => {
            let emit = Emit { link, event, arguments: values, later: false, call: false, likely: None };
            vec![StatementKind::Emit(emit).at(span)]
        }
        None => {
            declared.message.map(|m| StatementKind::Drop(values[m as usize].clone()).at(span)).into_iter().collect()
        }
    };
    let name = name(stack, layer, &declared);
    let id = HandlerId(stack.handlers.len() as u32);
    stack.handlers.push(Handler {
        name,
        layer,
        event: Some(event),
        parameters,
        fields: vec![],
        locals,
        body,
        passes: true,
        span,
    });
    let arm = Arm { guard: Guard::NONE, handler: id };
    add_arm(&mut stack.layers[layer.index()], event, arm);
    id
}

/// `pt2pt.down.close`; `total.down.cast.control` where the layer handles the event for data.
fn name(stack: &Stack, layer: LayerId, event: &Event) -> String {
    let direction = if event.direction == Direction::Up { "up" } else { "down" };
    let plain = format!("{}.{direction}.{}", stack.layer(layer).name, event.name);
    let taken = |n: &str| stack.handlers.iter().any(|h| h.name == n);
    if taken(&plain) {
        crate::linked::unique(&format!("{plain}.control"), taken)
    } else {
        plain
    }
}

/// The link over which an event leaves a layer in its direction; none: it ends there.
fn onward(linked: &Linked, layer: LayerId, event: EventId) -> Option<LinkId> {
    let direction = linked.stack.event(event).direction;
    let sides = &linked.sides[layer.index()];
    let (link, said) = match direction {
        Direction::Down => (sides.below, &sides.to_below),
        Direction::Up => (sides.above, &sides.to_above),
    };
    match linked.stack.link(link).end(direction) {
        Target::Port(_) => said.contains(&event).then_some(link),
        Target::Layer(_) => Some(link),
    }
}

/// Whether an unhandled event downwards has no receiver.
pub(crate) fn is_lost(linked: &Linked, layer: LayerId, event: EventId) -> bool {
    linked.stack.event(event).direction == Direction::Down && onward(linked, layer, event).is_none()
}

/// Whether an event that enters at a boundary has a receiver: a layer that handles it, or the other boundary.
pub(crate) fn is_wanted(linked: &Linked, port: PortId, event: EventId) -> bool {
    let handled = linked.stack.layers.iter().any(|l| l.reactions.iter().any(|r| r.event == event));
    let far = if port == LOWER {
        linked.sides.last().map(|s| &s.to_above)
    } else {
        linked.sides.first().map(|s| &s.to_below)
    };
    let message_from_below = port == LOWER && linked.stack.event(event).message.is_some();
    handled || message_from_below || far.is_some_and(|s| s.contains(&event))
}
