//! One run: endpoints (usually two) that all send, a faulty network, and the checks.

mod end;
mod offer;

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use crate::checks::{Check, Failure, Ledger};
use crate::endpoint::{Maker, Output, NEVER};
use crate::interface::{Interface, Kind};
use crate::network::{Conditions, Item, Network};
use crate::workload::{planned, Planned};
use crate::world::{Entry, World, BEGIN};

/// The parameters of a run. Equal plans give equal runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// The number of messages of each endpoint.
    pub messages: u32,
    /// The limit of a message in bytes; the stack may accept less.
    pub largest: usize,
    /// The mean time between messages of one endpoint, in nanoseconds.
    pub pause: u64,
    pub conditions: Conditions,
    pub checks: Vec<Check>,
    /// The time without progress after which missing messages count as lost.
    pub patience: u64,
    /// The most calls, frames and timers; what is not done by then is left out.
    pub most_steps: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            seed: 1,
            messages: 100,
            largest: 20_000,
            pause: 1_000_000,
            conditions: Conditions::default(),
            checks: crate::checks::all(),
            patience: 120_000_000_000,
            most_steps: u64::MAX,
        }
    }
}

/// The subject of a run.
#[derive(Clone)]
pub struct Subject<'m> {
    /// One for each endpoint.
    pub makers: Vec<&'m dyn Maker>,
    pub interface: Rc<Interface>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    pub failure: Option<Failure>,
    /// The messages and faults of the run, which shrinking can remove.
    pub items: Vec<Item>,
    /// The messages that were not sent before the end.
    pub waiting: Vec<Item>,
    pub trace: Vec<Entry>,
    /// Simulated time.
    pub lasted: u64,
    pub steps: u64,
    /// For each endpoint: messages sent, and the length of the longest accepted message in bytes.
    pub sent: Vec<usize>,
    pub largest: Vec<Option<usize>>,
    /// For each endpoint: messages delivered there, frames and bytes sent, frames dropped, counters.
    pub delivered: Vec<usize>,
    pub frames: Vec<u64>,
    pub bytes: Vec<u64>,
    pub dropped: Vec<u64>,
    pub counters: Vec<Vec<u64>>,
    /// Equal for equal runs.
    pub digest: u64,
}

/// Runs a plan. `keep`: the messages and faults to keep.
pub fn run(plan: &Plan, subject: &Subject, keep: Option<BTreeSet<Item>>, tracing: bool) -> Run {
    run_watched(plan, subject, keep, tracing, &|_, _| {})
}

/// Runs a plan, and calls `watch` between steps with the numbers of messages sent and delivered so far.
pub fn run_watched(
    plan: &Plan,
    subject: &Subject,
    keep: Option<BTreeSet<Item>>,
    tracing: bool,
    watch: &dyn Fn(usize, usize),
) -> Run {
    let network = Network { seed: plan.seed, conditions: plan.conditions.clone(), keep };
    let mut world = World::new(network, tracing);
    let names = names(subject.makers.len());
    let opened = world.group(&names, &subject.makers, &subject.interface);
    let failure = opened.err().map(|text| Failure { check: Check::Unbroken, text, time: 0 });
    let mut running = Running::new(plan, subject, world);
    running.failure = failure;
    if running.failure.is_none() {
        running.go(watch);
        running.end();
    }
    running.result()
}

/// The names of endpoints.
pub fn names(count: usize) -> Vec<&'static str> {
    ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().take(count).collect()
}

struct Side {
    waiting: VecDeque<Planned>,
    /// The next message was not accepted, and the endpoint has made no step since.
    blocked: bool,
    /// The length in bytes of the longest message that the stack accepts; none: it has accepted no length yet.
    largest: Option<usize>,
    /// The number of processed events of the node.
    heard: usize,
    closed: Option<u64>,
    /// The number of messages that this side sent.
    sent: usize,
    /// Those that it sent to each side.
    ledgers: Vec<Ledger>,
}

impl Side {
    fn is_complete(&self) -> bool {
        self.ledgers.iter().all(Ledger::is_complete)
    }

