//! Sealed control frames of secure connections, stateless resets, and what becomes of a copied process.

use super::Router;
use crate::connection::Phase;
use crate::error::Reason;
use crate::event::{ConnectionId, Head};
use crate::outbox::Outbox;
use crate::random::Random;
use crate::refusals::SecureRefusal;
use crate::secure::fork::Process;
use crate::secure::keys::Key;
use crate::secure::reset::are_equal;
use crate::wire::secure::{Inner, Reset, Sealed, SecureControl, SEALED_HEAD};
use crate::wire::{Control, Ending, Label};
use std::io;
use std::net::SocketAddr;

/// Bytes of a tag.
const TAG: usize = crate::secure::aead::TAG;

impl<O: Outbox> Router<O> {
    /// Handles a control frame that only secure connections know.
    pub(super) fn secure_control(&mut self, from: SocketAddr, len: usize) {
        let Some(control) = SecureControl::read(self.stepper.frame(len)) else {
            self.statistics.malformed += 1;
            return;
        };
        let used = match control {
            SecureControl::Initiate(initiate) => self.initiate(from, len, &initiate),
            SecureControl::Respond(respond) => self.respond(from, &respond),
            SecureControl::Finish(finish) => self.finish(from, len, &finish),
            SecureControl::Sealed(sealed) => self.sealed(from, len, &sealed),
            SecureControl::Reset(reset) => self.reset(from, &reset),
        };
        self.statistics.controls_ignored += u64::from(!used);
    }

    /// Whether a control frame that is not sealed names a secure connection: then it has no effect.
    pub(super) fn is_for_secure(&mut self, from: SocketAddr, control: &Control) -> bool {
        let (label, is_ours) = match control {
            Control::Refused { to, .. }
            | Control::Ping { to, .. }
            | Control::Retry { to, .. }
            | Control::Ended { to, .. } => (*to, true),
            Control::Pong { cookie, .. } => (Label { cookie: *cookie, key: 0 }, true),
            Control::Unknown { unknown } => (*unknown, false),
        };
        if is_ours {
            self.connections.anywhere(label.cookie).is_some_and(|connection| connection.secured.is_some())
        } else {
            self.connections.labelled(from, label).is_some_and(|connection| connection.secured.is_some())
        }
    }

    fn sealed(&mut self, from: SocketAddr, len: usize, frame: &Sealed) -> bool {
        let Sealed { to, number, sealed } = frame;
        let is_meant = |key: u32, is_secured: bool| key == to.key && is_secured;
        let found = self.connections.anywhere(to.cookie);
        let found = found.filter(|connection| is_meant(connection.key, connection.secured.is_some()));
        let Some(connection) = found else {
            self.answer_unknown(from, len, *to);
            return false;
        };
        let (id, is_elsewhere) = (connection.id, connection.peer.address != from);
        if is_elsewhere && !self.options.secure_moves {
            return false;
        }
        let Some(secured) = &mut connection.secured else { return false };
        let opened = secured.channel.open(*number, &Sealed::head(*to, *number), sealed);
        let Some(inner) = opened.and_then(|inner| Inner::read(&inner)) else {
            self.statistics.forged += 1;
            return false;
        };
        let now = self.time;
        if let Ok(connection) = self.get_mut(id) {
            connection.heard_sealed(now);
        }
        // What the peer says is true wherever it comes from; an address is asked before anything else goes there.
        if is_elsewhere {
            match inner {
                Inner::Pong(token) if self.is_answer_from_elsewhere(id, from, token) => return true,
                _ => self.ask_elsewhere(id, from, len),
            }
        }
        self.obey(id, from, inner);
        true
    }

    /// Does what the peer says.
    fn obey(&mut self, id: ConnectionId, from: SocketAddr, inner: Inner) {
        match inner {
            // Each ping is the peer's, and new: so every one is answered.
            Inner::Ping(_) if self.is_being_replaced(id) => {}
            Inner::Ping(token) => self.sealed_pong(id, from, token),
            Inner::Pong(token) => self.sealed_pong_arrived(id, token),
            Inner::Refused(words) => drop(self.obey_ending(id, Ending::Refused, words)),
            Inner::Farewell(words) => drop(self.obey_ending(id, Ending::Farewell, words)),
            Inner::Over => drop(self.obey_ending(id, Ending::Over, Default::default())),
            Inner::Confirmed => self.reschedule(id),
        }
    }

    /// A pong has arrived. A ping was sent to the peer's address only, so the peer receives frames there, wherever the
    /// pong came from.
    fn sealed_pong_arrived(&mut self, id: ConnectionId, token: u64) {
        let now = self.time;
        if self.rivals_end(id, token) {
            return;
        }
        let Ok(connection) = self.get_mut(id) else { return };
        if token == 0 || connection.ping_token != token {
            self.probe_has_arrived(id, token);
            return;
        }
        connection.ping_token = 0;
        connection.round_trip = Some(now.saturating_sub(connection.pinged_at));
        connection.stays(now);
    }

    /// Seals what this end says to a peer, and sends it to its address.
    pub(super) fn say_sealed(&mut self, id: ConnectionId, inner: &Inner) {
        let Ok(connection) = self.get(id) else { return };
        self.say_sealed_to(id, connection.peer.address, inner);
    }

    /// The same to another address.
    pub(super) fn say_sealed_to(&mut self, id: ConnectionId, to: SocketAddr, inner: &Inner) {
        if let Some(frame) = self.seal(id, inner, 0) {
            self.statistics.controls_out += 1;
            self.send_plain(Some(id), to, &frame);
        }
    }

