//! One step: the queue, and the handlers that it runs.

use std::collections::VecDeque;

use super::arguments::session_among;
use super::found::Found;
use super::report::{show_arguments, Report, Rule, TraceEntry, TracedEmission};
use super::state::{Output, Pending, Schedule, State};
use super::value::Value;
use crate::*;

/// The limit of handlers in one step; a step with more counts as endless.
const LONGEST_STEP: u32 = 1_000_000;
/// Reports that are kept.
const MOST_REPORTS: usize = 10_000;

/// A link in one direction, which keeps its events in order.
type Way = (LinkId, Direction);

/// What a local of a running body holds.
pub enum Slot {
    Value(Value),
    /// A `ref` parameter: a place of the caller's.
    Ref(Found),
}

/// The activation record of a running handler, function, filter or initial value.
pub struct Frame<'a> {
    pub slots: Vec<Slot>,
    pub declared: &'a [Local],
    pub layer: LayerId,
    /// Of a bypass: for each local whose code it is from ([`Bypass::homes`]).
    pub homes: &'a [Target],
    /// In which session of the layer this runs.
    pub session: u64,
    /// Of a filter: the yielded bytes.
    pub yielded: Vec<u8>,
    /// The statement that is executed, or the condition that is evaluated.
    pub span: Span,
}

impl<'a> Frame<'a> {
    /// Returns a frame in which no local is assigned yet.
    pub fn new(declared: &'a [Local], layer: LayerId) -> Frame<'a> {
        let slots = declared.iter().map(|_| Slot::Value(Value::Gone)).collect();
        Frame { slots, declared, layer, homes: &[], session: 0, yielded: vec![], span: Span::default() }
    }
}

/// An event that a handler emitted.
pub struct Emitted {
    pub event: Pending,
    pub later: bool,
    span: Span,
}

/// One step in progress: the stack, its state, and the queue of events.
pub struct Run<'a> {
    pub stack: &'a Stack,
    pub state: &'a mut State,
    pub frames: Vec<Frame<'a>>,
    /// Of the handler that runs.
    pub emissions: Vec<Emitted>,
    queue: VecDeque<Pending>,
    handled: u32,
    /// The handlers that are active, for emissions that are calls.
    depth: usize,
}

