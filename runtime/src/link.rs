//! A transport with the frames that are held to be sent together, and those that wait for room.

use crate::backlog::Backlog;
use crate::datagrams::Batch;
use crate::outbox::{Flow, Flushed, Outbox, Problem, Sent};
use crate::transport::{joined, Transport};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// Sends frames at once, several together, or when the transport has room again.
pub(crate) struct Link {
    transport: Box<dyn Transport>,
    backlog: Backlog,
    batch: Batch,
    /// Frames are held until `flush`.
    gathers: bool,
    /// Frames are held until `let_go`.
    holds: bool,
    /// What became of frames that were sent since `flush`.
    flushed: Flushed,
}

/// The result of handing a frame to the transport.
enum Handed {
    Sent,
    NoRoom,
    Failed(io::Error),
}

/// Whether the system says that a frame is too long for the way to its receiver.
pub(crate) fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EMSGSIZE)
}

/// The function of the transport that takes a frame.
type How = fn(&mut (dyn Transport + 'static), SocketAddr, &[IoSlice<'_>]) -> io::Result<()>;

impl Link {
    /// Makes a link whose backlog holds at most `backlog_max` bytes; `gathers`: frames are held until `flush`.
    pub(crate) fn new(transport: Box<dyn Transport>, backlog_max: usize, gathers: bool) -> Link {
        let (backlog, batch) = (Backlog::new(backlog_max), Batch::default());
        Link { transport, backlog, batch, gathers, holds: gathers, flushed: Flushed::default() }
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

    /// Waits for a frame; for room too, if frames wait for it; for the bell too, if there is one.
    pub(crate) fn wait(&mut self, bell: Option<BorrowedFd<'_>>, time: Option<Duration>) -> io::Result<()> {
        let writable = !self.backlog.is_empty();
        match bell {
            Some(bell) => self.transport.wait_or(bell, writable, time),
            None => self.transport.wait(writable, time),
        }
    }

    /// The network's reports about frames; `error` if there are none.
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

    /// Whether no frame is held, and none waits for room.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.backlog.is_empty()
    }

    /// Whether frames wait for room.
    pub(crate) fn awaits_room(&self) -> bool {
        !self.backlog.is_empty()
    }

    /// Whether frames are held that may go on being so: more frames are here that may lead to others.
    #[inline]
    pub(crate) fn goes_on_gathering(&self) -> bool {
        self.gathers && self.backlog.is_empty() && self.transport.has_received()
    }

    /// Whether frames are held.
    #[inline]
    pub(crate) fn holds_some(&self) -> bool {
        !self.batch.is_empty()
    }

    /// As of `Transport`.
    #[inline]
    pub(crate) fn take_emptied(&mut self) -> bool {
        self.transport.take_emptied()
    }

    /// Sends frames that wait, of each connection in turn, until the transport has no room; then those that are held.
    pub(crate) fn flush(&mut self) -> Flushed {
        let mut flushed = std::mem::take(&mut self.flushed);
        self.send_waiting(&mut flushed);
        self.send_batch(&mut flushed);
        flushed
    }

    fn send_waiting(&mut self, flushed: &mut Flushed) {
        // Connections that may find no room before there is no use in going on.
        let mut tries = if self.transport.has_common_room() { 1 } else { self.backlog.flows() };
        while let Some((flow, to, frame)) = self.backlog.pop() {
            let (handed, reported) = self.hand_over(Transport::send, to, &[IoSlice::new(&frame)]);
            flushed.reported.extend(reported);
            match handed {
                Handed::Sent => {}
                Handed::NoRoom => {
                    self.backlog.put_back(flow, to, frame);
                    tries -= 1;
                    if tries == 0 {
                        break;
                    }
                    self.backlog.pass_turn();
                    continue;
                }
                Handed::Failed(error) => flushed.failed.push((flow, to, error)),
            }
            flushed.moved = true;
        }
    }

    /// Sends what is held; what the transport has no room for waits.
    fn send_batch(&mut self, flushed: &mut Flushed) {
        let mut batch = std::mem::take(&mut self.batch);
        while let Some((flow, to, frame)) = batch.first() {
            let (sent, result) = match self.backlog.is_empty() {
                true => self.transport.send_all(batch.rest()),
                false if self.must_wait(flow) => (0, Err(io::ErrorKind::WouldBlock.into())),
                false => match self.transport.send(to, &[IoSlice::new(frame)]) {
                    Ok(()) => (1, Ok(())),
                    Err(error) => (0, Err(error)),
                },
            };
            batch.pass(sent);
            let Err(error) = result else {
                debug_assert!(sent > 0, "the transport sends all frames or tells why not");
                continue;
            };
            let Some((flow, to, frame)) = batch.first() else { break };
            let (handed, reported) = self.hand_over_again(Transport::send, (to, &[IoSlice::new(frame)]), error);
            flushed.reported.extend(reported);
            match handed {
                Handed::Sent => {}
                Handed::NoRoom if self.lets_wait(flow, to, frame.to_vec()) => {}
                Handed::NoRoom => flushed.overflowed.push(flow),
                Handed::Failed(error) => flushed.failed.push((flow, to, error)),
            }
            batch.pass(1);
        }
        batch.clear();
        self.batch = batch;
    }

