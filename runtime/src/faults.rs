//! Faults of a network, drawn from a seed: loss, duplication, reordering, corruption, delay and partition.

use crate::clock::nanoseconds;
use crate::random::Random;
use crate::transport::{joined, Transport};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The faults of frames. Probabilities are from 0 to 1 and apply to each frame independently.
#[derive(Clone, Debug, PartialEq)]
pub struct Faults {
    pub loss: f64,
    pub duplicate: f64,
    /// A frame is held back by up to `reorder_by`, so that later ones overtake it.
    pub reorder: f64,
    pub reorder_by: Duration,
    /// One to four bits of a frame are flipped.
    pub corrupt: f64,
    pub delay: Duration,
    /// Added to the delay, evenly drawn from 0 to this. Frames may overtake one another by it.
    pub jitter: Duration,
    /// The same seed and the same frames meet the same faults.
    pub seed: u64,
}

impl Default for Faults {
    fn default() -> Faults {
        Faults {
            loss: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            reorder_by: Duration::from_millis(5),
            corrupt: 0.0,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            seed: 0,
        }
    }
}

/// Counts of the faults of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    pub frames: u64,
    pub lost: u64,
    pub duplicated: u64,
    pub reordered: u64,
    pub corrupted: u64,
    /// Lost because of the partition.
    pub partitioned: u64,
}

/// One direction of a network with faults. For each frame the same numbers are drawn in the same order whatever happens
/// to it, so that a changed probability changes nothing else.
#[derive(Clone, Debug)]
pub struct FaultLine {
    faults: Faults,
    random: Random,
    partition: bool,
    counts: FaultCounts,
}

impl FaultLine {
    /// A line that begins at the faults' seed.
    pub fn new(faults: Faults) -> FaultLine {
        FaultLine { random: Random::new(faults.seed), faults, partition: false, counts: FaultCounts::default() }
    }

    /// The fate of a frame: the delay in nanoseconds of each copy that arrives.
    pub fn pass(&mut self, frame: &[u8]) -> Vec<(u64, Vec<u8>)> {
        self.counts.frames += 1;
        let lost = self.random.chance(self.faults.loss);
        let duplicated = self.random.chance(self.faults.duplicate);
        let copies = [self.copy(frame), self.copy(frame)];
        if self.partition {
            self.counts.partitioned += 1;
            return Vec::new();
        }
        if lost {
            self.counts.lost += 1;
            return Vec::new();
        }
        self.counts.duplicated += u64::from(duplicated);
        let arriving = copies.into_iter().take(if duplicated { 2 } else { 1 });
        arriving
            .map(|copy| {
                self.counts.reordered += u64::from(copy.reordered);
                self.counts.corrupted += u64::from(copy.corrupted);
                (copy.after, copy.frame)
            })
            .collect()
    }

    /// Cuts the line, or joins it again.
    pub fn set_partition(&mut self, partition: bool) {
        self.partition = partition;
    }

    /// Changes the faults; the random numbers go on, the seed is not used.
    pub fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    /// The counts so far.
    pub fn counts(&self) -> FaultCounts {
        self.counts
    }

    fn copy(&mut self, frame: &[u8]) -> Copied {
        let reordered = self.random.chance(self.faults.reorder);
        let corrupted = self.random.chance(self.faults.corrupt) && !frame.is_empty();
        let mut after = nanoseconds(self.faults.delay);
        after = after.saturating_add(self.random.below(nanoseconds(self.faults.jitter) + 1));
        let held = self.random.below(nanoseconds(self.faults.reorder_by).max(1)) + 1;
        let mut bits = Random::new(self.random.draw());
        let mut frame = frame.to_vec();
        if corrupted {
            for _ in 0..=bits.below(4) {
                let bit = bits.below(frame.len() as u64 * 8) as usize;
                frame[bit / 8] ^= 1 << (bit % 8);
            }
        }
        Copied { frame, after: after.saturating_add(if reordered { held } else { 0 }), reordered, corrupted }
    }
}

struct Copied {
    frame: Vec<u8>,
    after: u64,
    reordered: bool,
    corrupted: bool,
}

/// Both directions of a transport with faults, shared with who changes or reads them while it runs.
#[derive(Clone, Debug)]
pub struct FaultHandle {
    lines: Arc<Mutex<[FaultLine; 2]>>,
}

impl FaultHandle {
    fn lines(&self) -> MutexGuard<'_, [FaultLine; 2]> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cuts both directions, or joins them again.
    pub fn set_partition(&self, partition: bool) {
        self.lines().iter_mut().for_each(|line| line.set_partition(partition));
    }

    /// The counts of outgoing and of incoming frames.
    pub fn counts(&self) -> (FaultCounts, FaultCounts) {
        let lines = self.lines();
        (lines[0].counts(), lines[1].counts())
    }
}

/// Which frames meet the faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Outgoing,
    Both,
}

/// A frame that is on its way: ordered by time, then by when it set out.
type Flying = Reverse<(u64, u64, SocketAddr, Vec<u8>)>;

/// A transport that injects faults into another.
pub struct Faulty<T> {
    inner: T,
    handle: FaultHandle,
    direction: Direction,
    leaving: BinaryHeap<Flying>,
    arriving: BinaryHeap<Flying>,
    number: u64,
}

