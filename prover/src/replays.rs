//! Runs of the interpreter that show what is wrong with a bypass: one event, by the handlers and by the bypass.

use std::sync::Arc;

use nacre_bypass::{claims_of_ways, Claims, What};
use nacre_stack::interpret::{show, show_addr, show_message, Machine, Message, Origin, Outcome, Output, Value, NEVER};
use nacre_stack::{number, Bypass, CellId, EventId, LayerId, PortId, Stack, Type};
use nacre_symbolic::terms::{Term, Terms};

use crate::bypasses::{decide, goals};
use crate::cases::{find, opened, Case, Event};
use crate::solvers::Solver;

/// The most ways of the handlers that are tried where the condition of a bypass does not decide which one they go.
const MOST_WAYS: usize = 8;

/// An event in a state, handled twice.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The cells whose values are not those of a new connection, and their values.
    pub before: Vec<(String, String)>,
    /// The stated invariants that do not hold there: no run reaches the state if they are proved.
    pub broken: Vec<(LayerId, usize)>,
    pub event: String,
    /// Whether the bypass takes the event.
    pub is_taken: bool,
    /// What is not the same afterwards.
    pub differences: Vec<Difference>,
}

/// What is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub what: String,
    pub by_handlers: String,
    pub by_bypass: String,
}

/// Looks for an event that shows that a claim about a bypass does not hold: in the interpreter, what the handlers do
/// differs from what the bypass does. If none is found, the last that was tried; none: no model can be run.
pub fn demonstrate(stack: &Stack, at: usize, claims: &mut Claims, solvers: &[Solver]) -> Option<Replay> {
    let bypass = &stack.bypasses[at];
    let [plain, with] = [vec![], vec![bypass.clone()]].map(|bypasses| Arc::new(with_bypasses(stack, bypasses)));
    let new = opened(&plain)?;
    let mut last = None;
    let mut show = |claims: &mut Claims| {
        for (_, goal) in goals(claims).into_iter().filter(|(what, _)| *what != What::Possible) {
            let Some(case) = find(&new, bypass, claims, &goal, solvers) else { continue };
            let replay = replay(&new, &with, case);
            if !replay.differences.is_empty() {
                return Some(replay);
            }
            last = Some(replay);
        }
        None
    };
    if let Some(replay) = show(claims) {
        return Some(replay);
    }
    // Where a branch of the handlers goes either way, both ways may leave the same in one state and not in others.
    let decide = |terms: &mut Terms, known: &[Term], branch| decide(solvers.first()?, terms, known, branch);
    let ways = claims_of_ways(stack, bypass, &decide, MOST_WAYS);
    ways.into_iter().find_map(|mut claims| show(&mut claims)).or(last)
}

fn with_bypasses(stack: &Stack, bypasses: Vec<Bypass>) -> Stack {
    let mut stack = Stack { bypasses, ..stack.clone() };
    number(&mut stack);
    stack
}

/// Runs a case on a new connection of a stack, and on one with a bypass.
fn replay(new: &Machine, with: &Arc<Stack>, case: Case) -> Replay {
    let stack = new.stack().clone();
    let mut before = new.clone();
    case.cells.iter().for_each(|(cell, value)| before.keep_cell(*cell, value.clone()));
    let (mut plain, mut bypassed) = (before.clone(), before.with_stack(with.clone()));
    let outcomes = [&mut plain, &mut bypassed].map(|machine| run(machine, &case));
    let mut differences = vec![];
    let mut compare = |what: String, by_handlers: String, by_bypass: String| {
        if by_handlers != by_bypass {
            differences.push(Difference { what, by_handlers, by_bypass });
        }
    };
    let [a, b] = outcomes.map(|outcome| format!("{outcome:?}"));
    compare("result".into(), a, b);
    for at in 0..plain.outputs().len().max(bypassed.outputs().len()) {
        let [a, b] = [&plain, &bypassed].map(|machine| shown_output(&stack, machine.outputs().get(at)));
        compare(format!("output {}", at + 1), a, b);
    }
    for cell in (0..stack.cells.len() as u32).map(CellId) {
        let [a, b] = [&plain, &bypassed].map(|machine| shown_cell(&stack, cell, machine.cell(cell)));
        compare(name(&stack, cell), a, b);
    }
    let [a, b] = [&plain, &bypassed].map(|machine| shown_deadline(machine.deadline()));
    compare("deadline".into(), a, b);
    for (counter, (a, b)) in stack.counters.iter().zip(plain.counters().iter().zip(bypassed.counters())) {
        let layer = counter.layer.map_or(String::new(), |layer| format!("{}.", stack.layer(layer).name));
        compare(format!("counter {layer}{}", counter.name), a.to_string(), b.to_string());
    }
    let [a, b] = [&plain, &bypassed].map(|machine| machine.free_blocks().to_string());
    compare("free blocks".into(), a, b);
    let changed = (0..stack.cells.len() as u32).map(CellId).filter_map(|cell| {
        let [is, was] = [&before, new].map(|machine| shown_cell(&stack, cell, machine.cell(cell)));
        (is != was).then(|| (name(&stack, cell), is))
    });
    let (before, is_taken) = (changed.collect(), bypassed.bypassed().iter().any(|taken| *taken > 0));
    Replay { before, broken: case.broken.clone(), event: shown_event(&stack, &case), is_taken, differences }
}

