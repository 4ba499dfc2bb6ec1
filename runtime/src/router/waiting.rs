//! The work of a router without pending events: timers, errors, and connections that wait for their stack.

use super::Router;
use crate::clock::SECOND;
use crate::connection::{Connection, Phase};
use crate::error::{Error, Reason};
use crate::event::{ConnectionId, Head};
use crate::instance::Outcome;
use crate::outbox::Outbox;
use crate::stepper::Op;

/// Connections that are looked at in one go, of those that wait for their stack.
const WAITING_AT_ONCE: usize = 8;
/// As many frames go before them, as long as frames are there: a frame that is late costs its peer more than a grant,
/// and grants of several messages cost one step.
const SERVED_EVERY: u32 = 16;
/// When a timer could not run for want of space, it is tried again after this time.
const AGAIN_NS: u64 = 1_000_000;
/// Errors about one connection's frames are reported once in this time.
const ERROR_EVERY_NS: u64 = SECOND;

impl<O: Outbox> Router<O> {
    /// Does the work before the next datagram: reports errors, runs one timer. Returns false if there was none.
    #[inline]
    pub(crate) fn work_before_datagram(&mut self) -> bool {
        let mut done = self.report_errors();
        if self.schedule.unserved >= SERVED_EVERY {
            done |= self.serve_waiting();
        }
        done | self.one_timer()
    }