impl<T: Transport> Faulty<T> {
    /// Puts faults around a transport. The two directions draw from seeds of their own.
    pub fn new(inner: T, faults: Faults, direction: Direction) -> Faulty<T> {
        let back = Faults { seed: Random::new(faults.seed).draw(), ..faults.clone() };
        let lines = Arc::new(Mutex::new([FaultLine::new(faults), FaultLine::new(back)]));
        let handle = FaultHandle { lines };
        Faulty { inner, handle, direction, leaving: BinaryHeap::new(), arriving: BinaryHeap::new(), number: 0 }
    }

    /// To change and read the faults while the transport runs.
    pub fn handle(&self) -> FaultHandle {
        self.handle.clone()
    }

    fn enter(&mut self, line: usize, address: SocketAddr, frame: &[u8]) {
        let now = self.inner.now();
        let copies = self.handle.lines()[line].pass(frame);
        for (after, copy) in copies {
            self.number += 1;
            let flying = Reverse((now.saturating_add(after), self.number, address, copy));
            if line == 0 { &mut self.leaving } else { &mut self.arriving }.push(flying);
        }
    }

    /// Forwards outgoing frames that are due. A frame that the inner transport has no room for waits.
    fn flush(&mut self) -> io::Result<()> {
        let now = self.inner.now();
        while self.leaving.peek().is_some_and(|frame| frame.0 .0 <= now) {
            let Some(Reverse((at, number, to, frame))) = self.leaving.pop() else {
                break;
            };
            match self.inner.send(to, &[IoSlice::new(&frame)]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.leaving.push(Reverse((at, number, to, frame)));
                    break;
                }
                sent => sent?,
            }
        }
        Ok(())
    }

    fn take_arrived(&mut self, buffer: &mut [u8]) -> Option<(usize, SocketAddr)> {
        let now = self.inner.now();
        if self.arriving.peek()?.0 .0 > now {
            return None;
        }
        let Reverse((_, _, from, frame)) = self.arriving.pop()?;
        let len = frame.len().min(buffer.len());
        buffer[..len].copy_from_slice(&frame[..len]);
        Some((len, from))
    }
}

impl<T: Transport> Transport for Faulty<T> {
    fn local(&self) -> SocketAddr {
        self.inner.local()
    }

    fn now(&self) -> u64 {
        self.inner.now()
    }

    fn send(&mut self, to: SocketAddr, frame: &[IoSlice<'_>]) -> io::Result<()> {
        self.enter(0, to, &joined(frame));
        self.flush()
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.flush()?;
        loop {
            if let Some(arrived) = self.take_arrived(buffer) {
                return Ok(arrived);
            }
            let (len, from) = self.inner.receive(buffer)?;
            if self.direction == Direction::Outgoing {
                return Ok((len, from));
            }
            self.enter(1, from, &buffer[..len]);
        }
    }

    fn wait(&mut self, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.inner.wait(writable, time)
    }

    fn wait_or(&mut self, bell: BorrowedFd<'_>, writable: bool, time: Option<Duration>) -> io::Result<()> {
        self.inner.wait_or(bell, writable, time)
    }

    fn reaches(&self, to: SocketAddr) -> bool {
        self.inner.reaches(to)
    }

    fn deadline(&self) -> u64 {
        let first = |flying: &BinaryHeap<Flying>| flying.peek().map_or(u64::MAX, |frame| frame.0 .0);
        self.inner.deadline().min(first(&self.leaving)).min(first(&self.arriving))
    }

    fn take_error(&mut self) -> Option<(SocketAddr, io::Error)> {
        self.inner.take_error()
    }

    fn descriptor(&self) -> Option<i32> {
        self.inner.descriptor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(faults: &Faults) -> (Vec<(u64, Vec<u8>)>, FaultCounts) {
        let mut line = FaultLine::new(faults.clone());
        let all = (0..10_000u32).flat_map(|n| line.pass(&n.to_le_bytes())).collect();
        (all, line.counts())
    }

    #[test]
    fn equal_seeds_give_equal_faults() {
        let faults = Faults { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, seed: 7, ..Faults::default() };
        assert_eq!(run(&faults), run(&faults));
        assert_ne!(run(&faults).0, run(&Faults { seed: 8, ..faults }).0);
    }

    #[test]
    fn faults_happen_as_often_as_stated() {
        let faults = Faults { loss: 0.2, duplicate: 0.1, reorder: 0.1, corrupt: 0.05, seed: 1, ..Faults::default() };
        let (arrived, counts) = run(&faults);
        assert!((1900..2100).contains(&counts.lost), "{counts:?}");
        assert!((700..900).contains(&counts.duplicated), "of those not lost: {counts:?}");
        assert!((350..550).contains(&counts.corrupted), "{counts:?}");
        assert_eq!(arrived.len() as u64, 10_000 - counts.lost + counts.duplicated);
    }

    #[test]
    fn partition_drops_all_frames() {
        let mut line = FaultLine::new(Faults::default());
        line.set_partition(true);
        assert!(line.pass(b"x").is_empty());
        line.set_partition(false);
        assert_eq!(line.pass(b"x"), vec![(0, b"x".to_vec())]);
        assert_eq!(line.counts().partitioned, 1);
    }
}
