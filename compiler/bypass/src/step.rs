//! A step under a guide: one event from outside and all that it causes, as the head of `nacre_stack` defines it.

use std::collections::VecDeque;

use nacre_stack::*;
use nacre_symbolic::execute::Run;
use nacre_symbolic::guide::Guide;
use nacre_symbolic::record::Record;
use nacre_symbolic::state::{arbitrary, clauses_of, zero_of, State};
use nacre_symbolic::terms::{Sort, Term, Terms};
use nacre_symbolic::values::{Message, Value, KIND_BITS, NAME_BITS};
use nacre_symbolic::Unsupported;

use crate::path::{Code, Form, Output, Path, Refusal};

type Found<T> = Result<T, Unsupported>;

/// The most handlers of a path.
const MOST_HANDLERS: usize = 256;
/// The most terms of a path.
const MOST_TERMS: usize = 200_000;

/// An event that waits in the queue.
struct Waiting {
    link: LinkId,
    event: EventId,
    arguments: Vec<Value>,
    /// Their locals.
    recorded: Vec<LocalId>,
}

/// A step, as far as it has run.
pub(crate) struct Step<'s> {
    pub run: Run<'s>,
    pub before: State,
    pub arguments: Vec<Value>,
    /// A message without headers.
    pub bare: Message,
    /// The locals of the arguments, and of the fields of the frame's headers.
    parameters: Vec<LocalId>,
    fields: Vec<Vec<LocalId>>,
    queue: VecDeque<Waiting>,
    handlers: Vec<HandlerId>,
    pub outputs: Vec<Output>,
    pub later: Vec<Output>,
    /// An event has gone up, down; a handler has emitted several.
    up: bool,
    down: bool,
    splits: bool,
}

