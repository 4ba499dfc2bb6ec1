//! Which handlers of a stack can run over a network at all.

use std::collections::HashSet;

use nacre_specification::{ActionKind, Automaton};
use nacre_stack::visit::{Reference, Visitor};
use nacre_stack::{Direction, EventRole, Handler, HandlerId, HeaderId, Stack};

/// The handlers that can run: not those that only pass their event on, not those of events that the network never
/// emits, and not those of headers that only such code adds.
pub fn handlers(stack: &Stack, below: &Automaton) -> HashSet<HandlerId> {
    let arms = stack.layers.iter().flat_map(|layer| &layer.reactions).flat_map(|reaction| &reaction.arms);
    let headers: Vec<(HandlerId, HeaderId)> = arms.filter_map(|arm| Some((arm.handler, arm.guard.header?))).collect();
    let mut runnable = HashSet::new();
    let mut sent = HashSet::new();
    loop {
        let before = runnable.len();
        for (at, handler) in stack.handlers.iter().enumerate().filter(|(_, h)| occurs(stack, below, h)) {
            let id = HandlerId(at as u32);
            let mut wanted = headers.iter().filter(|(of, _)| *of == id).map(|(_, header)| header).peekable();
            if (wanted.peek().is_none() || wanted.any(|header| sent.contains(header))) && runnable.insert(id) {
                Added { stack, headers: &mut sent }.block(&handler.body);
            }
        }
        if runnable.len() == before {
            return runnable;
        }
    }
}

/// Whether the event of a handler is one of the stack's own, or one that the network emits.
fn occurs(stack: &Stack, below: &Automaton, handler: &Handler) -> bool {
    if handler.passes {
        return false;
    }
    let Some(event) = handler.event.map(|e| stack.event(e)) else { return true };
    let outside = handler.layer.index() == 0 && event.direction == Direction::Up && event.role != EventRole::Opening;
    !outside || below.actions.iter().any(|a| a.kind == ActionKind::Output && a.name == event.name)
}

/// The headers that code and the functions that it calls add to messages.
struct Added<'a, 'h> {
    stack: &'a Stack,
    headers: &'h mut HashSet<HeaderId>,
}

impl<'a> Visitor<'a> for Added<'a, '_> {
    fn refer(&mut self, to: Reference<'_>) {
        match to {
            Reference::Header(header) => drop(self.headers.insert(*header)),
            Reference::Function(function) => self.block(&self.stack.functions[function.index()].body),
            _ => {}
        }
    }
}
