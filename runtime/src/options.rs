//! The options of a listener.

use crate::random::Random;
use crate::secure::keys::{Keys, Psk};
use crate::secure::signature::SigningKey;
use std::time::Duration;

/// Limits and times of a listener. `Options::default()` suits a server on the Internet.
#[derive(Clone, Debug)]
pub struct Options {
    /// Connections at the most; more than 65,535 count as that. Default 10,000.
    pub connections: usize,
    /// Connections that peers at one IP address (of IPv6: in one /64) have begun, at the most; who comes then takes the
    /// place of their oldest that is not confirmed. Default 1,024.
    pub connections_per_address: usize,
    /// Connections that peers have begun and not yet confirmed (their address may be forged), at the most; who
    /// comes then takes the place of the oldest. Default 5,000.
    pub unconfirmed: usize,
    /// The same for one IP address (of IPv6: for one /64). Default 256.
    pub unconfirmed_per_address: usize,
    /// From so many unconfirmed connections on, or with more than a sixteenth of it at one address, a peer that begins
    /// a connection first has to prove that it receives frames at its address. This takes one round trip, and nothing
    /// is kept of the peer before. It is asked to at the latest when a quarter of the places is taken that confirmed
    /// connections leave (`connections`, `unconfirmed`), or a sixteenth at one address. 0: always; no message is then
    /// delivered from an address that may be forged. Default 1,000.
    pub retry_above: usize,
    /// This end's identity; 0: its transport address, of secure connections its key. Processes that share keys need
    /// different ones: of two connections with one key and identity the peer takes the older one for one from before
    /// a restart, and ends it.
    pub identity: u64,
    /// Blocks in the message pool of each stack, which all its connections share. None: several pools, made as
    /// connections come, together enough for 256 connections that hold all they can, but no more than 64 MiB and never
    /// less than one connection needs.
    pub pool_blocks: Option<u32>,
    /// After so long without a frame from the peer it is sent a ping, or after a quarter of `timeout` if that is less.
    /// Default 5 s.
    pub ping_after: Duration,
    /// After so long without a frame from the peer the connection is closed with `timeout`. Default 30 s.
    pub timeout: Duration,
    /// For so long at most a connection that was closed in order still answers the peer. Default 3 s.
    pub linger: Duration,
    /// Bytes of frames that wait for room in the socket, at the most; one connection takes at most half of it, and `n`
    /// connections equal parts. More are lost and counted. Default 1 MiB.
    pub backlog: usize,
    /// Whether frames are held, so that many leave by one system call: until `poll` or a call that waits finds nothing
    /// more that has arrived, or `flush`. For programs that send many messages and then poll or wait, as event loops
    /// do. Up to 16 calls of `send` while frames are held have the time of the first. Default false: frames leave
    /// before the call returns.
    pub gather: bool,
    /// Bytes of events and their messages that are kept while a blocking call waits for something else; at this bound
    /// nothing more is received until they are taken. Default 16 MiB.
    pub pending: usize,
    /// Whether a connection moves with its peer when frames with its label come from another address, and the peer has
    /// answered there. Whoever reads its frames on the way can move it, too: for stacks that authenticate, and for
    /// networks that are trusted. Default false: a peer with another address is another peer.
    pub moves: bool,
    /// The same for secure connections: only the peer itself can move them. Default true.
    pub secure_moves: bool,
    /// What proves addresses (`retry_above`), and what tells the peers of secure connections that they are forgotten: a
    /// server that starts again with the secret that it had still accepts the proofs of those whom it asked before,
    /// and ends the connections that it had. Proofs contain the time of day as of the start of this listener: if it was
    /// set back meanwhile, older ones are valid again; if it was set forward, they are asked for again. None: a new
    /// one.
    pub secret: Option<Secret>,
    /// The keys that say who this end is, for secure stacks. None: only `psk`. A listener with keys that serves takes
    /// every peer that proves a key, whether or not `psk` is set; the application decides by `Event::Opened`.
    pub keys: Option<Keys>,
    /// The secret of this end and its peers, for secure stacks. None: only `keys`. With both, a peer needs either of
    /// the two, not both.
    pub psk: Option<Psk>,
    /// The key with which this end signs, for stacks with a layer that signs. Default none.
    pub signing: Option<SigningKey>,
    /// Whether connections that this end begins agree on keys by ML-KEM-768 besides X25519, so that who records them
    /// cannot read them with a quantum computer later. Peers may begin either. Default true.
    pub hybrid: bool,
    /// Whether stacks without keys may be served beside secure ones. Default false.
    pub plain_beside_secure: bool,
    /// The seed of cookies, incarnations and the layers' random numbers, and of the keys that X25519 draws; None: from
    /// the system. For tests.
    pub seed: Option<u64>,
}

/// Random bytes that the host keeps, and nobody else knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub [u8; 16]);

impl Secret {
    /// A new one.
    pub(crate) fn draw() -> Secret {
        let mut random = Random::from_system();
        let mut bytes = [0; 16];
        bytes.chunks_mut(8).for_each(|half| half.copy_from_slice(&random.draw().to_le_bytes()));
        Secret(bytes)
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            connections: 10_000,
            connections_per_address: 1_024,
            unconfirmed: 5_000,
            unconfirmed_per_address: 256,
            retry_above: 1_000,
            identity: 0,
            pool_blocks: None,
            ping_after: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            linger: Duration::from_secs(3),
            backlog: 1 << 20,
            gather: false,
            pending: 16 << 20,
            moves: false,
            secure_moves: true,
            secret: None,
            keys: None,
            psk: None,
            signing: None,
            hybrid: true,
            plain_beside_secure: false,
            seed: None,
        }
    }
}
