//! Decides which emissions become calls: those that may overtake the events in the queue unobserved.
//!
//! A step is a tree of events. The queue handles it breadth first; a call descends at once. With some emissions as
//! calls and the others through the queue, the order is breadth first by the number of waits, and depth first within.
//! Layers share no state, so all behaviour is kept if every layer (and every port, and the ring of `later` events)
//! meets the same events in the same order. Take two events x and y at one of them, reached from one run of a handler
//! over its emissions a and then b. The queue handles x first if x is not deeper than y; the mixed order does if x does
//! not have more waits before it. So both must agree for all depths at which a and b can reach one place.
//!
//! Also, no layer may be entered while it runs, unless it has nothing left to do; and calls must not form cycles,
//! because they become C functions. The pass begins with all emissions as calls and returns to the queue those that
//! break a rule, until none is broken: with all in the queue, the order is that of the reference.

use std::collections::{BTreeSet, HashMap};

use nacre_stack::visit::{rewrite_stack, ChangeStatements};
use nacre_stack::*;

use crate::reach::{Depth, Reach, Seen};
use crate::sites::{self, SiteId, Sites};

/// The decision about one emission of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub handler: HandlerId,
    /// Its index among the emissions of the handler, in textual order; those of functions at their calls.
    pub emission: usize,
    pub event: EventId,
    pub call: bool,
    pub reason: String,
    /// The emission in the source.
    pub span: Span,
}

/// Decides for all emissions of the normal form, and marks [`Emit::call`].
pub fn decide(stack: &mut Stack) -> Vec<Decision> {
    normal::normalize(stack);
    number(stack);
    let sites = sites::find(stack);
    let (waits, reasons) = Search::new(stack, &sites).run();
    let mut decisions = vec![];
    for (handler, course) in sites.courses.iter().enumerate() {
        for (emission, site) in course.sites.iter().enumerate() {
            let handler = HandlerId(handler as u32);
            let call = is_inner(&sites, *site) && !waits[*site];
            let (event, reason) = (sites.all[*site].event, reasons[*site].clone());
            let span = sites.all[*site].span;
            decisions.push(Decision { handler, emission, event, call, reason, span });
        }
    }
    let calls: Vec<bool> = (0..sites.all.len()).map(|s| is_inner(&sites, s) && !waits[s]).collect();
    mark(stack, &sites.statements, &calls);
    decisions
}

/// Whether a site emits to a layer, in the same step.
fn is_inner(sites: &Sites, site: SiteId) -> bool {
    !sites.all[site].later && matches!(sites.all[site].target, Target::Layer(_))
}

/// Writes the decisions into the stack. Emissions that no handler reaches stay in the queue.
fn mark(stack: &mut Stack, sites: &HashMap<NodeId, SiteId>, calls: &[bool]) {
    let mark = |statement: &mut Statement| {
        if let StatementKind::Emit(emit) = &mut statement.kind {
            emit.call = sites.get(&statement.id).is_some_and(|site| calls[*site]);
        }
    };
    rewrite_stack(&mut ChangeStatements(mark), stack);
}

struct Search<'s> {
    stack: &'s Stack,
    sites: &'s Sites,
    waits: Vec<bool>,
    reasons: Vec<String>,
}

