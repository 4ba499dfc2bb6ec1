//! The end of a run: all endpoints close, and may hold no blocks afterwards.

use super::{Run, Running};
use crate::checks::{Check, Failure};
use crate::endpoint::{Outcome, NEVER};
use crate::network::Item;
use crate::world::BEGIN;

impl Running<'_> {
    /// Closes all endpoints, and checks their final state.
    pub(super) fn end(&mut self) {
        self.wait(1_000_000_000, |running| running.world.silent() && running.world.next() == NEVER);
        for side in 0..self.sides.len() {
            let Some(close) = self.close.filter(|_| self.sides[side].closed.is_none() && self.failure.is_none()) else {
                continue;
            };
            let numbers = self.numbers(side, close, &[], side as u64);
            let outcome = self.world.call(side, close, &numbers, None, &[]);
            if outcome != Outcome::Done {
                self.fail(Check::Unbroken, format!("the outcome of `close` is {outcome:?}"));
            }
            self.hear();
            self.wait(self.plan.patience, |r| {
                r.sides.iter().all(|s| s.closed.is_some())
                    || (side + 1 < r.sides.len() && r.world.silent() && r.sides[side].closed.is_some())
            });
        }
        if self.failure.is_none()
            && self.closed.is_some()
            && self.close.is_some()
            && self.sides.iter().any(|s| s.closed.is_none())
        {
            self.fail(Check::Complete, "`close` did not complete".into());
        }
        // The last frames of an endpoint may take several timeouts; afterwards no blocks are held.
        let time = if self.is_closed_in_order() { self.plan.patience } else { 1_000_000_000 };
        self.wait(time, |r| {
            r.world.silent() && (r.world.next() == NEVER || r.is_closed_in_order() && r.holds_nothing())
        });
        self.inspect();
    }

    fn is_closed_in_order(&self) -> bool {
        self.sides.iter().all(|side| side.closed == Some(0))
    }

    fn holds_nothing(&self) -> bool {
        self.world.nodes.iter().map(|node| node.endpoint.space()).all(|(free, all)| free == all)
    }

    fn inspect(&mut self) {
        for side in 0..self.sides.len() {
            let node = &self.world.nodes[side];
            let name = node.name.clone();
            let report = node.endpoint.reports().first().cloned();
            let counters = node.endpoint.counters();
            let counted = ["broken", "bound"].map(|c| node.interface.counter(&counters, c).unwrap_or(0));
            if let Some(report) = report {
                self.fail(Check::Unbroken, format!("at {name}: {report}"));
            }
            if counted != [0, 0] {
                self.fail(
                    Check::Unbroken,
                    format!("at {name}: a layer violated {} rules and reached {} bounds", counted[0], counted[1]),
                );
            }
            if self.is_closed_in_order() {
                self.check_space(side, "after an orderly close");
            }
        }
    }

    fn check_space(&mut self, side: usize, when: &str) {
        let (free, all) = self.world.nodes[side].endpoint.space();
        if free != all {
            let name = self.world.nodes[side].name.clone();
            self.fail(Check::Space, format!("{name} still holds {} of {all} blocks {when}", all - free));
        }
    }

    /// Adds the count of violated rules to the failure: they often explain it.
    fn mention_broken(&mut self, counters: &[Vec<u64>]) {
        let Some(failure) = &mut self.failure else { return };
        for (node, counters) in self.world.nodes.iter().zip(counters) {
            let count = node.interface.counter(counters, "broken").unwrap_or(0);
            if count > 0 && failure.check != Check::Unbroken {
                failure.text += &format!(" (`broken` was counted {count} times at {})", node.name);
            }
        }
    }

    pub(super) fn result(mut self) -> Run {
        let sides = 0..self.sides.len();
        let there = self.world.nodes.len() == self.sides.len();
        let counters = |n: usize| if there { self.world.nodes[n].endpoint.counters() } else { vec![] };
        let counters: Vec<Vec<u64>> = sides.clone().map(counters).collect();
        // A difference of machines explains a failure better than its consequences.
        let reports = self
            .world
            .nodes
            .iter()
            .flat_map(|n| n.endpoint.reports().into_iter().map(|r| format!("at {}: {r}", n.name)));
        let report = reports.collect::<Vec<_>>().into_iter().next();
        if let (Some(failure), Some(report)) = (&mut self.failure, report) {
            if failure.check != Check::Unbroken && self.plan.checks.contains(&Check::Unbroken) {
                *failure = Failure { check: Check::Unbroken, text: report, ..failure.clone() };
            }
        }
        self.mention_broken(&counters);
        if there {
            for side in sides.clone() {
                self.world.discard(side);
                self.check_space(side, "after the end");
            }
        }
        let node = |n: usize| self.world.nodes.get(n);
        let mut items = self.messages.clone();
        items.extend(self.world.faults.iter().copied());
        let waiting = self.sides.iter().zip(0..).flat_map(|(side, n)| side.waiting.iter().map(move |m| (n, m)));
        let waiting = waiting.map(|(side, message)| Item::Message(side, message.number)).collect();
        items.sort();
        items.dedup();
        Run {
            failure: self.failure,
            items,
            waiting,
            lasted: self.world.now - BEGIN,
            steps: self.world.steps,
            sent: self.sides.iter().map(|side| side.sent).collect(),
            largest: self.sides.iter().map(|side| side.largest).collect(),
            delivered: sides.clone().map(|n| self.sides.iter().map(|side| side.ledgers[n].count).sum()).collect(),
            frames: sides.clone().map(|n| node(n).map_or(0, |n| n.frames)).collect(),
            bytes: sides.clone().map(|n| node(n).map_or(0, |n| n.bytes)).collect(),
            dropped: sides.map(|n| node(n).map_or(0, |n| n.dropped)).collect(),
            counters,
            digest: self.world.digest(),
            trace: self.world.trace.take().unwrap_or_default(),
        }
    }
}
