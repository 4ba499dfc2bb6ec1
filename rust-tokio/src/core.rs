//! The listener behind a lock, and what becomes of its events.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::Arc;
use std::time::Duration;

use nacre_runtime::{ConnectionId, Listener};

use crate::error::Ended;
use crate::limits::Limits;
use crate::slot::{Slot, State};
use crate::sorter::{Notice, Order, Sorter};

/// Events that are handled before other tasks get their turn.
const EVENTS_AT_ONCE: usize = 64;
/// What a peer reads whose connection is not wanted here: of no application, so without a code.
const NOT_ACCEPTED: &str = "not accepted";
const NOT_RECEIVED: &str = "messages are not received";

/// The listener, the connections, and what waits for readers.
pub(crate) struct Core {
    pub listener: Listener,
    pub limits: Limits,
    slots: HashMap<ConnectionId, Arc<Slot>>,
    /// Those that wait for `accept`; None: no more are accepted.
    arrived: Option<VecDeque<Arc<Slot>>>,
    notices: VecDeque<Notice>,
    total: Arc<AtomicUsize>,
    /// Handles of the listener and of connections.
    pub handles: usize,
    /// Until when the driver sleeps; 0: it is awake.
    pub armed: u64,
    /// The driver waits for room in the socket, too.
    pub watches_room: bool,
    /// Connections whose handles were dropped, and until when they may take to close.
    abandoned: VecDeque<(u64, ConnectionId)>,
    /// Connections that have ended in order, for which a call waits until the peer needs no answer.
    lingering: Vec<Arc<Slot>>,
    touched: Vec<Arc<Slot>>,
    has_arrivals: bool,
    has_notices: bool,
}

/// What the driver does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// There is more to do.
    Again,
    /// It sleeps until this time of the listener, at `now`; for room in the socket, too, if `watches_room`.
    Sleep { until: u64, now: u64, watches_room: bool },
    /// There is nothing to drive any more.
    Over,
}

/// Whom to wake once the lock is released: wakers may run code of others.
#[derive(Default)]
pub(crate) struct Wakes {
    pub slots: Vec<Arc<Slot>>,
    pub arrivals: bool,
    pub notices: bool,
}

impl Core {
    pub(crate) fn new(listener: Listener, limits: Limits) -> Core {
        Core {
            listener,
            limits,
            slots: HashMap::new(),
            arrived: Some(VecDeque::new()),
            notices: VecDeque::new(),
            total: Arc::default(),
            handles: 0,
            armed: 0,
            watches_room: false,
            abandoned: VecDeque::new(),
            lingering: Vec::new(),
            touched: Vec::new(),
            has_arrivals: false,
            has_notices: false,
        }
    }

    /// Handles what has happened, as far as others do not have to wait for it.
    pub(crate) fn turn(&mut self) -> (Next, Wakes) {
        self.armed = 0;
        let is_drained = self.handle_events();
        self.discard_late();
        self.notice_over();
        let wakes = self.pay_and_wake();
        if !is_drained {
            return (Next::Again, wakes);
        }
        if self.handles == 0 && self.slots.is_empty() && self.listener.connections().is_empty() {
            return (Next::Over, wakes);
        }
        let (until, now) = (self.deadline(), self.listener.now());
        if until <= now {
            return (Next::Again, wakes);
        }
        (self.armed, self.watches_room) = (until, self.listener.awaits_room());
        (Next::Sleep { until, now, watches_room: self.watches_room }, wakes)
    }

    /// Whether the driver has to look again after a call.
    pub(crate) fn needs_driver(&mut self) -> bool {
        if self.armed == 0 {
            return false;
        }
        let sleeps_well =
            self.deadline() >= self.armed && self.handles > 0 && (self.watches_room || !self.listener.awaits_room());
        if !sleeps_well {
            self.armed = 0;
        }
        !sleeps_well
    }

    fn deadline(&self) -> u64 {
        let late = self.abandoned.front().map_or(u64::MAX, |(until, _)| *until);
        self.listener.next_deadline().min(late)
    }

