//! Shared memory between processes of one machine (Linux): no system call while both sides are awake.
//!
//! A server [listens](listen) at a path, any number of clients [connect](connect). Each client shares a memory of 2 MiB
//! with the server: two rings of frames, one for each direction. A Unix socket at the path serves to set that up, to
//! wake a side that sleeps, and to learn of the other's end. Its file permissions decide who may connect.
//!
//! A frame is in the receiver's memory when `send` returns. While the ring of a peer is full, frames to that peer alone
//! wait. Frames have no addresses on the way: a server gives each client a made-up one, which is not used again, in a
//! network (IPv6 /64) of its own, so that limits for each network are limits for each client.
//!
//! A peer may write to the memory whatever it wants, at any time. All that is read is copied, then checked; a peer
//! whose ring is inconsistent is given up, and reported by `take_error`. So is, at a client, a server that has ended;
//! frames to a peer that is gone are lost (`ConnectionRefused`).

mod made_up;
mod memory;
mod peer;
mod peers;
mod ring;
mod setup;

use crate::clock::{self, MILLISECOND};
use crate::datagrams::Datagrams;
use crate::ffi::NEVER;
use crate::system;
use crate::transport::Transport;
pub use made_up::server_address;
use made_up::{address, number};
use memory::Memory;
use peer::{Peer, Side};
use peers::{Peers, Read};
use rustix::event::{epoll, Timespec};
use setup::Door;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The maximum number of clients of a server.
pub const CLIENTS_MAX: usize = 1024;
/// Clients that have connected and said nothing yet, at most.
const NEW_MAX: usize = 64;
/// Events that are taken from the system at once.
const EVENTS: usize = 64;
/// The number of the events of a server's own socket, and of a client's only peer.
const FIRST: u64 = 0;
/// The clock is read at least once in this number of calls.
const CALLS: u32 = 16;
/// In a program that never sleeps, the sockets are looked at for clients and ends at this interval.
const LOOK_AFTER: u64 = MILLISECOND;
/// A server that cannot accept clients (too many open files) tries again after this time.
const CLOSED_FOR: u64 = 100 * MILLISECOND;

/// A server at a path: frames from and to any number of clients, of which at most [`CLIENTS_MAX`] are there at a time.
///
/// The socket file is removed with the server; the file of a server that was killed is replaced.
///
/// Errors: `AddrInUse` if another server has the path; those of the system.
pub fn listen(path: impl AsRef<Path>) -> io::Result<Shared> {
    let door = Door::open(path.as_ref())?;
    let mut shared = Shared::new(server_address())?;
    shared.watch(door.socket(), FIRST)?;
    shared.door = Some(door);
    Ok(shared)
}

/// A client of the server at a path; the server's address is [`server_address`]. Does not wait for the server to look.
///
/// Errors: `NotFound`, `ConnectionRefused` if there is no server; `PermissionDenied`; others of the system.
pub fn connect(path: impl AsRef<Path>) -> io::Result<Shared> {
    let (socket, memory) = setup::knock(path.as_ref())?;
    let mut shared = Shared::new(address(u64::from(std::process::id())))?;
    shared.add(Side::Client, FIRST, socket, memory)?;
    Ok(shared)
}

/// One side of a shared memory, as a transport.
#[derive(Debug)]
pub struct Shared {
    local: SocketAddr,
    /// A server's socket.
    door: Option<Door>,
    peers: Peers,
    /// Clients that have said nothing yet; the oldest first.
    new: VecDeque<(u64, UnixStream)>,
    /// The number of the client that came last.
    last: u64,
    /// What `descriptor` returns: the sockets of all.
    epoll: OwnedFd,
    errors: VecDeque<(SocketAddr, io::Error)>,
    /// The program sleeps by the descriptor, not by `wait`.
    is_watched: Cell<bool>,
    /// All peers wake this side.
    is_armed: bool,
    calls: u32,
    now: Cell<u64>,
    look_at: u64,
    /// When a server tries again to accept clients.
    open_at: u64,
    joined: Vec<u8>,
}

impl Shared {
    fn new(local: SocketAddr) -> io::Result<Shared> {
        Ok(Shared {
            local,
            door: None,
            peers: Peers::default(),
            new: VecDeque::new(),
            last: FIRST,
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            errors: VecDeque::new(),
            is_watched: Cell::new(false),
            is_armed: false,
            calls: 0,
            now: Cell::new(0),
            look_at: 0,
            open_at: NEVER,
            joined: Vec::new(),
        })
    }

