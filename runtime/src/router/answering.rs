//! Connections of secure stacks that peers begin: nothing is computed before a flood of them has to prove its
//! addresses, nothing is opened before the peer has shown that it has the keys.

use super::establishing::Establishing;
use super::Router;
use crate::admission::Room;
use crate::connections::Proposed;
use crate::event::{ConnectionId, Head};
use crate::handshakes::{Arrived, Pending, Role};
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::secure::handshake::{Agreed, Responder};
use crate::secure::noise::{Credentials, Parameters};
use crate::secured::{First, Who};
use crate::wire::secure::{Finish, Initiate, Inner, Respond};
use crate::wire::{Control, Ending, Label};
use aws_lc_rs::digest::{digest, SHA256};
use std::net::{IpAddr, SocketAddr};

/// The answer to a repeated frame is repeated once in this time.
const AGAIN_NS: u64 = 100 * crate::clock::MILLISECOND;

impl<O: Outbox> Router<O> {
    /// A peer begins a connection.
    pub(super) fn initiate(&mut self, from: SocketAddr, len: usize, initiate: &Initiate) -> bool {
        let Initiate { fingerprint, from: label, pattern, suite, .. } = *initiate;
        if len < Initiate::answer_len(pattern, suite) {
            self.statistics.malformed += 1;
            return false;
        }
        let served = self.stacks.find(fingerprint).filter(|kind| {
            let kind = self.stacks.at(*kind);
            kind.served && kind.stack.is_secure()
        });
        let Some(kind) = served else {
            self.refuse_stack(from, len, fingerprint, label);
            return true;
        };
        if self.is_own(label) {
            // Our own frame, come back: with a common secret this end would agree with itself.
            self.statistics.forged += 1;
            return false;
        }
        // A flood from forged addresses must not cost a hash for each frame.
        if let Some(id) = self.security.handshakes.begun_by(from, || hash_of(initiate)) {
            return self.respond_again(id);
        }
        if self.is_begun_here(from, fingerprint, label) {
            return false;
        }
        let peer = Peer { address: from, identity: 0, fingerprint };
        let born = u64::from(label.cookie) << 32 | u64::from(label.key);
        let proven = initiate.proof.cookie != 0 && self.retries.is_valid(initiate.proof, &peer, born, self.time);
        let asks = self.asks_for_proof(from.ip()) || self.security.has_failures(self.time);
        if !proven && asks {
            self.statistics.retried += 1;
            let proof = self.retries.label(&peer, born, self.time);
            self.answer(from, len, &Control::Retry { to: label, label: proof });
            return true;
        }
        self.answer_first(kind, peer, len, initiate, (from, hash_of(initiate)), proven)
    }

    /// Whether a label is one of this end's.
    fn is_own(&mut self, label: Label) -> bool {
        if let Some(index) = self.connections.reserved(label.cookie) {
            return self.security.handshakes.at_index(index).is_some_and(|pending| pending.label() == label);
        }
        self.connections.anywhere(label.cookie).is_some_and(|connection| connection.key == label.key)
    }

    /// Whether this end has begun a connection with this peer too, which goes on: both began at the same time, and one
    /// of the two is dropped. Nothing depends on it if the frame is forged.
    fn is_begun_here(&self, from: SocketAddr, fingerprint: u64, theirs: Label) -> bool {
        let wins = |ours: Label| (ours.key, ours.cookie) > (theirs.key, theirs.cookie);
        let is_plain = |identity: u64| identity == self.options.identity;
        let pending = self.security.handshakes.begun_with(from).any(|pending| {
            let is_refused = matches!(&pending.role, Role::Begun(begun) if begun.doubt.is_some());
            let is_same = pending.peer.fingerprint == fingerprint && is_plain(pending.own.identity);
            is_same && !is_refused && wins(pending.label())
        });
        let unfinished = self.connections.all_at(from).any(|connection| {
            let is_unfinished = connection.secured.as_ref().is_some_and(|secured| secured.finish.is_some());
            let own = Label { cookie: self.connections.cookie(connection.id).unwrap_or(0), key: connection.key };
            is_unfinished && connection.peer.fingerprint == fingerprint && wins(own)
        });
        pending || unfinished
    }

