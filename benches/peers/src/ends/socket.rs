//! Calls of sockets that the standard library does not have.

use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use crate::end::{system, Result, TURN};

/// Sets an option of a socket to a number.
pub fn set(socket: &impl AsRawFd, level: i32, name: i32, value: i32) -> Result<()> {
    let at = (&raw const value).cast();
    // SAFETY: the kernel reads four bytes, of `value`.
    let done = unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, at, size_of::<i32>() as libc::socklen_t) };
    if done == 0 {
        Ok(())
    } else {
        Err(system("setsockopt"))
    }
}

/// Asks for room for received datagrams, as much as the system gives.
pub fn widen(socket: &impl AsRawFd) -> Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, 4 << 20)
}

/// Waits until a socket can be read (or also written), at most so long.
pub fn wait(socket: RawFd, writes: bool, time: Duration) {
    let events = if writes { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
    let mut one = libc::pollfd { fd: socket, events, revents: 0 };
    let time = libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    // SAFETY: the kernel reads and writes one entry, and reads the time.
    unsafe { libc::ppoll(&raw mut one, 1, &raw const time, std::ptr::null()) };
}

/// How long a blocking call of a socket waits. The option rounds times up to ticks of the kernel, so it serves only
/// where the time does not matter.
#[derive(Default)]
pub struct Patience(Duration);

impl Patience {
    /// Returns the flags for a call that waits so long.
    pub fn flags(&mut self, socket: &impl AsRawFd, wait: Duration) -> i32 {
        if wait.is_zero() {
            return libc::MSG_DONTWAIT;
        }
        if wait < TURN {
            self::wait(socket.as_raw_fd(), false, wait);
            return libc::MSG_DONTWAIT;
        }
        if wait != self.0 {
            let time = libc::timeval { tv_sec: wait.as_secs() as i64, tv_usec: i64::from(wait.subsec_micros().max(1)) };
            let len = size_of::<libc::timeval>() as libc::socklen_t;
            let (at, name) = ((&raw const time).cast(), libc::SO_RCVTIMEO);
            // SAFETY: the kernel reads the time.
            unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, name, at, len) };
            self.0 = wait;
        }
        0
    }
}

/// Receives into `buffer`; None if nothing came in time.
pub fn receive(socket: RawFd, buffer: &mut [u8], flags: i32) -> Result<Option<usize>> {
    // SAFETY: the kernel writes into the buffer.
    let got = unsafe { libc::recv(socket, buffer.as_mut_ptr().cast(), buffer.len(), flags) };
    if got >= 0 {
        return Ok(Some(got as usize));
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EAGAIN | libc::EINTR | libc::ECONNREFUSED) => Ok(None),
        _ => Err(system("recv")),
    }
}
