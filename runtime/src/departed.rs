//! Remembers connections that have ended, so that a late first frame of one is not taken for a new peer.

use crate::address::network;
use crate::clock::SECOND;
use crate::peers::Peer;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;

/// How long a connection is remembered.
pub const REMEMBERED_NS: u64 = 120 * SECOND;
/// How many are remembered. Of more, the network that has the most loses its oldest.
pub const REMEMBERED_MAX: usize = 65_536;

/// A bounded memory of peers and their incarnations.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    /// Until when each is remembered.
    until: HashMap<(Peer, u64), u64>,
    /// The same of each network, the oldest first.
    of: HashMap<IpAddr, VecDeque<(Peer, u64)>>,
    /// How many these are: the last network has the most.
    sizes: BTreeSet<(usize, IpAddr)>,
}

impl Departed {
    pub(crate) fn remember(&mut self, peer: Peer, incarnation: u64, now: u64) {
        let home = network(peer.address.ip());
        self.forget(home, now);
        if self.until.contains_key(&(peer, incarnation)) {
            return;
        }
        self.until.insert((peer, incarnation), now + REMEMBERED_NS);
        self.change(home, |entries| entries.push_back((peer, incarnation)));
        if self.until.len() > REMEMBERED_MAX {
            self.sizes.last().map(|(_, largest)| *largest).into_iter().for_each(|largest| self.forget_first(largest));
        }
    }

    pub(crate) fn contains(&self, peer: Peer, incarnation: u64, now: u64) -> bool {
        self.until.get(&(peer, incarnation)).is_some_and(|until| now < *until)
    }

    /// Forgets those of a network whose time is over.
    fn forget(&mut self, home: IpAddr, now: u64) {
        let is_over = |this: &Self| {
            let first = this.of.get(&home).and_then(VecDeque::front);
            first.and_then(|first| this.until.get(first)).is_some_and(|until| *until <= now)
        };
        while is_over(self) {
            self.forget_first(home);
        }
    }

    fn forget_first(&mut self, home: IpAddr) {
        if let Some(first) = self.change(home, VecDeque::pop_front) {
            self.until.remove(&first);
        }
    }

    /// Changes the entries of a network.
    fn change<R>(&mut self, home: IpAddr, with: impl FnOnce(&mut VecDeque<(Peer, u64)>) -> R) -> R {
        let entries = self.of.entry(home).or_default();
        self.sizes.remove(&(entries.len(), home));
        let result = with(entries);
        if entries.is_empty() {
            self.of.remove(&home);
        } else {
            self.sizes.insert((entries.len(), home));
        }
        result
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
        assert_eq!(departed.until.len(), REMEMBERED_MAX);
    }

    /// Who begins and ends any number of connections makes a host forget its own alone, and those that are over.
    #[test]
    fn each_network_is_remembered_for_itself() {
        let at = |ip: [u8; 4]| Peer { address: (ip, 1).into(), identity: 0, fingerprint: 1 };
        let mut departed = Departed::default();
        departed.remember(at([10, 0, 0, 1]), 1, 0);
        (0..200_000).for_each(|n| departed.remember(at([10, 9, 9, 9]), n, 1));
        assert!(departed.contains(at([10, 0, 0, 1]), 1, 119 * SECOND));
        departed.remember(at([10, 0, 0, 2]), 1, 200 * SECOND);
        departed.remember(at([10, 9, 9, 9]), 7, 200 * SECOND);
        assert!(departed.until.len() <= 3, "{}", departed.until.len());
        assert_eq!(departed.of.values().map(VecDeque::len).sum::<usize>(), departed.until.len());
        assert_eq!(departed.sizes.len(), departed.of.len());
    }
}
