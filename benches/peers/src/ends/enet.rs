//! ENet, the C library, by `c/enet.c`: reliable packets on one channel.

use std::ffi::{c_int, c_void};
use std::net::SocketAddr;
use std::time::Duration;

use crate::end::{End, Id, Result, Setup, Take};

#[repr(C)]
struct Hosts {
    _opaque: [u8; 0],
}

type TakeC = extern "C" fn(*mut c_void, u64, *const u8, usize);

extern "C" {
    fn peers_enet_open(is_client: c_int, port: u16, connections: c_int) -> *mut Hosts;
    fn peers_enet_connect(all: *mut Hosts, address: u32, port: u16) -> c_int;
    fn peers_enet_send(all: *mut Hosts, to: u64, data: *const u8, len: usize) -> c_int;
    fn peers_enet_flush(all: *mut Hosts);
    fn peers_enet_receive(all: *mut Hosts, wait: u32, take: TakeC, who: *mut c_void) -> c_int;
    fn peers_enet_port(all: *const Hosts) -> u16;
}

/// The port of the first host of a server: each run has a network namespace of its own.
const PORT: u16 = 7000;

/// One end, with as many hosts as the connections need.
pub struct Enet {
    to: Option<SocketAddr>,
    hosts: *mut Hosts,
}

impl Enet {
    /// A client of the server at `to`, or a server.
    pub fn open(to: Option<SocketAddr>, setup: &Setup) -> Result<Enet> {
        // SAFETY: it has no preconditions.
        let hosts = unsafe { peers_enet_open(c_int::from(to.is_some()), PORT, setup.connections as c_int) };
        if hosts.is_null() {
            return Err("enet: no host can be made".into());
        }
        Ok(Enet { to, hosts })
    }
}

extern "C" fn take_message(who: *mut c_void, from: u64, data: *const u8, len: usize) {
    // SAFETY: `who` is what `receive` passed, and the data lives during this call.
    let (take, data) = unsafe { (&mut **who.cast::<&mut Take>(), std::slice::from_raw_parts(data, len)) };
    take(from, data);
}

impl End for Enet {
    fn connect(&mut self) -> Result<Id> {
        let Some(SocketAddr::V4(to)) = self.to else { return Err("a server does not connect".into()) };
        // SAFETY: the hosts live as long as the process.
        match unsafe { peers_enet_connect(self.hosts, u32::from(*to.ip()).to_be(), to.port()) } {
            n @ 0.. => Ok(n as Id),
            _ => Err("enet: no more connections".into()),
        }
    }

    fn send(&mut self, to: Id, message: &[u8]) -> Result<bool> {
        // SAFETY: the message is copied.
        match unsafe { peers_enet_send(self.hosts, to, message.as_ptr(), message.len()) } {
            1 => Ok(true),
            0 => Ok(false),
            _ => Err("enet: the connection has ended".into()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        // SAFETY: the hosts live as long as the process.
        unsafe { peers_enet_flush(self.hosts) };
        Ok(())
    }

    fn receive(&mut self, wait: Duration, take: &mut Take) -> Result<()> {
        let ms = if wait.is_zero() { 0 } else { (wait.as_millis() as u32).max(1) };
        let mut take = take;
        // SAFETY: `take` lives during the call, in which alone it is used.
        match unsafe { peers_enet_receive(self.hosts, ms, take_message, (&raw mut take).cast()) } {
            0 => Ok(()),
            _ => Err("enet: a connection has ended".into()),
        }
    }

    fn port(&self) -> u16 {
        // SAFETY: the hosts live as long as the process.
        unsafe { peers_enet_port(self.hosts) }
    }
}
