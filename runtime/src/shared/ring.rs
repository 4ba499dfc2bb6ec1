//! A ring of frames in shared memory, with one producer and one consumer, neither of which trusts the other.
//!
//! Positions count bytes from the beginning and never go back. The producer alone writes `TAIL`, the consumer alone
//! `HEAD`; each keeps its own position in memory of its own, and reads the other's only when what it read last does not
//! suffice. Between the two lie whole entries: a word with the length of a frame, and its bytes, padded to words. Each
//! position has a cache line of its own, and the flags, which change only when a side sleeps, have others.
//!
//! An end that finds a position or a length that cannot be reads nothing further. Whatever the memory contains, only
//! words of the ring are accessed.

use super::memory::Memory;
use std::fmt;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{fence, AtomicU64};
use std::sync::Arc;

/// Bytes of the entries that a ring holds at most: a power of two.
pub(super) const CAPACITY: u64 = 1 << 20;
/// The longest frame, in bytes.
pub(super) const FRAME_MAX: usize = 1 << 16;
const _: () = assert!(CAPACITY.is_power_of_two() && (FRAME_MAX as u64 + 8) < CAPACITY / 8);
/// Words of a ring of this capacity.
pub(super) const RING: usize = words_for(CAPACITY);

const WORD: usize = 8;
/// The words in front of the entries; 128 bytes apart, as processors fetch two lines at a time.
const TAIL: usize = 0;
const HEAD: usize = 16;
const CONSUMER_SLEEPS: usize = 32;
const PRODUCER_SLEEPS: usize = 48;
const CONTROL: usize = 256;

/// Words of a ring whose entries take `capacity` bytes.
pub(super) const fn words_for(capacity: u64) -> usize {
    CONTROL + capacity as usize / WORD
}

/// Bytes of the entry of a frame.
#[inline]
fn entry(len: usize) -> u64 {
    ((1 + len.div_ceil(WORD)) * WORD) as u64
}

/// What the other side has written cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inconsistent {
    /// The positions are this number of bytes apart.
    Position(u64),
    /// The stated length of a frame, and the bytes that are in the ring.
    Length(u64, u64),
}

impl fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconsistent::Position(used) => write!(f, "the peer's positions in a shared ring are {used} bytes apart"),
            Inconsistent::Length(len, available) => {
                write!(f, "the peer's frame in a shared ring has {len} bytes, of {available} that are there")
            }
        }
    }
}

/// Where a ring is.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    memory: Arc<Memory>,
    /// Its first word.
    begin: usize,
    capacity: u64,
}

impl Ring {
    /// The ring of so many bytes, a power of two, that begins with a word of a memory.
    pub(super) fn new(memory: &Arc<Memory>, begin: usize, capacity: u64) -> Ring {
        assert!(capacity.is_power_of_two() && begin + words_for(capacity) <= memory.len(), "the ring is in its memory");
        Ring { memory: memory.clone(), begin, capacity }
    }

    #[inline]
    fn control(&self, word: usize) -> &AtomicU64 {
        &self.memory[self.begin + word]
    }

    #[inline]
    fn entries(&self) -> &[AtomicU64] {
        &self.memory[self.begin + CONTROL..][..self.capacity as usize / WORD]
    }

    /// The entry's word at a position.
    #[inline]
    fn index(&self, position: u64) -> usize {
        (position & (self.capacity - 1)) as usize / WORD
    }

    /// Whether positions so far apart may be.
    #[inline]
    fn check(&self, used: u64) -> Result<u64, Inconsistent> {
        match used <= self.capacity && used % WORD as u64 == 0 {
            true => Ok(used),
            false => Err(Inconsistent::Position(used)),
        }
    }

    /// Whether the other side sleeps until it is woken. Says so once.
    #[inline]
    fn take_sleeper(&self, flag: usize) -> bool {
        // What was published must be seen by a side that sets its flag after this look, as it looks again then.
        fence(SeqCst);
        let flag = self.control(flag);
        flag.load(Relaxed) != 0 && flag.swap(0, Relaxed) != 0
    }
}

/// The end that writes frames.
#[derive(Debug)]
pub(super) struct Producer {
    ring: Ring,
    tail: u64,
    /// The consumer's position when it was read last.
    head: u64,
}

impl Producer {
    /// The producer of a ring that nothing was written to.
    pub(super) fn new(ring: Ring) -> Producer {
        Producer { ring, tail: 0, head: 0 }
    }

    /// Writes a frame of at most `FRAME_MAX` bytes; returns whether there was room.
    #[inline]
    pub(super) fn push(&mut self, frame: &[u8]) -> Result<bool, Inconsistent> {
        debug_assert!(frame.len() <= FRAME_MAX, "no consumer takes a longer frame");
        if !self.has_room(frame.len())? {
            return Ok(false);
        }
        let (entries, at) = (self.ring.entries(), self.ring.index(self.tail));
        entries[at].store(frame.len() as u64, Relaxed);
        let words = frame.len().div_ceil(WORD);
        let (begin, end) = (at + 1, at + 1 + words);
        if end <= entries.len() {
            write(&entries[begin..end], frame);
        } else {
            let (first, second) = frame.split_at((entries.len() - begin) * WORD);
            write(&entries[begin..], first);
            write(&entries[..end - entries.len()], second);
        }
        self.tail = self.tail.wrapping_add(entry(frame.len()));
        self.ring.control(TAIL).store(self.tail, Release);
        Ok(true)
    }

