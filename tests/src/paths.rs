//! Steps of the interpreter beside the paths of a stack: which path each step takes, and whether it does what the path
//! says.

use std::collections::HashMap;
use std::sync::Arc;

use nacre_bypass::{paths, Path};
use nacre_stack::interpret::{Addr, Machine, Message, Origin, Outcome, Output, Value};
use nacre_stack::{CellId, Entry, LayoutId, PortId, Stack, Type};
use nacre_symbolic::constants::constant;
use nacre_symbolic::state::is_state;
use nacre_symbolic::terms::{Known, Sort, Term};
use nacre_symbolic::values::{self, Value as Terminal, LENGTH_BITS};

use crate::terms::{compare, Compared};

/// What was seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Steps, and those that took a path.
    pub steps: u64,
    pub on_a_path: u64,
    /// Conditions of which the values do not decide: they depend on bytes.
    pub undecided: u64,
    pub compared: Compared,
}

/// Steps of one stack, which are compared with its paths.
pub struct Follower {
    stack: Arc<Stack>,
    /// By entry, as they are first needed.
    paths: HashMap<String, Vec<Path>>,
    pub seen: Seen,
}

impl Follower {
    pub fn new(stack: Arc<Stack>) -> Follower {
        Follower { stack, paths: HashMap::new(), seen: Seen::default() }
    }

    /// A call at the upper port, of the event at this index of the interface.
    pub fn call(&mut self, machine: &mut Machine, event: u32, data: &[u8], now: u64) -> Result<Vec<Output>, String> {
        let at = self.stack.interface()[event as usize];
        let input = at.input.expect("the host may call it") as usize;
        let message = Value::Msg(Message::new(data, Origin::Input, true));
        let has_message = self.stack.event(at.event).message.is_some();
        let arguments = if has_message { vec![message] } else { vec![] };
        let entry = Entry::Call(at.port, input);
        self.step(machine, entry, arguments, now, |machine| machine.call(event, &[], data, now))
    }

    /// A frame at the lower port.
    pub fn frame(&mut self, machine: &mut Machine, from: Addr, frame: &[u8], now: u64) -> Result<Vec<Output>, String> {
        let layout = &self.stack.layouts[LayoutId(0).index()];
        let Some(parsed) = self.stack.parse(layout, frame) else {
            machine.input(from, frame, now);
            return Ok(machine.take_outputs());
        };
        let (data, entry) = (layout.shapes[parsed.shape].data, Entry::Frame(PortId(0), parsed.shape));
        let message = Message { headers: parsed.headers, ..Message::new(&frame[parsed.size..], Origin::Input, data) };
        let (input, _) = self.stack.frames_at(PortId(0)).expect("frames come in");
        let declared = self.stack.event(input.event);
        let arguments = declared.parameters.iter().enumerate().map(|(at, parameter)| match &parameter.ty {
            _ if declared.message == Some(at as u32) => Value::Msg(message.clone()),
            Type::Addr => Value::Addr(from),
            ty => self.stack.zero(ty),
        });
        let arguments = arguments.collect();
        self.step(machine, entry, arguments, now, |machine| machine.input(from, frame, now))
    }

    /// The next timer that is due.
    pub fn tick(&mut self, machine: &mut Machine, now: u64) -> Result<Vec<Output>, String> {
        let Some(first) = machine.armed().into_iter().next().filter(|_| !machine.is_busy()) else {
            machine.tick(now);
            return Ok(machine.take_outputs());
        };
        let entry = Entry::Timer(first.timer.index());
        self.step(machine, entry, vec![], now, |machine| machine.tick(now))
    }

    fn step(
        &mut self,
        machine: &mut Machine,
        entry: Entry,
        arguments: Vec<Value>,
        now: u64,
        run: impl FnOnce(&mut Machine) -> Outcome,
    ) -> Result<Vec<Output>, String> {
        let before = machine.clone();
        let outcome = run(machine);
        let outputs = machine.take_outputs();
        if outcome == Outcome::NoSpace {
            return Ok(outputs);
        }
        self.seen.steps += 1;
        let stack = self.stack.clone();
        let key = format!("{entry:?}");
        let all = self.paths.entry(key.clone()).or_insert_with(|| paths(&stack, entry).0);
        let mut taken = 0;
        for (at, path) in all.iter_mut().enumerate() {
            let terms = path.terms.count();
            let mut one = Examined { stack: &stack, path, known: Known::new() };
            one.know(&before, &arguments, now).map_err(|why| format!("{key}, path {at}: {why}"))?;
            if one.applies(&mut self.seen) {
                taken += 1;
                if outcome == Outcome::Refused {
                    return Err(format!("{key}, path {at}: a call that is refused"));
                }
                one.compare(machine, &outputs, &mut self.seen.compared)
                    .map_err(|why| format!("{key}, path {at}: {why}"))?;
            }
            path.terms.truncate(terms);
        }
        self.seen.on_a_path += taken;
        match taken {
            0 | 1 => Ok(outputs),
            n => Err(format!("{key}: {n} paths apply")),
        }
    }
}

/// A path, with the values of one step.
struct Examined<'p> {
    stack: &'p Stack,
    path: &'p mut Path,
    known: Known,
}

