//! The listener's state of a connection, besides that of its stack.

use crate::asked::Asked;
use crate::budget::Budget;
use crate::clock::SECOND;
use crate::error::{Error, Reason, Words};
use crate::event::ConnectionId;
use crate::ffi::{NacreAddr, NEVER};
use crate::instance::Instance;
use crate::path_mtu::PathMtu;
use crate::peers::Peer;
use crate::secured::Secured;
use crate::shares::Share;
use crate::statistics::{retransmitted, ConnectionStatistics, Traffic};
use crate::wire::Label;
use std::net::SocketAddr;

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its first frame is being looked at; frames are held back.
    Tentative,
    Live,
    /// Closed in order; it answers the peer until then.
    Lingering {
        until: u64,
    },
}

/// What the listener tells the stack as messages are taken; otherwise the application does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByItself {
    pub grants: bool,
    pub takes: bool,
}

impl Default for ByItself {
    fn default() -> ByItself {
        ByItself { grants: true, takes: true }
    }
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub id: ConnectionId,
    /// Index of its stack.
    pub kind: usize,
    /// What it has of one of that stack's pools.
    pub share: Share,
    pub instance: Instance,
    pub peer: Peer,
    pub from: NacreAddr,
    /// This end's key, which frames of the peer carry.
    pub key: u32,
    /// The incarnation that the peer stated; None: unknown yet.
    pub peer_incarnation: Option<u64>,
    /// What frames to the peer carry; its cookie is 0 as long as it is not known.
    pub label: Label,
    /// When the stack is asked to greet the peer, and how long after that again; 0: it is not.
    pub hello_at: u64,
    pub hello_after: u64,
    pub phase: Phase,
    /// The peer began it.
    pub arrived: bool,
    /// It counts against the limits for peers.
    pub is_counted: bool,
    /// The peer has shown that it receives frames at its address.
    pub confirmed: bool,
    /// The peer began it and has not shown that yet: what may be sent there.
    pub budget: Option<Budget>,
    pub heard_at: u64,
    pub pinged_at: u64,
    pub ping_token: u64,
    pub round_trip: Option<u64>,
    pub ponged_at: u64,
    /// Where the peer may be now instead.
    pub asked: Option<Asked>,
    /// The search for the longest frame that the path carries.
    pub path: PathMtu,
    /// When the peer first said that it does not know the connection, with nothing heard since.
    pub unknown_since: Option<u64>,
    /// The stack's deadline, if it was looked at since the last step; 0: it was not, or something is to be done at
    /// once.
    pub stack_deadline: u64,
    /// The earliest entry in the timers.
    pub wake: u64,
    /// The event and length that were refused last.
    pub refused: Option<(u16, usize)>,
    pub close_wanted: bool,
    /// What the peer is told while the connection is closed.
    pub farewell: Option<Box<Words>>,
    /// Its stack has said that the connection ended in order.
    pub peer_is_over: bool,
    /// What it has told about the end.
    pub peer_words: Option<Box<Words>>,
    /// In the listener's list of those that wait for their stack.
    pub waits: bool,
    /// Messages taken by the application and not yet granted.
    pub owed: u64,
    /// Messages taken by the application of which the stack does not know.
    pub untold: u64,
    pub by_itself: ByItself,
    /// Frames reach the stack.
    pub receives: bool,
    pub error_reported_at: u64,
    /// Its keys, if its stack is secure.
    pub secured: Option<Box<Secured>>,
    pub held: Vec<(SocketAddr, Vec<u8>)>,
    pub traffic: Traffic,
}

impl Connection {
    pub(crate) fn new(
        id: ConnectionId,
        (kind, share): (usize, Share),
        instance: Instance,
        peer: Peer,
        now: u64,
    ) -> Connection {
        let path = PathMtu::new(instance.stack().frame_max());
        Connection {
            id,
            kind,
            share,
            instance,
            peer,
            from: peer.address.into(),
            key: 0,
            peer_incarnation: None,
            label: Label::default(),
            hello_at: 0,
            hello_after: 0,
            phase: Phase::Live,
            arrived: false,
            is_counted: false,
            confirmed: false,
            budget: None,
            heard_at: now,
            pinged_at: now,
            ping_token: 0,
            round_trip: None,
            ponged_at: 0,
            asked: None,
            path,
            unknown_since: None,
            stack_deadline: 0,
            wake: NEVER,
            refused: None,
            close_wanted: false,
            farewell: None,
            peer_is_over: false,
            peer_words: None,
            waits: false,
            owed: 0,
            untold: 0,
            by_itself: ByItself::default(),
            receives: true,
            error_reported_at: 0,
            secured: None,
            held: Vec::new(),
            traffic: Traffic::default(),
        }
    }

