//! Removes unreachable parts and sorts the rest, independently of the order of discovery.

use std::collections::{BTreeMap, BTreeSet};

use nacre_diagnostics::Diagnostic;
use nacre_stack::visit::{ReferenceMut, Rewriter, Traverse};
use nacre_stack::*;

use crate::codes;
use crate::linked::Linked;
use crate::shapes::Flow;

/// Removes unused handlers, functions and events; returns warnings about the handlers.
pub(crate) fn prune(linked: &mut Linked, flow: &Flow) -> Vec<Diagnostic> {
    let stack = &mut linked.stack;
    let reached: BTreeSet<HandlerId> = flow.handlers.values().copied().collect();
    let all = || (0..stack.handlers.len() as u32).map(HandlerId);
    let warnings = all().filter(|h| !reached.contains(h)).map(|h| unreachable(stack, stack.handler(h))).collect();
    let mut order: Vec<HandlerId> = all().filter(|h| reached.contains(h)).collect();
    order.sort_by_key(|h| {
        let handler = stack.handler(*h);
        let made = handler.passes.then(|| handler.name.clone());
        (handler.layer, made)
    });
    let functions = used_functions(stack, &order);
    let handlers: BTreeMap<HandlerId, HandlerId> =
        order.iter().enumerate().map(|(i, h)| (*h, HandlerId(i as u32))).collect();
    let moved: BTreeMap<FunctionId, FunctionId> =
        functions.iter().enumerate().map(|(i, f)| (*f, FunctionId(i as u32))).collect();
    stack.handlers = order.iter().map(|h| stack.handler(*h).clone()).collect();
    stack.functions = functions.iter().map(|f| stack.function(*f).clone()).collect();
    for layer in &mut stack.layers {
        for reaction in &mut layer.reactions {
            reaction.arms.retain(|a| handlers.contains_key(&a.handler));
            reaction.arms.iter_mut().for_each(|a| a.handler = handlers[&a.handler]);
        }
        layer.reactions.retain(|r| !r.arms.is_empty());
    }
    // One event brings up all frames from the lower port; other events with a message never come from there.
    for port in &mut stack.ports {
        let layers = &stack.layers;
        port.inputs.retain(|i| layers[i.layer.index()].reactions.iter().any(|r| r.event == i.event));
    }
    crate::dead::replace(stack);
    stack.timers.iter_mut().for_each(|t| t.handler = handlers[&t.handler]);
    let events = used_events(stack);
    renumber(stack, &moved, &events);
    warnings
}

fn unreachable(stack: &Stack, handler: &Handler) -> Diagnostic {
    let layer = stack.layer(handler.layer);
    Diagnostic::warning(codes::UNREACHED, format!("`{}` is never triggered in this stack", handler.name))
        .at(handler.span, "never runs here")
        .because(format!("no neighbour of `{}` and no port emits that event with that header", layer.name))
}

fn used_functions(stack: &Stack, handlers: &[HandlerId]) -> Vec<FunctionId> {
    let mut used: BTreeSet<FunctionId> = stack.filters.iter().flat_map(|f| f.functions.iter().copied()).collect();
    let bodies = handlers.iter().map(|h| &stack.handler(*h).body);
    let filters = stack.filters.iter().flat_map(|f| [&f.body, &f.end]);
    let mut pending: Vec<&Block> = bodies.chain(filters).collect();
    pending.extend(used.iter().map(|f| &stack.function(*f).body));
    while let Some(block) = pending.pop() {
        block.each_statement(|statement| {
            if let StatementKind::Call { function, .. } = &statement.kind {
                if used.insert(*function) {
                    pending.push(&stack.functions[function.index()].body);
                }
            }
        });
    }
    used.into_iter().collect()
}

/// Events that a layer handles, emits, or that a port knows.
fn used_events(stack: &Stack) -> BTreeMap<EventId, EventId> {
    let mut used: BTreeSet<EventId> = stack.layers.iter().flat_map(|l| &l.reactions).map(|r| r.event).collect();
    for port in &stack.ports {
        used.extend(port.inputs.iter().map(|i| i.event));
        used.extend(&port.outputs);
    }
    for block in stack.handlers.iter().map(|h| &h.body).chain(stack.functions.iter().map(|f| &f.body)) {
        block.each_statement(|statement| {
            if let StatementKind::Emit(emit) = &statement.kind {
                used.insert(emit.event);
            }
        });
    }
    used.extend(stack.layouts.iter().flat_map(|l| &l.shapes).map(|s| s.event));
    used.into_iter().enumerate().map(|(i, e)| (e, EventId(i as u32))).collect()
}

struct Renumber<'a> {
    functions: &'a BTreeMap<FunctionId, FunctionId>,
    events: &'a BTreeMap<EventId, EventId>,
}

impl Rewriter for Renumber<'_> {
    fn refer(&mut self, to: ReferenceMut) {
        match to {
            ReferenceMut::Function(function) => *function = self.functions[function],
            ReferenceMut::Event(event) => *event = self.events[event],
            // None of these is left out.
            ReferenceMut::Extern(_)
            | ReferenceMut::Filter(_)
            | ReferenceMut::Header(_)
            | ReferenceMut::Layout(_)
            | ReferenceMut::Counter(_)
            | ReferenceMut::Link(_) => {}
        }
    }
}

fn renumber(stack: &mut Stack, functions: &BTreeMap<FunctionId, FunctionId>, events: &BTreeMap<EventId, EventId>) {
    let mut by = Renumber { functions, events };
    stack.handlers.iter_mut().for_each(|h| by.block(&mut h.body));
    stack.functions.iter_mut().for_each(|f| by.block(&mut f.body));
    for filter in &mut stack.filters {
        by.block(&mut filter.body);
        by.block(&mut filter.end);
        filter.functions.iter_mut().for_each(|f| *f = functions[f]);
    }
    stack.handlers.iter_mut().for_each(|h| h.event = h.event.map(|e| events[&e]));
    for reaction in stack.layers.iter_mut().flat_map(|l| &mut l.reactions) {
        reaction.event = events[&reaction.event];
    }
    for port in &mut stack.ports {
        port.inputs.iter_mut().for_each(|i| i.event = events[&i.event]);
        port.outputs.iter_mut().for_each(|e| *e = events[e]);
    }
    stack.layouts.iter_mut().flat_map(|l| &mut l.shapes).for_each(|s| s.event = events[&s.event]);
    stack.events = events.keys().map(|e| stack.events[e.index()].clone()).collect();
}
