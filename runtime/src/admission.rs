//! Who may begin a connection, who is answered, and whose refusals are reported: the bounds on what peers whose address
//! may be forged can cost.

use crate::clock::SECOND;
use crate::options::Options;
use crate::ration::Ration;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

/// Refusals of one peer are reported once in this time.
const REPORT_EVERY_NS: u64 = SECOND;
/// Peers whose refusal is remembered for that.
const REPORTS: usize = 1024;

/// Counts unconfirmed connections, and rations answers and reports.
#[derive(Debug)]
pub(crate) struct Admission {
    unconfirmed: HashMap<IpAddr, usize>,
    unconfirmed_len: usize,
    most: usize,
    most_per_address: usize,
    answers: Ration,
    reports: HashMap<SocketAddr, u64>,
}

impl Admission {
    /// No connection yet, and a full ration.
    pub(crate) fn new(options: &Options, now: u64) -> Admission {
        Admission {
            unconfirmed: HashMap::new(),
            unconfirmed_len: 0,
            most: options.unconfirmed,
            most_per_address: options.unconfirmed_per_address,
            answers: Ration::new(now),
            reports: HashMap::new(),
        }
    }

    /// Whether a peer at this address may begin a connection.
    pub(crate) fn has_room(&self, ip: IpAddr) -> bool {
        let of_address = self.unconfirmed.get(&ip).copied().unwrap_or(0);
        of_address < self.most_per_address && self.unconfirmed_len < self.most
    }

    /// A peer has begun a connection.
    pub(crate) fn enter(&mut self, ip: IpAddr) {
        *self.unconfirmed.entry(ip).or_default() += 1;
        self.unconfirmed_len += 1;
    }

    /// Such a connection is confirmed, or has ended before.
    pub(crate) fn leave(&mut self, ip: IpAddr) {
        let Some(count) = self.unconfirmed.get_mut(&ip) else {
            return;
        };
        *count -= 1;
        self.unconfirmed_len -= 1;
        if *count == 0 {
            self.unconfirmed.remove(&ip);
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

    #[test]
    fn one_address_cannot_take_the_room_of_others() {
        let mut admission = admission(5, 3);
        (0..3).for_each(|_| admission.enter(address(1)));
        assert!(!admission.has_room(address(1)));
        (0..2).for_each(|_| admission.enter(address(2)));
        assert!(!admission.has_room(address(3)), "five in all");
        admission.leave(address(1));
        assert!(admission.has_room(address(1)) && admission.has_room(address(3)));
    }

    #[test]
    fn who_leaves_is_counted_once() {
        let mut admission = admission(1, 1);
        admission.leave(address(9));
        admission.enter(address(1));
        admission.leave(address(1));
        admission.leave(address(1));
        assert_eq!((admission.unconfirmed_len, admission.unconfirmed.len()), (0, 0));
        assert!(admission.has_room(address(1)));
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
