//! Remembers connections that the application refused: their peers are told again, as long as they send frames.

use crate::clock::SECOND;
use crate::error::Words;
use crate::peers::Peer;
use crate::secure::channel::Channel;
use crate::wire::Label;
use std::collections::VecDeque;
use std::net::SocketAddr;

/// How long a refused connection is remembered: until its peer would give up by itself.
const REMEMBERED_NS: u64 = 30 * SECOND;
/// How many are remembered; the oldest go first.
const REMEMBERED_MAX: usize = 256;

/// A connection that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub peer: Peer,
    /// What the peer stated, if it did.
    pub incarnation: Option<u64>,
    /// What frames to this end carried.
    pub own: Label,
    /// What frames to the peer carry.
    pub to: Label,
    /// The peer receives frames at its address: what it is told may be longer than what it sent.
    pub is_proven: bool,
    pub words: Words,
}

/// A bounded memory of refusals.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    in_order: VecDeque<(u64, Refusal)>,
}

impl Refusals {
    pub(crate) fn remember(&mut self, refusal: Refusal, now: u64) {
        self.forget(now);
        if self.in_order.len() == REMEMBERED_MAX {
            self.in_order.pop_front();
        }
        self.in_order.push_back((now + REMEMBERED_NS, refusal));
    }

    /// The refusal of the connection that a frame with this label was meant for.
    pub(crate) fn labelled(&mut self, from: SocketAddr, label: Label, now: u64) -> Option<&Refusal> {
        self.find(now, |refusal| refusal.peer.address == from && refusal.own == label)
    }

    /// The refusal of the connection that a first frame began.
    pub(crate) fn begun(&mut self, peer: &Peer, incarnation: u64, now: u64) -> Option<&Refusal> {
        self.find(now, |refusal| refusal.peer == *peer && refusal.incarnation == Some(incarnation))
    }

    fn find(&mut self, now: u64, is_it: impl Fn(&Refusal) -> bool) -> Option<&Refusal> {
        self.forget(now);
        self.in_order.iter().map(|(_, refusal)| refusal).find(|refusal| is_it(refusal))
    }

    fn forget(&mut self, now: u64) {
        while self.in_order.front().is_some_and(|(until, _)| *until <= now) {
            self.in_order.pop_front();
        }
    }
}

/// A secure connection that was refused: the refusal is repeated to its peer, sealed with its keys.
pub(crate) struct SecureRefusal {
    pub address: SocketAddr,
    /// What frames to this end carry.
    pub own: Label,
    /// What frames to the peer carry.
    pub to: Label,
    pub channel: Channel,
    pub words: Words,
}

/// A bounded memory of them.
#[derive(Default)]
pub(crate) struct SecureRefusals(VecDeque<(u64, SecureRefusal)>);

impl SecureRefusals {
    pub(crate) fn remember(&mut self, refusal: SecureRefusal, now: u64) {
        self.forget(now);
        if self.0.len() == REMEMBERED_MAX {
            self.0.pop_front();
        }
        self.0.push_back((now + REMEMBERED_NS, refusal));
    }

    /// The refusal of the connection that a frame with this label was meant for.
    pub(crate) fn labelled(&mut self, from: SocketAddr, label: Label, now: u64) -> Option<&mut SecureRefusal> {
        self.forget(now);
        let all = self.0.iter_mut().map(|(_, refusal)| refusal);
        all.into_iter().find(|refusal| refusal.address == from && refusal.own == label)
    }

    /// Forgets all: their keys must not be used any more.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn forget(&mut self, now: u64) {
        while self.0.front().is_some_and(|(until, _)| *until <= now) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(cookie: u32) -> Refusal {
        let peer = Peer { address: ([10, 0, 0, 1], 7).into(), identity: 0, fingerprint: 1 };
        let words = Words { code: cookie, text: "no".into() };
        Refusal {
            peer,
            incarnation: Some(5),
            own: Label { cookie, key: 1 },
            to: Label::default(),
            is_proven: false,
            words,
        }
    }

    #[test]
    fn refusal_is_found_by_label_and_by_incarnation_for_a_while() {
        let (mut all, one) = (Refusals::default(), refusal(3));
        let peer = one.peer;
        all.remember(one.clone(), 0);
        assert_eq!(all.labelled(peer.address, one.own, 29 * SECOND), Some(&one));
        assert_eq!(all.labelled(peer.address, Label { key: 2, ..one.own }, 0), None);
        assert_eq!(all.labelled(([10, 0, 0, 2], 7).into(), one.own, 0), None);
        assert_eq!(all.begun(&peer, 5, 0), Some(&one));
        assert_eq!(all.begun(&peer, 6, 0), None);
        assert_eq!(all.begun(&peer, 5, 30 * SECOND), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut all = Refusals::default();
        (0..1000).for_each(|n| all.remember(refusal(n), 0));
        assert_eq!(all.in_order.len(), REMEMBERED_MAX);
        assert_eq!(all.in_order.back(), Some(&(REMEMBERED_NS, refusal(999))));
    }
}
