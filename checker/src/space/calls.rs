//! Calls of the application: those that the specifications allow, and those that must be refused.

use nacre_specification::members::name as member;
use nacre_specification::violation::Violation;

use super::{Move, Near, Space, State, Visitor};
use crate::broken::Broken;
use crate::endpoints::{Step, Transition};

impl Space {
    /// Calls `found` for every call of the application at an endpoint.
    pub(super) fn calls(&self, near: &mut Near, from: State, end: usize, found: &mut dyn Visitor) {
        for (at, call) in self.endpoints.calls.iter().enumerate().filter(|(_, call)| call.end == end) {
            let (counter, at) = (self.counter_of(call), at as u32);
            if call.number != self.used(from, counter) || found.enough() {
                continue;
            }
            match self.monitors.call(&mut near.monitors, from.monitor, at, call) {
                Some(monitor) if !call.spare => self.call(near, State { monitor, ..from }, at, found),
                None if self.misuse => self.misuse(near, from, at, found),
                _ => {}
            }
        }
    }

    /// Makes a call that the specifications allow; the monitor's state is that after it.
    fn call(&self, near: &mut Near, from: State, at: u32, found: &mut dyn Visitor) {
        let (call, step) = (&self.endpoints.calls[at as usize], Step::Call(at));
        let end = call.end;
        let transitions = self.endpoints.step(&mut near.endpoints, end, self.local_of(from, end), step);
        if self.at_once && transitions.is_empty() {
            let name = self.endpoints.call_name(call);
            let why = format!("`{name}` at {} is allowed, and not taken", member(end));
            found.found(Move::Step { end, step, transition: 0 }, false, Err(Broken::new(Violation::Refused, why)));
        }
        let counts = self.counters.after(from.counts, self.counter_of(call));
        let called = State { counts, network: self.network.called(from.network), ..from };
        for (transition, w) in transitions.iter().enumerate() {
            self.settle(near, called, end, w, &mut |led| found.found(Move::Step { end, step, transition }, false, led));
        }
    }

    /// Finds outcomes of a call that no specification allows: it must be refused by the stack, or by the network
    /// if no layer states when it accepts it. A call without a message may also have no effect.
    fn misuse(&self, near: &mut Near, from: State, at: u32, found: &mut dyn Visitor) {
        let (call, step) = (&self.endpoints.calls[at as usize], Step::Misuse(at));
        let (end, before, own) = (call.end, self.local_of(from, call.end), self.accepting[call.kind]);
        for (transition, w) in self.endpoints.step(&mut near.endpoints, end, before, step).iter().enumerate() {
            let ignored =
                w.next == before && call.bytes.is_none() && self.endpoints.effects.value(w.effects).is_empty();
            let broken = match &w.broken {
                Some(broken) if self.detects && broken.violation == Violation::Assertion => continue,
                Some(broken) => broken.clone(),
                None if ignored || !own && !self.takes(near, from, end, w) => continue,
                None => {
                    let (name, end) = (self.endpoints.call_name(call), member(end));
                    let why = format!("`{name}` at {end} is accepted, and no specification allows it here");
                    Broken::new(Violation::Misuse, why)
                }
            };
            found.found(Move::Step { end, step, transition }, true, Err(broken));
        }
    }

    /// Whether the network takes what an endpoint sent in a step.
    fn takes(&self, near: &mut Near, from: State, end: usize, step: &Transition) -> bool {
        self.network.take(&mut near.network, &self.endpoints, from.network, end, step.effects).is_ok()
    }
}
