//! Events, the queue and handlers.

use nacre_specification::violation::Violation;
use nacre_stack::*;

use crate::names::{clean, constant, Scope};
use crate::report::{within, Limit};
use crate::types::{is_scalar, plain, Field, Shape};
use crate::writer::{Frame, Writer};

/// The capacity of a step's queue.
const QUEUE: u32 = 64;

impl Writer<'_> {
    /// Every target and event that can be in the queue.
    pub fn kinds(&self) -> Vec<(Target, EventId)> {
        let mut kinds = vec![];
        for (at, layer) in self.stack.layers.iter().enumerate() {
            kinds.extend(layer.reactions.iter().map(|r| (Target::Layer(LayerId(at as u32)), r.event)));
        }
        for (at, port) in self.stack.ports.iter().enumerate() {
            kinds.extend(port.outputs.iter().map(|e| (Target::Port(PortId(at as u32)), *e)));
        }
        kinds
    }

    /// Returns the constant that names an event at its target.
    pub fn kind_name(&self, target: Target, event: EventId) -> String {
        let thing = format!("{target:?} {event:?}");
        let event = self.stack.event(event);
        let chosen = if event.direction == Direction::Up { "UP" } else { "DOWN" };
        let target = match target {
            Target::Layer(id) => self.layer_name(id),
            Target::Port(id) => format!("PORT_{}", clean(&self.stack.ports[id.index()].name)),
        };
        self.names.name(Scope::Constants, constant(&format!("{target}_{chosen}_{}", event.name)), thing)
    }

    /// The place of each parameter of an event in the typedef.
    pub fn event_places(&self, id: EventId) -> Vec<String> {
        let (mut scalars, mut others) = (0, 0);
        let event = self.stack.event(id);
        let place = |(i, p): (usize, &Parameter)| {
            if event.message == Some(i as u32) {
                return "m".into();
            }
            if is_scalar(&p.ty) {
                scalars += 1;
                return format!("x{}", scalars - 1);
            }
            others += 1;
            format!("y{}_{}", id.0, others - 1)
        };
        event.parameters.iter().enumerate().map(place).collect()
    }

    /// Returns the fields of a queued event: its kind, and the places that the parameters of all events share.
    pub fn event_fields(&self) -> Vec<Field> {
        let mut fields = vec![plain("what", Shape::Number("byte"))];
        for (_, event) in self.kinds() {
            for (parameter, name) in self.stack.event(event).parameters.iter().zip(self.event_places(event)) {
                if fields.iter().all(|f| f.name != name) {
                    let number = name.starts_with('x');
                    fields
                        .push(plain(name, if number { Shape::Number("int") } else { Shape::Of(parameter.ty.clone()) }));
                }
            }
        }
        fields
    }

    /// Returns the capacity of the `later` ring in the model: that of the stack, from 1 to 8.
    pub fn later_capacity(&self) -> u32 {
        self.stack.bounds.later.clamp(1, 8)
    }

    /// Writes an emission into the queue or the `later` ring; a model that exceeds their capacity reports it.
    pub fn emit(&mut self, emit: &Emit) {
        let slot = if emit.later {
            let most = self.later_capacity();
            self.line(within(&format!("MY.later_n < {most}"), Limit::Events));
            "MY.later[MY.later_n]".to_string()
        } else {
            self.line(within(&format!("queue_n < {QUEUE}"), Limit::Events));
            "queue[queue_end]".to_string()
        };
        let kind = self.kind_name(self.stack.target(emit), emit.event);
        self.line(format!("{slot}.what = {kind};"));
        for (argument, place) in emit.arguments.iter().zip(self.event_places(emit.event)) {
            self.assign(argument, &format!("{slot}.{place}"));
        }
        self.line(if emit.later { "MY.later_n++;" } else { "queued();" });
    }

    /// The condition that a frame has one of the shapes of its event; none if nothing is packed, or there is no frame.
    pub fn shapes_of(&self, event: EventId, message: &str) -> Option<String> {
        self.stack.event(event).message?;
        let layout = self.stack.layouts.first()?;
        let same = |s: &&nacre_stack::Shape| s.event == event;
        let any = layout.shapes.iter().any(|s| same(&s));
        let fits = layout.shapes.iter().filter(|s| !any || same(s)).map(|s| {
            format!(
                "({}.n >= {} && {}.n <= {} && {})",
                message,
                s.data_min,
                message,
                s.data_max,
                self.has_shape(s, message)
            )
        });
        Some(fits.collect::<Vec<_>>().join(" || "))
    }

    /// Writes the inline of a handler: its parameters, then its body.
    fn handler(&mut self, id: HandlerId) -> String {
        let handler = &self.stack.handlers[id.index()];
        let name = self.names.name(Scope::Inlines, clean(&handler.name), format!("{id:?}"));
        let layer = self.layer_name(handler.layer);
        let mut frame = self.frame_of(handler.layer, &layer, &handler.locals);
        frame.set = handler.parameters.iter().chain(&handler.fields).copied().collect();
        frame.done = format!("{name}_done");
        let header = self.header_handled(id);
        let comment = self.stack.layer(handler.layer).description.replace("*/", "");
        let passes = if handler.passes { " (passes on)" } else { "" };
        let comment = format!("{comment}: {}{}{passes}", handler.name, self.source(handler.span));
        let text = self.inline(&name, &[], &comment, frame, |w| {
            match handler.event {
                Some(event) => {
                    let places = w.event_places(event);
                    for (local, place) in handler.parameters.iter().zip(places) {
                        let (to, ty) = (w.local(*local), w.local_type(*local));
                        w.copy(&ty, &to, &format!("queue[queue_slot].{place}"));
                    }
                    let message = w.stack.event(event).message;
                    if let (Some(header), Some(at)) = (header, message) {
                        let m = w.local(handler.parameters[at as usize]);
                        w.pop_header(&m, header, &handler.fields);
                    }
                }
                None => {
                    for (at, local) in handler.parameters.iter().enumerate() {
                        let to = w.local(*local);
                        w.line(format!("{to} = which{at};"));
                    }
                }
            }
            w.body(&handler.body);
        });
        self.functions.push(text);
        name
    }

    fn header_handled(&self, id: HandlerId) -> Option<HeaderId> {
        let arms = self.stack.layers.iter().flat_map(|l| &l.reactions).flat_map(|r| &r.arms);
        arms.filter(|a| a.handler == id).find_map(|a| a.guard.header)
    }

    /// Removes the event at the head of the queue, and selects its handler. A handler is a `d_step` of its own, because
    /// SPIN limits the length of a `d_step`.
    pub fn next_event(&mut self) -> String {
        let kinds = self.kinds();
        self.inline("next_event", &[], "The head of the queue, and which handler is for it.", Frame::default(), |w| {
            w.line("queue_slot = queue_at; queue_at = (queue_at + 1) % QUEUE; queue_n--;");
            w.line("if");
            for (target, event) in kinds {
                w.option(format!("queue[queue_slot].what == {}", w.kind_name(target, event)));
                match target {
                    Target::Layer(layer) => w.react(layer, event),
                    Target::Port(port) => match w.leaves_as(port, event) {
                        Some(number) => w.line(format!("next_handler = {number};")),
                        None => w.line("skip;"),
                    },
                }
                w.end_option();
            }
            w.line("fi");
        })
    }

    /// Returns the name of a handler's inline, which is written at the first use.
    pub fn handler_name(&mut self, id: HandlerId) -> String {
        if let Some((_, name)) = self.handlers.iter().find(|(known, _)| *known == id) {
            return name.clone();
        }
        let name = self.handler(id);
        self.handlers.push((id, name.clone()));
        name
    }

    fn react(&mut self, layer: LayerId, event: EventId) {
        self.frame.layer = Some(layer);
        self.check_accepted(layer, event);
        let reaction = self.stack.layer(layer).reactions.iter().find(|r| r.event == event);
        let message = self.stack.event(event).message.is_some();
        let slot = self.header_slot(layer);
        let has_headers = message && self.headers_of(layer).next().is_some();
        self.line("if");
        for arm in reaction.iter().flat_map(|r| &r.arms) {
            let mut parts = vec![];
            match arm.guard.header {
                Some(header) => parts.push(format!("queue[queue_slot].m.{slot} == {}", self.header_constant(header))),
                None if has_headers => parts.push(format!("queue[queue_slot].m.{slot} == 0")),
                None => {}
            }
            if arm.guard.data && message {
                parts.push("queue[queue_slot].m.is_data".into());
            }
            let name = self.handler_name(arm.handler);
            let guard = if parts.is_empty() { "true".to_string() } else { parts.join(" && ") };
            self.line(format!(":: {guard} -> next_handler = RUN_{name}"));
            if parts.is_empty() {
                break;
            }
        }
        let always = reaction
            .iter()
            .flat_map(|r| &r.arms)
            .any(|a| a.guard.header.is_none() && !has_headers && !(a.guard.data && message));
        if !always {
            self.otherwise();
            let why = format!("no handler for this `{}`", self.stack.event(event).name);
            self.broken_if("true", Violation::NoReaction, &why);
            self.end_option();
        }
        self.line("fi");
        self.frame.layer = None;
    }

    /// Checks that the target of an emission accepts it.
    fn check_accepted(&mut self, layer: LayerId, event: EventId) {
        if let Some(admission) = self.stack.acceptance(layer, event) {
            let places: Vec<String> =
                self.event_places(event).iter().map(|p| format!("queue[queue_slot].{p}")).collect();
            let outer = std::mem::replace(&mut self.frame, admission_frame(admission, places));
            let holds = self.value(&admission.condition);
            let why = format!("`{}` is not accepted", self.stack.event(event).name);
            self.broken_if(&format!("!{holds}"), Violation::NotAccepted, &why);
            self.frame = outer;
        }
    }
}

/// The frame of a condition of `accepts` whose locals are the given places.
pub fn admission_frame(admission: &Admission, mut places: Vec<String>) -> Frame {
    places.resize(admission.locals.len(), "0".into());
    Frame { layer: Some(admission.layer), locals: admission.locals.clone(), places, ..Frame::default() }
}

/// Declares the queue and the inline that appends an event.
pub fn queue() -> String {
    format!(
        "#define QUEUE {QUEUE}\nhidden event queue[QUEUE];\nhidden byte queue_at, queue_end, queue_n, queue_slot;\n\
         inline queued() {{ queue_end = (queue_end + 1) % QUEUE; queue_n++ }}\n"
    )
}
