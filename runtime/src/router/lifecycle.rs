//! How connections become confirmed, replace one another, and end.

use super::Router;
use crate::clock::nanoseconds;
use crate::connection::{Connection, Phase};
use crate::error::{Reason, Words};
use crate::event::{ConnectionId, Head};
use crate::outbox::Outbox;

impl<O: Outbox> Router<O> {
    /// The peer has shown that it receives frames at its address.
    pub(super) fn confirm(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        connection.budget = None;
        if std::mem::replace(&mut connection.confirmed, true) || !connection.arrived {
            return;
        }
        let ip = connection.peer.address.ip();
        self.admission.confirm(id, ip);
    }

    /// A connection is confirmed: older ones with the same peer are from before its restart. Newer ones are not: what
    /// confirms this one may be a late frame of a peer that has restarted since.
    pub(super) fn replace_older(&mut self, id: ConnectionId) {
        self.confirm(id);
        let Ok(connection) = self.get(id) else { return };
        let peer = connection.peer;
        // Of secure connections, that is done before their stack is opened.
        if !connection.arrived || connection.secured.is_some() {
            return;
        }
        let mut older = self.connections.of_peer(&peer);
        older.retain(|other| other.is_older(id));
        older.sort_unstable();
        older.into_iter().for_each(|other| self.end_replaced(other));
    }

    /// Ends a connection whose peer has restarted and has another one now. A connection that one of the ends has closed
    /// in order is left to its stack: the peer still answers there, and what was sent last may not have arrived yet.
    pub(super) fn end_replaced(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get(id) else { return };
        if connection.phase == Phase::Live && !connection.peer_is_over {
            self.statistics.restarted += 1;
            self.end(id, Reason::Restarted);
        }
    }

    /// Ends a connection now, and notifies the application if needed.
    pub(super) fn end(&mut self, id: ConnectionId, reason: Reason) {
        self.tell_end(id, reason);
        self.drop_waiting(id, reason);
        self.remove(id);
    }

    fn tell_end(&mut self, id: ConnectionId, reason: Reason) {
        let Ok(connection) = self.get_mut(id) else { return };
        if connection.phase == Phase::Live {
            let words = connection.peer_words.take();
            self.report_end(id, reason, words);
        }
    }

    /// Notifies the application that a connection has ended.
    pub(super) fn report_end(&mut self, id: ConnectionId, reason: Reason, words: Option<Box<Words>>) {
        self.ends.note(id, reason);
        self.events.push(Head::Closed { connection: id, reason, words });
    }

    /// The stack has said that the connection ended. After an orderly close it still answers for a while, in case the
    /// peer missed the last acknowledgement, unless the peer's stack has said the same.
    pub(super) fn linger_or_remove(&mut self, id: ConnectionId, reason: Reason) {
        let until = self.time + nanoseconds(self.options.linger);
        self.ends.note(id, reason);
        self.drop_waiting(id, reason);
        let Ok(connection) = self.get(id) else {
            return;
        };
        let is_needed = is_orderly(reason) && connection.instance.stack().has_preamble();
        if is_needed {
            self.say_over(id);
        }
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if !is_needed || connection.peer_is_over {
            return self.remove(id);
        }
        connection.phase = Phase::Lingering { until };
        // It makes room before those that are not confirmed. Its peer is not believed any more than before.
        self.dismiss(id);
        self.reschedule(id);
    }

    /// Frames that still wait for room are of no use to the peer, unless the connection ended in order.
    fn drop_waiting(&mut self, id: ConnectionId, reason: Reason) {
        if !is_orderly(reason) {
            self.outbox.discard(Some(id));
        }
    }

    /// Ends an unconfirmed connection to make room for another. Its peer may begin again, if it exists.
    pub(super) fn evict(&mut self, id: ConnectionId) {
        self.statistics.evicted += 1;
        self.fail_handshake(id, Reason::Busy);
        self.tell_end(id, Reason::Busy);
        self.drop_waiting(id, Reason::Busy);
        self.forget_about(id);
    }

    /// Takes a connection out of everything and discards its state, and remembers it for a while. The caller has ended
    /// the loan of its outputs.
    pub(super) fn remove(&mut self, id: ConnectionId) {
        let Ok(connection) = self.connections.get(id) else {
            return;
        };
        if let Some(incarnation) = connection.peer_incarnation {
            self.connections.remember(connection.peer, incarnation, self.time);
        }
        self.forget_about(id);
    }

    /// The same without the memory.
    fn forget_about(&mut self, id: ConnectionId) {
        if self.stepper.active() == Some(id) {
            self.stepper.end();
        }
        self.dismiss(id);
        let Some(connection) = self.connections.remove(id) else {
            return;
        };
        self.statistics.traffic.add(&connection.traffic);
        if let Some(secured) = &connection.secured {
            self.security.leave(secured, id);
        }
        self.give_back(*connection);
    }

    /// A connection does not count against the limits for peers any more.
    fn dismiss(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if std::mem::take(&mut connection.is_counted) {
            let ip = connection.peer.address.ip();
            self.admission.leave(id, ip);
        }
    }

    /// Discards a connection that is in no table any more.
    pub(super) fn give_back(&mut self, connection: Connection) {
        let pools = &mut self.stacks.at_mut(connection.kind).pools;
        connection.instance.discard(pools.at_mut(connection.share.place).pool_mut());
        pools.leave(connection.share);
    }
}

/// Whether a connection that ended for this reason was closed.
fn is_orderly(reason: Reason) -> bool {
    matches!(reason, Reason::Closed | Reason::Incomplete)
}
