//! Enters stacks and opens connections.

use super::Router;
use crate::clock::{MILLISECOND, SECOND};
use crate::connection::{Connection, Phase};
use crate::connections::Proposed;
use crate::error::Error;
use crate::event::ConnectionId;
use crate::instance::Config;
use crate::outbox::Outbox;
use crate::peers::Peer;
use crate::secure::keys::Expect;
use crate::shares::Cause;
use crate::stack::{GivenRole, Stack};
use crate::stacks::{Kind, Prepare};
use crate::stepper::Op;
use crate::wire::Label;
use std::net::{IpAddr, SocketAddr};

/// A peer that does not answer is greeted again after this time, and then after twice as long each time,
const HELLO_FIRST_NS: u64 = 50 * MILLISECOND;
/// up to this.
const HELLO_LAST_NS: u64 = SECOND;

/// How many deliveries a stack that counts them may make before the application has taken any.
const FIRST_GRANTS: u64 = 16;

impl<O: Outbox> Router<O> {
    /// Lets peers begin connections with a stack.
    pub(crate) fn serve(&mut self, stack: &Stack, prepare: Option<Prepare>) -> Result<(), Error> {
        let kind = self.enter(stack)?;
        if !self.options.plain_beside_secure && self.stacks.serves(!stack.is_secure()) {
            let why = "a stack without keys is served beside a secure one only with `Options::plain_beside_secure`";
            return Err(Error::Invalid(why.into()));
        }
        let kind = self.stacks.at_mut(kind);
        (kind.served, kind.prepare) = (true, prepare);
        Ok(())
    }

    /// Makes a stack known. A secure one needs keys.
    fn enter(&mut self, stack: &Stack) -> Result<usize, Error> {
        if stack.is_secure() && self.options.keys.is_none() && self.options.psk.is_none() {
            let why = format!("{}: a secure stack needs the option `keys` or `psk`", stack.description());
            return Err(Error::Invalid(why));
        }
        if stack.is_secure() && !stack.has_preamble() {
            let why = format!("{}: a secure stack needs a layer with a preamble", stack.description());
            return Err(Error::Invalid(why));
        }
        let kind = self.stacks.enter(stack, &self.options)?;
        self.security.is_used |= stack.is_secure();
        Ok(kind)
    }

    /// Begins a connection; `prepare` sets givens of the stack before the router sets those that it knows.
    pub(crate) fn connect(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.connect_expecting(to, stack, None, prepare)
    }

    /// The same with a peer that proves who it is.
    pub(crate) fn connect_expecting(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        expect: Option<Expect>,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.release();
        let to = crate::address::reachable(to);
        if expect.is_some() && !stack.is_secure() {
            return Err(Error::Invalid(format!("{}: the stack has no keys", stack.description())));
        }
        let kind = self.enter(stack)?;
        let mut config = self.new_config(kind);
        prepare(&mut config);
        let identity = config.role(GivenRole::Identity).filter(|identity| *identity != 0);
        let peer_identity = config.role(GivenRole::PeerIdentity).unwrap_or(0);
        let own = identity.unwrap_or(self.options.identity);
        let peer = Peer { address: to, identity: peer_identity, fingerprint: stack.fingerprint() };
        let expect = stack.is_secure().then(|| expect.unwrap_or_else(|| self.expect_by_default()));
        let same = self.of_expected_peer(&peer, expect);
        if identity.is_none() {
            self.check_unconnected(&peer, &same)?;
        }
        self.end_before_next(&same);
        if let Some(expect) = expect {
            return self.begin_handshake(kind, peer, own, config, expect);
        }
        let proposed = self.propose()?;
        let id = proposed.id;
        self.fill_in(&mut config, proposed.cookie, own, peer);
        self.open(proposed, kind, peer, &config, Phase::Live)?;
        self.connections.publish(id, peer);
        self.statistics.connected += 1;
        self.say_open(id, to);
        self.say_hello(id);
        self.release();
        Ok(id)
    }

    /// The connections with a peer, without secure ones whose peer has another key than the expected one: an attacker
    /// on the path can use the peer's address.
    fn of_expected_peer(&self, peer: &Peer, expect: Option<Expect>) -> Vec<ConnectionId> {
        let is_another = |id: &ConnectionId| {
            let secured = self.get(*id).ok().and_then(|connection| connection.secured.as_ref());
            secured.zip(expect.as_ref()).is_some_and(|(secured, expect)| !expect.is_met_by(secured.peer_key))
        };
        let mut same = self.connections.of_peer(peer);
        same.retain(|id| !is_another(id));
        same
    }

    /// Two connections with one peer would be taken by it for a restart.
    fn check_unconnected(&self, peer: &Peer, same: &[ConnectionId]) -> Result<(), Error> {
        if same.iter().any(|id| self.get(*id).is_ok_and(|connection| connection.phase == Phase::Live)) {
            let why = format!("there is a connection with {} and this stack; give each its identity", peer.address);
            return Err(Error::Invalid(why));
        }
        if self.security.handshakes.begun_with(peer.address).any(|pending| pending.peer == *peer) {
            let why = format!("a connection with {} and this stack begins; give each its identity", peer.address);
            return Err(Error::Invalid(why));
        }
        Ok(())
    }

