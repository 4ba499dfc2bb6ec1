//! A transport with the frames that wait for room in it.

use crate::outbox::{Outbox, Sent};
use crate::transport::{joined, Transport};
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::Duration;

/// Frames in the backlog from which on calls are refused.
const CONGESTED: usize = 64;

/// Sends frames at once, or when the transport has room again.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    backlog: VecDeque<(SocketAddr, Vec<u8>)>,
    backlog_bytes: usize,
    backlog_max: usize,
}

impl Link {
    /// A link whose backlog holds so many bytes at the most.
    pub(crate) fn new(transport: Box<dyn Transport>, backlog_max: usize) -> Link {
        Link { transport, backlog: VecDeque::new(), backlog_bytes: 0, backlog_max }
    }

    /// The transport itself.
    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// Receives a frame.
    #[inline]
    pub(crate) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.transport.receive(buffer)
    }

    /// Waits for a frame; for room too, if frames wait for it.
    pub(crate) fn wait(&mut self, time: Option<Duration>) -> io::Result<()> {
        self.transport.wait(!self.backlog.is_empty(), time)
    }

    /// What the network reported about frames; `error` if it has nothing more precise.
    pub(crate) fn explain(&mut self, error: io::Error) -> Vec<(SocketAddr, io::Error)> {
        let reported = self.take_errors();
        if reported.is_empty() {
            return vec![(self.transport.local(), error)];
        }
        reported
    }

    fn take_errors(&mut self) -> Vec<(SocketAddr, io::Error)> {
        std::iter::from_fn(|| self.transport.take_error()).collect()
    }

    /// Whether no frame waits for room.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Sends what waits for room; whether anything left, and the errors met.
    pub(crate) fn flush(&mut self) -> (bool, Vec<(SocketAddr, io::Error)>) {
        let (mut moved, mut errors) = (false, Vec::new());
        while let Some((to, frame)) = self.backlog.front() {
            match self.transport.send(*to, &[IoSlice::new(frame)]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => errors.push((*to, error)),
                Ok(()) => {}
            }
            moved = true;
            self.backlog_bytes -= frame.len();
            self.backlog.pop_front();
        }
        (moved, errors)
    }

    /// Keeps a frame for which there was no room.
    fn keep(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        let bytes = joined(frame);
        if self.backlog_bytes + bytes.len() > self.backlog_max {
            return Sent::Overflowed;
        }
        self.backlog_bytes += bytes.len();
        self.backlog.push_back((to, bytes));
        Sent::Done
    }

    /// The system may report with a frame what an earlier one met; then this one was not sent, and is sent again.
    fn send_again(&mut self, to: SocketAddr, frame: &[IoSlice<'_>], error: io::Error) -> Sent {
        let others = self.take_errors();
        let sent = if others.is_empty() { Err(error) } else { self.transport.send(to, frame) };
        match sent {
            Ok(()) => Sent::Failed(None, others),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => match self.keep(to, frame) {
                Sent::Done => Sent::Failed(None, others),
                overflowed => overflowed,
            },
            Err(error) => Sent::Failed(Some(error), others),
        }
    }
}

impl Outbox for Link {
    #[inline]
    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        if !self.backlog.is_empty() {
            return self.keep(to, frame);
        }
        match self.transport.send(to, frame) {
            Ok(()) => Sent::Done,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.keep(to, frame),
            Err(error) => self.send_again(to, frame, error),
        }
    }

    #[inline]
    fn is_congested(&self) -> bool {
        self.backlog.len() >= CONGESTED
    }
}
