//! One connection and nothing else: the simplest way to talk to a peer.

use crate::error::{Error, StackName};
use crate::event::ConnectionId;
use crate::listener::Listener;
use crate::options::Options;
use crate::secure::keys::Expect;
use crate::stack::Stack;
use crate::statistics::ConnectionStatistics;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// Events that may wait until those that an endpoint does not speak of are dropped.
const NEWS_MAX: usize = 4096;

/// A connection with a socket of its own. Dropping it ends it at once; `close` delivers everything first.
pub struct Endpoint {
    listener: Listener,
    connection: ConnectionId,
}

impl Endpoint {
    /// Begins a connection with a peer, from any free port.
    ///
    /// Errors: `Io`, `Invalid`. Whether the peer is there shows when something is sent or received.
    pub fn connect(to: SocketAddr, stack: &Stack) -> Result<Endpoint, Error> {
        let any: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let options = Options { connections: 1, ..Options::default() };
        Endpoint::over(Listener::bind(SocketAddr::new(any, 0), options)?, to, stack)
    }

    /// The same, over a listener made for it (other options, another transport).
    pub fn over(mut listener: Listener, to: SocketAddr, stack: &Stack) -> Result<Endpoint, Error> {
        let connection = listener.connect(to, stack)?;
        Ok(Endpoint { listener, connection })
    }

    /// The same with a stack that is given keys, and a peer that proves who it is. The keys are in the listener's
    /// options.
    pub fn over_secure(
        mut listener: Listener,
        to: SocketAddr,
        stack: &Stack,
        expect: Expect,
    ) -> Result<Endpoint, Error> {
        let connection = listener.connect_secure(to, stack, expect, |_| {})?;
        Ok(Endpoint { listener, connection })
    }

    /// Waits for the first peer that begins a connection.
    ///
    /// Errors: `Io`, `Invalid`, `TimedOut`.
    pub fn accept(at: SocketAddr, stack: &Stack, time: Option<Duration>) -> Result<Endpoint, Error> {
        let mut listener = Listener::bind(at, Options::default())?;
        listener.serve(stack)?;
        let connection = listener.accept(time)?;
        Ok(Endpoint { listener, connection })
    }

    /// Sends a message, waiting until the stack accepts it.
    ///
    /// Errors: `TimedOut`, `TooLong`, `Closed`, `OtherStack`.
    pub fn send(&mut self, message: &[u8], time: Option<Duration>) -> Result<(), Error> {
        self.forget_news();
        self.listener.send_blocking(self.connection, message, time)
    }

    /// The next message.
    ///
    /// Errors: `TimedOut`, `Closed`, `OtherStack`.
    pub fn receive(&mut self, time: Option<Duration>) -> Result<Vec<u8>, Error> {
        self.forget_news();
        self.listener.receive(self.connection, time)
    }

    /// Delivers everything, then ends, once the peer needs no answer any more (`Listener::linger`).
    ///
    /// Errors: `TimedOut`, `Closed`, `NoConnection` (after `discard`): not everything is known to have arrived. So also
    /// if another call has said so before.
    pub fn close(mut self, time: Option<Duration>) -> Result<(), Error> {
        self.listener.close_blocking(self.connection, time)?;
        self.listener.linger(self.connection)
    }

    /// The longest message in bytes that the stack ever accepts.
    pub fn max_message(&self) -> Result<usize, Error> {
        self.listener.max_message(self.connection)
    }

    /// The stack, for messages.
    pub fn stack(&self) -> Result<StackName, Error> {
        Ok(self.listener.stack(self.connection)?.to_name())
    }

    /// Numbers about the connection.
    pub fn statistics(&self) -> Result<ConnectionStatistics, Error> {
        self.listener.statistics_of(self.connection)
    }

    /// An endpoint does not poll: events that it does not ask for would pile up.
    fn forget_news(&mut self) {
        if self.listener.pending_len() > NEWS_MAX {
            self.listener.forget_news();
        }
    }

    /// The listener and the connection, for everything else.
    pub fn parts(&mut self) -> (&mut Listener, ConnectionId) {
        (&mut self.listener, self.connection)
    }
}