    /// Returns whether there are no more.
    fn handle_events(&mut self) -> bool {
        for _ in 0..EVENTS_AT_ONCE {
            let Core { listener, limits, slots, notices, total, touched, has_notices, .. } = self;
            let Some(event) = listener.poll() else { return true };
            let mut sorter = Sorter { limits, slots, total, touched, notices, has_notices };
            match sorter.sort(event) {
                None => {}
                Some(Order::Arrive(id, from)) => self.arrive(id, from),
                Some(Order::Pause(slot)) => self.set_paused(&slot, &mut slot.state(), true),
                Some(Order::GiveUp(slot)) => self.give_up(&slot),
            }
        }
        false
    }

    /// A peer has begun a connection.
    fn arrive(&mut self, id: ConnectionId, from: SocketAddr) {
        let waiting = self.arrived.as_ref().map(VecDeque::len);
        if waiting.is_none_or(|waiting| waiting >= self.limits.backlog) {
            let _ = self.listener.refuse(id, 0, NOT_ACCEPTED);
            return;
        }
        // One that has ended again has a `Closed` behind this event.
        let Some(slot) = self.enter(id, from) else { return };
        slot.state().has_arrived = true;
        self.arrived.iter_mut().for_each(|arrived| arrived.push_back(slot.clone()));
        self.has_arrivals = true;
    }

    /// Keeps what comes for a connection from now on. None: there is no such connection any more.
    pub(crate) fn enter(&mut self, id: ConnectionId, peer: SocketAddr) -> Option<Arc<Slot>> {
        let slot = Arc::new(Slot::new(id, peer, self.listener.stack(id).ok()?, self.total.clone()));
        if slot.has_grants {
            let _ = self.listener.set_grants_by_itself(id, false);
        }
        if slot.has_receipts {
            let _ = self.listener.set_takes_by_itself(id, false);
        }
        self.slots.insert(id, slot.clone());
        Some(slot)
    }

