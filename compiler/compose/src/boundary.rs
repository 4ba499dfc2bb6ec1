//! Checks that the host can exchange the events of a stack's ports.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;

const HELP: &str =
    "an event at a port carries at most one message, one address and four numbers (uN, iN, seqN, ranges, \
                    bool, enums, durations, instants, sets of at most 64): send the rest as bytes of a message";

pub(crate) fn check(stack: &Stack) -> Vec<Diagnostic> {
    stack.interface().into_iter().filter_map(|at| unfit(stack, at)).collect()
}

fn unfit(stack: &Stack, at: PortEvent) -> Option<Diagnostic> {
    let (event, port) = (stack.event(at.event), &stack.ports[at.port.index()]);
    let because = event.beyond_port()?;
    let way = if at.input.is_some() { "enter" } else { "leave" };
    let title = format!("`{}` cannot {way} the stack at port `{}`", event.name, port.name);
    Some(
        Diagnostic::error(codes::BOUNDARY, title)
            .at(stack.layer(neighbour(stack, at)).span, "this layer has the port")
            .because(because)
            .help(HELP),
    )
}

/// The layer at the other end of the port's link.
fn neighbour(stack: &Stack, at: PortEvent) -> LayerId {
    match at.input {
        Some(input) => stack.ports[at.port.index()].inputs[input as usize].layer,
        None => stack.neighbour_of(at.port).map_or(LayerId(0), |(_, layer)| layer),
    }
}
