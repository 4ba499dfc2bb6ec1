//! Carriers of frames: UDP, memory, or a wrapper around another (faults, a capture), as smoltcp stacks its devices.

pub use crate::datagrams::{Datagrams, Run};
use crate::ffi::NEVER;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// How long a transport waits that cannot wait for a bell.
const BELL: Duration = Duration::from_millis(5);

/// An end that sends and receives whole frames, never waiting but in `wait`.
pub trait Transport: Send {
    /// The address that this end has.
    fn local(&self) -> SocketAddr;

    /// The time in nanoseconds; it never goes back.
    fn now(&self) -> u64;

    /// Sends a frame.
    ///
    /// Errors: `WouldBlock` if there is no room now, and `wait` tells when there is (nothing was sent); otherwise those
    /// of the system: the frame is lost.
    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()>;

    /// Sends a frame that must arrive in one piece or not at all: no host and no router may fragment it.
    ///
    /// Errors: as of `send`.
    fn probe(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.send(to, frame)
    }

    /// Sends frames, with few system calls where it can; returns how many of the first ones were sent.
    ///
    /// Errors: of the next one, as of `send`; it was not sent, nor were those behind it.
    fn send_all(&mut self, frames: Datagrams<'_>) -> (usize, io::Result<()>) {
        for (index, (to, frame)) in frames.iter().enumerate() {
            if let Err(error) = self.send(to, &[IoSlice::new(frame)]) {
                return (index, Err(error));
            }
        }
        (frames.len(), Ok(()))
    }

    /// Whether all frames need the same room: after `WouldBlock`, none has room before `wait` tells so. Otherwise each
    /// receiver has room of its own, and only frames to that one wait.
    fn has_common_room(&self) -> bool {
        true
    }

    /// Receives a frame into `buffer`: its length and who sent it. Longer frames are cut.
    ///
    /// Errors: `WouldBlock` if none is pending; otherwise those of the system.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)>;

    /// Whether `receive` has a frame that arrived with one before it, so that it asks the system for nothing.
    fn has_received(&self) -> bool {
        false
    }

    /// Whether all frames that had arrived when the system was asked last have been received. Says so once.
    fn take_emptied(&mut self) -> bool {
        false
    }

    /// Waits until a frame may be there, until there is room for one if `writable`, or until the time has passed (None:
    /// without end). May return early.
    ///
    /// Errors: `Interrupted` if the program has handled a signal meanwhile; those of the system.
    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()>;

    /// The same, at most until the bell is readable. A transport that cannot wait for both returns every few
    /// milliseconds.
    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        let _ = bell;
        self.wait(writable, Some(time.unwrap_or(BELL).min(BELL)))
    }

    /// Whether frames to the address can be sent at all: a socket may have another address family.
    fn reaches(&self, to: SocketAddr) -> bool {
        let _ = to;
        true
    }

    /// When the transport itself has something to do, so that `receive` is called then; NEVER.
    fn deadline(&self) -> u64 {
        NEVER
    }

    /// An error that the network reported about frames to an address.
    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        None
    }

    /// The file descriptor that becomes readable with a frame, for a program's own event loop.
    fn descriptor(&self) -> Option<i32> {
        None
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn local(&self) -> SocketAddr {
        (**self).local()
    }

    fn now(&self) -> u64 {
        (**self).now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        (**self).send(to, frame)
    }

    fn probe(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        (**self).probe(to, frame)
    }

    fn send_all(&mut self, frames: Datagrams<'_>) -> (usize, io::Result<()>) {
        (**self).send_all(frames)
    }

    fn has_common_room(&self) -> bool {
        (**self).has_common_room()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        (**self).receive(buffer)
    }

    fn has_received(&self) -> bool {
        (**self).has_received()
    }

    fn take_emptied(&mut self) -> bool {
        (**self).take_emptied()
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        (**self).wait(writable, time)
    }

    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        (**self).wait_or(bell, writable, time)
    }

    fn reaches(&self, to: SocketAddr) -> bool {
        (**self).reaches(to)
    }

    fn deadline(&self) -> u64 {
        (**self).deadline()
    }

    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        (**self).take_error()
    }

    fn descriptor(&self) -> Option<i32> {
        (**self).descriptor()
    }
}

/// The bytes of a frame in one piece.
pub(crate) fn joined(frame: &[IoSlice<'_>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(frame.iter().map(|piece| piece.len()).sum());
    frame.iter().for_each(|piece| bytes.extend_from_slice(piece));
    bytes
}