    fn answer_first(
        &mut self,
        kind: usize,
        peer: Peer,
        len: usize,
        initiate: &Initiate,
        first: First,
        proven: bool,
    ) -> bool {
        let ip = peer.address.ip();
        let is_welcome = self.room_for(ip, proven) != Room::Never;
        let Some(place) = is_welcome.then(|| self.propose().ok()).flatten() else {
            self.statistics.limited += 1;
            self.answer_ended(peer.address, len, initiate.from, Ending::Busy);
            return true;
        };
        let own = self.payload(place, self.options.identity, 0);
        let Initiate { fingerprint, from: initiator, pattern, suite, .. } = *initiate;
        let parameters = Parameters { pattern, suite, fingerprint, initiator };
        let entropy = self.security.entropy(&mut self.random);
        let credentials = Credentials::of(self.options.keys.as_ref(), self.options.psk.as_ref());
        self.statistics.agreements += 1;
        let started = Responder::start(&parameters, &credentials, own, entropy, &initiate.message);
        let Ok((responder, message)) = started else {
            self.statistics.forged += 1;
            self.security.note_failure(self.time);
            return false;
        };
        let respond = Respond { to: initiator, from: own.label, message }.write();
        debug_assert!(respond.len() <= len);
        let role = Role::Arrived(Box::new(Arrived { responder, parameters, respond, first }));
        self.keep_arrived(place, Pending { place, kind, peer, own, began_at: self.time, wake: u64::MAX, role }, proven);
        self.respond_again(place.id)
    }

    /// Whether a peer may begin a connection. `proven`: it has shown that it receives frames at its address.
    fn room_for(&self, ip: IpAddr, proven: bool) -> Room {
        if proven {
            self.admission.room_for_proven(ip)
        } else {
            self.admission.room_for(ip)
        }
    }

    /// Keeps the handshake of a peer; the oldest one makes room for it, if there are too many.
    fn keep_arrived(&mut self, place: Proposed, pending: Pending, proven: bool) {
        let ip = pending.peer.address.ip();
        self.connections.reserve(place);
        self.security.handshakes.insert(pending);
        if let Room::After(oldest) = self.room_for(ip, proven) {
            self.evict(oldest);
        }
        self.admission.enter(place.id, ip);
        self.reschedule_handshake(place.id);
    }

    /// Answers a first frame, which is as long as the answer at least.
    fn respond_again(&mut self, id: ConnectionId) -> bool {
        let Some(pending) = self.security.handshakes.get_mut(id) else { return false };
        let to = pending.peer.address;
        let Some(respond) = pending.arrived().map(|arrived| arrived.respond.clone()) else { return false };
        self.statistics.controls_out += 1;
        self.send_plain(Some(id), to, &respond);
        true
    }

    /// The peer shows that it has the keys, and that it receives frames at its address. It may be elsewhere: somebody
    /// who was faster may have sent a copy of its first frame from an address of his own, and passed the answer on.
    pub(super) fn finish(&mut self, from: SocketAddr, len: usize, finish: &Finish) -> bool {
        let may_be_elsewhere = self.options.secure_moves;
        let found = self.handshake_labelled(finish.to);
        let Some(pending) = found.filter(|pending| pending.peer.address == from || may_be_elsewhere) else {
            return self.finish_again(from, len, finish.to);
        };
        let (id, is_elsewhere) = (pending.place.id, pending.peer.address != from);
        let Some(arrived) = pending.arrived() else { return false };
        let Ok(agreed) = arrived.responder.finish(&arrived.parameters, &Finish::head(finish.to), &finish.message)
        else {
            self.statistics.forged += 1;
            return false;
        };
        let frame = self.stepper.frame(len).to_vec();
        self.admit(id, agreed, frame);
        if is_elsewhere {
            self.ask_elsewhere(id, from, len);
        }
        true
    }

    /// The peer sends the frame again, because it has not heard that it arrived.
    fn finish_again(&mut self, from: SocketAddr, len: usize, to: Label) -> bool {
        let now = self.time;
        let Some(id) = self.connections.meant(from, to).map(|connection| connection.id) else { return false };
        let frame = self.stepper.frame(len).to_vec();
        let Ok(connection) = self.get_mut(id) else { return false };
        let finished = connection.secured.as_mut().and_then(|secured| secured.finished.as_mut());
        match finished.filter(|(known, at)| *known == frame && now.saturating_sub(*at) >= AGAIN_NS) {
            Some((_, at)) => *at = now,
            None => return false,
        }
        self.say_sealed(id, &Inner::Confirmed);
        true
    }

