//! What a router knows of all secure connections.

use crate::clock::SECOND;
use crate::event::ConnectionId;
use crate::handshakes::Handshakes;
use crate::options::Options;
use crate::random::Random;
use crate::refusals::SecureRefusals;
use crate::secure::fork::Process;
use crate::secure::handshake::Entropy;
use crate::secure::reset::{Resets, Token};
use crate::secured::{Secured, Who};
use crate::wire::Label;
use std::collections::HashMap;

/// From so many first frames on that were answered in vain, addresses are to be proven for the rest of a second.
const FAILURES_PER_SECOND: u32 = 100;

/// What concerns all secure connections of a router.
pub(crate) struct Security {
    pub handshakes: Handshakes,
    pub refusals: SecureRefusals,
    pub resets: Resets,
    by_who: HashMap<Who, Vec<ConnectionId>>,
    /// Whether a secure stack is known.
    pub is_used: bool,
    /// In which the keys were agreed on.
    pub process: Process,
    /// First frames that led to nothing: in which second, and how many.
    failed: (u64, u32),
    /// Whether the ephemeral keys follow from the router's seed.
    is_seeded: bool,
}

impl Security {
    /// There is none yet. `options`: the secret, or a seed.
    pub(crate) fn new(options: &Options) -> Security {
        // From numbers of its own: those of the router do not depend on whether there are secure stacks.
        let mut random = options.seed.map_or_else(Random::from_system, |seed| Random::new(seed ^ 0x7265_7365_7473));
        let drawn = Resets::drawn(&mut random);
        let resets = options.secret.map_or(drawn, |secret| Resets::new(&secret.0));
        Security {
            handshakes: Handshakes::default(),
            refusals: SecureRefusals::default(),
            resets,
            by_who: HashMap::new(),
            is_used: false,
            process: Process::this(),
            failed: (0, 0),
            is_seeded: options.seed.is_some(),
        }
    }

    /// Other tokens than before: those that were told belong to another process.
    pub(crate) fn renew_resets(&mut self, random: &mut Random) {
        self.resets = Resets::drawn(random);
    }

    /// A key agreement with a peer whose address may be forged has led to nothing.
    pub(crate) fn note_failure(&mut self, now: u64) {
        let second = now / SECOND;
        self.failed = (second, if self.failed.0 == second { self.failed.1 + 1 } else { 1 });
    }

    /// Whether so many have that addresses are to be proven first.
    pub(crate) fn has_failures(&self, now: u64) -> bool {
        self.failed.0 == now / SECOND && self.failed.1 >= FAILURES_PER_SECOND
    }

    /// The randomness of the next handshake.
    pub(crate) fn entropy(&self, random: &mut Random) -> Entropy {
        if !self.is_seeded {
            return Entropy::System;
        }
        let mut seed = [0; 32];
        seed.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&random.draw().to_le_bytes()));
        Entropy::Seed(seed)
    }

    /// A connection with a peer is open; returns the older ones.
    pub(crate) fn enter(&mut self, who: Who, id: ConnectionId) -> Vec<ConnectionId> {
        let all = self.by_who.entry(who).or_default();
        let others = all.clone();
        all.push(id);
        others
    }

    /// The open connections with a peer.
    pub(crate) fn connections_of(&self, who: &Who) -> &[ConnectionId] {
        self.by_who.get(who).map_or(&[], Vec::as_slice)
    }

    /// A connection has ended.
    pub(crate) fn leave(&mut self, secured: &Secured, id: ConnectionId) {
        if let Some(first) = &secured.first {
            self.handshakes.forget(first, id);
        }
        self.leave_peer(&secured.who, id);
    }

    /// A connection is none with this peer any more.
    pub(crate) fn leave_peer(&mut self, who: &Who, id: ConnectionId) {
        if let Some(all) = self.by_who.get_mut(who) {
            all.retain(|one| *one != id);
            if all.is_empty() {
                self.by_who.remove(who);
            }
        }
    }

    /// The token of a label of this end. It is told to the peer that has the label, and to everybody once no connection
    /// has it.
    pub(crate) fn token(&self, label: Label) -> Token {
        self.resets.token(label)
    }
}
