//! UDP: one socket that never waits, for IPv4, IPv6 or both.

#[cfg_attr(not(target_os = "linux"), path = "udp/portable.rs")]
mod batches;
#[cfg_attr(not(target_os = "linux"), path = "udp/lone.rs")]
pub(crate) mod group;
mod receiving;
mod sending;

use crate::address::canonical;
use crate::clock;
use crate::datagrams::Datagrams;
use crate::ffi::NEVER;
use crate::system;
use crate::transport::Transport;
use receiving::Received;
use sending::Sender;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

/// Bytes asked of the system for each of the socket's two buffers; it may give less.
const BUFFER: usize = 4 << 20;

/// The longest frame, in bytes, whose pieces are copied together for the system.
const SHORT: usize = 256;

/// A UDP socket.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    local: SocketAddr,
    ipv6: bool,
    received: Received,
    sender: Sender,
    /// Keeps the sockets of all listeners on this address open, if there are several.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    group: Option<Arc<[OwnedFd]>>,
}

impl Udp {
    /// Binds an address; port 0 takes any. `[::]` serves IPv4 as well.
    ///
    /// Errors: those of the system (`AddrInUse`, `PermissionDenied`, ...).
    pub fn bind(address: SocketAddr) -> io::Result<Udp> {
        Udp::bind_with(address, |_| Ok(()))
    }

    fn bind_with(address: SocketAddr, prepare: impl FnOnce(&Socket) -> io::Result<()>) -> io::Result<Udp> {
        let ipv6 = address.is_ipv6();
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if ipv6 {
            socket.set_only_v6(address.ip() != IpAddr::V6(Ipv6Addr::UNSPECIFIED))?;
        }
        socket.set_nonblocking(true)?;
        // A smaller buffer loses more and is no error.
        let _ = socket.set_recv_buffer_size(BUFFER);
        let _ = socket.set_send_buffer_size(BUFFER);
        prepare(&socket)?;
        socket.bind(&address.into())?;
        // Without this the errors of unconnected sockets are simply not reported.
        let _ = system::ask_for_errors(socket.as_fd(), ipv6);
        // Without this each datagram is received by itself.
        let _ = batches::join_arriving(socket.as_fd());
        let socket: UdpSocket = socket.into();
        let local = socket.local_addr()?;
        Ok(Udp { socket, local, ipv6, received: Received::new(), sender: Sender::default(), group: None })
    }

    /// `sendmsg` with its headers and vectors costs the system more than it costs to put a short frame together here.
    fn send_pieces(&self, to: SocketAddr, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut joined = [0; SHORT];
        let mut len = 0;
        for piece in pieces {
            let Some(room) = joined.get_mut(len..len + piece.len()) else {
                return SockRef::from(&self.socket).send_to_vectored(pieces, &to.into());
            };
            room.copy_from_slice(piece);
            len += piece.len();
        }
        self.socket.send_to(&joined[..len], to)
    }
}

/// An address as a socket of this kind takes it.
fn dressed(ipv6: bool, to: SocketAddr) -> SocketAddr {
    match to.ip() {
        IpAddr::V4(v4) if ipv6 => SocketAddr::new(IpAddr::V6(v4.to_ipv6_mapped()), to.port()),
        _ => to,
    }
}

impl AsFd for Udp {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Transport for Udp {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn now(&self) -> u64 {
        clock::now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        let to = dressed(self.ipv6, to);
        // `ENOBUFS` is an error like others: the frame is lost in a queue of the system, and no wait makes room there.
        let _ = match frame {
            [whole] => self.socket.send_to(whole, to),
            pieces => self.send_pieces(to, pieces),
        }?;
        Ok(())
    }

    fn probe(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        system::forbid_fragments(self.socket.as_fd(), self.ipv6, true)?;
        let sent = self.send(to, frame);
        system::forbid_fragments(self.socket.as_fd(), self.ipv6, false)?;
        sent
    }

    fn send_all(&mut self, frames: Datagrams<'_>) -> (usize, io::Result<()>) {
        let Udp { socket, ipv6, sender, .. } = self;
        sender.send_all(socket.as_fd(), frames, |to| dressed(*ipv6, to))
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        if self.received.is_empty() {
            self.received.refill(self.socket.as_fd())?;
        }
        let (len, from) = self.received.next(buffer).ok_or(io::ErrorKind::WouldBlock)?;
        Ok((len, canonical(from)))
    }

    fn has_received(&self) -> bool {
        !self.received.is_empty()
    }

    fn take_emptied(&mut self) -> bool {
        self.received.take_emptied()
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        if self.has_received() {
            return Ok(());
        }
        system::wait(self.socket.as_fd(), None, writable, time)
    }

    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        if self.has_received() {
            return Ok(());
        }
        system::wait(self.socket.as_fd(), Some(bell), writable, time)
    }

    /// A socket of IPv4 sends to no address of IPv6. One of IPv6 sends to all if it has no address of its own.
    fn reaches(&self, to: SocketAddr) -> bool {
        match canonical(to) {
            SocketAddr::V4(_) => !self.ipv6 || self.local.ip().is_unspecified(),
            SocketAddr::V6(_) => self.ipv6,
        }
    }

