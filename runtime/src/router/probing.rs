//! Probes of the path to a peer: padded pings, and what becomes known by their answers.

use super::Router;
use crate::connection::{Connection, Phase};
use crate::event::ConnectionId;
use crate::ffi::NEVER;
use crate::link::is_too_long;
use crate::outbox::{Outbox, Problem};
use crate::path_mtu::Seen;
use crate::stepper::Op;
use crate::wire::secure::Inner;
use crate::wire::Control;

impl<O: Outbox> Router<O> {
    /// Sends a probe if it is time for one.
    pub(super) fn probe_path(&mut self, id: ConnectionId) {
        let now = self.time;
        if self.get(id).map_or(NEVER, |connection| connection.next_probe()) > now {
            return;
        }
        let token = self.random.draw() | 1;
        let Ok(connection) = self.get_mut(id) else { return };
        let (seen, before) = (connection.seen(now), connection.path.known());
        if let Some((length, token)) = connection.path.probe(seen, token) {
            self.send_probe(id, length, token);
        }
        if self.get(id).is_ok_and(|connection| connection.path.is_in_doubt()) {
            self.send_ping(id);
        }
        self.tell_room(id, before);
    }

    fn send_probe(&mut self, id: ConnectionId, length: usize, token: u64) {
        let Ok(connection) = self.get(id) else { return };
        let (to, address, seen) = (connection.label, connection.peer.address, connection.seen(self.time));
        let sealed = self.seal(id, &Inner::Ping(token), length);
        let Some(mut frame) = sealed.or_else(|| (Control::Ping { to, token }).write(usize::MAX)) else { return };
        frame.resize(frame.len().max(length), 0);
        self.statistics.controls_out += 1;
        let Err(problem) = self.outbox.probe(address, &frame) else { return };
        match *problem {
            Problem::Overflowed(others) => self.errors.extend(others),
            Problem::Failed(own, others) => {
                self.errors.extend(others);
                if own.is_some_and(|error| is_too_long(&error)) {
                    let _ = self.get_mut(id).map(|connection| connection.path.cannot_leave(seen));
                }
            }
        }
    }

    /// A pong has arrived; whether it answers a probe.
    pub(super) fn probe_has_arrived(&mut self, id: ConnectionId, token: u64) -> bool {
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else { return false };
        let (seen, before) = (connection.seen(now), connection.path.known());
        if !connection.path.arrived(token, seen) {
            return false;
        }
        connection.heard(now);
        self.tell_room(id, before);
        self.reschedule(id);
        true
    }

    /// Tells a stack that has an event for it how many bytes of data fit a frame, if that has changed.
    fn tell_room(&mut self, id: ConnectionId, before: Option<usize>) {
        let Ok(connection) = self.get(id) else { return };
        let stack = connection.instance.stack();
        let (known, event) = (connection.path.known().filter(|known| Some(*known) != before), stack.known().room);
        let (Some(known), Some(event)) = (known, event) else { return };
        let room = known.saturating_sub(stack.raw().frame_head_max as usize) as u64;
        let address = stack.events()[usize::from(event)].has_address.then_some(connection.from);
        self.run(id, Op::Call { event, arguments: &[room, 0, 0, 0], address, message: &[] });
    }
}

impl Connection {
    /// When its path is to be probed.
    pub(crate) fn next_probe(&self) -> u64 {
        let may = self.confirmed && self.budget.is_none() && self.phase == Phase::Live && self.label.cookie != 0;
        if may {
            self.path.deadline()
        } else {
            NEVER
        }
    }

    fn seen(&self, now: u64) -> Seen {
        Seen { now, heard_at: self.heard_at, frames: self.traffic.frames_out }
    }
}
