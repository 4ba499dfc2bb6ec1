//! Chooses the longest message of the calls for which no layer states a limit: every frame fits the transport,
//! whatever calls were stored before. And of the calls whose limit a lower layer states, where those above it make
//! messages longer.

use std::collections::BTreeMap;

use nacre_analysis::lengths::longest_calls;
use nacre_stack::{EventId, LayerId, PortId};

use crate::linked::{Linked, LOWER};
use crate::shapes::{follow, Flow, Node};
use crate::{layout, refusing};

/// The longest message of inputs of ports.
type Limits = BTreeMap<(PortId, EventId), u32>;

/// The flow with messages as long as the layers and the transport take them.
pub(crate) fn flow(linked: &mut Linked, frame_max: u32) -> Flow {
    let stated = longest_calls(&linked.stack);
    let flow = with_limits(linked, &stated, frame_max);
    let mut limits = stated.clone();
    for (call, layer) in stated_below(linked, &stated) {
        let most = stated[&call];
        if arrives(&flow, layer, call.1) > most {
            limits.insert(call, shorter_call(linked, &limits, &flow, (call, layer)));
        }
    }
    if limits == stated {
        return flow;
    }
    let shorter = limits.iter().filter(|(call, limit)| stated[call] != **limit);
    let shorter = shorter.map(|(call, limit)| (*call, *limit)).collect();
    Flow { shorter, ..with_limits(linked, &limits, frame_max) }
}

/// The calls whose limit another layer states than the one that they enter, and that layer.
fn stated_below(linked: &Linked, stated: &Limits) -> Vec<((PortId, EventId), LayerId)> {
    let ports = linked.stack.ports.iter().zip((0..).map(PortId));
    let inputs = ports.flat_map(|(port, id)| port.inputs.iter().map(move |input| (id, input)));
    let limited = inputs.filter(|(port, input)| stated.contains_key(&(*port, input.event)));
    let found = limited.flat_map(|(port, input)| {
        let below = input.admissions.iter().filter(|admission| admission.layer != input.layer);
        below.map(move |admission| ((port, input.event), admission.layer))
    });
    found.collect()
}

/// The longest message with which an event arrives at a layer.
fn arrives(flow: &Flow, layer: LayerId, event: EventId) -> u32 {
    let here =
        flow.arrivals.iter().filter(|(node, _)| matches!(node, Node::Event(l, e, _) if (*l, *e) == (layer, event)));
    here.map(|(_, size)| size.max).max().unwrap_or(0)
}

/// The longest message of a call that no layer makes longer than the stated limit on its way to the one that states it;
/// the stated limit, if there is none.
fn shorter_call(linked: &mut Linked, limits: &Limits, flow: &Flow, (call, layer): ((PortId, EventId), LayerId)) -> u32 {
    let most = limits[&call];
    let mut fits = |length: u32| {
        let limits = limits.iter().map(|(other, limit)| (*other, if *other == call { length } else { *limit }));
        let flow = follow(linked, &limits.collect(), flow.longest_frame, flow.longest_call);
        arrives(&flow, layer, call.1) <= most
    };
    if !fits(0) {
        return most;
    }
    let (mut longest, mut too_long) = (0, most);
    // Mostly, layers add as many bytes to any message.
    let added = arrives(flow, layer, call.1) - most;
    for guess in [most.checked_sub(added), most.checked_sub(added).map(|n| n + 1)].into_iter().flatten() {
        if (longest + 1..too_long).contains(&guess) {
            *(if fits(guess) { &mut longest } else { &mut too_long }) = guess;
        }
    }
    while too_long > longest + 1 {
        let middle = longest + (too_long - longest) / 2;
        *(if fits(middle) { &mut longest } else { &mut too_long }) = middle;
    }
    longest
}

/// Follows the flow first with the longest frames: the lengths of messages are known only when the headers are.
fn with_limits(linked: &mut Linked, limits: &Limits, frame_max: u32) -> Flow {
    let first = follow(linked, limits, frame_max, frame_max);
    let (frame, call) = layout::longest(&linked.stack, &first, frame_max);
    let grown = (call == 0).then(|| refusing::growing(&linked.stack, &first, frame)).flatten();
    let flow = follow(linked, limits, frame, call);
    if flow.too_many() || fits(&flow) {
        return Flow { grown, ..flow };
    }
    let shorter = shorter(linked, limits, flow);
    Flow { grown: grown.or(shorter.grown), ..shorter }
}

/// Whether no frame with bytes of a call is longer than the transport takes.
fn fits(flow: &Flow) -> bool {
    let frames = flow.outputs.iter().filter(|((port, _), _)| *port == LOWER);
    let mut sizes = frames.flat_map(|(_, bag)| bag.0.values());
    sizes.all(|size| size.length.called <= Some(flow.longest_frame))
}

/// Follows the flow with the longest call that fits, below one that does not: by bisection, because filters, joins and
/// conditions determine the length together.
fn shorter(linked: &mut Linked, limits: &Limits, mut too_long: Flow) -> Flow {
    let frame = too_long.longest_frame;
    let mut longest = follow(linked, limits, frame, 0);
    while too_long.longest_call > longest.longest_call + 1 {
        let middle = longest.longest_call + (too_long.longest_call - longest.longest_call) / 2;
        let flow = follow(linked, limits, frame, middle);
        let limit = if fits(&flow) { &mut longest } else { &mut too_long };
        *limit = flow;
    }
    let refuses = longest.longest_call == 0;
    let grown = refuses.then(|| refusing::growing(&linked.stack, &too_long, frame)).flatten();
    Flow { grown, ..longest }
}
