//! Routes a received frame to its connection: by cookie, by identification, or as a first frame.

use super::after::After;
use super::Router;
use crate::admission::Room;
use crate::budget::Budget;
use crate::connection::{Connection, Phase};
use crate::connections::Proposed;
use crate::event::{ConnectionId, Head};
use crate::instance::{Config, Outcome};
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::shares::Cause;
use crate::stack::GivenRole;
use crate::stepper::Op;
use crate::wire::{fingerprint, short_key, Ending, Identification, Label, Preamble};
use std::io;
use std::net::SocketAddr;

/// How a peer begins a connection.
enum Begin {
    /// It states who it is.
    Claimed(Identification),
    /// With the label that it was told: it receives frames at its address.
    Proven(Identification, Label),
    /// Its stack has no preamble: the address says who it is.
    Bare,
}

impl<O: Outbox> Router<O> {
    /// Handles a datagram. No step may be active (`has_room`).
    #[cfg(test)]
    pub(crate) fn datagram(&mut self, from: SocketAddr, frame: &[u8]) {
        self.stepper.buffer()[..frame.len()].copy_from_slice(frame);
        self.receive(from, frame.len());
    }

    /// The outbox, and where it puts the next datagram, for `receive`. No step may be active (`has_room`).
    #[inline]
    pub(crate) fn outbox_and_buffer(&mut self) -> (&mut O, &mut [u8]) {
        (&mut self.outbox, self.stepper.buffer())
    }

    /// Handles the datagram in the first bytes of the buffer.
    pub(crate) fn receive(&mut self, from: SocketAddr, len: usize) {
        self.count_datagram();
        if self.stacks.without_preamble().is_some() {
            return self.route_bare(from, len);
        }
        let frame = self.stepper.frame(len);
        let Some(preamble) = Preamble::read(frame) else {
            self.statistics.malformed += 1;
            return;
        };
        if preamble.is_control() {
            return self.control(from, len);
        }
        if preamble.identified {
            return self.route_named(from, len, preamble.cookie);
        }
        if !self.input_quick(|connections| connections.find(from, preamble.cookie), len) {
            self.route_short(from, len, preamble.cookie);
        }
    }

    /// A short frame that no quick entry has taken.
    #[inline(never)]
    fn route_short(&mut self, from: SocketAddr, len: usize, cookie: u32) {
        if let Some(id) = self.connections.with(from, cookie).map(|connection| connection.id) {
            self.is_accepted_ordinarily(id, len, None);
            return;
        }
        let label = Label { cookie, key: short_key(self.stepper.frame(len)) };
        let may_be_secure = self.security.is_used;
        if may_be_secure && self.short_from_elsewhere(from, len, label) {
            return;
        }
        if !self.may_have_moved(from, len, label) {
            self.answer_unknown(from, len, label);
        }
    }

    /// A frame that names its stack.
    #[inline(never)]
    fn route_named(&mut self, from: SocketAddr, len: usize, cookie: u32) {
        let frame = self.stepper.frame(len);
        let Some(named) = fingerprint(frame) else {
            self.statistics.malformed += 1;
            return;
        };
        match (self.stacks.find(named), Identification::read(frame)) {
            (Some(kind), _) if self.stacks.at(kind).stack.is_secure() => self.statistics.insecure += 1,
            (Some(_), Some(who)) => self.route_identified(from, len, cookie, who),
            (Some(_), None) => self.statistics.malformed += 1,
            (None, who) => self.refuse_stack(from, len, named, who.map_or(Label::default(), |who| who.label())),
        }
    }

