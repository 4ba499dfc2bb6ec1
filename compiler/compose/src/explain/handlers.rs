//! Summarizes each handler: its trigger and its emissions.

use nacre_stack::*;

/// `↓ send`, `↑ deliver - Data`, `on resend`.
pub(crate) struct Line {
    pub cause: String,
    pub effects: Vec<String>,
}

/// The handlers of a layer, in order; those that only pass an event on share one line at the end.
pub(crate) fn lines(stack: &Stack, layer: LayerId) -> Vec<Line> {
    let mut lines = vec![];
    let mut passed: Vec<String> = vec![];
    for (i, handler) in stack.handlers.iter().enumerate().filter(|(_, h)| h.layer == layer) {
        let cause = cause(stack, HandlerId(i as u32));
        if handler.passes {
            passed.push(cause);
        } else {
            lines.push(Line { cause, effects: effects(stack, &handler.body, 1) });
        }
    }
    if !passed.is_empty() {
        lines.push(Line { cause: "passes on".into(), effects: passed });
    }
    lines
}

fn cause(stack: &Stack, handler: HandlerId) -> String {
    if let Some(timer) = stack.timers.iter().find(|t| t.handler == handler) {
        let name = timer.name.split_once('.').map_or(timer.name.as_str(), |(_, rest)| rest);
        return format!("on {name}");
    }
    let layer = stack.layer(stack.handler(handler).layer);
    for reaction in &layer.reactions {
        let Some(arm) = reaction.arms.iter().find(|a| a.handler == handler) else { continue };
        let header = arm.guard.header.map_or(String::new(), |h| format!(" - {}", stack.header(h).name));
        let event = arrow(stack, reaction.event);
        return format!("{event}{header}{}", if arm.guard.data { " (data)" } else { "" });
    }
    stack.handler(handler).name.clone()
}

/// `↓ send`.
pub(crate) fn arrow(stack: &Stack, event: EventId) -> String {
    let event = stack.event(event);
    let arrow = if event.direction == Direction::Up { "↑" } else { "↓" };
    format!("{arrow} {}", event.name)
}

/// The emissions in a block and in the functions that it calls, each once, with the number of times it can happen.
fn effects(stack: &Stack, block: &[Statement], times: u64) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    let mut add = |effect: String| {
        if !found.contains(&effect) {
            found.push(effect);
        }
    };
    for statement in block {
        if let StatementKind::Emit(emit) = &statement.kind {
            add(emission(stack, emit, times));
        }
        let called = match &statement.kind {
            StatementKind::Call { function, .. } => Some(stack.function(*function).body.as_slice()),
            _ => None,
        };
        let times = times.saturating_mul(turns(statement));
        let inner = statement.blocks().into_iter().chain(called).flat_map(|block| effects(stack, block, times));
        inner.for_each(&mut add);
    }
    found
}

/// The iterations of a loop, as its bound claims; the last iteration of a `while` only finds the end.
fn turns(statement: &Statement) -> u64 {
    match statement.control() {
        Control::Repeat { bound, .. } if matches!(statement.kind, StatementKind::Loop { .. }) => {
            u64::from(bound.saturating_sub(1))
        }
        Control::Repeat { bound, .. } => u64::from(bound),
        Control::Branch { .. } | Control::Break | Control::Exit | Control::Next => 1,
    }
}

fn emission(stack: &Stack, emit: &Emit, times: u64) -> String {
    let message = stack.event(emit.event).message.map(|m| &emit.arguments[m as usize]);
    let header = message.and_then(pushed).map_or(String::new(), |h| format!(" + {}", stack.header(h).name));
    let port = match stack.target(emit) {
        Target::Port(port) if port.index() > 1 => format!(" at {}", stack.ports[port.index()].name),
        _ => String::new(),
    };
    let later = if emit.later { "later " } else { "" };
    let often = if times > 1 { format!(" ×{times}") } else { String::new() };
    format!("{later}{}{header}{port}{often}", arrow(stack, emit.event))
}

fn pushed(message: &Expr) -> Option<HeaderId> {
    match &message.kind {
        ExprKind::Push(_, header, _) => Some(*header),
        _ => None,
    }
}