impl Examined<'_> {
    /// Everything free is what it is in this state, with these arguments.
    fn know(&mut self, machine: &Machine, arguments: &[Value], now: u64) -> Result<(), String> {
        for (at, cell) in self.stack.cells.iter().enumerate() {
            let (value, layer) = (machine.cell(CellId(at as u32)), cell.layer.index());
            let Ok(free) = self.path.before.cells[at].clone() else { continue };
            self.put(&free, value, &cell.ty, layer).map_err(|why| format!("{}: {why}", cell.name))?;
        }
        for (free, value) in self.path.arguments.clone().iter().zip(arguments) {
            let ty = match value {
                Value::Msg(_) => Type::Msg,
                _ => Type::Addr,
            };
            self.put(free, value, &ty, self.stack.layers.len())?;
        }
        let now = self.path.terms.bits(64, u128::from(now));
        self.known.put(self.path.before.now, now);
        let assumptions = self.path.assumptions.clone();
        match assumptions.into_iter().find(|fact| self.truth(*fact) == Some(false)) {
            Some(fact) => Err(format!("the assumption {:?} does not hold", self.path.terms.node(fact))),
            None => Ok(()),
        }
    }

    fn put(&mut self, free: &Terminal, value: &Value, ty: &Type, layer: usize) -> Result<(), String> {
        let is = constant(self.stack, &mut self.path.terms, layer, value, ty).map_err(|why| why.to_string())?;
        let (known, terms) = (&mut self.known, &mut self.path.terms);
        values::zip(free, &is, &mut |free, is| {
            known.put(free, is);
            free
        });
        messages(value, &mut |message| {
            let whole = Value::Msg(Message { headers: vec![], ..message.clone() });
            if let Ok(Terminal::Message(named)) = constant(self.stack, terms, layer, &whole, &Type::Msg) {
                let length = terms.bits(LENGTH_BITS, message.len() as u128);
                let of = terms.call("length", Sort::Bits(LENGTH_BITS), &[named.bytes]);
                known.put(of, length);
            }
        });
        Ok(())
    }

    fn truth(&mut self, formula: Term) -> Option<bool> {
        let is = self.path.terms.replace(formula, &self.known);
        self.path.terms.truth_of(is)
    }

    /// Whether all conditions of the path hold.
    fn applies(&mut self, seen: &mut Seen) -> bool {
        for at in 0..self.path.branches.len() {
            match self.truth(self.path.branches[at].holds) {
                Some(true) => {}
                Some(false) => return false,
                None => {
                    seen.undecided += 1;
                    return false;
                }
            }
        }
        true
    }

    /// Compares the state and the outputs of a step with those of the path.
    fn compare(&mut self, machine: &Machine, outputs: &[Output], compared: &mut Compared) -> Result<(), String> {
        for (at, cell) in self.stack.cells.iter().enumerate().filter(|(_, cell)| is_state(cell.scope)) {
            let Ok(after) = self.path.after.cells[at].clone() else { continue };
            let is_random = self.stack.layer(cell.layer).random == Some(CellId(at as u32));
            if is_random {
                continue;
            }
            let value = machine.cell(CellId(at as u32));
            self.same(&after, value, &cell.ty, cell.layer.index(), compared)
                .map_err(|why| format!("{}: {why}", cell.name))?;
        }
        if self.path.outputs.len() != outputs.len() {
            return Err(format!("{} outputs instead of {}", self.path.outputs.len(), outputs.len()));
        }
        for (at, output) in outputs.iter().enumerate() {
            let expected = &self.path.outputs[at];
            if (expected.port(self.stack), expected.event) != (Some(output.port), output.event) {
                return Err(format!("output {at} is another event"));
            }
            let arguments = expected.arguments.clone();
            for ((expected, value), parameter) in
                arguments.iter().zip(&output.arguments).zip(&self.stack.event(output.event).parameters)
            {
                self.same(expected, value, &parameter.ty, self.stack.layers.len(), compared)
                    .map_err(|why| format!("output {at}: {}: {why}", parameter.name))?;
            }
        }
        Ok(())
    }

    fn same(
        &mut self,
        found: &Terminal,
        value: &Value,
        ty: &Type,
        layer: usize,
        compared: &mut Compared,
    ) -> Result<(), String> {
        let (terms, known) = (&mut self.path.terms, &self.known);
        let found = values::zip(found, found, &mut |term, _| terms.replace(term, known));
        let Ok(expected) = constant(self.stack, terms, layer, value, ty) else { return Ok(()) };
        compare(terms, &expected, &found, compared)
    }
}

/// Visits the messages of a value.
fn messages(value: &Value, visit: &mut dyn FnMut(&Message)) {
    match value {
        Value::Msg(message) => visit(message),
        Value::Tuple(parts) => parts.iter().for_each(|part| messages(part, visit)),
        Value::Row(parts) => parts.iter().for_each(|part| messages(part, visit)),
        Value::Option(Some(inner)) => messages(inner, visit),
        Value::Window(window) => window.entries.iter().flatten().for_each(|entry| messages(entry, visit)),
        _ => {}
    }
}