    fn watch(&self, socket: impl AsFd, number: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, epoll::EventData::new_u64(number), epoll::EventFlags::IN)?)
    }

    fn add(&mut self, side: Side, number: u64, socket: UnixStream, memory: Memory) -> io::Result<()> {
        // A client that was watched before it introduced itself still is.
        if side == Side::Client {
            self.watch(&socket, number)?;
        }
        self.peers.add(Peer::new(side, address(number), number, socket, memory));
        self.is_armed = false;
        Ok(())
    }

    /// Takes what the system knows: clients that came, peers that woke this side, ends. Waits for it at most so long.
    fn look(&mut self, time: Option<Duration>) -> io::Result<()> {
        self.look_at = self.now.get().saturating_add(LOOK_AFTER);
        if self.open_at <= self.now.get() {
            self.reopen()?;
        }
        let mut time = time;
        // `epoll_wait` counts milliseconds.
        if time.is_some_and(|time| time.subsec_nanos() % MILLISECOND as u32 != 0 && time < Duration::from_millis(10)) {
            system::wait(self.epoll.as_fd(), None, false, time)?;
            time = Some(Duration::ZERO);
        }
        let limit = time.and_then(|time| Timespec::try_from(time).ok());
        let mut events = [MaybeUninit::uninit(); EVENTS];
        let events = match epoll::wait(&self.epoll, &mut events[..], limit.as_ref()) {
            Ok((events, _)) => events,
            Err(error) => return Err(error.into()),
        };
        for event in events {
            match (event.data.u64(), &self.door) {
                (FIRST, Some(_)) => self.accept()?,
                (number, _) => self.hear(number),
            }
        }
        Ok(())
    }

    /// How long to wait at most: until the time, or until it may try again to open what it could not.
    fn until_open(&self, time: Option<Duration>) -> Option<Duration> {
        let until_open = (self.open_at != NEVER).then(|| Duration::from_nanos(self.open_at.saturating_sub(self.now())));
        time.into_iter().chain(until_open).min()
    }

    /// A socket is readable.
    fn hear(&mut self, number: u64) {
        self.is_armed = false;
        match self.peers.get_mut(number) {
            Some(peer) => {
                peer.take_bells();
                if peer.has_ended {
                    // It would be readable from now on.
                    let _ = epoll::delete(&self.epoll, peer.socket());
                }
            }
            None => self.admit(number),
        }
    }

    /// Accepts the clients that wait, a bounded number.
    fn accept(&mut self) -> io::Result<()> {
        for _ in 0..NEW_MAX {
            let accepted = self.door.as_ref().map_or(Err(io::ErrorKind::WouldBlock.into()), Door::accept);
            let socket = match accepted {
                Ok(socket) => socket,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return self.close_for_a_while(error),
            };
            if self.peers.len() >= CLIENTS_MAX {
                continue;
            }
            if self.new.len() >= NEW_MAX {
                self.new.pop_front();
            }
            self.last += 1;
            self.watch(&socket, self.last)?;
            self.new.push_back((self.last, socket));
            self.admit(self.last);
        }
        Ok(())
    }

    /// Takes what a new client hands over, if it has.
    fn admit(&mut self, number: u64) {
        let Some(place) = self.new.iter().position(|(new, _)| *new == number) else { return };
        let memory = match setup::receive_memory(&self.new[place].1) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            memory => memory,
        };
        let Some((_, socket)) = self.new.remove(place) else { return };
        // One that is no client learns of it by the end of its socket.
        if let (Ok(memory), true) = (memory, self.peers.len() < CLIENTS_MAX) {
            let _ = self.add(Side::Server, number, socket, memory);
        }
    }

    /// The clients that wait would wake this side again and again.
    fn close_for_a_while(&mut self, error: io::Error) -> io::Result<()> {
        if let Some(door) = &self.door {
            epoll::delete(&self.epoll, door.socket())?;
        }
        self.open_at = self.now().saturating_add(CLOSED_FOR);
        self.errors.push_back((self.local, error));
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.open_at = NEVER;
        self.door.as_ref().map_or(Ok(()), |door| self.watch(door.socket(), FIRST))
    }

    /// The next frame, or why a peer was given up.
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> Option<io::Result<(usize, SocketAddr)>> {
        loop {
            let (peer, error) = match self.peers.read(buffer)? {
                Read::Frame(len, from) => {
                    self.is_armed = false;
                    return Some(Ok((len, from)));
                }
                // A client that ends is an ordinary thing.
                Read::Ended(_) if self.door.is_some() => continue,
                Read::Ended(peer) => (peer, io::Error::new(io::ErrorKind::ConnectionReset, "the server has ended")),
                Read::Broken(peer, error) => (peer, error),
            };
            let kind = error.kind();
            self.errors.push_back((peer.address, error));
            return Some(Err(kind.into()));
        }
    }

    fn peer(&mut self, to: SocketAddr) -> io::Result<&mut Peer> {
        let peer = number(to).and_then(|number| self.peers.get_mut(number)).filter(|peer| !peer.has_ended);
        peer.ok_or(io::ErrorKind::ConnectionRefused.into())
    }

    /// The sockets, for a program that sleeps by them, tell of everything from now on; false if something is here.
    fn arm(&mut self, for_room: bool) -> bool {
        self.is_armed = !self.peers.arm(for_room);
        self.is_armed
    }
}

