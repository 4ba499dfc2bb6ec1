//! What a listener does when nothing waits to be handed out: timers, frames, errors, and those who wait for their stack.

use crate::clock::SECOND;
use crate::connection::Phase;
use crate::error::Reason;
use crate::event::{ConnectionId, Head};
use crate::instance::Outcome;
use crate::listener::Listener;
use crate::steps::Op;

/// Connections that are looked at in one go, of those that wait for their stack.
const WAITING_AT_ONCE: usize = 8;
/// So many frames go before them, as long as frames are there: a frame that is late costs its peer more than a grant, and grants
/// of several messages cost one step.
const SERVED_EVERY: u32 = 16;
/// When a timer could not run for want of space, it is tried again after this time.
const AGAIN_NS: u64 = 1_000_000;
/// Errors about one connection's frames are reported once in this time.
const ERROR_EVERY_NS: u64 = SECOND;

impl Listener {
    /// Does one thing; false if there was nothing to do. No step is active when it is called.
    pub(crate) fn work(&mut self) -> bool {
        self.look_at_clock();
        let mut done = self.flush_backlog();
        done |= self.report_errors();
        if self.unserved >= SERVED_EVERY {
            done |= self.serve_waiting();
        }
        done |= self.one_timer();
        let room = self.active.is_none() && self.pending_bytes < self.options.pending;
        if room && self.receive_one() {
            self.unserved += 1;
            return true;
        }
        if self.active.is_none() {
            done |= self.serve_waiting();
        }
        done
    }

    fn one_timer(&mut self) -> bool {
        let now = self.time;
        let Some((at, key)) = self.timers.take(now) else {
            return false;
        };
        let id = ConnectionId(key);
        let Ok(connection) = self.get_mut(id) else {
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
        let (timeout, ping_after) = (self.timeout, self.ping_after);
        let Ok(connection) = self.get(id) else { return };
        match connection.phase {
            Phase::Lingering { until } if until <= now => return self.remove(id),
            Phase::Live if connection.silence_ends(timeout) <= now => return self.end(id, Reason::Timeout),
            _ => {}
        }
        if connection.next_ping(ping_after) <= now {
            self.send_ping(id);
        }
        if self.get(id).is_ok_and(|connection| connection.instance.deadline() <= now) {
            let outcome = self.run(id, Op::Tick);
            if !matches!(outcome, Outcome::Done) {
                return self.wake_at(id, now + AGAIN_NS);
            }
        }
        // Entered at once, not when the outputs have been handed out: who takes no events must not stop the timers.
        self.reschedule(id);
    }

    fn wake_at(&mut self, id: ConnectionId, at: u64) {
        let Some(connection) = self.table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return;
        };
        self.timers.set(&mut connection.wake, at, id.0);
    }

    /// Enters a connection's deadline into the timers.
    pub(crate) fn reschedule(&mut self, id: ConnectionId) {
        let Listener { table, timers, ping_after, timeout, .. } = self;
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return;
        };
        let deadline = connection.deadline(*ping_after, *timeout);
        timers.set(&mut connection.wake, deadline, id.0);
    }

    fn report_errors(&mut self) -> bool {
        if self.errors.is_empty() {
            return false;
        }
        let now = self.time;
        for (peer, cause) in std::mem::take(&mut self.errors) {
            let found = self.peers.at(peer).first().and_then(|cookie| self.table.get_mut(*cookie));
            let connection = found.as_ref().map(|found| found.id);
            if let Some(found) = found {
                let recent = found.error_reported_at != 0 && now - found.error_reported_at < ERROR_EVERY_NS;
                if recent || found.phase != Phase::Live {
                    continue;
                }
                found.error_reported_at = now;
            }
            self.push(Head::Error { connection, peer, cause });
        }
        true
    }

    pub(crate) fn note_refusal(&mut self, id: ConnectionId, event: u16, len: usize) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        connection.traffic.refused += 1;
        connection.refused = Some((event, len));
        self.wait_for_stack(id);
    }

    /// Enters a connection into the list of those that wait for their stack.
    pub(crate) fn wait_for_stack(&mut self, id: ConnectionId) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        if !std::mem::replace(&mut connection.waits, true) {
            self.waiting.push_back(id);
        }
    }

    /// Looks whether stacks now accept what they did not: a grant, a close, a call of the application.
    fn serve_waiting(&mut self) -> bool {
        self.unserved = 0;
        let mut done = false;
        for _ in 0..self.waiting.len().min(WAITING_AT_ONCE) {
            let Some(id) = self.waiting.pop_front() else {
                break;
            };
            let Ok(connection) = self.get_mut(id) else {
                continue;
            };
            connection.waits = false;
            done |= self.pay_grants(id);
            done |= self.try_close(id);
            done |= self.look_whether_writable(id);
            self.release();
            if self.get(id).is_ok_and(|connection| connection.refused.is_some() || connection.owed > 0) {
                self.wait_for_stack(id);
            }
        }
        done
    }

    /// Grants the stack the messages that the application has taken.
    pub(crate) fn pay_grants(&mut self, id: ConnectionId) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some(event) = connection.instance.stack().known().grant_delivers else {
            return false;
        };
        let owed = connection.owed.min(u64::from(u16::MAX));
        if owed == 0 {
            return false;
        }
        let outcome = self.run(id, Op::Call { event, arguments: &[owed], address: None, message: &[] });
        self.release();
        let Ok(connection) = self.get_mut(id) else {
            return true;
        };
        if outcome == Outcome::Done {
            connection.owed -= owed;
        }
        outcome == Outcome::Done
    }

    pub(crate) fn try_close(&mut self, id: ConnectionId) -> bool {
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
                self.wait_for_stack(id);
            }
        }
        done
    }

    fn look_whether_writable(&mut self, id: ConnectionId) -> bool {
        let congested = self.is_congested();
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some((event, len)) = connection.refused else {
            return false;
        };
        let pool = self.kinds[connection.kind].pools.at(connection.pool);
        if congested || !connection.instance.accepts(pool, event, len) {
            return false;
        }
        if let Ok(connection) = self.get_mut(id) {
            connection.refused = None;
        }
        self.push(Head::Writable { connection: id });
        true
    }
}