    /// When it is to be looked at next; times in nanoseconds.
    pub(crate) fn deadline(&mut self, ping_after: u64, timeout: u64) -> u64 {
        let by_stack = self.look_at_stack();
        if let Phase::Lingering { until } = self.phase {
            return by_stack.min(until);
        }
        by_stack
            .min(self.silence_ends(timeout))
            .min(self.next_ping(ping_after))
            .min(self.next_hello())
            .min(self.next_probe())
            .min(self.next_repeated())
    }

    /// The stack's deadline, kept until its next step.
    #[inline]
    pub(crate) fn look_at_stack(&mut self) -> u64 {
        self.stack_deadline = self.instance.deadline();
        self.stack_deadline
    }

    pub(crate) fn silence_ends(&self, timeout: u64) -> u64 {
        self.heard_at.saturating_add(timeout)
    }

    pub(crate) fn next_ping(&self, ping_after: u64) -> u64 {
        if self.label.cookie == 0 || self.phase != Phase::Live {
            return NEVER;
        }
        if let Some(budget) = &self.budget {
            return budget.next_ping(self.pinged_at);
        }
        // A peer that seems not to know the connection is asked until that is certain.
        let after = if self.unknown_since.is_some() { ping_after.min(SECOND) } else { ping_after };
        self.heard_at.max(self.pinged_at).saturating_add(after)
    }

    /// When the peer is to be greeted again, as long as it has not answered.
    pub(crate) fn next_hello(&self) -> u64 {
        let waits = self.hello_at != 0 && !self.confirmed && self.phase == Phase::Live;
        if waits {
            self.hello_at
        } else {
            NEVER
        }
    }

    /// When the last frame of the handshake, or the question which connection the peer has, is to be sent again.
    pub(crate) fn next_repeated(&self) -> u64 {
        let Some(secured) = &self.secured else { return NEVER };
        let finish = secured.finish.as_ref().map_or(NEVER, |finish| finish.at);
        finish.min(secured.rivals.as_ref().map_or(NEVER, |rivals| rivals.at))
    }

    #[inline]
    pub(crate) fn heard(&mut self, now: u64) {
        self.heard_at = now;
        self.unknown_since = None;
    }

    /// A frame came from the peer's address.
    #[inline]
    pub(crate) fn count_in(&mut self, len: usize) {
        self.traffic.frames_in += 1;
        self.traffic.bytes_in += len as u64;
        if let Some(budget) = &mut self.budget {
            budget.receive(len);
        }
    }

    /// Whether a frame of the stack may be sent. If so it counts as sent, otherwise as withheld.
    #[inline]
    pub(crate) fn count_out(&mut self, len: usize) -> bool {
        if self.budget.as_mut().is_some_and(|budget| !budget.spend(len)) {
            self.traffic.withheld += 1;
            return false;
        }
        self.traffic.frames_out += 1;
        self.traffic.bytes_out += len as u64;
        true
    }

    /// A quick entry of the stack has taken a call or a frame.
    #[inline]
    pub(crate) fn note_quick(&mut self) {
        self.stack_deadline = 0;
        self.traffic.quick += 1;
    }

    /// Whether what may be sent suffices for a call with a message of this length.
    #[inline]
    pub(crate) fn may_call(&self, len: usize) -> bool {
        self.budget.as_ref().is_none_or(|budget| budget.covers(len))
    }

    /// Whether it waits for its stack to accept a call.
    pub(crate) fn is_in_want(&self) -> bool {
        self.refused.is_some() || self.owed > 0 || self.untold > 0
    }

    /// Whether the stack is to learn what the application has taken before it makes another frame.
    #[inline]
    pub(crate) fn has_to_tell(&self) -> bool {
        self.untold > 0 || self.owed > 0 && self.instance.stack().known().taken.is_some()
    }

    /// Err if the application may not use it any more.
    pub(crate) fn usable(&self) -> Result<(), Error> {
        match self.phase {
            Phase::Live => Ok(()),
            Phase::Tentative | Phase::Lingering { .. } => Err(Error::Closed(Reason::Closed)),
        }
    }

    pub(crate) fn statistics(&self) -> ConnectionStatistics {
        let names = self.instance.stack().counters().iter().cloned();
        let counters: Vec<(String, u64)> = names.zip(self.instance.counters().iter().copied()).collect();
        ConnectionStatistics {
            traffic: self.traffic,
            retransmitted: retransmitted(&counters),
            counters,
            round_trip_ns: self.round_trip,
            path_mtu: self.path.known(),
            confirmed: self.confirmed,
        }
    }
}