    fn missing(&self) -> Option<u32> {
        self.ledgers.iter().find_map(Ledger::missing)
    }
}

struct Running<'p> {
    plan: &'p Plan,
    world: World,
    sides: Vec<Side>,
    messages: Vec<Item>,
    failure: Option<Failure>,
    progress: u64,
    send: Option<u16>,
    close: Option<u16>,
    deliver: Option<u16>,
    closed: Option<u16>,
    grant: Option<u16>,
}

impl<'p> Running<'p> {
    fn new(plan: &'p Plan, subject: &Subject, world: World) -> Running<'p> {
        let (count, interface) = (subject.makers.len(), &subject.interface);
        let side = |side: u32| Side {
            waiting: planned(plan.messages, plan.pause, side, &world.network),
            blocked: false,
            largest: None,
            heard: 0,
            closed: None,
            sent: 0,
            ledgers: vec![Ledger::default(); count],
        };
        Running {
            plan,
            sides: (0..count as u32).map(side).collect(),
            world,
            messages: Vec::new(),
            failure: None,
            progress: BEGIN,
            send: interface.input(None, "send"),
            close: interface.input(None, "close"),
            deliver: interface.output(None, "deliver"),
            closed: interface.output(None, "closed"),
            grant: interface.input(None, "grant_delivers"),
        }
    }

    /// Sends all messages, and waits until all expected messages have arrived.
    fn go(&mut self, watch: &dyn Fn(usize, usize)) {
        for side in 0..self.sides.len() {
            self.grant(side, 64);
        }
        self.hear();
        while self.failure.is_none() {
            (0..self.sides.len()).for_each(|side| self.offer(side));
            let all_sent = self.sides.iter().all(|side| side.waiting.is_empty());
            let arrived = !self.plan.checks.contains(&Check::Complete) || self.sides.iter().all(Side::is_complete);
            if self.failure.is_some() || self.has_ended() || (all_sent && arrived) {
                return;
            }
            watch(self.messages.len(), self.sides.iter().flat_map(|side| &side.ledgers).map(|l| l.count).sum());
            self.advance();
        }
    }

    /// Advances to the next event, the next message, or the end of patience.
    fn advance(&mut self) {
        let ready = self.sides.iter().filter(|s| !s.blocked).filter_map(|s| s.waiting.front()).map(|m| m.at).min();
        let patience = self.progress + self.plan.patience;
        let until = ready.map_or(patience, |at| at.min(patience));
        if ready.is_none() && self.world.next() == NEVER {
            return self.stuck("no event is pending");
        }
        match self.world.advance(until) {
            Err(text) => self.fail(Check::Unbroken, text),
            Ok(Some(node)) => {
                self.sides[node].blocked = false;
                self.hear();
                if let Some(report) = self.world.nodes[node].endpoint.reports().first() {
                    self.fail(Check::Unbroken, format!("at {}: {report}", self.world.nodes[node].name));
                }
            }
            Ok(None) if self.world.now >= patience => self.stuck("timed out without progress"),
            Ok(None) => {}
        }
    }

    fn stuck(&mut self, why: &str) {
        if !self.plan.checks.contains(&Check::Complete) {
            // Completeness is not checked: skip the messages that were not accepted.
            return self.sides.iter_mut().for_each(|side| side.waiting.clear());
        }
        let missing = |side: &Side| side.missing().or_else(|| side.waiting.front().map(|m| m.number));
        for (name, side) in self.world.nodes.iter().map(|node| node.name.clone()).zip(&self.sides) {
            if let Some(number) = missing(side) {
                let waits = if side.missing().is_some() { "has not arrived" } else { "was never accepted" };
                return self.fail(Check::Complete, format!("message {number} of {name} {waits}: {why}"));
            }
        }
        self.fail(Check::Complete, format!("`close` did not complete: {why}"));
    }

    /// The side that sent what was delivered: the one that the event names, or else one that sent such a message.
    fn sender(&self, side: usize, output: &Output) -> usize {
        let node = &self.world.nodes[side];
        if let [peer] = node.peers[..] {
            return peer;
        }
        let from = output.address.and_then(|from| node.peers.iter().find(|p| self.world.nodes[**p].address == from));
        let message = output.message.as_deref().unwrap_or(&[]);
        let expects = |peer: &&usize| self.sides[**peer].ledgers[side].expects(message);
        let knows = |peer: &&usize| self.sides[**peer].ledgers[side].knows(message);
        let found = from.or_else(|| node.peers.iter().find(expects)).or_else(|| node.peers.iter().find(knows));
        found.or(node.peers.first()).copied().unwrap_or(side)
    }

    /// Processes the outputs of all endpoints.
    fn hear(&mut self) {
        if let Err(text) = self.world.check_progress() {
            self.fail(Check::Unbroken, text);
        }
        for side in 0..self.world.nodes.len() {
            // The outputs of a step at several ports are in no order.
            let was_closed = self.sides[side].closed.is_some();
            let port = self.closed.and_then(|event| self.world.nodes[side].interface.event(event)).map(|e| e.port);
            while let Some((_, output)) = self.world.nodes[side].came.get(self.sides[side].heard).cloned() {
                self.sides[side].heard += 1;
                self.progress = self.world.now;
                if was_closed || self.sides[side].closed.is_some() && Some(output.port) == port {
                    let name =
                        self.world.nodes[side].interface.event(output.event).map_or("?", |e| &e.name).to_string();
                    self.fail(
                        Check::Quiet,
                        format!("`{name}` arrived at {} after `closed`", self.world.nodes[side].name),
                    );
                }
                if Some(output.event) == self.closed {
                    self.sides[side].closed = Some(output.arguments.first().copied().unwrap_or(0));
                    self.closed_early(side);
                } else if Some(output.event) == self.deliver {
                    let from = self.sender(side, &output);
                    let broken = self.sides[from].ledgers[side].deliver(output.message.as_deref().unwrap_or(&[]));
                    if let Some((check, text)) = broken {
                        self.fail(check, format!("at {}: {text}", self.world.nodes[side].name));
                    }
                    self.grant(side, 1);
                }
            }
        }
    }

    /// Reports a connection that ended before everything arrived, although neither endpoint closed it.
    fn closed_early(&mut self, side: usize) {
        let open = self.sides.iter().any(|s| !s.waiting.is_empty() || !s.is_complete());
        if open {
            let (node, why) = (&self.world.nodes[side], self.sides[side].closed.unwrap_or(0));
            let parameters =
                self.closed.and_then(|event| node.interface.event(event)).map(|event| &event.parameters[..]);
            let why = match parameters {
                Some([Kind::Named(names), ..]) => {
                    names.get(why as usize).map_or(why.to_string(), |why| format!("`{why}`"))
                }
                _ => why.to_string(),
            };
            let text = format!("{} was closed (reason {why}) before everything had arrived", node.name);
            self.fail(Check::Complete, text);
        }
    }

    /// The numbers of a call, of which the first are given.
    fn numbers(&self, side: usize, event: u16, given: &[u64], seed: u64) -> Vec<u64> {
        let event = self.world.nodes[side].interface.event(event);
        event.map_or_else(|| given.to_vec(), |event| event.complete(given, seed))
    }

    fn grant(&mut self, side: usize, messages: u64) {
        if let Some(grant) = self.grant {
            let numbers = self.numbers(side, grant, &[messages], 0);
            self.world.call(side, grant, &numbers, None, &[]);
        }
    }

    fn wait(&mut self, time: u64, enough: impl Fn(&Running) -> bool) {
        let until = self.world.now + time;
        while self.failure.is_none() && !self.has_ended() && self.world.now < until && !enough(self) {
            match self.world.advance(until) {
                Err(text) => self.fail(Check::Unbroken, text),
                Ok(_) => self.hear(),
            }
        }
    }

    /// Whether the run has made as many steps as it may.
    fn has_ended(&self) -> bool {
        self.world.steps >= self.plan.most_steps
    }

    /// Records the first failure of a selected check.
    fn fail(&mut self, check: Check, text: String) {
        if self.failure.is_none() && self.plan.checks.contains(&check) {
            self.failure = Some(Failure { check, text, time: self.world.now - BEGIN });
        }
    }
}
