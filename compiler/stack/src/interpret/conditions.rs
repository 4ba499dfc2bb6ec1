//! Conditions: `accepts`, invariants and goals, each in its session.

use super::arguments::session_among;
use super::report::Rule;
use super::run::{Frame, Run, Slot};
use super::state::Pending;
use super::value::Value;
use crate::*;

impl<'a> Run<'a> {
    /// Reports an event that its layer does not accept.
    pub fn check_accepted(&mut self, layer: LayerId, event: &Pending) {
        let direction = self.stack.event(event.event).direction;
        let inner = matches!(self.stack.link(event.link).begin(direction), Target::Layer(_));
        if let Some(admission) = self.stack.acceptance(layer, event.event) {
            if inner && !self.admits(admission, event.event, &event.arguments) {
                let (layer, event) = (&self.stack.layer(layer).name, &self.stack.event(event.event).name);
                self.report(Rule::Accepts, format!("`{layer}` does not accept this `{event}`"))
            }
        }
    }

    /// Whether a condition of `accepts` holds for an event's arguments.
    pub fn admits(&mut self, admission: &'a Admission, event: EventId, arguments: &[Value]) -> bool {
        let mut frame = Frame::new(&admission.locals, admission.layer);
        frame.span = admission.condition.span;
        frame.session = session_among(self.stack, event, arguments);
        for (slot, value) in frame.slots.iter_mut().zip(arguments) {
            *slot = Slot::Value(value.clone());
        }
        self.frames.push(frame);
        let holds = self.evaluate(&admission.condition).truth();
        self.frames.pop();
        holds
    }

    /// Whether each goal holds.
    pub fn goals(&mut self) -> Vec<bool> {
        let mut held = vec![];
        for (layer, frame) in self.sessions() {
            self.frames.push(frame);
            held.extend(layer.goals.iter().map(|goal| self.evaluate(&goal.holds).truth()));
            self.frames.pop();
        }
        held
    }

    /// Each session of each layer, with its conditions.
    fn sessions(&self) -> impl Iterator<Item = (&'a Layer, Frame<'a>)> {
        let layers = self.stack.layers.iter().zip((0..).map(LayerId));
        layers.flat_map(|(layer, id)| {
            (0..layer.sessions).map(move |session| (layer, Frame { session: session.into(), ..Frame::new(&[], id) }))
        })
    }

    /// Checks the conditions at the end of a step.
    pub fn check_invariants(&mut self) {
        for (layer, frame) in self.sessions() {
            self.frames.push(frame);
            for (number, invariant) in layer.invariants.iter().enumerate() {
                self.frames.last_mut().expect("a frame").span = invariant.span;
                if !self.evaluate(invariant).truth() {
                    self.report(Rule::Invariant, format!("invariant {} of `{}`", number + 1, layer.name));
                }
            }
            self.frames.pop();
        }
    }
}