    /// Opens the connection of a peer that has the keys.
    fn admit(&mut self, id: ConnectionId, agreed: Agreed, finish: Vec<u8>) {
        let Some(pending) = self.security.handshakes.remove(id) else { return };
        let Pending { place, kind, peer, own, role: Role::Arrived(arrived), .. } = *pending else { return };
        let first = arrived.first;
        let said = agreed.peer;
        if said.peer_identity != 0 && said.peer_identity != own.identity {
            self.statistics.not_accepted += 1;
            return self.withdraw_arrived(place, &peer, &first);
        }
        let peer = Peer { identity: said.identity, ..peer };
        if !self.has_few_connections(&Who::new(agreed.peer_key, &peer, own.identity)) {
            self.statistics.not_accepted += 1;
            return self.withdraw_arrived(place, &peer, &first);
        }
        if let Some(begun) = self.begun_with(&peer, &agreed, own.identity) {
            let pending = Pending { place, kind, peer, own, began_at: 0, wake: 0, role: Role::Arrived(arrived) };
            return self.join(begun, pending, agreed, finish);
        }
        let mut config = self.new_config(kind);
        if let Some(prepare) = &mut self.stacks.at_mut(kind).prepare {
            prepare(&mut config, peer.address);
        }
        self.open_arrived(Establishing { place, kind, peer, own, config, agreed }, first, finish);
    }

    /// A connection with this peer that this end has begun, and that is not open: both began at the same time.
    fn begun_with(&self, peer: &Peer, agreed: &Agreed, identity: u64) -> Option<ConnectionId> {
        let found = self.security.handshakes.begun_with(peer.address).find(|pending| {
            let is_same = pending.peer.fingerprint == peer.fingerprint
                && pending.own.identity == identity
                && (pending.peer.identity == 0 || pending.peer.identity == peer.identity);
            is_same && matches!(&pending.role, Role::Begun(begun) if begun.expect.is_met_by(agreed.peer_key))
        });
        found.map(|pending| pending.place.id)
    }

    /// The peer's connection becomes the one that this end has begun: the application has its id.
    fn join(&mut self, begun: ConnectionId, arrived: Pending, agreed: Agreed, finish: Vec<u8>) {
        let Some(ours) = self.security.handshakes.remove(begun) else { return };
        let Role::Begun(begun) = ours.role else { return };
        self.connections.exchange(ours.place, arrived.place);
        let (ours_after, theirs_after) = (
            Proposed { cookie: arrived.place.cookie, ..ours.place },
            Proposed { cookie: ours.place.cookie, ..arrived.place },
        );
        let Role::Arrived(theirs) = &arrived.role else { return };
        let first = theirs.first;
        self.admission.leave(arrived.place.id, arrived.peer.address.ip());
        self.connections.release(theirs_after);
        let Pending { kind, peer, own, .. } = arrived;
        let establishing = Establishing { place: ours_after, kind, peer, own, config: begun.config, agreed };
        self.security.handshakes.forget(&first, arrived.place.id);
        let Some(id) = self.open_begun(establishing, None, begun.refused, begun.by_itself) else { return };
        self.security.handshakes.set_first(first, id);
        if let Some(secured) = self.get_mut(id).ok().and_then(|it| it.secured.as_mut()) {
            (secured.first, secured.finished) = (Some(first), Some((finish, 0)));
        }
        self.say_sealed(id, &Inner::Confirmed);
    }

    /// Nothing comes of the handshake of a peer.
    pub(super) fn withdraw_arrived(&mut self, place: Proposed, peer: &Peer, first: &First) {
        self.security.handshakes.forget(first, place.id);
        self.connections.release(place);
        self.admission.leave(place.id, peer.address.ip());
    }

    /// The event of a connection that a peer began goes before those of its stack.
    pub(super) fn say_arrived(&mut self, id: ConnectionId, peer: &Peer) {
        self.statistics.arrived += 1;
        self.events.push(Head::Arrived { connection: id, from: peer.address, fingerprint: peer.fingerprint });
    }
}

/// A hash of everything that a first frame says but the proof, which changes when the frame is repeated.
fn hash_of(initiate: &Initiate) -> [u8; 32] {
    let frame = Initiate { proof: Label::default(), ..initiate.clone() }.write(0);
    digest(&SHA256, &frame).as_ref().try_into().expect("32 bytes")
}
