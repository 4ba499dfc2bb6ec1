//! The layers as boxes, the top first, with the events on the links between them.

use std::collections::BTreeSet;

use nacre_stack::visit::Traverse;
use nacre_stack::*;

use super::columns::{broken, padded};
use super::handlers::{arrow, lines, Line};
use crate::linked::UPPER;

/// Columns between the sides of a box.
const WIDTH: usize = 76;

pub(crate) fn boxes(stack: &Stack) -> String {
    let mut text = String::new();
    for k in (0..stack.layers.len() as u32).rev().map(LayerId) {
        // A layer's own ports are listed in its box.
        let above = stack.links_from(Target::Layer(k), Direction::Up).filter(|id| !is_own(stack, *id));
        above.for_each(|id| text += &link(stack, id));
        text += &one(stack, k);
    }
    let lowest = (0..stack.links.len() as u32).map(LinkId);
    lowest.filter(|id| matches!(stack.link(*id).lower, Target::Port(_))).for_each(|id| text += &link(stack, id));
    text
}

/// Whether a link leads to a port that a layer declares.
fn is_own(stack: &Stack, id: LinkId) -> bool {
    matches!(stack.link(id).upper, Target::Port(port) if port > UPPER)
}

/// The events that can go over a link.
fn link(stack: &Stack, id: LinkId) -> String {
    let (mut down, mut up) = (BTreeSet::new(), BTreeSet::new());
    let mut note = |event: EventId| {
        let set = if stack.event(event).direction == Direction::Up { &mut up } else { &mut down };
        set.insert(stack.event(event).name.clone());
    };
    emissions(stack).into_iter().filter(|emit| emit.link == id).for_each(|emit| note(emit.event));
    let inputs = stack.ports.iter().flat_map(|port| &port.inputs);
    inputs.filter(|input| input.link == id).for_each(|input| note(input.event));
    let place = match stack.link(id) {
        Link { lower: Target::Port(_), .. } => "  transport",
        Link { upper: Target::Port(_), .. } => "  application",
        _ => "",
    };
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

/// Every emission that a handler makes, itself or by what it calls.
fn emissions(stack: &Stack) -> Vec<&Emit> {
    let mut found = vec![];
    for handler in &stack.handlers {
        let mut pending = vec![&handler.body];
        while let Some(block) = pending.pop() {
            block.each_statement(|statement| match statement.reaches() {
                Reaches::Event(emit) => found.push(emit),
                Reaches::Function(function) => pending.push(&stack.function(function).body),
                Reaches::Nothing => {}
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
    // What does not fit the top line continues below it.
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

/// A handler's line, broken if its effects do not fit.
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

/// The layer's own ports, with the events that the host may call.
fn own_ports(stack: &Stack, layer: LayerId) -> Vec<String> {
    let own = stack.ports.iter().skip(2).filter(|p| p.inputs.iter().any(|i| i.layer == layer));
    own.map(|port| {
        let inputs: Vec<String> = port.inputs.iter().map(|i| arrow(stack, i.event)).collect();
        format!("port {}: {}", port.name, inputs.join(", "))
    })
    .collect()
}
