//! An address where the peer of a connection may be now, which is being asked.

use crate::clock::{MILLISECOND, SECOND};
use std::net::SocketAddr;

/// It is asked once in this time.
const ASK_EVERY_NS: u64 = 100 * MILLISECOND;
/// It has so long to answer; only then another one is asked.
const ANSWER_NS: u64 = 3 * SECOND;
/// The length of a ping, which asks.
pub(crate) const PING_BYTES: usize = 20;

/// The address, and what only who receives frames there can say.
#[derive(Debug)]
pub(crate) struct Asked {
    address: SocketAddr,
    token: u64,
    first_at: u64,
    /// When it was asked last; 0: not yet.
    last_at: u64,
    /// Bytes that have come from there since: no more are sent.
    credit: usize,
}

impl Asked {
    /// It has not been asked yet.
    pub(crate) fn new(address: SocketAddr, token: u64, now: u64) -> Asked {
        Asked { address, token, first_at: now, last_at: 0, credit: 0 }
    }

    /// Whether this address may be asked in its place.
    pub(crate) fn is_over(&self, address: SocketAddr, now: u64) -> bool {
        self.address != address && now.saturating_sub(self.first_at) >= ANSWER_NS
    }

    /// A frame of `len` bytes has come from an address. Returns the token of a question to that address, if it is asked
    /// now; before, at least `needed` bytes must have come from there.
    pub(crate) fn question(&mut self, address: SocketAddr, len: usize, needed: usize, now: u64) -> Option<u64> {
        if self.address != address {
            return None;
        }
        self.credit += len;
        let is_early = self.last_at != 0 && now.saturating_sub(self.last_at) < ASK_EVERY_NS;
        if is_early || self.credit < needed {
            return None;
        }
        (self.last_at, self.credit) = (now, 0);
        Some(self.token)
    }

    /// Whether this is its answer.
    pub(crate) fn is_answered(&self, address: SocketAddr, token: u64) -> bool {
        self.address == address && self.token == token
    }

    /// When a frame came from there first.
    pub(crate) fn first_at(&self) -> u64 {
        self.first_at
    }

    /// When it was asked last.
    pub(crate) fn last_at(&self) -> u64 {
        self.last_at
    }
}
