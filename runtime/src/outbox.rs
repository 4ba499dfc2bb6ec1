//! The destination of a router's datagrams: a transport with a backlog, or a list.

use std::io::{self, IoSlice};
use std::net::SocketAddr;

/// The way out of a router.
pub(crate) trait Outbox {
    /// Takes a datagram in pieces.
    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent;

    /// Whether too many datagrams wait for more to be made now.
    fn is_congested(&self) -> bool;
}

/// The outcome of sending a datagram.
#[derive(Debug)]
pub(crate) enum Sent {
    /// It left, or waits for room.
    Done,
    /// There was no room, and no more may wait.
    Overflowed,
    /// The datagram's own error, if it was not sent, and earlier reports of the network.
    Failed(Option<io::Error>, Vec<(SocketAddr, io::Error)>),
}

impl Outbox for Vec<(SocketAddr, Vec<u8>)> {
    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        self.push((to, crate::transport::joined(frame)));
        Sent::Done
    }

    fn is_congested(&self) -> bool {
        false
    }
}