    /// Whether a frame of so many bytes has room.
    #[inline]
    pub(super) fn has_room(&mut self, len: usize) -> Result<bool, Inconsistent> {
        let most = self.ring.capacity - entry(len);
        if self.tail.wrapping_sub(self.head) <= most {
            return Ok(true);
        }
        let head = self.ring.control(HEAD).load(Acquire);
        let used = self.ring.check(self.tail.wrapping_sub(head))?;
        if used > self.tail.wrapping_sub(self.head) {
            return Err(Inconsistent::Position(used));
        }
        self.head = head;
        Ok(used <= most)
    }

    /// Whether the consumer is to be woken, as it sleeps and something was written.
    #[inline]
    pub(super) fn take_sleeping_consumer(&self) -> bool {
        self.ring.take_sleeper(CONSUMER_SLEEPS)
    }

    /// Asks the consumer to wake this side when it has made room. A fence (SeqCst) and a look for room must follow.
    pub(super) fn arm(&self) {
        self.ring.control(PRODUCER_SLEEPS).store(1, Relaxed);
    }
}

/// The end that reads frames.
#[derive(Debug)]
pub(super) struct Consumer {
    ring: Ring,
    head: u64,
    /// The producer's position when it was read last.
    tail: u64,
    /// The position at which the producer was woken last, if it slept.
    woken: u64,
}

impl Consumer {
    /// The consumer of a ring that nothing was read from.
    pub(super) fn new(ring: Ring) -> Consumer {
        Consumer { ring, head: 0, tail: 0, woken: 0 }
    }

    /// Whether a frame is there of which this side knows already.
    #[inline]
    pub(super) fn has_known(&self) -> bool {
        self.head != self.tail
    }

    /// Whether a frame is there, or something that cannot be.
    #[inline]
    pub(super) fn has_frame(&mut self) -> bool {
        self.has_known() || self.look() != Ok(false)
    }

    #[inline]
    fn look(&mut self) -> Result<bool, Inconsistent> {
        let tail = self.ring.control(TAIL).load(Acquire);
        let available = self.ring.check(tail.wrapping_sub(self.head))?;
        self.tail = tail;
        Ok(available > 0)
    }

    /// Reads a frame into a buffer, cut to its length; returns how many bytes were copied.
    #[inline]
    pub(super) fn pop(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Inconsistent> {
        if !self.has_known() && !self.look()? {
            return Ok(None);
        }
        let (entries, at) = (self.ring.entries(), self.ring.index(self.head));
        // Read once: it may change meanwhile.
        let (stated, available) = (entries[at].load(Relaxed), self.tail.wrapping_sub(self.head));
        let len = match usize::try_from(stated) {
            Ok(len) if len <= FRAME_MAX && entry(len) <= available => len,
            _ => return Err(Inconsistent::Length(stated, available)),
        };
        let kept = len.min(buffer.len());
        let (begin, end) = (at + 1, at + 1 + kept.div_ceil(WORD));
        if end <= entries.len() {
            read(&entries[begin..end], &mut buffer[..kept]);
        } else {
            let (first, second) = buffer[..kept].split_at_mut((entries.len() - begin) * WORD);
            read(&entries[begin..], first);
            read(&entries[..end - entries.len()], second);
        }
        self.head = self.head.wrapping_add(entry(len));
        self.ring.control(HEAD).store(self.head, Release);
        Ok(Some(kept))
    }

    /// Whether the producer is to be woken, as it sleeps and room was made. This is so for the last frame, and once for
    /// every eighth of the ring: more than the longest frame.
    #[inline]
    pub(super) fn take_sleeping_producer(&mut self) -> bool {
        let read = self.head.wrapping_sub(self.woken);
        if read == 0 || self.has_known() && read < self.ring.capacity / 8 {
            return false;
        }
        self.woken = self.head;
        self.ring.take_sleeper(PRODUCER_SLEEPS)
    }

    /// Asks the producer to wake this side when it has written something. A fence (SeqCst) and a look for frames must
    /// follow.
    #[inline]
    pub(super) fn arm(&self) {
        self.ring.control(CONSUMER_SLEEPS).store(1, Relaxed);
    }

    /// Takes that back.
    #[inline]
    pub(super) fn disarm(&self) {
        self.ring.control(CONSUMER_SLEEPS).store(0, Relaxed);
    }
}

/// Writes bytes into words; the last word is padded with 0.
#[inline]
fn write(words: &[AtomicU64], bytes: &[u8]) {
    let whole = bytes.chunks_exact(WORD);
    let rest = whole.remainder();
    if let (Some(word), false) = (words.get(bytes.len() / WORD), rest.is_empty()) {
        let mut value = [0; WORD];
        value[..rest.len()].copy_from_slice(rest);
        word.store(u64::from_ne_bytes(value), Relaxed);
    }
    for (word, chunk) in words.iter().zip(whole) {
        let mut value = [0; WORD];
        value.copy_from_slice(chunk);
        word.store(u64::from_ne_bytes(value), Relaxed);
    }
}

/// Reads bytes from words.
#[inline]
fn read(words: &[AtomicU64], bytes: &mut [u8]) {
    let whole = bytes.len() / WORD;
    let mut chunks = bytes.chunks_exact_mut(WORD);
    for (chunk, word) in chunks.by_ref().zip(words) {
        chunk.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
    }
    let rest = chunks.into_remainder();
    if let (Some(word), false) = (words.get(whole), rest.is_empty()) {
        rest.copy_from_slice(&word.load(Relaxed).to_ne_bytes()[..rest.len()]);
    }
}

#[cfg(test)]
mod tests;
