//! The endpoints: local states of the stack, and what one step makes of them. A local state is computed once, however
//! many global states it is part of, and so is each step from it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use nacre_specification::Value as Spec;
use nacre_stack::interpret::{Armed, Choices, Covered, Machine, Outcome, Points, Schedule, Value};
use nacre_stack::{builtin, EventId, NodeId, PortId, Stack};

use crate::broken::{violation_of, Broken};
use crate::memo::{Interner, Memo, Near};
use nacre_worlds::setup::{Call, Setup, BELOW};
use nacre_worlds::values::{address, of_spec, seen};

/// One endpoint in one state.
pub struct Local {
    pub machine: Machine,
    pub busy: bool,
    /// Whether each goal of its layers holds.
    pub goals: Vec<bool>,
    /// By layer, timer and index, whatever the deadlines.
    pub armed: Vec<Armed>,
}

/// What comes to an endpoint from outside, besides calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// A frame from the peer.
    Frame(Vec<u8>),
    /// An event of the layer below without a message: its place in [`Stack::interface`], its arguments.
    Event(u32, Vec<Spec>),
}

/// An event that left an endpoint: as an automaton names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Emitted {
    pub port: PortId,
    pub event: EventId,
    pub arguments: Vec<Spec>,
}

impl Emitted {
    /// Over the lower boundary; otherwise at the top, or at a port of a layer's own.
    pub fn down(&self) -> bool {
        self.port == BELOW
    }
}

/// One way in which a step can end.
#[derive(Clone, Debug)]
pub struct Transition {
    pub next: u32,
    /// Number of what left, in [`Endpoints::effects`].
    pub effects: u32,
    /// What the step broke by itself.
    pub broken: Option<Broken>,
    /// What was left open, and decided so.
    pub choices: Choices,
}

/// A step, by what it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Place in [`Endpoints::calls`].
    Call(u32),
    /// Number in [`Endpoints::arrivals`].
    Arrival(u32),
    /// Place in [`Local::armed`].
    Timer(u32),
    Later,
}

type Transitions = Arc<[Transition]>;

/// Both endpoints: their local states and the steps between these.
pub struct Endpoints {
    stack: Arc<Stack>,
    pub calls: Vec<Call>,
    pub locals: Interner<Vec<u8>, Local>,
    pub arrivals: Interner<Arrival, Arrival>,
    pub effects: Interner<Vec<Emitted>, Vec<Emitted>>,
    steps: Memo<(u32, Step), Transitions>,
    /// What has run in steps that called no frame impossible.
    covered: Mutex<Covered>,
    /// The values to try of numbers drawn at random.
    points: Arc<Points>,
    /// Draws of which not every value was tried.
    partial: Mutex<BTreeSet<NodeId>>,
    any_order: bool,
    /// Times are left out of what is compared.
    erases_times: bool,
    /// Why something that the network does could not be done.
    lost: OnceLock<String>,
}

/// What one thread has looked up in [`Endpoints`].
#[derive(Default)]
pub struct NearEndpoints {
    steps: Near<(u32, Step), Transitions>,
    locals: Near<u32, Arc<Local>>,
}

impl Endpoints {
    /// Both endpoints, opened: all ways in which each can open.
    pub fn open(setup: &Setup) -> Result<(Endpoints, [Vec<Transition>; 2]), String> {
        let endpoints = Endpoints {
            erases_times: nacre_analysis::timing::erasure(&setup.stack).is_empty(),
            stack: setup.stack.clone(),
            calls: setup.calls(),
            locals: Interner::default(),
            arrivals: Interner::default(),
            effects: Interner::default(),
            steps: Memo::default(),
            covered: Mutex::new(Covered::none_of(&setup.stack)),
            points: Arc::new(nacre_analysis::random::points(&setup.stack)),
            partial: Mutex::default(),
            any_order: setup.bounds.any_order,
            lost: OnceLock::new(),
        };
        let open = |end: usize| {
            let mut config = setup.config(end);
            if setup.bounds.any_order {
                config.schedule = Schedule::Any(0);
            }
            let machine = Machine::of(setup.stack.clone(), config);
            let mut outcome = Outcome::Ok;
            let transitions = endpoints.every_transition(end, &machine, &mut |machine| {
                outcome = machine.open(0);
                outcome
            });
            match outcome {
                Outcome::Ok => Ok(transitions),
                other => Err(format!("the stack could not be opened: {other:?}")),
            }
        };
        let first = [open(0)?, open(1)?];
        Ok((endpoints, first))
    }

    /// Returns the local state of a number.
    pub fn local(&self, near: &mut NearEndpoints, number: u32) -> Arc<Local> {
        if let Some(local) = near.locals.known(&number) {
            return local.clone();
        }
        let local = self.locals.value(number);
        near.locals.keep(number, local.clone());
        local
    }

