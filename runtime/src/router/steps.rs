//! Runs steps and deals with what comes out: frames leave at once, events are lent one by one, and when they are no
//! longer lent the stack settles.

use super::after::After;
use super::{Found, Router};
use crate::connection::{Connection, Phase};
use crate::error::Reason;
use crate::event::{ConnectionId, Head, Pending};
use crate::instance::Outcome;
use crate::outbox::Outbox;
use crate::output::{Message, Output};
use crate::shares::Cause;
use crate::stack::EventRole;
use crate::stepper::{Lent, Op};
use std::net::SocketAddr;

/// `later` events that one connection may run before others get their turn.
const LATER_MAX: usize = 1000;

impl<O: Outbox> Router<O> {
    /// Runs one step of a connection; it is active afterwards.
    pub(crate) fn run(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        // A connection that is run again is entered into the timers afterwards.
        if let Some(last) = self.end_loan().filter(|last| *last != id) {
            self.reschedule(last);
        }
        self.catch_up(id);
        let outcome = self.step(id, op);
        self.send_frames(id);
        outcome
    }

    fn step(&mut self, id: ConnectionId, op: Op<'_>) -> Outcome {
        let Router { connections, stacks, stepper, time, .. } = self;
        let Ok(connection) = connections.get_mut(id) else {
            return Outcome::Invalid;
        };
        let pools = &mut stacks.at_mut(connection.kind).pools;
        let cause = if matches!(op, Op::Input { .. }) { Cause::Frame } else { Cause::Call };
        let outcome = stepper.step(connection, pools.at_mut(connection.share.place), *time, op);
        pools.account(&mut connection.share, cause);
        outcome
    }

    /// Runs the `later` events that wait: they come before all others.
    fn catch_up(&mut self, id: ConnectionId) {
        // The deadline after the last step tells whether there are any.
        if self.get(id).is_ok_and(|connection| connection.stack_deadline != 0) {
            return;
        }
        for _ in 0..LATER_MAX {
            let waits = self.get_mut(id).is_ok_and(|connection| connection.look_at_stack() == 0);
            if !waits || self.step(id, Op::Tick) != Outcome::Done {
                break;
            }
            self.send_frames(id);
            self.copy_rest();
        }
        self.stepper.end();
    }

    /// Ends the loan of the active step: what the application has not seen is copied, the stack settles, and what had
    /// to wait for that is done.
    #[inline]
    pub(crate) fn release(&mut self) {
        if self.stepper.active().is_none() {
            return;
        }
        let is_quick = self.stepper.is_quick();
        match self.end_loan() {
            Some(id) if is_quick => self.reschedule_quick(id),
            Some(id) => self.reschedule(id),
            None => {}
        }
    }

    /// The same without the timers; returns the connection of the step.
    fn end_loan(&mut self) -> Option<ConnectionId> {
        let id = self.stepper.active()?;
        self.copy_rest();
        self.settle(id);
        self.stepper.end();
        if !self.after.is_empty() {
            self.do_what_had_to_wait();
        }
        Some(id)
    }

    fn do_what_had_to_wait(&mut self) {
        for after in std::mem::take(&mut self.after) {
            match after {
                After::Confirmed(id) => self.replace_older(id),
                After::Ended(id, reason) => self.linger_or_remove(id, reason),
                After::Evicted(id) => self.evict(id),
            }
        }
    }

    fn settle(&mut self, id: ConnectionId) {
        let Router { connections, stacks, stepper, .. } = self;
        let Ok(connection) = connections.get_mut(id) else {
            return;
        };
        if stepper.is_quick() {
            return;
        }
        let pools = &mut stacks.at_mut(connection.kind).pools;
        let more = stepper.settle(connection, pools.at_mut(connection.share.place));
        pools.account(&mut connection.share, Cause::Call);
        if more {
            self.send_frames(id);
            self.copy_rest();
        }
    }

    /// Copies the events of the active step that were not handed out.
    fn copy_rest(&mut self) {
        while let Some((head, lent)) = self.next_of_active() {
            let bytes = self.lent(lent).to_vec();
            self.events.push(Pending { head, bytes });
        }
    }

