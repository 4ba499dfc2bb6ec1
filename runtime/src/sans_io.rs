//! The core of a listener without sockets and without a clock, for checkers and simulations.

use crate::error::{Error, Words};
use crate::event::{ConnectionId, Event};
use crate::ffi::NEVER;
use crate::instance::Config;
use crate::options::Options;
use crate::router::Router;
use crate::secure::keys::Expect;
use crate::stack::Stack;
use crate::statistics::ListenerStatistics;
use std::net::SocketAddr;

/// Datagrams with their destinations.
type Datagrams = Vec<(SocketAddr, Vec<u8>)>;

/// What a [`Listener`](crate::Listener) runs, driven by hand: datagrams, times and calls go in, datagrams, events and
/// deadlines come out. Everything follows from these and from the seed in the options.
pub struct SansIo {
    router: Router<Datagrams>,
}

impl SansIo {
    /// Without stacks and connections. `now`: the time in nanoseconds.
    pub fn new(options: Options, now: u64) -> SansIo {
        SansIo { router: Router::new(Datagrams::new(), options, now) }
    }

    /// Sets the time, in nanoseconds; one before the last counts as the last.
    pub fn set_time(&mut self, now: u64) {
        self.router.set_time(now);
    }

    /// The time at which work is due without a datagram; none: never.
    pub fn next_deadline(&self) -> Option<u64> {
        Some(self.router.next_deadline()).filter(|at| *at != NEVER)
    }

    /// As [`Listener::serve`](crate::Listener::serve).
    ///
    /// # Errors
    /// The same.
    pub fn serve(&mut self, stack: &Stack) -> Result<(), Error> {
        self.router.serve(stack, None)
    }

    /// As [`Listener::connect`](crate::Listener::connect).
    ///
    /// # Errors
    /// The same.
    pub fn connect(&mut self, to: SocketAddr, stack: &Stack) -> Result<ConnectionId, Error> {
        self.connect_with(to, stack, |_| {})
    }

    /// As [`Listener::connect_with`](crate::Listener::connect_with).
    ///
    /// # Errors
    /// The same.
    pub fn connect_with(
        &mut self,
        to: SocketAddr,
        stack: &Stack,
        prepare: impl FnOnce(&mut Config),
    ) -> Result<ConnectionId, Error> {
        self.router.connect(to, stack, prepare)
    }

    /// As [`Listener::connect_secure`](crate::Listener::connect_secure).
    ///
    /// # Errors
    /// The same.
    pub fn connect_secure(&mut self, to: SocketAddr, stack: &Stack, expect: Expect) -> Result<ConnectionId, Error> {
        self.router.connect_expecting(to, stack, Some(expect), |_| {})
    }

    /// As [`Listener::send`](crate::Listener::send).
    ///
    /// # Errors
    /// The same.
    pub fn send(&mut self, id: ConnectionId, message: &[u8]) -> Result<(), Error> {
        self.router.send(id, message)
    }

    /// As [`Listener::close`](crate::Listener::close).
    ///
    /// # Errors
    /// The same.
    pub fn close(&mut self, id: ConnectionId) -> Result<(), Error> {
        self.router.close(id)
    }

    /// As [`Listener::close_with`](crate::Listener::close_with).
    ///
    /// # Errors
    /// The same.
    pub fn close_with(&mut self, id: ConnectionId, code: u32, text: &str) -> Result<(), Error> {
        self.router.close_with(id, Words { code, text: text.into() })
    }

    /// As [`Listener::refuse`](crate::Listener::refuse).
    ///
    /// # Errors
    /// The same.
    pub fn refuse(&mut self, id: ConnectionId, code: u32, text: &str) -> Result<(), Error> {
        self.router.refuse(id, Words { code, text: text.into() })
    }

    /// Handles a datagram. The events before it must have been taken.
    pub fn receive(&mut self, from: SocketAddr, frame: &[u8]) {
        self.router.take_back();
        self.router.release();
        let (_, buffer) = self.router.outbox_and_buffer();
        let len = frame.len().min(buffer.len());
        buffer[..len].copy_from_slice(&frame[..len]);
        self.router.receive(from, len);
    }

    /// Does what is due, and returns the next event; none: there is nothing to do at this time.
    pub fn next_event(&mut self) -> Option<Event<'_>> {
        self.router.take_back();
        let found = loop {
            let found = self.router.next_event();
            if found.is_some() {
                break found;
            }
            self.router.release();
            let done = self.router.work_before_datagram() | self.router.work_without_datagram(self.router.time());
            if !done && self.router.events().is_empty() {
                break None;
            }
        };
        self.router.lend(found)
    }

    /// Takes the datagrams that have left since the last call, with their destinations.
    pub fn take_datagrams(&mut self) -> Vec<(SocketAddr, Vec<u8>)> {
        std::mem::take(self.router.outbox_mut())
    }

    /// As [`Listener::connections`](crate::Listener::connections).
    pub fn connections(&self) -> Vec<ConnectionId> {
        self.router.connections()
    }

    /// The cookie that the frames to a connection carry; none: there is no such connection, or not any more.
    pub fn cookie(&self, id: ConnectionId) -> Option<u32> {
        self.router.cookie(id).ok()
    }

    /// Whether the peer has shown that it receives frames at its address; none: there is no such connection, or not any
    /// more.
    pub fn is_confirmed(&self, id: ConnectionId) -> Option<bool> {
        self.router.get(id).ok().map(|connection| connection.confirmed)
    }

    /// The stack's counters of a connection, by index; none: there is no such connection, or not any more.
    pub fn counters(&self, id: ConnectionId) -> Option<&[u64]> {
        self.router.get(id).ok().map(|connection| connection.instance.counters())
    }

    /// As [`Listener::statistics`](crate::Listener::statistics).
    pub fn statistics(&self) -> ListenerStatistics {
        self.router.statistics()
    }
}
