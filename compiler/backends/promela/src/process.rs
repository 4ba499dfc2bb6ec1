//! The process of an endpoint: the triggers of a step, and the step.

use nacre_specification::violation::Violation;
use nacre_stack::*;

use crate::refusal::{Construct, Counted, Reason};
use crate::report::Step as Report;
use crate::term::Term;
use crate::types::{is_scalar, is_wide};
use crate::writer::{Frame, Writer};
use crate::DRAWS;

/// One timer of a family at a place in the state of an endpoint.
#[derive(Clone, Debug, Default)]
pub struct Armed {
    pub place: String,
    /// The condition that it exists and is armed.
    pub when: String,
    /// The statements that record its indices.
    pub which: String,
    depth: usize,
}

impl Writer<'_> {
    /// Writes the opening of an endpoint: sets given values and cells, and puts the opening event into the queue.
    pub fn opening(&mut self) -> String {
        let generators: Vec<CellId> = self.stack.layers.iter().filter_map(|l| l.random).collect();
        let cells: Vec<(CellId, Cell)> =
            self.stack.cells.iter().enumerate().map(|(i, c)| (CellId(i as u32), c.clone())).collect();
        let openings: Vec<PortInput> = self.stack.openings().cloned().collect();
        self.inline("open", &[], "Opening: values of the cells, then `init`.", Frame::default(), |w| {
            for given in [true, false] {
                for (id, cell) in
                    cells.iter().filter(|(id, c)| (c.scope == Scope::Given) == given && !generators.contains(id))
                {
                    let place = w.cell(*id);
                    w.frame = w.frame_of(cell.layer, &format!("open{}", id.0), &cell.locals);
                    if !cell.draws.is_empty() {
                        w.body(&cell.draws);
                    }
                    let given_at = |end: usize| {
                        let (_, values) = w.given.iter().find(|(name, _)| *name == cell.name)?;
                        values.get(end).copied().filter(|_| cell.is_configured())
                    };
                    let values = given_at(0).zip(given_at(1));
                    match &cell.initial {
                        _ if values.is_some() => values.into_iter().for_each(|each| w.given_each(cell, &place, each)),
                        Some(e) => {
                            let value = w.value(e);
                            w.copy(&cell.ty, &place, &value);
                        }
                        None if given => w.given(cell, &place),
                        None => {}
                    }
                }
            }
            w.frame = Frame::default();
            for input in &openings {
                w.put(input, &[]);
            }
        })
    }

    /// Sets a cell to the values of a configuration for both endpoints, cut to its type as the explorer does.
    fn given_each(&mut self, cell: &Cell, place: &str, (at_a, at_b): (u64, u64)) {
        self.line("if");
        for (end, number) in [at_a, at_b].into_iter().enumerate() {
            self.option(format!("me == {end}"));
            match &cell.ty {
                Type::Bytes(n) => (0..*n).for_each(|i| self.line(format!("{place}.b[{i}] = {};", number as u8))),
                ty @ (Type::UInt(bits) | Type::Int(bits) | Type::Seq(bits)) => {
                    let number = number & mask(u32::from(*bits));
                    let [low, high] = [number as u32 as i32, (number >> 32) as u32 as i32];
                    match is_wide(ty) {
                        true => self.line(format!("{place}.lo = {low}; {place}.hi = {high};")),
                        false => self.line(format!("{place} = {};", crate::numbers::wrap(&low.to_string(), ty))),
                    }
                }
                _ => self.given(cell, place),
            }
            self.end_option();
        }
        self.line("fi;");
    }

    /// Sets a given value as the explorer does: the peer's address, a distinct cookie, a key for each direction,
    /// otherwise the same at both endpoints.
    pub fn given(&mut self, cell: &Cell, place: &str) {
        let number = match cell.role {
            Some(role) if role.is_own() || role == GivenRole::SealingKey => "me + 1",
            Some(GivenRole::OpeningKey) => "2 - me",
            Some(role) if role.is_agreed() => "0",
            _ => "1",
        };
        match &cell.ty {
            Type::Addr => self.line(format!("{place} = 2 - me;")),
            Type::Bytes(n) => (0..*n).for_each(|i| self.line(format!("{place}.b[{i}] = {number};"))),
            ty @ Type::Range(low, _) => self.least(*low, ty, place),
            ty @ (Type::UInt(_) | Type::Int(_) | Type::Seq(_)) if is_scalar(ty) => {
                self.line(format!("{place} = {};", crate::numbers::wrap(number, ty)));
            }
            ty if is_wide(ty) && !matches!(ty, Type::Bits(_)) => {
                self.line(format!("{place}.lo = {number}; {place}.hi = 0;"));
            }
            ty => self.zero(ty, place),
        }
    }

    /// Writes an outside event to the queue; arguments by place, all others zero.
    pub fn put(&mut self, input: &PortInput, arguments: &[(String, Term)]) {
        let kind = self.kind_name(Target::Layer(input.layer), input.event);
        self.line(format!("queue[queue_end].what = {kind};"));
        let parameters = self.stack.event(input.event).parameters.clone();
        for (place, parameter) in self.event_places(input.event).into_iter().zip(parameters) {
            let to = format!("queue[queue_end].{place}");
            match arguments.iter().find(|(name, _)| *name == place) {
                Some((_, from)) => self.copy(&parameter.ty, &to, &from.to_string()),
                None if parameter.ty == Type::Addr && !arguments.is_empty() => self.line(format!("{to} = 2 - me;")),
                None => self.zero(&parameter.ty, &to),
            }
        }
        self.line("queued();");
    }

    /// Returns the inline that checks the invariants of all layers after a step.
    pub fn invariants(&mut self) -> String {
        self.inline("check_invariants", &[], "What layers state between steps.", Frame::default(), |w| {
            for (at, layer) in w.stack.layers.iter().enumerate() {
                w.frame.layer = Some(LayerId(at as u32));
                for (number, invariant) in layer.invariants.iter().enumerate() {
                    let holds = w.value(invariant);
                    let why = format!("invariant {}", number + 1);
                    w.broken_if(&format!("!{holds}"), Violation::Invariant, &why);
                }
            }
        })
    }

    /// Draws the random numbers of a step before it begins.
    pub fn rolls(&mut self) {
        if self.draws {
            let rolls: Vec<String> = (0..1 << DRAWS).map(|d| format!(":: roll = {d}")).collect();
            self.line(format!("if {} fi; /* what is drawn */", rolls.join(" ")));
        }
    }

    /// Writes the loop over the queue without its end.
    pub fn handling(&mut self) {
        self.line("do");
        self.line(":: next_handler == 0 && queue_n == 0 -> break");
        self.line(":: next_handler == 0 && queue_n > 0 -> d_step { next_event() }");
        for (_, name) in self.handlers.clone() {
            self.line(format!(":: next_handler == RUN_{name} -> d_step {{ {name}(); next_handler = 0 }}"));
        }
    }

    /// Writes a line and indents those that follow.
    pub fn open_text(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    /// Returns the conditions under which a call is accepted, given its arguments.
    pub fn admitted_with(&mut self, input: &PortInput, arguments: &[String]) -> Vec<String> {
        let mut parts = vec![];
        for admission in &input.admissions {
            let mut frame = crate::dispatch::admission_frame(admission, arguments.to_vec());
            frame.pure_ = true;
            let outer = std::mem::replace(&mut self.frame, frame);
            let lines = self.lines.len();
            parts.push(self.value(&admission.condition));
            self.lines.truncate(lines);
            self.frame = outer;
        }
        parts
    }

    /// Returns every timer of a family at the current endpoint.
    pub fn timer_places(&mut self, at: usize) -> Vec<Armed> {
        let timer = &self.stack.timers[at];
        let cell = self.stack.cell(timer.cell);
        let first = Armed { place: self.cell(timer.cell), ..Armed::default() };
        let (mut places, mut ty) = (vec![first], cell.ty.clone());
        for step in &timer.path {
            (places, ty) = self.timer_step(places, ty, step);
        }
        if places.len() > 64 {
            self.refuse(Reason::Size(Counted::TimersOfOneName, places.len() as u64));
            return vec![];
        }
        for armed in &mut places {
            armed.when += &armed.place;
        }
        places
    }

    fn timer_step(&mut self, places: Vec<Armed>, ty: Type, step: &TimerStep) -> (Vec<Armed>, Type) {
        let each = |n: u32, part: &str, exists: &dyn Fn(&str, u32) -> String| -> Vec<Armed> {
            let at = |armed: &Armed, i: u32| Armed {
                place: format!("{}.{part}[{i}]", armed.place),
                when: format!("{}{}", armed.when, exists(&armed.place, i)),
                which: format!("{}; which{} = {i}", armed.which, armed.depth),
                depth: armed.depth + 1,
            };
            places.iter().flat_map(|armed| (0..n).map(move |i| at(armed, i))).collect()
        };
        match (step, &ty) {
            (TimerStep::Field(i), _) => {
                let name = self.fields(&ty)[*i as usize].name.clone();
                let inner = |armed: &Armed| Armed { place: format!("{}.{name}", armed.place), ..armed.clone() };
                (places.iter().map(inner).collect(), self.part_type(&ty, *i))
            }
            (TimerStep::Each, Type::Option(t)) => {
                let inner = |armed: &Armed| Armed {
                    place: format!("{}.v", armed.place),
                    when: format!("{}{}.some && ", armed.when, armed.place),
                    ..armed.clone()
                };
                (places.iter().map(inner).collect(), (**t).clone())
            }
            (TimerStep::Each, Type::Array(t, n)) => (each(*n, "v", &|_, _| String::new()), (**t).clone()),
            (TimerStep::Each, Type::Ring(t, n) | Type::List(t, n)) => {
                (each(*n, "v", &|place, i| format!("{place}.n > {i} && ")), (**t).clone())
            }
            (TimerStep::Each, Type::Pool(t, n) | Type::Map(_, t, n)) => {
                (each(*n, "v", &|place, i| format!("{place}.used[{i}] && ")), (**t).clone())
            }
            (TimerStep::Each, other) => {
                self.refuse(Reason::Of(Construct::Timers, other.clone()));
                (vec![], ty)
            }
        }
    }

    /// Moves the first `later` event to the queue.
    pub fn begin_later(&mut self) {
        if !self.has_later {
            return;
        }
        self.option("cause == LATER");
        self.line(format!("{};", Report::Later { end: 0 }.print_of_me()));
        let (fields, most) = (self.event_fields(), self.later_capacity());
        let text = self.copy_fields("event", &fields, "queue[queue_end]", "MY.later[0]");
        self.line(text);
        self.line("queued(); i_at = 0;");
        self.line("do");
        self.option(format!("i_at + 1 < MY.later_n && i_at + 1 < {most}"));
        let text = self.copy_fields("event", &fields, "MY.later[i_at]", "MY.later[i_at + 1]");
        self.line(text);
        self.line("i_at++");
        self.end_option();
        self.line(":: else -> break");
        self.line("od;");
        self.line("MY.later_n--;");
        let text = self.zero_fields("event", &fields, "MY.later[MY.later_n]");
        self.line(text);
        self.end_option();
    }

    /// Writes the firing of a timer. `counts`: the counter of its expirations.
    pub fn fire(&mut self, at: usize, counts: Option<String>) {
        let (name, stack) = (self.timer_name(at), self.stack);
        let timer = &stack.timers[at];
        self.option(format!("cause == {name}"));
        self.line(format!("{};", Report::Timer { end: 0, name: timer.name.clone() }.print_of_me()));
        let (mut place, mut ty, mut index) = (self.cell(timer.cell), stack.cell(timer.cell).ty.clone(), 0);
        for step in &timer.path {
            let next = match (step, &ty) {
                (TimerStep::Field(i), _) => {
                    place = format!("{place}.{}", self.fields(&ty)[*i as usize].name);
                    self.part_type(&ty, *i)
                }
                (TimerStep::Each, Type::Option(t)) => {
                    place = format!("{place}.v");
                    (**t).clone()
                }
                (
                    TimerStep::Each,
                    Type::Array(t, _) | Type::Ring(t, _) | Type::List(t, _) | Type::Pool(t, _) | Type::Map(_, t, _),
                ) => {
                    place = format!("{place}.v[which{index}]");
                    index += 1;
                    (**t).clone()
                }
                (_, other) => other.clone(),
            };
            ty = next;
        }
        self.line(format!("{place} = 0;"));
        counts.into_iter().for_each(|counts| self.line(format!("{counts}++;")));
        let handler = self.handler_name(timer.handler);
        self.line(format!("next_handler = RUN_{handler}"));
        self.end_option();
    }
}
