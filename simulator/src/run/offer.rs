//! What the endpoints of a run send, and with which arguments.

use super::Running;
use crate::checks::Check;
use crate::endpoint::Outcome;
use crate::interface::Kind;
use crate::network::Item;
use crate::random::Random;
use crate::workload::{contents, largest_accepted, Planned};

/// The most draws of a call's arguments.
const DRAWS: u64 = 64;
/// The length in bytes by which the contents of messages differ.
const LEAST: usize = 12;

/// The first outcome but `Refused`, or the last.
fn until_accepted(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let mut last = Outcome::Refused;
    for outcome in outcomes {
        last = outcome;
        if outcome != Outcome::Refused {
            break;
        }
    }
    last
}

impl Running<'_> {
    /// Sends the messages that are due, as far as they are accepted.
    pub(super) fn offer(&mut self, side: usize) {
        if self.sides[side].waiting.is_empty() {
            return;
        }
        let Some(send) = self.send else { return self.stuck("the stack has no call `send`") };
        while self.failure.is_none() && !self.sides[side].blocked {
            let Some(next) = self.sides[side].waiting.front().copied().filter(|m| m.at <= self.world.now) else {
                return;
            };
            let drawn = self.draws(side, send);
            let length = match self.length(side, send, next) {
                None if drawn > 1 => Some(LEAST.min(self.plan.largest)),
                length => length,
            };
            let Some(length) =
                length.filter(|length| drawn > 1 || self.world.nodes[side].endpoint.accepts(send, *length))
            else {
                self.sides[side].blocked = true;
                return;
            };
            let bytes = contents(next.seed, length);
            // Entered first: a message may be delivered before the call returns.
            let to = self.receivers(side, send, next.number);
            to.iter().for_each(|to| self.sides[side].ledgers[*to].sent(next.number, bytes.clone()));
            self.sides[side].sent += 1;
            self.sides[side].waiting.pop_front();
            self.messages.push(Item::Message(side as u32, next.number));
            let peer = to.first().map(|to| self.world.nodes[*to].address);
            let outcome = until_accepted((0..drawn).map(|draw| {
                let numbers = self.numbers(side, send, &[], next.seed.wrapping_add(draw));
                self.world.call(side, send, &numbers, peer, &bytes)
            }));
            if drawn > 1 && matches!(outcome, Outcome::Refused | Outcome::NoSpace) {
                to.iter().for_each(|to| self.sides[side].ledgers[*to].withdrawn());
                self.sides[side].sent -= 1;
                self.sides[side].waiting.push_front(next);
                self.sides[side].blocked = true;
                self.messages.pop();
                return;
            }
            // Of arguments that `accepts` does not know.
            self.sides[side].largest.get_or_insert(length);
            if outcome != Outcome::Done {
                self.fail(
                    Check::Unbroken,
                    format!("`accepts` holds for {length} bytes, but the outcome of the call is {outcome:?}"),
                );
            }
            self.progress = self.world.now;
            self.hear();
        }
    }

    /// How many arguments are tried for one call: what a layer accepts may depend on them, and `accepts` does not know
    /// them.
    fn draws(&self, side: usize, send: u16) -> u64 {
        let event = self.world.nodes[side].interface.event(send);
        let has_numbers = event.is_some_and(|event| event.parameters.iter().any(Kind::is_number));
        if has_numbers {
            DRAWS
        } else {
            1
        }
    }

    /// The sides to which a message goes: all others, or one after the other if `send` names the peer.
    fn receivers(&self, side: usize, send: u16, number: u32) -> Vec<usize> {
        let node = &self.world.nodes[side];
        match node.interface.event(send).is_some_and(|event| event.parameters.contains(&Kind::Address)) {
            true => vec![node.peers[number as usize % node.peers.len()]],
            false => node.peers.clone(),
        }
    }

    /// Draws the length of a message among those that the stack accepts. None: it accepts no length yet.
    fn length(&mut self, side: usize, send: u16, message: Planned) -> Option<usize> {
        if self.sides[side].largest.is_none() {
            let endpoint = self.world.nodes[side].endpoint.as_ref();
            self.sides[side].largest = largest_accepted(|length| endpoint.accepts(send, length), self.plan.largest);
        }
        let largest = self.sides[side].largest?;
        // If order or completeness is not checked, a message is identified by its contents.
        let ordered = [Check::Complete, Check::Order].iter().all(|check| self.plan.checks.contains(check));
        let least = if ordered { 0 } else { LEAST.min(largest) };
        Some(Random::new(message.seed).length(least as u64, largest as u64) as usize)
    }
}
