//! The endpoints: the local states of the stack and the steps between them. Each local state, and each step from it, is
//! computed once, however many global states contain it.

mod compare;
mod full_pool;
mod order;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use nacre_specification::Value as Spec;
use nacre_stack::interpret::{Armed, Choices, Covered, Machine, Outcome, Points, Schedule, Value};
use nacre_stack::{builtin, EventId, NodeId, PortId, Stack, TimerId};

use crate::broken::{violation_of, Broken};
use crate::canonical::{Canonical, Twins};
use crate::memo::{Interner, Memo, Near};
pub use compare::Compared;
use nacre_worlds::calls::Call;
use nacre_worlds::setup::{Setup, BELOW};
use nacre_worlds::values::{address, of_spec, seen};
use order::{Earlier, Order};

/// A local state: one endpoint in one state.
pub struct Local {
    /// The endpoint and the canonical form of its machine.
    key: Vec<u8>,
    pub machine: Machine,
    pub busy: bool,
    /// Whether each goal of its layers holds.
    pub goals: Vec<bool>,
    /// The armed timers by layer, timer and index, whatever their deadlines.
    pub armed: Vec<Armed>,
    /// Which timers were armed before which.
    earlier: Earlier,
    /// The time, where there is a clock; otherwise 0.
    pub clock: u64,
}

impl Borrow<[u8]> for Local {
    fn borrow(&self) -> &[u8] {
        &self.key
    }
}

/// An input of an endpoint that is not a call of the application.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// A frame, and the endpoint that sent it.
    Frame { from: u8, bytes: Vec<u8> },
    /// An event of the layer below without a message: its index in [`Stack::interface`], its arguments.
    Event(u32, Vec<Spec>),
}

/// An event that an endpoint emitted, under the name that automata use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Emitted {
    pub port: PortId,
    pub event: EventId,
    pub arguments: Vec<Spec>,
}

impl Emitted {
    /// Whether it crossed the lower boundary; otherwise it left at the top or at a port of a layer.
    pub fn down(&self) -> bool {
        self.port == BELOW
    }
}

/// One possible outcome of a step.
#[derive(Clone, Debug)]
pub struct Transition {
    pub next: u32,
    /// The number of the emitted events in [`Endpoints::effects`].
    pub effects: u32,
    /// The violation that the step itself shows, if any.
    pub broken: Option<Broken>,
    /// The nondeterministic choices of the step.
    pub choices: Choices,
    /// A bit for each timer in phase: it was armed.
    pub armed: u64,
}

impl Transition {
    /// Whether another outcome differs in nothing but the choices.
    fn is_same(&self, other: &Transition) -> bool {
        let same = self.next == other.next && self.effects == other.effects && self.armed == other.armed;
        same && self.broken == other.broken
    }
}

/// A step, identified by the event that begins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The index in [`Endpoints::calls`].
    Call(u32),
    /// The same, of a call that no specification allows.
    Misuse(u32),
    /// Number in [`Endpoints::arrivals`].
    Arrival(u32),
    /// The same, of a frame that no endpoint sent.
    MadeUp(u32),
    /// The index in [`Local::armed`].
    Timer(u32),
    Later,
    /// Nothing happens until this time.
    Wait(u64),
}

type Transitions = Arc<[Transition]>;

/// The endpoints: their local states and the steps between these.
pub struct Endpoints {
    stacks: Vec<Arc<Stack>>,
    /// Those that the bounds allow, then the spare ones.
    pub calls: Vec<Call>,
    pub locals: Interner<Local>,
    pub arrivals: Interner<Arrival>,
    pub effects: Interner<Vec<Emitted>>,
    steps: Memo<(u32, Step), Transitions>,
    /// Whether a full pool keeps an endpoint from a step.
    kept: Memo<(u32, Step), bool>,
    /// The code that ran in steps that did not reject a frame as impossible.
    covered: Mutex<Covered>,
    /// The values to try for each random draw.
    points: Vec<Arc<Points>>,
    /// Draws for which not every value was tried.
    partial: Mutex<BTreeSet<NodeId>>,
    any_order: bool,
    order: Order,
    /// Whether there is a clock, and timers fire at their deadlines.
    timed: bool,
    /// Timers in phase.
    in_phase: Vec<TimerId>,
    /// Whether times are excluded from comparisons.
    erases_times: bool,
    canonical: Canonical,
    twins: Twins,
    /// Why an action of the network could not be executed.
    lost: OnceLock<String>,
}

/// The results of [`Endpoints`] that one thread has cached.
#[derive(Default)]
pub struct NearEndpoints {
    steps: Near<(u32, Step), Transitions>,
    kept: Near<(u32, Step), bool>,
    locals: Near<u32, Arc<Local>>,
}

