//! How connections become confirmed, replace one another, and end.

use crate::clock::nanoseconds;
use crate::connection::{Connection, Phase};
use crate::error::Reason;
use crate::event::{ConnectionId, Head};
use crate::listener::Listener;
use std::net::IpAddr;

impl Listener {
    /// The peer has shown that it gets what is sent to its address.
    pub(crate) fn confirm(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut connection.confirmed, true) || !connection.arrived {
            return;
        }
        let ip = connection.peer.address.ip();
        if connection.peer_incarnation.is_some() {
            self.one_less_unconfirmed(ip);
        }
    }

    pub(crate) fn one_less_unconfirmed(&mut self, ip: IpAddr) {
        self.unconfirmed_len = self.unconfirmed_len.saturating_sub(1);
        if let Some(count) = self.unconfirmed.get_mut(&ip) {
            *count -= 1;
            if *count == 0 {
                self.unconfirmed.remove(&ip);
            }
        }
    }

    /// A connection is confirmed: others with the same peer are from before its restart.
    pub(crate) fn replace_older(&mut self, id: ConnectionId) {
        self.confirm(id);
        let Ok(connection) = self.get(id) else { return };
        let peer = connection.peer;
        if !connection.arrived {
            return;
        }
        for cookie in self.peers.of_peer(&peer).to_vec() {
            let Some(other) = self.table.get(cookie).filter(|other| other.id != id) else {
                continue;
            };
            let other = other.id;
            self.statistics.restarted += u64::from(self.get(other).is_ok_and(|other| other.phase == Phase::Live));
            self.end(other, Reason::Restarted);
        }
    }

    /// Ends a connection now, and says so to the application if it does not know.
    pub(crate) fn end(&mut self, id: ConnectionId, reason: Reason) {
        if self.get(id).is_ok_and(|connection| connection.phase == Phase::Live) {
            self.push(Head::Closed { connection: id, reason });
        }
        self.remove(id);
    }

    /// The stack has said that the connection ended. After an orderly close it still answers for a while, in case the
    /// peer missed the last acknowledgement.
    pub(crate) fn linger_or_remove(&mut self, id: ConnectionId, reason: Reason) {
        let until = self.time + nanoseconds(self.options.linger);
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if reason != Reason::Closed || !connection.instance.stack().has_preamble() {
            return self.remove(id);
        }
        connection.phase = Phase::Lingering { until };
        self.confirm(id);
        self.reschedule(id);
    }

    /// Takes a connection out of everything and discards its state. The caller has ended the loan of its outputs.
    pub(crate) fn remove(&mut self, id: ConnectionId) {
        if self.get(id).is_err() {
            return;
        }
        if self.active.as_ref().is_some_and(|active| active.id == id) {
            self.active = None;
            self.out.clear();
        }
        let Some(connection) = self.table.remove(id.cookie()) else {
            return;
        };
        self.peers.remove(connection.peer, id.cookie(), connection.label);
        self.statistics.traffic.add(&connection.traffic);
        let now = self.time;
        if let Some(incarnation) = connection.peer_incarnation {
            self.departed.remember(connection.peer, incarnation, now);
            if connection.arrived && !connection.confirmed {
                self.one_less_unconfirmed(connection.peer.address.ip());
            }
        }
        self.give_back(*connection);
    }

    /// Discards a connection that is in no table any more.
    pub(crate) fn give_back(&mut self, connection: Connection) {
        let pools = &mut self.kinds[connection.kind].pools;
        connection.instance.discard(pools.at_mut(connection.pool));
        pools.leave(connection.pool);
    }
}