    fn route_identified(&mut self, from: SocketAddr, len: usize, cookie: u32, who: Identification) {
        // The stack also takes the key of a proof, which only who begins a connection has.
        let is_its = |connection: &&Connection| {
            let is_meant = connection.arrived || connection.key == who.key;
            is_meant && connection.instance.stack().fingerprint() == who.fingerprint
        };
        if let Some(id) = self.connections.with(from, cookie).filter(is_its).map(|connection| connection.id) {
            return self.input(id, len, Some(who));
        }
        let peer = Peer { address: from, identity: who.sender, fingerprint: who.fingerprint };
        // A cookie that is not one of this end's means another connection, perhaps one from before a restart.
        let same = self.connections.of_incarnation(&peer, Some(who.incarnation)).filter(|_| cookie == 0);
        if let Some(id) = same {
            return self.input(id, len, Some(who));
        }
        let label = Label { cookie, key: who.key };
        let proven = cookie != 0 && self.retries.is_valid(label, &peer, who.incarnation, self.time);
        if proven && self.connections.of_incarnation(&peer, Some(who.incarnation)).is_some() {
            // Another copy of its first frame has begun the connection, which has another label. Its peer greets again
            // without one.
            return self.answer_unknown(from, len, label);
        }
        if cookie != 0 && !proven && self.may_have_moved(from, len, label) {
            return;
        }
        if cookie != 0 && !proven {
            // Meant for a connection that this end does not have any more, perhaps not since it started.
            return self.answer_unknown(from, len, label);
        }
        let Some(kind) = self.stacks.find(who.fingerprint).filter(|kind| self.stacks.at(*kind).served) else {
            return self.refuse_stack(from, len, who.fingerprint, who.label());
        };
        // Both began at once. Only where peers may begin connections: everybody could send this frame to a client that
        // waits for its first answer, which names its cookie.
        if let Some(id) = self.connections.of_incarnation(&peer, None) {
            return self.input(id, len, Some(who));
        }
        if self.connections.has_departed(peer, who.incarnation, self.time) {
            self.statistics.late += 1;
            self.refuse_first_again(&peer, len, &who);
            return;
        }
        if proven {
            return self.begin(kind, peer, len, Begin::Proven(who, label));
        }
        if self.stacks.at(kind).stack.known().hello.is_some() && self.asks_for_proof(from.ip()) {
            return self.ask_for_proof(len, &peer, &who);
        }
        self.begin(kind, peer, len, Begin::Claimed(who));
    }

    /// For stacks without a preamble, the address alone identifies the connection.
    #[inline(never)]
    fn route_bare(&mut self, from: SocketAddr, len: usize) {
        if let Some(id) = self.connections.at(from).map(|found| found.id) {
            return self.input(id, len, None);
        }
        let Some(kind) = self.stacks.without_preamble().filter(|kind| kind.served) else {
            self.statistics.unknown_cookies += 1;
            return;
        };
        let peer = Peer { address: from, identity: 0, fingerprint: kind.stack.fingerprint() };
        self.begin(0, peer, len, Begin::Bare);
    }

    /// Gives a frame to a connection's stack.
    fn input(&mut self, id: ConnectionId, len: usize, who: Option<Identification>) {
        self.is_accepted(id, len, who);
    }

    /// The same; whether the stack accepts it.
    pub(super) fn is_accepted(&mut self, id: ConnectionId, len: usize, who: Option<Identification>) -> bool {
        who.is_none() && self.input_quick(|connections| connections.get_mut(id).ok(), len)
            || self.is_accepted_ordinarily(id, len, who)
    }

    /// The same by the ordinary entry.
    #[inline(never)]
    fn is_accepted_ordinarily(&mut self, id: ConnectionId, len: usize, who: Option<Identification>) -> bool {
        let takes = |connection: &Connection| connection.receives && self.may_take(connection, Cause::Frame);
        let Ok(may_take) = self.get(id).map(takes) else {
            return false;
        };
        // Counted before the step, which may send as much more.
        if let Ok(connection) = self.get_mut(id) {
            connection.count_in(len);
            if !may_take {
                connection.traffic.no_space += 1;
                self.ask_to_confirm(id);
                return false;
            }
        }
        let outcome = self.run(id, Op::Input { len });
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else {
            return false;
        };
        match outcome {
            Outcome::NoSpace => connection.traffic.no_space += 1,
            Outcome::Done => {
                connection.traffic.taken += 1;
                connection.heard_sealed(now);
                if let Some(who) = who {
                    self.learn(id, who);
                }
            }
            _ => connection.traffic.dropped += 1,
        }
        outcome == Outcome::Done
    }

