//! The core of a listener: it owns the connections, and has neither sockets nor a clock.
//!
//! It is given datagrams ([`Router::receive`]), times ([`Router::set_time`]) and calls. It gives datagrams (to its
//! [`Outbox`]), events ([`Router::next_event`]) and the time of its next deadline ([`Router::next_deadline`]).
//! Everything that happens follows from these and from the seed in the options, so a checker can drive it; the
//! [`Listener`](crate::Listener) drives it with a transport.
//!
//! A step's frames leave at once. Its events are lent one by one; when the last is no longer lent the stack settles.

mod after;
#[cfg(test)]
mod amplification_tests;
mod answering;
#[cfg(test)]
mod attack_tests;
mod control;
mod establishing;
mod handed_out;
mod initiating;
mod lifecycle;
mod loan;
mod moving;
#[cfg(test)]
mod moving_tests;
mod opening;
mod probing;
#[cfg(test)]
mod probing_tests;
#[cfg(test)]
mod proof_tests;
mod quick;
mod rebinding;
mod replacing;
#[cfg(test)]
mod replacing_tests;
mod routing;
mod schedule;
mod sealed;
#[cfg(test)]
mod secure_attack_tests;
#[cfg(test)]
mod secure_limit_tests;
#[cfg(test)]
mod secure_moving_tests;
#[cfg(test)]
mod secure_pressure_tests;
#[cfg(test)]
mod secure_siege_tests;
#[cfg(test)]
mod secure_tests;
#[cfg(test)]
mod secure_world;
mod sending;
mod steps;
#[cfg(test)]
mod tests;
mod waiting;
mod words;
#[cfg(test)]
mod words_tests;

use crate::admission::Admission;
use crate::clock::{self, nanoseconds};
use crate::connection::Connection;
use crate::connections::Connections;
use crate::ends::Ends;
use crate::error::{Error, NoConnection, Reason};
use crate::event::ConnectionId;
use crate::event_queue::EventQueue;
use crate::ffi::NacreAddr;
use crate::instance::{Outcome, QuickHead};
use crate::options::Options;
use crate::outbox::Outbox;
use crate::random::Random;
use crate::refusals::Refusals;
use crate::retry::Retries;
use crate::security::Security;
use crate::shard::Shard;
use crate::shares::Cause;
use crate::stack::QUICK_HEAD_MAX;
use crate::stacks::Stacks;
use crate::statistics::ListenerStatistics;
use crate::stepper::{Op, Stepper};
use after::After;
pub(crate) use handed_out::Found;
use handed_out::HandedOut;
use schedule::Schedule;
use std::io;
use std::net::SocketAddr;

/// Connections, their timers, and their events.
pub(crate) struct Router<O: Outbox> {
    outbox: O,
    options: Options,
    stacks: Stacks,
    connections: Connections,
    admission: Admission,
    retries: Retries,
    refusals: Refusals,
    security: Security,
    stepper: Stepper,
    /// Work for the time when the active step's outputs are no longer lent.
    after: Vec<After>,
    events: EventQueue,
    ends: Ends,
    handed_out: HandedOut,
    schedule: Schedule,
    /// Errors of the system and the network about frames, to be reported.
    errors: Vec<(SocketAddr, io::Error)>,
    random: Random,
    statistics: ListenerStatistics,
    time: u64,
    /// Where quick entries write the heads of frames.
    head: QuickHead,
}

impl<O: Outbox> Router<O> {
    /// Knows no stack and has no connection.
    pub(crate) fn new(outbox: O, options: Options, now: u64) -> Router<O> {
        Router::of_shard(Shard::ALONE, outbox, options, now)
    }

