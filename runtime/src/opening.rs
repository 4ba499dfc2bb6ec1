//! How a listener comes to know stacks and opens connections.

use crate::connection::{Connection, Phase};
use crate::error::Error;
use crate::event::ConnectionId;
use crate::instance::{Config, Instance};
use crate::listener::{Kind, Listener, Prepare};
use crate::peers::Peer;
use crate::pools::Pools;
use crate::stack::{GivenRole, Stack};
use crate::steps::{Active, Op};
use std::net::SocketAddr;

impl Listener {
    /// Lets peers begin connections with a stack.
    ///
    /// Errors: `Invalid` if the stack cannot share the port with those already served (without a preamble, only alone).
    pub fn serve(&mut self, stack: &Stack) -> Result<(), Error> {
        self.serve_with(stack, None)
    }

    /// The same, with a function that sets the stack's own givens for each connection.
    pub fn serve_with(&mut self, stack: &Stack, prepare: Option<Prepare>) -> Result<(), Error> {
        let kind = self.kind_of(stack)?;
        self.kinds[kind].served = true;
        self.kinds[kind].prepare = prepare;
        Ok(())
    }

    /// Begins a connection. Nothing is sent before the first message, unless the stack has something to say by itself;
    /// `Opened` tells when the peer has answered.
    ///
    /// Errors: `Full`; `Invalid` if there is a connection with this peer and stack, or the stack needs other givens.
    pub fn connect(&mut self, to: SocketAddr, stack: &Stack) -> Result<ConnectionId, Error> {
        self.connect_with(to, stack, |_| {})
    }

    /// The same, with a function that sets givens of the stack; what it sets goes before what the listener sets, so that
    /// `floor.identity` and `floor.peer_identity` can be each connection's own.
    pub fn connect_with(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.look_at_clock();
        self.release();
        let to = crate::address::canonical(to);
        let kind = self.kind_of(stack)?;
        let mut config = Config::new(stack);
        prepare(&mut config);
        let identity = config.role(GivenRole::Identity).filter(|identity| *identity != 0);
        let peer_identity = config.role(GivenRole::PeerIdentity).unwrap_or(0);
        let own = identity.unwrap_or(self.options.identity);
        let peer = Peer { address: to, identity: peer_identity, fingerprint: stack.fingerprint() };
        self.check_unconnected(peer, identity.is_some())?;
        let cookie = self.propose()?;
        self.fill_in(&mut config, cookie, own, peer);
        let id = self.open(kind, cookie, peer, &config, Phase::Live)?;
        self.peers.insert(peer, cookie);
        self.statistics.connected += 1;
        self.say_open(id, to);
        self.release();
        Ok(id)
    }

    /// The stack's place here; it is entered if it is new.
    fn kind_of(&mut self, stack: &Stack) -> Result<usize, Error> {
        if let Some(kind) = self.by_fingerprint.get(&stack.fingerprint()) {
            return Ok(*kind);
        }
        if self.kinds.iter().any(|kind| !kind.stack.has_preamble() || !stack.has_preamble()) {
            let why = format!("{}: a stack without a preamble cannot share a port with others", stack.description());
            return Err(Error::Invalid(why));
        }
        let pools = Pools::new(stack, &self.options);
        self.kinds.push(Kind { stack: stack.clone(), pools, served: false, prepare: None });
        self.by_fingerprint.insert(stack.fingerprint(), self.kinds.len() - 1);
        Ok(self.kinds.len() - 1)
    }

    /// Two connections with one peer would be taken by it for a restart.
    fn check_unconnected(&mut self, peer: Peer, with_own_identity: bool) -> Result<(), Error> {
        if with_own_identity {
            return Ok(());
        }
        for cookie in self.peers.of_peer(&peer).to_vec() {
            let Some(connection) = self.table.get(cookie) else {
                continue;
            };
            if connection.phase == Phase::Live {
                let why = format!("there is a connection with {} and this stack; give each its identity", peer.address);
                return Err(Error::Invalid(why));
            }
            let id = connection.id;
            self.remove(id);
        }
        Ok(())
    }

    pub(crate) fn propose(&mut self) -> Result<u32, Error> {
        if self.table.is_full() {
            let lingering = |connection: &&Connection| matches!(connection.phase, Phase::Lingering { .. });
            let spare = self.table.iter().find(lingering).map(|connection| connection.id);
            if let Some(id) = spare {
                self.remove(id);
            }
        }
        self.table.propose(&mut self.random).ok_or(Error::Full("connections"))
    }

    pub(crate) fn fill_in(&mut self, config: &mut Config, cookie: u32, identity: u64, peer: Peer) {
        config.set_peer(peer.address.into());
        config.set_role(GivenRole::Cookie, u64::from(cookie));
        config.set_role(GivenRole::Identity, identity);
        config.set_role(GivenRole::PeerIdentity, peer.identity);
        config.set_role(GivenRole::Incarnation, self.random.draw());
    }

    /// Opens an instance at a proposed cookie. What comes out of `open` is active afterwards.
    pub(crate) fn open(
        &mut self,
        kind: usize,
        cookie: u32,
        peer: Peer,
        config: &Config,
        phase: Phase,
    ) -> Result<ConnectionId, Error> {
        let now = self.time;
        let seed = self.random.draw();
        let Kind { stack, pools, .. } = &mut self.kinds[kind];
        let place = pools.enter(stack)?;
        let opened = Instance::open(stack, pools.at_mut(place), config, seed, now, &mut self.out);
        let instance = match opened {
            Ok((instance, _)) => instance,
            Err(error) => {
                pools.leave(place);
                return Err(error);
            }
        };
        let id = ConnectionId::new(self.serial, cookie);
        self.serial += 1;
        let mut connection = Connection::new(id, (kind, place), instance, peer, now);
        connection.phase = phase;
        self.table.insert(cookie, connection);
        self.active = Some(Active::new(id));
        self.send_frames(id);
        Ok(id)
    }

    /// Tells a stack that wants to know (a channel's `open`) whom to open to. One that refuses opens with its first message.
    fn say_open(&mut self, id: ConnectionId, to: SocketAddr) {
        let Some(event) = self.get(id).ok().and_then(|connection| connection.instance.stack().known().open_to) else {
            return;
        };
        self.run(id, Op::Call { event, arguments: &[0; 4], address: Some(to.into()), message: &[] });
    }
}
