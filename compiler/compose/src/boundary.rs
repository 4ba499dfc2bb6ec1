//! Checks that the host can exchange the events of a stack's ports: the C interface carries a message, an address and
//! a few numbers for each.

use nacre_diagnostics::Diagnostic;
use nacre_stack::*;

use crate::codes;

/// Numbers of one event, as many as `struct nacre_output` has.
const NUMBERS: usize = 4;

const HELP: &str =
    "an event at a port carries at most one message, one address and four numbers (uN, iN, seqN, ranges, \
                    bool, enums, durations, instants, sets of at most 64): send the rest as bytes of a message";

pub(crate) fn check(stack: &Stack) -> Vec<Diagnostic> {
    stack.interface().into_iter().filter_map(|at| unfit(stack, at)).collect()
}

fn unfit(stack: &Stack, at: PortEvent) -> Option<Diagnostic> {
    let (event, port) = (stack.event(at.event), &stack.ports[at.port.index()]);
    let values = || event.parameters.iter().filter(|parameter| parameter.ty != Type::Msg);
    let of = |fits: fn(&Type) -> bool| values().filter(|parameter| fits(&parameter.ty)).count();
    let because = match values().find(|parameter| !is_number(&parameter.ty) && parameter.ty != Type::Addr) {
        Some(parameter) => format!("its parameter `{}` is neither a message, an address nor a number", parameter.name),
        None if of(is_number) > NUMBERS => format!("it has {} numbers; the limit is {NUMBERS}", of(is_number)),
        None if of(|ty| *ty == Type::Addr) > 1 => "it has more than one address".to_string(),
        None => return None,
    };
    let way = if at.input.is_some() { "enter" } else { "leave" };
    let title = format!("`{}` cannot {way} the stack at port `{}`", event.name, port.name);
    Some(
        Diagnostic::error(codes::BOUNDARY, title)
            .at(stack.layer(neighbour(stack, at)).span, "this layer speaks to the port")
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

/// Whether the C interface carries values of this type as one number.
fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::UInt(_) | Type::Int(_) | Type::Seq(_) | Type::Range(..) | Type::Enum(_) => true,
        Type::Duration | Type::Instant => true,
        Type::Bits(size) => *size <= 64,
        _ => false,
    }
}