    /// At once, if there are datagrams that its descriptor does not tell of.
    fn deadline(&self) -> u64 {
        if self.has_received() {
            0
        } else {
            NEVER
        }
    }

    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        let (about, error) = system::take_error(self.socket.as_fd())?;
        Some((canonical(about), error))
    }

    fn descriptor(&self) -> Option<i32> {
        Some(self.socket.as_raw_fd())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagrams::Batch;

    fn pair() -> (Udp, Udp) {
        let any = "127.0.0.1:0".parse().unwrap();
        (Udp::bind(any).unwrap(), Udp::bind(any).unwrap())
    }

    fn batch(to: SocketAddr, frames: &[Vec<u8>]) -> Batch {
        let mut batch = Batch::default();
        frames.iter().for_each(|frame| batch.push(None, to, &[IoSlice::new(frame)]));
        batch
    }

    /// All that arrives, and how many frames came with one before them.
    fn arrived(udp: &mut Udp, count: usize) -> (Vec<Vec<u8>>, usize) {
        let (mut frames, mut together, mut buffer) = (vec![], 0, vec![0; 1 << 16]);
        let mut waits = 0;
        while frames.len() < count {
            assert!(waits < 20, "{} of {count} have arrived", frames.len());
            together += usize::from(udp.has_received());
            match udp.receive(&mut buffer) {
                Ok((len, _)) => frames.push(buffer[..len].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    udp.wait(false, Some(Duration::from_secs(5))).unwrap();
                    waits += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        (frames, together)
    }

    /// Frames of several lengths, of none too, more than one system call takes.
    fn mixed() -> Vec<Vec<u8>> {
        let lengths = [16, 16, 16, 9, 0, 0, 1400, 1400, 1400, 1400, 3, 1400];
        let one = |n: usize| (0..lengths[n % lengths.len()]).map(|at| (at + n) as u8).collect();
        (0..240).map(one).collect()
    }

    #[test]
    fn frames_that_leave_together_arrive_one_by_one_in_order() {
        let (mut near, mut far) = pair();
        let wanted = mixed();
        let batch = batch(far.local(), &wanted);
        let (sent, result) = near.send_all(batch.rest());
        assert!(result.is_ok() && sent == wanted.len(), "{sent} {result:?}");
        let (frames, together) = arrived(&mut far, wanted.len());
        assert!(frames == wanted);
        assert!(together > wanted.len() / 2 || !batches::RECEIVES_ALL, "{together} came with others");
        assert!(far.received.is_empty() && far.deadline() == NEVER);
    }

    /// The system refuses to divide datagrams without checksums.
    #[cfg(target_os = "linux")]
    #[test]
    fn runs_that_the_system_does_not_divide_leave_frame_by_frame() {
        let (mut near, mut far) = pair();
        system::set(near.socket.as_fd(), libc::SOL_SOCKET, libc::SO_NO_CHECK, 1).unwrap();
        let wanted = mixed();
        for round in 0..3 {
            let batch = batch(far.local(), &wanted);
            let (sent, result) = near.send_all(batch.rest());
            assert!(result.is_ok() && sent == wanted.len(), "{sent} {result:?}");
            assert!(arrived(&mut far, wanted.len()).0 == wanted);
            assert!(!near.sender.divides(), "after round {round}, it is no longer tried");
        }
    }

    #[test]
    fn frame_that_is_too_long_tells_so_and_the_others_are_not_sent_twice() {
        let (mut near, mut far) = pair();
        let wanted = [vec![1; 10], vec![2; 10], vec![3; 66_000], vec![4; 10]];
        let batch = batch(far.local(), &wanted);
        let (sent, result) = near.send_all(batch.rest());
        assert_eq!((sent, result.unwrap_err().raw_os_error()), (2, Some(libc::EMSGSIZE)));
        assert!(arrived(&mut far, 2).0 == wanted[..2]);
        assert_eq!(far.receive(&mut [0; 16]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn nobody_waits_for_frames_that_were_received() {
        let (mut near, mut far) = pair();
        let batch = batch(far.local(), &[vec![1; 10], vec![2; 10]]);
        assert_eq!(near.send_all(batch.rest()).0, 2);
        arrived(&mut far, 1);
        // It would wait for the rest of the day.
        far.wait(false, Some(Duration::from_secs(86_400))).unwrap();
        assert_eq!(far.deadline() == 0, far.has_received());
        assert_eq!(arrived(&mut far, 1).0, [vec![2; 10]]);
    }

    #[test]
    fn socket_tells_that_it_was_emptied_once() {
        let (mut near, mut far) = pair();
        assert!(!far.take_emptied());
        near.send(far.local(), &[IoSlice::new(b"one")]).unwrap();
        arrived(&mut far, 1);
        assert_eq!(far.take_emptied(), batches::RECEIVES_ALL);
        assert!(!far.take_emptied());
    }
}
