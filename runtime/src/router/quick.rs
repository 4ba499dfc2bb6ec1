//! Steps by the quick entries of a stack: a call that makes one frame, a frame that is delivered. They take what is
//! common; everything else has no effect there, and goes by the ordinary entries.

use super::sending::note_sent;
use super::steps::told;
use super::Router;
use crate::connection::{Connection, Phase};
use crate::event::{ConnectionId, Pending};
use crate::outbox::Outbox;
use crate::shares::Cause;
use std::io::IoSlice;

impl<O: Outbox> Router<O> {
    /// Sends a message by the quick entry; whether that has taken it.
    pub(super) fn send_quick(&mut self, id: ConnectionId, message: &[u8]) -> bool {
        let Ok(connection) = self.get(id) else { return false };
        if !connection.instance.stack().is_quick() || !self.admits(connection, message.len()) {
            return false;
        }
        self.release();
        let Router { connections, stacks, outbox, errors, time, head, .. } = self;
        let Ok(connection) = connections.get_mut(id) else { return false };
        if !may_be_quick(connection) {
            return false;
        }
        let pools = &mut stacks.at_mut(connection.kind).pools;
        let pool = pools.at_mut(connection.share.place);
        let Some((head, to)) = connection.instance.send_quick(pool, *time, message, head) else { return false };
        pools.account(&mut connection.share, Cause::Call);
        connection.note_quick();
        let to = match to {
            Some(to) if to != connection.from => to.to_socket_addr(),
            // The stack's address has no scope, the connection's may have.
            _ => None,
        };
        let to = to.unwrap_or(connection.peer.address);
        let counts = connection.count_out(head.len() + message.len());
        debug_assert!(counts, "a confirmed connection has no budget");
        let sent = outbox.send(Some(id), to, &[IoSlice::new(head), IoSlice::new(message)]);
        note_sent(&mut connection.traffic, to, sent, errors);
        connection.traffic.taken += 1;
        self.reschedule_quick(id);
        true
    }

    /// Gives a frame to a connection's stack by the quick entry; whether that has taken it. The step is active
    /// afterwards.
    pub(super) fn input_quick(&mut self, id: ConnectionId, len: usize) -> bool {
        let Router { connections, stacks, stepper, after, events, time, .. } = self;
        let Ok(connection) = connections.get_mut(id) else { return false };
        // A step of the router's own, as of one that moves, may still be lent.
        if !may_be_quick(connection) || stepper.active().is_some() {
            return false;
        }
        let pools = &mut stacks.at_mut(connection.kind).pools;
        let pool = pools.at_mut(connection.share.place);
        let Some(taken) = stepper.input_quick(connection, pool, *time, len) else { return false };
        pools.account(&mut connection.share, Cause::Frame);
        connection.note_quick();
        if let Some((event, argument)) = taken.event {
            // It comes before what is delivered, which is lent.
            let told = told(connection, (event, [argument.into(), 0, 0, 0]), None, after);
            if let Some(head) = told {
                events.push(Pending { head, bytes: Vec::new() });
            }
        }
        true
    }
}

/// Whether a step of a connection needs nothing besides its stack. The entries themselves do nothing while a `later`
/// event is pending.
#[inline]
fn may_be_quick(connection: &Connection) -> bool {
    connection.instance.stack().is_quick()
        && connection.phase == Phase::Live
        && connection.budget.is_none()
        && connection.farewell.is_none()
}
