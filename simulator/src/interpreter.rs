//! An endpoint that the reference interpreter runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use nacre_stack::interpret::{self, Addr, Config, Machine, Schedule, Value};
use nacre_stack::models::Models;
use nacre_stack::{mask, Stack, Type, Way};

use crate::endpoint::{Address, Endpoint, Given, Maker, Opening, Outcome, Output, Step};

/// What took the steps of endpoints: how often each bypass did, by its index, and how many calls with a message and
/// frames there were that did something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    pub bypasses: Vec<u64>,
    pub steps: u64,
    /// The ways of calls and frames through the handlers, if they are counted.
    pub ways: BTreeMap<Way, u64>,
    /// Which goals of the stack held after each step, if that is noted.
    pub goals: BTreeSet<Vec<bool>>,
}

/// Opens endpoints in the interpreter, with models of the functions of the host.
#[derive(Clone)]
pub struct Interpreter {
    pub stack: Arc<Stack>,
    /// Handle the events of a step in any order that keeps links in order, drawn from the seed.
    pub any_order: bool,
    /// Where endpoints add what took their steps when they end.
    pub taken: Option<Arc<Mutex<Taken>>>,
    /// Count ways, too.
    pub ways: bool,
    /// Note which goals hold after each step.
    pub goals: bool,
}

impl Interpreter {
    /// Returns a maker of endpoints that handle the events of a step in the interpreter's order.
    pub fn new(stack: Arc<Stack>) -> Interpreter {
        Interpreter { stack, any_order: false, taken: None, ways: false, goals: false }
    }
}

impl Maker for Interpreter {
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String> {
        let externs = Arc::new(Models::of([&*self.stack]));
        let mut config = Config { seed: opening.seed, externs, ..Config::default() };
        if self.any_order {
            config.schedule = Schedule::Any(opening.seed);
        }
        for (name, given) in &opening.givens {
            if let Some(ty) = type_of(&self.stack, name) {
                config.givens.insert(name.clone(), value_of(&self.stack, given, ty));
            }
        }
        let mut machine = Machine::of(self.stack.clone(), config);
        match machine.open(opening.now) {
            interpret::Outcome::Ok => {}
            other => return Err(format!("the stack {} could not be opened: {other:?}", self.stack.description)),
        }
        if self.ways {
            machine.count_ways();
        }
        let outputs = outputs_of(&self.stack, &mut machine);
        let goals = self.goals.then(|| BTreeSet::from([machine.goals()]));
        let taken = self.taken.clone();
        Ok((Box::new(Interpreted { machine, dead: false, steps: 0, taken, goals }), outputs))
    }

    fn name(&self) -> String {
        if self.any_order { "interpreter, any order" } else { "interpreter" }.into()
    }
}

fn type_of<'s>(stack: &'s Stack, name: &str) -> Option<&'s Type> {
    let (layer, cell) = name.rsplit_once('.')?;
    let found = stack.cells.iter().find(|c| c.name == cell && stack.layer(c.layer).name == layer)?;
    Some(&found.ty)
}

/// Converts the value to the type of the cell; numbers are cut to its width, as in the C interface.
fn value_of(stack: &Stack, given: &Given, ty: &Type) -> Value {
    match (given, ty) {
        (Given::Number(n), Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits)) => {
            Value::Num(n & mask(u32::from(*bits)))
        }
        // What is no number is all zeros, as in the configuration of emitted C.
        (
            Given::Number(_),
            Type::Bits(_) | Type::Option(_) | Type::Array(..) | Type::Tuple(_) | Type::Struct(_) | Type::Text(_),
        ) => stack.zero(ty),
        (Given::Number(n), _) => Value::Num(*n),
        (Given::Address(address), _) => Value::Addr(to_addr(*address)),
        (Given::Bytes(bytes), _) => Value::Bytes(bytes.clone()),
    }
}

fn to_addr(address: Address) -> Addr {
    Addr { ip: address.ip, port: address.port, family: address.family }
}

fn of_addr(addr: &Addr) -> Option<Address> {
    (addr.family != 0).then_some(Address { ip: addr.ip, port: addr.port, family: addr.family })
}

struct Interpreted {
    machine: Machine,
    dead: bool,
    steps: u64,
    taken: Option<Arc<Mutex<Taken>>>,
    goals: Option<BTreeSet<Vec<bool>>>,
}

impl Drop for Interpreted {
    fn drop(&mut self) {
        let Some(taken) = &self.taken else { return };
        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        let bypassed = self.machine.bypassed();
        taken.bypasses.resize(bypassed.len(), 0);
        taken.bypasses.iter_mut().zip(bypassed).for_each(|(sum, count)| *sum += count);
        taken.steps += self.steps;
        for (way, count) in self.machine.ways() {
            *taken.ways.entry(way.clone()).or_default() += count;
        }
        taken.goals.extend(self.goals.take().into_iter().flatten());
    }
}

