//! Peers over shared memory that write garbage, are killed, or take the place of another.
#![cfg(target_os = "linux")]

#[path = "support/shared.rs"]
mod shared_support;
mod support;

use nacre_runtime::shared::{self, Shared};
use nacre_runtime::transport::Transport;
use nacre_runtime::{Event, Listener, Reason};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use shared_support::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, IoSlice, Read};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use support::*;

/// Set in a process that acts as a peer: the path of the server.
const PATH: &str = "NACRE_TEST_SHARED";

/// A client that shares memory with a server as it should, and may write anything to it.
struct Hostile {
    socket: UnixStream,
    memory: File,
}

const MEMORY: u64 = 2 * (2048 + (1 << 20));

impl Hostile {
    fn connect(path: &Path, len: u64, seals: SealFlags) -> Hostile {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let memory = rustix::fs::memfd_create("test", flags).unwrap();
        rustix::fs::ftruncate(&memory, len).unwrap();
        rustix::fs::fcntl_add_seals(&memory, seals).unwrap();
        let socket = UnixStream::connect(path).unwrap();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let files = [memory.as_fd()];
        assert!(control.push(SendAncillaryMessage::ScmRights(&files)));
        let greeting = [IoSlice::new(b"nacre shared 1\r\n")];
        rustix::net::sendmsg(&socket, &greeting, &mut control, SendFlags::NOSIGNAL).unwrap();
        Hostile { socket, memory: memory.into() }
    }

    fn write(&self, at: u64, value: u64) {
        self.memory.write_all_at(&value.to_ne_bytes(), at).unwrap();
    }

    /// Whether the server has closed its end.
    fn is_given_up(&self) -> bool {
        self.socket.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        let mut bytes = [0; 64];
        match (&self.socket).read(&mut bytes) {
            Ok(0) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
            Ok(_) => false,
        }
    }
}

/// An honest client goes on, and the hostile one is given up.
fn only_one_is_given_up(server: &mut Shared, (client, address): (&mut Shared, SocketAddr), hostile: &Hostile) {
    let end = Instant::now() + LONG.unwrap();
    let mut buffer = [0; 64];
    let mut n = 0u32;
    while !hostile.is_given_up() {
        assert!(Instant::now() < end, "it is not given up");
        send(client, shared::server_address(), &n.to_le_bytes()).unwrap();
        loop {
            match server.receive(&mut buffer) {
                Ok((len, from)) if from == address => break assert_eq!(buffer[..len], n.to_le_bytes()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => server.wait(false, LONG).unwrap(),
                Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidData),
            }
        }
        n += 1;
    }
}

#[test]
fn client_that_writes_garbage_is_given_up_alone() {
    let (_folder, path) = place();
    let (mut server, mut client, address) = pair(&path);
    let all = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    let (tail, first) = (0, 2048);
    // Where the client writes what.
    let cases: [&[(u64, u64)]; 6] = [
        &[(tail, u64::MAX)],
        &[(tail, 12)],
        &[(tail, (1 << 20) + 8)],
        &[(first, 70_000), (tail, 1 << 20)],
        &[(first, u64::MAX), (tail, 1 << 20)],
        &[(first, 100), (tail, 16)],
    ];
    for case in cases {
        let hostile = Hostile::connect(&path, MEMORY, all);
        case.iter().for_each(|(at, value)| hostile.write(*at, *value));
        only_one_is_given_up(&mut server, (&mut client, address), &hostile);
        let (about, error) = server.take_error().expect("it is reported");
        assert!(about != address && error.kind() == ErrorKind::InvalidData, "{about} {error}");
        assert!(error.to_string().contains("shared ring"), "{error}");
        assert!(server.take_error().is_none());
    }
    for (len, seals) in [(MEMORY, SealFlags::GROW), (MEMORY - 8, all), (MEMORY + 4096, all)] {
        let hostile = Hostile::connect(&path, len, seals);
        only_one_is_given_up(&mut server, (&mut client, address), &hostile);
    }
    assert!(server.take_error().is_none(), "they never were clients");
}

