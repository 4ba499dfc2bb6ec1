//! Cycles of events: each must pass through a `later` emission, so that every step ends. A cycle closes where layers
//! answer each other, or where an event turns at a port and leads to itself.

use super::problems::Problems;
use crate::visit::Traverse;
use crate::*;

/// Refuses handlers that lead to themselves within one step. `compose` follows each header variant through the whole of
/// a row, so rows are left to it. Here an event that goes up can meet any arm, unless the layer that emits it has just
/// pushed the header.
pub fn check(stack: &Stack, problems: &mut Problems) {
    if crate::normal::beyond_rows(stack).is_empty() {
        return;
    }
    let next: Vec<Vec<usize>> = (0..stack.handlers.len()).map(|index| successors(stack, index)).collect();
    let ends = ending(&next);
    let Some(mut handler) = ends.iter().position(|ends| !ends) else { return };
    let mut path = vec![];
    while !path.contains(&handler) {
        path.push(handler);
        handler = next[handler].iter().copied().find(|n| !ends[*n]).unwrap_or(handler);
    }
    let cycle = path.into_iter().skip_while(|h| *h != handler).chain([handler]);
    let names: Vec<&str> = cycle.map(|h| stack.handlers[h].name.as_str()).collect();
    problems.at(names[0]);
    problems.add(format!("events go round in a cycle, so a step need not end: {}", names.join(" -> ")));
}

/// Which of these lead only to what ends.
fn ending(next: &[Vec<usize>]) -> Vec<bool> {
    let mut before = vec![vec![]; next.len()];
    for (index, successors) in next.iter().enumerate() {
        successors.iter().for_each(|successor| before[*successor].push(index));
    }
    let mut open: Vec<usize> = next.iter().map(Vec::len).collect();
    let mut known: Vec<usize> = (0..next.len()).filter(|index| open[*index] == 0).collect();
    let mut ends = vec![false; next.len()];
    while let Some(index) = known.pop() {
        ends[index] = true;
        for previous in &before[index] {
            open[*previous] -= 1;
            if open[*previous] == 0 {
                known.push(*previous);
            }
        }
    }
    ends
}

/// The handlers that a handler's emissions can bring on in the same step.
fn successors(stack: &Stack, handler: usize) -> Vec<usize> {
    let handler = &stack.handlers[handler];
    let mut found = vec![];
    let mut bodies = vec![&handler.body];
    let mut called = vec![false; stack.functions.len()];
    while let Some(body) = bodies.pop() {
        body.each_statement(|statement| match statement.reaches() {
            Reaches::Event(emit) if emit.later => {}
            Reaches::Event(emit) => found.extend(arms(stack, handler.layer, body, emit)),
            Reaches::Function(function) => {
                if !std::mem::replace(&mut called[function.index()], true) {
                    bodies.push(&stack.function(function).body);
                }
            }
            Reaches::Nothing => {}
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The handlers that an emission can arrive at.
fn arms(stack: &Stack, from: LayerId, body: &Block, emit: &Emit) -> Vec<usize> {
    let turn = stack.turn(emit.link, emit.event);
    let event = turn.map_or(emit.event, |turn| turn.comes_back);
    let Target::Layer(layer) = stack.arrives(emit.link, event) else { return vec![] };
    let down = stack.event(event).direction == Direction::Down;
    let message = stack.event(event).message.and_then(|index| emit.arguments.get(index as usize));
    let pushed = message.and_then(|message| pushed_header(body, message, 0)).filter(|_| layer == from);
    let fits = |guard: &Guard| {
        guard.link.is_none_or(|link| link == emit.link)
            && (!down || guard.header.is_none())
            && (pushed.is_none() || guard.header == pushed)
    };
    let reactions = stack.layer(layer).reactions.iter().filter(|reaction| reaction.event == event);
    reactions.flat_map(|r| &r.arms).filter(|arm| fits(&arm.guard)).map(|arm| arm.handler.index()).collect()
}

/// The header that was pushed on a message last, if the code around it shows one.
fn pushed_header(body: &Block, message: &Expr, depth: u32) -> Option<HeaderId> {
    match &message.kind {
        ExprKind::Push(_, header, _) => Some(*header),
        ExprKind::Share(inner) => pushed_header(body, inner, depth),
        ExprKind::Local(local) if depth < 8 => {
            let mut values = vec![];
            body.each_statement(|statement| match &statement.kind {
                StatementKind::Let(id, value) if id == local => values.push(Some(value)),
                _ if statement.sets().contains(local) => values.push(None),
                _ => {}
            });
            match values[..] {
                [Some(value)] => pushed_header(body, value, depth + 1),
                _ => None,
            }
        }
        _ => None,
    }
}
