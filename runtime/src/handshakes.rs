//! Handshakes that are not over, found by the connection that they are for, by the cookie of this end, and by the frame
//! that began them. They have a place in the table of connections, and no stack yet.

use crate::connection::ByItself;
use crate::connections::Proposed;
use crate::error::Reason;
use crate::event::{ConnectionId, OtherStack};
use crate::instance::Config;
use crate::peers::Peer;
use crate::secure::handshake::{Initiator, Responder};
use crate::secure::keys::Expect;
use crate::secure::noise::Parameters;
use crate::secure::payload::Payload;
use crate::secured::First;
use crate::wire::secure::Initiate;
use crate::wire::Label;
use std::collections::HashMap;
use std::net::SocketAddr;

/// A handshake that is not over.
pub(crate) struct Pending {
    pub place: Proposed,
    /// Index of its stack.
    pub kind: usize,
    pub peer: Peer,
    /// What this end says of itself.
    pub own: Payload,
    pub began_at: u64,
    /// The earliest entry in the timers.
    pub wake: u64,
    pub role: Role,
}

/// Which end this is.
pub(crate) enum Role {
    Begun(Box<Begun>),
    Arrived(Box<Arrived>),
}

/// This end has begun it.
pub(crate) struct Begun {
    pub initiator: Initiator,
    pub initiate: Initiate,
    pub config: Config,
    pub expect: Expect,
    /// When the frame is sent again, and how long after that again.
    pub again_at: u64,
    pub again_after: u64,
    /// When the frame was last sent because of a *retry*, and how many of these have come since it was sent.
    pub retried_at: u64,
    pub retries: u64,
    /// What somebody who has seen the frame says, and until when the peer may show that it is a lie.
    pub doubt: Option<Doubt>,
    /// The event and length of the call that was refused last.
    pub refused: Option<(u16, usize)>,
    pub by_itself: ByItself,
}

/// A reason to give up that anybody on the way can have sent.
pub(crate) struct Doubt {
    pub until: u64,
    pub reason: Reason,
    pub other_stack: Option<OtherStack>,
}

/// A peer has begun it.
pub(crate) struct Arrived {
    pub responder: Responder,
    pub parameters: Parameters,
    pub respond: Vec<u8>,
    pub first: First,
}

impl Pending {
    /// What frames to this end carry.
    pub(crate) fn label(&self) -> Label {
        self.own.label
    }

    /// The part of the end that has begun.
    pub(crate) fn begun(&mut self) -> Option<&mut Begun> {
        match &mut self.role {
            Role::Begun(begun) => Some(begun),
            Role::Arrived(_) => None,
        }
    }

    /// The part of the end that answers.
    pub(crate) fn arrived(&mut self) -> Option<&mut Arrived> {
        match &mut self.role {
            Role::Arrived(arrived) => Some(arrived),
            Role::Begun(_) => None,
        }
    }
}

/// All handshakes that are not over.
#[derive(Default)]
pub(crate) struct Handshakes {
    pending: HashMap<ConnectionId, Box<Pending>>,
    /// By the index of their places.
    by_index: HashMap<u32, ConnectionId>,
    /// The connections that peers have begun, and those that came of them.
    by_first: HashMap<SocketAddr, HashMap<[u8; 32], ConnectionId>>,
    /// Those that this end has begun, by the peer's address.
    begun: HashMap<SocketAddr, Vec<ConnectionId>>,
}

impl Handshakes {
    /// Enters one.
    pub(crate) fn insert(&mut self, pending: Pending) {
        let id = pending.place.id;
        self.by_index.insert(id.index(), id);
        match &pending.role {
            Role::Begun(_) => self.begun.entry(pending.peer.address).or_default().push(id),
            Role::Arrived(arrived) => self.set_first(arrived.first, id),
        }
        self.pending.insert(id, Box::new(pending));
    }

    /// Takes one out. What its first frame is recognized by stays, until `forget`.
    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Box<Pending>> {
        let pending = self.pending.remove(&id)?;
        self.by_index.remove(&id.index());
        if let Some(all) = self.begun.get_mut(&pending.peer.address) {
            all.retain(|one| *one != id);
            if all.is_empty() {
                self.begun.remove(&pending.peer.address);
            }
        }
        Some(pending)
    }

    /// The connection of a first frame has ended.
    pub(crate) fn forget(&mut self, first: &First, id: ConnectionId) {
        let (address, frame) = first;
        let Some(of_address) = self.by_first.get_mut(address) else { return };
        if of_address.get(frame) == Some(&id) {
            of_address.remove(frame);
        }
        if of_address.is_empty() {
            self.by_first.remove(address);
        }
    }

    /// The connection that a first frame began is known by this id from now on.
    pub(crate) fn set_first(&mut self, first: First, id: ConnectionId) {
        let (address, frame) = first;
        self.by_first.entry(address).or_default().insert(frame, id);
    }

    /// A handshake.
    pub(crate) fn get(&self, id: ConnectionId) -> Option<&Pending> {
        self.pending.get(&id).map(|pending| &**pending)
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Option<&mut Pending> {
        self.pending.get_mut(&id).map(|pending| &mut **pending)
    }

    /// The handshake at an index of the table of connections.
    pub(crate) fn at_index(&mut self, index: u32) -> Option<&mut Pending> {
        let id = *self.by_index.get(&index)?;
        self.get_mut(id)
    }

    /// The connection that a first frame from an address began. Its hash is asked for only if others from there have
    /// begun connections.
    pub(crate) fn begun_by(&self, address: SocketAddr, hash: impl FnOnce() -> [u8; 32]) -> Option<ConnectionId> {
        self.by_first.get(&address)?.get(&hash()).copied()
    }

    /// Those that this end has begun with an address.
    pub(crate) fn begun_with(&self, address: SocketAddr) -> impl Iterator<Item = &Pending> {
        self.begun.get(&address).into_iter().flatten().filter_map(|id| self.get(*id))
    }

    /// All of them.
    pub(crate) fn ids(&self) -> Vec<ConnectionId> {
        self.pending.keys().copied().collect()
    }
}
