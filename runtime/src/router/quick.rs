//! Steps by the quick entries of a stack: a call that makes one frame, a frame that is delivered. They take what is
//! common; everything else has no effect there, and goes by the ordinary entries.

use super::handed_out::Delivery;
use super::sending::note_sent;
use super::steps::{is_proven, told};
use super::Router;
use crate::connection::{Connection, Phase};
use crate::connections::Connections;
use crate::event::{ConnectionId, Pending};
use crate::outbox::Outbox;
use crate::pools::Place;
use crate::shares::Cause;
use std::io::IoSlice;

impl<O: Outbox> Router<O> {
    /// Sends a message by the quick entry; whether that has taken it.
    #[inline(always)]
    pub(super) fn send_quick(&mut self, id: ConnectionId, message: &[u8]) -> bool {
        if !self.ends_last(id) {
            return false;
        }
        let Router { connections, stacks, outbox, errors, schedule, time, head, .. } = self;
        let Ok(connection) = connections.get_mut(id) else { return false };
        let place = stacks.at_mut(connection.kind).pools.at_mut(connection.share.place);
        if !may_be_quick(connection) || connection.has_to_tell() || !admits_quick(outbox, connection, place) {
            return false;
        }
        let Some(head) = connection.instance.send_quick(place.pool_mut(), *time, message, head) else { return false };
        place.account(&mut connection.share, Cause::Call);
        connection.note_quick();
        let to = match connection.instance.quick_to() {
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
        schedule.enter_after_quick(connection, *time);
        true
    }

    /// Ends what still goes on before a call: the stack learns what the application has taken, and the active step is
    /// not lent any more. Whether that is done; not if the call would be refused.
    #[inline]
    fn ends_last(&mut self, id: ConnectionId) -> bool {
        self.stepper.active().is_none() && self.handed_out.by.is_none() || self.end_last(id)
    }

    #[inline(never)]
    fn end_last(&mut self, id: ConnectionId) -> bool {
        self.tell_taken(id);
        let Router { connections, stacks, outbox, .. } = self;
        let Ok(connection) = connections.get(id) else { return false };
        let place = stacks.at(connection.kind).pools.at(connection.share.place);
        let may = may_be_quick(connection) && admits_quick(outbox, connection, place);
        if may {
            self.release();
        }
        may
    }

    /// Gives a frame to the stack of the connection that `find` finds, by the quick entry; whether that has taken it.
    /// The step is active afterwards.
    #[inline(always)]
    pub(super) fn input_quick(
        &mut self,
        find: impl FnOnce(&mut Connections) -> Option<&mut Connection>,
        len: usize,
    ) -> bool {
        let Router { connections, stacks, stepper, after, events, handed_out, schedule, time, .. } = self;
        let Some(connection) = find(connections) else { return false };
        // A step of the router's own, as of one that moves, may still be lent.
        if !may_be_quick(connection) || !connection.receives || stepper.active().is_some() {
            return false;
        }
        let place = stacks.at_mut(connection.kind).pools.at_mut(connection.share.place);
        if !place.may_take(&connection.share, Cause::Frame, true) {
            return false;
        }
        let Some(event) = stepper.input_quick(connection, place.pool_mut(), *time, len) else { return false };
        place.account(&mut connection.share, Cause::Frame);
        connection.count_in(len);
        connection.note_quick();
        connection.traffic.taken += 1;
        connection.heard_sealed(*time);
        let counts = connection.instance.stack().known().counts_taken();
        handed_out.quick = Delivery { is_proven: is_proven(connection), counts };
        schedule.enter_after_quick(connection, *time);
        if let Some((event, argument)) = event {
            // It comes before what is delivered, which is lent.
            let told = told(connection, (event, [argument.into(), 0, 0, 0]), None, after);
            if let Some(head) = told {
                events.push(Pending { head, bytes: Vec::new() });
            }
        }
        true
    }
}

/// Whether a call is admitted, as far as it does not depend on the stack.
#[inline]
fn admits_quick(outbox: &impl Outbox, connection: &Connection, place: &Place) -> bool {
    !outbox.is_congested(Some(connection.id)) && place.may_take(&connection.share, Cause::Call, true)
}

/// Whether a step of a connection needs nothing besides its stack: it is confirmed and goes on. The entries themselves
/// do nothing while a `later` event is pending.
#[inline]
fn may_be_quick(connection: &Connection) -> bool {
    connection.instance.stack().is_quick()
        && connection.phase == Phase::Live
        && connection.budget.is_none()
        && connection.farewell.is_none()
}
