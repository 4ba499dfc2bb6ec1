//! Endpoints in Promela for their environment, and the guards of their steps.

use nacre_stack::*;

use crate::environment::Endpoints;
use crate::fairness::Fair;
use crate::term::Term;
use crate::world::{Call, World};
use crate::writer::Writer;

impl Endpoints for Writer<'_> {
    fn accepts(&mut self, _: usize, call: &Call, arguments: &[Term]) -> Result<Term, String> {
        let input = self.input_of(call)?;
        let given = self.given_to(call.event, call.end, arguments)?;
        let admitted: Vec<String> = given.iter().map(|(_, term)| term.to_string()).collect();
        let admitted = self.at_end(call.end, |w| w.admitted_with(&input, &admitted));
        Ok(Term::all(admitted.into_iter().map(|condition| Term::Atom(format!("({condition})")))))
    }

    fn called(&mut self, _: usize, call: &Call, arguments: &[Term]) -> Result<Vec<String>, String> {
        let input = self.input_of(call)?;
        let given = self.given_to(call.event, call.end, arguments)?;
        Ok(self.written(|w| w.put(&input, &given)))
    }

    fn arrived(&mut self, event: EventId, end: usize, arguments: &[Term]) -> Result<Vec<String>, String> {
        let inputs = self.stack.ports.first().map_or(&[][..], |port| &port.inputs);
        let input = inputs.iter().find(|i| i.event == event).ok_or("an event that does not come from below")?.clone();
        let given = self.given_to(event, end, arguments)?;
        Ok(self.written(|w| w.arrives(&input, &given)))
    }
}

impl Writer<'_> {
    fn input_of(&self, call: &Call) -> Result<PortInput, String> {
        let inputs = self.stack.ports.get(1).map_or(&[][..], |port| &port.inputs);
        inputs.iter().find(|i| i.event == call.event).cloned().ok_or("a call that is not an event from above".into())
    }

    /// The parameters of an event from an automaton: addresses are those of the peer.
    fn given_to(&self, event: EventId, end: usize, arguments: &[Term]) -> Result<Vec<(String, Term)>, String> {
        self.carries_numbers(event)?;
        let parameters = self.stack.event(event).parameters.iter().zip(arguments.iter().skip(1));
        let values = parameters.map(|(parameter, term)| match parameter.ty {
            Type::Addr => Term::number(2 - end),
            _ => term.clone(),
        });
        Ok(self.event_places(event).into_iter().zip(values).collect())
    }

    /// Writes an option for each timer that can be armed.
    pub fn timer_options(&mut self, world: &World, waits: &str, fair: Option<&Fair>) {
        let mut place = 0;
        for at in 0..self.stack.timers.len() {
            let resort = world.last.iter().position(|(name, _)| *name == self.stack.timers[at].name);
            let mut when = format!("opened == 2 && {waits}");
            if let Some(resort) = resort {
                when += &world.last_resort(resort, &mut |sooner| self.none_armed(&world.last[sooner].0));
            }
            let name = self.timer_name(at);
            for armed in self.timer_places(at) {
                let number = if resort.is_some() { fair.map(Fair::none) } else { fair.map(|f| f.of_timer(place)) };
                place += usize::from(resort.is_none());
                let then = format!("cause = {name}{}", armed.which);
                self.begins(&format!("{when} && {}", armed.when), &then, number);
            }
        }
    }

    /// Writes an option that begins a step. `number`: the number of the move for fairness.
    pub fn begins(&mut self, when: &str, then: &str, number: Option<String>) {
        self.line(match number {
            None => format!(":: {when} -> {then}"),
            Some(number) => format!(":: d_step {{ ({when}) -> {then}; taken = {number} }}"),
        });
    }

    /// The condition that no timer of a name is armed at any endpoint.
    fn none_armed(&mut self, name: &str) -> String {
        let timers = (0..self.stack.timers.len()).filter(|at| self.stack.timers[*at].name == name);
        let timers: Vec<_> = timers.flat_map(|at| [(at, 0), (at, 1)]).collect();
        let armed: Vec<_> = timers.into_iter().flat_map(|(at, end)| self.at_end(end, |w| w.timer_places(at))).collect();
        let free: String = armed.iter().map(|armed| format!(" && !({})", armed.when)).collect();
        format!("(true{free})")
    }
}