    /// A sealed frame, padded to a length; none if the connection has no keys.
    pub(super) fn seal(&mut self, id: ConnectionId, inner: &Inner, length: usize) -> Option<Vec<u8>> {
        let connection = self.get_mut(id).ok()?;
        let to = connection.label;
        let secured = connection.secured.as_mut()?;
        let number = secured.channel.next_number()?;
        let mut inner = inner.to_bytes();
        inner.resize(inner.len().max(length.saturating_sub(SEALED_HEAD + TAG)), 0);
        let sealed = secured.channel.seal(number, &Sealed::head(to, number), &inner);
        Some(Sealed { to, number, sealed }.write())
    }

    /// Says under encryption what a control frame says in clear; none: it has no such form.
    pub(super) fn sealed_form(control: &Control) -> Option<Inner> {
        match control {
            Control::Ping { token, .. } => Some(Inner::Ping(*token)),
            Control::Pong { token, .. } => Some(Inner::Pong(*token)),
            Control::Ended { why: Ending::Refused, words, .. } => Some(Inner::Refused(words.clone())),
            Control::Ended { why: Ending::Farewell, words, .. } => Some(Inner::Farewell(words.clone())),
            Control::Ended { why: Ending::Over, .. } => Some(Inner::Over),
            _ => None,
        }
    }

    /// The peer has forgotten the connection, if it knows the token that it told before.
    fn reset(&mut self, from: SocketAddr, reset: &Reset) -> bool {
        let Some(connection) = self.connections.labelled(from, reset.unknown) else { return false };
        let (id, phase) = (connection.id, connection.phase);
        match &connection.secured {
            None => return self.unknown(from, reset.unknown),
            Some(secured) if !are_equal(&secured.peer_reset, &reset.token) => {
                self.statistics.forged += 1;
                return false;
            }
            Some(_) if phase == Phase::Live => self.end(id, Reason::Unknown),
            Some(_) => self.remove(id),
        }
        true
    }

    /// Answers a frame with a label that no connection has, if this end may have forgotten it. Returns false if the
    /// frame is to be answered otherwise.
    pub(super) fn answer_with_reset(&mut self, from: SocketAddr, len: usize, unknown: Label) -> bool {
        let is_ours = self.connections.anywhere(unknown.cookie).is_some_and(|it| it.key == unknown.key);
        if is_ours || unknown.cookie == 0 {
            return false;
        }
        if self.connections.reserved(unknown.cookie).is_some() {
            // The handshake is not over: it is too early for an answer.
            return true;
        }
        if self.refuse_sealed_again(from, len, unknown) {
            return true;
        }
        let token = self.security.token(unknown);
        let Some(frame) = (Reset { unknown, token }).write(len) else { return false };
        if self.may_answer(from) {
            self.statistics.controls_out += 1;
            self.send_plain(None, from, &frame);
        }
        true
    }

    fn refuse_sealed_again(&mut self, from: SocketAddr, len: usize, label: Label) -> bool {
        let now = self.time;
        let Some(refusal) = self.security.refusals.labelled(from, label, now) else { return false };
        let inner = Inner::Refused(refusal.words.clone()).to_bytes();
        let Some(number) = refusal.channel.next_number() else { return true };
        let sealed = refusal.channel.seal(number, &Sealed::head(refusal.to, number), &inner);
        let frame = Sealed { to: refusal.to, number, sealed }.write();
        // The peer has proven its address: the answer may be longer than its cause.
        let _ = len;
        if self.may_answer(from) {
            self.statistics.controls_out += 1;
            self.send_plain(None, from, &frame);
        }
        true
    }

    /// Remembers a secure connection that the application refuses, with its keys.
    pub(super) fn remember_refusal(&mut self, id: ConnectionId, words: crate::error::Words) {
        let Ok(cookie) = self.connections.cookie(id) else { return };
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else { return };
        let (address, to, own) = (connection.peer.address, connection.label, Label { cookie, key: connection.key });
        let Some(secured) = &mut connection.secured else { return };
        let none = crate::secure::channel::Channel::new(Key([0; 32]), Key([0; 32]));
        let channel = std::mem::replace(&mut secured.channel, none);
        self.security.refusals.remember(SecureRefusal { address, own, to, channel, words }, now);
    }

    /// This process is a copy: the original goes on with its connections, so this one must not use their numbers and
    /// keys, too: the peer would take messages of one for copies of the other's.
    #[cold]
    pub(super) fn abandon(&mut self) {
        self.security.process = Process::this();
        self.security.refusals.clear();
        if self.options.seed.is_none() {
            self.random = Random::from_system();
        }
        self.security.renew_resets(&mut self.random);
        let mut ended: Vec<ConnectionId> = self.connections.iter().map(|connection| connection.id).collect();
        ended.extend(self.security.handshakes.ids());
        ended.sort();
        for id in ended {
            if let Ok(peer) = self.address_of(id) {
                let cause = io::Error::other("this process is a copy (fork): its connections are the original's");
                self.events.push(Head::Error { connection: Some(id), peer, cause });
            }
            self.outbox.discard(Some(id));
            if self.get(id).is_ok() {
                self.end(id, Reason::Unknown);
            } else {
                self.fail_handshake(id, Reason::Unknown);
            }
        }
    }
}

impl crate::connection::Connection {
    /// The peer has sent something that only it can have made.
    #[inline(always)]
    pub(crate) fn heard_sealed(&mut self, now: u64) {
        self.heard(now);
        if let Some(secured) = &mut self.secured {
            secured.finish = None;
        }
    }
}
