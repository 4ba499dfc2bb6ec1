//! Expirations of timers: at any moment, but for what a configuration states about them.

use std::sync::Arc;

use nacre_specification::members::name as member;
use nacre_stack::TimerId;

use super::{Near, Space, State, Visitor};
use crate::endpoints::{Local, Step, Transition};
use nacre_worlds::setup::IN_PHASE;

impl Space {
    /// Calls `found` for every timer that may fire.
    pub(super) fn expirations(&self, near: &mut Near, whole: State, locals: &[Arc<Local>], found: &mut dyn Visitor) {
        for (end, local) in locals.iter().enumerate() {
            if local.busy || self.timers.is_some_and(|t| self.left_of_limit(whole, t) == 0) {
                continue;
            }
            let from = self.timers.map_or(whole, |t| self.use_limit(whole, t));
            for (timer, armed) in local.armed.iter().enumerate() {
                if self.endpoints.waits(local, armed.timer) || found.enough() {
                    continue;
                }
                let from = match self.last[armed.timer.index()] {
                    None => from,
                    Some(limit)
                        if self.left_of_limit(from, limit) == 0 || !self.is_quiet(near, from, locals, limit) =>
                    {
                        continue
                    }
                    Some(limit) => self.use_limit(from, limit),
                };
                let Some(from) = self.fire_in_phase(from, end, armed.timer, locals) else { continue };
                if from.counts == whole.counts {
                    self.repeat(near, from, end, (timer as u32, armed.timer));
                }
                self.steps(near, from, end, Step::Timer(timer as u32), found);
            }
        }
    }

    /// Returns whether nothing else can happen except the last resort with this limit and those after it.
    fn is_quiet(&self, near: &mut Near, state: State, locals: &[Arc<Local>], limit: usize) -> bool {
        let sooner =
            |place: Option<usize>| place.is_none_or(|place| place < limit && self.left_of_limit(state, place) > 0);
        let may =
            |local: &Local, timer: TimerId| sooner(self.last[timer.index()]) && !self.endpoints.waits(local, timer);
        let others = |local: &Local| local.armed.iter().any(|a| may(local, a.timer));
        if locals.iter().any(|local| local.busy || others(local)) {
            return false;
        }
        let moves = self.network.moves(&mut near.network, &self.endpoints, state.network);
        let left = |limit: Option<usize>| limit.is_none_or(|limit| self.left_of_limit(state, limit) > 0);
        !moves.iter().any(|m| !m.fault && left(m.limit())) && !self.is_called(near, state)
    }

    /// Returns whether a remaining call would be accepted.
    fn is_called(&self, near: &mut Near, state: State) -> bool {
        let mut next = self.endpoints.calls.iter().enumerate();
        next.any(|(at, call)| {
            !call.spare
                && call.number == self.used(state, self.counter_of(call))
                && self.monitors.call(&mut near.monitors, state.monitor, at as u32, call).is_some()
                && self.takes_call(near, state, at)
        })
    }

    /// The counter of how often a timer in phase fired at an endpoint since it was armed at another one.
    fn phase(&self, timer: usize, end: usize, other: usize) -> usize {
        let pair = timer * self.members.directed_pairs() + self.members.directed(end, other);
        self.before_limits + self.scarce + 1 + pair
    }

    /// Returns the state in which a timer fires, with that counted; none if another endpoint's timer must fire first.
    fn fire_in_phase(&self, from: State, end: usize, timer: TimerId, locals: &[Arc<Local>]) -> Option<State> {
        let Some(phase) = self.phases[timer.index()] else { return Some(from) };
        let is_armed = |other: &usize| locals[*other].armed.iter().any(|a| a.timer == timer);
        self.members.others(end).filter(is_armed).try_fold(from, |state, other| {
            let counter = self.phase(phase, end, other);
            let free = self.used(state, counter) < IN_PHASE;
            free.then(|| State { counts: self.counters.after(state.counts, counter), ..state })
        })
    }

    /// Returns the counters after a step: where a timer in phase was armed, or is not armed any more, the counts of the
    /// other endpoints begin again.
    pub(super) fn keep_phases(&self, near: &mut Near, state: State, end: usize, transition: &Transition) -> u32 {
        let mut counts = state.counts;
        for (at, phase) in self.phases.iter().enumerate() {
            let Some(phase) = *phase else { continue };
            let local = self.endpoints.local(&mut near.endpoints, transition.next);
            let is_armed = local.armed.iter().any(|a| a.timer.index() == at);
            if !is_armed || transition.armed >> phase & 1 == 1 {
                let others = self.members.others(end).map(|other| self.phase(phase, other, end));
                counts = others.fold(counts, |counts, counter| self.counters.without(counts, counter));
            }
        }
        counts
    }

    /// Records a timer that can fire forever while the state of the network grows each time.
    fn repeat(&self, near: &mut Near, from: State, end: usize, (place, timer): (u32, TimerId)) {
        if self.unbounded.get().is_some() {
            return;
        }
        let before = self.local_of(from, end);
        let transitions = self.endpoints.step(&mut near.endpoints, end, before, Step::Timer(place));
        for transition in
            transitions.iter().filter(|transition| transition.broken.is_none() && transition.next == before)
        {
            let new = self.repeated.lock().is_ok_and(|mut repeated| repeated.insert((end, transition.effects)));
            let judged = self.monitors.see(&mut near.monitors, &self.endpoints, from.monitor, end, transition.effects);
            if !new || !judged.is_ok_and(|monitor| monitor == Some(from.monitor)) {
                continue;
            }
            if let Some(field) = self.network.grows(&self.endpoints, from.network, end, transition.effects) {
                let automaton = &self.network.automaton().name;
                let (timer, end) = (&self.timer_names[timer.index()], member(end));
                let seen = format!("each time that `{timer}` fires at {end}, `{field}` of `{automaton}` keeps more");
                let help = "limit it (`timers = 2`), or let the network keep each message once";
                let why = format!("the network grows without bound: {seen}; {help}");
                self.unbounded.get_or_init(|| why);
            }
        }
    }
}