    /// The oldest connection that waits for `accept`, now with a handle.
    pub(crate) fn accept(&mut self) -> Result<Option<Arc<Slot>>, Ended> {
        let arrived = self.arrived.as_mut().ok_or(Ended::Stopped)?;
        while let Some(slot) = arrived.pop_front() {
            // Of one that has ended and said nothing, nobody needs to know.
            if slot.state().is_of_use() {
                self.handles += 1;
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Accepts no connections any more.
    pub(crate) fn stop_accepting(&mut self) {
        for slot in self.arrived.take().into_iter().flatten() {
            if self.slots.remove(&slot.id).is_some() {
                let _ = self.listener.refuse(slot.id, 0, NOT_ACCEPTED);
            }
        }
    }

    pub(crate) fn take_notice(&mut self) -> Option<Notice> {
        self.notices.pop_front()
    }

    /// The reader has taken something: grants what was withheld, and takes frames again.
    pub(crate) fn relieve(&mut self, slot: &Slot) {
        let mut state = slot.state();
        if state.bytes() > self.limits.queue_of(slot.max_message) / 2 || !self.is_live(slot) {
            return;
        }
        let ungranted = std::mem::take(&mut state.ungranted);
        if state.is_paused {
            self.set_paused(slot, &mut state, false);
        }
        drop(state);
        self.grant(slot.id, ungranted);
    }

    /// The reader has taken a message.
    pub(crate) fn note_taken(&mut self, slot: &Slot) {
        if self.is_live(slot) {
            let _ = self.listener.note_taken(slot.id, 1);
        }
    }

    fn is_live(&self, slot: &Slot) -> bool {
        self.slots.contains_key(&slot.id)
    }

    fn grant(&mut self, id: ConnectionId, mut messages: u32) {
        while messages > 0 {
            let some = u16::try_from(messages).unwrap_or(u16::MAX);
            let _ = self.listener.grant(id, some);
            messages -= u32::from(some);
        }
    }

    fn set_paused(&mut self, slot: &Slot, state: &mut State, is_paused: bool) {
        if self.listener.set_receives(slot.id, !is_paused).is_ok() {
            state.is_paused = is_paused;
        }
    }

    /// A call waits until the stack accepts a message; acknowledgements must arrive for that.
    pub(crate) fn begin_to_wait(&mut self, slot: &Arc<Slot>) -> Result<(), Ended> {
        let mut state = slot.state();
        state.is_sending = true;
        if state.is_paused && state.bytes() >= self.limits.most_of(slot.max_message) {
            drop(state);
            self.give_up(slot);
            return Err(Ended::Overrun);
        }
        if state.is_paused {
            self.set_paused(slot, &mut state, false);
        }
        Ok(())
    }

    /// Neither can the peer be slowed down, nor may more be kept.
    fn give_up(&mut self, slot: &Arc<Slot>) {
        let _ = self.listener.refuse(slot.id, 0, NOT_RECEIVED);
        self.forget(slot, Ended::Overrun);
    }

    /// The connection has ended without an event.
    pub(crate) fn forget(&mut self, slot: &Arc<Slot>, ended: Ended) {
        self.slots.remove(&slot.id);
        slot.end(&mut slot.state(), ended);
        slot.touch(&mut slot.state(), &mut self.touched);
    }

    /// Nobody receives any more; what comes is taken from the peer all the same, so that it can end in order.
    pub(crate) fn deafen(&mut self, slot: &Slot) {
        slot.deafen(&mut slot.state());
        self.relieve(slot);
    }

    /// A handle was dropped: closes the connection in order. One that has neither been heard nor said anything is of
    /// no use to its peer, and ends at once.
    pub(crate) fn abandon(&mut self, slot: &Arc<Slot>) {
        self.handles -= 1;
        self.deafen(slot);
        if !self.is_live(slot) {
            return;
        }
        if !slot.state().has_begun() {
            return self.discard(slot);
        }
        // It may have ended: the event is on its way.
        let _ = self.listener.close(slot.id);
        let until = self.listener.now().saturating_add(nanoseconds(self.limits.close));
        self.abandoned.push_back((until, slot.id));
    }

    /// Ends a connection without a word.
    pub(crate) fn discard(&mut self, slot: &Arc<Slot>) {
        if self.is_live(slot) {
            self.listener.discard(slot.id);
            self.forget(slot, Ended::Stopped);
        }
    }

    fn discard_late(&mut self) {
        let now = self.listener.now();
        while let Some((until, id)) = self.abandoned.front().copied() {
            let slot = self.slots.get(&id).cloned();
            match slot {
                Some(_) if until > now => return,
                Some(slot) => self.discard(&slot),
                None => {}
            }
            self.abandoned.pop_front();
        }
    }

    /// A call waits until the peer needs no answer any more.
    pub(crate) fn watch_lingering(&mut self, slot: &Arc<Slot>) {
        self.lingering.push(slot.clone());
        self.notice_over();
    }

    fn notice_over(&mut self) {
        let Core { lingering, listener, touched, .. } = self;
        lingering.retain(|slot| {
            if listener.peer(slot.id).is_ok() {
                return true;
            }
            let mut state = slot.state();
            state.is_over = true;
            slot.touch(&mut state, touched);
            false
        });
    }

    /// Grants the deliveries that were consumed, and returns whom to wake.
    pub(crate) fn pay_and_wake(&mut self) -> Wakes {
        let slots = std::mem::take(&mut self.touched);
        for slot in &slots {
            let mut state = slot.state();
            state.is_touched = false;
            let consumed = std::mem::take(&mut state.consumed);
            drop(state);
            self.grant(slot.id, consumed);
        }
        let arrivals = std::mem::take(&mut self.has_arrivals);
        let notices = std::mem::take(&mut self.has_notices);
        Wakes { slots, arrivals, notices }
    }

    /// Everything ends; returns whom to wake.
    pub(crate) fn stop(mut self) -> Wakes {
        let slots: Vec<Arc<Slot>> = self.slots.drain().map(|(_, slot)| slot).chain(self.lingering.drain(..)).collect();
        for slot in &slots {
            let mut state = slot.state();
            slot.end(&mut state, Ended::Stopped);
            state.is_over = true;
        }
        Wakes { slots, arrivals: true, notices: true }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