    /// The stack has accepted the peer's identification.
    fn learn(&mut self, id: ConnectionId, who: Identification) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        connection.peer_incarnation.get_or_insert(who.incarnation);
        if who.cookie != 0 {
            self.connections.set_label(id, who.label());
        }
    }

    /// A first frame: the connection exists only if its stack accepts the frame.
    fn begin(&mut self, kind: usize, peer: Peer, len: usize, how: Begin) {
        let ip = peer.address.ip();
        let is_welcome = match how {
            Begin::Proven(..) => self.admission.room_for_proven(ip) != Room::Never,
            Begin::Claimed(_) | Begin::Bare => self.admission.room_for(ip) != Room::Never,
        };
        let Some(proposed) = is_welcome.then(|| self.propose_for(&how)).flatten() else {
            self.statistics.limited += 1;
            return self.turn_away(peer, len, &how, Ending::Busy);
        };
        let (id, config) = (proposed.id, self.config_for(kind, proposed.cookie, peer, &how));
        let mark = self.events.len();
        if let Err(error) = self.open(proposed, kind, peer, &config, Phase::Tentative) {
            self.statistics.not_accepted += 1;
            self.errors.push((peer.address, io::Error::other(error.to_string())));
            let why = if config.is_refused() { Ending::Refused } else { Ending::Busy };
            return self.turn_away(peer, len, &how, why);
        }
        if self.run(id, Op::Input { len }) == Outcome::Done {
            self.keep(id, mark, len, how);
        } else {
            self.statistics.not_accepted += 1;
            self.forget(id, mark);
        }
    }

    /// Answers a first frame that begins no connection.
    fn turn_away(&mut self, peer: Peer, len: usize, how: &Begin, why: Ending) {
        if let Begin::Claimed(who) | Begin::Proven(who, _) = how {
            self.answer_ended(peer.address, len, who.label(), why);
        }
    }

    /// A place in the table; who has proven its address was told the cookie.
    fn propose_for(&mut self, how: &Begin) -> Option<Proposed> {
        let any = self.propose().ok()?;
        match how {
            Begin::Proven(_, label) => self.connections.propose_with(label.cookie),
            Begin::Claimed(_) | Begin::Bare => Some(any),
        }
    }

    fn config_for(&mut self, kind: usize, cookie: u32, peer: Peer, how: &Begin) -> Config {
        let mut config = self.new_config(kind);
        self.fill_in(&mut config, cookie, self.options.identity, peer);
        match how {
            Begin::Proven(_, label) => {
                // Its own key is another one: who uses that has heard of the connection, and who has proven an address
                // may have left it since.
                let own = self.random.draw() & u64::from(u32::MAX);
                config.set_role(GivenRole::Incarnation, u64::from(label.key) << 32 | own);
            }
            Begin::Claimed(_) => config.set_role(GivenRole::Unconfirmed, 1),
            Begin::Bare => {}
        }
        if let Some(prepare) = &mut self.stacks.at_mut(kind).prepare {
            prepare(&mut config, peer.address);
        }
        config
    }

    /// The stack has accepted the first frame.
    fn keep(&mut self, id: ConnectionId, mark: usize, len: usize, how: Begin) {
        // A stack that ended in its first step is no connection.
        let Ok(connection) = self.get_mut(id) else {
            return self.forget(id, mark);
        };
        connection.phase = Phase::Live;
        (connection.arrived, connection.is_counted) = (true, true);
        connection.budget = Some(Budget::default());
        connection.count_in(len);
        let held = std::mem::take(&mut connection.held);
        let (peer, fingerprint) = (connection.peer, connection.instance.stack().fingerprint());
        self.statistics.arrived += 1;
        self.connections.publish(id, peer);
        let ip = peer.address.ip();
        let room = match how {
            Begin::Claimed(_) => self.admission.room_for(ip),
            Begin::Proven(..) => self.admission.room_for_proven(ip),
            Begin::Bare => Room::There,
        };
        if let Room::After(oldest) = room {
            self.after.push(After::Evicted(oldest));
        }
        self.admission.enter(id, ip);
        match how {
            Begin::Claimed(who) => self.learn(id, who),
            Begin::Proven(who, _) => {
                self.confirm(id);
                self.learn(id, who);
            }
            Begin::Bare => self.confirm(id),
        }
        for (to, frame) in held {
            if self.get_mut(id).is_ok_and(|connection| connection.count_out(frame.len())) {
                self.send_plain(Some(id), to, &frame);
            }
        }
        self.events.insert(mark, Head::Arrived { connection: id, from: peer.address, fingerprint });
    }

    /// Undoes a tentative connection, with everything that came out of it.
    fn forget(&mut self, id: ConnectionId, mark: usize) {
        self.stepper.end();
        self.after.clear();
        self.events.cut(mark);
        if let Some(connection) = self.connections.withdraw(id) {
            self.give_back(*connection);
        }
    }
}
