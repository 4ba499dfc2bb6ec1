//! Who may begin a connection, who is answered, and whose refusals are reported: the bounds on what peers whose address
//! may be forged can cost.

use crate::address::network;
use crate::clock::SECOND;
use crate::event::ConnectionId;
use crate::options::Options;
use crate::ration::Ration;
use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

/// Refusals of one peer are reported once in this time.
const REPORT_EVERY_NS: u64 = SECOND;
/// Peers whose refusal is reported in that time: strangers must not flood the application with events.
const REPORTS: usize = 16;

/// Knows the unconfirmed connections, and rations answers and reports.
#[derive(Debug)]
pub(crate) struct Admission {
    /// In the order in which they began.
    unconfirmed: BTreeSet<ConnectionId>,
    /// The same by the network of the peer.
    by_network: HashMap<IpAddr, BTreeSet<ConnectionId>>,
    most: usize,
    most_per_address: usize,
    /// How many connections the peers of each network have begun, the confirmed ones included.
    begun: HashMap<IpAddr, usize>,
    most_begun: usize,
    retry_above: usize,
    answers: Ration,
    reports: HashMap<SocketAddr, u64>,
}

/// Whether a peer may begin a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    There,
    /// Once this connection, the oldest of those that compete with it, has ended.
    After(ConnectionId),
    Never,
}

impl Admission {
    /// No connection yet, and a full ration.
    pub(crate) fn new(options: &Options, now: u64) -> Admission {
        Admission {
            unconfirmed: BTreeSet::new(),
            by_network: HashMap::new(),
            most: options.unconfirmed,
            most_per_address: options.unconfirmed_per_address,
            begun: HashMap::new(),
            most_begun: options.connections_per_address,
            retry_above: options.retry_above,
            answers: Ration::new(now),
            reports: HashMap::new(),
        }
    }

    /// Whether a peer at this address may begin a connection. Who may stay unconfirmed makes room for who comes: a
    /// peer that answers is confirmed after one round trip, forged addresses never are.
    pub(crate) fn room_for(&self, ip: IpAddr) -> Room {
        let network = network(ip);
        let of_network = self.by_network.get(&network);
        let has_its_part = of_network.map_or(0, BTreeSet::len) >= self.most_per_address || self.has_all(ip);
        let in_the_way = if has_its_part {
            of_network.and_then(BTreeSet::first)
        } else if self.unconfirmed.len() >= self.most {
            self.unconfirmed.first()
        } else {
            return Room::There;
        };
        in_the_way.map_or(Room::Never, |oldest| Room::After(*oldest))
    }

    /// The same of a peer that has shown that it receives frames at this address. Somebody on the way may have shown
    /// that in its place, and for many connections: the oldest of those that are not confirmed makes room.
    pub(crate) fn room_for_proven(&self, ip: IpAddr) -> Room {
        if !self.has_all(ip) {
            return Room::There;
        }
        let oldest = self.by_network.get(&network(ip)).and_then(BTreeSet::first);
        oldest.map_or(Room::Never, |oldest| Room::After(*oldest))
    }

    /// Whether the peers of this network have as many connections as they may, the confirmed ones included.
    pub(crate) fn has_all(&self, ip: IpAddr) -> bool {
        self.begun.get(&network(ip)).copied().unwrap_or(0) >= self.most_begun
    }

    /// Whether a peer must show that it receives frames at this address before anything is kept of it: as the option
    /// says, and at the latest when a quarter of the places that confirmed connections leave (`free`, and those of the
    /// unconfirmed ones) is taken, so that a flood never reaches the end of them.
    pub(crate) fn asks_for_proof(&self, ip: IpAddr, free: usize) -> bool {
        let places = (free + self.unconfirmed.len()).min(self.most);
        let all = self.retry_above.min(places.div_ceil(4).max(1));
        let of_network = self.by_network.get(&network(ip)).map_or(0, BTreeSet::len);
        let each = (self.retry_above / 16).min(all / 4).min(self.most_per_address / 4);
        self.unconfirmed.len() >= all || of_network > each
    }

    /// The unconfirmed connection that began first.
    pub(crate) fn oldest(&self) -> Option<ConnectionId> {
        self.unconfirmed.first().copied()
    }

    /// A peer has begun a connection.
    pub(crate) fn enter(&mut self, id: ConnectionId, ip: IpAddr) {
        self.unconfirmed.insert(id);
        self.by_network.entry(network(ip)).or_default().insert(id);
        *self.begun.entry(network(ip)).or_default() += 1;
    }

    /// Such a connection has ended. Said once.
    pub(crate) fn leave(&mut self, id: ConnectionId, ip: IpAddr) {
        self.confirm(id, ip);
        let network = network(ip);
        let left = self.begun.get(&network).map_or(0, |begun| begun - 1);
        match left {
            0 => drop(self.begun.remove(&network)),
            _ => drop(self.begun.insert(network, left)),
        }
    }

