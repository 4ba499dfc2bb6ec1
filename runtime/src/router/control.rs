//! Control frames: refusals, unknown cookies, pings.

use super::Router;
use crate::clock::{MILLISECOND, SECOND};
use crate::connection::Phase;
use crate::error::Reason;
use crate::event::{ConnectionId, Head, OtherStack};
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::stepper::Op;
use crate::wire::secure::Inner;
use crate::wire::{Control, Identification, Label};
use std::net::SocketAddr;

/// A connection's pings are answered once in this time.
const PONG_EVERY_NS: u64 = 100 * MILLISECOND;
/// A peer that still reports it after this time, and sent nothing else meanwhile, does not know the connection.
const UNKNOWN_FOR_NS: u64 = SECOND;

impl<O: Outbox> Router<O> {
    /// Handles a control frame.
    #[inline(never)]
    pub(super) fn control(&mut self, from: SocketAddr, len: usize) {
        self.statistics.controls_in += 1;
        let Some(control) = Control::read(self.stepper.frame(len)) else {
            return self.secure_control(from, len);
        };
        let used = match control {
            _ if self.security.is_used && self.is_for_secure(from, &control) => false,
            Control::Refused { to, fingerprint, served, .. } => self.refused(from, to, fingerprint, &served),
            Control::Unknown { unknown } => self.unknown(from, unknown),
            Control::Ping { to, token } => self.ping(from, len, to, token),
            Control::Pong { cookie, token } => self.pong(from, cookie, token),
            Control::Retry { to, label } => self.retry(from, to, label),
            Control::Ended { to, why, words } => self.ended(from, to, why, words),
        };
        self.statistics.controls_ignored += u64::from(!used);
    }

    /// The peer does not serve the stack of a connection. Believed only before the peer has ever answered, and only of
    /// the fingerprint that was sent.
    fn refused(&mut self, from: SocketAddr, to: Label, fingerprint: u64, served: &[u64]) -> bool {
        let Some(connection) = self.connections.meant(from, to) else {
            return self.doubt(from, to, Reason::OtherStack, Some((fingerprint, served)));
        };
        let (id, ours) = (connection.id, connection.instance.stack().to_name());
        if connection.confirmed || connection.peer_incarnation.is_some() || ours.fingerprint != fingerprint {
            return false;
        }
        let theirs = served.iter().map(|fingerprint| self.stacks.name_of(*fingerprint)).collect();
        self.events.push(Head::OtherStack(OtherStack { connection: Some(id), peer: from, ours: vec![ours], theirs }));
        self.end(id, Reason::OtherStack);
        true
    }

    /// The peer keeps nothing before we have shown that we are at our address: frames carry this label from now on.
    fn retry(&mut self, from: SocketAddr, to: Label, label: Label) -> bool {
        let Some(connection) = self.connections.meant(from, to) else {
            return self.retry_handshake(from, to, label);
        };
        if connection.arrived || connection.confirmed || connection.peer_incarnation.is_some() {
            return false;
        }
        let id = connection.id;
        self.connections.set_label(id, label);
        self.say_hello(id);
        true
    }

    /// The peer says that it does not know the label that we use. It may be a lie: the stack says everything again,
    /// and a ping asks. If the peer still says so later and nothing else came from it, it has forgotten the connection.
    pub(super) fn unknown(&mut self, from: SocketAddr, label: Label) -> bool {
        let now = self.time;
        let Some(connection) = self.connections.labelled(from, label) else {
            return false;
        };
        if !connection.arrived && !connection.confirmed && connection.peer_incarnation.is_none() {
            // The label came with a retry, too long ago: begin again.
            let id = connection.id;
            self.connections.set_label(id, Label::default());
            self.say_hello(id);
            return true;
        }
        // The next ping of a peer that has moved comes from where it is now; somebody else may have its old address.
        let after_a_move = if self.options.moves { self.schedule.timeout / 2 } else { 0 };
        let unknown_for = UNKNOWN_FOR_NS.max(after_a_move);
        let (id, event) = (connection.id, connection.instance.stack().known().unknown);
        let first = connection.unknown_since.is_none();
        let since = *connection.unknown_since.get_or_insert(now);
        if now.saturating_sub(since) >= unknown_for {
            match connection.phase {
                Phase::Live => self.end(id, Reason::Unknown),
                _ => self.remove(id),
            }
            return true;
        }
        if first {
            self.send_ping(id);
        }
        if let Some(event) = event {
            self.run(id, Op::Call { event, arguments: &[0; 4], address: Some(from.into()), message: &[] });
        }
        true
    }

