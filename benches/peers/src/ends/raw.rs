//! Bare UDP sockets: what no protocol over UDP can beat. Nothing is acknowledged, and what is lost stays lost.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use super::socket::{self, Patience};
use crate::end::{system, End, Id, Result, Take};

/// Datagrams that leave by one system call at most, and bytes of them.
const TOGETHER: usize = 64;
const BYTES: usize = 65_000;

/// One end.
pub struct Raw {
    socket: UdpSocket,
    patience: Patience,
    /// Where the last datagram came from, or the server.
    peer: Option<SocketAddr>,
    /// Whether the system divides and joins datagrams (UDP_SEGMENT, UDP_GRO).
    offload: bool,
    /// Datagrams of `size` bytes that leave together.
    waiting: Vec<u8>,
    size: usize,
    buffer: Vec<u8>,
}

impl Raw {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, offload: bool) -> Result<Raw> {
        let socket = UdpSocket::bind("0.0.0.0:0").map_err(|e| e.to_string())?;
        socket::widen(&socket)?;
        if offload {
            socket::set(&socket, libc::SOL_UDP, libc::UDP_GRO, 1)?;
        }
        let buffer = vec![0; 1 << 16];
        Ok(Raw { socket, patience: Patience::default(), peer: to, offload, waiting: vec![], size: 0, buffer })
    }

    fn send_one(&mut self) -> Result<()> {
        let Some(peer) = self.peer else { return Ok(()) };
        let to = address(peer)?;
        let (at, len) = (self.waiting.as_ptr().cast(), self.waiting.len());
        let to_len = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        // SAFETY: the kernel reads the bytes and the address.
        let sent = unsafe { libc::sendto(self.socket.as_raw_fd(), at, len, 0, (&raw const to).cast(), to_len) };
        self.waiting.clear();
        match std::io::Error::last_os_error().kind() {
            _ if sent >= 0 => Ok(()),
            std::io::ErrorKind::ConnectionRefused => Ok(()),
            _ => Err(system("sendto")),
        }
    }
}

fn address(peer: SocketAddr) -> Result<libc::sockaddr_in> {
    let SocketAddr::V4(peer) = peer else { return Err("only IPv4 is measured".into()) };
    let address = libc::in_addr { s_addr: u32::from(*peer.ip()).to_be() };
    let family = libc::AF_INET as libc::sa_family_t;
    Ok(libc::sockaddr_in { sin_family: family, sin_port: peer.port().to_be(), sin_addr: address, sin_zero: [0; 8] })
}

/// Receives with the sender's address, and the size of the datagrams that the system has joined.
fn receive_from(fd: i32, buffer: &mut [u8], flags: i32) -> Option<(usize, SocketAddr, usize)> {
    let mut from =
        libc::sockaddr_in { sin_family: 0, sin_port: 0, sin_addr: libc::in_addr { s_addr: 0 }, sin_zero: [0; 8] };
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut control = [0u64; 8];
    // SAFETY: all zero is a message without anything.
    let mut head: libc::msghdr = unsafe { std::mem::zeroed() };
    (head.msg_name, head.msg_namelen) = ((&raw mut from).cast(), size_of::<libc::sockaddr_in>() as libc::socklen_t);
    (head.msg_iov, head.msg_iovlen) = (&raw mut part, 1);
    (head.msg_control, head.msg_controllen) = (control.as_mut_ptr().cast(), size_of_val(&control));
    // SAFETY: the kernel writes into the buffer, the address and the control data, all of which live.
    let got = unsafe { libc::recvmsg(fd, &raw mut head, flags) };
    if got < 0 {
        return None;
    }
    let mut size = got as usize;
    // SAFETY: the kernel has written the control data that it says, in this form.
    unsafe {
        let first = libc::CMSG_FIRSTHDR(&raw const head);
        if !first.is_null() && (*first).cmsg_level == libc::SOL_UDP && (*first).cmsg_type == libc::UDP_GRO {
            size = libc::CMSG_DATA(first).cast::<i32>().read_unaligned() as usize;
        }
    }
    let ip = Ipv4Addr::from(u32::from_be(from.sin_addr.s_addr));
    Some((got as usize, SocketAddr::new(ip.into(), u16::from_be(from.sin_port)), size))
}

impl End for Raw {
    fn connect(&mut self) -> Result<Id> {
        Ok(0)
    }

    fn send(&mut self, _: Id, message: &[u8]) -> Result<bool> {
        let most = if self.offload { TOGETHER.min(BYTES / message.len().max(1)) } else { 1 };
        if self.offload && self.size != message.len() {
            self.flush()?;
            socket::set(&self.socket, libc::SOL_UDP, libc::UDP_SEGMENT, message.len() as i32)?;
            self.size = message.len();
        }
        self.waiting.extend_from_slice(message);
        if self.waiting.len() >= most * message.len() {
            self.send_one()?;
        }
        Ok(true)
    }

    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.send_one()
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        let flags = self.patience.flags(&self.socket, wait);
        let Some((got, from, size)) = receive_from(self.socket.as_raw_fd(), &mut self.buffer, flags) else {
            return Ok(());
        };
        self.peer = Some(from);
        self.buffer[..got].chunks(size.max(1)).for_each(|datagram| take(0, datagram));
        Ok(())
    }

    fn port(&self) -> u16 {
        self.socket.local_addr().map_or(0, |at| at.port())
    }
}
