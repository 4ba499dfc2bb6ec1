//! Chooses the longest message of the calls for which no layer states a limit: every frame fits the transport,
//! whatever calls were stored before. And of calls of which messages come to a layer that states a limit, where those
//! above it make them longer, or take longer ones themselves.

use std::collections::BTreeMap;

use nacre_analysis::lengths::{longest_calls, stated_length};
use nacre_stack::{EventId, LayerId, LocalId, PortId};

use crate::linked::{Linked, LOWER};
use crate::shapes::{follow, Flow, Node};
use crate::{layout, refusing};

/// The longest message of inputs of ports.
type Limits = BTreeMap<(PortId, EventId), u32>;

/// A layer that accepts an event only with a message that is not longer.
struct Taker {
    layer: LayerId,
    event: EventId,
    most: u32,
}

/// The flow with messages as long as the layers and the transport take them.
pub(crate) fn flow(linked: &mut Linked, frame_max: u32) -> Flow {
    let stated = longest_calls(&linked.stack);
    let flow = with_limits(linked, &stated, frame_max);
    let calls = calls(linked);
    let mut limits: Limits =
        calls.iter().map(|call| (*call, stated.get(call).copied().unwrap_or(flow.longest_call))).collect();
    let mut shorter = BTreeMap::new();
    let empty: Limits = calls.iter().map(|call| (*call, 0)).collect();
    let mut unfit = vec![];
    for taker in takers(linked) {
        if arrives(&flow, &taker) <= taker.most {
            continue;
        }
        let least = arrives(&follow(linked, &empty, flow.longest_frame, 0), &taker);
        if least > taker.most {
            unfit.push((taker.layer, taker.event, taker.most));
            continue;
        }
        // First the calls that exceed the limit alone, then those that exceed it together with others.
        for others_are_empty in [true, false] {
            for call in &calls {
                let others = limits.iter().map(|(call, most)| (*call, if others_are_empty { 0 } else { *most }));
                let longest = longest_for(linked, &flow, &others.collect(), (*call, limits[call]), &taker);
                if longest < limits[call] {
                    limits.insert(*call, longest);
                    shorter.insert(*call, (longest, taker.layer));
                }
            }
        }
    }
    if shorter.is_empty() {
        return Flow { unfit, ..flow };
    }
    let mut limits = stated;
    limits.extend(shorter.iter().map(|(call, (longest, _))| (*call, *longest)));
    Flow { shorter, unfit, ..with_limits(linked, &limits, frame_max) }
}

/// The calls of the host that have a message.
fn calls(linked: &Linked) -> Vec<(PortId, EventId)> {
    let ports = linked.stack.ports.iter().zip((0..).map(PortId)).filter(|(_, id)| *id != LOWER);
    let inputs = ports.flat_map(|(port, id)| port.inputs.iter().map(move |input| (id, input.event)));
    inputs.filter(|(_, event)| linked.stack.event(*event).message.is_some()).collect()
}

/// The layers that limit the length of a message, wherever it comes from.
fn takers(linked: &Linked) -> Vec<Taker> {
    let stated = linked.accepts.iter().filter_map(|(event, admission)| {
        let message = linked.stack.event(*event).message?;
        let most = stated_length(&admission.condition, LocalId(message))?;
        Some(Taker { layer: admission.layer, event: *event, most })
    });
    stated.collect()
}

/// The longest message with which an event arrives at the layer.
fn arrives(flow: &Flow, taker: &Taker) -> u32 {
    let is_there = |node: &Node| matches!(node, Node::Event(l, e, _) if (*l, *e) == (taker.layer, taker.event));
    flow.arrivals.iter().filter(|(node, _)| is_there(node)).map(|(_, size)| size.max).max().unwrap_or(0)
}

/// The longest message of a call, of at most `most` bytes, for which no message that reaches the layer exceeds its
/// limit, given these lengths of the messages of the other calls. Returns `most` if even an empty message does not
/// help.
fn longest_for(
    linked: &mut Linked,
    flow: &Flow,
    others: &Limits,
    (call, most): ((PortId, EventId), u32),
    taker: &Taker,
) -> u32 {
    let mut lengths = others.clone();
    let mut fits = |length: u32| {
        lengths.insert(call, length);
        arrives(&follow(linked, &lengths, flow.longest_frame, flow.longest_call), taker) <= taker.most
    };
    if fits(most) || !fits(0) {
        return most;
    }
    let (mut longest, mut too_long) = (0, most);
    // Mostly, layers add as many bytes to any message.
    let added = arrives(flow, taker).saturating_sub(most);
    for guess in [taker.most.checked_sub(added), taker.most.checked_sub(added).map(|n| n + 1)].into_iter().flatten() {
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
    // Where the longest message grows by as much as a frame, shorter ones may grow by less.
    let call = if call == 0 { frame } else { call };
    let flow = follow(linked, limits, frame, call);
    match flow.too_many() || fits(&flow) {
        true => flow,
        false => shorter(linked, limits, flow),
    }
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