    /// The same for one of several listeners with an address.
    pub(crate) fn of_shard(shard: Shard, outbox: O, options: Options, now: u64) -> Router<O> {
        let mut random = options.seed.map_or_else(Random::from_system, Random::new);
        // A new secret ends with the clock, or before it; with a seed, two runs are the same, whenever they are.
        let outlives_clock = options.secret.is_some() && options.seed.is_none();
        let origin = if outlives_clock { clock::origin(now) } else { 0 };
        Router {
            outbox,
            retries: Retries::new(options.secret, shard, origin, &mut random),
            refusals: Refusals::default(),
            security: Security::new(&options),
            stacks: Stacks::default(),
            connections: Connections::new(options.connections, shard),
            admission: Admission::new(&options, now),
            stepper: Stepper::new(),
            after: Vec::new(),
            events: EventQueue::new(options.pending),
            ends: Ends::default(),
            handed_out: HandedOut::default(),
            schedule: Schedule::new(nanoseconds(options.ping_after), nanoseconds(options.timeout)),
            errors: Vec::new(),
            random,
            statistics: ListenerStatistics::default(),
            time: now,
            head: [0; QUICK_HEAD_MAX],
            options,
        }
    }

    /// The time of what follows, in nanoseconds; one before the last counts as the last. Set for each call and each
    /// turn, so that no look at the clock lies between a frame's arrival and the application.
    #[inline]
    pub(crate) fn set_time(&mut self, now: u64) {
        self.time = self.time.max(now);
        if self.security.process.is_another() {
            self.abandon();
        }
    }

    /// The time that counts now.
    #[inline]
    pub(crate) fn time(&self) -> u64 {
        self.time
    }

    /// When there is something to hand out or to do without a datagram: at this time, `ffi::NEVER`, or 0 for at once.
    pub(crate) fn next_deadline(&self) -> u64 {
        if self.events.is_empty() {
            self.next_work()
        } else {
            0
        }
    }

    /// The same without the events that wait to be handed out.
    pub(crate) fn next_work(&self) -> u64 {
        if self.stepper.active().is_some() || !self.errors.is_empty() {
            return 0;
        }
        self.schedule.next()
    }

    /// The destination of datagrams.
    pub(crate) fn outbox(&self) -> &O {
        &self.outbox
    }

    /// The same, mutable. Its errors are given to `note_errors`.
    pub(crate) fn outbox_mut(&mut self) -> &mut O {
        &mut self.outbox
    }

    /// Keeps errors of the network about frames, to be reported.
    pub(crate) fn note_errors(&mut self, errors: Vec<(SocketAddr, io::Error)>) {
        self.errors.extend(errors);
    }

    /// The events that wait.
    pub(crate) fn events(&mut self) -> &mut EventQueue {
        &mut self.events
    }

    /// The options that it was made with.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// A connection.
    #[inline]
    pub(crate) fn get(&self, id: ConnectionId) -> Result<&Connection, NoConnection> {
        self.connections.get(id)
    }

    /// A connection, to change it.
    #[inline]
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, NoConnection> {
        self.connections.get_mut(id)
    }

    /// The cookie that the frames to a connection carry.
    pub(crate) fn cookie(&self, id: ConnectionId) -> Result<u32, NoConnection> {
        self.connections.cookie(id)
    }

    /// The ids of all connections.
    pub(crate) fn connections(&self) -> Vec<ConnectionId> {
        self.connections.iter().map(|connection| connection.id).collect()
    }

    /// The numbers about all.
    pub(crate) fn statistics(&self) -> ListenerStatistics {
        let mut all = self.statistics.clone();
        self.connections.iter().for_each(|connection| all.traffic.add(&connection.traffic));
        all.connections = self.connections.len();
        all
    }

