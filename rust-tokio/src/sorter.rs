//! Sorts the events of a listener by what they concern.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use nacre_runtime::{ConnectionId, Event, OtherStack, Reason};

use crate::error::Ended;
use crate::limits::Limits;
use crate::slot::{Incoming, Slot, State};

/// Notices that wait for a reader at the most; the oldest are dropped.
const NOTICES_MAX: usize = 256;

/// An event of a listener that concerns none of its connections.
#[derive(Debug)]
pub enum Notice {
    /// A peer was refused because it runs another stack.
    OtherStack(OtherStack),
    /// The system or the network reported an error about frames.
    Error { peer: SocketAddr, cause: io::Error },
}

/// The parts of the core that are used while an event is borrowed.
pub(crate) struct Sorter<'a> {
    pub limits: &'a Limits,
    pub slots: &'a mut HashMap<ConnectionId, Arc<Slot>>,
    pub total: &'a AtomicUsize,
    pub touched: &'a mut Vec<Arc<Slot>>,
    pub notices: &'a mut VecDeque<Notice>,
    pub has_notices: &'a mut bool,
}

/// What is done once an event is no longer borrowed.
pub(crate) enum Order {
    /// A peer has begun a connection.
    Arrive(ConnectionId, SocketAddr),
    /// The peer must send no more for now.
    Pause(Arc<Slot>),
    /// No more may be kept, and the peer cannot be slowed down.
    GiveUp(Arc<Slot>),
}

impl Sorter<'_> {
    /// Keeps an event for its reader.
    pub(crate) fn sort(&mut self, event: Event<'_>) -> Option<Order> {
        match event {
            Event::Arrived { connection, from, .. } => return Some(Order::Arrive(connection, from)),
            Event::Delivered { connection, from, is_proven, message } => {
                let slot = self.slots.get(&connection)?;
                let mut state = slot.state();
                slot.touch(&mut state, self.touched);
                if !state.is_deaf {
                    slot.push(&mut state, Incoming::Message { bytes: message.to_vec(), from, is_proven });
                }
                return self.limit(slot, &mut state);
            }
            Event::Opened { connection, peer, peer_key } => self.keep(connection, |state| {
                state.opened = Some(peer_key);
                Some(Incoming::Opened { peer, peer_key })
            }),
            Event::Writable { connection } => self.keep(connection, |_| None),
            Event::Moved { connection, from, to } => self.keep(connection, |_| Some(Incoming::Moved { from, to })),
            Event::Other { connection, event, arguments, address, message } => {
                self.keep(connection, |_| Some(Incoming::Other { event, arguments, address, bytes: message.to_vec() }))
            }
            Event::Error { connection: Some(connection), peer, cause } => {
                self.keep(connection, |_| Some(Incoming::Error { peer, cause }))
            }
            Event::OtherStack(OtherStack { connection: Some(connection), .. }) => {
                let Event::OtherStack(what) = event else { return None };
                self.keep(connection, |state| {
                    state.other_stack = Some(what);
                    None
                });
            }
            Event::Closed { connection, reason, words } => {
                self.keep(connection, |state| {
                    let other = state.other_stack.take().filter(|_| reason == Reason::OtherStack);
                    let ended = other.map_or(Ended::Connection { reason, words }, Ended::OtherStack);
                    state.ended.get_or_insert(ended);
                    None
                });
                self.slots.remove(&connection);
            }
            Event::OtherStack(what) => self.note(Notice::OtherStack(what)),
            Event::Error { connection: None, peer, cause } => self.note(Notice::Error { peer, cause }),
        }
        None
    }

    /// Changes the state of a connection, and wakes those who wait for it.
    fn keep(&mut self, id: ConnectionId, change: impl FnOnce(&mut State) -> Option<Incoming>) {
        let Some(slot) = self.slots.get(&id) else { return };
        let mut state = slot.state();
        if let Some(incoming) = change(&mut state) {
            slot.push(&mut state, incoming);
        }
        slot.touch(&mut state, self.touched);
    }

    /// What follows from the length of a queue that has got one more message.
    fn limit(&self, slot: &Arc<Slot>, state: &mut State) -> Option<Order> {
        if state.is_deaf {
            state.consumed += u32::from(slot.has_grants);
            return None;
        }
        let is_scarce = self.total.load(Ordering::Relaxed) >= self.limits.total;
        let queue = if is_scarce { 0 } else { self.limits.queue_of(slot.max_message) };
        let counted = if state.bytes() < queue { &mut state.consumed } else { &mut state.ungranted };
        *counted += u32::from(slot.has_grants);
        if state.is_paused || state.bytes() < 2 * queue {
            return None;
        }
        if !state.is_sending {
            return Some(Order::Pause(slot.clone()));
        }
        (state.bytes() >= self.limits.most_of(slot.max_message)).then(|| Order::GiveUp(slot.clone()))
    }

    fn note(&mut self, notice: Notice) {
        if self.notices.len() == NOTICES_MAX {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
        *self.has_notices = true;
    }
}