    #[cold]
    fn send_full_batch(&mut self) {
        let mut flushed = std::mem::take(&mut self.flushed);
        self.send_batch(&mut flushed);
        self.flushed = flushed;
    }

    /// A frame was not sent because of an error: it waits, is sent now, or is lost.
    #[cold]
    fn send_later(&mut self, flow: Flow, to: SocketAddr, frame: &[IoSlice<'_>], error: io::Error) -> Sent {
        let (handed, reported) = self.hand_over_again(Transport::send, (to, frame), error);
        let error = match handed {
            Handed::Sent => None,
            Handed::NoRoom if self.lets_wait(flow, to, joined(frame)) => None,
            Handed::NoRoom => return Problem::overflow(reported),
            Handed::Failed(error) => Some(error),
        };
        Problem::failure(error, reported)
    }

    /// Whether a frame must wait because others do.
    #[inline]
    fn must_wait(&self, flow: Flow) -> bool {
        !self.backlog.is_empty() && (self.transport.has_common_room() || self.backlog.has(flow))
    }

    /// Lets a frame wait; false if it is lost. The router's own frames, which are repeated where it matters, would have
    /// to wait for each other, whatever receiver has no room.
    fn lets_wait(&mut self, flow: Flow, to: SocketAddr, frame: Vec<u8>) -> bool {
        (flow.is_some() || self.transport.has_common_room()) && self.backlog.push(flow, to, frame)
    }

    /// Gives a frame to the transport. The system may report an earlier frame's error when another one is sent; that
    /// one is then sent again.
    #[inline]
    fn hand_over(&mut self, how: How, to: SocketAddr, frame: &[IoSlice<'_>]) -> (Handed, Vec<(SocketAddr, io::Error)>) {
        match how(&mut *self.transport, to, frame) {
            Ok(()) => (Handed::Sent, vec![]),
            Err(error) => self.hand_over_again(how, (to, frame), error),
        }
    }

    /// The same after the transport has given an error.
    fn hand_over_again(
        &mut self,
        how: How,
        (to, frame): (SocketAddr, &[IoSlice<'_>]),
        error: io::Error,
    ) -> (Handed, Vec<(SocketAddr, io::Error)>) {
        if error.kind() == io::ErrorKind::WouldBlock {
            return (Handed::NoRoom, vec![]);
        }
        let others = self.take_errors();
        let sent = if others.is_empty() { Err(error) } else { how(&mut *self.transport, to, frame) };
        let handed = match sent {
            Ok(()) => Handed::Sent,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Handed::NoRoom,
            Err(error) => Handed::Failed(error),
        };
        (handed, others)
    }
}

impl Outbox for Link {
    #[inline]
    fn send(&mut self, flow: Flow, to: SocketAddr, frame: &[IoSlice<'_>]) -> Sent {
        if self.holds {
            if self.batch.is_full() {
                self.send_full_batch();
            }
            self.batch.push(flow, to, frame);
            return Ok(());
        }
        let sent = match self.must_wait(flow) {
            false => self.transport.send(to, frame),
            true => Err(io::ErrorKind::WouldBlock.into()),
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) => self.send_later(flow, to, frame, error),
        }
    }

    fn probe(&mut self, to: SocketAddr, frame: &[u8]) -> Sent {
        if !self.backlog.is_empty() && self.transport.has_common_room() {
            return Problem::overflow(vec![]);
        }
        let (handed, mut reported) = self.hand_over(Transport::probe, to, &[IoSlice::new(frame)]);
        // The system also keeps what it has just returned, for later; over IPv4 without the port.
        reported.extend(self.take_errors());
        let is_own = |about: SocketAddr| about.ip() == to.ip() && [0, to.port()].contains(&about.port());
        reported.retain(|(about, error)| !is_own(*about) || !is_too_long(error));
        match handed {
            Handed::Sent => Problem::failure(None, reported),
            Handed::NoRoom => Problem::overflow(reported),
            Handed::Failed(error) => Problem::failure(Some(error), reported),
        }
    }

    #[inline]
    fn hold(&mut self) {
        self.holds = true;
    }

    fn let_go(&mut self) -> Flushed {
        self.holds = self.gathers;
        let mut flushed = std::mem::take(&mut self.flushed);
        if !self.gathers {
            self.send_batch(&mut flushed);
        }
        flushed
    }

    #[inline]
    fn is_congested(&self, flow: Flow) -> bool {
        !self.backlog.is_empty() && self.backlog.is_congested(flow)
    }

    fn discard(&mut self, flow: Flow) {
        self.backlog.discard(flow);
    }
}

impl Drop for Link {
    /// Nothing that was accepted is kept back.
    fn drop(&mut self) {
        if !self.batch.is_empty() {
            self.send_batch(&mut Flushed::default());
        }
    }
}

#[cfg(test)]
mod tests;
