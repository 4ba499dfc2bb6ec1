//! A counterexample, step by step, for charts and for replay.

use nacre_specification::Value as Spec;
use nacre_stack::interpret::{show, Machine, Value};
use nacre_stack::{Scope, Span, Stack};
use serde::{Deserialize, Serialize};

use crate::broken::Broken;
use crate::endpoints::{Emitted, Endpoints, Step};
use crate::explore::Path;
pub use crate::show::{Hex, NetworkAction, NetworkValue};
use crate::space::{Move, Near, Space, State, Successor};
use nacre_worlds::setup::Setup;

/// A run to a violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The number of endpoints.
    #[serde(default = "two", skip_serializing_if = "is_two")]
    pub members: usize,
    pub steps: Vec<RunStep>,
    /// The violation after the last step.
    pub why: String,
    /// The statement, condition or invariant of a layer that shows it, if one does.
    #[serde(skip)]
    pub span: Span,
    /// The same for a file: `pt2pt.nacre:40:16`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

impl Default for Run {
    fn default() -> Run {
        let (steps, why, source) = (vec![], String::new(), String::new());
        Run { members: two(), steps, why, span: Span::default(), source }
    }
}

impl Run {
    /// Returns a run whose last step shows a violation.
    pub(crate) fn of(setup: &Setup, steps: Vec<RunStep>, broken: &Broken) -> Run {
        let members = setup.members().count();
        Run { members, steps, why: broken.why.to_string(), span: broken.span, source: String::new() }
    }
}

fn two() -> usize {
    2
}

fn is_two(n: &usize) -> bool {
    *n == 2
}

/// One global step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStep {
    /// The endpoint: 0 is `a`, 1 is `b`, and so on; none: only the network moved.
    pub end: Option<usize>,
    pub what: What,
    /// The action of the network that caused it.
    pub network: Option<NetworkAction>,
    /// The nondeterministic choices (random numbers, orders) in order; missing ones are 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<u32>,
    /// The random numbers that it drew, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn: Vec<u64>,
    pub handled: Vec<Handled>,
    /// The events that the endpoint emitted, in order.
    pub left: Vec<Output>,
    /// Cells of the state that changed.
    pub changed: Vec<Changed>,
}

impl RunStep {
    /// A step in which no handler runs.
    fn without_handlers(end: Option<usize>, what: What, network: Option<NetworkAction>) -> RunStep {
        let (choices, drawn, handled, left, changed) = (vec![], vec![], vec![], vec![], vec![]);
        RunStep { end, what, network, choices, drawn, handled, left, changed }
    }
}

/// The cause of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Opened,
    /// A call of the application. `event`: its index among all events of all ports, as in the C interface.
    Call {
        event: u32,
        name: String,
        arguments: Vec<u64>,
        message: Option<Hex>,
    },
    /// A frame arrives; `from`: the endpoint that sent it, if there are more than two.
    Frame {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<usize>,
        bytes: Hex,
    },
    /// The same, and the frame is lost: the pool is full.
    NoSpace {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<usize>,
        bytes: Hex,
    },
    /// An event of the layer below without a message.
    Event {
        event: u32,
        name: String,
        arguments: Vec<u64>,
    },
    /// A timer fires: its layer, its index among the stack's timers, and its own indices.
    Timer {
        name: String,
        timer: u32,
        indices: Vec<u64>,
        /// The index among the armed timers, by layer, declaration and index.
        place: u32,
    },
    /// A `later` event.
    Later,
    /// Nothing happens until this time, in nanoseconds.
    Wait {
        until: u64,
    },
    /// No endpoint takes a step.
    Nothing,
}

/// A handler that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handled {
    pub handler: String,
    pub arguments: String,
    pub emissions: Vec<String>,
    /// Whether it only passed its event on.
    pub passes: bool,
    /// Its emissions in the source; if there are none, the handler.
    #[serde(skip)]
    pub spans: Vec<Span>,
    /// The same for a file: `pt2pt.nacre:40:9, 41:13`.
    #[serde(default)]
    pub source: String,
}

/// An event that an endpoint emitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// To the network; otherwise to the application.
    pub down: bool,
    /// The port of a layer at which it left; otherwise 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub own: u32,
    pub event: String,
    pub arguments: Vec<u64>,
    /// The frame, or the message's data.
    pub bytes: Option<Hex>,
}

