//! Headers that a layer puts on messages and that never come back to it, as a layer below loses them.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;
use crate::message::Bag;
use crate::shapes::{Flow, Node};

/// Warns of each layer with such headers.
pub(crate) fn check(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    let of_layer = |l: u32| of_layer(stack, flow, LayerId(l));
    (0..stack.layers.len() as u32).filter_map(of_layer).collect()
}

fn of_layer(stack: &Stack, flow: &Flow, layer: LayerId) -> Option<Diagnostic> {
    let own = (0..stack.headers.len() as u32).map(HeaderId).filter(|h| stack.header(*h).layer == layer);
    let lost: Vec<HeaderId> = own.filter(|h| is_lost(stack, flow, layer, *h)).collect();
    let first = *lost.first()?;
    let names: Vec<String> = lost.iter().map(|h| format!("`{}`", stack.header(*h).name)).collect();
    let name = &stack.layer(layer).name;
    let title = format!("no message comes back to `{name}` with its {}", counted(&names));
    let mut found = Diagnostic::warning(codes::STRIPPED, title)
        .at(stack.layer(layer).span, if names.len() == 1 { "puts it on messages" } else { "puts them on messages" })
        .because(
            "a slice, a filter and a function in C take the data of a message without the headers of the layers above",
        )
        .help("a layer that hides or changes messages packs them: `pack(m)`, and `unpack(m)` at the receiver");
    if let Some(handler) = losing(stack, flow, layer, first) {
        found = found.also(handler.span, "sends none on with it");
    }
    Some(found)
}

fn counted(names: &[String]) -> String {
    let word = if names.len() == 1 { "header" } else { "headers" };
    format!("{word} {}", names.join(", "))
}

/// Whether messages with the header go down from its layer, and none with it arrives there.
fn is_lost(stack: &Stack, flow: &Flow, layer: LayerId, header: HeaderId) -> bool {
    let comes = |at: LayerId| at == layer;
    let mut arrivals = flow.arrivals.keys().filter(|node| has(node, header));
    let goes = arrivals.clone().any(|node| is_down(stack, node) && !place(node).is_some_and(comes));
    goes && !arrivals.any(|node| place(node).is_some_and(comes))
}

/// The handler that takes messages with the header from above and emits none; nothing if messages are packed with it.
fn losing<'s>(stack: &'s Stack, flow: &Flow, layer: LayerId, header: HeaderId) -> Option<&'s Handler> {
    let carries = |bag: &Bag| bag.0.keys().any(|kind| kind.headers.contains(&header));
    if flow.world.packed.values().any(carries) {
        return None;
    }
    let loses = |node: &&Node| {
        let emissions = flow.courses.get(node).map_or(Vec::new(), |course| course.emissions());
        !emissions.iter().any(|emission| emission.bag.as_ref().is_some_and(carries))
    };
    let below = |node: &&Node| has(node, header) && is_down(stack, node) && place(node) != Some(layer);
    let node = flow.arrivals.keys().filter(below).find(loses)?;
    Some(stack.handler(*flow.handlers.get(node)?))
}

fn has(node: &Node, header: HeaderId) -> bool {
    matches!(node, Node::Event(_, _, Some(kind)) if kind.headers.contains(&header))
}

fn is_down(stack: &Stack, node: &Node) -> bool {
    matches!(node, Node::Event(_, event, _) if stack.event(*event).direction == Direction::Down)
}

fn place(node: &Node) -> Option<LayerId> {
    match node {
        Node::Event(layer, ..) => Some(*layer),
        Node::Timer(_) => None,
    }
}
