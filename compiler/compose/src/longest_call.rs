//! Chooses the longest message of the calls for which no layer states a limit: every frame fits the transport,
//! whatever calls were stored before.

use std::collections::BTreeMap;

use nacre_analysis::lengths::longest_calls;
use nacre_stack::{EventId, PortId};

use crate::linked::{Linked, LOWER};
use crate::shapes::{follow, Flow};
use crate::{layout, refusing};

/// Follows the flow first with the longest frames: the lengths of messages are known only when the headers are.
pub(crate) fn flow(linked: &mut Linked, frame_max: u32) -> Flow {
    let limits = longest_calls(&linked.stack);
    let first = follow(linked, &limits, frame_max, frame_max);
    let (frame, call) = layout::longest(&linked.stack, &first, frame_max);
    let grown = (call == 0).then(|| refusing::growing(&linked.stack, &first, frame)).flatten();
    let flow = follow(linked, &limits, frame, call);
    if flow.too_many() || fits(&flow) {
        return Flow { grown, ..flow };
    }
    let shorter = shorter(linked, &limits, flow);
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
fn shorter(linked: &mut Linked, limits: &BTreeMap<(PortId, EventId), u32>, mut too_long: Flow) -> Flow {
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
