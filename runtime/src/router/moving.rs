//! Connections whose peer has another address than before: it has changed networks, or a translator on the way has
//! forgotten it.
//!
//! A frame from elsewhere that carries the label of a connection may be a copy that somebody else has sent. So the new
//! address is asked by a ping with a random token, no larger than what came from there, and the frame itself is
//! dropped; with the pong the connection moves. Whoever reads the frames of a connection can take it away in this
//! manner: the option `moves` is off by default.

use super::Router;
use crate::asked::{self, Asked};
use crate::connection::{Connection, Phase};
use crate::event::{ConnectionId, Head};
use crate::outbox::Outbox;
use crate::path_mtu::PathMtu;
use crate::stepper::Op;
use crate::wire::{Control, Label};
use std::net::SocketAddr;

impl<O: Outbox> Router<O> {
    /// A frame with this label came from an address without such a connection. Returns whether it is of a connection
    /// that may have moved there; then that is found out.
    pub(super) fn may_have_moved(&mut self, from: SocketAddr, len: usize, label: Label) -> bool {
        if !self.options.moves {
            return false;
        }
        let (now, token) = (self.time, self.random.draw() | 1);
        let movable = |connection: &&mut Connection| {
            connection.key == label.key && connection.is_movable() && connection.secured.is_none()
        };
        let Some(connection) = self.connections.anywhere(label.cookie).filter(movable) else {
            return false;
        };
        let to = connection.label;
        let asked = connection.asked.get_or_insert_with(|| Asked::new(from, token, now));
        if asked.is_over(from, now) {
            *asked = Asked::new(from, token, now);
        }
        let Some(token) = asked.question(from, len, asked::PING_BYTES, now) else {
            return true;
        };
        if self.may_answer(from) {
            self.answer(from, asked::PING_BYTES, &Control::Ping { to, token });
        }
        true
    }

    /// A pong has come from an address without such a connection; whether it makes a connection move there.
    pub(super) fn has_moved(&mut self, from: SocketAddr, cookie: u32, token: u64) -> bool {
        let Some(connection) = self.connections.anywhere(cookie).filter(|it| it.is_movable() && it.secured.is_none())
        else {
            return false;
        };
        let Some(asked) = connection.asked.take_if(|asked| asked.is_answered(from, token)) else {
            return false;
        };
        let id = connection.id;
        self.move_to(id, from, asked.last_at())
    }

    /// The peer of a connection has shown that it is at this address.
    pub(super) fn move_to(&mut self, id: ConnectionId, from: SocketAddr, asked_at: u64) -> bool {
        let now = self.time;
        let Ok(connection) = self.get(id) else { return false };
        let before = connection.peer.address;
        if connection.is_counted && self.admission.has_all(from.ip()) {
            self.statistics.limited += 1;
            return false;
        }
        self.connections.move_to(id, from);
        self.forget_address(id);
        let Ok(connection) = self.connections.get_mut(id) else { return false };
        connection.heard(now);
        if let Some(secured) = &mut connection.secured {
            secured.note_move(before, from);
        }
        connection.round_trip = Some(now.saturating_sub(asked_at));
        connection.path = PathMtu::new(connection.instance.stack().frame_max());
        if connection.is_counted {
            self.admission.leave(id, before.ip());
            self.admission.enter(id, from.ip());
            self.admission.confirm(id, from.ip());
        }
        self.statistics.moved += 1;
        self.events.push(Head::Moved { connection: id, from: before, to: from });
        self.tell_address(id);
        self.reschedule(id);
        true
    }

    /// Tells a stack that has an event for it where its peer is now. Others keep the name that they know the peer by.
    fn tell_address(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else { return };
        let Some(event) = connection.instance.stack().known().moved else { return };
        connection.from = connection.peer.address.into();
        let address = Some(connection.from);
        self.run(id, Op::Call { event, arguments: &[0; 4], address, message: &[] });
    }
}

impl Connection {
    /// Whether each end is certain that the other one exists.
    pub(super) fn is_movable(&self) -> bool {
        self.confirmed && self.budget.is_none() && self.phase == Phase::Live && self.label.cookie != 0
    }
}
