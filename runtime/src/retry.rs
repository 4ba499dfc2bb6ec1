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
}

impl Retries {
    /// With a secret of the host, or a new one.
    pub(crate) fn new(secret: Option<Secret>, shard: Shard, random: &mut Random) -> Retries {
        let drawn = (random.draw(), random.draw());
        let half = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Retries { key: secret.map_or(drawn, |Secret(bytes)| (half(&bytes[..8]), half(&bytes[8..]))), shard }
    }

    /// The label that frames of this peer must carry from now on.
    pub(crate) fn label(&self, peer: &Peer, incarnation: u64, now: u64) -> Label {
        self.of_period(peer, incarnation, now / PERIOD_NS)
    }

    /// Whether this peer was told this label a short time ago.
    pub(crate) fn is_valid(&self, label: Label, peer: &Peer, incarnation: u64, now: u64) -> bool {
        let this = now / PERIOD_NS;
        [this, this.saturating_sub(1)].iter().any(|period| self.of_period(peer, incarnation, *period) == label)
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
        let retries = Retries::new(None, Shard::ALONE, &mut Random::new(1));
        let label = retries.label(&peer(1), 5, 3 * SECOND);
        assert!(retries.is_valid(label, &peer(1), 5, 4 * SECOND));
        assert!(retries.is_valid(label, &peer(1), 5, 19 * SECOND));
        assert!(!retries.is_valid(label, &peer(1), 5, 20 * SECOND));
        assert!(!retries.is_valid(label, &peer(2), 5, 4 * SECOND), "another port");
        assert!(!retries.is_valid(label, &peer(1), 6, 4 * SECOND), "another incarnation");
        assert!(!retries.is_valid(Label { key: label.key ^ 1, ..label }, &peer(1), 5, 4 * SECOND));
        let other = Retries::new(None, Shard::ALONE, &mut Random::new(2));
        assert!(!other.is_valid(label, &peer(1), 5, 4 * SECOND), "another listener");
    }

    /// So who has proven an address stays with the listener that its address leads to.
    #[test]
    fn labels_lead_to_the_shard_that_gives_them() {
        for shard in Shard::each(5) {
            let retries = Retries::new(None, shard, &mut Random::new(1));
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
            Retries::new(Some(Secret(secret)), Shard::ALONE, &mut Random::new(seed))
        };
        let label = with(1, 1).label(&peer(1), 5, 3 * SECOND);
        assert!(with(1, 2).is_valid(label, &peer(1), 5, 4 * SECOND));
        assert!(!with(2, 1).is_valid(label, &peer(1), 5, 4 * SECOND), "another secret");
    }
}
