//! The machines that run a stack: the interpreter, and compiled C of each level.

use std::rc::Rc;
use std::sync::Arc;

use nacre_driver::{Emitted, Level, Session};
use nacre_profiles::bypassed;
use nacre_simulator::compiled::Compiled;
use nacre_simulator::endpoint::{Endpoint, Maker, Opening};
use nacre_simulator::interface::{givens, Ends, Interface};
use nacre_simulator::interpreter::Interpreter;
use nacre_simulator::lockstep::Lockstep;
use nacre_simulator::random::Random;
use nacre_simulator::toolchain::{Text, Toolchain};
use nacre_simulator::world::address;
use nacre_stack::Stack;

use crate::library::Declared;
use crate::soaking;

pub const LEVELS: [Level; 4] = Level::ALL;

/// In soak tests, the optimized code that ships; otherwise code that compiles in a tenth of the time; clang
/// takes about half as long for it as gcc.
fn toolchain() -> Toolchain {
    let found = Toolchain::find().expect("a C compiler");
    if soaking() {
        found.optimize("-O2")
    } else {
        found.preferring("clang").quick()
    }
}

/// Makes machines of one stack.
pub struct Machines {
    pub session: Session,
    pub stack: Arc<Stack>,
    toolchain: Toolchain,
}

impl Machines {
    pub fn new(declared: &Declared) -> Machines {
        let (session, stack) = declared.compose();
        Machines::of(session, stack)
    }

    pub fn of(session: Session, stack: Stack) -> Machines {
        Machines { session, stack: Arc::new(stack), toolchain: toolchain() }
    }

    /// The same, with a flag for the C compiler.
    pub fn with_flag(self, flag: &str) -> Machines {
        Machines { toolchain: self.toolchain.flag(flag), ..self }
    }

    pub fn interface(&self) -> Rc<Interface> {
        Rc::new(Interface::of(&self.stack))
    }

    pub fn interpreter(&self) -> Box<dyn Maker> {
        Box::new(Interpreter::new(self.stack.clone()))
    }

    /// As `nacre build` writes it, with models of functions of the host.
    pub fn text(&self, level: Level) -> Emitted {
        match level {
            Level::Bypass => self.session.emit_optimized_modelled(bypassed(&self.stack), level, None),
            _ => self.session.emit_modelled(&self.stack, level, None),
        }
    }

    /// Errors: the message of the C compiler.
    pub fn compile(&self, text: &Emitted) -> Result<Box<dyn Maker>, String> {
        Ok(Box::new(Compiled { stack: self.load(text)? }))
    }

    /// The compiled stack, for the runtime. Errors: the message of the C compiler.
    pub fn load(&self, text: &Emitted) -> Result<nacre_runtime::Stack, String> {
        let name = &self.stack.name;
        let stack = self.toolchain.load(&Text {
            header_name: &format!("{name}.h"),
            header: &text.header,
            source: &text.source,
            symbol: &format!("{name}_stack"),
        });
        stack.map_err(|error| error.to_string())
    }

    pub fn emitted(&self, level: Level) -> Box<dyn Maker> {
        self.compile(&self.text(level))
            .unwrap_or_else(|words| panic!("{} at level {}: {words}", self.stack.name, level.name()))
    }

    /// Both endpoints of a connection.
    pub fn endpoints(&self, maker: &dyn Maker) -> [Box<dyn Endpoint>; 2] {
        let (interface, mut random) = (self.interface(), Random::new(1));
        [0, 1].map(|end: usize| {
            let ends = Ends { own: end, peer: 1 - end };
            let givens = givens(&interface.givens, &mut random, 1, ends, address(1 - end));
            maker.open(&Opening { givens, seed: 1, now: 1 }).expect("the endpoint opens").0
        })
    }

    /// The interpreter and all levels as one.
    pub fn lockstep(&self) -> Lockstep {
        let levels = LEVELS.into_iter().map(|level| self.emitted(level));
        Lockstep { makers: std::iter::once(self.interpreter()).chain(levels).collect() }
    }
}
