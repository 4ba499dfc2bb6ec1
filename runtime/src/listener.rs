//! The listener: many connections on one transport, of one stack or several.

use crate::connection::{Connection, Phase};
use crate::departed::Departed;
use crate::error::{Error, Reason, StackName};
use crate::event::{ConnectionId, Event, Head, Pending};
use crate::ffi::NacreAddr;
use crate::instance::{Config, Instance, Outcome, Pool};
use crate::options::Options;
use crate::output::{Message, Out};
use crate::peers::{Peer, Peers};
use crate::random::SplitMix64;
use crate::ration::Ration;
use crate::stack::Stack;
use crate::statistics::{ConnectionStatistics, ListenerStatistics};
use crate::steps::{Active, After, Op};
use crate::table::Table;
use crate::timers::Timers;
use crate::transport::Transport;
use crate::udp::Udp;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};

/// Sets a stack's own givens when a connection is opened (keys, sizes); the second argument is the peer.
pub type Prepare = Box<dyn FnMut(&mut Config, SocketAddr) + Send>;

/// A stack that this listener knows, with the pool that its connections share.
pub(crate) struct Kind {
    pub stack: Stack,
    pub pool: Pool,
    /// Whether peers may begin connections with it.
    pub served: bool,
    pub prepare: Option<Prepare>,
}

/// Connections that share a transport. It and all that came from it belong to one thread at a time.
pub struct Listener {
    pub(crate) transport: Box<dyn Transport>,
    pub(crate) options: Options,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) by_fingerprint: HashMap<u64, usize>,
    pub(crate) table: Table<Connection>,
    pub(crate) serial: u64,
    pub(crate) peers: Peers,
    pub(crate) departed: Departed,
    pub(crate) unconfirmed: HashMap<IpAddr, usize>,
    pub(crate) unconfirmed_len: usize,
    pub(crate) timers: Timers,
    pub(crate) out: Out,
    pub(crate) buffer: Vec<u8>,
    /// The step whose outputs are being handed out.
    pub(crate) active: Option<Active>,
    /// What is to be done when its outputs are no longer lent.
    pub(crate) after: Vec<After>,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) pending_bytes: usize,
    /// The message of the pending event that was handed out last.
    pub(crate) current: Vec<u8>,
    pub(crate) taken: Option<ConnectionId>,
    /// Connections that wait for their stack to accept something.
    pub(crate) waiting: VecDeque<ConnectionId>,
    pub(crate) backlog: VecDeque<(SocketAddr, Vec<u8>)>,
    pub(crate) backlog_bytes: usize,
    /// What the system and the network said about frames, to be reported.
    pub(crate) errors: Vec<(SocketAddr, io::Error)>,
    pub(crate) ration: Ration,
    pub(crate) refusals: HashMap<SocketAddr, u64>,
    pub(crate) random: SplitMix64,
    pub(crate) statistics: ListenerStatistics,
    not_sync: PhantomData<Cell<()>>,
}

/// The longest datagram of UDP, and of any transport.
const DATAGRAM_MAX: usize = 65_536;
/// Bytes that a pool takes by default, unless one connection alone needs more.
const POOL_BYTES: u64 = 64 << 20;
/// Connections that a pool serves in full by default.
const POOL_CONNECTIONS: u64 = 256;

impl Listener {
    /// A listener on a UDP address; port 0 takes any, `[::]` serves IPv4 too.
    ///
    /// Errors: `Io` (the address is in use, is not this machine's...).
    pub fn bind(address: SocketAddr, options: Options) -> Result<Listener, Error> {
        let udp = Udp::bind(address).map_err(Error::io("cannot bind the address"))?;
        Ok(Listener::new(udp, options))
    }

    /// A listener on any transport.
    pub fn new(transport: impl Transport + 'static, options: Options) -> Listener {
        let transport: Box<dyn Transport> = Box::new(transport);
        let now = transport.now();
        let random = options.seed.map_or_else(SplitMix64::from_system, SplitMix64::new);
        Listener {
            table: Table::new(options.connections),
            transport,
            options,
            kinds: Vec::new(),
            by_fingerprint: HashMap::new(),
            serial: 1,
            peers: Peers::default(),
            departed: Departed::default(),
            unconfirmed: HashMap::new(),
            unconfirmed_len: 0,
            timers: Timers::default(),
            out: Out::new(),
            buffer: vec![0; DATAGRAM_MAX],
            active: None,
            after: Vec::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            current: Vec::new(),
            taken: None,
            waiting: VecDeque::new(),
            backlog: VecDeque::new(),
            backlog_bytes: 0,
            errors: Vec::new(),
            ration: Ration::new(now),
            refusals: HashMap::new(),
            random,
            statistics: ListenerStatistics::default(),
            not_sync: PhantomData,
        }
    }