    /// Prepares for the next connection with a peer. Reports the orderly end of earlier connections again: if the first
    /// report was delayed or lost, the peer would take the next connection for a sign of a restart. Removes connections
    /// that never received a frame of the peer: their own first frames may still arrive after those of the next
    /// connection, and the answers to them must be ignored.
    fn end_before_next(&mut self, same: &[ConnectionId]) {
        for id in same {
            match self.get(*id) {
                Ok(connection) if connection.phase == Phase::Live => {}
                Ok(connection) if connection.label.cookie == 0 => self.remove(*id),
                _ => self.say_over(*id),
            }
        }
    }

    /// Whether a peer must prove its address before anything is kept of it.
    pub(super) fn asks_for_proof(&self, ip: IpAddr) -> bool {
        self.admission.asks_for_proof(ip, self.options.connections.saturating_sub(self.connections.len()))
    }

    /// What a new connection will be known by; if there is no room, the one makes it that lingers for the longest time,
    /// or the oldest that is not confirmed.
    pub(super) fn propose(&mut self) -> Result<Proposed, Error> {
        if self.connections.is_full() {
            let lingers = |connection: &Connection| match connection.phase {
                Phase::Lingering { until } => Some((until, connection.id)),
                Phase::Tentative | Phase::Live => None,
            };
            match self.connections.iter().filter_map(lingers).min() {
                Some((_, id)) => self.remove(id),
                None => self.admission.oldest().into_iter().for_each(|id| self.evict(id)),
            }
        }
        self.connections.propose(&mut self.random).ok_or(Error::Full("connections"))
    }

    /// The defaults of a stack, and the key with which this end signs.
    pub(super) fn new_config(&self, kind: usize) -> Config {
        let mut config = Config::new(&self.stacks.at(kind).stack);
        if let Some(key) = &self.options.signing {
            config.set_role_bytes(GivenRole::SigningKey, key.secret());
        }
        config
    }

    /// Sets the givens that the router knows.
    pub(super) fn fill_in(&mut self, config: &mut Config, cookie: u32, identity: u64, peer: Peer) {
        config.set_peer(peer.address.into());
        config.set_role(GivenRole::Cookie, u64::from(cookie));
        config.set_role(GivenRole::Identity, identity);
        config.set_role(GivenRole::PeerIdentity, peer.identity);
        config.set_role(GivenRole::Incarnation, self.random.draw());
    }

    /// Opens an instance. The outputs of `open` are active afterwards.
    pub(super) fn open(
        &mut self,
        proposed: Proposed,
        kind: usize,
        peer: Peer,
        config: &Config,
        phase: Phase,
    ) -> Result<(), Error> {
        if config.is_refused() {
            return Err(Error::Invalid(
                "the program has refused the connection: its given values could not be set".into(),
            ));
        }
        let Proposed { id, cookie } = proposed;
        let (now, seed) = (self.time, self.random.draw());
        let Kind { stack, pools, .. } = self.stacks.at_mut(kind);
        let mut share = pools.enter(stack, peer.address.ip())?;
        let place = pools.at_mut(share.place);
        let opened = self.stepper.open(id, (stack, place.pool_mut()), config, seed, now);
        place.account(&mut share, Cause::Call);
        let instance = match opened {
            Ok(instance) => instance,
            Err(error) => {
                pools.leave(share);
                return Err(error);
            }
        };
        let key = config.role(GivenRole::Incarnation).unwrap_or(0) as u32;
        let owed = if instance.stack().known().grant_delivers.is_some() { FIRST_GRANTS } else { 0 };
        let connection = Connection { phase, key, owed, ..Connection::new(id, (kind, share), instance, peer, now) };
        self.connections.insert(cookie, connection);
        self.send_frames(id);
        if owed > 0 {
            self.wait_for_stack(id);
        }
        Ok(())
    }

    /// Lets a stack greet the peer of a connection that this end began, now and, as long as it has not answered, later.
    pub(super) fn say_hello(&mut self, id: ConnectionId) {
        let now = self.time;
        let Ok(connection) = self.get_mut(id) else {
            return;
        };
        let Some(event) = connection.instance.stack().known().hello else {
            return;
        };
        connection.hello_after = (connection.hello_after * 2).clamp(HELLO_FIRST_NS, HELLO_LAST_NS);
        connection.hello_at = now + connection.hello_after;
        let Label { cookie, key } = connection.label;
        let arguments = [cookie.into(), key.into(), 0, 0];
        self.run(id, Op::Call { event, arguments: &arguments, address: None, message: &[] });
    }

    /// Tells a stack that wants to know (a channel's `open`) whom to open to. One that refuses opens with its first
    /// message.
    pub(super) fn say_open(&mut self, id: ConnectionId, to: SocketAddr) {
        let Some(event) = self.get(id).ok().and_then(|connection| connection.instance.stack().known().open_to) else {
            return;
        };
        self.run(id, Op::Call { event, arguments: &[0; 4], address: Some(to.into()), message: &[] });
    }
}
