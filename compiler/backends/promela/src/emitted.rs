//! Events that leave an endpoint between automata: which automata receive them, by which transition.

use nacre_specification::violation::Violation;
use nacre_stack::*;

use crate::environment::{choices, Taken};
use crate::report::{Limit, StopReason};
use crate::term::Term;
use crate::types::is_wide;
use crate::world::{World, LEAVES, SENDING};
use crate::writer::Writer;

/// The place of an event that an automaton is to receive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// At the front of the queue of the endpoint at hand.
    Queue,
    /// Among the events that wait for the network.
    Sending,
}

impl Waiting {
    fn event(self) -> &'static str {
        match self {
            Waiting::Queue => "queue[queue_slot]",
            Waiting::Sending => "sending[sending_at]",
        }
    }

    fn frame(self) -> &'static str {
        match self {
            Waiting::Queue => "left_frame",
            Waiting::Sending => "sending_frames[sending_at]",
        }
    }
}

impl Writer<'_> {
    /// The representation of an event's message in the network.
    fn taken_below(&self, from: Waiting, place: &str) -> String {
        match self.frame_size {
            Some(_) if place == "m" => from.frame().into(),
            _ => format!("{}.{place}", from.event()),
        }
    }

    /// Events that leave the endpoints for an automaton.
    pub fn emitted(&self) -> Vec<(PortId, EventId)> {
        let ports = self.stack.ports.iter().enumerate().take(2);
        ports.flat_map(|(at, p)| p.outputs.iter().map(move |e| (PortId(at as u32), *e))).collect()
    }

    /// The number of the handler of an event that leaves.
    pub fn leaves_as(&self, port: PortId, event: EventId) -> Option<usize> {
        self.emitted().iter().position(|known| *known == (port, event)).map(|at| LEAVES + at)
    }

    /// Writes the effects of an event that leaves the current endpoint, at its single use: it can be too long for an
    /// inline.
    pub fn leaves(&mut self, world: &World, port: PortId, event: EventId) -> Result<(), String> {
        let down = port.0 == 0;
        let name = self.stack.event(event).name.clone();
        let number = self.leaves_as(port, event).unwrap_or_default() - LEAVES;
        let waits = down && world.is_open();
        let taken = if waits { Taken::default() } else { self.taken(world, down, event, Waiting::Queue)? };
        let places: Vec<_> =
            self.event_places(event).into_iter().zip(self.stack.event(event).parameters.clone()).collect();
        self.option(format!("next_handler == {}", LEAVES + number));
        self.open_text(&format!("d_step {{ /* {name} leaves the end */"));
        if let (true, Some(shapes)) = (down, self.shapes_of(event, "queue[queue_slot].m")) {
            self.broken_if(&format!("!({shapes})"), Violation::NoReaction, "a frame has no shape, or not its length");
            self.pack_frame(event, "queue[queue_slot].m");
        }
        if waits {
            let full = StopReason::Limit(Limit::Waiting).statement("");
            self.line(format!("if :: sending_len[0] >= {SENDING} -> {full} :: else fi;"));
            self.line(format!("sending[sending_len[0]].what = {};", number + 1));
            for (place, parameter) in &places {
                if self.frame_size.is_some() && parameter.ty == Type::Msg {
                    self.line("COPY_FRAME(sending_frames[sending_len[0]], left_frame);");
                    continue;
                }
                let (to, from) = (format!("sending[sending_len[0]].{place}"), format!("queue[queue_slot].{place}"));
                self.copy(&parameter.ty, &to, &from);
            }
            self.line("sending_len[0]++;");
        }
        choices(&taken, false).iter().for_each(|line| self.line(line));
        self.line("next_handler = 0");
        self.close("}");
        self.end_option();
        Ok(())
    }

    fn taken(&self, world: &World, down: bool, event: EventId, from: Waiting) -> Result<Taken, String> {
        let places = self.event_places(event);
        world.taken(self.stack, event, down, &|at, parameter| match down {
            _ if is_wide(&parameter.ty) => Err(self.too_wide(event)),
            true => Ok(Term::Atom(self.taken_below(from, &places[at]))),
            false => Ok(Term::Atom(format!("{}.{}", from.event(), places[at]))),
        })
    }

    /// Passes the waiting events to the network, in order. Hidden variables are no longer read after that.
    pub fn sent(&mut self, world: &World) -> Result<(), String> {
        if !world.is_open() {
            return Ok(());
        }
        self.line("do");
        self.open_text(":: sending_at < sending_len[0] ->");
        self.line("if");
        for (port, event) in self.emitted().into_iter().filter(|(port, _)| port.0 == 0) {
            let number = self.leaves_as(port, event).unwrap_or_default() - LEAVES;
            let taken = self.taken(world, true, event, Waiting::Sending)?;
            self.option(format!("sending[sending_at].what == {}", number + 1));
            choices(&taken, true).iter().for_each(|line| self.line(line));
            self.line("skip");
            self.end_option();
        }
        self.line("fi;");
        self.open_text("d_step {");
        self.line("sending[sending_at].what = 0;");
        for (port, event) in self.emitted().into_iter().filter(|(port, _)| port.0 == 0) {
            debug_assert_eq!(port.0, 0);
            let places = self.event_places(event);
            for (place, parameter) in places.into_iter().zip(self.stack.event(event).parameters.clone()) {
                match self.frame_size {
                    Some(_) if parameter.ty == Type::Msg => self.line("CLEAR_FRAME(sending_frames[sending_at]);"),
                    _ => self.zero(&parameter.ty, &format!("sending[sending_at].{place}")),
                }
            }
        }
        self.line("sending_at++");
        self.close("}");
        self.depth -= 1;
        self.line(":: else -> break");
        self.line("od;");
        Ok(())
    }
}
