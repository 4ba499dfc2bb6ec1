//! Remembers connections that have ended, so that a late first frame of one is not taken for a new peer.

use crate::clock::SECOND;
use crate::peers::Peer;
use std::collections::{HashSet, VecDeque};

/// How long a connection is remembered.
pub const REMEMBERED_NS: u64 = 120 * SECOND;
/// How many are remembered; the oldest go first.
pub const REMEMBERED_MAX: usize = 65_536;

/// A bounded memory of peers and their incarnations.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    known: HashSet<(Peer, u64)>,
    in_order: VecDeque<(u64, Peer, u64)>,
}

impl Departed {
    pub(crate) fn remember(&mut self, peer: Peer, incarnation: u64, now: u64) {
        self.forget(now);
        if self.known.insert((peer, incarnation)) {
            self.in_order.push_back((now + REMEMBERED_NS, peer, incarnation));
        }
        if self.in_order.len() > REMEMBERED_MAX {
            self.forget_first();
        }
    }

    pub(crate) fn contains(&mut self, peer: Peer, incarnation: u64, now: u64) -> bool {
        self.forget(now);
        self.known.contains(&(peer, incarnation))
    }

    fn forget(&mut self, now: u64) {
        while self.in_order.front().is_some_and(|first| first.0 <= now) {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        if let Some((_, peer, incarnation)) = self.in_order.pop_front() {
            self.known.remove(&(peer, incarnation));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(port: u16) -> Peer {
        Peer { address: ([127, 0, 0, 1], port).into(), identity: 0, fingerprint: 1 }
    }

    #[test]
    fn departed_are_remembered_for_two_minutes() {
        let mut departed = Departed::default();
        departed.remember(peer(1), 5, 0);
        assert!(departed.contains(peer(1), 5, 119 * SECOND));
        assert!(!departed.contains(peer(1), 6, 0));
        assert!(!departed.contains(peer(1), 5, 120 * SECOND));
    }

    #[test]
    fn memory_is_bounded() {
        let mut departed = Departed::default();
        (0..70_000).for_each(|n| departed.remember(peer(1), n, 0));
        assert!(!departed.contains(peer(1), 0, 0));
        assert!(departed.contains(peer(1), 69_999, 0));
        assert_eq!(departed.known.len(), REMEMBERED_MAX);
    }
}
