//! The listener: many connections on one transport, of one stack or several.

mod turn;

use crate::error::{Error, Words};
use crate::event::{ConnectionId, Event};
use crate::ffi::NacreAddr;
use crate::instance::Config;
use crate::link::Link;
use crate::options::{Options, Secret};
use crate::router::Router;
use crate::secure::keys::{Expect, PublicKey};
use crate::shard::Shard;
use crate::stack::Stack;
pub use crate::stacks::Prepare;
use crate::statistics::{ConnectionStatistics, ListenerStatistics};
use crate::transport::Transport;
use crate::udp::{group, Udp};
use crate::waker::Woken;
use crate::wire::Label;
use std::cell::Cell;
use std::marker::PhantomData;
use std::net::SocketAddr;

/// Connections that share a transport. It and all that came from it belong to one thread at a time.
pub struct Listener {
    pub(crate) router: Router<Link>,
    /// When the system was last asked for frames.
    asked_at: u64,
    /// It had no more, and is not asked again before the program polls again or waits.
    pub(crate) is_emptied: bool,
    /// Frames of the current batch that have been handled since the clock was read.
    since: u32,
    /// Calls of `send` since then while frames are held.
    held: u32,
    /// Set by the first `waker`.
    pub(crate) woken: Option<Woken>,
    /// Whether the last `wait` returned because of it.
    pub(crate) was_woken: bool,
    not_sync: PhantomData<Cell<()>>,
}

impl Listener {
    /// A listener on a UDP address; port 0 takes any, `[::]` serves IPv4 too.
    ///
    /// Errors: `Io` (the address is in use, is not this machine's...).
    pub fn bind(address: SocketAddr, options: Options) -> Result<Listener, Error> {
        let udp = Udp::bind(address).map_err(Error::io("cannot bind the address"))?;
        Ok(Listener::new(udp, options))
    }

    /// `count` listeners on one UDP address, one for each thread. Each has its own connections and receives their
    /// frames. The options, limits included, apply to each of them; they share one secret. Which listener receives a
    /// peer's first frame depends on the peer's address and port.
    ///
    /// Errors: `Io`, as of `bind`, if `count` is 0 or more than 64, and for more than one on systems other than Linux.
    pub fn bind_shards(address: SocketAddr, options: &Options, count: usize) -> Result<Vec<Listener>, Error> {
        Listener::bind_shards_over(address, options, count, |udp| Ok(Box::new(udp)))
    }

    /// The same with a transport around each socket.
    pub(crate) fn bind_shards_over(
        address: SocketAddr,
        options: &Options,
        count: usize,
        over: impl Fn(Udp) -> Result<Box<dyn Transport>, Error>,
    ) -> Result<Vec<Listener>, Error> {
        let sockets = group::bind(address, count).map_err(Error::io("cannot bind the address"))?;
        let secret = options.secret.unwrap_or_else(Secret::draw);
        let made = |(udp, shard): (Udp, Shard)| {
            let seed = options.seed.map(|seed| seed.wrapping_add(shard.index().into()));
            Ok(Listener::of_shard(shard, over(udp)?, Options { secret: Some(secret), seed, ..options.clone() }))
        };
        sockets.into_iter().zip(Shard::each(count)).map(made).collect()
    }

    /// A listener on any transport.
    pub fn new(transport: impl Transport + 'static, options: Options) -> Listener {
        Listener::of_shard(Shard::ALONE, transport, options)
    }

    fn of_shard(shard: Shard, transport: impl Transport + 'static, options: Options) -> Listener {
        let now = transport.now();
        let link = Link::new(Box::new(transport), options.backlog, options.gather);
        let router = Router::of_shard(shard, link, options, now);
        Listener {
            router,
            asked_at: now,
            is_emptied: false,
            since: 0,
            held: 0,
            woken: None,
            was_woken: false,
            not_sync: PhantomData,
        }
    }

    /// The address that peers send to.
    pub fn local(&self) -> SocketAddr {
        self.transport().local()
    }

