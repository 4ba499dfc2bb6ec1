//! Opens the stacks of secure connections after the handshake, and ends handshakes that lead to none.

use super::Router;
use crate::clock::nanoseconds;
use crate::connection::{ByItself, Phase};
use crate::connections::Proposed;
use crate::error::{Error, Reason};
use crate::event::{ConnectionId, Head};
use crate::handshakes::{Pending, Role};
use crate::instance::Config;
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::secure::handshake::Agreed;
use crate::secure::payload::Payload;
use crate::secured::{First, Repeated, Secured, Who};
use crate::stack::{GivenRole, Stack};
use crate::wire::secure::Inner;
use crate::wire::Label;
use std::io;
use std::net::SocketAddr;

/// What a connection is opened with.
pub(super) struct Establishing {
    pub place: Proposed,
    pub kind: usize,
    pub peer: Peer,
    pub own: Payload,
    pub config: Config,
    pub agreed: Agreed,
}

impl<O: Outbox> Router<O> {
    /// The handshake of which a frame of this address carries the label.
    pub(super) fn handshake_meant(&mut self, from: SocketAddr, to: Label) -> Option<&mut Pending> {
        self.handshake_labelled(to).filter(|pending| pending.peer.address == from)
    }

    /// The handshake of which a frame carries the label.
    pub(super) fn handshake_labelled(&mut self, to: Label) -> Option<&mut Pending> {
        let index = self.connections.reserved(to.cookie)?;
        self.security.handshakes.at_index(index).filter(|pending| pending.label() == to)
    }

    /// Opens a connection that this end has begun, or has joined. `finish`: of one that it has begun, the last frame of
    /// the handshake, and when that was begun.
    pub(super) fn open_begun(
        &mut self,
        establishing: Establishing,
        finish: Option<(Repeated, u64)>,
        refused: Option<(u16, usize)>,
        by_itself: ByItself,
    ) -> Option<ConnectionId> {
        let (id, to) = (establishing.place.id, establishing.peer.address);
        if self.establish(establishing, finish).is_err() {
            self.report_end(id, Reason::Busy, None);
            return None;
        }
        if let Ok(connection) = self.get_mut(id) {
            (connection.refused, connection.by_itself) = (refused, by_itself);
            self.wait_for_stack(id);
        }
        self.say_open(id, to);
        self.compete(id);
        Some(id)
    }

    /// Opens a connection that a peer has begun.
    pub(super) fn open_arrived(&mut self, establishing: Establishing, first: First, finish: Vec<u8>) {
        let (place, peer) = (establishing.place, establishing.peer);
        let id = place.id;
        if self.establish(establishing, None).is_err() {
            self.statistics.not_accepted += 1;
            return self.withdraw_arrived(place, &peer, &first);
        }
        self.admission.confirm(id, peer.address.ip());
        if let Ok(connection) = self.get_mut(id) {
            (connection.arrived, connection.is_counted) = (true, true);
            if let Some(secured) = &mut connection.secured {
                (secured.first, secured.finished) = (Some(first), Some((finish, 0)));
            }
        }
        self.say_arrived(id, &peer);
        self.say_sealed(id, &Inner::Confirmed);
        self.compete(id);
    }

    /// Opens the stack with the keys. Its outputs are active afterwards.
    fn establish(&mut self, establishing: Establishing, finish: Option<(Repeated, u64)>) -> Result<(), Error> {
        let Establishing { place, kind, peer, own, mut config, agreed } = establishing;
        let id = place.id;
        let who = Who::new(agreed.peer_key, &Peer { identity: agreed.peer.identity, ..peer }, own.identity);
        let opened = give_keys(&mut config, &peer, &own, &agreed)
            .and_then(|()| self.open(place, kind, peer, &config, Phase::Live));
        if let Err(error) = opened {
            self.errors.push((peer.address, io::Error::other(error.to_string())));
            self.connections.release(place);
            return Err(error);
        }
        let connection = self.get_mut(id)?;
        connection.confirmed = true;
        let (finish, begun_at) = finish.unzip();
        connection.secured = Some(Box::new(Secured {
            channel: agreed.channel,
            peer_key: agreed.peer_key,
            peer_reset: agreed.peer.reset,
            finish,
            finished: None,
            first: None,
            who,
            begun_at,
            rivals: None,
            stayed_at: 0,
            earlier: Vec::new(),
        }));
        self.connections.set_label(id, agreed.peer.label);
        self.connections.publish(id, peer);
        Ok(())
    }

    /// Ends a handshake, and says why if this end has begun it.
    pub(super) fn fail_handshake(&mut self, id: ConnectionId, reason: Reason) {
        let Some(mut pending) = self.security.handshakes.remove(id) else { return };
        self.outbox.discard(Some(id));
        match &mut pending.role {
            Role::Arrived(arrived) => {
                let first = arrived.first;
                self.withdraw_arrived(pending.place, &pending.peer, &first);
                self.security.note_failure(self.time);
            }
            Role::Begun(begun) => {
                self.connections.release(pending.place);
                let doubt = begun.doubt.take().filter(|doubt| doubt.reason == reason);
                if let Some(other) = doubt.and_then(|doubt| doubt.other_stack) {
                    self.events.push(Head::OtherStack(other));
                }
                self.report_end(id, reason, None);
            }
        }
    }

