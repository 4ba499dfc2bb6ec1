//! All peers: look-up by number, and turns.

use super::peer::Peer;
use rustc_hash::FxHashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{fence, Ordering::SeqCst};

/// The maximum number of frames of one peer that are read before it is the others' turn.
const TURN: u32 = 32;

/// What a look for a frame has found.
#[derive(Debug)]
pub(super) enum Read {
    /// A frame of so many bytes.
    Frame(usize, SocketAddr),
    /// A peer has ended, and all that it sent was read.
    Ended(Box<Peer>),
    /// A peer was given up.
    Broken(Box<Peer>, io::Error),
}

/// Peers by number.
#[derive(Debug, Default)]
pub(super) struct Peers {
    list: Vec<Peer>,
    /// Where in the list each is.
    places: FxHashMap<u64, usize>,
    /// Whose turn it is, and how many frames were read in it.
    turn: usize,
    read: u32,
}

impl Peers {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds one with a new number.
    pub(super) fn add(&mut self, peer: Peer) {
        self.places.insert(peer.number, self.list.len());
        self.list.push(peer);
    }

    /// The one with a number.
    #[inline]
    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Peer> {
        let place = match *self.list {
            // A client has one peer.
            [ref only] if only.number == number => 0,
            _ => *self.places.get(&number)?,
        };
        self.list.get_mut(place)
    }

    /// Whether the next frame is known already.
    #[inline]
    pub(super) fn has_known(&self) -> bool {
        self.list.get(self.turn).is_some_and(Peer::has_known)
    }

    /// Reads the next frame of the peers in turn.
    #[inline]
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Option<Read> {
        for _ in 0..=self.list.len() {
            let peer = self.list.get_mut(self.turn)?;
            // What it wrote before it ended is seen after the end is.
            let has_ended = peer.has_ended;
            if self.read < TURN {
                match peer.read(buffer) {
                    Ok(Some(len)) => {
                        self.read += 1;
                        return Some(Read::Frame(len, peer.address));
                    }
                    Ok(None) if has_ended => return Some(Read::Ended(self.remove())),
                    Ok(None) => {}
                    Err(error) => return Some(Read::Broken(self.remove(), error)),
                }
            }
            self.pass();
        }
        None
    }

    /// Removes the peer whose turn it is.
    fn remove(&mut self) -> Box<Peer> {
        let peer = self.list.swap_remove(self.turn);
        self.places.remove(&peer.number);
        if let Some(moved) = self.list.get(self.turn) {
            self.places.insert(moved.number, self.turn);
        }
        (self.turn, self.read) = (if self.turn < self.list.len() { self.turn } else { 0 }, 0);
        Box::new(peer)
    }

    fn pass(&mut self) {
        self.turn = if self.turn + 1 < self.list.len() { self.turn + 1 } else { 0 };
        self.read = 0;
    }

    /// Asks all to wake this side, for room too where that is wanted; returns whether something is there already.
    pub(super) fn arm(&mut self, for_room: bool) -> bool {
        self.list.iter_mut().for_each(|peer| peer.arm(for_room));
        // A peer that has published before it sees the request is seen here.
        fence(SeqCst);
        self.list.iter_mut().any(|peer| peer.is_ready(for_room))
    }
}