    /// The transport's time, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.transport().now()
    }

    /// Lets peers begin connections with a stack.
    ///
    /// Errors: `Invalid` if the stack cannot share the port with those already served (without a preamble, only alone).
    pub fn serve(&mut self, stack: &Stack) -> Result<(), Error> {
        self.serve_with(stack, None)
    }

    /// The same, with a function that sets the stack's own givens for each connection.
    pub fn serve_with(&mut self, stack: &Stack, prepare: Option<Prepare>) -> Result<(), Error> {
        self.router.serve(stack, prepare)
    }

    /// Begins a connection. Nothing is sent before the first message, unless the stack has something to say by itself;
    /// `Opened` tells when the peer has answered.
    ///
    /// Errors: `Full`; `Invalid` if there is a connection with this peer and stack, the stack needs other givens, the
    /// port is 0, or the address has another family than the listener's.
    pub fn connect(&mut self, to: SocketAddr, stack: &Stack) -> Result<ConnectionId, Error> {
        self.connect_with(to, stack, |_| {})
    }

    /// The same, with a function that sets givens of the stack; what it sets goes before what the listener sets, so
    /// that `floor.identity` and `floor.peer_identity` can be each connection's own.
    pub fn connect_with(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.check_reaches(to)?;
        self.look_at_clock();
        self.router.connect(to, stack, prepare)
    }

    /// Begins a connection of a secure stack with a peer that proves who it is. Calls are refused until the handshake
    /// is over; then `Opened` comes with the peer's key, and `Writable` if a call was refused.
    ///
    /// Errors: as `connect`; `Invalid` also if the stack has no keys, or the options lack those that are needed.
    pub fn connect_secure(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        expect: Expect,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.check_reaches(to)?;
        self.look_at_clock();
        self.router.connect_expecting(to, stack, Some(expect), prepare)
    }

    /// Returns whether the stack would accept a message of `len` bytes now, and the socket has room.
    pub fn accepts(&self, id: ConnectionId, len: usize) -> bool {
        self.router.accepts(id, len)
    }

    /// Sends a message.
    ///
    /// Errors: `Refused` (nothing happened; `Writable` follows when it would be accepted), `TooLong`, `NoConnection`,
    /// `Closed`, `Invalid` if the stack has no `send` without an address.
    pub fn send(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        self.look_at_clock_for_frame();
        self.router.send(id, message)
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
        self.look_at_clock();
        self.router.call(id, event, arguments, address, message)
    }

    /// Closes in order: what was sent is delivered first, then `Closed` comes. A stack without `close` ends at once.
    ///
    /// Errors: `NoConnection`, `Closed`.
    pub fn close(&mut self, id: ConnectionId) -> Result<(), Error> {
        self.look_at_clock();
        self.router.close(id)
    }

    /// The same; the peer's `Closed` comes with this code and text, unless they were lost on the way.
    ///
    /// Errors: `NoConnection`, `Closed`; `Invalid` if the text has more than 255 bytes.
    pub fn close_with(&mut self, id: ConnectionId, code: u32, text: &str) -> Result<(), Error> {
        self.look_at_clock();
        self.router.close_with(id, Words { code, text: text.into() })
    }

    /// Refuses a connection of a peer, or ends any connection at once: no event follows here, and undelivered messages
    /// are lost. The peer's connection ends with `Refused`, this code and text; for 30 s it is told again whenever it
    /// sends something.
    ///
    /// Errors: `NoConnection`, `Closed`; `Invalid` if the text has more than 255 bytes.
    pub fn refuse(&mut self, id: ConnectionId, code: u32, text: &str) -> Result<(), Error> {
        self.look_at_clock();
        self.router.refuse(id, Words { code, text: text.into() })
    }

    /// Ends a connection at once: no event follows, the peer is not notified, undelivered messages are lost.
    pub fn discard(&mut self, id: ConnectionId) {
        self.look_at_clock();
        self.router.discard(id);
    }

    /// Handles what is there (at most a bounded amount of work) and returns the next event, without waiting. A message
    /// in it is lent until the listener is used again.
    pub fn poll(&mut self) -> Option<Event<'_>> {
        let found = self.find();
        self.router.lend(found)
    }

    /// Sends the frames that are held (`Options::gather`).
    pub fn flush(&mut self) {
        let flushed = self.router.outbox_mut().flush();
        self.router.note_flushed(flushed);
    }

    /// What the peer's frames of a connection carry. Who knows it and the peer's address can send frames in its name.
    pub fn label(&self, id: ConnectionId) -> Result<Label, Error> {
        let key = self.router.get(id)?.key;
        Ok(Label { cookie: self.router.cookie(id)?, key })
    }

    /// The longest message in bytes that the connection's stack ever accepts.
    pub fn max_message(&self, id: ConnectionId) -> Result<usize, Error> {
        Ok(self.stack(id)?.max_message())
    }

    /// Returns the peer's address.
    pub fn peer(&self, id: ConnectionId) -> Result<SocketAddr, Error> {
        self.router.address_of(id)
    }

    /// The public key that the peer of a secure connection has proven to have; None: both have the same
    /// `Options::psk`, or the stack is not secure.
    ///
    /// Errors: `NoConnection`, also while the handshake goes on.
    pub fn peer_key(&self, id: ConnectionId) -> Result<Option<PublicKey>, Error> {
        Ok(self.router.get(id)?.secured.as_ref().and_then(|secured| secured.peer_key))
    }

    /// The stack that a connection runs.
    pub fn stack(&self, id: ConnectionId) -> Result<&Stack, Error> {
        self.router.stack_of(id)
    }

    /// Numbers about a connection.
    pub fn statistics_of(&self, id: ConnectionId) -> Result<ConnectionStatistics, Error> {
        match self.router.begun(id) {
            Some(_) => Ok(ConnectionStatistics::default()),
            None => Ok(self.router.get(id)?.statistics()),
        }
    }

    /// Numbers about all.
    pub fn statistics(&self) -> ListenerStatistics {
        self.router.statistics()
    }

    /// The connections that are there, those included that still answer after an orderly close.
    pub fn connections(&self) -> Vec<ConnectionId> {
        self.router.connections()
    }

    pub(crate) fn transport(&self) -> &dyn Transport {
        self.router.outbox().transport()
    }

    fn check_reaches(&self, to: SocketAddr) -> Result<(), Error> {
        if to.port() == 0 {
            return Err(Error::Invalid("the port is 0".into()));
        }
        match self.transport().reaches(to) {
            true => Ok(()),
            false => Err(Error::Invalid(format!("{to} cannot be reached from {}: address families", self.local()))),
        }
    }

    /// Every way in begins with this.
    pub(crate) fn look_at_clock(&mut self) {
        let now = self.now();
        self.router.set_time(now);
    }
}
