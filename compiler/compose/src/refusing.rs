//! Warns of stacks that accept only empty messages because a layer may lengthen a message beyond any frame.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;
use crate::message::Size;
use crate::shapes::{Flow, Node};
use nacre_analysis::lengths::longest_calls;

/// Returns a warning for each call that accepts only empty messages although no layer states so.
pub(crate) fn check(stack: &Stack, flow: &Flow) -> Vec<Diagnostic> {
    if flow.longest_call > 0 {
        return vec![];
    }
    let stated = longest_calls(stack);
    let ports = stack.ports.iter().enumerate().skip(1);
    let calls = ports.flat_map(|(p, port)| port.inputs.iter().map(move |input| (PortId(p as u32), input.event)));
    // Only calls that admit no data are reported: their limit is 0.
    let refusing = calls.filter(|call| stack.event(call.1).message.is_some() && stated.get(call) == Some(&0));
    refusing.map(|(_, event)| warning(stack, flow, event)).collect()
}

fn warning(stack: &Stack, flow: &Flow, event: EventId) -> Diagnostic {
    let name = &stack.event(event).name;
    let message = format!("`{name}` accepts only empty messages in this stack");
    let found = Diagnostic::warning(codes::REFUSING, message);
    let frame = flow.longest_frame;
    let found = match flow.grown {
        Some((layer, span)) => {
            let label = format!("`{}` can make a message longer than a frame here", stack.layer(layer).name);
            found.at(span, label)
        }
        None => found,
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