impl<'a> Run<'a> {
    /// Returns a step with an empty queue.
    pub fn new(stack: &'a Stack, state: &'a mut State) -> Run<'a> {
        Run { stack, state, frames: vec![], emissions: vec![], queue: VecDeque::new(), handled: 0, depth: 0 }
    }

    /// Records a violation at the current statement; after `MOST_REPORTS` reports, further ones are ignored.
    pub fn report(&mut self, rule: Rule, text: String) {
        let layer = self.frames.last().map(|f| f.layer);
        let span = self.span();
        if self.state.reports.len() < MOST_REPORTS {
            self.state.reports.push(Report { rule, layer, text, span, step: self.state.steps });
        }
    }

    /// The statement or condition that is executed.
    fn span(&self) -> Span {
        self.frames.last().map_or(Span::default(), |frame| frame.span)
    }

    /// Counts [`builtin::BROKEN`] and records the violation.
    pub fn broken(&mut self, rule: Rule, text: String) {
        self.add_to(builtin::BROKEN, 1);
        self.report(rule, text);
    }

    /// Adds to a counter, modulo 2^64; a counter that the state lacks is ignored.
    pub fn add_to(&mut self, counter: CounterId, n: u64) {
        if let Some(counter) = self.state.counters.get_mut(counter.index()) {
            *counter = counter.wrapping_add(n);
        }
    }

    /// Appends an event to the queue, and reports a queue longer than its bound.
    pub fn put(&mut self, event: Pending) {
        self.queue.push_back(event);
        if self.queue.len() > self.stack.bounds.queue as usize {
            self.report(Rule::Space, format!("{} events in the queue", self.queue.len()));
        }
    }

    /// Handles events until there are none.
    pub fn drain(&mut self) {
        while let Some(event) = self.next() {
            self.handled += 1;
            if self.handled > LONGEST_STEP {
                self.report(Rule::Space, "the step does not end".into());
                self.queue.clear();
                return;
            }
            self.handle(event);
        }
    }

    fn next(&mut self) -> Option<Pending> {
        match self.state.schedule {
            Schedule::Fifo => self.queue.pop_front(),
            Schedule::Any(_) => {
                let mut heads: Vec<(usize, Way)> = vec![];
                for (at, event) in self.queue.iter().enumerate() {
                    let way = (event.link, self.stack.event(event.event).direction);
                    if heads.iter().all(|(_, known)| *known != way) {
                        heads.push((at, way));
                    }
                }
                let pick = match &mut self.state.choices {
                    _ if heads.len() < 2 => 0,
                    Some(choices) => choices.pick(heads.len()),
                    None => self.state.dice.below(heads.len() as u64) as usize,
                };
                self.queue.remove(heads.get(pick)?.0)
            }
        }
    }

    /// Delivers an event to its target.
    pub fn handle(&mut self, mut event: Pending) {
        let layer = match self.stack.arrives(event.link, event.event) {
            Target::Layer(layer) => layer,
            Target::Port(port) => return self.put_out(port, event.event, event.arguments),
        };
        self.check_accepted(layer, &event);
        let message = self.stack.event(event.event).message.map(|i| i as usize);
        let (mut header, mut data) = (None, false);
        if let Some(Value::Msg(message)) = message.and_then(|at| event.arguments.get_mut(at)) {
            // Headers of lower layers do not concern this layer.
            message.headers.retain(|(id, _)| self.stack.header(*id).layer >= layer);
            (header, data) = (message.header_of(self.stack, layer), message.data);
        }
        let met = Met { event: event.event, link: Some(event.link), header, data };
        let Some(handler) = self.choose_handler(layer, &met) else {
            let header = header.map_or("none".into(), |h| self.stack.header(h).name.clone());
            let (layer, event) = (&self.stack.layer(layer).name, &self.stack.event(event.event).name);
            return self.broken(Rule::Complete, format!("`{layer}` has no handler for `{event}` with header {header}"));
        };
        let shown = self.show_event(&event);
        let mut fields = vec![];
        if let Some(Value::Msg(message)) = message.and_then(|at| event.arguments.get_mut(at)) {
            fields = message.pop(self.stack, layer);
        }
        self.run_handler(handler, Some(event.event), event.arguments, fields, shown);
    }

    /// The handler for an event that reaches a layer. Which one it is belongs to the way of the step.
    fn choose_handler(&mut self, layer: LayerId, met: &Met) -> Option<HandlerId> {
        for arm in self.stack.arms(layer, met.link, met.event) {
            let fits = arm.guard.fits(met);
            self.branch(fits);
            if fits {
                return Some(arm.handler);
            }
        }
        None
    }

    fn show_event(&self, event: &Pending) -> String {
        if self.state.trace.is_none() {
            return String::new();
        }
        show_arguments(self.stack, &self.stack.event(event.event).parameters, &event.arguments)
    }

    /// Runs a handler to its end, then passes on its emissions in program order. `shown` describes the event in the
    /// trace.
    pub fn run_handler(
        &mut self,
        id: HandlerId,
        event: Option<EventId>,
        arguments: Vec<Value>,
        fields: Vec<Value>,
        shown: String,
    ) {
        let handler = self.stack.handler(id);
        if let Some(covered) = &mut self.state.covered {
            covered.handlers[id.index()] = true;
        }
        let mut frame = Frame::new(&handler.locals, handler.layer);
        let targets = handler.parameters.iter().zip(arguments).chain(handler.fields.iter().zip(fields));
        for (local, value) in targets {
            frame.slots[local.index()] = Slot::Value(value);
        }
        if let Some(Slot::Value(session)) = self.stack.session_local(handler).map(|local| &frame.slots[local.index()]) {
            frame.session = session.num();
        }
        let emissions = std::mem::take(&mut self.emissions);
        self.depth += 1;
        self.frames.push(frame);
        self.execute(&handler.body);
        self.check_consumed(&handler.name);
        self.frames.pop();
        self.depth -= 1;
        let emitted = std::mem::replace(&mut self.emissions, emissions);
        self.trace(id, handler.layer, event, shown, &emitted);
        for Emitted { event, later, .. } in emitted {
            match (later, self.stack.arrives(event.link, event.event)) {
                (true, _) => self.state.later.push_back(event),
                (false, Target::Layer(_)) => self.put(event),
                // It has left already, when it was emitted.
                (false, Target::Port(_)) => {}
            }
        }
    }

    /// A message that is left in a local at a handler's end has been lost.
    pub fn check_consumed(&mut self, name: &str) {
        let frame = self.frames.last().expect("a frame");
        let mut lost = vec![];
        for (slot, local) in frame.slots.iter().zip(frame.declared) {
            if let Slot::Value(value) = slot {
                value.messages(&mut |_| lost.push(local.name.clone()));
            }
        }
        for local in lost {
            self.report(Rule::Linear, format!("`{local}` is lost at the end of `{name}`"));
        }
    }

    fn trace(&mut self, id: HandlerId, layer: LayerId, event: Option<EventId>, shown: String, out: &[Emitted]) {
        if self.state.trace.is_none() {
            return;
        }
        let emissions = out.iter().map(|emitted| self.show_emission(emitted)).collect();
        let entry = TraceEntry { step: self.state.steps, layer, handler: id, event, arguments: shown, emissions };
        if let Some(trace) = &mut self.state.trace {
            trace.push(entry);
        }
    }

    fn show_emission(&self, Emitted { event, later, span }: &Emitted) -> TracedEmission {
        let target = match self.stack.arrives(event.link, event.event) {
            Target::Layer(layer) => &self.stack.layer(layer).name,
            Target::Port(port) => &self.stack.ports[port.index()].name,
        };
        let later = if *later { "later " } else { "" };
        let text = format!("{later}{target}.{}({})", self.stack.event(event.event).name, self.show_event(event));
        TracedEmission { text, span: *span }
    }

    /// One emission of the handler that runs.
    pub fn emit(&mut self, emit: &Emit) {
        let mut arguments = self.evaluate_all(&emit.arguments);
        if emit.later {
            arguments.iter_mut().for_each(|a| self.state.pool.keep(a));
        }
        let mut event = Pending { link: emit.link, event: emit.event, arguments };
        if let Some(turn) = self.stack.turn(emit.link, emit.event) {
            if let (Target::Port(port), true) = (self.stack.target(emit), turn.leaves) {
                self.emissions.push(Emitted { event: event.clone(), later: false, span: self.span() });
                self.put_out(port, event.event, event.arguments.clone());
            }
            event.event = turn.comes_back;
        }
        let nested = emit.call && !emit.later && self.depth <= 2 * self.stack.layers.len() + 8;
        match self.stack.arrives(event.link, event.event) {
            Target::Port(port) if !emit.later => {
                let traced = Pending { arguments: event.arguments.clone(), ..event.clone() };
                self.emissions.push(Emitted { event: traced, later: false, span: self.span() });
                self.put_out(port, event.event, event.arguments);
            }
            Target::Layer(_) if nested => self.handle(event),
            _ => self.emissions.push(Emitted { event, later: emit.later, span: self.span() }),
        }
    }

    /// An event leaves the stack.
    fn put_out(&mut self, port: PortId, event: EventId, arguments: Vec<Value>) {
        let layout = self.stack.ports[port.index()].frames;
        let (mut bytes, mut rest) = (None, vec![]);
        let session = session_among(self.stack, event, &arguments) as u32;
        for argument in arguments {
            match argument {
                Value::Msg(message) => match layout {
                    Some(layout) => bytes = self.frame(layout, message, event),
                    None => bytes = Some(message.bytes()),
                },
                value => rest.push(value),
            }
        }
        if layout.is_some() && bytes.is_none() && self.stack.event(event).message.is_some() {
            return;
        }
        self.state.outputs.push(Output { port, event, session, arguments: rest, bytes });
        if self.state.outputs.len() > self.stack.bounds.outputs as usize {
            self.report(Rule::Space, format!("{} outputs", self.state.outputs.len()));
        }
    }

    /// Calls a function of the host. If the host does not supply it, this is reported and the result is zero.
    pub fn call_extern(&mut self, id: ExternId, arguments: &[Value], ty: Option<&Type>) -> Value {
        let function = &self.stack.externs[id.index()];
        let externs = self.state.externs.clone();
        externs.call(function, arguments).unwrap_or_else(|| {
            self.report(Rule::Extern, format!("the host does not supply `{}`", function.name));
            ty.map_or(Value::Gone, |ty| self.stack.zero(ty))
        })
    }
}
