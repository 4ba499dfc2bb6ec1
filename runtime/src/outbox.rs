//! The destination of a router's datagrams: a transport with a backlog, or a list.

use crate::event::ConnectionId;
use std::io::{self, IoSlice};
use std::net::SocketAddr;

/// Whose datagram it is: a connection's, or the router's own.
pub(crate) type Flow = Option<ConnectionId>;

/// The way out of a router.
pub(crate) trait Outbox {
    /// Takes a datagram in pieces.
    fn send(&mut self, flow: Flow, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent;

    /// Sends a datagram of the router's own that must arrive in one piece or not at all. It
    /// does not wait for room.
    fn probe(&mut self, to: SocketAddr, frame: &[u8]) -> Sent;

    /// Datagrams that follow may be held until `let_go`, to be sent together.
    fn hold(&mut self) {}

    /// Sends those that are held; returns what became of them.
    fn let_go(&mut self) -> Flushed {
        Flushed::default()
    }

    /// Whether too many datagrams of a connection wait for it to make more now.
    fn is_congested(&self, flow: Flow) -> bool;

    /// Drops the datagrams of a connection that wait.
    fn discard(&mut self, flow: Flow);
}

/// The outcome of sending a datagram: it left or waits for room, and there is nothing to report. One word, because
/// there is one for each datagram.
pub(crate) type Sent = Result<(), Box<Problem>>;

/// What is to be reported after sending a datagram, with earlier reports of the network.
#[derive(Debug)]
pub(crate) enum Problem {
    /// There was no room, and no more may wait.
    Overflowed(Vec<(SocketAddr, io::Error)>),
    /// The datagram's own error, if it was not sent.
    Failed(Option<io::Error>, Vec<(SocketAddr, io::Error)>),
}

impl Problem {
    /// There was no room; `others`: earlier reports.
    pub(crate) fn overflow(others: Vec<(SocketAddr, io::Error)>) -> Sent {
        Err(Box::new(Problem::Overflowed(others)))
    }

    /// The datagram's own error, if it was not sent, and earlier reports, if there are any.
    pub(crate) fn failure(own: Option<io::Error>, others: Vec<(SocketAddr, io::Error)>) -> Sent {
        match own.is_none() && others.is_empty() {
            true => Ok(()),
            false => Err(Box::new(Problem::Failed(own, others))),
        }
    }
}

/// What became of datagrams that waited or were held.
#[derive(Debug, Default)]
pub(crate) struct Flushed {
    /// Whether any left the backlog.
    pub moved: bool,
    /// Those that the system rejected, and why.
    pub failed: Vec<(Flow, SocketAddr, io::Error)>,
    /// Whose datagrams are lost, for want of room.
    pub overflowed: Vec<Flow>,
    /// The network's reports about earlier datagrams.
    pub reported: Vec<(SocketAddr, io::Error)>,
}

impl Outbox for Vec<(SocketAddr, Vec<u8>)> {
    fn send(&mut self, _: Flow, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        self.push((to, crate::transport::joined(frame)));
        Ok(())
    }

    fn probe(&mut self, to: SocketAddr, frame: &[u8]) -> Sent {
        self.push((to, frame.to_vec()));
        Ok(())
    }

    fn is_congested(&self, _: Flow) -> bool {
        false
    }

    fn discard(&mut self, _: Flow) {}
}
