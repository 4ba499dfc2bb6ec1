//! TCP of the kernel: each message behind its length, in four bytes; without Nagle's algorithm.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

use super::socket::{self, Patience};
use crate::end::{system, End, Id, Result, Setup, Take};

/// Bytes that wait here at most.
const WAITING: usize = 64 << 10;

/// Variants of TCP.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The congestion control.
    pub control: &'static str,
    /// Whether messages wait for `flush`; otherwise each is one system call.
    pub gathers: bool,
}

/// One end, with connections.
pub struct Tcp {
    to: Option<SocketAddr>,
    listener: Option<TcpListener>,
    kind: Kind,
    /// Whether connections come one after the other, each with one message.
    is_crowded: bool,
    streams: BTreeMap<Id, Stream>,
    buffer: Vec<u8>,
}

struct Stream {
    socket: TcpStream,
    patience: Patience,
    waiting: Vec<u8>,
    /// Received bytes that are no whole message yet.
    partial: Vec<u8>,
}

impl Tcp {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, setup: &Setup, kind: Kind) -> Result<Tcp> {
        let listener = match to {
            None => Some(TcpListener::bind("0.0.0.0:0").map_err(|e| e.to_string())?),
            Some(_) => None,
        };
        let kind = Kind { gathers: kind.gathers && setup.gathers, ..kind };
        let is_crowded = setup.connections > 1;
        Ok(Tcp { to, listener, kind, is_crowded, streams: BTreeMap::new(), buffer: vec![0; 256 << 10] })
    }

    fn add(&mut self, socket: TcpStream) -> Result<Id> {
        socket.set_nodelay(true).map_err(|e| e.to_string())?;
        control(&socket, self.kind.control)?;
        let id = self.streams.len() as Id;
        let stream = Stream { socket, patience: Patience::default(), waiting: vec![], partial: vec![] };
        self.streams.insert(id, stream);
        Ok(id)
    }

    /// Accepts a connection if one comes in this time.
    fn accept(&mut self, wait: Duration) -> Result<Option<Id>> {
        let Some(listener) = &self.listener else { return Ok(None) };
        listener.set_nonblocking(true).map_err(|e| e.to_string())?;
        socket::wait(listener.as_raw_fd(), false, wait);
        match listener.accept() {
            Ok((stream, _)) => self.add(stream).map(Some),
            Err(_) => Ok(None),
        }
    }
}

/// Sets the congestion control of a connection.
fn control(socket: &TcpStream, name: &str) -> Result<()> {
    let at = name.as_ptr().cast();
    // SAFETY: the kernel reads the bytes of the name.
    let done = unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_CONGESTION, at, name.len() as libc::socklen_t)
    };
    if done == 0 {
        Ok(())
    } else {
        Err(system(&format!("the kernel has no congestion control {name}")))
    }
}

impl Stream {
    /// Writes what waits, as far as there is room.
    fn write(&mut self) -> Result<()> {
        let mut at = 0;
        while at < self.waiting.len() {
            let rest = &self.waiting[at..];
            let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
            // SAFETY: the kernel reads the bytes of `rest`.
            let sent = unsafe { libc::send(self.socket.as_raw_fd(), rest.as_ptr().cast(), rest.len(), flags) };
            match sent {
                0.. => at += sent as usize,
                _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock => break,
                _ => return Err(system("send")),
            }
        }
        self.waiting.drain(..at);
        Ok(())
    }

    fn read(&mut self, wait: Duration, buffer: &mut [u8], take: &mut dyn FnMut(&[u8])) -> Result<()> {
        let flags = if self.waiting.is_empty() {
            self.patience.flags(&self.socket, wait)
        } else {
            socket::wait(self.socket.as_raw_fd(), true, wait);
            self.write()?;
            libc::MSG_DONTWAIT
        };
        match socket::receive(self.socket.as_raw_fd(), buffer, flags)? {
            None => Ok(()),
            Some(0) => Err("the peer has closed the connection".into()),
            Some(got) => {
                divide(&mut self.partial, &buffer[..got], take);
                Ok(())
            }
        }
    }
}

/// Hands out the whole messages of a stream, and keeps what is left.
pub fn divide(partial: &mut Vec<u8>, arrived: &[u8], take: &mut dyn FnMut(&[u8])) {
    if partial.is_empty() {
        let done = whole(arrived, take);
        partial.extend_from_slice(&arrived[done..]);
    } else {
        partial.extend_from_slice(arrived);
        let done = whole(partial, take);
        partial.drain(..done);
    }
}

/// Returns how many bytes the whole messages at the beginning take.
fn whole(bytes: &[u8], take: &mut dyn FnMut(&[u8])) -> usize {
    let mut at = 0;
    while let Some(head) = bytes[at..].first_chunk::<4>() {
        let len = u32::from_le_bytes(*head) as usize;
        let Some(message) = bytes.get(at + 4..at + 4 + len) else { break };
        take(message);
        at += 4 + len;
    }
    at
}

/// Appends a message to a stream.
pub fn append(waiting: &mut Vec<u8>, message: &[u8]) {
    waiting.extend_from_slice(&(message.len() as u32).to_le_bytes());
    waiting.extend_from_slice(message);
}

impl End for Tcp {
    fn connect(&mut self) -> Result<Id> {
        let to = self.to.ok_or("a server does not connect")?;
        let socket = TcpStream::connect(to).map_err(|e| format!("{to}: {e}"))?;
        self.add(socket)
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        let most = if self.kind.gathers { WAITING } else { 1 };
        let gathers = self.kind.gathers;
        let stream = self.streams.get_mut(&to).ok_or("no such connection")?;
        if stream.waiting.len() >= most {
            stream.write()?;
            if stream.waiting.len() >= most {
                return Ok(false);
            }
        }
        append(&mut stream.waiting, message);
        if !gathers {
            stream.write()?;
        }
        Ok(true)
    }

    fn flush(&mut self) -> Result<()> {
        if self.is_crowded {
            return Ok(());
        }
        self.streams.values_mut().try_for_each(Stream::write)
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        if self.listener.is_some() && (self.is_crowded || self.streams.is_empty()) {
            let Some(id) = self.accept(wait)? else { return Ok(()) };
            let stream = self.streams.get_mut(&id).expect("it was added");
            return stream.read(Duration::from_secs(5), &mut self.buffer, &mut |message| take(id, message));
        }
        let Some((id, stream)) = self
            .streams
            .last_key_value()
            .map(|(id, _)| *id)
            .and_then(|id| self.streams.get_mut(&id).map(|stream| (id, stream)))
        else {
            return Ok(());
        };
        stream.read(wait, &mut self.buffer, &mut |message| take(id, message))
    }

    fn port(&self) -> u16 {
        self.listener.as_ref().and_then(|listener| listener.local_addr().ok()).map_or(0, |at| at.port())
    }
}
