//! The machines that run a stack: the interpreter, or compiled C of a level.

use std::str::FromStr;
use std::sync::Arc;

use nacre_driver::{Emitted, Level, Session};
use nacre_profiles::bypassed;
use nacre_simulator::compiled::Compiled;
use nacre_simulator::endpoint::Maker;
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::toolchain::{Error, Text, Toolchain};
use nacre_stack::interpret::lacks;
use nacre_stack::models::{lacks_of_host, Models};
use nacre_stack::Stack;

use crate::console::Exit;
use crate::progress::Waiting;

/// A level that C is emitted at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmittedLevel(pub Level);

impl std::fmt::Display for EmittedLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

impl FromStr for EmittedLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<EmittedLevel, String> {
        let known = Level::ALL.into_iter().find(|level| level.name() == text);
        known.map(EmittedLevel).ok_or_else(|| format!("the levels are: {}", Level::ALL.map(Level::name).join(", ")))
    }
}

/// The machine of one endpoint.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    Interpreter,
    Emitted(EmittedLevel),
    /// All of them in lockstep.
    All,
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Machine, String> {
        match text {
            "interpreter" => Ok(Machine::Interpreter),
            "all" => Ok(Machine::All),
            text => text
                .parse()
                .map(Machine::Emitted)
                .map_err(|words: String| words.replace("queue,", "interpreter, all, queue,")),
        }
    }
}

/// The machines of the endpoints: one for all, or one for each.
#[derive(Clone, Debug)]
pub struct Machines(Vec<Machine>);

impl Machines {
    /// The machine of each endpoint; none: there are not as many.
    pub fn of(&self, members: usize) -> Option<Vec<Machine>> {
        match self.0[..] {
            [machine] => Some(vec![machine; members]),
            _ => Some(self.0.clone()).filter(|all| all.len() == members),
        }
    }
}

impl FromStr for Machines {
    type Err = String;

    fn from_str(text: &str) -> Result<Machines, String> {
        text.split('/').map(str::parse).collect::<Result<_, _>>().map(Machines)
    }
}

/// Why a machine cannot run a stack.
#[derive(Debug)]
pub enum NoMachine {
    /// The interpreter lacks something.
    Interpreter(String),
    /// Emitted C lacks a function of the host that has no model.
    Host(String),
    Emitted(Error),
}

impl std::fmt::Display for NoMachine {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            NoMachine::Interpreter(why) => write!(f, "{why}: use emitted C, for example `--level inline`"),
            NoMachine::Host(why) => write!(f, "{why}: the stack runs only with its host"),
            NoMachine::Emitted(error) => error.fmt(f),
        }
    }
}

impl NoMachine {
    /// The status to exit with.
    pub fn exit(&self) -> Exit {
        match self {
            NoMachine::Interpreter(_) | NoMachine::Host(_) => Exit::Unknown,
            NoMachine::Emitted(error) => exit(error),
        }
    }
}

/// The status to exit with where a stack is not compiled: undecided, unless its source is wrong.
pub fn exit(error: &Error) -> Exit {
    match error {
        Error::Foreign(..) => Exit::No,
        Error::Missing | Error::Failed(_) | Error::Io(..) | Error::Load(_) => Exit::Unknown,
    }
}

/// Makes machines of one stack.
pub struct Workshop<'s> {
    pub session: &'s Session,
    pub stack: Arc<Stack>,
    pub any_order: bool,
}