    /// The address that peers send to.
    pub fn local(&self) -> SocketAddr {
        self.transport.local()
    }

    /// The transport's time, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.transport.now()
    }

    /// The file descriptor that becomes readable with a frame, for a program's own event loop (with `next_deadline`).
    pub fn descriptor(&self) -> Option<i32> {
        self.transport.descriptor()
    }

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
        self.release();
        let to = crate::address::canonical(to);
        let kind = self.kind_of(stack)?;
        let mut config = Config::new(stack);
        prepare(&mut config);
        let identity = config.number("floor.identity").filter(|identity| *identity != 0);
        let peer_identity = config.number("floor.peer_identity").unwrap_or(0);
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

    /// Whether the stack would accept a message of so many bytes now, and the socket has room.
    pub fn accepts(&self, id: ConnectionId, len: usize) -> bool {
        let Ok(connection) = self.get(id) else { return false };
        let Some(send) = connection.instance.stack().known().send else { return false };
        let pool = &self.kinds[connection.kind].pool;
        connection.usable().is_ok() && !self.is_congested() && connection.instance.accepts(pool, send, len)
    }

    /// Sends a message.
    ///
    /// Errors: `Refused` (nothing happened; `Writable` follows when it would be accepted), `NoConnection`, `Closed`,
    /// `Invalid` if the stack has no `send` without an address.
    pub fn send(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        let event = self.get(id)?.instance.stack().known().send;
        let event = event.ok_or_else(|| Error::Invalid("the stack has no event `send`".into()))?;
        let to = self.get(id)?.from;
        self.call(id, event, &[], Some(to), message)
    }

    /// Calls any input event of the stack, by its index (`Stack::input_event`).
    ///
    /// Errors: as `send`; `Invalid` also if arguments are missing or out of their range.
    pub fn call(
        &mut self,
        id: ConnectionId,
        event: u16,
        arguments: &[u64],
        address: Option<NacreAddr>,
        message: &[u8],
    ) -> Result<(), Error> {
        self.get(id)?.usable()?;
        let outcome = if self.is_congested() {
            Outcome::Refused
        } else {
            let outcome = self.run(id, Op::Call { event, arguments, address, message });
            self.release();
            outcome
        };
        match outcome {
            Outcome::Done | Outcome::Idle => Ok(()),
            Outcome::Refused | Outcome::NoSpace | Outcome::Busy | Outcome::Dropped => {
                self.note_refusal(id, event, message.len());
                Err(Error::Refused)
            }
            Outcome::Invalid => Err(Error::Invalid("the stack says that the call makes no sense".into())),
        }
    }

    /// Closes in order: what was sent is delivered first, then `Closed` comes. A stack without `close` ends at once.
    ///
    /// Errors: `NoConnection`, `Closed`.
    pub fn close(&mut self, id: ConnectionId) -> Result<(), Error> {
        self.get(id)?.usable()?;
        if self.get(id)?.instance.stack().known().close.is_none() {
            self.release();
            self.end(id, Reason::Closed);
            return Ok(());
        }
        self.get_mut(id)?.close_wanted = true;
        self.try_close(id);
        Ok(())
    }

    /// Ends a connection at once: no event follows, the peer is not told, what was not delivered is lost.
    pub fn discard(&mut self, id: ConnectionId) {
        self.release();
        self.remove(id);
    }

    /// Whether the listener grants deliveries to the stack as messages are taken (the default). If not, the application calls
    /// `grant`, and so slows down the peer of one connection alone.
    pub fn set_grants_by_itself(&mut self, id: ConnectionId, by_itself: bool) -> Result<(), Error> {
        self.get_mut(id)?.grants_by_itself = by_itself;
        Ok(())
    }

    /// Grants so many deliveries to the stack.
    pub fn grant(&mut self, id: ConnectionId, messages: u16) -> Result<(), Error> {
        self.get_mut(id)?.owed += u64::from(messages);
        self.release();
        self.pay_grants(id);
        Ok(())
    }

    /// Handles what is there (at most a bounded amount of work) and returns the next event, without waiting. A message in it
    /// is lent until the listener is used again.
    pub fn poll(&mut self) -> Option<Event<'_>> {
        let found = self.find();
        self.lend(found)
    }

    /// When `poll` is to be called next if no frame arrives: the transport's time in nanoseconds; `ffi::NEVER`.
    pub fn next_deadline(&self) -> u64 {
        if self.active.is_some() || !self.pending.is_empty() {
            return 0;
        }
        self.timers.next().min(self.transport.deadline())
    }

    /// Who is at the other end.
    pub fn peer(&self, id: ConnectionId) -> Result<SocketAddr, Error> {
        Ok(self.get(id)?.peer.address)
    }

    /// The stack that a connection runs.
    pub fn stack(&self, id: ConnectionId) -> Result<&Stack, Error> {
        Ok(self.get(id)?.instance.stack())
    }

    /// Numbers about a connection.
    pub fn statistics_of(&self, id: ConnectionId) -> Result<ConnectionStatistics, Error> {
        Ok(self.get(id)?.statistics())
    }

    /// Numbers about all.
    pub fn statistics(&self) -> ListenerStatistics {
        let mut all = self.statistics.clone();
        self.table.iter().for_each(|connection| all.traffic.add(&connection.traffic));
        all.connections = self.table.len();
        all
    }

    /// The connections that are there, those included that still answer after an orderly close.
    pub fn connections(&self) -> Vec<ConnectionId> {
        self.table.iter().map(|connection| connection.id).collect()
    }

    pub(crate) fn get(&self, id: ConnectionId) -> Result<&Connection, Error> {
        self.table.get(id.cookie()).filter(|connection| connection.id == id).ok_or(Error::NoConnection)
    }

    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, Error> {
        self.table.get_mut(id.cookie()).filter(|connection| connection.id == id).ok_or(Error::NoConnection)
    }

    pub(crate) fn push(&mut self, head: Head) {
        self.enqueue(head.into());
    }

    pub(crate) fn enqueue(&mut self, pending: Pending) {
        self.pending_bytes += pending.cost();
        self.pending.push_back(pending);
    }

    pub(crate) fn served_names(&self) -> Vec<StackName> {
        self.kinds.iter().filter(|kind| kind.served).map(|kind| kind.stack.to_name()).collect()
    }

    pub(crate) fn lend(&mut self, found: Option<Found>) -> Option<Event<'_>> {
        match found? {
            Found::Owned(pending) => {
                self.current = pending.bytes;
                Some(pending.head.with(Message::whole(&self.current)))
            }
            Found::Lent(head, index) => {
                let output = self.active.as_ref().and_then(|active| active.outputs(&self.out).get(index));
                Some(head.with(output.map_or(Message::whole(&[]), |output| output.message())))
            }
        }
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
        let pool = Pool::new(stack, self.options.pool_blocks.unwrap_or_else(|| blocks_by_default(stack, &self.options)))?;
        self.kinds.push(Kind { stack: stack.clone(), pool, served: false, prepare: None });
        self.by_fingerprint.insert(stack.fingerprint(), self.kinds.len() - 1);
        Ok(self.kinds.len() - 1)
    }

    /// Two connections with one peer would be taken by it for a restart.
    fn check_unconnected(&mut self, peer: Peer, with_own_identity: bool) -> Result<(), Error> {
        if with_own_identity {
            return Ok(());
        }
        for cookie in self.peers.of_peer(&peer).to_vec() {
            let Some(connection) = self.table.get(cookie) else { continue };
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
        config.set_address("floor.peer", peer.address.into());
        config.set("floor.cookie", u64::from(cookie));
        config.set("floor.identity", identity);
        config.set("floor.peer_identity", peer.identity);
        config.set("floor.incarnation", self.random.draw());
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
        let now = self.transport.now();
        let seed = self.random.draw();
        let Kind { stack, pool, .. } = &mut self.kinds[kind];
        let (instance, _) = Instance::open(stack, pool, config, seed, now, &mut self.out)?;
        let id = ConnectionId::new(self.serial, cookie);
        self.serial += 1;
        let mut connection = Connection::new(id, kind, instance, peer, now);
        connection.phase = phase;
        self.table.insert(cookie, connection);
        self.active = Some(Active::new(id));
        self.send_frames(id);
        Ok(id)
    }

    /// Tells a stack that wants to know (a channel's `open`) whom to open to. One that refuses opens with its first message.
    fn say_open(&mut self, id: ConnectionId, to: SocketAddr) {
        let Some(event) = self.get(id).ok().and_then(|connection| connection.instance.stack().known().open_to) else { return };
        self.run(id, Op::Call { event, arguments: &[0; 4], address: Some(to.into()), message: &[] });
    }
}

/// An event that was found, and where its message is.
pub(crate) enum Found {
    Owned(Pending),
    /// The output's index in the active step.
    Lent(Head, usize),
}

fn blocks_by_default(stack: &Stack, options: &Options) -> u32 {
    let raw = stack.raw();
    let one = u64::from(raw.blocks_for_one);
    let wanted = one * POOL_CONNECTIONS.min(options.connections as u64);
    let fit = POOL_BYTES / u64::from(raw.pool_per_block).max(1);
    u32::try_from(wanted.min(fit).max(one)).unwrap_or(u32::MAX)
}

impl Drop for Listener {
    /// Discards all connections: secrets are erased, peers are not told.
    fn drop(&mut self) {
        for id in self.connections() {
            self.remove(id);
        }
    }
}
