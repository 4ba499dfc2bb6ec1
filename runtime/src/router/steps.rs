//! Runs steps and deals with what comes out: frames leave at once, events are lent one by one, and when they are no
//! longer lent the stack settles.

use super::after::After;
use super::Router;
use crate::connection::{Connection, Phase};
use crate::error::Reason;
use crate::event::{ConnectionId, Head, Pending};
use crate::instance::Outcome;
use crate::outbox::Outbox;
use crate::output::{Message, Output};
use crate::shares::Cause;
use crate::stack::EventRole;
use crate::stepper::Op;
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
        let place = stacks.at_mut(connection.kind).pools.at_mut(connection.share.place);
        let cause = if matches!(op, Op::Input { .. }) { Cause::Frame } else { Cause::Call };
        let outcome = stepper.step(connection, place.pool_mut(), *time, op);
        place.account(&mut connection.share, cause);
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
        match self.stepper.active() {
            Some(_) if self.stepper.is_over() && self.after.is_empty() => self.stepper.end(),
            Some(_) => self.release_outputs(),
            None => {}
        }
    }

    #[inline(never)]
    fn release_outputs(&mut self) {
        let is_quick = self.stepper.is_quick();
        if let Some(id) = self.end_loan().filter(|_| !is_quick) {
            self.reschedule(id);
        }
    }

    /// The same without the timers; returns the connection of the step.
    #[inline]
    fn end_loan(&mut self) -> Option<ConnectionId> {
        let id = self.stepper.active()?;
        self.copy_rest();
        if !self.stepper.is_quick() {
            self.settle(id);
        }
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
        let place = stacks.at_mut(connection.kind).pools.at_mut(connection.share.place);
        let more = stepper.settle(connection, place.pool_mut());
        place.account(&mut connection.share, Cause::Call);
        if more {
            self.send_frames(id);
            self.copy_rest();
        }
    }

    /// Copies the events of the active step that were not handed out.
    fn copy_rest(&mut self) {
        if let Some(id) = self.stepper.take_quick() {
            if let Ok(connection) = self.connections.get(id) {
                let is_proven = is_proven(connection);
                let head = Head::Delivered { connection: id, from: None, is_proven };
                let bytes = self.stepper.quick_message().to_vec();
                self.events.push(Pending { head, bytes });
            }
        }
        if self.stepper.is_quick() {
            return;
        }
        while let Some((head, index)) = self.next_of_active() {
            let bytes = self.lent(index).to_vec();
            self.events.push(Pending { head, bytes });
        }
    }

    /// The next event of the active step's outputs that concerns the application, and the output's index.
    #[inline(never)]
    pub(super) fn next_of_active(&mut self) -> Option<(Head, usize)> {
        let Router { stepper, connections, after, .. } = self;
        let id = stepper.active()?;
        while let Some(index) = stepper.next_event() {
            let connection = connections.get(id).ok()?;
            if let Some(head) = translate(connection, &stepper.outputs().get(index)?, after) {
                return Some((head, index));
            }
        }
        None
    }

    /// The message of an output of the active step.
    #[inline]
    pub(super) fn lent(&self, index: usize) -> Message<'_> {
        self.stepper.outputs().get(index).map_or(Message::whole(&[]), |output| output.message())
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
    if event == known.grant_sends || matches!(connection.phase, Phase::Lingering { .. }) {
        return None;
    }
    let role = stack.events().get(usize::from(number))?.role;
    if event == known.deliver {
        // The frame that brings it may be what proves its sender.
        let is_proven =
            is_proven(connection) || after.iter().any(|after| matches!(after, After::Confirmed(of) if *of == id));
        return Some(Head::Delivered { connection: id, from: address, is_proven });
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

/// Whether a message comes from an end that receives frames at the peer's address.
#[inline]
pub(super) fn is_proven(connection: &Connection) -> bool {
    connection.confirmed || !connection.arrived
}