    /// Every way in which a step of an endpoint can end; none if it is not taken.
    pub fn step(&self, near: &mut NearEndpoints, end: usize, from: u32, step: Step) -> Transitions {
        self.steps.get(&mut near.steps, (from, step), || {
            let local = self.locals.value(from);
            let transitions =
                self.every_transition(end, &local.machine, &mut |machine| self.run(machine, end, &local, step));
            Transitions::from(transitions)
        })
    }

    /// Does a step to a machine that stands in a local state.
    pub fn run(&self, machine: &mut Machine, end: usize, local: &Local, step: Step) -> Outcome {
        match step {
            Step::Call(at) => {
                let call = &self.calls[at as usize];
                machine.call(call.event, &call.arguments, call.bytes.as_deref().unwrap_or(&[]), 0)
            }
            Step::Arrival(number) => match &*self.arrivals.value(number) {
                Arrival::Frame(bytes) => machine.input(address(1 - end), bytes, 0),
                Arrival::Event(event, arguments) => {
                    let declared = self.stack.event(self.stack.interface()[*event as usize].event);
                    let parameters = declared.parameters.iter().zip(arguments);
                    let given: Vec<Value> = parameters.map(|(p, value)| of_spec(&p.ty, value)).collect();
                    let outcome = machine.call(*event, &given, &[], 0);
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
                Some(place) => machine.fire(place, 0),
                None => Outcome::Idle,
            },
            Step::Later => machine.tick(0),
        }
    }

    fn every_transition(
        &self,
        end: usize,
        from: &Machine,
        run: &mut dyn FnMut(&mut Machine) -> Outcome,
    ) -> Vec<Transition> {
        let mut transitions: Vec<Transition> = vec![];
        let mut choices = Some(Choices::first(self.points.clone()));
        while let Some(plan) = choices {
            let mut machine = from.clone();
            machine.decide(plan.clone());
            machine.take_covered();
            let outcome = run(&mut machine);
            let made = machine.take_choices();
            self.partial.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(made.partial());
            choices = made.next();
            let covered = machine.take_covered();
            // Who only calls a frame impossible has not done what it is there for.
            if machine.counter(builtin::IMPOSSIBLE) == from.counter(builtin::IMPOSSIBLE) {
                self.covered.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).add(covered);
            }
            // What was dropped has had its effect: none but on counters. What was not taken has had none.
            if matches!(outcome, Outcome::Ok | Outcome::Dropped | Outcome::NoSpace | Outcome::Idle) {
                let transition = self.transition(end, machine, plan);
                if !transitions.iter().any(|w| {
                    w.next == transition.next && w.effects == transition.effects && w.broken == transition.broken
                }) {
                    transitions.push(transition);
                }
            }
        }
        transitions
    }

    fn transition(&self, end: usize, mut machine: Machine, choices: Choices) -> Transition {
        let broken = machine.take_reports().into_iter().next().map(|report| {
            let layer = report.layer.map_or("the stack", |layer| &self.stack.layer(layer).name);
            let why = format!("{layer}: {}: {}", report.rule, report.text);
            Broken { span: report.span, ..Broken::new(violation_of(report.rule), why) }
        });
        let left = machine.take_outputs().into_iter().map(|output| {
            let arguments = seen(&self.stack, output.event, &output.arguments, output.bytes.as_deref());
            Emitted { port: output.port, event: output.event, arguments }
        });
        let left: Vec<Emitted> = left.collect();
        let effects = self.effects.number(left.clone(), || left);
        let mut key = vec![end as u8];
        key.extend(machine.abstract_bytes(self.erases_times));
        // What is kept decides what is refused for want of space.
        key.extend(machine.free_blocks().to_le_bytes());
        let next = self.locals.number(key, || {
            let mut armed = machine.armed();
            armed.sort_by(|a, b| (a.layer, a.timer, &a.indices).cmp(&(b.layer, b.timer, &b.indices)));
            Local { busy: machine.is_busy(), goals: machine.goals(), armed, machine }
        });
        Transition { next, effects, broken, choices }
    }

    /// Returns the name of the event that a call makes.
    pub fn call_name(&self, call: &Call) -> &str {
        &self.stack.event(call.id).name
    }

    /// Returns what has run in any step.
    pub fn covered(&self) -> Covered {
        self.covered.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Returns the draws of random numbers of which not every value was tried.
    pub fn partial(&self) -> BTreeSet<NodeId> {
        self.partial.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    /// Why something that the network does could not be done, in words.
    pub fn lost(&self) -> Option<&String> {
        self.lost.get()
    }

    /// Whether the events of a step are handled in every order.
    pub fn any_order(&self) -> bool {
        self.any_order
    }
}

/// Where a timer stands among those that are armed, by deadline.
pub fn place(machine: &Machine, wanted: &Armed) -> Option<usize> {
    let same = |a: &Armed| (a.layer, a.timer, &a.indices) == (wanted.layer, wanted.timer, &wanted.indices);
    machine.armed().iter().position(same)
}