impl Endpoints {
    /// Opens all endpoints: all outcomes of opening each.
    pub fn open(setup: &Setup, canonical: Canonical) -> Result<(Endpoints, Vec<Vec<Transition>>), String> {
        let spare = if setup.bounds.misuse { setup.spare_calls() } else { vec![] };
        let all = || setup.members().all().map(|end| setup.stack_of(end));
        let endpoints = Endpoints {
            erases_times: all().all(|stack| nacre_analysis::timing::erasure(stack).is_empty()),
            canonical,
            twins: Twins::default(),
            stacks: all().cloned().collect(),
            calls: setup.calls().into_iter().chain(spare).collect(),
            locals: Interner::default(),
            arrivals: Interner::default(),
            effects: Interner::default(),
            steps: Memo::default(),
            kept: Memo::default(),
            covered: Mutex::new(Covered::none_of(setup.stack())),
            points: all().map(|stack| Arc::new(nacre_analysis::random::points(stack))).collect(),
            partial: Mutex::default(),
            any_order: setup.bounds.any_order,
            order: Order::of(setup.stack(), &setup.bounds),
            timed: !setup.bounds.trip.is_empty(),
            in_phase: setup.in_phase(),
            lost: OnceLock::new(),
        };
        let open = |end: usize| {
            let mut config = setup.config(end);
            if setup.bounds.any_order {
                config.schedule = Schedule::Any(0);
            }
            let machine = Machine::of(setup.stack_of(end).clone(), config);
            let mut outcome = Outcome::Ok;
            let transitions = endpoints.every_transition(end, (&machine, 0, 0), true, &mut |machine| {
                outcome = machine.open(0);
                outcome
            });
            match outcome {
                Outcome::Ok => Ok(transitions),
                other => Err(format!("the stack could not be opened: {other:?}")),
            }
        };
        let first = setup.members().all().map(open).collect::<Result<_, _>>()?;
        Ok((endpoints, first))
    }

    /// Returns the local state with a number.
    pub fn local(&self, near: &mut NearEndpoints, number: u32) -> Arc<Local> {
        if let Some(local) = near.locals.known(&number) {
            return local.clone();
        }
        let local = self.locals.value(number);
        near.locals.keep(number, local.clone());
        local
    }

    /// Returns all outcomes of a step of an endpoint; none if it is refused.
    pub fn step(&self, near: &mut NearEndpoints, end: usize, from: u32, step: Step) -> Transitions {
        self.steps.get(&mut near.steps, (from, step), || {
            let local = self.locals.value(from);
            debug_assert_eq!(local.busy, matches!(step, Step::Later), "an event enters while others are pending");
            let covers = !matches!(step, Step::Misuse(_) | Step::MadeUp(_));
            let run = &mut |machine: &mut Machine| self.run(machine, end, &local, step);
            let clock = if let Step::Wait(until) = step { until } else { local.clock };
            Transitions::from(self.every_transition(end, (&local.machine, local.earlier, clock), covers, run))
        })
    }

    /// Runs a step on a machine in a local state.
    pub fn run(&self, machine: &mut Machine, end: usize, local: &Local, step: Step) -> Outcome {
        let now = local.clock;
        match step {
            Step::Call(at) | Step::Misuse(at) => {
                let call = &self.calls[at as usize];
                machine.call(call.event, &call.arguments, call.bytes.as_deref().unwrap_or(&[]), now)
            }
            Step::Arrival(number) | Step::MadeUp(number) => match &*self.arrivals.value(number) {
                Arrival::Frame { from, bytes } => machine.input(address(usize::from(*from)), bytes, now),
                Arrival::Event(event, arguments) => {
                    let stack = &self.stacks[end];
                    let declared = stack.event(stack.interface()[*event as usize].event);
                    let parameters = declared.parameters.iter().zip(arguments);
                    let given: Vec<Value> = parameters.map(|(p, value)| of_spec(&p.ty, value)).collect();
                    let outcome = machine.call(*event, &given, &[], now);
                    if outcome == Outcome::Invalid {
                        let values: Vec<String> = arguments.iter().map(crate::show::show_value).collect();
                        let values = values.join(", ");
                        let words =
                            || format!("the network's `{}` has values that it cannot have: {values}", declared.name);
                        self.lost.get_or_init(words);
                    }
                    outcome
                }
            },
            Step::Timer(at) => match place(machine, &local.armed[at as usize]) {
                Some(place) => machine.fire(place, now),
                None => Outcome::Idle,
            },
            Step::Later => machine.tick(now),
            Step::Wait(_) => Outcome::Idle,
        }
    }