    /// Ends a handshake without a word.
    pub(super) fn discard_handshake(&mut self, id: ConnectionId) {
        let mark = self.events.len();
        self.fail_handshake(id, Reason::Closed);
        self.events.cut(mark);
    }

    /// The time of a handshake has come.
    pub(super) fn look_after_handshake(&mut self, id: ConnectionId, at: u64) {
        // Frames that arrived while this process was stopped or busy come before the peer's silence.
        let (now, handled) = (self.time, self.schedule.intake.handled_until());
        let Some(pending) = self.security.handshakes.get_mut(id) else { return };
        if pending.wake == at {
            pending.wake = u64::MAX;
        }
        let is_over = pending.began_at.saturating_add(nanoseconds(self.options.timeout)) <= handled;
        let begun = pending.begun();
        let doubt = begun.as_ref().and_then(|begun| begun.doubt.as_ref());
        let doubt = doubt.filter(|doubt| doubt.until <= handled || is_over);
        let is_again = begun.as_ref().is_some_and(|begun| begun.again_at <= now);
        match doubt.map(|doubt| doubt.reason) {
            Some(reason) => self.fail_handshake(id, reason),
            None if is_over => self.fail_handshake(id, Reason::Timeout),
            None if is_again => self.send_initiate(id),
            None => self.reschedule_handshake(id),
        }
    }

    /// Enters the deadline of a handshake into the timers.
    pub(super) fn reschedule_handshake(&mut self, id: ConnectionId) {
        let timeout = nanoseconds(self.options.timeout);
        let Some(pending) = self.security.handshakes.get_mut(id) else { return };
        let mut deadline = pending.began_at.saturating_add(timeout);
        if let Some(begun) = pending.begun() {
            let doubt = begun.doubt.as_ref().map_or(u64::MAX, |doubt| doubt.until);
            deadline = deadline.min(begun.again_at).min(doubt);
        }
        // Not before now: one that waits for datagrams to be handled must not go before all others.
        self.schedule.timers.set(&mut pending.wake, deadline.max(self.time), id.to_number());
    }

    /// A call of an event of a connection whose handshake is not over is refused; `Writable` follows.
    pub(super) fn refuse_for_now(&mut self, id: ConnectionId, event: Option<u16>, len: usize) -> Error {
        let Some(pending) = self.security.handshakes.get_mut(id) else { return Error::NoConnection };
        let kind = pending.kind;
        let Some(begun) = pending.begun() else { return Error::NoConnection };
        let stack = &self.stacks.at(kind).stack;
        let Some(event) = event.or(stack.known().send) else {
            return Error::Invalid("the stack has no event `send`".into());
        };
        if let Err(error) = stack.check_length(event, len) {
            return error;
        }
        begun.refused = Some((event, len));
        Error::Refused
    }

    /// The stack of a connection, also while its handshake goes on.
    pub(crate) fn stack_of(&self, id: ConnectionId) -> Result<&Stack, Error> {
        match (self.get(id), self.begun(id)) {
            (Ok(connection), _) => Ok(connection.instance.stack()),
            (_, Some(pending)) => Ok(&self.stacks.at(pending.kind).stack),
            _ => Err(Error::NoConnection),
        }
    }

    /// The peer's address of a connection, also while its handshake goes on.
    pub(crate) fn address_of(&self, id: ConnectionId) -> Result<SocketAddr, Error> {
        match (self.get(id), self.begun(id)) {
            (Ok(connection), _) => Ok(connection.peer.address),
            (_, Some(pending)) => Ok(pending.peer.address),
            _ => Err(Error::NoConnection),
        }
    }

    /// The handshake of a connection that this end has begun.
    pub(crate) fn begun(&self, id: ConnectionId) -> Option<&Pending> {
        self.security.handshakes.get(id).filter(|pending| matches!(pending.role, Role::Begun(_)))
    }

    /// What the router tells the stack of a connection by itself.
    pub(crate) fn by_itself(&mut self, id: ConnectionId) -> Result<&mut ByItself, Error> {
        if self.begun(id).is_none() {
            return Ok(&mut self.get_mut(id)?.by_itself);
        }
        let begun = self.security.handshakes.get_mut(id).and_then(Pending::begun);
        begun.map(|begun| &mut begun.by_itself).ok_or(Error::NoConnection)
    }
}

/// Sets the givens that the router knows.
fn give_keys(config: &mut Config, peer: &Peer, own: &Payload, agreed: &Agreed) -> Result<(), Error> {
    config.set_peer(peer.address.into());
    for (role, value) in [
        (GivenRole::Cookie, own.label.cookie.into()),
        (GivenRole::Identity, own.identity),
        (GivenRole::PeerIdentity, peer.identity),
        (GivenRole::Incarnation, own.incarnation),
        (GivenRole::PeerCookie, agreed.peer.label.cookie.into()),
        (GivenRole::PeerKey, agreed.peer.label.key.into()),
    ] {
        config.set_role(role, value);
    }
    config.set_role_bytes(GivenRole::Binding, &agreed.binding.0);
    let are_set = config.set_role_bytes(GivenRole::SealingKey, &agreed.sealing.0)
        && config.set_role_bytes(GivenRole::OpeningKey, &agreed.opening.0);
    are_set.then_some(()).ok_or_else(|| Error::Invalid("the keys of the stack have not 32 bytes".into()))
}