    /// The next event of the active step that concerns the application, and where its message is.
    #[inline(always)]
    fn next_of_active(&mut self) -> Option<(Head, Lent)> {
        let Router { stepper, connections, after, .. } = self;
        let id = stepper.active()?;
        while let Some(lent) = stepper.next_event() {
            let connection = connections.get(id).ok()?;
            let head = match lent {
                Lent::Output(index) => translate(connection, &stepper.outputs().get(index)?, after),
                Lent::Quick => Some(delivered(connection, None)),
            };
            if let Some(head) = head {
                return Some((head, lent));
            }
        }
        None
    }

    /// The message of an event of the active step.
    #[inline]
    pub(super) fn lent(&self, lent: Lent) -> Message<'_> {
        match lent {
            Lent::Output(index) => {
                self.stepper.outputs().get(index).map_or(Message::whole(&[]), |output| output.message())
            }
            Lent::Quick => self.stepper.quick_message(),
        }
    }

    /// The next event that is there, if any: those that wait come first, then those of the active step.
    #[inline]
    pub(crate) fn next_event(&mut self) -> Option<Found> {
        if let Some(pending) = self.events.pop() {
            self.handed_out.by = pending.head.delivered_to();
            return Some(Found::Owned(pending));
        }
        let (head, lent) = self.next_of_active()?;
        self.handed_out.by = head.delivered_to();
        Some(Found::Borrowed(head, lent))
    }

    /// The application no longer holds the event that it was given last: a message is owed to the stack.
    #[inline]
    pub(crate) fn take_back(&mut self) {
        if let Some(id) = self.handed_out.by.take() {
            self.owe(id);
        }
    }

    /// The application has taken a message of a connection.
    pub(crate) fn owe(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let (known, by_itself) = (connection.instance.stack().known(), connection.by_itself);
        let owes = known.grant_delivers.is_some() && by_itself.grants;
        let tells = known.taken.is_some() && by_itself.takes;
        connection.owed += u64::from(owes);
        connection.untold += u64::from(tells);
        if owes || tells {
            self.wait_for_stack(id);
        }
    }
}

/// Interprets an output for the application.
#[inline]
fn translate(connection: &Connection, output: &Output<'_>, after: &mut Vec<After>) -> Option<Head> {
    let has_address = connection.instance.stack().events().get(usize::from(output.event()))?.has_address;
    let address = if has_address { output.address() } else { None };
    told(connection, (output.event(), output.arguments()), address, after)
}

/// Interprets an event of a stack for the application.
#[inline]
pub(super) fn told(
    connection: &Connection,
    (number, arguments): (u16, [u64; 4]),
    address: Option<SocketAddr>,
    after: &mut Vec<After>,
) -> Option<Head> {
    let (id, stack) = (connection.id, connection.instance.stack());
    let (known, event) = (stack.known(), Some(number));
    if let Phase::Lingering { .. } = connection.phase {
        return None;
    }
    let role = stack.events().get(usize::from(number))?.role;
    if event == known.deliver {
        return Some(delivered(connection, address));
    }
    if event == known.grant_sends {
        return None;
    }
    if event == known.opened {
        after.push(After::Confirmed(id));
        let peer_key = connection.secured.as_ref().and_then(|secured| secured.peer_key);
        return Some(Head::Opened { connection: id, peer: connection.peer.address, peer_key });
    }
    if event == known.closed {
        let reason = Reason::from_number(arguments[0]);
        after.push(After::Ended(id, reason));
        let words = connection.peer_words.clone();
        return Some(Head::Closed { connection: id, reason, words });
    }
    if role == EventRole::Opening {
        return None;
    }
    Some(Head::Other { connection: id, event: number, arguments, address })
}

#[inline]
fn delivered(connection: &Connection, from: Option<SocketAddr>) -> Head {
    let is_proven = connection.confirmed || !connection.arrived;
    Head::Delivered { connection: connection.id, from, is_proven }
}
