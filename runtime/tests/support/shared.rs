//! Servers and clients over shared memory.
#![allow(dead_code)]

use super::support::{window, LONG};
use nacre_runtime::shared::{self, Shared};
use nacre_runtime::transport::Transport;
use nacre_runtime::{ConnectionId, Error, Event, Listener, Options, Reason};
use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A path in a folder that is removed with the result.
pub fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    (folder, path)
}

pub fn patient() -> Options {
    Options { ping_after: Duration::from_millis(500), timeout: Duration::from_secs(4), ..Options::default() }
}

pub fn server_at(path: &Path) -> Listener {
    let mut server = Listener::new(shared::listen(path).unwrap(), patient());
    server.serve(&window()).unwrap();
    server
}

pub fn client_at(path: &Path) -> (Listener, ConnectionId) {
    let mut client = Listener::new(shared::connect(path).unwrap(), Options::default());
    let id = client.connect(shared::server_address(), &window()).unwrap();
    (client, id)
}

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub peers: BTreeMap<SocketAddr, u32>,
    pub closed: Vec<Reason>,
    pub errors: Vec<String>,
}

/// Returns every message, until it is stopped; the messages of each peer are numbers in order.
pub fn echo(mut server: Listener, stop: Arc<AtomicBool>) -> JoinHandle<Seen> {
    std::thread::spawn(move || {
        let mut seen = Seen::default();
        while !stop.load(Ordering::Relaxed) {
            let (connection, bytes) = match server.wait(Some(Duration::from_millis(20))).unwrap() {
                Some(Event::Delivered { connection, message, .. }) => (connection, message.to_vec()),
                Some(Event::Closed { reason, .. }) => {
                    seen.closed.push(reason);
                    continue;
                }
                Some(Event::Error { cause, .. }) => {
                    seen.errors.push(cause.to_string());
                    continue;
                }
                _ => continue,
            };
            let count = seen.peers.entry(server.peer(connection).unwrap()).or_default();
            assert_eq!(bytes[..4], count.to_le_bytes(), "once and in order");
            *count += 1;
            match server.send_blocking(connection, &bytes, LONG) {
                Ok(()) | Err(Error::Closed(_) | Error::NoConnection) => {}
                Err(error) => panic!("{error}"),
            }
        }
        seen
    })
}

/// A server in a thread.
pub struct Echo {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Seen>,
}

impl Echo {
    pub fn start(path: &Path) -> Echo {
        let stop = Arc::new(AtomicBool::new(false));
        Echo { thread: echo(server_at(path), stop.clone()), stop }
    }

    pub fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Sends numbered messages as fast as the stack takes them, and checks that they come back.
pub fn talk(client: &mut Listener, id: ConnectionId, from: u32, to: u32) {
    let (mut sent, mut received) = (from, from);
    while received < to {
        while sent < to && client.send(id, &sent.to_le_bytes()).is_ok() {
            sent += 1;
        }
        assert_eq!(client.receive(id, LONG).unwrap(), received.to_le_bytes());
        received += 1;
    }
}

pub fn send(transport: &mut Shared, to: SocketAddr, bytes: &[u8]) -> std::io::Result<()> {
    transport.send(to, &[IoSlice::new(bytes)])
}

/// Waits for a frame.
pub fn receive(transport: &mut Shared) -> (Vec<u8>, SocketAddr) {
    let (end, mut buffer) = (Instant::now() + LONG.unwrap(), vec![0; 1 << 16]);
    loop {
        match transport.receive(&mut buffer) {
            Ok((len, from)) => return (buffer[..len].to_vec(), from),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        assert!(Instant::now() < end, "no frame came");
        transport.wait(false, Some(Duration::from_secs(1))).unwrap();
    }
}

/// Waits until a peer is given up.
pub fn error_of(transport: &mut Shared) -> (SocketAddr, std::io::Error) {
    let end = Instant::now() + LONG.unwrap();
    loop {
        if let Some(error) = transport.take_error() {
            return error;
        }
        assert!(Instant::now() < end, "no error came");
        match transport.receive(&mut [0; 16]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => transport.wait(false, LONG).unwrap(),
            _ => {}
        }
    }
}

pub fn pair(path: &Path) -> (Shared, Shared, SocketAddr) {
    let (mut server, mut client) = (shared::listen(path).unwrap(), shared::connect(path).unwrap());
    send(&mut client, shared::server_address(), b"hello").unwrap();
    let (bytes, address) = receive(&mut server);
    assert_eq!(bytes, b"hello");
    (server, client, address)
}
