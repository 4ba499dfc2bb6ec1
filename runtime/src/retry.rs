//! Labels that prove an address before anything is kept of its peer.
//!
//! Where many peers have begun connections that are not confirmed, a first frame is answered with *retry*: its sender
//! is told the cookie and key that its frames must carry. They are a keyed hash of what the frame says and of its
//! source: recognizing them takes no memory, and whoever does not receive frames at that address has to guess 56 bits.
//! (TCP's SYN cookies do the same with 32.)

use crate::clock::SECOND;
use crate::listener_c::{hash_of_claim, Claim};
use crate::options::Secret;
use crate::peers::Peer;
use crate::random::Random;
use crate::shard::Shard;
use crate::wire::{Label, COOKIE_BITS};
use std::net::{IpAddr, SocketAddr};

/// A label is valid in the period in which it was made and in the next.
const PERIOD_NS: u64 = 10 * SECOND;

/// Makes and recognizes the labels of one listener.
pub(crate) struct Retries {
    key: (u64, u64),
    shard: Shard,
    /// The time when the clock was 0: periods are counted from the origin of this time.
    origin: u64,
}

impl Retries {
    /// With a secret of the host, or a new one. `origin`: the time when the clock was 0. A secret outlives the clock,
    /// which begins anew with the machine; a label must not be valid then.
    pub(crate) fn new(secret: Option<Secret>, shard: Shard, origin: u64, random: &mut Random) -> Retries {
        let drawn = (random.draw(), random.draw());
        let half = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Retries { key: secret.map_or(drawn, |Secret(bytes)| (half(&bytes[..8]), half(&bytes[8..]))), shard, origin }
    }

    /// The label that frames of this peer must carry from now on.
    pub(crate) fn label(&self, peer: &Peer, incarnation: u64, now: u64) -> Label {
        self.of_period(peer, incarnation, self.period(now))
    }

    /// Whether this peer was told this label a short time ago.
    pub(crate) fn is_valid(&self, label: Label, peer: &Peer, incarnation: u64, now: u64) -> bool {
        let this = self.period(now);
        [this, this.saturating_sub(1)].iter().any(|period| self.of_period(peer, incarnation, *period) == label)
    }

    fn period(&self, now: u64) -> u64 {
        self.origin.saturating_add(now) / PERIOD_NS
    }

    fn of_period(&self, peer: &Peer, incarnation: u64, period: u64) -> Label {
        let Peer { address, identity, fingerprint } = *peer;
        let claim = Claim { address: &bytes_of(address), identity, fingerprint, incarnation };
        let hash = hash_of_claim([self.key.0, self.key.1], &claim, period);
        let drawn = (hash >> 32) as u32 & ((1 << COOKIE_BITS) - 1);
        Label { cookie: self.shard.cookie(drawn), key: hash as u32 }
    }
}

/// An address as the emitted listener is given it: IP address, port, and the scope, if it has one.
fn bytes_of(address: SocketAddr) -> Vec<u8> {
    let mut bytes = match address.ip().to_canonical() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    bytes.extend(address.port().to_be_bytes());
    if let SocketAddr::V6(address) = address {
        bytes.extend(Some(address.scope_id()).filter(|scope| *scope != 0).iter().flat_map(|scope| scope.to_be_bytes()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(port: u16) -> Peer {
        Peer { address: ([10, 0, 0, 1], port).into(), identity: 0, fingerprint: 1 }
    }

    #[test]
    fn label_is_valid_for_one_peer_and_a_short_time() {
        let retries = Retries::new(None, Shard::ALONE, 0, &mut Random::new(1));
        let label = retries.label(&peer(1), 5, 3 * SECOND);
        assert!(retries.is_valid(label, &peer(1), 5, 4 * SECOND));
        assert!(retries.is_valid(label, &peer(1), 5, 19 * SECOND));
        assert!(!retries.is_valid(label, &peer(1), 5, 20 * SECOND));
        assert!(!retries.is_valid(label, &peer(2), 5, 4 * SECOND), "another port");
        assert!(!retries.is_valid(label, &peer(1), 6, 4 * SECOND), "another incarnation");
        assert!(!retries.is_valid(Label { key: label.key ^ 1, ..label }, &peer(1), 5, 4 * SECOND));
        let other = Retries::new(None, Shard::ALONE, 0, &mut Random::new(2));
        assert!(!other.is_valid(label, &peer(1), 5, 4 * SECOND), "another listener");
    }

    /// So who has proven an address stays with the listener that its address leads to.
    #[test]
    fn labels_lead_to_the_shard_that_gives_them() {
        for shard in Shard::each(5) {
            let retries = Retries::new(None, shard, 0, &mut Random::new(1));
            for port in 0..100 {
                let label = retries.label(&peer(port), 5, 3 * SECOND);
                assert_eq!(label.cookie, shard.cookie(label.cookie));
                assert!(retries.is_valid(label, &peer(port), 5, 4 * SECOND));
            }
        }
    }

    #[test]
    fn secret_of_the_host_outlives_a_listener() {
        let with = |last: u8, seed: u64| {
            let mut secret = [7; 16];
            secret[15] = last;
            Retries::new(Some(Secret(secret)), Shard::ALONE, 0, &mut Random::new(seed))
        };
        let label = with(1, 1).label(&peer(1), 5, 3 * SECOND);
        assert!(with(1, 2).is_valid(label, &peer(1), 5, 4 * SECOND));
        assert!(!with(2, 1).is_valid(label, &peer(1), 5, 4 * SECOND), "another secret");
    }

    /// The clock of a machine begins anew when it is started.
    #[test]
    fn labels_of_an_earlier_run_of_the_machine_are_not_valid() {
        let with = |origin: u64| Retries::new(Some(Secret([7; 16])), Shard::ALONE, origin, &mut Random::new(1));
        let (before, after) = (with(1_000_000 * SECOND), with(1_000_500 * SECOND));
        let label = before.label(&peer(1), 5, 30 * SECOND);
        assert!(!after.is_valid(label, &peer(1), 5, 30 * SECOND));
        let same = with(1_000_020 * SECOND);
        assert!(same.is_valid(label, &peer(1), 5, 15 * SECOND), "20 s after the machine, 5 s after the label");
    }
}
