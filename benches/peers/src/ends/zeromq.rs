//! ZeroMQ, the C++ library libzmq, over TCP: sockets of the type DEALER at both ends.

use std::ffi::{c_char, c_int, c_void, CString};
use std::net::SocketAddr;
use std::time::Duration;

use crate::end::{End, Id, Result, Setup, Take};

#[link(name = "zmq")]
extern "C" {
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_ctx_set(context: *mut c_void, option: c_int, value: c_int) -> c_int;
    fn zmq_socket(context: *mut c_void, kind: c_int) -> *mut c_void;
    fn zmq_bind(socket: *mut c_void, address: *const c_char) -> c_int;
    fn zmq_connect(socket: *mut c_void, address: *const c_char) -> c_int;
    fn zmq_send(socket: *mut c_void, data: *const c_void, len: usize, flags: c_int) -> c_int;
    fn zmq_recv(socket: *mut c_void, data: *mut c_void, len: usize, flags: c_int) -> c_int;
    fn zmq_setsockopt(socket: *mut c_void, option: c_int, value: *const c_void, len: usize) -> c_int;
    fn zmq_poll(items: *mut Item, len: c_int, ms: i64) -> c_int;
    fn zmq_errno() -> c_int;
    fn zmq_strerror(error: c_int) -> *const c_char;
}

const MAX_SOCKETS: c_int = 2;
const DEALER: c_int = 5;
const DONTWAIT: c_int = 1;
const BACKLOG: c_int = 19;
const RCVTIMEO: c_int = 27;
const POLLIN: i16 = 1;
const POLLOUT: i16 = 2;

/// An entry of `zmq_poll`.
#[repr(C)]
struct Item {
    socket: *mut c_void,
    fd: c_int,
    events: i16,
    revents: i16,
}

/// The port of a server: each run has a network namespace of its own.
const PORT: u16 = 7000;

/// One end: of a client, a socket for each connection.
pub struct ZeroMq {
    to: Option<SocketAddr>,
    context: *mut c_void,
    sockets: Vec<*mut c_void>,
    wait: Duration,
    /// The last message found no room.
    is_full: bool,
    buffer: Vec<u8>,
}

fn failed(what: &str) -> String {
    // SAFETY: the library returns a constant text.
    let text = unsafe { std::ffi::CStr::from_ptr(zmq_strerror(zmq_errno())) };
    format!("{what}: {}", text.to_string_lossy())
}

/// Whether the last call failed because it would have to wait, or was interrupted.
fn would_wait() -> bool {
    // SAFETY: it has no preconditions.
    matches!(unsafe { zmq_errno() }, libc::EAGAIN | libc::EINTR)
}

impl ZeroMq {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, setup: &Setup) -> Result<ZeroMq> {
        // SAFETY: it has no preconditions.
        let context = unsafe { zmq_ctx_new() };
        // SAFETY: the context was just made.
        unsafe { zmq_ctx_set(context, MAX_SOCKETS, setup.connections as c_int + 100) };
        let mut end =
            ZeroMq { to, context, sockets: vec![], wait: Duration::MAX, is_full: false, buffer: vec![0; 1 << 16] };
        if to.is_none() {
            let socket = end.socket()?;
            let waiting: c_int = 4096;
            // SAFETY: it reads four bytes.
            unsafe { zmq_setsockopt(socket, BACKLOG, (&raw const waiting).cast(), size_of::<c_int>()) };
            let address = CString::new(format!("tcp://0.0.0.0:{PORT}")).expect("no zero");
            // SAFETY: socket and text live.
            if unsafe { zmq_bind(socket, address.as_ptr()) } != 0 {
                return Err(failed("zmq_bind"));
            }
        }
        Ok(end)
    }

    fn socket(&mut self) -> Result<*mut c_void> {
        // SAFETY: the context lives as long as the process.
        let socket = unsafe { zmq_socket(self.context, DEALER) };
        if socket.is_null() {
            return Err(failed("zmq_socket"));
        }
        self.sockets.push(socket);
        Ok(socket)
    }
}

impl End for ZeroMq {
    fn connect(&mut self) -> Result<Id> {
        let to = self.to.ok_or("a server does not connect")?;
        let socket = self.socket()?;
        let address = CString::new(format!("tcp://{to}")).expect("no zero");
        // SAFETY: socket and text live.
        if unsafe { zmq_connect(socket, address.as_ptr()) } != 0 {
            return Err(failed("zmq_connect"));
        }
        self.wait = Duration::MAX;
        Ok(self.sockets.len() as Id - 1)
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        let socket = self.sockets[if self.to.is_some() { to as usize } else { 0 }];
        // SAFETY: the library copies the message.
        let sent = unsafe { zmq_send(socket, message.as_ptr().cast(), message.len(), DONTWAIT) };
        self.is_full = sent < 0;
        match sent {
            0.. => Ok(true),
            _ if would_wait() => Ok(false),
            _ => Err(failed("zmq_send")),
        }
    }

    /// The library's own thread sends.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        let Some(&socket) = self.sockets.last() else { return Ok(()) };
        let mut flags = if wait.is_zero() { DONTWAIT } else { 0 };
        if self.is_full && !wait.is_zero() {
            let mut one = Item { socket, fd: 0, events: POLLIN | POLLOUT, revents: 0 };
            // SAFETY: it writes to one item.
            unsafe { zmq_poll(&raw mut one, 1, (wait.as_millis() as i64).max(1)) };
            flags = DONTWAIT;
        } else if wait != self.wait && !wait.is_zero() {
            let ms = (wait.as_millis() as c_int).max(1);
            // SAFETY: it reads four bytes.
            unsafe { zmq_setsockopt(socket, RCVTIMEO, (&raw const ms).cast(), size_of::<c_int>()) };
            self.wait = wait;
        }
        // SAFETY: it writes into the buffer.
        let got = unsafe { zmq_recv(socket, self.buffer.as_mut_ptr().cast(), self.buffer.len(), flags) };
        match got {
            0.. => {
                take(0, &self.buffer[..got as usize]);
                Ok(())
            }
            _ if would_wait() => Ok(()),
            _ => Err(failed("zmq_recv")),
        }
    }

    fn port(&self) -> u16 {
        PORT
    }
}