impl<'s> Search<'s> {
    fn new(stack: &'s Stack, sites: &'s Sites) -> Search<'s> {
        let count = sites.all.len();
        Search { stack, sites, waits: vec![false; count], reasons: vec![String::new(); count] }
    }

    fn run(mut self) -> (Vec<bool>, Vec<String>) {
        let mut reach = Reach::new(self.stack, self.sites);
        loop {
            reach.follow(&self.waits);
            let found = self
                .cycle()
                .or_else(|| self.entered_while_running(&reach))
                .or_else(|| self.seen(&reach))
                .or_else(|| self.openings(&reach));
            let Some((site, reason)) = found else { break };
            self.waits[site] = true;
            self.reasons[site] = format!("queued: {reason}");
        }
        for site in 0..self.sites.all.len() {
            if !self.waits[site] {
                self.reasons[site] = self.why_called(&reach, site);
            }
        }
        (self.waits, self.reasons)
    }

    fn is_call(&self, site: SiteId) -> bool {
        is_inner(self.sites, site) && !self.waits[site]
    }

    fn name(&self, site: SiteId) -> String {
        let site = &self.sites.all[site];
        let event = self.stack.event(site.event);
        let direction = if event.direction == Direction::Up { "up" } else { "down" };
        match site.target {
            Target::Layer(layer) => format!("{}.{direction}.{}", self.stack.layer(layer).name, event.name),
            Target::Port(port) => format!("port {}.{direction}.{}", self.stack.ports[port.index()].name, event.name),
        }
    }

    fn way_named(&self, handler: usize, way: &[SiteId]) -> String {
        let mut names = vec![self.stack.handlers[handler].name.clone()];
        names.extend(way.iter().map(|s| self.name(*s)));
        names.join(" -> ")
    }

    fn seen_name(&self, seen: Seen) -> String {
        match seen {
            Seen::State(layer) => self.stack.layers[layer].name.clone(),
            Seen::Port(port) => format!("port {}", self.stack.ports[port.index()].name),
            Seen::Later => "what comes later".into(),
        }
    }

    fn why_called(&self, reach: &Reach, site: SiteId) -> String {
        let place = &self.sites.all[site];
        let Target::Layer(layer) = place.target else { return "leaves at once".into() };
        if place.later {
            return "later: a step of its own".into();
        }
        let name = &self.stack.layer(layer).name;
        let seen = Seen::State(reach.states[layer.index()]);
        let leads = |other: &SiteId| reach.of_site(*other, &self.waits).contains_key(&seen);
        let meets = |course: &sites::Course| {
            let pairs = course.follows.iter().filter(|(a, b)| (*a == site) != (*b == site));
            pairs.map(|(a, b)| if *a == site { b } else { a }).any(leads)
        };
        if self.sites.courses.iter().any(meets) {
            format!("called: whatever else reaches {name} in this step comes in the same order")
        } else {
            format!("called: nothing else that is emitted here leads to {name}")
        }
    }

    /// Finds a call that leads back to its own reaction: C functions must not call themselves.
    fn cycle(&self) -> Option<(SiteId, String)> {
        for handler in 0..self.sites.courses.len() {
            let mut stack = vec![(handler, vec![])];
            let mut met = BTreeSet::from([handler]);
            while let Some((at, way)) = stack.pop() {
                for site in self.sites.courses[at].sites.iter().filter(|s| self.is_call(**s)) {
                    let mut longer: Vec<SiteId> = way.clone();
                    longer.push(*site);
                    for taker in self.reaction_of(*site) {
                        if taker == handler {
                            return Some((
                                *site,
                                format!("a call would not end: {}", self.way_named(handler, &longer)),
                            ));
                        }
                        if met.insert(taker) {
                            stack.push((taker, longer.clone()));
                        }
                    }
                }
            }
        }
        None
    }

    /// All handlers of the reaction that receives an emission: in C they are one function.
    fn reaction_of(&self, site: SiteId) -> Vec<usize> {
        let place = &self.sites.all[site];
        let Target::Layer(layer) = place.target else { return vec![] };
        let reactions = self.stack.layer(layer).reactions.iter().filter(|r| r.event == place.event);
        reactions.flat_map(|r| &r.arms).map(|a| a.handler.index()).collect()
    }

    /// Finds a call that re-enters a layer that is not done.
    fn entered_while_running(&self, reach: &Reach) -> Option<(SiteId, String)> {
        for (handler, course) in self.sites.courses.iter().enumerate() {
            let own = reach.states[self.stack.handlers[handler].layer.index()];
            for site in course.sites.iter().filter(|s| self.is_call(**s) && self.sites.all[**s].touched_after) {
                let reached = reach.of_site(*site, &self.waits);
                let Some(depths) = reached.get(&Seen::State(own)) else { continue };
                if let Some(depth) = depths.iter().find(|d| d.waits == 0) {
                    let way = reach.way(*site, Seen::State(own), *depth, &self.waits);
                    let back = *way.iter().rev().find(|s| self.is_call(**s))?;
                    let name = self.seen_name(Seen::State(own));
                    return Some((back, format!("{name} may be running: {}", self.way_named(handler, &way))));
                }
            }
        }
        None
    }

    /// Finds two events at one place in another order than through the queue.
    fn seen(&self, reach: &Reach) -> Option<(SiteId, String)> {
        for (handler, course) in self.sites.courses.iter().enumerate() {
            let reached: Vec<_> = course.sites.iter().map(|s| (*s, reach.of_site(*s, &self.waits))).collect();
            let of = |site: SiteId| reached.iter().find(|(s, _)| *s == site).map(|(_, r)| r);
            for (a, b) in &course.follows {
                let (Some(first), Some(second)) = (of(*a), of(*b)) else { continue };
                for (seen, depths) in first {
                    for other in second.get(seen).into_iter().flatten() {
                        for depth in depths {
                            if let Some(found) = self.judge(reach, handler, *seen, (*a, *depth), (*b, *other)) {
                                return Some(found);
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// The same for opening, which puts several `init` events into the queue.
    fn openings(&self, reach: &Reach) -> Option<(SiteId, String)> {
        let inits: Vec<&PortInput> = self.stack.opened().map(|(input, _)| input).collect();
        for (index, first) in inits.iter().enumerate() {
            for second in &inits[index + 1..] {
                let (a, b) = (self.opening(first), self.opening(second));
                for (handler, x, seen, depth) in reach.over(&a, &self.waits) {
                    for (_, y, _, other) in reach.over(&b, &self.waits).into_iter().filter(|(_, _, s, _)| *s == seen) {
                        if let Some(found) = self.judge(reach, handler, seen, (x, depth), (y, other)) {
                            return Some(found);
                        }
                    }
                }
            }
        }
        None
    }

    /// The handlers of the opening events.
    fn opening(&self, input: &PortInput) -> Vec<usize> {
        let reactions = self.stack.layer(input.layer).reactions.iter().filter(|r| r.event == input.event);
        reactions.flat_map(|r| &r.arms).map(|a| a.handler.index()).collect()
    }

    /// The emission that has to wait so that x (through a) and y (through b, emitted later) keep their order.
    fn judge(
        &self,
        reach: &Reach,
        handler: usize,
        seen: Seen,
        x: (SiteId, Depth),
        y: (SiteId, Depth),
    ) -> Option<(SiteId, String)> {
        let circles = x.1.events == reach.deepest || y.1.events == reach.deepest;
        let reference = x.1.events <= y.1.events;
        let mixed = x.1.waits <= y.1.waits;
        let all_wait = |d: Depth| d.waits == d.events;
        if reference == mixed && (!circles || (all_wait(x.1) && all_wait(y.1))) {
            return None;
        }
        let ways = [x, y].map(|(site, depth)| reach.way(site, seen, depth, &self.waits));
        // The event that is too early has to wait; if it cannot, the other.
        let early = if reference { 1 } else { 0 };
        let place = self.seen_name(seen);
        for (late, way) in [(1 - early, &ways[early]), (early, &ways[1 - early])] {
            let unlikely = way.iter().rev().find(|s| self.is_call(**s) && !self.sites.all[**s].likely);
            if let Some(site) = unlikely.or_else(|| way.iter().rev().find(|s| self.is_call(**s))) {
                let (this, other) = (self.way_named(handler, way), self.way_named(handler, &ways[late]));
                return Some((*site, format!("{place} would see it too early: {this} before {other}")));
            }
        }
        None
    }
}
