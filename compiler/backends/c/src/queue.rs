//! The event queue of a step, the ring of `later` events, and the scheduler that dispatches from both.

use nacre_stack::*;

use crate::code::Code;
use crate::events::Written;
use crate::functions::{Function, Linkage, Parameter};
use crate::globals::Global;
use crate::plan::Item;
use crate::writer::Writer;

/// Longer queues are in the pool.
const MOST_ON_STACK: u32 = 128;

/// Where events wait in line.
struct Line {
    /// The condition under which there is no room.
    full: String,
    /// The declaration of `e`, the place at the end.
    place: String,
    /// Events outlive the step there.
    keeps: bool,
}

impl Writer<'_> {
    fn event_struct(&mut self, name: &str, events: &[(Target, EventId)], code: &mut Code) {
        code.open(format!("struct {name} {{"));
        code.line("uint32_t what;");
        code.open("union {");
        code.line("uint8_t nothing;");
        for (target, event) in events {
            let parameters = self.parameters(*target, *event);
            if parameters.is_empty() {
                continue;
            }
            code.open("struct {");
            for Parameter { ty, name } in &parameters {
                code.line(format!("{};", ty.declare(name)));
            }
            code.close(format!("}} {};", self.event_name(*target, *event)));
        }
        code.close("} with;");
        code.close("};");
    }

    /// The struct of events in the queue.
    pub fn queue_struct(&mut self) -> Code {
        let mut code = Code::new(0);
        let events: Vec<_> = self.queued.iter().copied().collect();
        if !events.is_empty() {
            code.line("/* An event that waits for its turn. */");
            let name = format!("{}_event", self.prefix);
            self.event_struct(&name, &events, &mut code);
            code.line("");
        }
        code
    }

    /// Whether the queue is in the pool, as it would be long for the stack of a thread. Steps with the same pool happen
    /// one after the other, and leave it empty.
    pub fn queues_in_pool(&self) -> bool {
        !self.queued.is_empty() && self.stack.bounds.queue > MOST_ON_STACK
    }

    fn holds_queue(&self) -> &'static str {
        if self.queues_in_pool() {
            "pool"
        } else {
            "more"
        }
    }

    /// The struct of events that wait, part of the state.
    pub fn waiting_struct(&mut self) -> Code {
        let mut code = Code::new(0);
        let events: Vec<_> = self.put_off.iter().copied().collect();
        if !events.is_empty() {
            let name = format!("{}_waiting", self.prefix);
            self.event_struct(&name, &events, &mut code);
        }
        code
    }

    /// The function that puts an event at the end of the queue.
    pub fn queue_name(&self, target: Target, event: EventId) -> String {
        self.global(Global::Queue(target, event), format!("queue_{}", self.event_name(target, event)))
    }

    /// The function that adds an event to the ring of `later` events.
    pub fn put_off_name(&self, target: Target, event: EventId) -> String {
        self.global(Global::PutOff(target, event), format!("put_off_{}", self.event_name(target, event)))
    }

    fn fill(&mut self, number: usize, target: Target, event: EventId, code: &mut Code) {
        let name = self.event_name(target, event);
        code.line(format!("e->what = {number}; /* {name} */"));
        for Parameter { name: parameter, .. } in self.parameters(target, event) {
            code.line(format!("e->with.{name}.{parameter} = {parameter};"));
        }
    }

    fn lose(&mut self, target: Target, event: EventId, code: &mut Code) {
        let p = self.prefix.clone();
        if let Some(message) = self.stack.event(event).message {
            let name = self.parameters(target, event)[message as usize].name.clone();
            code.line(format!("{p}_drop(step->pool, {name}.bytes);"));
        }
        code.line(format!("step->counters[{p}_BROKEN]++;"));
        code.line("return;");
    }

    /// Functions that put an event at the end of the queue.
    pub fn queue_functions(&mut self) -> Vec<Written> {
        let p = self.prefix.clone();
        let end = self.around("step->first + step->len");
        let line = Line {
            full: format!("step->len == {p}_QUEUE"),
            place: format!("struct {p}_event *e = &step->{}->queue[{end}]; step->len++;", self.holds_queue()),
            keeps: false,
        };
        let events: Vec<_> = self.queued.iter().copied().collect();
        self.line_functions(&events, &line, Self::queue_name)
    }

    /// A place in the ring of the queue, from one below twice its size; without a division.
    fn around(&self, at: &str) -> String {
        let p = &self.prefix;
        match self.stack.bounds.queue.max(1).is_power_of_two() {
            true => format!("({at}) % {p}_QUEUE"),
            false => format!("{at} < {p}_QUEUE ? {at} : {at} - {p}_QUEUE"),
        }
    }

    /// Functions that put an event into the ring of `later` events.
    pub fn put_off_functions(&mut self) -> Vec<Written> {
        let p = self.prefix.clone();
        let end = format!("(step->s->waiting.head + step->s->waiting.len++) % {p}_WAITING");
        let line = Line {
            full: format!("step->s->waiting.len == {p}_WAITING"),
            place: format!("struct {p}_waiting *e = &step->s->waiting.at[{end}];"),
            keeps: true,
        };
        let events: Vec<_> = self.put_off.iter().copied().collect();
        self.line_functions(&events, &line, Self::put_off_name)
    }

    fn line_functions(
        &mut self,
        events: &[(Target, EventId)],
        line: &Line,
        name: fn(&Self, Target, EventId) -> String,
    ) -> Vec<Written> {
        let p = self.prefix.clone();
        let mut written = vec![];
        for (number, (target, event)) in events.iter().copied().enumerate() {
            let parameters = self.parameters(target, event);
            let mut code = Code::new(1);
            code.open(format!("if ({p}_UNLIKELY({})) {{", line.full));
            self.lose(target, event, &mut code);
            code.close("}");
            if let (Some(message), true) = (self.stack.event(event).message, line.keeps) {
                let name = &parameters[message as usize].name;
                code.line(format!("{name}.bytes = {p}_keep(step, {name}.bytes);"));
            }
            code.line(&line.place);
            self.fill(number, target, event, &mut code);
            written.push(Written { function: Function::plain(name(self, target, event), parameters), body: code });
        }
        written
    }

    /// Dispatches an event to its target: `e` is a copy of it.
    pub fn dispatch(&mut self, events: &[(Target, EventId)], code: &mut Code) {
        code.open("switch (e.what) {");
        for (number, (target, event)) in events.iter().enumerate() {
            let name = self.event_name(*target, *event);
            let parameters = self.parameters(*target, *event);
            let texts: Vec<String> = parameters.iter().map(|p| format!("e.with.{name}.{}", p.name)).collect();
            let function = match target {
                Target::Port(port) => self.output_function(*port, *event, false),
                Target::Layer(layer) => self.ask(Item::Reaction(*layer, *event), false),
            };
            code.line(format!("case {number}: {}; break;", self.call_step(&function, &texts)));
        }
        code.line("default: break;");
        code.close("}");
    }

    /// The scheduler, where events can wait. `finish` of the support text runs it.
    pub fn run_queue(&mut self) -> Code {
        let p = self.prefix.clone();
        let mut code = Code::new(0);
        let events: Vec<_> = self.queued.iter().copied().collect();
        if events.is_empty() {
            return code;
        }
        let name = format!("{p}_run_queue");
        let linkage = if self.level.is_quick() { Linkage::Cold } else { Linkage::Plain };
        let head = self.register(Function { linkage, ..Function::plain(name.clone(), vec![]) });
        // `finish` calls it, which is inlined.
        if self.level.is_quick() {
            self.calls.want_aside(&name);
        }
        code.line("/* The scheduler: hands the events in the queue to the layers, first come, first served. */");
        code.open(format!("{head} {{"));
        code.open("while (step->len > 0) {");
        code.line(format!("struct {p}_event e = step->{}->queue[step->first];", self.holds_queue()));
        code.line(format!("step->first = {};", self.around("step->first + 1u")));
        code.line("step->len--;");
        self.dispatch(&events, &mut code);
        code.close("}");
        code.close("}");
        code.line("");
        code
    }
}
