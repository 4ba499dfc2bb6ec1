//! Finds out whose a frame is: by its cookie, by who identifies itself in it, or nobody's yet.

use crate::connection::Phase;
use crate::event::{ConnectionId, Head, Pending};
use crate::instance::{Config, Outcome};
use crate::listener::Listener;
use crate::peers::Peer;
use crate::steps::Op;
use crate::wire::{fingerprint, Identification, Preamble};
use std::io;
use std::net::SocketAddr;

impl Listener {
    /// Receives one frame and gives it to whom it belongs; false if none was there.
    pub(crate) fn receive_one(&mut self) -> bool {
        match self.transport.receive(&mut self.buffer) {
            Ok((len, from)) => {
                self.route(from, len);
                true
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Err(error) => {
                self.receive_failed(error);
                true
            }
        }
    }

    fn receive_failed(&mut self, error: io::Error) {
        let before = self.errors.len();
        while let Some(about) = self.transport.take_error() {
            self.errors.push(about);
        }
        if self.errors.len() == before {
            self.errors.push((self.transport.local(), error));
        }
    }

    fn route(&mut self, from: SocketAddr, len: usize) {
        if self.kinds.first().is_some_and(|kind| !kind.stack.has_preamble()) {
            return self.route_bare(from, len);
        }
        let frame = &self.buffer[..len];
        let Some(preamble) = Preamble::read(frame) else {
            self.statistics.malformed += 1;
            return;
        };
        if preamble.is_control() {
            return self.control(from, len);
        }
        if preamble.identified {
            return match (fingerprint(frame), Identification::read(frame)) {
                (Some(named), Some(who)) if self.by_fingerprint.contains_key(&named) => {
                    self.route_identified(from, len, preamble.cookie, who);
                }
                (Some(named), who) => self.refuse(from, len, named, who.map_or(0, |who| who.cookie)),
                _ => self.statistics.malformed += 1,
            };
        }
        match self.with(from, preamble.cookie) {
            Some(id) => self.input(id, len, None),
            None => self.answer_unknown(from, len, preamble.cookie),
        }
    }

    fn route_identified(&mut self, from: SocketAddr, len: usize, cookie: u32, who: Identification) {
        let by_cookie = self.with(from, cookie).filter(|id| {
            self.get(*id).is_ok_and(|connection| connection.instance.stack().fingerprint() == who.fingerprint)
        });
        if let Some(id) = by_cookie {
            return self.input(id, len, Some(who));
        }
        let peer = Peer { address: from, identity: who.sender, fingerprint: who.fingerprint };
        if let Some(id) = self.known(&peer, who.incarnation) {
            return self.input(id, len, Some(who));
        }
        if cookie != 0 {
            // Meant for a connection that this end does not have any more, perhaps not since it started.
            return self.answer_unknown(from, len, cookie);
        }
        let kind = self.by_fingerprint[&who.fingerprint];
        if !self.kinds[kind].served {
            return self.refuse(from, len, who.fingerprint, who.cookie);
        }
        let now = self.time;
        if self.departed.contains(peer, who.incarnation, now) {
            self.statistics.late += 1;
            return;
        }
        self.begin(kind, peer, len, Some(who));
    }

    /// Stacks without a preamble: the address alone says whose it is.
    fn route_bare(&mut self, from: SocketAddr, len: usize) {
        if let Some(id) = self.peers.at(from).first().and_then(|cookie| self.table.get(*cookie)).map(|found| found.id) {
            return self.input(id, len, None);
        }
        if !self.kinds[0].served {
            self.statistics.unknown_cookies += 1;
            return;
        }
        let peer = Peer { address: from, identity: 0, fingerprint: self.kinds[0].stack.fingerprint() };
        self.begin(0, peer, len, None);
    }

    /// The connection with this cookie and this address.
    pub(crate) fn with(&self, from: SocketAddr, cookie: u32) -> Option<ConnectionId> {
        let connection = self.table.get(cookie).filter(|connection| connection.peer.address == from)?;
        Some(connection.id)
    }

    /// The connection that a peer began with this incarnation; or one that this end began and that has not heard of any,
    /// which the peer's first frame then completes (both began at once).
    fn known(&self, peer: &Peer, incarnation: u64) -> Option<ConnectionId> {
        let all = || self.peers.of_peer(peer).iter().filter_map(|cookie| self.table.get(*cookie));
        let same = all().find(|connection| connection.peer_incarnation == Some(incarnation));
        let open = || all().find(|connection| connection.peer_incarnation.is_none());
        same.or_else(open).map(|connection| connection.id)
    }

    /// Gives a frame to a connection's stack.
    fn input(&mut self, id: ConnectionId, len: usize, who: Option<Identification>) {
        let outcome = self.run(id, Op::Input { len });
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        connection.traffic.frames_in += 1;
        connection.traffic.bytes_in += len as u64;
        match outcome {
            Outcome::NoSpace => connection.traffic.no_space += 1,
            Outcome::Done => {
                connection.heard(now);
                if let Some(who) = who {
                    self.learn(id, who);
                }
            }
            _ => connection.traffic.dropped += 1,
        }
    }

    /// The stack has accepted what the peer says of itself.
    fn learn(&mut self, id: ConnectionId, who: Identification) {
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let (old, address) = (connection.label, connection.peer.address);
        connection.peer_incarnation.get_or_insert(who.incarnation);
        if who.cookie != 0 && who.cookie != old {
            connection.label = who.cookie;
            self.peers.label(address, old, who.cookie, id.cookie());
        }
    }

    /// A first frame: the connection exists only if its stack accepts the frame.
    fn begin(&mut self, kind: usize, peer: Peer, len: usize, who: Option<Identification>) {
        let of_address = self.unconfirmed.get(&peer.address.ip()).copied().unwrap_or(0);
        if of_address >= self.options.unconfirmed_per_address || self.unconfirmed_len >= self.options.unconfirmed {
            self.statistics.limited += 1;
            return;
        }
        let Ok(cookie) = self.propose() else {
            self.statistics.limited += 1;
            return;
        };
        let mut config = Config::new(&self.kinds[kind].stack);
        self.fill_in(&mut config, cookie, self.options.identity, peer);
        if let Some(prepare) = &mut self.kinds[kind].prepare {
            prepare(&mut config, peer.address);
        }
        let mark = self.pending.len();
        let id = match self.open(kind, cookie, peer, &config, Phase::Tentative) {
            Ok(id) => id,
            Err(error) => {
                self.statistics.not_accepted += 1;
                self.errors.push((peer.address, io::Error::other(error.to_string())));
                return;
            }
        };
        if self.run(id, Op::Input { len }) == Outcome::Done {
            self.keep(id, mark, len, who);
        } else {
            self.statistics.not_accepted += 1;
            self.forget(id, mark);
        }
    }

    fn keep(&mut self, id: ConnectionId, mark: usize, len: usize, who: Option<Identification>) {
        // A stack that ended in its first step is no connection.
        let Ok(connection) = self.get_mut(id) else {
            return self.forget(id, mark);
        };
        connection.phase = Phase::Live;
        connection.arrived = true;
        connection.traffic.frames_in += 1;
        connection.traffic.bytes_in += len as u64;
        connection.traffic.frames_out += connection.held.len() as u64;
        let held = std::mem::take(&mut connection.held);
        connection.traffic.bytes_out += held.iter().map(|(_, frame)| frame.len() as u64).sum::<u64>();
        let (peer, fingerprint) = (connection.peer, connection.instance.stack().fingerprint());
        self.statistics.arrived += 1;
        self.peers.insert(peer, id.cookie());
        match who {
            Some(who) => {
                *self.unconfirmed.entry(peer.address.ip()).or_default() += 1;
                self.unconfirmed_len += 1;
                self.learn(id, who);
            }
            None => self.confirm(id),
        }
        held.iter().for_each(|(to, frame)| self.send_plain(*to, frame));
        let arrived = Pending::from(Head::Arrived { connection: id, from: peer.address, fingerprint });
        self.pending_bytes += arrived.cost();
        self.pending.insert(mark, arrived);
    }

    /// Undoes a tentative connection, with everything that came out of it.
    fn forget(&mut self, id: ConnectionId, mark: usize) {
        self.active = None;
        self.out.clear();
        self.after.clear();
        let dropped: usize = self.pending.drain(mark..).map(|pending| pending.cost()).sum();
        self.pending_bytes -= dropped;
        if let Some(connection) = self.table.remove(id.cookie()) {
            self.give_back(*connection);
        }
    }
}