    fn every_transition(
        &self,
        end: usize,
        (from, earlier, clock): (&Machine, Earlier, u64),
        covers: bool,
        run: &mut dyn FnMut(&mut Machine) -> Outcome,
    ) -> Vec<Transition> {
        let mut transitions: Vec<Transition> = vec![];
        let mut choices = Some(Choices::first(self.points[end].clone()));
        while let Some(plan) = choices {
            let mut machine = from.clone();
            machine.decide(plan.clone());
            machine.take_covered();
            let outcome = run(&mut machine);
            let made = machine.take_choices();
            self.partial.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(made.partial());
            choices = made.next();
            let covered = machine.take_covered();
            // A handler that only rejects a frame as impossible does not count as executed, but its conditions decide.
            let rejects = machine.counter(builtin::IMPOSSIBLE) != from.counter(builtin::IMPOSSIBLE);
            let conditions = Covered { decided: covered.decided.clone(), ..Covered::default() };
            let covered = if covers && !rejects { covered } else { conditions };
            self.covered.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).add(covered);
            // A dropped frame affects only counters; a refused call has no effect.
            if matches!(outcome, Outcome::Ok | Outcome::Dropped | Outcome::NoSpace | Outcome::Idle) {
                let transition = self.transition(end, machine, (earlier, clock), plan);
                if !transitions.iter().any(|w| w.is_same(&transition)) {
                    transitions.push(transition);
                }
            }
        }
        transitions
    }

    fn transition(
        &self,
        end: usize,
        mut machine: Machine,
        (earlier, clock): (Earlier, u64),
        choices: Choices,
    ) -> Transition {
        let broken = machine.take_reports().into_iter().next().map(|report| {
            let layer = report.layer.map_or("the stack", |layer| &self.stacks[end].layer(layer).name);
            let why = format!("{layer}: {}: {}", report.rule, report.text);
            Broken { span: report.span, ..Broken::new(violation_of(report.rule), why) }
        });
        let left = machine.take_outputs().into_iter().map(|output| {
            let arguments = seen(&self.stacks[end], output.event, &output.arguments, output.bytes.as_deref());
            Emitted { port: output.port, event: output.event, arguments }
        });
        let left: Vec<Emitted> = left.collect();
        let effects = self.effects.number(left);
        let mut key = vec![end as u8];
        key.extend((self.canonical.form)(&machine, self.erases_times && !self.timed));
        if self.timed {
            key.extend(clock.to_le_bytes());
            key.extend(by_place(&machine).iter().flat_map(|armed| armed.deadline.to_le_bytes()));
        }
        // Whether a step is refused for lack of space depends on the stored messages.
        key.extend(machine.free_blocks().to_le_bytes());
        let earlier = self.order.after(earlier, &machine);
        key.extend(earlier.to_le_bytes());
        let was_armed = self.in_phase.iter().enumerate().filter(|(_, timer)| machine.was_armed(**timer));
        let was_armed = was_armed.fold(0, |bits, (at, _)| bits | 1 << at);
        let twin = self.canonical.twins.then(|| machine.clone());
        let next = self.locals.number_of(&key[..], || {
            let (busy, goals, armed) = (machine.is_busy(), machine.goals(), by_place(&machine));
            Arc::new(Local { key: key.clone(), busy, goals, armed, earlier, clock, machine })
        });
        if let Some(twin) = twin {
            self.twins.note(end, next, twin);
        }
        Transition { next, effects, broken, choices, armed: was_armed }
    }

    /// Returns whether an armed timer cannot fire before a shorter one has.
    pub fn waits(&self, local: &Local, timer: TimerId) -> bool {
        self.order.waits(local.earlier, timer)
    }

    /// Returns the name of the event that a call makes.
    pub fn call_name(&self, call: &Call) -> &str {
        &self.stacks[call.end].event(call.id).name
    }

    /// Returns the code that ran in any step.
    pub fn covered(&self) -> Covered {
        self.covered.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Returns the draws of random numbers of which not every value was tried.
    pub fn partial(&self) -> BTreeSet<NodeId> {
        self.partial.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Returns why an action of the network could not be executed.
    pub fn lost(&self) -> Option<&String> {
        self.lost.get()
    }

    /// The bytes that the tables allocate if these many more entries make them grow.
    pub fn growth(&self, more: usize) -> usize {
        let values = self.locals.growth(more) + self.arrivals.growth(more) + self.effects.growth(more);
        values + self.steps.growth(more) + self.kept.growth(more)
    }

    /// Returns whether every order of the events of a step is explored.
    pub fn any_order(&self) -> bool {
        self.any_order
    }
}

/// Returns the armed timers by layer, timer and index.
fn by_place(machine: &Machine) -> Vec<Armed> {
    let mut armed = machine.armed();
    armed.sort_by(|a, b| (a.layer, a.timer, &a.indices).cmp(&(b.layer, b.timer, &b.indices)));
    armed
}

/// Returns the position of a timer among the armed ones, by deadline.
pub fn place(machine: &Machine, wanted: &Armed) -> Option<usize> {
    let same = |a: &Armed| (a.layer, a.timer, &a.indices) == (wanted.layer, wanted.timer, &wanted.indices);
    machine.armed().iter().position(same)
}
