//! Sessions: how often a layer's state exists, and to which session an event belongs.
//!
//! A layer of `n` sessions has each of its `state` and `lasting` cells `n` times. The events that reach it name their
//! session as a parameter of the type `0 .. n`, so that no number is out of range: a call with another is invalid, a
//! frame whose header says another is malformed. Its code reads and changes the cells of that session only. What it
//! shares, is given or draws random numbers from exists once. A layer of one session has no such parameter to obey; it
//! may take and give any (a multiplexor finds the session in a header).

use std::borrow::Cow;

use crate::*;

/// The most sessions of a layer.
pub const MOST_SESSIONS: u32 = 1024;

impl Stack {
    /// How often a cell exists: once for each session of its layer, or once.
    pub fn copies(&self, id: CellId) -> u32 {
        let cell = self.cell(id);
        let layer = self.layer(cell.layer);
        let own = matches!(cell.scope, Scope::Session | Scope::Lasting) && layer.random != Some(id);
        if own {
            layer.sessions
        } else {
            1
        }
    }

    /// The type of a cell with all its copies.
    pub fn whole_type(&self, id: CellId) -> Cow<'_, Type> {
        let ty = &self.cell(id).ty;
        match self.copies(id) {
            1 => Cow::Borrowed(ty),
            copies => Cow::Owned(Type::Array(Box::new(ty.clone()), copies)),
        }
    }

    /// The number of sessions that an event distinguishes; 1: it names none.
    pub fn sessions_of(&self, event: EventId) -> u32 {
        let event = self.event(event);
        match event.session.and_then(|at| event.parameters.get(at as usize)).map(|parameter| &parameter.ty) {
            Some(Type::Range(0, high)) => u32::try_from(*high).unwrap_or(1),
            _ => 1,
        }
    }

    /// The local that names the session in which a handler runs, where its layer has several: of a timer the first.
    pub fn session_local(&self, handler: &Handler) -> Option<LocalId> {
        if self.layer(handler.layer).sessions == 1 {
            return None;
        }
        let at = match handler.event {
            Some(event) => self.event(event).session?,
            None => 0,
        };
        handler.parameters.get(at as usize).copied()
    }

    /// From a timer's cell to the timer, over the sessions first.
    pub fn timer_path<'a>(&self, timer: &'a Timer) -> Cow<'a, [TimerStep]> {
        match self.copies(timer.cell) {
            1 => Cow::Borrowed(&timer.path),
            _ => Cow::Owned([&[TimerStep::Each], &timer.path[..]].concat()),
        }
    }
}