impl Transport for Shared {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn now(&self) -> u64 {
        self.now.set(clock::now());
        self.now.get()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        if let [whole] = frame {
            let peer = self.peer(to)?;
            let written = peer.write(whole);
            match written {
                Ok(()) => peer.wake(),
                // A peer that is given up is removed when frames are received.
                Err(_) => self.is_armed = false,
            }
            return written;
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        frame.iter().for_each(|piece| joined.extend_from_slice(piece));
        let sent = self.send(to, &[IoSlice::new(&joined)]);
        self.joined = joined;
        sent
    }

    /// Wakes each receiver once for frames that follow each other.
    fn send_all(&mut self, frames: Datagrams<'_>) -> (usize, io::Result<()>) {
        let (mut sent, mut result) = (0, Ok(()));
        let mut receiver = None;
        for (to, frame) in frames.iter() {
            if let Some(before) = receiver.filter(|before| *before != to) {
                let _ = self.peer(before).map(|peer| peer.wake());
            }
            result = self.peer(to).and_then(|peer| peer.write(frame));
            if result.is_err() {
                self.is_armed = false;
                break;
            }
            (sent, receiver) = (sent + 1, Some(to));
        }
        if let Some(last) = receiver {
            let _ = self.peer(last).map(|peer| peer.wake());
        }
        (sent, result)
    }

    fn has_common_room(&self) -> bool {
        false
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.calls = self.calls.wrapping_add(1);
        if self.calls % CALLS == 0 {
            self.now();
        }
        if self.now.get() >= self.look_at {
            self.look(Some(Duration::ZERO))?;
        }
        if let Some(read) = self.read(buffer) {
            return read;
        }
        if self.is_watched.get() {
            self.look(Some(Duration::ZERO))?;
            if !self.arm(true) {
                if let Some(read) = self.read(buffer) {
                    return read;
                }
            }
        }
        match self.errors.is_empty() {
            true => Err(io::ErrorKind::WouldBlock.into()),
            false => Err(io::ErrorKind::Other.into()),
        }
    }

    fn has_received(&self) -> bool {
        self.peers.has_known()
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        if self.has_received() || !self.arm(writable) {
            return Ok(());
        }
        self.look(self.until_open(time))
    }

    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        if self.has_received() || !self.arm(writable) {
            return Ok(());
        }
        system::wait(self.epoll.as_fd(), Some(bell), false, self.until_open(time))?;
        self.look(Some(Duration::ZERO))
    }

    /// At once, if the program sleeps by the descriptor and that does not tell of everything.
    fn deadline(&self) -> u64 {
        match self.has_received() || self.is_watched.get() && !self.is_armed {
            true => 0,
            false => self.open_at,
        }
    }

    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        self.errors.pop_front()
    }

    /// Becomes readable with a frame, room that was wanted, a new client and the end of a peer. A program that has
    /// asked for it may sleep after `receive` has said `WouldBlock` and `deadline` is not 0; each such `receive` takes
    /// a system call.
    fn descriptor(&self) -> Option<i32> {
        self.is_watched.set(true);
        Some(self.epoll.as_raw_fd())
    }
}