    /// Such a connection is confirmed.
    pub(crate) fn confirm(&mut self, id: ConnectionId, ip: IpAddr) {
        self.unconfirmed.remove(&id);
        if let Some(of_network) = self.by_network.get_mut(&network(ip)) {
            of_network.remove(&id);
            if of_network.is_empty() {
                self.by_network.remove(&network(ip));
            }
        }
    }

    /// Whether an answer may be sent to this address now; if so it counts as sent.
    pub(crate) fn may_answer(&mut self, ip: IpAddr, now: u64) -> bool {
        self.answers.take(ip, now)
    }

    /// Whether a refusal of this peer may be reported now; if so it counts as reported.
    pub(crate) fn may_report(&mut self, peer: SocketAddr, now: u64) -> bool {
        let is_fresh = |at: u64| now.saturating_sub(at) < REPORT_EVERY_NS;
        if self.reports.get(&peer).is_some_and(|at| is_fresh(*at)) {
            return false;
        }
        if self.reports.len() >= REPORTS {
            self.reports.retain(|_, at| is_fresh(*at));
        }
        let has_room = self.reports.len() < REPORTS;
        if has_room {
            self.reports.insert(peer, now);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u32) -> IpAddr {
        IpAddr::V4(n.into())
    }

    fn admission(most: usize, most_per_address: usize) -> Admission {
        let options = Options { unconfirmed: most, unconfirmed_per_address: most_per_address, ..Options::default() };
        Admission::new(&options, 0)
    }

    fn id(n: u64) -> ConnectionId {
        ConnectionId::new(n, 0)
    }

    #[test]
    fn one_address_takes_no_room_of_others() {
        let mut admission = admission(5, 3);
        (1..=3).for_each(|n| admission.enter(id(n), address(1)));
        assert_eq!(admission.room_for(address(1)), Room::After(id(1)));
        assert_eq!(admission.room_for(address(2)), Room::There);
        admission.enter(id(4), address(2));
        admission.enter(id(5), address(3));
        assert_eq!(admission.room_for(address(2)), Room::After(id(1)), "five in all");
        admission.leave(id(1), address(1));
        assert_eq!((admission.room_for(address(2)), admission.oldest()), (Room::There, Some(id(2))));
    }

    #[test]
    fn addresses_of_one_network_share_its_room() {
        let mut admission = admission(5, 1);
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        admission.enter(id(1), ip("2001:db8:0:1::1"));
        assert_eq!(admission.room_for(ip("2001:db8:0:1:ffff::9")), Room::After(id(1)));
        assert_eq!(admission.room_for(ip("2001:db8:0:2::1")), Room::There);
    }

    #[test]
    fn confirmed_connections_count_for_their_address() {
        let mut admission = Admission { most_begun: 3, ..admission(9, 9) };
        (1..=3).for_each(|n| admission.enter(id(n), address(1)));
        admission.confirm(id(1), address(1));
        assert_eq!(admission.room_for(address(1)), Room::After(id(2)));
        assert_eq!(admission.room_for(address(2)), Room::There);
        assert_eq!(admission.room_for_proven(address(1)), Room::After(id(2)));
        (2..=3).for_each(|n| admission.confirm(id(n), address(1)));
        assert_eq!(admission.room_for_proven(address(1)), Room::Never);
        assert_eq!((admission.room_for(address(1)), admission.room_for(address(2))), (Room::Never, Room::There));
        admission.leave(id(2), address(1));
        assert_eq!(admission.room_for(address(1)), Room::There);
    }

    #[test]
    fn nothing_is_kept_of_who_has_left() {
        let mut admission = admission(1, 1);
        admission.enter(id(1), address(1));
        admission.confirm(id(1), address(1));
        admission.confirm(id(1), address(1));
        admission.leave(id(1), address(1));
        assert!(admission.unconfirmed.is_empty() && admission.by_network.is_empty() && admission.begun.is_empty());
        assert_eq!(admission.room_for(address(1)), Room::There);
    }

    #[test]
    fn limit_of_zero_admits_nobody() {
        assert_eq!(admission(0, 1).room_for(address(1)), Room::Never);
        assert_eq!(admission(1, 0).room_for(address(1)), Room::Never);
        assert_eq!(Admission { most_begun: 0, ..admission(1, 1) }.room_for(address(1)), Room::Never);
    }

    #[test]
    fn refusals_are_reported_once_a_second_for_each_peer() {
        let mut admission = admission(1, 1);
        let peer = |port: u16| SocketAddr::new(address(1), port);
        assert!(admission.may_report(peer(1), 5));
        assert!(!admission.may_report(peer(1), SECOND));
        assert!(admission.may_report(peer(1), SECOND + 5));
        let reported = (0..5000).filter(|port| admission.may_report(peer(*port), SECOND + 5)).count();
        assert_eq!(reported, REPORTS - 1, "one is remembered already");
        assert!(admission.may_report(peer(4999), 3 * SECOND));
    }
}
