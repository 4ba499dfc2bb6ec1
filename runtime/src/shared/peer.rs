//! One peer: a ring in each direction, and the socket by which the sides wake each other and learn of their end.

use super::memory::Memory;
use super::ring::{Consumer, Inconsistent, Producer, Ring, CAPACITY, FRAME_MAX, RING};
use rustix::net::{recv, send, RecvFlags, SendFlags};
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// Words of the memory that two sides share.
pub(super) const WORDS: usize = 2 * RING;

/// Which of the two sides this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Client,
    Server,
}

/// A peer and what is known of it.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// The number of the socket's events.
    pub(super) number: u64,
    socket: UnixStream,
    to: Producer,
    from: Consumer,
    /// The peer wakes this side when it writes a frame.
    is_armed: bool,
    /// The length of a frame that had no room.
    wanted: Option<usize>,
    /// The peer writes nothing any more.
    pub(super) has_ended: bool,
}

impl Peer {
    /// A peer with which nothing was exchanged.
    pub(super) fn new(side: Side, address: SocketAddr, number: u64, socket: UnixStream, memory: Memory) -> Peer {
        let memory = Arc::new(memory);
        let [client, server] = [0, RING].map(|begin| Ring::new(&memory, begin, CAPACITY));
        let (to, from) = match side {
            Side::Client => (client, server),
            Side::Server => (server, client),
        };
        let (to, from) = (Producer::new(to), Consumer::new(from));
        Peer { address, number, socket, to, from, is_armed: false, wanted: None, has_ended: false }
    }

    /// The socket that becomes readable when the peer wakes this side, and when it ends.
    pub(super) fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Writes a frame; `wake` must follow.
    ///
    /// Errors: `WouldBlock`; EMSGSIZE if the frame is too long; `InvalidData` if the ring is inconsistent: the peer is
    /// given up.
    #[inline]
    pub(super) fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        if frame.len() > FRAME_MAX {
            return Err(io::Error::from_raw_os_error(libc::EMSGSIZE));
        }
        match self.to.push(frame) {
            Ok(true) => {
                self.wanted = None;
                Ok(())
            }
            Ok(false) => {
                self.wanted = Some(frame.len());
                Err(io::ErrorKind::WouldBlock.into())
            }
            Err(what) => {
                self.has_ended = true;
                Err(error(what))
            }
        }
    }

    /// Wakes the peer if it sleeps until there are frames.
    #[inline]
    pub(super) fn wake(&self) {
        if self.to.take_sleeping_consumer() {
            self.ring_bell();
        }
    }

    /// Reads a frame into a buffer.
    ///
    /// Errors: `InvalidData`.
    #[inline]
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let read = self.from.pop(buffer).map_err(error)?;
        if read.is_some() && self.is_armed {
            self.from.disarm();
            self.is_armed = false;
        }
        if self.from.take_sleeping_producer() {
            self.ring_bell();
        }
        Ok(read)
    }

    /// Whether a frame is there of which this side knows already.
    #[inline]
    pub(super) fn has_known(&self) -> bool {
        self.from.has_known()
    }

    /// Asks the peer to wake this side for a frame, and for room if that is wanted. A fence (SeqCst) and `is_ready`
    /// must follow.
    pub(super) fn arm(&mut self, for_room: bool) {
        if !self.is_armed {
            self.from.arm();
            self.is_armed = true;
        }
        if for_room && self.wanted.is_some() {
            self.to.arm();
        }
    }

    /// Whether there is something to do that the peer need not wake this side for: a frame, the end, or room that was
    /// wanted, which is said once.
    pub(super) fn is_ready(&mut self, for_room: bool) -> bool {
        if let (true, Some(len)) = (for_room, self.wanted) {
            if self.to.has_room(len) != Ok(false) {
                self.wanted = None;
                return true;
            }
        }
        self.has_ended || self.from.has_frame()
    }

    /// Takes what the peer has sent to wake this side.
    pub(super) fn take_bells(&mut self) {
        let mut bells = [0u8; 64];
        self.is_armed = false;
        match recv(&self.socket, &mut bells[..], RecvFlags::DONTWAIT) {
            Ok((0, _)) => self.has_ended = true,
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(_) => self.has_ended = true,
        }
    }

    /// If the socket is full, the peer has not taken what woke it; if it is closed, this side learns of that by itself.
    fn ring_bell(&self) {
        let _ = send(&self.socket, &[1], SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }
}

fn error(what: Inconsistent) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_string())
}
