//! What a connection has received and its reader has not: shared by the handle and the driver.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nacre_runtime::{ConnectionId, OtherStack, PublicKey, Stack};
use tokio::sync::Notify;

use crate::error::Ended;

/// Events without messages that wait for a reader at the most; a reader that asks for messages alone drops them.
const EVENTS_MAX: usize = 256;

/// Something that a connection has received.
#[derive(Debug)]
pub enum Incoming {
    /// A message. `from` is set if the stack's `deliver` has an address. `is_proven`: its sender receives frames at the
    /// peer's address.
    Message { bytes: Vec<u8>, from: Option<SocketAddr>, is_proven: bool },
    /// The peer has shown that it receives this end's frames. `peer_key`: of a secure connection, the public key that
    /// the peer has proven to have.
    Opened { peer: SocketAddr, peer_key: Option<PublicKey> },
    /// The peer has another address.
    Moved { from: SocketAddr, to: SocketAddr },
    /// The system or the network reported an error about frames of the connection, which continues.
    Error { peer: SocketAddr, cause: io::Error },
    /// Any other event of the stack, by its index in `Stack::events`.
    Other { event: u16, arguments: [u64; 4], address: Option<SocketAddr>, bytes: Vec<u8> },
}

impl Incoming {
    fn len(&self) -> usize {
        match self {
            Incoming::Message { bytes, .. } | Incoming::Other { bytes, .. } => bytes.len() + COST,
            _ => COST,
        }
    }
}

/// What an entry counts besides its bytes, so that empty messages are limited, too.
const COST: usize = 64;

/// A connection's part that its handle and the driver share.
pub(crate) struct Slot {
    pub id: ConnectionId,
    pub peer: SocketAddr,
    /// Whether its stack counts grants of deliveries.
    pub has_grants: bool,
    /// Whether its stack reports to the peer which messages were taken.
    pub has_receipts: bool,
    pub max_message: usize,
    /// Calls that wait until the stack accepts a message wait one after the other.
    pub turn: tokio::sync::Mutex<()>,
    /// Something was received, or the connection was opened or has ended.
    pub incoming: Notify,
    /// A refused call would be accepted, or the connection has ended.
    pub writable: Notify,
    /// The bytes that wait for the readers of all connections.
    total: Arc<AtomicUsize>,
    state: Mutex<State>,
}

/// Changed under the slot's lock, which is taken last.
#[derive(Default)]
pub(crate) struct State {
    queue: VecDeque<Incoming>,
    bytes: usize,
    events: usize,
    /// Events without messages that were dropped because nothing asked for them.
    pub lost_events: u64,
    /// Messages that count as consumed, to be granted at the end of the turn, and those that do not yet.
    pub consumed: u32,
    pub ungranted: u32,
    /// Frames are dropped before they reach the stack.
    pub is_paused: bool,
    /// A call waits until the stack accepts a message.
    pub is_sending: bool,
    /// Nothing is kept: the handle was dropped, or closes.
    pub is_deaf: bool,
    /// A message was sent.
    pub has_sent: bool,
    /// The peer began it.
    pub has_arrived: bool,
    /// The peer was heard, and its key.
    pub opened: Option<Option<PublicKey>>,
    pub other_stack: Option<OtherStack>,
    pub ended: Option<Ended>,
    /// The peer needs no answer any more.
    pub is_over: bool,
    /// The driver has it on its list of those to wake.
    pub is_touched: bool,
}

impl Slot {
    pub(crate) fn new(id: ConnectionId, peer: SocketAddr, stack: &Stack, total: Arc<AtomicUsize>) -> Slot {
        let counts = |name: &str| {
            let event = stack.input_event(name).and_then(|index| stack.events().get(usize::from(index)));
            event.is_some_and(|event| !event.idle)
        };
        Slot {
            id,
            peer,
            has_grants: counts("grant_delivers"),
            has_receipts: counts("taken"),
            max_message: stack.max_message(),
            turn: tokio::sync::Mutex::default(),
            incoming: Notify::new(),
            writable: Notify::new(),
            total,
            state: Mutex::default(),
        }
    }

    /// The state. No code of others runs under this lock, so a panic elsewhere leaves it whole.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps something for the reader.
    pub(crate) fn push(&self, state: &mut State, incoming: Incoming) {
        if state.is_deaf {
            return;
        }
        if !matches!(incoming, Incoming::Message { .. }) {
            if state.events == EVENTS_MAX {
                state.lost_events += 1;
                return;
            }
            state.events += 1;
        }
        state.bytes += incoming.len();
        self.total.fetch_add(incoming.len(), Ordering::Relaxed);
        state.queue.push_back(incoming);
    }

    /// Takes the oldest thing that was received.
    pub(crate) fn pop(&self, state: &mut State) -> Option<Incoming> {
        let incoming = state.queue.pop_front()?;
        state.events -= usize::from(!matches!(incoming, Incoming::Message { .. }));
        state.bytes -= incoming.len();
        self.total.fetch_sub(incoming.len(), Ordering::Relaxed);
        Some(incoming)
    }

    /// Keeps nothing from now on.
    pub(crate) fn deafen(&self, state: &mut State) {
        state.is_deaf = true;
        while self.pop(state).is_some() {}
    }

    /// Notes the end; the first one counts.
    pub(crate) fn end(&self, state: &mut State, ended: Ended) {
        state.ended.get_or_insert(ended);
    }

    /// Enters the slot into the list of those to wake.
    pub(crate) fn touch(self: &Arc<Slot>, state: &mut State, touched: &mut Vec<Arc<Slot>>) {
        if !std::mem::replace(&mut state.is_touched, true) {
            touched.push(self.clone());
        }
    }

    /// Wakes all that wait for it. The core's lock is not held.
    pub(crate) fn wake(&self) {
        self.incoming.notify_waiters();
        self.writable.notify_waiters();
    }
}

impl State {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the peer may know of the connection.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_arrived || self.has_sent || self.opened.is_some()
    }

    /// Whether there is something to do with the connection: it has not ended, or has messages.
    pub(crate) fn is_of_use(&self) -> bool {
        self.ended.is_none() || self.queue.len() > self.events
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let bytes = self.state.get_mut().map_or(0, |state| state.bytes);
        self.total.fetch_sub(bytes, Ordering::Relaxed);
    }
}
