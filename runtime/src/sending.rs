//! Sends frames at once, or when the socket has room again.

use crate::connection::Phase;
use crate::event::ConnectionId;
use crate::listener::Listener;
use crate::options::Options;
use crate::output::Output;
use crate::transport::{joined, Transport};
use crate::wire::Preamble;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;

/// Pieces of a frame that are sent without a copy.
const PIECES: usize = 8;
/// Frames in the backlog from which on calls are refused.
const CONGESTED: usize = 64;

impl Listener {
    /// Sends the frames of the active step; those of a tentative connection are held back.
    pub(crate) fn send_frames(&mut self, id: ConnectionId) {
        let Listener { table, out, active, .. } = self;
        let Some(active) = active else { return };
        let outputs = active.outputs(out);
        if !outputs.iter().any(|output| output.is_frame()) {
            return;
        }
        let Some(connection) = table.get_mut(id.cookie()).filter(|connection| connection.id == id) else {
            return;
        };
        let old = connection.label;
        let mut label = old;
        for output in outputs.iter().filter(Output::is_frame) {
            let message = output.message();
            // The stack's address has no scope, the connection's may have.
            let to = match output.is_for(&connection.from) {
                true => connection.peer.address,
                false => output.address().unwrap_or(connection.peer.address),
            };
            if connection.phase == Phase::Tentative {
                connection.held.push((to, message.to_vec()));
                continue;
            }
            if connection.instance.stack().has_preamble() {
                label = label_in(message.piece(0)).unwrap_or(label);
            }
            connection.traffic.frames_out += 1;
            connection.traffic.bytes_out += message.len() as u64;
            let mut slices = [IoSlice::new(&[]); PIECES];
            let whole;
            let frame = if message.pieces() <= PIECES {
                message.segments().zip(&mut slices).for_each(|(piece, slice)| *slice = IoSlice::new(piece));
                &slices[..message.pieces()]
            } else {
                whole = message.to_vec();
                slices[0] = IoSlice::new(&whole);
                &slices[..1]
            };
            let sent =
                transmit(&mut *self.transport, &mut self.backlog, &mut self.backlog_bytes, &self.options, to, frame);
            match sent {
                Sent::Done => {}
                Sent::Overflowed => connection.traffic.overflowed += 1,
                Sent::Failed(own, others) => {
                    connection.traffic.send_errors += u64::from(own.is_some());
                    self.errors.extend(own.map(|error| (to, error)).into_iter().chain(others));
                }
            }
        }
        if label != old {
            connection.label = label;
            self.peers.label(connection.peer.address, old, label, id.cookie());
        }
    }

    /// Sends a frame that no stack made.
    pub(crate) fn send_plain(&mut self, to: SocketAddr, frame: &[u8]) {
        let slices = [IoSlice::new(frame)];
        let sent =
            transmit(&mut *self.transport, &mut self.backlog, &mut self.backlog_bytes, &self.options, to, &slices);
        if let Sent::Failed(own, others) = sent {
            self.errors.extend(own.map(|error| (to, error)).into_iter().chain(others));
        }
    }

    /// Sends what waits for room in the socket; true if anything left.
    pub(crate) fn flush_backlog(&mut self) -> bool {
        let mut moved = false;
        while let Some((to, frame)) = self.backlog.front() {
            match self.transport.send(*to, &[IoSlice::new(frame)]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => self.errors.push((*to, error)),
                Ok(()) => {}
            }
            moved = true;
            self.backlog_bytes -= frame.len();
            self.backlog.pop_front();
        }
        moved
    }

    /// So many frames wait for the socket that no more are made for now.
    pub(crate) fn is_congested(&self) -> bool {
        self.backlog.len() >= CONGESTED
    }
}

/// The cookie that the peer chose, from a short frame to it.
fn label_in(frame: &[u8]) -> Option<u32> {
    let preamble = Preamble::read(frame)?;
    (preamble.cookie != 0).then_some(preamble.cookie)
}

enum Sent {
    Done,
    Overflowed,
    /// The frame's own error, if it was not sent, and what the network had reported before.
    Failed(Option<io::Error>, Vec<(SocketAddr, io::Error)>),
}

/// Sends a frame, or keeps a copy of it until there is room.
fn transmit(
    transport: &mut dyn Transport,
    backlog: &mut VecDeque<(SocketAddr, Vec<u8>)>,
    backlog_bytes: &mut usize,
    options: &Options,
    to: SocketAddr,
    frame: &[IoSlice<'_>],
) -> Sent {
    let mut sent = if backlog.is_empty() { transport.send(to, frame) } else { Err(io::ErrorKind::WouldBlock.into()) };
    let mut others = Vec::new();
    if sent.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock) {
        // The system may report here what an earlier frame met; then this one was not sent.
        while let Some(error) = transport.take_error() {
            others.push(error);
        }
        if !others.is_empty() {
            sent = transport.send(to, frame);
        }
    }
    match sent {
        Ok(()) if others.is_empty() => Sent::Done,
        Ok(()) => Sent::Failed(None, others),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            let bytes = joined(frame);
            if *backlog_bytes + bytes.len() > options.backlog {
                return Sent::Overflowed;
            }
            *backlog_bytes += bytes.len();
            backlog.push_back((to, bytes));
            Sent::Done
        }
        Err(error) => Sent::Failed(Some(error), others),
    }
}