impl Interpreted {
    fn step(&mut self, outcome: interpret::Outcome) -> Step {
        let outcome = match outcome {
            interpret::Outcome::Ok => Outcome::Done,
            interpret::Outcome::Idle => Outcome::Idle,
            interpret::Outcome::Refused => Outcome::Refused,
            interpret::Outcome::Busy => Outcome::Busy,
            interpret::Outcome::NoSpace => Outcome::NoSpace,
            interpret::Outcome::Dropped => Outcome::Dropped,
            interpret::Outcome::Invalid => Outcome::Invalid,
        };
        if let Some(goals) = &mut self.goals {
            goals.insert(self.machine.goals());
        }
        let stack = self.machine.stack().clone();
        Step { outcome, outputs: outputs_of(&stack, &mut self.machine) }
    }

    /// Returns the event's parameters except its message, from numbers and one address.
    fn arguments(&self, event: u16, numbers: &[u64], address: Option<Address>) -> Vec<Value> {
        let stack = self.machine.stack();
        let Some(at) = stack.interface().get(usize::from(event)).copied() else { return vec![] };
        let mut numbers = numbers.iter();
        let parameters = stack.event(at.event).parameters.iter().filter(|p| p.ty != Type::Msg);
        let value = |ty: &Type| match ty {
            Type::Addr => Value::Addr(address.map(to_addr).unwrap_or_default()),
            Type::Int(bits) => Value::Num(cut(numbers.next().copied().unwrap_or(0), *bits)),
            Type::Bits(_) => Value::Set(vec![numbers.next().copied().unwrap_or(0)]),
            _ => Value::Num(numbers.next().copied().unwrap_or(0)),
        };
        parameters.map(|p| &p.ty).map(value).collect()
    }
}

fn outputs_of(stack: &Stack, machine: &mut Machine) -> Vec<Output> {
    let interface = stack.interface();
    let place = |output: &interpret::Output| {
        let same = |e: &nacre_stack::PortEvent| e.port == output.port && e.event == output.event && e.input.is_none();
        interface.iter().position(same).map_or(u16::MAX, |at| at as u16)
    };
    let outputs = machine.take_outputs().into_iter().map(|output| Output {
        port: output.port.0 as u16,
        event: place(&output),
        arguments: numbers(stack, &output),
        address: output.arguments.iter().find_map(|v| if let Value::Addr(a) = v { of_addr(a) } else { None }),
        message: output.bytes,
    });
    outputs.collect()
}

/// Returns the numbers of an event; signed numbers are extended to 64 bits.
fn numbers(stack: &Stack, output: &interpret::Output) -> Vec<u64> {
    let parameters = stack.event(output.event).parameters.iter().filter(|p| p.ty != Type::Msg);
    let number = |(value, ty): (&Value, &Type)| match (value, ty) {
        (Value::Addr(_), _) => None,
        (value, Type::Int(bits)) => Some(extended(value.num(), *bits)),
        (Value::Set(words), _) => words.first().copied(),
        (value, _) => Some(value.num()),
    };
    output.arguments.iter().zip(parameters.map(|p| &p.ty)).filter_map(number).collect()
}

fn extended(number: u64, bits: u8) -> u64 {
    let free = 64 - u32::from(bits);
    (((number << free) as i64) >> free) as u64
}

/// Converts a signed number to the form of the interpreter; a number outside of the type stays outside.
fn cut(number: u64, bits: u8) -> u64 {
    let cut = number & mask(u32::from(bits));
    if extended(cut, bits) == number {
        cut
    } else {
        u64::MAX
    }
}

impl Endpoint for Interpreted {
    fn call(&mut self, now: u64, event: u16, numbers: &[u64], address: Option<Address>, message: &[u8]) -> Step {
        let arguments = self.arguments(event, numbers, address);
        let outcome = self.machine.call(u32::from(event), &arguments, message, now);
        let stack = self.machine.stack();
        let at = stack.interface().get(usize::from(event)).copied();
        let has_message = at.is_some_and(|at| stack.event(at.event).message.is_some());
        self.steps += u64::from(outcome == interpret::Outcome::Ok && has_message);
        self.step(outcome)
    }

    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step {
        let outcome = self.machine.input(to_addr(from), frame, now);
        self.steps += u64::from(outcome == interpret::Outcome::Ok);
        self.step(outcome)
    }

    fn tick(&mut self, now: u64) -> Step {
        let outcome = self.machine.tick(now);
        self.step(outcome)
    }

    fn settle(&mut self) -> Vec<Output> {
        Vec::new()
    }

    fn deadline(&self) -> u64 {
        self.machine.deadline()
    }

    fn accepts(&self, event: u16, length: usize) -> bool {
        self.machine.accepts(u32::from(event), length)
    }

    fn counters(&self) -> Vec<u64> {
        self.machine.counters().to_vec()
    }

    fn canonical(&self) -> Vec<u8> {
        self.machine.canonical_bytes()
    }

    fn shows_state(&self) -> bool {
        !self.machine.stack().cells.iter().any(|cell| cell.secret)
    }

    fn space(&self) -> (u32, u32) {
        let all = self.machine.stack().bounds.blocks;
        (if self.dead { all } else { self.machine.free_blocks() }, all)
    }

    fn discard(&mut self) {
        self.dead = true;
        self.machine.discard();
    }

    fn reports(&self) -> Vec<String> {
        let stack = self.machine.stack();
        let words = self.machine.reports().iter().map(|report| {
            let layer = report.layer.map_or("the stack", |layer| &stack.layer(layer).name);
            format!("{layer}: {}: {} (step {})", report.rule, report.text, report.step)
        });
        words.collect()
    }
}
