//! The listener: many connections on one transport, of one stack or several.

use crate::clock::nanoseconds;
use crate::connection::Connection;
use crate::departed::Departed;
use crate::error::{Error, NoConnection, Reason, StackName};
use crate::event::{ConnectionId, Event, Head, Pending};
use crate::ffi::NacreAddr;
use crate::instance::{Config, Outcome};
use crate::options::Options;
use crate::output::{Message, Out};
use crate::peers::Peers;
use crate::pools::Pools;
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

/// A stack that this listener knows, with the pools of its connections.
pub(crate) struct Kind {
    pub stack: Stack,
    pub pools: Pools,
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
    /// Two of the options in nanoseconds.
    pub(crate) ping_after: u64,
    pub(crate) timeout: u64,
    /// The time of what is being done. Read once for each call and each turn of `work`, so that no look at the clock lies
    /// between a frame's arrival and the application.
    pub(crate) time: u64,
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
    /// Frames received since they were looked at last.
    pub(crate) unserved: u32,
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
            kinds: Vec::new(),
            by_fingerprint: HashMap::new(),
            serial: 1,
            peers: Peers::default(),
            departed: Departed::default(),
            unconfirmed: HashMap::new(),
            unconfirmed_len: 0,
            timers: Timers::default(),
            ping_after: nanoseconds(options.ping_after),
            timeout: nanoseconds(options.timeout),
            time: now,
            out: Out::new(),
            buffer: vec![0; DATAGRAM_MAX],
            active: None,
            after: Vec::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            current: Vec::new(),
            taken: None,
            waiting: VecDeque::new(),
            unserved: 0,
            backlog: VecDeque::new(),
            backlog_bytes: 0,
            errors: Vec::new(),
            ration: Ration::new(now),
            refusals: HashMap::new(),
            random,
            statistics: ListenerStatistics::default(),
            options,
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

    /// Whether the stack would accept a message of so many bytes now, and the socket has room.
    pub fn accepts(&self, id: ConnectionId, len: usize) -> bool {
        let Ok(connection) = self.get(id) else {
            return false;
        };
        let Some(send) = connection.instance.stack().known().send else {
            return false;
        };
        let pool = self.kinds[connection.kind].pools.at(connection.pool);
        connection.usable().is_ok() && !self.is_congested() && connection.instance.accepts(pool, send, len)
    }

    /// Sends a message.
    ///
    /// Errors: `Refused` (nothing happened; `Writable` follows when it would be accepted), `NoConnection`, `Closed`,
    /// `Invalid` if the stack has no `send` without an address.
    pub fn send(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        let connection = self.get(id)?;
        let Some(event) = connection.instance.stack().known().send else {
            return Err(Error::Invalid("the stack has no event `send`".into()));
        };
        let to = connection.from;
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
        self.look_at_clock();
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
        self.look_at_clock();
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
        self.look_at_clock();
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
        self.look_at_clock();
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

    #[inline]
    pub(crate) fn get(&self, id: ConnectionId) -> Result<&Connection, NoConnection> {
        self.table.get(id.cookie()).filter(|connection| connection.id == id).ok_or(NoConnection)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ConnectionId) -> Result<&mut Connection, NoConnection> {
        self.table.get_mut(id.cookie()).filter(|connection| connection.id == id).ok_or(NoConnection)
    }

    /// Every way in begins with this.
    pub(crate) fn look_at_clock(&mut self) {
        self.time = self.transport.now();
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
}

/// An event that was found, and where its message is.
pub(crate) enum Found {
    Owned(Pending),
    /// The output's index in the active step.
    Lent(Head, usize),
}

impl Drop for Listener {
    /// Discards all connections: secrets are erased, peers are not told.
    fn drop(&mut self) {
        for id in self.connections() {
            self.remove(id);
        }
    }
}
