//! Which ways the events of a simulation take through the layers of a stack, so that the common ones become bypasses
//! (docs/decisions/034).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use nacre_driver::{optimize, optimize_for, Level};
use nacre_prover::bypasses::with_bypasses_of;
use nacre_simulator::checks::Check;
use nacre_simulator::interface::Interface;
use nacre_simulator::interpreter::{Interpreter, Taken};
use nacre_simulator::network::Conditions;
use nacre_simulator::run::{run, Plan, Subject};
use nacre_stack::interpret::lacks;
use nacre_stack::models::Models;
use nacre_stack::{Cell, Entry, Stack, Type, Way};

/// Nanoseconds between the messages of an endpoint: a conversation, and a stream.
const PAUSES: [u64; 2] = [1_000_000, 20_000];
/// A way that fewer than one step in `RARE` takes gets no bypass.
const RARE: u64 = 1_000;
/// The most ways that get one.
pub const MOST: usize = 256;
/// The most steps of a run, for each message that an endpoint sends, and at least. A stack that only sends and receives
/// takes less than ten.
const STEPS: u64 = 20;
const LEAST_STEPS: u64 = 10_000;

/// What two endpoints send, and over which network: a conversation, and then a stream.
#[derive(Clone, Debug)]
pub struct Workload {
    pub seed: u64,
    /// Of each endpoint.
    pub messages: u32,
    /// Of the longest message, in bytes; the stack may accept less.
    pub largest: usize,
    pub conditions: Conditions,
}

/// What usual connections do: mostly messages that fit a frame, some that take several, and one frame in a hundred
/// lost.
fn usual() -> [Workload; 2] {
    let conditions = Conditions { loss: 0.01, delay: 1_000_000, ..Conditions::default() };
    let of = |messages, largest| Workload { seed: 1, messages, largest, conditions: conditions.clone() };
    [of(2_000, 100), of(150, 4_000)]
}

/// The largest heads of frames, in bytes, and arrays, in elements, with which that takes no more than seconds.
const LARGEST: u32 = 512;

/// The common ways of a workload.
#[derive(Clone, Debug)]
pub struct Common {
    /// With how many steps took each, the most common first.
    pub ways: Vec<(Way, u64)>,
    /// Calls with a message and frames that did something, and how many of these took a rare way.
    pub steps: u64,
    pub rare: u64,
}

/// What took the steps of a workload.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The ways that have a bypass, with how many steps took it, the most common first.
    pub ways: Vec<(Way, u64)>,
    /// Calls with a message and frames that did something, and how many of these took a bypass.
    pub steps: u64,
    pub bypassed: u64,
    /// Why others took none, with the number of steps, the most common reason first.
    pub missed: Vec<(u64, String)>,
}

/// Why there is no simulation to choose by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSimulated {
    /// The stack has no messages to send, or functions that the interpreter does not run.
    Impossible(String),
    /// It broke a rule.
    Broken(String),
}

impl std::fmt::Display for NotSimulated {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            NotSimulated::Impossible(why) => f.write_str(why),
            NotSimulated::Broken(why) => write!(f, "the simulation fails: {why}"),
        }
    }
}

/// Whether so few of all steps that a bypass is not worth its code.
pub fn is_rare(count: u64, steps: u64) -> bool {
    count.saturating_mul(RARE) < steps
}

/// The common ways of usual connections.
///
/// # Errors
/// As [`common`].
pub fn usually_common(composed: &Stack) -> Result<Common, NotSimulated> {
    let mut shapes = composed.layouts.iter().flat_map(|layout| &layout.shapes);
    let is_large = |cell: &Cell| matches!(cell.ty, Type::Array(_, n) if n > LARGEST);
    if shapes.any(|shape| shape.size > LARGEST) || composed.cells.iter().any(is_large) {
        return Err(NotSimulated::Impossible(format!("`{}` has large headers or arrays", composed.name)));
    }
    common(composed, &usual())
}

/// The stack after the passes of level bypass, with bypasses of the ways that are common in usual connections.
pub fn bypassed(composed: &Stack) -> Stack {
    bypassed_by(composed, usually_common(composed).as_ref().ok())
}

/// The same, given these ways. None: the stack was not simulated, so they are those that its layers mark as likely.
pub fn bypassed_by(composed: &Stack, common: Option<&Common>) -> Stack {
    let mut optimized = composed.clone();
    match common {
        Some(Common { ways, .. }) => {
            let ways: Vec<Way> = ways.iter().map(|(way, _)| way.clone()).collect();
            optimize_for(&mut optimized, &ways);
        }
        None => {
            optimize(&mut optimized, Level::Bypass);
        }
    }
    optimized
}

/// The common ways of workloads.
///
/// # Errors
/// Why the stack cannot be simulated.
pub fn common(composed: &Stack, workloads: &[Workload]) -> Result<Common, NotSimulated> {
    let mut plain = composed.clone();
    optimize(&mut plain, Level::Queue);
    let Taken { ways, steps, .. } = unbroken(plain, workloads, Note::Ways)?;
    let mut ways: Vec<(Way, u64)> = ways.into_iter().collect();
    ways.retain(|(way, _)| has_message(composed, way.entry));
    ways.sort_by_key(|(_, count)| Reverse(*count));
    let rare = ways.iter().filter(|(_, count)| is_rare(*count, steps)).map(|(_, count)| count).sum();
    ways.retain(|(_, count)| !is_rare(*count, steps));
    ways.truncate(MOST);
    if ways.is_empty() {
        return Err(NotSimulated::Impossible(format!("`{}` sends nothing in a simulation", composed.name)));
    }
    Ok(Common { ways, steps, rare })
}

