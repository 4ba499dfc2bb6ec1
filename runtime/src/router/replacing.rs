//! One secure connection for each peer. What opens a connection may be an old frame, of a connection that the peer has
//! given up; so this end asks on the new one, under seal, and ends the others only when the peer has answered there.

use super::initiating::{AGAIN_FIRST_NS, AGAIN_LAST_NS};
use super::Router;
use crate::connection::Phase;
use crate::event::ConnectionId;
use crate::outbox::Outbox;
use crate::secured::{Rivals, Who};
use crate::wire::secure::Inner;
use crate::wire::Label;

/// Connections that a peer can have while it does not say which one remains. One that begins anew answers on the new
/// one, and the others end.
const CONNECTIONS_MAX: usize = 16;

impl<O: Outbox> Router<O> {
    /// Whether a peer may have one more connection. Those that have been closed make room.
    pub(super) fn has_few_connections(&mut self, who: &Who) -> bool {
        if self.security.connections_of(who).len() < CONNECTIONS_MAX {
            return true;
        }
        for id in self.security.connections_of(who).to_vec() {
            if self.get(id).is_ok_and(|connection| connection.phase != Phase::Live) {
                self.remove(id);
            }
        }
        self.security.connections_of(who).len() < CONNECTIONS_MAX
    }

    /// A peer that is known by its address, because both have a common secret, has moved: no connection replaces this
    /// one any more. Its old address can be that of another peer now, and somebody on the way can have chosen the new
    /// one.
    pub(super) fn forget_address(&mut self, id: ConnectionId) {
        if let Some(who) = self.who(id).filter(Who::is_by_address) {
            self.security.leave_peer(&who, id);
        }
    }

    /// A connection is open: of those of the same peer one is to remain. Of two that were begun by different ends both
    /// ends keep the same one.
    pub(super) fn compete(&mut self, id: ConnectionId) {
        let Some(who) = self.who(id) else { return };
        for other in self.security.enter(who, id) {
            let is_same_direction = self.begun_at(id).is_some() == self.begun_at(other).is_some();
            if is_same_direction || self.label_of_initiator(id) >= self.label_of_initiator(other) {
                self.ask_rival(id, other);
            } else {
                self.ask_rival(other, id);
            }
        }
    }

    /// Whether this end has begun another connection with a peer later than at this time: then a connection that was
    /// begun then is none that is wanted.
    pub(super) fn has_begun_since(&self, who: &Who, began_at: u64) -> bool {
        let all = self.security.connections_of(who);
        all.iter().any(|other| self.begun_at(*other).is_some_and(|begun_at| begun_at > began_at))
    }

    /// Whether this end asks on a connection that it has begun whether that one takes the place of this one, which it
    /// has begun, too. It then does not show here that it is alive: the peer could take this one to be newer.
    pub(super) fn is_being_replaced(&self, id: ConnectionId) -> bool {
        let Some(who) = self.begun_at(id).and_then(|_| self.who(id)) else { return false };
        let asks = |other: &ConnectionId| {
            let rivals = self.get(*other).ok()?.secured.as_ref()?.rivals.as_ref()?;
            self.begun_at(*other).map(|_| rivals.ids.contains(&id))
        };
        self.security.connections_of(&who).iter().any(|other| asks(other) == Some(true))
    }

    /// A pong has arrived on a connection. If it answers the question whether the peer is alive there, the others end.
    pub(super) fn rivals_end(&mut self, id: ConnectionId, token: u64) -> bool {
        let secured = self.get_mut(id).ok().and_then(|connection| connection.secured.as_mut());
        let Some(secured) = secured else { return false };
        let who = secured.who;
        let Some(rivals) = secured.rivals.take_if(|rivals| rivals.token == token) else { return false };
        for other in rivals.ids {
            if self.security.connections_of(&who).contains(&other) {
                self.end_replaced(other);
            }
        }
        true
    }

    /// Asks again, if the answer is late.
    pub(super) fn repeat_question(&mut self, id: ConnectionId) {
        let now = self.time;
        let secured = self.get_mut(id).ok().and_then(|connection| connection.secured.as_mut());
        let rivals = secured.and_then(|secured| secured.rivals.as_mut());
        let Some(rivals) = rivals.filter(|rivals| rivals.at <= now) else { return };
        rivals.after = (rivals.after * 2).min(AGAIN_LAST_NS);
        rivals.at = now + rivals.after;
        let token = rivals.token;
        self.say_sealed(id, &Inner::Ping(token));
    }

    /// Asks on a connection whether the peer is alive there; if so, another one ends.
    fn ask_rival(&mut self, id: ConnectionId, other: ConnectionId) {
        let (now, token) = (self.time, self.random.draw() | 1);
        let secured = self.get_mut(id).ok().and_then(|connection| connection.secured.as_mut());
        let Some(secured) = secured else { return };
        let mut ids = secured.rivals.take().map_or(Vec::new(), |rivals| rivals.ids);
        ids.push(other);
        secured.rivals = Some(Rivals { ids, token, at: now + AGAIN_FIRST_NS, after: AGAIN_FIRST_NS });
        self.say_sealed(id, &Inner::Ping(token));
        self.reschedule(id);
    }

    fn who(&self, id: ConnectionId) -> Option<Who> {
        self.get(id).ok()?.secured.as_ref().map(|secured| secured.who)
    }

    /// When this end began it; none: the peer has.
    fn begun_at(&self, id: ConnectionId) -> Option<u64> {
        self.get(id).ok()?.secured.as_ref()?.begun_at
    }

    /// The label of the end that began it, in an order that both ends know.
    fn label_of_initiator(&self, id: ConnectionId) -> (u32, u32) {
        let Ok(connection) = self.get(id) else { return (0, 0) };
        let own = Label { cookie: self.connections.cookie(id).unwrap_or(0), key: connection.key };
        let label = if self.begun_at(id).is_some() { own } else { connection.label };
        (label.key, label.cookie)
    }
}
