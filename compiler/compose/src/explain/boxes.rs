//! The layers as boxes, the top first, with the events on the links between them.

use std::collections::BTreeSet;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use super::handlers::{arrow, lines, Line};
use super::{broken, padded};

/// Columns between the sides of a box.
const WIDTH: usize = 76;

pub(crate) fn boxes(stack: &Stack) -> String {
    let mut text = String::new();
    let top = stack.layers.len();
    for k in (0..top).rev() {
        text += &link(stack, k + 1);
        text += &one(stack, LayerId(k as u32));
    }
    text + &link(stack, 0)
}

/// The events that can go over the link below layer `above` (and above the one before it).
fn link(stack: &Stack, above: usize) -> String {
    let (mut down, mut up) = (BTreeSet::new(), BTreeSet::new());
    let upper = (above < stack.layers.len()).then_some(above);
    let lower = above.checked_sub(1);
    for (handler, emit) in emissions(stack) {
        let from = stack.handlers[handler].layer.index();
        let to = match emit.target {
            Target::Layer(layer) => Some(layer.index()),
            Target::Port(port) => match (port.index(), upper, lower) {
                (0, _, None) | (1, None, _) => None,
                _ => continue,
            },
        };
        let leaves = |side: Option<usize>, other: Option<usize>| Some(from) == side && to == other;
        if leaves(upper, lower) || leaves(lower, upper) {
            let set = if stack.event(emit.event).direction == Direction::Up { &mut up } else { &mut down };
            set.insert(stack.event(emit.event).name.clone());
        }
    }
    let port = match (upper, lower) {
        (_, None) => Some((0, "  transport")),
        (None, _) => Some((1, "  application")),
        _ => None,
    };
    let mut place = "";
    if let Some((port, name)) = port {
        for input in &stack.ports[port].inputs {
            let set = if stack.event(input.event).direction == Direction::Up { &mut up } else { &mut down };
            set.insert(stack.event(input.event).name.clone());
        }
        place = name;
    }
    let side = |arrow: &str, set: BTreeSet<String>| {
        let names = set.into_iter().collect::<Vec<_>>().join(" ");
        if names.is_empty() {
            String::new()
        } else {
            format!("{arrow} {names}")
        }
    };
    let half = WIDTH / 2;
    let text = format!("    {}{}{place}", padded(&side("↓", down), half), side("↑", up));
    format!("{}\n", text.trim_end())
}

/// Every emission with the handler that makes it, itself or by what it calls.
fn emissions(stack: &Stack) -> Vec<(usize, &Emit)> {
    let mut found = vec![];
    for (i, handler) in stack.handlers.iter().enumerate() {
        let mut pending = vec![&handler.body];
        while let Some(block) = pending.pop() {
            block.each_statement(|statement| match &statement.kind {
                StatementKind::Emit(emit) => found.push((i, emit)),
                StatementKind::Call { function, .. } => pending.push(&stack.functions[function.index()].body),
                _ => {}
            });
        }
    }
    found
}

fn one(stack: &Stack, layer: LayerId) -> String {
    let name = &stack.layer(layer).name;
    let description = &stack.layer(layer).description;
    let plain = description.split('<').next() == Some(name.as_str());
    let title = if plain { description.clone() } else { format!("{name}: {description}") };
    // What the top has no room for goes on below it.
    let mut titles = broken(&title, WIDTH - 4, WIDTH - 4).into_iter();
    let title = titles.next().unwrap_or_default();
    let mut text = format!("  ┌─ {title} {}┐\n", "─".repeat(WIDTH.saturating_sub(title.chars().count() + 3)));
    for more in titles {
        text += &format!("  │  {}│\n", padded(&more, WIDTH - 2));
    }
    let lines = lines(stack, layer);
    let width = lines.iter().map(|l| l.cause.chars().count()).max().unwrap_or(0).max(22);
    for line in &lines {
        for row in rows(line, width) {
            text += &format!("  │ {}│\n", padded(&row, WIDTH - 1));
        }
    }
    for port in own_ports(stack, layer).iter().flat_map(|port| broken(port, WIDTH - 2, WIDTH - 2)) {
        text += &format!("  │ {}│\n", padded(&port, WIDTH - 1));
    }
    text + &format!("  └{}┘\n", "─".repeat(WIDTH))
}

/// A handler's line, broken where the effects are too many for it.
fn rows(line: &Line, width: usize) -> Vec<String> {
    let mut rows = vec![padded(&line.cause, width + 2)];
    for (i, effect) in line.effects.iter().enumerate() {
        let comma = if i + 1 < line.effects.len() { ", " } else { "" };
        let last = rows.last().map_or(0, |r| r.chars().count());
        if last + effect.chars().count() + 2 > WIDTH - 2 && last > width + 2 {
            rows.push(" ".repeat(width + 2));
        }
        if let Some(row) = rows.last_mut() {
            *row += &format!("{effect}{comma}");
        }
    }
    rows
}

/// The ports of a layer's own, by what the host may put in there.
fn own_ports(stack: &Stack, layer: LayerId) -> Vec<String> {
    let own = stack.ports.iter().skip(2).filter(|p| p.inputs.iter().any(|i| i.layer == layer));
    own.map(|port| {
        let inputs: Vec<String> = port.inputs.iter().map(|i| arrow(stack, i.event)).collect();
        format!("port {}: {}", port.name, inputs.join(", "))
    })
    .collect()
}