/// Which of the common ways of a workload have a bypass, and how many steps take it.
///
/// # Errors
/// As [`common`].
pub fn measure(composed: &Stack, workload: &Workload) -> Result<Measured, NotSimulated> {
    let workloads = std::slice::from_ref(workload);
    let Common { ways, rare, .. } = common(composed, workloads)?;
    let mut optimized = composed.clone();
    let tried: Vec<Way> = ways.iter().map(|(way, _)| way.clone()).collect();
    let made = optimize_for(&mut optimized, &tried);
    let taken = taken_by(composed, &optimized, workload)?;
    let mut missed = BTreeMap::from([("less than one step in a thousand goes that way".to_string(), rare)]);
    let (mut with_bypass, mut first) = (vec![], 0);
    for ((way, count), made) in ways.into_iter().zip(made) {
        match made {
            // That of the first way that has it.
            Ok(at) if at == first => {
                first += 1;
                with_bypass.push((way, taken.bypasses[at]));
            }
            Ok(_) => {}
            Err((why, place)) if place.is_empty() => *missed.entry(why.to_string()).or_default() += count,
            Err((why, place)) => *missed.entry(format!("{why}, in {place}")).or_default() += count,
        }
    }
    with_bypass.sort_by_key(|(_, taken)| Reverse(*taken));
    let mut missed: Vec<(u64, String)> = missed.into_iter().map(|(why, count)| (count, why)).collect();
    let bypassed: u64 = taken.bypasses.iter().sum();
    let told: u64 = missed.iter().map(|(count, _)| count).sum();
    let others = taken.steps.saturating_sub(bypassed + told);
    missed.push((others, "another way, too long or one of too many".into()));
    missed.retain(|(count, _)| *count > 0);
    missed.sort_by_key(|(count, _)| Reverse(*count));
    Ok(Measured { ways: with_bypass, steps: taken.steps, bypassed, missed })
}

/// How many steps of a workload take each bypass of an optimized stack.
///
/// # Errors
/// As [`common`].
pub fn taken_by(composed: &Stack, optimized: &Stack, workload: &Workload) -> Result<Taken, NotSimulated> {
    unbroken(with_bypasses_of(composed, optimized), std::slice::from_ref(workload), Note::Bypasses)
}

/// Whether a message enters: calls without one are rare.
fn has_message(stack: &Stack, entry: Entry) -> bool {
    entry.event(stack).is_some_and(|event| stack.event(event).message.is_some())
}

/// What is noted of a simulation besides the number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Which bypasses of the stack the steps take.
    Bypasses,
    /// Which ways through the handlers they take.
    Ways,
    /// Which goals of the layers hold after each.
    Goals,
}

/// A simulation.
#[derive(Clone, Debug)]
pub struct Simulated {
    pub taken: Taken,
    /// The first rule that the stack broke; a run ends there.
    pub broken: Option<String>,
}

/// What took the steps of a stack that breaks no rule.
fn unbroken(stack: Stack, workloads: &[Workload], note: Note) -> Result<Taken, NotSimulated> {
    match simulate(stack, workloads, note)? {
        Simulated { broken: Some(why), .. } => Err(NotSimulated::Broken(why)),
        Simulated { taken, .. } => Ok(taken),
    }
}

/// Runs two endpoints in a conversation and a stream, for each workload.
///
/// # Errors
/// Why the stack cannot be simulated.
pub fn simulate(stack: Stack, workloads: &[Workload], note: Note) -> Result<Simulated, NotSimulated> {
    if let Some(why) = lacks(&stack, &Models::of([&stack])) {
        return Err(NotSimulated::Impossible(why));
    }
    let stack = Arc::new(stack);
    let interface = Rc::new(Interface::of(&stack));
    let send = interface.input(None, "send").map(|number| stack.interface()[usize::from(number)].event);
    if send.is_none_or(|event| stack.event(event).message.is_none()) {
        let why = format!("`{}` has no call `send` with a message, which a simulation needs", stack.name);
        return Err(NotSimulated::Impossible(why));
    }
    let taken = Arc::new(Mutex::new(Taken::default()));
    let (ways, goals) = (note == Note::Ways, note == Note::Goals);
    let maker = Interpreter { taken: Some(taken.clone()), ways, goals, ..Interpreter::new(stack) };
    let subject = Subject { makers: vec![&maker, &maker], interface };
    let mut broken = None;
    for (workload, pause) in workloads.iter().flat_map(|workload| PAUSES.map(|pause| (workload, pause))) {
        let Workload { seed, messages, largest, conditions } = workload.clone();
        // What arrives depends on the stack; nothing here depends on it.
        let checks = vec![Check::Unbroken];
        let most_steps = LEAST_STEPS.max(STEPS * u64::from(messages));
        let plan = Plan { seed, messages, largest, pause, conditions, checks, most_steps, ..Plan::default() };
        broken = broken.or(run(&plan, &subject, None, false).failure.map(|failure| failure.text));
    }
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Simulated { taken, broken })
}