impl Workshop<'_> {
    /// A maker of endpoints.
    pub fn maker(&self, machine: Machine) -> Result<Box<dyn Maker>, NoMachine> {
        match machine {
            Machine::Interpreter => self.interpreter().map_err(|why| match lacks_of_host(&self.stack) {
                Some(of_host) => NoMachine::Host(of_host),
                None => NoMachine::Interpreter(why),
            }),
            Machine::Emitted(level) => self.emitted(level.0),
            Machine::All => {
                // If the interpreter cannot run the stack, the levels are compared with each other.
                let mut makers: Vec<Box<dyn Maker>> = self.interpreter().into_iter().collect();
                for level in Level::ALL {
                    makers.push(self.emitted(level)?);
                }
                Ok(Box::new(Lockstep { makers }))
            }
        }
    }

    fn interpreter(&self) -> Result<Box<dyn Maker>, String> {
        match lacks(&self.stack, &Models::of([&*self.stack])) {
            Some(why) => Err(why),
            None => Ok(Box::new(Interpreter { any_order: self.any_order, ..Interpreter::new(self.stack.clone()) })),
        }
    }

    fn emitted(&self, level: Level) -> Result<Box<dyn Maker>, NoMachine> {
        if let Some(why) = lacks_of_host(&self.stack) {
            return Err(NoMachine::Host(why));
        }
        let load = |toolchain| load_modelled(self.session, &self.stack, level, &toolchain);
        let stack = Toolchain::find().map(Toolchain::quick).and_then(load).map_err(NoMachine::Emitted)?;
        Ok(Box::new(Compiled { stack }))
    }
}

/// Compiles a stack after the passes of a level, and loads it.
pub fn load(
    session: &Session,
    optimized: &Stack,
    level: Level,
    toolchain: &Toolchain,
) -> Result<nacre_runtime::Stack, Error> {
    compile(optimized, level, toolchain, |stack| session.emit_optimized(stack.clone(), level, None))
}

/// The same of a composed stack, for tests and simulations: models of their contracts replace functions of the host.
pub fn load_modelled(
    session: &Session,
    stack: &Stack,
    level: Level,
    toolchain: &Toolchain,
) -> Result<nacre_runtime::Stack, Error> {
    // The common ways are those of `nacre build`.
    let bypassed = (level == Level::Bypass).then(|| bypassed(stack));
    compile(stack, level, toolchain, |part| match &bypassed {
        Some(whole) => {
            let optimized = Stack { externs: part.externs.clone(), ..whole.clone() };
            session.emit_optimized_modelled(optimized, level, None)
        }
        None => session.emit_modelled(part, level, None),
    })
}

fn compile(
    stack: &Stack,
    level: Level,
    toolchain: &Toolchain,
    emit: impl Fn(&Stack) -> Emitted,
) -> Result<nacre_runtime::Stack, Error> {
    let compiled = |stack: &Stack| {
        let emitted = emit(stack);
        toolchain.load(&Text {
            header_name: &format!("{}.h", stack.name),
            header: &emitted.header,
            source: &emitted.source,
            symbol: &format!("{}_stack", stack.name),
        })
    };
    let _waiting = Waiting::begin(format!("compiling {} at level {}", stack.name, level.name()));
    compiled(stack).map_err(|error| match error {
        Error::Failed(words) => match refused(stack, |part| compiled(part).is_ok()) {
            functions if functions.is_empty() => Error::Failed(words),
            functions => Error::Foreign(functions, words),
        },
        other => other,
    })
}

/// The functions in C on account of which a stack does not compile; none: it does not without any C of a source.
fn refused(stack: &Stack, compiles: impl Fn(&Stack) -> bool) -> Vec<String> {
    let with_only = |kept: Option<usize>| {
        let mut part = stack.clone();
        let others = part.externs.iter_mut().enumerate().filter(|(index, _)| Some(*index) != kept);
        others.filter_map(|(_, declared)| declared.body.as_mut()).for_each(String::clear);
        compiles(&part)
    };
    if !with_only(None) {
        return vec![];
    }
    let written: Vec<usize> = (0..stack.externs.len()).filter(|index| stack.externs[*index].body.is_some()).collect();
    let alone: Vec<usize> = written.iter().copied().filter(|index| !with_only(Some(*index))).collect();
    let refused = if alone.is_empty() { written } else { alone };
    refused.into_iter().map(|index| stack.externs[index].name.clone()).collect()
}
