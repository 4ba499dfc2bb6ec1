//! Remembers connections that have ended, so that a late first frame of one is not taken for a new peer.

use crate::address::network;
use crate::clock::SECOND;
use crate::peers::Peer;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;

/// How long a connection is remembered.
pub const REMEMBERED_NS: u64 = 120 * SECOND;
/// How many are remembered. Of more, the network that has the most loses its oldest; of several with as many, the one
/// that has the oldest.
pub const REMEMBERED_MAX: usize = 65_536;

/// A connection that has ended: its peer and that one's incarnation.
type Ended = (Peer, u64);

/// A bounded memory of connections that have ended.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    /// Until when each is remembered.
    until: HashMap<Ended, u64>,
    /// By the order in which they have ended.
    by_number: BTreeMap<u64, Ended>,
    next_number: u64,
    /// The numbers of each network, ascending.
    by_network: HashMap<IpAddr, VecDeque<u64>>,
    /// The networks by how many they have; of those with as many, the one with the oldest comes last.
    by_size: BTreeSet<(usize, Reverse<u64>, IpAddr)>,
}

impl Departed {
    pub(crate) fn remember(&mut self, peer: Peer, incarnation: u64, now: u64) {
        self.forget(now);
        let ended = (peer, incarnation);
        if self.until.contains_key(&ended) {
            return;
        }
        let number = self.next_number;
        self.next_number += 1;
        self.until.insert(ended, now + REMEMBERED_NS);
        self.by_number.insert(number, ended);
        self.change(network(peer.address.ip()), |numbers| numbers.push_back(number));
        if self.until.len() > REMEMBERED_MAX {
            if let Some((.., largest)) = self.by_size.last() {
                self.forget_first(*largest);
            }
        }
    }

    pub(crate) fn contains(&self, peer: Peer, incarnation: u64, now: u64) -> bool {
        self.until.get(&(peer, incarnation)).is_some_and(|until| now < *until)
    }

    /// Forgets those whose time is over.
    fn forget(&mut self, now: u64) {
        while let Some((_, ended)) = self.by_number.first_key_value() {
            if self.until.get(ended).is_some_and(|until| now < *until) {
                return;
            }
            self.forget_first(network(ended.0.address.ip()));
        }
    }

    fn forget_first(&mut self, home: IpAddr) {
        let first = self.change(home, VecDeque::pop_front);
        if let Some(ended) = first.and_then(|number| self.by_number.remove(&number)) {
            self.until.remove(&ended);
        }
    }

    /// Changes the numbers of a network.
    fn change<R>(&mut self, home: IpAddr, with: impl FnOnce(&mut VecDeque<u64>) -> R) -> R {
        let size = |numbers: &VecDeque<u64>| Some((numbers.len(), Reverse(*numbers.front()?), home));
        let numbers = self.by_network.entry(home).or_default();
        if let Some(before) = size(numbers) {
            self.by_size.remove(&before);
        }
        let result = with(numbers);
        match size(numbers) {
            Some(after) => drop(self.by_size.insert(after)),
            None => drop(self.by_network.remove(&home)),
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

    fn at(ip: [u8; 4]) -> Peer {
        Peer { address: (ip, 1).into(), identity: 0, fingerprint: 1 }
    }

    fn is_consistent(departed: &Departed) -> bool {
        let numbers: usize = departed.by_network.values().map(VecDeque::len).sum();
        let sizes = [departed.by_number.len(), numbers];
        sizes == [departed.until.len(); 2] && departed.by_size.len() == departed.by_network.len()
    }

    /// Who begins and ends any number of connections makes a host forget its own alone.
    #[test]
    fn each_network_is_remembered_for_itself() {
        let mut departed = Departed::default();
        departed.remember(at([10, 0, 0, 1]), 1, 0);
        (0..200_000).for_each(|n| departed.remember(at([10, 9, 9, 9]), n, 1));
        assert!(departed.contains(at([10, 0, 0, 1]), 1, 119 * SECOND));
        assert!(is_consistent(&departed));
    }

    /// Of whatever network those are whose time is over, and wherever its address comes in order.
    #[test]
    fn what_is_over_leaves_room_and_of_equal_networks_the_oldest_is_forgotten() {
        let some = |n: u32| at(n.to_be_bytes());
        let mut departed = Departed::default();
        let most = REMEMBERED_MAX as u32;
        (0..most).for_each(|n| departed.remember(some(n << 8), 1, u64::from(n)));
        for new in [1 << 31, (1 << 31) + 256, u32::MAX] {
            departed.remember(some(new), 1, SECOND);
            assert!(departed.contains(some(new), 1, SECOND) && is_consistent(&departed));
        }
        let lost = (0..most).filter(|n| !departed.contains(some(n << 8), 1, SECOND)).collect::<Vec<_>>();
        assert_eq!(lost, [0, 1, 2]);
        departed.remember(some(1 << 31), 2, 122 * SECOND);
        assert!(departed.contains(some(1 << 31), 2, 122 * SECOND));
        assert_eq!((departed.until.len(), is_consistent(&departed)), (1, true));
    }
}
