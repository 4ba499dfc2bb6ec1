//! An endpoint that emitted C runs, through the descriptor that every driver uses.

use nacre_runtime::instance::{Call, Config, Instance, Pool};
use nacre_runtime::output::{Out, Outputs};
use nacre_runtime::Stack;

use crate::endpoint::{Address, Endpoint, Given, Maker, Opening, Outcome, Output, Step};

/// Opens endpoints of a stack that is compiled and loaded.
#[derive(Clone)]
pub struct Compiled {
    pub stack: Stack,
}

impl Maker for Compiled {
    fn open(&self, opening: &Opening) -> Result<(Box<dyn Endpoint>, Vec<Output>), String> {
        let mut config = Config::new(&self.stack);
        for (name, given) in &opening.givens {
            match given {
                Given::Number(number) => config.set(name, *number),
                Given::Address(address) => config.set_address(name, *address),
                Given::Bytes(bytes) => config.set_bytes(name, bytes),
            };
        }
        let words = |e: nacre_runtime::Error| e.to_string();
        let (mut pool, mut out) = (Pool::new(&self.stack, 0).map_err(words)?, Out::new());
        let opened = Instance::open(&self.stack, &mut pool, &config, opening.seed, opening.now, &mut out);
        let (instance, outputs) = opened.map_err(words)?;
        let outputs = copy(&self.stack, outputs);
        Ok((Box::new(Running { stack: self.stack.clone(), instance: Some(instance), pool, out }), outputs))
    }

    fn name(&self) -> String {
        self.stack.level().to_string()
    }
}

struct Running {
    stack: Stack,
    /// None once it was discarded.
    instance: Option<Instance>,
    pool: Pool,
    out: Out,
}

/// Outputs that outlive the step.
fn copy(stack: &Stack, outputs: Outputs) -> Vec<Output> {
    let whole = |output: nacre_runtime::output::Output| {
        let event = stack.events().get(usize::from(output.event()));
        let numbers = event.map_or(0, |event| usize::from(event.arguments));
        let has_message = event.is_none_or(|event| event.has_message);
        let has_address = event.is_some_and(|event| event.has_address);
        Output {
            port: output.port(),
            event: output.event(),
            arguments: output.arguments()[..numbers.min(4)].to_vec(),
            address: output.address().filter(|_| has_address).map(Address::from),
            message: has_message.then(|| output.message().to_vec()),
        }
    };
    outputs.iter().map(whole).collect()
}

const DEAD: Step = Step { outcome: Outcome::Invalid, outputs: Vec::new() };

impl Endpoint for Running {
    fn call(&mut self, now: u64, event: u16, numbers: &[u64], address: Option<Address>, message: &[u8]) -> Step {
        let Some(instance) = &mut self.instance else { return DEAD };
        let call = Call { event, arguments: numbers, address: address.as_ref(), data: message };
        let (outcome, outputs) = instance.call(&mut self.pool, now, call, &mut self.out);
        Step { outcome, outputs: copy(&self.stack, outputs) }
    }

    fn input(&mut self, now: u64, from: Address, frame: &[u8]) -> Step {
        let Some(instance) = &mut self.instance else { return DEAD };
        let (outcome, outputs) = instance.input(&mut self.pool, now, &from, frame, &mut self.out);
        Step { outcome, outputs: copy(&self.stack, outputs) }
    }

    fn tick(&mut self, now: u64) -> Step {
        let Some(instance) = &mut self.instance else { return DEAD };
        let (outcome, outputs) = instance.tick(&mut self.pool, now, &mut self.out);
        Step { outcome, outputs: copy(&self.stack, outputs) }
    }

    fn settle(&mut self) -> Vec<Output> {
        let Some(instance) = &mut self.instance else { return Vec::new() };
        copy(&self.stack, instance.settle(&mut self.pool, &mut self.out))
    }

    fn deadline(&self) -> u64 {
        self.instance.as_ref().map_or(crate::endpoint::NEVER, Instance::deadline)
    }

    fn accepts(&self, event: u16, length: usize) -> bool {
        self.instance.as_ref().is_some_and(|instance| instance.accepts(&self.pool, event, length))
    }

    fn counters(&self) -> Vec<u64> {
        self.instance.as_ref().map_or(Vec::new(), |instance| instance.counters().to_vec())
    }

    fn canonical(&self) -> Vec<u8> {
        self.instance.as_ref().map_or(Vec::new(), |instance| instance.canonical(&self.pool))
    }

    fn space(&self) -> (u32, u32) {
        (self.pool.free(), self.pool.blocks())
    }

    fn discard(&mut self) {
        if let Some(instance) = self.instance.take() {
            instance.discard(&mut self.pool);
        }
    }
}