    /// Whether a datagram may be given: no step is active, and there is room for its events.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.stepper.active().is_none() && self.events.has_room()
    }

    /// Does the work that may wait until no datagram is pending: none that had arrived at the time `asked_at` is, if
    /// there was room for them. Returns false if there was none.
    #[inline]
    pub(crate) fn work_without_datagram(&mut self, asked_at: u64) -> bool {
        if self.has_room() {
            self.schedule.intake.note_empty(asked_at);
        }
        self.stepper.active().is_none() && (self.serve_waiting() | self.schedule.is_sweeping())
    }

    /// A datagram was received.
    #[inline]
    pub(super) fn count_datagram(&mut self) {
        self.schedule.unserved += 1;
        self.schedule.swept = 0;
        self.schedule.intake.note_datagram(self.time);
    }

    #[inline]
    fn one_timer(&mut self) -> bool {
        self.schedule.timers.next() <= self.time && self.run_timer()
    }

    #[inline(never)]
    fn run_timer(&mut self) -> bool {
        let now = self.time;
        let Some((at, key)) = self.schedule.timers.take(now) else {
            return false;
        };
        self.schedule.swept = 0;
        let id = ConnectionId::from_number(key);
        let Ok(connection) = self.get_mut(id) else {
            self.look_after_handshake(id, at);
            return true;
        };
        if connection.wake == at {
            connection.wake = u64::MAX;
        }
        self.look_after(id, now);
        true
    }

    /// A connection's time has come: its stack's, or the keepalive's.
    fn look_after(&mut self, id: ConnectionId, now: u64) {
        let (timeout, ping_after) = (self.schedule.timeout, self.schedule.ping_after);
        // Frames that arrived while this process was stopped or busy come before the peer's silence.
        let handled = self.schedule.intake.handled_until();
        let Ok(connection) = self.get(id) else { return };
        match connection.phase {
            Phase::Lingering { until } if until <= now => return self.remove(id),
            Phase::Live if connection.silence_ends(timeout) <= handled => return self.end(id, Reason::Timeout),
            _ => {}
        }
        if connection.next_ping(ping_after) <= now {
            self.send_ping(id);
            self.ask_earlier(id);
        }
        self.probe_path(id);
        self.repeat_finish(id);
        self.repeat_question(id);
        if self.get(id).is_ok_and(|connection| connection.next_hello() <= now) {
            self.say_hello(id);
        }
        if self.get(id).is_ok_and(|connection| connection.instance.deadline() <= now) {
            let outcome = self.run(id, Op::Tick);
            if !matches!(outcome, Outcome::Done) {
                return self.wake_at(id, now + AGAIN_NS);
            }
        }
        // Entered at once, not when the outputs have been handed out: an application that takes no events must not stop
        // the timers.
        self.reschedule(id);
    }

    fn wake_at(&mut self, id: ConnectionId, at: u64) {
        let Router { connections, schedule, .. } = self;
        if let Ok(connection) = connections.get_mut(id) {
            schedule.timers.set(&mut connection.wake, at, id.to_number());
        }
    }

    /// Enters a connection's deadline into the timers.
    #[inline]
    pub(crate) fn reschedule(&mut self, id: ConnectionId) {
        let Router { connections, schedule, time, .. } = self;
        if let Ok(connection) = connections.get_mut(id) {
            schedule.enter(connection, *time);
        }
    }

    #[inline]
    fn report_errors(&mut self) -> bool {
        !self.errors.is_empty() && self.report_each_error()
    }

    #[cold]
    fn report_each_error(&mut self) -> bool {
        let now = self.time;
        for (peer, cause) in std::mem::take(&mut self.errors) {
            let found = self.connections.at(peer);
            let connection = found.as_ref().map(|found| found.id);
            if let Some(found) = found {
                let recent =
                    found.error_reported_at != 0 && now.saturating_sub(found.error_reported_at) < ERROR_EVERY_NS;
                if recent || found.phase != Phase::Live {
                    continue;
                }
                found.error_reported_at = now;
            } else if !self.admission.may_report(peer, now) {
                continue;
            }
            self.events.push(Head::Error { connection, peer, cause });
        }
        true
    }

    /// More must not be sent or kept before the peer has confirmed the connection.
    pub(super) fn ask_to_confirm(&mut self, id: ConnectionId) {
        if let Some(budget) = self.get_mut(id).ok().and_then(|connection| connection.budget.as_mut()) {
            budget.note_refusal();
        }
        self.reschedule(id);
    }

    /// The stack refused a call; `Writable` follows when it would accept it.
    pub(super) fn note_refusal(&mut self, id: ConnectionId, event: u16, len: usize) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        connection.traffic.refused += 1;
        connection.refused = Some((event, len));
        self.wait_for_stack(id);
    }

    /// Enters a connection into the list of those that wait for their stack.
    pub(super) fn wait_for_stack(&mut self, id: ConnectionId) {
        if self.enter_waiting(id) {
            self.schedule.swept = 0;
        }
    }

    /// The same without looking at the others; false: it is there already, or gone.
    fn enter_waiting(&mut self, id: ConnectionId) -> bool {
        let Ok(connection) = self.get_mut(id) else {
            return false;
        };
        let is_new = !std::mem::replace(&mut connection.waits, true);
        if is_new {
            self.schedule.waiting.push_back(id);
        }
        is_new
    }

    /// Checks whether stacks now accept what they refused: a grant, a close, a call of the application.
    #[inline]
    fn serve_waiting(&mut self) -> bool {
        self.schedule.unserved = 0;
        !self.schedule.waiting.is_empty() && self.serve_some()
    }

    #[inline(never)]
    fn serve_some(&mut self) -> bool {
        let mut done = false;
        for _ in 0..self.schedule.waiting.len().min(WAITING_AT_ONCE) {
            let Some(id) = self.schedule.waiting.pop_front() else {
                break;
            };
            let Ok(connection) = self.get_mut(id) else {
                continue;
            };
            connection.waits = false;
            done |= self.pay(id);
            done |= self.try_close(id);
            done |= self.look_whether_writable(id);
            self.release();
            self.schedule.swept += 1;
            if self.get(id).is_ok_and(|connection| connection.is_in_want()) {
                self.enter_waiting(id);
            }
        }
        if done {
            self.schedule.swept = 0;
        }
        done
    }

    /// Grants deliveries to the stack.
    pub(crate) fn grant(&mut self, id: ConnectionId, messages: u16) -> Result<(), Error> {
        if self.begun(id).is_some() {
            return Ok(());
        }
        let connection = self.get_mut(id)?;
        if connection.instance.stack().known().grant_delivers.is_none() {
            return Ok(());
        }
        connection.owed += u64::from(messages);
        self.release();
        self.pay(id);
        Ok(())
    }

    /// Tells the stack that the application has taken messages.
    pub(crate) fn note_taken(&mut self, id: ConnectionId, messages: u16) -> Result<(), Error> {
        if self.begun(id).is_some() {
            return Ok(());
        }
        let connection = self.get_mut(id)?;
        if connection.instance.stack().known().taken.is_some() {
            connection.untold += u64::from(messages);
            self.tell_taken(id);
        }
        Ok(())
    }

    /// Tells the stack which messages the application has taken, and grants it as many.
    pub(super) fn pay(&mut self, id: ConnectionId) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let known = *connection.instance.stack().known();
        let told = self.pay_by(id, known.taken, |connection| &mut connection.untold);
        self.pay_by(id, known.grant_delivers, |connection| &mut connection.owed) || told
    }

    /// Tells the stack what the application has taken so far, before it makes another frame: that can carry the report.
    pub(super) fn tell_taken(&mut self, id: ConnectionId) {
        if self.get(id).is_ok_and(|connection| connection.instance.stack().known().taken.is_some()) {
            self.take_back();
            self.release();
            self.pay(id);
        }
    }

    /// Calls an event with a number of messages.
    fn pay_by(&mut self, id: ConnectionId, event: Option<u16>, account: fn(&mut Connection) -> &mut u64) -> bool {
        let (Some(event), Ok(connection)) = (event, self.get_mut(id)) else {
            return false;
        };
        let owed = (*account(connection)).min(u64::from(u16::MAX));
        if owed == 0 {
            return false;
        }
        let outcome = self.run(id, Op::Call { event, arguments: &[owed], address: None, message: &[] });
        self.release();
        let Ok(connection) = self.get_mut(id) else {
            return true;
        };
        if outcome == Outcome::Done {
            *account(connection) -= owed;
        }
        outcome == Outcome::Done
    }

    /// Closes a connection at the application's request, if its stack accepts it now.
    pub(super) fn try_close(&mut self, id: ConnectionId) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some(event) = connection.instance.stack().known().close.filter(|_| connection.close_wanted) else {
            return false;
        };
        let outcome = self.run(id, Op::Call { event, arguments: &[0; 4], address: None, message: &[] });
        self.release();
        let done = outcome == Outcome::Done;
        if let Ok(connection) = self.get_mut(id) {
            connection.close_wanted = !done;
            if !done {
                self.enter_waiting(id);
            }
        }
        done
    }

    fn look_whether_writable(&mut self, id: ConnectionId) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some((event, len)) = connection.refused.filter(|_| connection.usable().is_ok()) else {
            return false;
        };
        if !self.would_accept(connection, event, len) {
            return false;
        }
        if let Ok(connection) = self.get_mut(id) {
            connection.refused = None;
        }
        self.events.push(Head::Writable { connection: id });
        true
    }
}
