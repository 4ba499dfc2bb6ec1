//! KCP over one UDP socket, with its fast settings: acknowledgements and messages leave at once, no congestion control.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use kcp::Kcp;

use super::socket::{self, Patience};
use crate::end::{End, Id, Result, Take};

/// Packets in flight at most; the default of 32 is for games.
const WINDOW: u16 = 1024;
/// Milliseconds between updates, the least that KCP allows.
const INTERVAL: i32 = 10;

/// One end; a connection exists as soon as both ends use its number.
pub struct KcpEnd {
    to: Option<SocketAddr>,
    socket: Rc<UdpSocket>,
    patience: Patience,
    begin: Instant,
    connections: BTreeMap<u32, Connection>,
    last: u32,
    /// Those that datagrams have arrived for.
    touched: Vec<u32>,
    buffer: Vec<u8>,
    message: Vec<u8>,
}

struct Connection {
    kcp: Kcp<Output>,
    /// The time of the next update.
    due: Duration,
}

struct Output {
    socket: Rc<UdpSocket>,
    to: SocketAddr,
}

impl Write for Output {
    fn write(&mut self, datagram: &[u8]) -> std::io::Result<usize> {
        // A datagram that the system does not take is lost, as in the network.
        let _ = self.socket.send_to(datagram, self.to);
        Ok(datagram.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn told(error: kcp::Error) -> String {
    format!("kcp: {error}")
}

impl KcpEnd {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>) -> Result<KcpEnd> {
        let socket = UdpSocket::bind("0.0.0.0:0").map_err(|e| e.to_string())?;
        socket::widen(&socket)?;
        Ok(KcpEnd {
            to,
            socket: Rc::new(socket),
            patience: Patience::default(),
            begin: Instant::now(),
            connections: BTreeMap::new(),
            last: 0,
            touched: vec![],
            buffer: vec![0; 1 << 16],
            message: vec![0; 1 << 18],
        })
    }

    fn add(&mut self, number: u32, to: SocketAddr) -> Result<()> {
        let mut kcp = Kcp::new(number, Output { socket: self.socket.clone(), to });
        kcp.set_nodelay(true, INTERVAL, 2, true);
        kcp.set_wndsize(WINDOW, WINDOW);
        kcp.update(self.begin.elapsed().as_millis() as u32).map_err(told)?;
        self.connections.insert(number, Connection { kcp, due: Duration::ZERO });
        Ok(())
    }

    /// Updates the connection that was used last, if it is time.
    fn update(&mut self) -> Result<Duration> {
        let now = self.begin.elapsed();
        let Some(one) = self.connections.get_mut(&self.last) else { return Ok(Duration::from_millis(10)) };
        if one.due <= now {
            let ms = now.as_millis() as u32;
            one.kcp.update(ms).map_err(told)?;
            one.due = now + Duration::from_millis(u64::from(one.kcp.check(ms)).max(1));
        }
        Ok(one.due - now)
    }

    /// Handles all datagrams that have arrived.
    fn input(&mut self, flags: i32) -> Result<()> {
        let mut flags = flags;
        loop {
            let got = if self.to.is_some() {
                socket::receive(self.socket.as_raw_fd(), &mut self.buffer, flags)?.map(|got| (got, self.to))
            } else {
                // `recv_from` with these flags: the option of the socket says how long it waits.
                receive_from(&self.socket, &mut self.buffer, flags)
            };
            let Some((got, Some(from))) = got else { return Ok(()) };
            flags = libc::MSG_DONTWAIT;
            if got < Kcp::<Output>::header_len() {
                continue;
            }
            self.last = kcp::get_conv(&self.buffer[..got]);
            if !self.connections.contains_key(&self.last) {
                self.add(self.last, from)?;
            }
            let one = self.connections.get_mut(&self.last).expect("it was added");
            one.kcp.input(&self.buffer[..got]).map_err(told)?;
            if self.touched.last() != Some(&self.last) {
                self.touched.push(self.last);
            }
        }
    }
}

fn receive_from(socket: &UdpSocket, buffer: &mut [u8], flags: i32) -> Option<(usize, Option<SocketAddr>)> {
    if flags == libc::MSG_DONTWAIT {
        socket::wait(socket.as_raw_fd(), false, Duration::ZERO);
        let mut byte = [0u8; 1];
        socket::receive(socket.as_raw_fd(), &mut byte, flags | libc::MSG_PEEK).ok()??;
    }
    socket.recv_from(buffer).ok().map(|(got, from)| (got, Some(from)))
}

impl End for KcpEnd {
    fn connect(&mut self) -> Result<Id> {
        let to = self.to.ok_or("a server does not connect")?;
        self.last = self.connections.len() as u32 + 1;
        self.add(self.last, to)?;
        Ok(Id::from(self.last))
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        let one = self.connections.get_mut(&(to as u32)).ok_or("no such connection")?;
        if one.kcp.wait_snd() >= 2 * usize::from(WINDOW) {
            return Ok(false);
        }
        one.kcp.send(message).map_err(told)?;
        Ok(true)
    }

    fn flush(&mut self) -> Result<()> {
        self.update()?;
        match self.connections.get_mut(&self.last) {
            Some(one) => one.kcp.flush().map_err(told),
            None => Ok(()),
        }
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        let due = self.update()?;
        let wait = if wait.is_zero() { wait } else { wait.min(due).max(Duration::from_millis(1)) };
        let flags = self.patience.flags(&*self.socket, wait);
        self.input(flags)?;
        for number in std::mem::take(&mut self.touched) {
            let Some(one) = self.connections.get_mut(&number) else { continue };
            one.kcp.flush_ack().map_err(told)?;
            while let Ok(len) = one.kcp.recv(&mut self.message) {
                take(Id::from(number), &self.message[..len]);
            }
        }
        Ok(())
    }

    fn port(&self) -> u16 {
        self.socket.local_addr().map_or(0, |at| at.port())
    }
}
