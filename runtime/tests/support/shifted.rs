//! A UDP socket whose clock a test advances, so that hours pass without waiting for them.

use nacre_runtime::transport::Transport;
use nacre_runtime::udp::Udp;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// The system's clock and what the test has added to it, in nanoseconds.
pub struct Shifted {
    pub inner: Udp,
    pub shift: Arc<AtomicU64>,
}

impl Transport for Shifted {
    fn local(&self) -> SocketAddr {
        self.inner.local()
    }

    fn now(&self) -> u64 {
        self.inner.now() + self.shift.load(Ordering::Relaxed)
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.inner.send(to, frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.inner.receive(buffer)
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.inner.wait(writable, time)
    }

    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        self.inner.take_error()
    }

    fn descriptor(&self) -> Option<i32> {
        self.inner.descriptor()
    }
}
