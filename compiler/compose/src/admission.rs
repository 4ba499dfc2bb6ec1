//! Decides when a call at a port is accepted: by the first layer on its path that has an `accepts`.

use std::collections::BTreeSet;

use nacre_analysis::lengths::longest_calls;
use nacre_stack::visit::Traverse;
use nacre_stack::*;

use crate::linked::Linked;
use crate::shapes::Flow;

/// Gives every input of every port but the lower one its admission, and every reaction the condition of its layer.
pub(crate) fn admit(linked: &mut Linked) {
    for (event, admission) in &linked.accepts {
        let reactions = &mut linked.stack.layers[admission.layer.index()].reactions;
        let own = reactions.iter_mut().filter(|reaction| reaction.event == *event);
        own.for_each(|reaction| reaction.accepts = Some(admission.clone()));
    }
    for port in 1..linked.stack.ports.len() {
        for input in 0..linked.stack.ports[port].inputs.len() {
            let PortInput { event, layer, .. } = linked.stack.ports[port].inputs[input];
            let found = admission(linked, layer, event);
            linked.stack.ports[port].inputs[input].admissions = found.into_iter().collect();
        }
    }
}

/// The admission of the nearest layer that states one, if all layers before it pass the event on.
fn admission(linked: &Linked, first: LayerId, event: EventId) -> Option<Admission> {
    let mut layer = first;
    loop {
        if let Some((_, admission)) = linked.accepts.iter().find(|(e, a)| *e == event && a.layer == layer) {
            return Some(admission.clone());
        }
        layer = next(&linked.stack, layer, event)?;
    }
}

/// The neighbour to which a layer passes an event.
fn next(stack: &Stack, layer: LayerId, event: EventId) -> Option<LayerId> {
    let mut ways = stack.links_from(Target::Layer(layer), stack.event(event).direction).filter_map(|link| match stack
        .arrives(link, event)
    {
        Target::Layer(neighbour) => Some((link, neighbour)),
        Target::Port(_) => None,
    });
    // With several neighbours, the target is unknown.
    let (link, neighbour) = ways.next().filter(|_| ways.next().is_none())?;
    let arm = stack
        .layer(layer)
        .reactions
        .iter()
        .find(|r| r.event == event)
        .and_then(|r| r.arms.iter().find(|a| a.guard.header.is_none()));
    let hands_on = arm.is_none_or(|arm| emits(stack, &stack.handler(arm.handler).body, link, event));
    hands_on.then_some(neighbour)
}

/// Whether code, or a function that it calls, puts an event on a link.
fn emits(stack: &Stack, block: &Block, link: LinkId, event: EventId) -> bool {
    let mut found = false;
    let (mut pending, mut called) = (vec![block], BTreeSet::new());
    while let Some(block) = pending.pop() {
        block.each_statement(|statement| match statement.reaches() {
            Reaches::Event(emit) => found |= emit.link == link && emit.event == event,
            Reaches::Function(function) => {
                if called.insert(function) {
                    pending.push(&stack.function(function).body);
                }
            }
            Reaches::Nothing => {}
        });
    }
    found
}

/// Rejects messages too long for a frame at inputs for which no layer states a length, and messages that layers make
/// too long for the one that does.
pub(crate) fn bound_lengths(stack: &mut Stack, flow: &Flow) {
    let known = longest_calls(stack);
    for p in 1..stack.ports.len() {
        for i in 0..stack.ports[p].inputs.len() {
            let PortInput { event, layer, .. } = stack.ports[p].inputs[i];
            let declared = stack.event(event).clone();
            let Some(message) = declared.message else { continue };
            let call = (PortId(p as u32), event);
            let longest = match (flow.shorter.get(&call), known.contains_key(&call)) {
                (Some((shorter, _)), _) => *shorter,
                (None, true) => continue,
                (None, false) => flow.longest_call,
            };
            let locals = declared
                .parameters
                .iter()
                .map(|p| Local { name: p.name.clone(), ty: p.ty.clone(), by_ref: false })
                .collect();
            let condition = at_most(LocalId(message), longest, stack.layer(layer).span);
            stack.ports[p].inputs[i].admissions.push(Admission { layer, locals, condition });
        }
    }
}

fn at_most(message: LocalId, longest: u32, span: Span) -> Expr {
    let number = |kind| Expr::new(kind, Type::UInt(32), span);
    let place = Place { root: Root::Local(message), path: vec![], ty: Type::Msg };
    let borrowed = Expr::new(ExprKind::Borrow(Box::new(place)), Type::Msg, span);
    let length = number(ExprKind::Length(Box::new(borrowed)));
    let most = number(ExprKind::Const(u64::from(longest)));
    Expr::new(ExprKind::Binary(BinaryOp::LessEqual, Box::new(length), Box::new(most)), Type::Bool, span)
}