impl<'s> Step<'s> {
    /// Nothing has entered.
    pub fn new(stack: &'s Stack, guide: Guide) -> Step<'s> {
        let mut terms = Terms::new();
        let (before, valid) = State::of_all(stack, &mut terms);
        let mut run = Run::new(stack, terms, LayerId(0), before.clone());
        run.assume(valid);
        run.guide = Some(guide);
        for value in before.cells.iter().flatten() {
            if let Value::Window(window) = value {
                let clauses = clauses_of(&mut run.terms, window);
                let guide = run.guide.as_mut().expect("set above");
                clauses.into_iter().for_each(|clause| guide.always(clause));
            }
        }
        run.record = Some(Record::default());
        let top = LayerId(stack.layers.len() as u32);
        let bare = run.template(top).expect("any stack has messages");
        Step {
            run,
            before,
            arguments: vec![],
            parameters: vec![],
            fields: vec![],
            queue: VecDeque::new(),
            bare,
            handlers: vec![],
            outputs: vec![],
            later: vec![],
            up: false,
            down: false,
            splits: false,
        }
    }

    /// The guide, with the branches so far.
    pub fn guide(&self) -> &Guide {
        self.run.guide.as_ref().expect("a guided run")
    }

    /// Runs the step of an event.
    pub fn run(&mut self, entry: Entry) -> Found<()> {
        self.enter(entry)?;
        self.drain()
    }

    /// Puts the event that enters into the queue, or fires a timer.
    pub fn enter(&mut self, entry: Entry) -> Found<()> {
        match entry {
            Entry::Call(port, at) => self.enter_call(port, at),
            Entry::Frame(port, at) => self.enter_frame(port, at),
            Entry::Timer(at) => self.fire(at),
        }
    }

    /// Where the step was when it was found to be no path: the handler that ran last.
    pub fn place(&self) -> String {
        let Some(handler) = self.handlers.last() else { return String::new() };
        let handler = self.run.stack.handler(*handler);
        format!("`{}` of `{}`", handler.name, self.run.stack.layer(handler.layer).name)
    }

    /// Handles events until there are none.
    pub fn drain(&mut self) -> Found<()> {
        while let Some(event) = self.queue.pop_front() {
            if self.run.terms.count() > MOST_TERMS || self.handlers.len() > MOST_HANDLERS {
                return Err(unsupported("a step of many events"));
            }
            self.handle(event)?;
        }
        Ok(())
    }

    /// The path, when the step has run.
    pub fn path(mut self, entry: Entry) -> Path {
        let now = self.run.state.now;
        let [cells, before] = [self.run.state.cells.clone(), self.before.cells.clone()].map(|cells| {
            cells.into_iter().map(|cell| cell.map(|value| self.run.simplified(&value))).collect::<Vec<_>>()
        });
        let changed = (0..cells.len()).filter(|at| cells[*at] != before[*at]).map(|at| CellId(at as u32)).collect();
        let after = State { cells, now };
        let outputs = std::mem::take(&mut self.outputs).into_iter();
        let outputs = outputs.map(|output| {
            let arguments = output.arguments.iter().map(|value| self.run.simplified(value)).collect();
            Output { arguments, ..output }
        });
        let outputs = outputs.collect();
        let form = match (self.splits, self.up && self.down) {
            (true, _) => Form::Splitting,
            (_, true) => Form::Bouncing,
            _ => Form::Linear,
        };
        let guide = self.run.guide.take().expect("a guided run");
        let record = self.run.record.take().expect("a recorded run");
        Path {
            entry,
            terms: self.run.terms,
            arguments: self.arguments,
            assumptions: self.run.assumptions,
            branches: guide.branches,
            handlers: self.handlers,
            outputs,
            later: self.later.len(),
            before: self.before,
            after,
            changed,
            form,
            code: Code { record, parameters: self.parameters, fields: self.fields },
        }
    }

    /// What has been seen, where the step is no path.
    pub fn refusal(mut self, why: Unsupported) -> Refusal {
        let guide = self.run.guide.take().expect("a guided run");
        Refusal { branches: guide.branches, terms: self.run.terms, why }
    }

    fn enter_call(&mut self, port: PortId, at: usize) -> Found<()> {
        let input = &self.run.stack.ports[port.index()].inputs[at];
        let event = self.run.stack.event(input.event);
        for (place, parameter) in event.parameters.iter().enumerate() {
            let value = match event.message == Some(place as u32) {
                true => Value::Message(self.message(&parameter.name, true, &[])?),
                false => self.any(input.layer, &parameter.name, &parameter.ty)?,
            };
            self.arguments.push(value);
            self.parameter(&parameter.name, &parameter.ty, Target::Layer(input.layer));
        }
        for admission in &input.admissions {
            self.run.layer = admission.layer;
            let holds = self.run.condition_with(&admission.condition, &admission.locals, self.arguments.clone())?;
            self.run.require(admission.condition.span, holds)?;
        }
        self.put_input(input);
        Ok(())
    }

    /// Puts the event of an input into the queue.
    fn put_input(&mut self, input: &PortInput) {
        let (arguments, recorded) = (self.arguments.clone(), self.parameters.clone());
        self.put(Waiting { link: input.link, event: input.event, arguments, recorded });
    }

    fn record(&mut self) -> &mut Record {
        self.run.record.as_mut().expect("a recorded run")
    }

    fn parameter(&mut self, name: &str, ty: &Type, home: Target) {
        let local = self.record().parameter(name, ty, home);
        self.parameters.push(local);
    }

    fn enter_frame(&mut self, port: PortId, at: usize) -> Found<()> {
        let stack = self.run.stack;
        let Some((input, layout)) = stack.frames_at(port) else { return Err(unsupported("a port without frames")) };
        let shape = &stack.layouts[layout.index()].shapes[at];
        let event = stack.event(input.event);
        for (place, parameter) in event.parameters.iter().enumerate() {
            let value = match (event.message == Some(place as u32), &parameter.ty) {
                (true, _) => Value::Message(self.message(&parameter.name, shape.data, &shape.headers)?),
                (_, Type::Addr) => self.any(input.layer, &parameter.name, &Type::Addr)?,
                (_, ty) => zero_of(stack, &mut self.run.terms, input.layer.index(), ty)?,
            };
            self.arguments.push(value);
            self.parameter(&parameter.name, &parameter.ty, Target::Layer(input.layer));
        }
        for header in &shape.headers {
            let declared = stack.header(*header);
            let home = Target::Layer(declared.layer);
            let fields = declared.fields.iter().map(|field| self.record().parameter(&field.name, &field.ty, home));
            let fields = fields.collect();
            self.fields.push(fields);
        }
        if let Some(at) = event.message {
            let (message, fields) = (self.parameters[at as usize], self.fields.clone());
            self.record().wear(message, &shape.headers, &fields);
        }
        self.put_input(input);
        Ok(())
    }

    fn fire(&mut self, at: usize) -> Found<()> {
        let timer = &self.run.stack.timers[at];
        if !timer.path.is_empty() {
            return Err(unsupported("a timer inside a value"));
        }
        let armed = self.run.state.cells[timer.cell.index()].clone()?.term()?;
        let is_due = self.run.is_due(armed);
        self.run.require(self.run.stack.handler(timer.handler).span, is_due)?;
        let never = self.run.terms.bits(64, u128::from(u64::MAX));
        self.run.state.cells[timer.cell.index()] = Ok(Value::Term(never));
        self.record().refuse("a timer");
        self.react(timer.handler, vec![], vec![], &[])
    }

    /// Any value of a type, as it is in a layer.
    fn any(&mut self, layer: LayerId, name: &str, ty: &Type) -> Found<Value> {
        let any = arbitrary(self.run.stack, &mut self.run.terms, layer.index(), name, ty)?;
        self.run.assume(any.is_valid);
        Ok(any.value)
    }

    /// Any message with these headers.
    fn message(&mut self, name: &str, data: bool, headers: &[HeaderId]) -> Found<Message> {
        let mut message = self.bare.clone();
        message.bytes = self.run.terms.free(&format!("{name}.bytes"), Sort::Bits(NAME_BITS));
        message.data = self.run.terms.truth(data);
        for header in headers {
            let declared = self.run.stack.header(*header);
            let (layer, is_there) = (declared.layer, self.kind(Some(*header)));
            message.kinds[layer.index()] = is_there;
            let fields = declared.fields.iter();
            let fields = fields.map(|field| self.any(layer, &format!("{}.{}", declared.name, field.name), &field.ty));
            message.fields[header.index()] = fields.collect::<Found<_>>()?;
        }
        Ok(message)
    }

    fn kind(&mut self, header: Option<HeaderId>) -> Term {
        self.run.terms.bits(KIND_BITS, header.map_or(0, |header| u128::from(header.0) + 1))
    }

    fn put(&mut self, event: Waiting) {
        match self.run.stack.event(event.event).direction {
            Direction::Up => self.up = true,
            Direction::Down => self.down = true,
        }
        self.queue.push_back(event);
    }

    fn handle(&mut self, event: Waiting) -> Found<()> {
        let stack = self.run.stack;
        let layer = match stack.arrives(event.link, event.event) {
            Target::Layer(layer) => layer,
            Target::Port(_) => {
                self.leave(&event);
                self.outputs.push(Output { link: event.link, event: event.event, arguments: event.arguments });
                return Ok(());
            }
        };
        if stack.layer(layer).sessions > 1 {
            return Err(unsupported("a layer of several sessions"));
        }
        let Waiting { link, event, mut arguments, mut recorded } = event;
        let at = stack.event(event).message.map(|at| at as usize);
        let message = match at.map(|at| arguments[at].clone()) {
            Some(Value::Message(message)) => Some(message),
            _ => None,
        };
        let arm = self.arm(layer, (link, event), message.as_ref())?;
        let mut fields = vec![];
        if let (Some(at), Some(mut message)) = (at, message) {
            let local = recorded[at];
            if let Some(header) = arm.guard.header {
                fields = std::mem::take(&mut message.fields[header.index()]);
                let record = self.record();
                let known = record.fields_of(local, header).map(<[_]>::to_vec);
                recorded.extend(known.unwrap_or_else(|| record.fields_on(stack, local, header)));
            }
            let goes_up = stack.event(event).direction == Direction::Up;
            if goes_up && !self.record().is_worn(local) {
                recorded[at] = self.record().bring_to(local, layer);
            }
            self.record().carry(stack, local, layer);
            arguments[at] = Value::Message(self.run.carried(message, layer)?);
        }
        self.react(arm.handler, arguments, fields, &recorded)
    }

    /// Records an event that leaves.
    fn leave(&mut self, event: &Waiting) {
        let record = self.record();
        let span = Span::default();
        let arguments = event.recorded.iter().map(|local| record.whole(*local, span)).collect();
        let emit = Emit { link: event.link, event: event.event, arguments, later: false, call: false, likely: None };
        record.add(StatementKind::Emit(emit), span);
    }

    /// The alternative that handles an event; which one it is may be a condition of the path.
    fn arm(&mut self, layer: LayerId, of: (LinkId, EventId), message: Option<&Message>) -> Found<Arm> {
        for arm in self.run.stack.arms(layer, Some(of.0), of.1) {
            let kind = self.kind(arm.guard.header);
            let always = self.run.terms.truth(true);
            let fits = match message {
                Some(message) => {
                    let equal = self.run.terms.equal(message.kinds[layer.index()], kind);
                    let data = if arm.guard.data { message.data } else { always };
                    self.run.terms.and(&[equal, data])
                }
                None => self.run.terms.truth(arm.guard.header.is_none() && !arm.guard.data),
            };
            if self.run.side(self.run.stack.handler(arm.handler).span, fits) {
                return Ok(arm.clone());
            }
        }
        Err(unsupported("an event that nothing handles"))
    }

    fn react(&mut self, id: HandlerId, arguments: Vec<Value>, fields: Vec<Value>, recorded: &[LocalId]) -> Found<()> {
        let handler = self.run.stack.handler(id);
        self.handlers.push(id);
        self.run.layer = handler.layer;
        self.run.recorded_handler(handler, arguments, fields, recorded)?;
        let emissions = std::mem::take(&mut self.run.emissions);
        self.splits |= emissions.iter().filter(|emission| !emission.later).count() > 1;
        for emission in emissions {
            if self.run.terms.truth_of(emission.guard) != Some(true) {
                return Err(unsupported("an emission under a condition"));
            }
            if emission.later {
                self.later.push(Output::of(emission));
                continue;
            }
            let turn = self.run.stack.turn(emission.link, emission.event).copied();
            let (link, arguments, recorded) = (emission.link, emission.arguments, emission.recorded);
            if turn.is_none_or(|turn| turn.leaves) {
                let (arguments, recorded) = (arguments.clone(), recorded.clone());
                self.put(Waiting { link, event: emission.event, arguments, recorded });
            }
            if let Some(turn) = turn {
                self.record().refuse("an event that turns");
                self.put(Waiting { link, event: turn.comes_back, arguments, recorded });
            }
        }
        Ok(())
    }
}

fn unsupported(what: &str) -> Unsupported {
    Unsupported { what: what.into() }
}
