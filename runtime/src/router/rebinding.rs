//! Secure connections whose peer has another address than before.
//!
//! A frame of such a connection shows who sent it, but not from where: anybody can send a copy from elsewhere. So the
//! frame is accepted, and the new address is asked by a sealed ping, no longer than three times what came from there;
//! with the sealed pong from there the connection moves. The old address is asked, too: a peer that still answers
//! there has not moved (as RFC 9000 §9.3.3).

use super::Router;
use crate::asked::Asked;
use crate::clock::SECOND;
use crate::connection::Connection;
use crate::event::ConnectionId;
use crate::outbox::Outbox;
use crate::wire::secure::Inner;
use crate::wire::Label;
use std::net::SocketAddr;

/// Bytes that must have come from an address for each question, which is three times as long.
const CREDIT: usize = 15;
/// A peer that has answered at its address is not looked for elsewhere for this time.
const STAYS_NS: u64 = SECOND;

impl<O: Outbox> Router<O> {
    /// A short frame came from an address without such a connection. Returns whether it is of a secure one, which may
    /// have moved there; then its stack gets the frame.
    pub(super) fn short_from_elsewhere(&mut self, from: SocketAddr, len: usize, label: Label) -> bool {
        let may_move = self.options.secure_moves;
        let is_meant = |connection: &&mut Connection| connection.key == label.key && connection.secured.is_some();
        let Some(connection) = self.connections.anywhere(label.cookie).filter(is_meant) else { return false };
        let id = connection.id;
        if !may_move || !connection.is_movable() {
            self.statistics.unknown_cookies += 1;
        } else if self.is_accepted(id, len, None) {
            self.ask_elsewhere(id, from, len);
        }
        true
    }

    /// Asks whether the peer of a connection is at an address from where a frame of it came.
    pub(super) fn ask_elsewhere(&mut self, id: ConnectionId, from: SocketAddr, len: usize) {
        let (now, token) = (self.time, self.random.draw() | 1);
        let Ok(connection) = self.get_mut(id) else { return };
        let stays = connection
            .secured
            .as_ref()
            .is_some_and(|secured| secured.stayed_at != 0 && now.saturating_sub(secured.stayed_at) < STAYS_NS);
        if stays || !connection.is_movable() {
            return;
        }
        let asked = connection.asked.get_or_insert_with(|| Asked::new(from, token, now));
        if asked.is_over(from, now) {
            *asked = Asked::new(from, token, now);
        }
        let is_first = asked.last_at() == 0;
        let Some(token) = asked.question(from, len, CREDIT, now) else { return };
        if is_first {
            self.send_ping(id);
        }
        // Not rationed as answers to strangers are: a flood of these would keep peers from moving.
        if let Some(frame) = self.seal(id, &Inner::Ping(token), 0) {
            self.statistics.controls_out += 1;
            self.send_plain(None, from, &frame);
        }
    }

    /// Asks a silent peer where it was before, too. Both ends may have followed copies of somebody who is faster than
    /// they, and who is silent now: then neither hears the other at its address.
    pub(super) fn ask_earlier(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get(id) else { return };
        let earlier = connection.secured.as_ref().map_or(Vec::new(), |secured| secured.earlier.clone());
        if earlier.is_empty() {
            return;
        }
        let token = self.random.draw() | 1;
        earlier.into_iter().for_each(|to| self.say_sealed_to(id, to, &Inner::Ping(token)));
    }

    /// Answers a ping, where the peer is; and where it came from, if the peer was there before.
    pub(super) fn sealed_pong(&mut self, id: ConnectionId, from: SocketAddr, token: u64) {
        let Ok(connection) = self.get(id) else { return };
        let was_there = connection.secured.as_ref().is_some_and(|secured| secured.earlier.contains(&from));
        self.say_sealed(id, &Inner::Pong(token));
        if was_there {
            self.say_sealed_to(id, from, &Inner::Pong(token));
        }
    }

    /// Whether a sealed pong from elsewhere is the answer that was asked for there; then the connection moves.
    pub(super) fn is_answer_from_elsewhere(&mut self, id: ConnectionId, from: SocketAddr, token: u64) -> bool {
        let Ok(connection) = self.get_mut(id) else { return false };
        match connection.asked.take_if(|asked| asked.is_answered(from, token)) {
            Some(asked) => self.move_to(id, from, asked.last_at()),
            None => false,
        }
    }
}

impl Connection {
    /// The peer has answered a ping at its address: it has not moved, if the ping was sent to find that out.
    pub(super) fn stays(&mut self, now: u64) {
        let pinged_at = self.pinged_at;
        if self.asked.take_if(|asked| asked.first_at() <= pinged_at).is_some() {
            if let Some(secured) = &mut self.secured {
                secured.stayed_at = now;
            }
        }
    }
}