    /// Whether a message of this length would be accepted.
    pub(crate) fn accepts(&self, id: ConnectionId, len: usize) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some(send) = connection.instance.stack().known().send else {
            return false;
        };
        connection.usable().is_ok() && self.would_accept(connection, send, len)
    }

    /// Whether a call with a message of this length would be accepted.
    fn would_accept(&self, connection: &Connection, event: u16, len: usize) -> bool {
        let place = self.stacks.at(connection.kind).pools.at(connection.share.place);
        self.admits(connection, len) && connection.instance.accepts(place.pool(), event, len)
    }

    /// The same as far as it does not depend on the stack.
    #[inline]
    fn admits(&self, connection: &Connection, len: usize) -> bool {
        connection.may_call(len)
            && !self.outbox.is_congested(Some(connection.id))
            && self.may_take(connection, Cause::Call)
    }

    /// Whether a connection may take more of its pool.
    #[inline]
    fn may_take(&self, connection: &Connection, cause: Cause) -> bool {
        let place = self.stacks.at(connection.kind).pools.at(connection.share.place);
        place.may_take(&connection.share, cause, connection.budget.is_none())
    }

    /// Calls `send` with the connection's peer.
    #[inline]
    pub(crate) fn send(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        match self.send_quick(id, message) {
            true => Ok(()),
            false => self.send_ordinarily(id, message),
        }
    }

    /// The same by the ordinary entry.
    #[inline(never)]
    fn send_ordinarily(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        let Ok(connection) = self.get(id) else { return Err(self.refuse_for_now(id, None, message.len())) };
        if connection.has_to_tell() {
            self.tell_taken(id);
            if self.send_quick(id, message) {
                return Ok(());
            }
        }
        let Ok(connection) = self.get(id) else { return Err(Error::NoConnection) };
        let Some(event) = connection.instance.stack().known().send else {
            return Err(Error::Invalid("the stack has no event `send`".into()));
        };
        let to = connection.from;
        self.call(id, event, &[], Some(to), message)?;
        if let Ok(connection) = self.get_mut(id) {
            connection.traffic.taken += 1;
        }
        Ok(())
    }

    /// Calls an input event.
    pub(crate) fn call(
        &mut self,
        id: ConnectionId,
        event: u16,
        arguments: &[u64],
        address: Option<NacreAddr>,
        message: &[u8],
    ) -> Result<(), Error> {
        let Ok(connection) = self.get(id) else { return Err(self.refuse_for_now(id, Some(event), message.len())) };
        connection.usable()?;
        connection.instance.stack().check_length(event, message.len())?;
        let outcome = if !self.admits(connection, message.len()) {
            self.ask_to_confirm(id);
            Outcome::Refused
        } else {
            let outcome = self.run(id, Op::Call { event, arguments, address, message });
            self.release();
            outcome
        };
        if !matches!(outcome, Outcome::Done | Outcome::Idle) {
            // What was still lent may have told that the connection has ended.
            self.get(id)?.usable()?;
        }
        match outcome {
            Outcome::Done | Outcome::Idle => Ok(()),
            Outcome::Refused | Outcome::NoSpace | Outcome::Busy | Outcome::Dropped => {
                self.note_refusal(id, event, message.len());
                Err(Error::Refused)
            }
            Outcome::Invalid => {
                Err(Error::Invalid("the stack rejects the call: no such event, or wrong arguments".into()))
            }
        }
    }

    /// Closes in order, as soon as the stack accepts it.
    pub(crate) fn close(&mut self, id: ConnectionId) -> Result<(), Error> {
        if self.begun(id).is_some() {
            self.fail_handshake(id, Reason::Closed);
            return Ok(());
        }
        self.get(id)?.usable()?;
        if self.get(id)?.instance.stack().known().close.is_none() {
            self.release();
            self.end(id, Reason::Closed);
            return Ok(());
        }
        self.tell_taken(id);
        self.get_mut(id)?.close_wanted = true;
        self.try_close(id);
        Ok(())
    }

    /// How a connection ended that the application may not use any more.
    ///
    /// Errors: `Closed` if not in order; `NoConnection` if it was discarded, is none, or ended long ago.
    pub(crate) fn how_ended(&self, id: ConnectionId) -> Result<(), Error> {
        match self.ends.of(id).ok_or(Error::NoConnection)? {
            Reason::Closed => Ok(()),
            reason => Err(Error::Closed(reason)),
        }
    }

    /// Ends a connection without a word.
    pub(crate) fn discard(&mut self, id: ConnectionId) {
        self.release();
        self.outbox.discard(Some(id));
        self.discard_handshake(id);
        self.remove(id);
    }
}

impl<O: Outbox> Drop for Router<O> {
    /// Discards all connections: secrets are erased, peers are not notified.
    fn drop(&mut self) {
        self.stepper.end();
        for id in self.connections() {
            self.remove(id);
        }
    }
}
