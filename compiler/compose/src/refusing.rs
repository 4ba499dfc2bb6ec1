//! Warns of stacks that accept only empty messages because a layer may lengthen a message beyond any frame.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;
use crate::message::Size;
use crate::shapes::{Flow, Node};
use nacre_analysis::lengths::longest_calls;

/// Returns a warning for each call that accepts only empty messages although no layer states so.
pub(crate) fn check(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    let stated = longest_calls(stack);
    let ports = stack.ports.iter().enumerate().skip(1);
    let calls = ports.flat_map(|(p, port)| port.inputs.iter().map(move |input| (PortId(p as u32), input.event)));
    // Only calls that admit no data are reported: their limit is 0.
    let refusing = calls.filter(|call| stack.event(call.1).message.is_some() && stated.get(call) == Some(&0));
    let found = refusing.filter_map(|call| match flow.shorter.get(&call) {
        Some((_, layer)) => Some(of_layer(stack, call.1, *layer)),
        None => (flow.longest_call == 0).then(|| of_frames(stack, flow, call.1)),
    });
    found.chain(flow.unfit.iter().map(|(layer, event, most)| unfit(stack, *layer, *event, *most))).collect()
}

/// A layer is sent messages that are longer than it accepts, whatever the host sends.
fn unfit(stack: &Stack, layer: LayerId, event: EventId, most: u32) -> Diagnostic {
    let (taker, event) = (stack.layer(layer), &stack.event(event).name);
    let message = format!("layers above `{}` may make even an empty message too long for it", taker.name);
    let label = format!("accepts `{event}` of {most} bytes at most");
    Diagnostic::warning(codes::REFUSING, message).at(taker.span, label)
}

fn warning(name: &str) -> Diagnostic {
    Diagnostic::warning(codes::REFUSING, format!("`{name}` accepts only empty messages in this stack"))
}

/// A layer takes no message that layers above it have made longer.
fn of_layer(stack: &Stack, event: EventId, layer: LayerId) -> Diagnostic {
    let taker = stack.layer(layer);
    let label = format!("the layers above make every other message longer than `{}` accepts", taker.name);
    warning(&stack.event(event).name).at(taker.span, label)
}

fn of_frames(stack: &Stack, flow: &Flow, event: EventId) -> Diagnostic {
    let name = &stack.event(event).name;
    let frame = flow.longest_frame;
    let found = match flow.grown {
        Some((layer, span)) => {
            let label = format!("`{}` can make a message longer than a frame here", stack.layer(layer).name);
            warning(name).at(span, label)
        }
        None => warning(name),
    };
    found
        .because(format!("a frame fits {frame} bytes of data; the growth of messages is not bounded"))
        .help(format!("state the longest message: accepts {name}(m) when m.len <= {};", (frame / 4).max(1)))
}

/// The emission, in the highest layer, of a message that may have grown beyond any frame.
pub(crate) fn growing(stack: &Stack, flow: &Flow, frame: u32) -> Option<(LayerId, Span)> {
    let place = |node: &Node| match node {
        Node::Event(layer, ..) => *layer,
        Node::Timer(timer) => stack.timers[timer.index()].layer,
    };
    let all = flow.courses.iter().flat_map(|(node, course)| course.emissions().into_iter().map(move |e| (node, e)));
    let too_long = |size: &Size| size.growth >= frame || size.length.called > Some(frame);
    let grown = all.filter(|(_, e)| e.bag.iter().flat_map(|b| b.0.values()).any(too_long));
    grown.map(|(node, emission)| (place(node), emission.span)).max_by_key(|(layer, _)| *layer)
}
