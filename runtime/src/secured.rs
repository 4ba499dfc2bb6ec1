//! What a router knows of one secure connection.

use crate::event::ConnectionId;
use crate::peers::Peer;
use crate::secure::channel::Channel;
use crate::secure::keys::PublicKey;
use crate::secure::reset::Token;
use std::net::SocketAddr;
use zeroize::Zeroize;

/// The part of a connection that only secure ones have.
#[derive(Debug)]
pub(crate) struct Secured {
    pub channel: Channel,
    /// The peer's identity; none: both have the same secret.
    pub peer_key: Option<PublicKey>,
    /// What ends the connection if the peer has forgotten it.
    pub peer_reset: Token,
    /// Of a connection that this end began, until the peer has shown that it has the keys: the last frame of the
    /// handshake, and when it is sent again.
    pub finish: Option<Repeated>,
    /// Of a connection that the peer began: that frame, and when it was answered last.
    pub finished: Option<(Vec<u8>, u64)>,
    /// The first frame of the peer.
    pub first: Option<First>,
    /// The peer, as the key of those that replace each other.
    pub who: Who,
    /// When this end began the connection; none: the peer has.
    pub begun_at: Option<u64>,
    /// The other connections with the peer, while this end asks which one the peer has.
    pub rivals: Option<Rivals>,
    /// When the peer last answered at its address, after a frame of it had come from elsewhere.
    pub stayed_at: u64,
    /// Where it was before, the last one first.
    pub earlier: Vec<SocketAddr>,
}

/// Connections that end when the peer has shown that it is alive on another one.
#[derive(Debug)]
pub(crate) struct Rivals {
    pub ids: Vec<ConnectionId>,
    /// Of the ping that the peer is to answer.
    pub token: u64,
    /// When it is sent again, and how long after that again.
    pub at: u64,
    pub after: u64,
}

/// A frame that is sent again.
#[derive(Debug)]
pub(crate) struct Repeated {
    pub frame: Vec<u8>,
    pub at: u64,
    pub after: u64,
}

/// So many earlier addresses of a peer are remembered.
const EARLIER_MAX: usize = 4;

impl Secured {
    /// The connection has moved.
    pub(crate) fn note_move(&mut self, before: SocketAddr, now: SocketAddr) {
        self.earlier.retain(|address| *address != before && *address != now);
        self.earlier.insert(0, before);
        self.earlier.truncate(EARLIER_MAX);
    }
}

impl Drop for Secured {
    fn drop(&mut self) {
        self.peer_reset.zeroize();
    }
}

/// A peer of secure connections, wherever it is: of two connections with it the older one is from before a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Who {
    /// Without one, its address.
    key: Result<PublicKey, SocketAddr>,
    identity: u64,
    fingerprint: u64,
    /// Which of this end's identities it knows.
    own: u64,
}

impl Who {
    /// The peer with a public key, or one of those with a common secret, and the identity of this end that it knows.
    pub(crate) fn new(key: Option<PublicKey>, peer: &Peer, own: u64) -> Who {
        Who { key: key.ok_or(peer.address), identity: peer.identity, fingerprint: peer.fingerprint, own }
    }

    /// Whether it is known by its address.
    pub(crate) fn is_by_address(&self) -> bool {
        self.key.is_err()
    }
}

/// What a first frame is recognized by when it comes again: its sender, and a hash of what it says.
pub(crate) type First = (SocketAddr, [u8; 32]);
