//! Connections of secure stacks that this end begins: the handshake comes first, then the stack is opened.

use super::establishing::Establishing;
use super::Router;
use crate::clock::{MILLISECOND, SECOND};
use crate::connection::ByItself;
use crate::connections::Proposed;
use crate::error::{Error, Reason};
use crate::event::{ConnectionId, OtherStack};
use crate::handshakes::{Begun, Doubt, Pending, Role};
use crate::instance::Config;
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::secure::handshake::Initiator;
use crate::secure::keys::Expect;
use crate::secure::noise::{Credentials, Parameters, Pattern, Suite};
use crate::secure::payload::Payload;
use crate::secured::{Repeated, Who};
use crate::wire::secure::{Finish, Initiate, Respond};
use crate::wire::Label;
use std::net::SocketAddr;

/// A frame of a handshake is sent again after this time, and then after twice as long each time,
pub(super) const AGAIN_FIRST_NS: u64 = 50 * MILLISECOND;
/// up to this.
pub(super) const AGAIN_LAST_NS: u64 = SECOND;
/// Whoever has seen the first frame can say that the peer does not serve it. It is believed if the peer itself says
/// nothing for this time, which is longer than two round trips to peers far away.
const DOUBT_NS: u64 = 3 * SECOND;

impl<O: Outbox> Router<O> {
    /// Whom a connection expects if the application does not say.
    pub(super) fn expect_by_default(&self) -> Expect {
        match (&self.options.keys, &self.options.psk) {
            (None, Some(_)) => Expect::Psk,
            _ => Expect::Any,
        }
    }

    /// Begins a connection of a secure stack.
    pub(super) fn begin_handshake(
        &mut self,
        kind: usize,
        peer: Peer,
        identity: u64,
        config: Config,
        expect: Expect,
    ) -> Result<ConnectionId, Error> {
        let missing = config.missing_of_user();
        if !missing.is_empty() {
            return Err(Error::Invalid(format!("the stack needs values for {}", missing.join(", "))));
        }
        let place = self.propose()?;
        let own = self.payload(place, identity, peer.identity);
        let (initiator, initiate) = self.initiator(&peer, own, expect)?;
        self.connections.reserve(place);
        let begun = Begun {
            initiator,
            initiate,
            config,
            expect,
            again_at: self.time,
            again_after: AGAIN_FIRST_NS / 2,
            retried_at: 0,
            retries: 0,
            doubt: None,
            refused: None,
            by_itself: ByItself::default(),
        };
        let (role, began_at) = (Role::Begun(Box::new(begun)), self.time);
        self.security.handshakes.insert(Pending { place, kind, peer, own, began_at, wake: u64::MAX, role });
        self.statistics.connected += 1;
        self.send_initiate(place.id);
        Ok(place.id)
    }

    /// What this end says of itself under encryption.
    pub(super) fn payload(&mut self, place: Proposed, identity: u64, peer_identity: u64) -> Payload {
        let incarnation = self.random.draw();
        let label = Label { cookie: place.cookie, key: incarnation as u32 };
        Payload { label, identity, peer_identity, incarnation, reset: self.security.token(label) }
    }

    fn initiator(&mut self, peer: &Peer, own: Payload, expect: Expect) -> Result<(Initiator, Initiate), Error> {
        let (pattern, expected) = match &expect {
            Expect::Key(key) => (Pattern::Ik, Some(key)),
            Expect::Psk => (Pattern::Psk, None),
            Expect::Any => (Pattern::Xx, None),
        };
        let suite = if self.options.hybrid { Suite::Hybrid } else { Suite::X25519 };
        let parameters = Parameters { pattern, suite, fingerprint: peer.fingerprint, initiator: own.label };
        let entropy = self.security.entropy(&mut self.random);
        let credentials = Credentials { keys: self.options.keys.as_ref(), psk: self.options.psk.as_ref(), expected };
        let started = Initiator::start(parameters, &credentials, own, entropy);
        let (initiator, message) = started.map_err(|_| Error::Invalid(lacks(&expect).into()))?;
        let (fingerprint, from, proof) = (peer.fingerprint, own.label, Label::default());
        Ok((initiator, Initiate { proof, fingerprint, from, pattern, suite, message }))
    }

    /// Sends the first frame, and plans to send it again.
    pub(super) fn send_initiate(&mut self, id: ConnectionId) {
        let now = self.time;
        let Some(pending) = self.security.handshakes.get_mut(id) else { return };
        let to = pending.peer.address;
        let Some(begun) = pending.begun() else { return };
        begun.again_after = (begun.again_after * 2).min(AGAIN_LAST_NS);
        begun.again_at = now + begun.again_after;
        if std::mem::take(&mut begun.retries) > 0 {
            begun.retried_at = now.max(1);
        }
        let frame = begun.initiate.write(Initiate::answer_len(begun.initiate.pattern, begun.initiate.suite));
        self.statistics.controls_out += 1;
        self.send_plain(Some(id), to, &frame);
        self.reschedule_handshake(id);
    }