impl Output {
    /// The index of its port in the stack.
    pub fn port(&self) -> u32 {
        match self.own {
            0 => u32::from(!self.down),
            own => own,
        }
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A cell of the state that changed, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    pub cell: String,
    pub before: String,
    pub after: String,
}

/// Describes a run that a search found.
pub fn describe(setup: &Setup, space: &Space, first: &[Successor], path: &[Path], why: &str) -> Run {
    let mut near = Near::default();
    let mut run = Run { members: setup.members().count(), why: why.into(), ..Run::default() };
    let mut state = match path.first().and_then(|p| first.get(p.ordinal)) {
        Some(Ok(state)) => *state,
        Some(Err(broken)) => return Run { span: broken.span, ..run },
        None => return run,
    };
    for ordinal in path.iter().skip(1).map(|p| p.ordinal) {
        let (mut at, mut found) = (0, None);
        space.expand(&mut near, state, &mut |m, _, led| {
            if at == ordinal {
                found = Some((m, led));
            }
            at += 1;
        });
        let Some((m, led)) = found else { break };
        run.steps.push(step(setup, space, &mut near, state, m));
        match led {
            Ok(next) => state = next,
            Err(broken) => {
                run.span = broken.span;
                break;
            }
        }
    }
    run
}

/// Describes a move out of a state.
pub(crate) fn step(setup: &Setup, space: &Space, near: &mut Near, state: State, m: Move) -> RunStep {
    let (end, step, transition, network) = match m {
        Move::Step { end, step, transition } => (end, step, transition, None),
        Move::Network { place, transition } => {
            let action = &space.network_moves_of(near, state)[place];
            let network = Some(network_action(space, near, state, place));
            let Some((end, arrival)) = action.arrives() else {
                return RunStep::without_handlers(None, What::Nothing, network);
            };
            (end, action.step(arrival), transition, network)
        }
        Move::NoSpace { place } => return no_space(setup, space, near, state, place),
        Move::Wait { until } => return RunStep::without_handlers(None, What::Wait { until }, None),
    };
    let endpoints = &space.endpoints;
    let local = endpoints.locals.value(space.local_of(state, end));
    let transitions = space.transitions_of(near, end, space.local_of(state, end), step);
    let choices = transitions.get(transition).map(|w| w.choices.clone()).unwrap_or_default();
    let mut machine = local.machine.clone();
    machine.trace_on();
    machine.decide(choices.again());
    endpoints.run(&mut machine, end, &local, step);
    let drawn = machine.take_choices().drawn().to_vec();
    let left = transitions.get(transition).map(|w| endpoints.effects.value(w.effects)).unwrap_or_default();
    RunStep {
        end: Some(end),
        what: what(setup, endpoints, &local.armed, step),
        network,
        choices: choices.plan().to_vec(),
        drawn,
        handled: handled(setup.stack_of(end), &mut machine),
        left: left.iter().map(|l| output(setup.stack_of(end), l)).collect(),
        changed: changed(setup.stack_of(end), &local.machine, &machine),
    }
}

fn network_action(space: &Space, near: &mut Near, state: State, place: usize) -> NetworkAction {
    let values: Vec<Spec> = space.network.locals(state.network, place).into_iter().flatten().collect();
    let action = space.network_moves_of(near, state)[place].action;
    NetworkAction::of(space.network.automaton(), usize::from(action), &values)
}

/// Describes the loss of a frame in a full pool.
fn no_space(setup: &Setup, space: &Space, near: &mut Near, state: State, place: usize) -> RunStep {
    let arrives = space.network_moves_of(near, state)[place].arrives();
    let frame = arrives.and_then(|(end, arrival)| match &*space.endpoints.arrivals.value(arrival) {
        crate::endpoints::Arrival::Frame { from, bytes } => Some((end, sender(setup, *from), Hex(bytes.clone()))),
        crate::endpoints::Arrival::Event(..) => None,
    });
    let lost = |(end, from, bytes)| (Some(end), What::NoSpace { from, bytes });
    let (end, what) = frame.map_or((None, What::Nothing), lost);
    RunStep::without_handlers(end, what, Some(network_action(space, near, state, place)))
}

/// The sender of a frame, where it is not the only other endpoint.
fn sender(setup: &Setup, from: u8) -> Option<usize> {
    (!setup.members().is_pair()).then_some(usize::from(from))
}

fn what(setup: &Setup, endpoints: &Endpoints, armed: &[nacre_stack::interpret::Armed], step: Step) -> What {
    let stack = setup.stack();
    match step {
        Step::Call(at) | Step::Misuse(at) => {
            let call = &endpoints.calls[at as usize];
            let message = stack.event(call.id).message.map(|at| at as usize);
            let numbers = call.seen.iter().enumerate().filter(|(at, _)| message != Some(*at));
            let arguments = numbers.map(|(_, value)| value.num()).collect();
            What::Call {
                event: call.event,
                name: stack.event(call.id).name.clone(),
                arguments,
                message: call.bytes.clone().map(Hex),
            }
        }
        Step::Arrival(number) | Step::MadeUp(number) => match &*endpoints.arrivals.value(number) {
            crate::endpoints::Arrival::Frame { from, bytes } => {
                What::Frame { from: sender(setup, *from), bytes: Hex(bytes.clone()) }
            }
            crate::endpoints::Arrival::Event(event, arguments) => {
                let name = stack.interface().get(*event as usize).map(|e| stack.event(e.event).name.clone());
                let arguments = arguments.iter().map(Spec::num).collect();
                What::Event { event: *event, name: name.unwrap_or_default(), arguments }
            }
        },
        Step::Timer(at) => {
            let armed = &armed[at as usize];
            let name = stack.timers[armed.timer.index()].name.clone();
            What::Timer { name, timer: armed.timer.0, indices: armed.indices.clone(), place: at }
        }
        Step::Later => What::Later,
        Step::Wait(until) => What::Wait { until },
    }
}

/// Returns the handlers in the trace of a machine.
pub fn handled(stack: &Stack, machine: &mut Machine) -> Vec<Handled> {
    let entries = machine.take_trace().into_iter();
    let told = entries.map(|entry| {
        let handler = stack.handler(entry.handler);
        let mut spans: Vec<Span> = entry.emissions.iter().map(|emission| emission.span).collect();
        if spans.is_empty() {
            spans.push(handler.span);
        }
        Handled {
            handler: handler.name.clone(),
            arguments: entry.arguments,
            emissions: entry.emissions.into_iter().map(|emission| emission.text).collect(),
            passes: handler.passes,
            spans,
            source: String::new(),
        }
    });
    told.collect()
}

fn output(stack: &Stack, left: &Emitted) -> Output {
    let bytes = left.arguments.iter().find_map(|v| match v {
        Spec::Msg(bytes) => Some(Hex(bytes.to_vec())),
        _ => None,
    });
    let numbers = left.arguments.iter().filter(|v| !matches!(v, Spec::Msg(_)));
    let arguments = numbers.map(Spec::num).collect();
    let own = if left.port.0 < 2 { 0 } else { left.port.0 };
    Output { down: left.down(), own, event: stack.event(left.event).name.clone(), arguments, bytes }
}

/// Returns the cells that differ.
pub fn changed(stack: &Stack, before: &Machine, after: &Machine) -> Vec<Changed> {
    let cells = stack.cells.iter().enumerate().filter(|(_, c)| c.scope != Scope::Given && !c.secret);
    let differ = cells.filter_map(|(at, cell)| {
        let id = nacre_stack::CellId(at as u32);
        let (before, after): (&Value, &Value) = (before.cell(id), after.cell(id));
        let name = format!("{}.{}", stack.layer(cell.layer).name, cell.name);
        let [was, is] = [before, after].map(|value| show(stack, value, &cell.ty));
        (before != after).then_some(Changed { cell: name, before: was, after: is })
    });
    differ.collect()
}

/// Replays a run from its steps. Returns the violation of its last step, or none. The error states which step is
/// impossible or differs from the recorded one.
pub fn follow(setup: &Setup, space: &Space, first: &[Successor], run: &Run) -> Result<Option<String>, String> {
    let mut near = Near::default();
    let mut states: Vec<State> = vec![];
    for led in first {
        match led {
            Ok(state) => states.push(*state),
            Err(why) => return Ok(Some(why.at_opening())),
        }
    }
    for (number, told) in run.steps.iter().enumerate() {
        let (mut next, mut broken, mut differs) = (vec![], None, None);
        for state in &states {
            let mut moves = vec![];
            space.expand(&mut near, *state, &mut |m, _, led| moves.push((m, led)));
            for (m, led) in moves {
                let now = step(setup, space, &mut near, *state, m);
                if (now.end, &now.what, &now.network, &now.choices)
                    != (told.end, &told.what, &told.network, &told.choices)
                {
                    continue;
                }
                if now.left != told.left {
                    differs = Some(now.left);
                    continue;
                }
                match led {
                    Ok(state) => next.push(state),
                    Err(why) => broken = Some(why.to_string()),
                }
            }
        }
        let last = number + 1 == run.steps.len();
        match (broken, differs) {
            (Some(why), _) if last => return Ok(Some(why)),
            (Some(why), _) => return Err(format!("step {} already breaks something: {why}", number + 1)),
            (None, Some(left)) if next.is_empty() => {
                let names: Vec<String> = left.iter().map(|o| o.event.clone()).collect();
                return Err(format!("step {} does something else: {} leave instead", number + 1, names.join(", ")));
            }
            (None, _) if next.is_empty() => return Err(format!("step {} is not possible any more", number + 1)),
            _ => states = next,
        }
    }
    Ok(None)
}
