//! What enters by an entry, and whose code the statements of a bypass are.

use crate::visit::{Node, Traverse};
use crate::*;

impl Bypass {
    /// The layer whose code a statement is from: that of the cells in it, else that of what it sets or drops.
    pub fn layer_of(&self, stack: &Stack, statement: &Statement) -> LayerId {
        let (mut cells, mut dropped) = (None, None);
        statement.each(|node| {
            if let Node::Place(Place { root: Root::Cell(cell), .. }) = node {
                cells = Some(stack.cell(*cell).layer);
            }
            if matches!(statement.kind, StatementKind::Drop(_)) {
                dropped = dropped.or(node.local());
            }
        });
        let local = statement.sets().first().copied().or(dropped);
        let set = local.map(|local| match self.homes[local.index()] {
            Target::Layer(layer) => layer,
            Target::Port(port) if stack.is_lower(port) => LayerId(0),
            Target::Port(_) => LayerId(stack.layers.len() as u32 - 1),
        });
        cells.or(set).unwrap_or(LayerId(0))
    }
}

impl Entry {
    /// All entries of a stack: calls, frames by shape, timers.
    pub fn all(stack: &Stack) -> Vec<Entry> {
        let mut all = vec![];
        for (port, id) in stack.ports.iter().zip((0..).map(PortId)) {
            match port.frames {
                None => all.extend((0..port.inputs.len()).map(|at| Entry::Call(id, at))),
                Some(layout) if stack.frames_at(id).is_some() => {
                    all.extend((0..stack.layouts[layout.index()].shapes.len()).map(|at| Entry::Frame(id, at)));
                }
                Some(_) => {}
            }
        }
        all.extend((0..stack.timers.len()).map(Entry::Timer));
        all
    }

    /// The event that enters; none: a timer's.
    pub fn event(self, stack: &Stack) -> Option<EventId> {
        match self {
            Entry::Call(port, at) => Some(stack.ports.get(port.index())?.inputs.get(at)?.event),
            Entry::Frame(port, _) => Some(stack.frames_at(port)?.0.event),
            Entry::Timer(_) => None,
        }
    }

    /// The headers of the frame that enters.
    pub fn headers(self, stack: &Stack) -> &[HeaderId] {
        let Entry::Frame(port, at) = self else { return &[] };
        let layout = stack.ports.get(port.index()).and_then(|port| port.frames);
        let shape = layout.and_then(|layout| stack.layouts.get(layout.index())?.shapes.get(at));
        shape.map_or(&[], |shape| &shape.headers)
    }
}