#[test]
fn what_a_client_says_of_room_is_checked() {
    let (_folder, path) = place();
    let (mut server, mut client, address) = pair(&path);
    let hostile = Hostile::connect(&path, MEMORY, SealFlags::SHRINK);
    // An empty frame in its ring, so that its address is learned.
    hostile.write(0, 8);
    let (_, hostile_address) = receive(&mut server);
    hostile.write(2048 + (1 << 20) + 128, 12);
    let error = loop {
        if let Err(error) = send(&mut server, hostile_address, &[0; 50_000]) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    assert_eq!(send(&mut server, hostile_address, &[0]).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    only_one_is_given_up(&mut server, (&mut client, address), &hostile);
}

/// In a process of its own: a client that talks until it is killed, or a server that waits for that.
fn act(path: &str) {
    match path.strip_prefix("server:") {
        Some(path) => drop(echo(server_at(Path::new(path)), Arc::default()).join()),
        None => {
            let (mut client, id) = client_at(Path::new(path));
            talk(&mut client, id, 0, u32::MAX);
        }
    }
}

/// Runs a test of this program again, in a process that acts as a peer.
fn start(test: &str, path: &str) -> Killed {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env(PATH, path).stdout(Stdio::null()).stderr(Stdio::null());
    Killed(command.spawn().unwrap())
}

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn client_that_is_killed_ends_alone() {
    if let Ok(path) = std::env::var(PATH) {
        return act(&path);
    }
    let (_folder, path) = place();
    let mut server = server_at(&path);
    let process = start("client_that_is_killed_ends_alone", path.to_str().unwrap());
    let mut process = Some(process);
    let (stop, other_path) = (Arc::new(AtomicBool::new(false)), path.clone());
    let stopped = stop.clone();
    let other = std::thread::spawn(move || {
        let (mut client, id) = client_at(&other_path);
        let mut n = 0;
        while !stopped.load(Ordering::Relaxed) {
            talk(&mut client, id, n, n + 50);
            n += 50;
        }
        n
    });
    let (mut counts, mut ended, end) = (BTreeMap::new(), None, Instant::now() + 2 * LONG.unwrap());
    while ended.is_none() {
        assert!(Instant::now() < end, "{counts:?}");
        let copy = match server.wait(Some(Duration::from_secs(1))).unwrap() {
            Some(Event::Delivered { connection, message, .. }) => Some((connection, message.to_vec())),
            Some(Event::Closed { connection, reason, .. }) => {
                ended = Some((connection, reason));
                None
            }
            _ => None,
        };
        let Some((connection, bytes)) = copy else { continue };
        *counts.entry(connection).or_insert(0u32) += 1;
        let _ = server.send_blocking(connection, &bytes, LONG);
        // Two talk, and one of them has come far: the process is in the middle, whichever it is.
        if counts.len() == 2 && counts.values().all(|count| *count > 200) {
            process = None;
        }
    }
    assert!(process.is_none(), "it ended by itself: {ended:?}");
    let (connection, reason) = ended.unwrap();
    assert_eq!(reason, Reason::Timeout);
    let (goes_on, _) = counts.iter().find(|(id, _)| **id != connection).unwrap();
    let goes_on = *goes_on;
    let wanted = counts[&goes_on] + 500;
    while counts[&goes_on] < wanted {
        assert!(Instant::now() < end, "{counts:?}");
        if let Some(Event::Delivered { connection, message, .. }) = server.wait(Some(Duration::from_secs(1))).unwrap() {
            let bytes = message.to_vec();
            *counts.get_mut(&connection).unwrap() += 1;
            server.send_blocking(connection, &bytes, LONG).unwrap();
        }
    }
    stop.store(true, Ordering::Relaxed);
    let thread = echo_rest(server, counts[&goes_on], &other);
    assert!(thread >= 500, "{thread}");
    other.join().unwrap();
}

/// Returns messages until a client has ended.
fn echo_rest(mut server: Listener, mut count: u32, client: &JoinHandle<u32>) -> u32 {
    while !client.is_finished() {
        let copy = match server.wait(Some(Duration::from_millis(20))).unwrap() {
            Some(Event::Delivered { connection, message, .. }) => Some((connection, message.to_vec())),
            _ => None,
        };
        if let Some((connection, bytes)) = copy {
            count += 1;
            let _ = server.send_blocking(connection, &bytes, LONG);
        }
    }
    count
}

#[test]
fn server_that_was_killed_is_replaced() {
    if let Ok(path) = std::env::var(PATH) {
        return act(&path);
    }
    let (_folder, path) = place();
    let process = start("server_that_was_killed_is_replaced", &format!("server:{}", path.display()));
    let end = Instant::now() + LONG.unwrap();
    while shared::connect(&path).is_err() {
        assert!(Instant::now() < end, "the server does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    let (mut client, id) = client_at(&path);
    talk(&mut client, id, 0, 100);
    assert_eq!(shared::listen(&path).unwrap_err().kind(), ErrorKind::AddrInUse);
    drop(process);
    assert_eq!(shared::connect(&path).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let server = Echo::start(&path);
    let heard = loop {
        assert!(Instant::now() < end, "the client learns nothing");
        let _ = client.send(id, b"lost");
        match client.wait(Some(Duration::from_secs(1))).unwrap() {
            Some(Event::Error { cause, .. }) => break cause.kind(),
            _ => continue,
        }
    };
    assert!([ErrorKind::ConnectionReset, ErrorKind::ConnectionRefused].contains(&heard), "{heard}");
    let (mut client, id) = client_at(&path);
    talk(&mut client, id, 0, 100);
    assert_eq!(server.end().peers.len(), 1);
}
