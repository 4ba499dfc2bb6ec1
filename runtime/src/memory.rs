//! Networks within a process: a real one between threads, and a simulated one with a clock of its own.

use crate::clock;
use crate::faults::{FaultCounts, FaultLine, Faults};
use crate::random::Random;
use crate::transport::{joined, Transport};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Frames that one end of a pair holds before its sender must wait.
const PAIR_FRAMES: usize = 1024;

/// One of two ends that are joined by channels; each may go to its own thread.
#[derive(Debug)]
pub struct PairEnd {
    local: SocketAddr,
    peer: SocketAddr,
    to: SyncSender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
    waiting: Option<Vec<u8>>,
}

/// Two joined ends with made-up addresses.
pub fn pair() -> (PairEnd, PairEnd) {
    let (left, right) = (address(0), address(1));
    let (to_right, from_left) = mpsc::sync_channel(PAIR_FRAMES);
    let (to_left, from_right) = mpsc::sync_channel(PAIR_FRAMES);
    let end = |local, peer, to, from| PairEnd { local, peer, to, from, waiting: None };
    (end(left, right, to_right, from_right), end(right, left, to_left, from_left))
}

fn address(n: u32) -> SocketAddr {
    SocketAddr::new(std::net::Ipv4Addr::from(0x0a00_0000 + n + 1).into(), 7000)
}

impl Transport for PairEnd {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn now(&self) -> u64 {
        clock::now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        if to != self.peer {
            return Err(io::ErrorKind::HostUnreachable.into());
        }
        match self.to.try_send(joined(frame)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TrySendError::Disconnected(_)) => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let frame = match self.waiting.take() {
            Some(frame) => frame,
            None => match self.from.try_recv() {
                Ok(frame) => frame,
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Err(io::ErrorKind::WouldBlock.into()),
            },
        };
        let len = frame.len().min(buffer.len());
        buffer[..len].copy_from_slice(&frame[..len]);
        Ok((len, self.peer))
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        if self.waiting.is_some() {
            return Ok(());
        }
        // A channel does not say when it has room again: look again after a while.
        let longest = Duration::from_millis(if writable { 1 } else { 1000 });
        let time = time.unwrap_or(longest).min(longest);
        match self.from.recv_timeout(time) {
            Ok(frame) => self.waiting = Some(frame),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(time),
        }
        Ok(())
    }
}

/// A simulated network: any number of ends, seeded faults on each way, a clock that moves only by `advance_to`.
#[derive(Clone, Debug)]
pub struct Network {
    inner: Arc<Mutex<Inner>>,
}

/// A frame on its way: when it arrives, its number, from, to.
type Flying = Reverse<(u64, u64, SocketAddr, SocketAddr, Vec<u8>)>;

#[derive(Debug)]
struct Inner {
    now: u64,
    number: u64,
    faults: Faults,
    lines: BTreeMap<(SocketAddr, SocketAddr), FaultLine>,
    flying: BinaryHeap<Flying>,
    inboxes: BTreeMap<SocketAddr, VecDeque<(SocketAddr, Vec<u8>)>>,
}

impl Network {
    /// A network without ends. Every way from one end to another draws from a seed of its own.
    pub fn new(faults: Faults) -> Network {
        let (lines, flying, inboxes) = (BTreeMap::new(), BinaryHeap::new(), BTreeMap::new());
        Network { inner: Arc::new(Mutex::new(Inner { now: 1, number: 0, faults, lines, flying, inboxes })) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new end at the next made-up address.
    pub fn end(&self) -> NetworkEnd {
        let mut inner = self.inner();
        let local = address(inner.inboxes.len() as u32);
        inner.inboxes.insert(local, VecDeque::new());
        NetworkEnd { network: self.clone(), local }
    }

    /// An end at the address of a previous end: frames waiting there are lost, frames in flight will arrive.
    pub fn end_at(&self, local: SocketAddr) -> NetworkEnd {
        self.inner().inboxes.insert(local, VecDeque::new());
        NetworkEnd { network: self.clone(), local }
    }

    /// The simulated time in nanoseconds.
    pub fn now(&self) -> u64 {
        self.inner().now
    }

    /// When the next frame arrives, or NEVER.
    pub fn next_arrival(&self) -> u64 {
        self.inner().flying.peek().map_or(u64::MAX, |frame| frame.0 .0)
    }

    /// Advances the time, never back, and delivers frames that are due.
    pub fn advance_to(&self, time: u64) {
        let mut inner = self.inner();
        inner.now = inner.now.max(time);
        inner.deliver();
    }

    /// Cuts or joins both ways between two addresses.
    pub fn set_partition(&self, one: SocketAddr, other: SocketAddr, partition: bool) {
        let mut inner = self.inner();
        inner.line(one, other).set_partition(partition);
        inner.line(other, one).set_partition(partition);
    }

    /// The counts of frames from one address to another.
    pub fn counts(&self, from: SocketAddr, to: SocketAddr) -> FaultCounts {
        self.inner().line(from, to).counts()
    }
}

impl Inner {
    fn line(&mut self, from: SocketAddr, to: SocketAddr) -> &mut FaultLine {
        let number = self.lines.len() as u64;
        let faults = &self.faults;
        self.lines.entry((from, to)).or_insert_with(|| {
            let seed = Random::new(faults.seed ^ number.wrapping_mul(0x9e37_79b9)).draw();
            FaultLine::new(Faults { seed, ..faults.clone() })
        })
    }

    fn deliver(&mut self) {
        while self.flying.peek().is_some_and(|frame| frame.0 .0 <= self.now) {
            let Some(Reverse((_, _, from, to, frame))) = self.flying.pop() else {
                break;
            };
            if let Some(inbox) = self.inboxes.get_mut(&to) {
                inbox.push_back((from, frame));
            }
        }
    }
}

/// An end of a simulated network.
#[derive(Debug)]
pub struct NetworkEnd {
    network: Network,
    local: SocketAddr,
}

impl Transport for NetworkEnd {
    fn local(&self) -> SocketAddr {
        self.local
    }

    fn now(&self) -> u64 {
        self.network.now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        let mut inner = self.network.inner();
        let copies = inner.line(self.local, to).pass(&joined(frame));
        for (after, copy) in copies {
            inner.number += 1;
            let flying = (inner.now.saturating_add(after), inner.number, self.local, to, copy);
            inner.flying.push(Reverse(flying));
        }
        inner.deliver();
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        let mut inner = self.network.inner();
        let inbox = inner.inboxes.get_mut(&self.local).ok_or(io::ErrorKind::NotConnected)?;
        let (from, frame) = inbox.pop_front().ok_or(io::ErrorKind::WouldBlock)?;
        let len = frame.len().min(buffer.len());
        buffer[..len].copy_from_slice(&frame[..len]);
        Ok((len, from))
    }

    /// Returns at once: simulated time does not pass before `Network::advance_to`.
    fn wait(&mut self, _: bool, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn deadline(&self) -> u64 {
        self.network.next_arrival()
    }
}