fn run(machine: &mut Machine, case: &Case) -> Outcome {
    match &case.event {
        Event::Call { number, arguments, data } => machine.call(*number, arguments, data, case.now),
        Event::Frame { port, from, bytes } => machine.input_at(*port, *from, bytes, case.now),
    }
}

fn name(stack: &Stack, cell: CellId) -> String {
    let cell = stack.cell(cell);
    format!("{}.{}", stack.layer(cell.layer).name, cell.name)
}

fn shown_cell(stack: &Stack, cell: CellId, value: &Value) -> String {
    let ty = &stack.cell(cell).ty;
    match value {
        Value::Gone => show(stack, &stack.zero(ty), ty),
        value => show(stack, value, ty),
    }
}

fn shown_deadline(deadline: u64) -> String {
    match deadline {
        NEVER => "none".into(),
        deadline => deadline.to_string(),
    }
}

fn shown_event(stack: &Stack, case: &Case) -> String {
    match &case.event {
        Event::Call { number, arguments, data } => {
            let call = stack.interface()[*number as usize];
            let (event, port) = (stack.event(call.event), &stack.ports[call.port.index()].name);
            let mut shown = shown_arguments(stack, call.event, arguments);
            if event.message.is_some() {
                shown.push(show_message(stack, &Message::new(data, Origin::Made, true)));
            }
            format!("call {port}.{}({}) at {}", event.name, shown.join(", "), case.now)
        }
        Event::Frame { port, from, bytes } => {
            let [frame, from] = [shown_frame(stack, *port, bytes), show_addr(from)];
            format!("frame {frame} from {from} at {}", case.now)
        }
    }
}

fn shown_output(stack: &Stack, output: Option<&Output>) -> String {
    let Some(output) = output else { return "none".into() };
    let mut shown = shown_arguments(stack, output.event, &output.arguments);
    shown.extend(output.bytes.as_ref().map(|bytes| match stack.ports[output.port.index()].frames {
        Some(_) => shown_frame(stack, output.port, bytes),
        None => show_message(stack, &Message::new(bytes, Origin::Made, true)),
    }));
    let (event, port) = (&stack.event(output.event).name, &stack.ports[output.port.index()].name);
    format!("{port}.{event}({})", shown.join(", "))
}

fn shown_arguments(stack: &Stack, event: EventId, arguments: &[Value]) -> Vec<String> {
    let parameters = stack.event(event).parameters.iter().filter(|parameter| parameter.ty != Type::Msg);
    arguments.iter().zip(parameters).map(|(argument, parameter)| show(stack, argument, &parameter.ty)).collect()
}

/// A frame: its headers, and its data.
fn shown_frame(stack: &Stack, port: PortId, bytes: &[u8]) -> String {
    let layout = stack.ports[port.index()].frames.map(|layout| &stack.layouts[layout.index()]);
    let parsed = layout.and_then(|layout| stack.parse(layout, bytes));
    let message = match parsed {
        Some(parsed) => Message { headers: parsed.headers, ..Message::new(&bytes[parsed.size..], Origin::Made, true) },
        None => Message::new(bytes, Origin::Made, true),
    };
    show_message(stack, &message)
}