    /// The peer keeps nothing before this end has shown that it is at its address.
    pub(super) fn retry_handshake(&mut self, from: SocketAddr, to: Label, proof: Label) -> bool {
        let now = self.time;
        let Some(pending) = self.handshake_meant(from, to) else { return false };
        let (id, began_at) = (pending.place.id, pending.began_at);
        let Some(begun) = pending.begun().filter(|begun| begun.initiate.proof != proof) else { return false };
        begun.retries += 1;
        let retries = begun.retries;
        // Anybody on the way can say so: what that causes is limited, and the first one is answered at once. Of several
        // each is as likely to be the answer's: so the right one has its turn, however many others there are.
        let next = if begun.retried_at == 0 { began_at } else { begun.retried_at + AGAIN_FIRST_NS };
        let is_chosen = retries == 1 || self.random.below(retries) == 0;
        let Some(begun) = self.security.handshakes.get_mut(id).and_then(Pending::begun) else { return false };
        if is_chosen {
            begun.initiate.proof = proof;
        }
        if next <= now {
            self.send_initiate(id);
        } else {
            begun.again_at = begun.again_at.min(next);
            self.reschedule_handshake(id);
        }
        true
    }

    /// Somebody says that the peer does not want the connection: true, unless the peer itself answers soon.
    pub(super) fn doubt(&mut self, from: SocketAddr, to: Label, reason: Reason, served: Option<(u64, &[u64])>) -> bool {
        let until = self.time + DOUBT_NS;
        let Some(pending) = self.handshake_meant(from, to) else { return false };
        let (id, kind) = (pending.place.id, pending.kind);
        let ours = self.stacks.at(kind).stack.to_name();
        if served.is_some_and(|(fingerprint, _)| fingerprint != ours.fingerprint) {
            return false;
        }
        let theirs = |served: &[u64]| served.iter().map(|fingerprint| self.stacks.name_of(*fingerprint)).collect();
        let other_stack = served.map(|(_, served)| OtherStack {
            connection: Some(id),
            peer: from,
            ours: vec![ours],
            theirs: theirs(served),
        });
        let begun = self.security.handshakes.get_mut(id).and_then(Pending::begun);
        let Some(begun) = begun.filter(|begun| begun.doubt.is_none()) else { return false };
        begun.doubt = Some(Doubt { until, reason, other_stack });
        self.reschedule_handshake(id);
        true
    }

    /// The peer has answered. If it is who was expected, the connection is open for this end.
    pub(super) fn respond(&mut self, from: SocketAddr, respond: &Respond) -> bool {
        let Some(pending) = self.handshake_meant(from, respond.to) else { return false };
        let (id, wanted, own) = (pending.place.id, pending.peer.identity, pending.own);
        let Some(begun) = pending.begun() else { return false };
        let Ok((said, key)) = begun.initiator.read(&respond.message) else {
            self.statistics.forged += 1;
            return false;
        };
        let is_meant =
            (wanted == 0 || said.identity == wanted) && (said.peer_identity == 0 || said.peer_identity == own.identity);
        if !is_meant {
            self.fail_handshake(id, Reason::Unknown);
            return true;
        }
        let Some(pending) = self.security.handshakes.remove(id) else { return false };
        let Pending { place, kind, peer, own, began_at, role: Role::Begun(begun), .. } = *pending else {
            return false;
        };
        let Begun { initiator, config, refused, by_itself, .. } = *begun;
        let who = Who::new(key, &Peer { identity: said.identity, ..peer }, own.identity);
        if self.has_begun_since(&who, began_at) {
            self.connections.release(place);
            self.report_end(id, Reason::Restarted, None);
            return true;
        }
        let head = Finish::head(said.label);
        let Ok((agreed, message)) = initiator.finish(said, key, &head) else {
            self.connections.release(place);
            self.report_end(id, Reason::Unknown, None);
            return true;
        };
        let frame = Finish { to: said.label, message }.write();
        self.statistics.controls_out += 1;
        self.send_plain(Some(id), peer.address, &frame);
        let finish = Repeated { frame, at: self.time + AGAIN_FIRST_NS, after: AGAIN_FIRST_NS };
        let establishing = Establishing { place, kind, peer, own, config, agreed };
        self.open_begun(establishing, Some((finish, began_at)), refused, by_itself);
        true
    }

    /// Sends the last frame of the handshake again, if the peer has not shown that it has it.
    pub(super) fn repeat_finish(&mut self, id: ConnectionId) {
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else { return };
        let to = connection.peer.address;
        let finish = connection.secured.as_mut().and_then(|secured| secured.finish.as_mut());
        let Some(finish) = finish.filter(|finish| finish.at <= now) else { return };
        finish.after = (finish.after * 2).min(AGAIN_LAST_NS);
        finish.at = now + finish.after;
        let frame = finish.frame.clone();
        self.statistics.controls_out += 1;
        self.send_plain(Some(id), to, &frame);
    }
}

fn lacks(expect: &Expect) -> &'static str {
    match expect {
        Expect::Psk => "a secure connection with a common secret needs the option `psk`",
        Expect::Key(_) | Expect::Any => "a secure connection needs the option `keys`, and a valid key of the peer",
    }
}