    fn ping(&mut self, from: SocketAddr, len: usize, to: Label, token: u64) -> bool {
        let Some(id) = self.connections.meant(from, to).map(|connection| connection.id) else {
            let is_its = self.may_have_moved(from, len, to);
            if !is_its {
                self.answer_unknown(from, len, to);
            }
            return is_its;
        };
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else {
            return false;
        };
        connection.heard(now);
        let Label { cookie, .. } = connection.label;
        let soon = connection.ponged_at != 0 && now.saturating_sub(connection.ponged_at) < PONG_EVERY_NS;
        if cookie != 0 && !soon {
            connection.ponged_at = now;
            self.answer(from, len, &Control::Pong { cookie, token });
        }
        // A peer that knows our cookie has heard us.
        self.confirm(id);
        self.replace_older(id);
        true
    }

    fn pong(&mut self, from: SocketAddr, cookie: u32, token: u64) -> bool {
        let now = self.time;
        let Some(id) = self.connections.with(from, cookie).map(|connection| connection.id) else {
            return self.has_moved(from, cookie, token);
        };
        let Ok(connection) = self.get_mut(id) else {
            return false;
        };
        if token == 0 || connection.ping_token != token {
            return self.probe_has_arrived(id, token);
        }
        connection.ping_token = 0;
        connection.round_trip = Some(now.saturating_sub(connection.pinged_at));
        connection.heard(now);
        self.confirm(id);
        true
    }

    /// Sends a ping; its token is random, so that only who saw it can answer.
    pub(super) fn send_ping(&mut self, id: ConnectionId) {
        let now = self.time;
        let token = self.random.draw() | 1;
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let mut is_new = true;
        if let Some(budget) = &mut connection.budget {
            if !budget.ping() {
                return;
            }
            // The answer to any of the pings confirms the connection.
            is_new = connection.ping_token == 0;
        }
        if is_new {
            (connection.pinged_at, connection.ping_token) = (now, token);
        }
        let token = connection.ping_token;
        let (address, to) = (connection.peer.address, connection.label);
        if connection.secured.is_some() {
            return self.say_sealed(id, &Inner::Ping(token));
        }
        self.answer(address, usize::MAX, &Control::Ping { to, token });
    }

    /// A frame with a label that this end does not know.
    pub(super) fn answer_unknown(&mut self, from: SocketAddr, len: usize, unknown: Label) {
        self.statistics.unknown_cookies += 1;
        if self.security.is_used && self.answer_with_reset(from, len, unknown) {
            return;
        }
        if self.refuse_again(from, len, unknown) {
            return;
        }
        if unknown.cookie != 0 && self.may_answer(from) {
            self.answer(from, len, &Control::Unknown { unknown });
        }
    }

    /// A first frame of a stack that is not served.
    pub(super) fn refuse_stack(&mut self, from: SocketAddr, len: usize, fingerprint: u64, to: Label) {
        self.statistics.other_stack += 1;
        let served = self.stacks.served();
        // A listener that serves nothing is no server: it is silent, as a closed port. Its application does not hear
        // of it either: anybody can send such a frame, and send back those of this end.
        if served.is_empty() {
            return;
        }
        if self.admission.may_report(from, self.time) {
            let theirs = vec![self.stacks.name_of(fingerprint)];
            self.events.push(Head::OtherStack(OtherStack {
                connection: None,
                peer: from,
                ours: served.clone(),
                theirs,
            }));
        }
        if !self.may_answer(from) {
            return;
        }
        let served: Vec<u64> = served.iter().map(|name| name.fingerprint).collect();
        let serves = u8::try_from(served.len()).unwrap_or(u8::MAX);
        self.answer(from, len, &Control::Refused { to, fingerprint, serves, served });
    }

    /// Answers a first frame, where many connections are not confirmed: its sender is to greet again with a label that
    /// it learns only if it receives this answer, which is smaller than the frame. Nothing is kept.
    pub(super) fn ask_for_proof(&mut self, len: usize, peer: &Peer, who: &Identification) {
        self.statistics.retried += 1;
        let label = self.retries.label(peer, who.incarnation, self.time);
        self.answer(peer.address, len, &Control::Retry { to: who.label(), label });
    }

    /// Sends a control frame unless it is larger than its cause.
    pub(super) fn answer(&mut self, to: SocketAddr, room: usize, control: &Control) {
        match control.write(room) {
            Some(frame) => {
                self.statistics.controls_out += 1;
                self.send_plain(None, to, &frame);
            }
            None => self.statistics.answers_withheld += 1,
        }
    }

    pub(super) fn may_answer(&mut self, to: SocketAddr) -> bool {
        let may = self.admission.may_answer(to.ip(), self.time);
        self.statistics.answers_withheld += u64::from(!may);
        may
    }
}
