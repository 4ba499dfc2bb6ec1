//! Datagrams that one system call has received.

use super::batches;
use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

/// The bytes that are reserved for a datagram, or for several that the system has joined. Touched only as used.
const SLOT: usize = 1 << 16;
/// The slots that the system is offered at first, and at most. Two tell a lone datagram from a first one.
const FEW: usize = 2;
const MANY: usize = 32;

/// What the system has put into a slot.
#[derive(Clone, Copy, Debug)]
struct Filled {
    from: SocketAddr,
    len: usize,
    /// The length of each datagram but the last; 0: there is only one.
    each: usize,
}

/// Datagrams that have been received and not yet handed on.
#[derive(Debug)]
pub(super) struct Received {
    bytes: Vec<u8>,
    filled: Vec<Filled>,
    /// The slot and the byte in it that come next.
    slot: usize,
    at: usize,
    /// How many slots the system is offered.
    offered: usize,
    emptied: bool,
}

impl Received {
    /// Nothing was received.
    pub(super) fn new() -> Received {
        Received { bytes: vec![0; MANY * SLOT], filled: Vec::new(), slot: 0, at: 0, offered: FEW, emptied: false }
    }

    /// Whether none is left.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.slot == self.filled.len()
    }

    /// Whether the system had no more than it was asked for. Says so once, and not before all are handed on.
    #[inline]
    pub(super) fn take_emptied(&mut self) -> bool {
        self.is_empty() && std::mem::take(&mut self.emptied)
    }

    /// Asks the system for more. None may be left.
    pub(super) fn refill(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        debug_assert!(self.is_empty());
        (self.slot, self.at, self.emptied) = (0, 0, false);
        self.filled.clear();
        let Received { bytes, filled, offered, .. } = self;
        let fill = |from, len, each| filled.push(Filled { from, len, each });
        batches::receive(socket, &mut bytes[..*offered * SLOT], SLOT, fill)?;
        let is_full = self.filled.len() == self.offered;
        self.emptied = batches::RECEIVES_ALL && !is_full;
        self.offered = if is_full { MANY.min(self.offered * 4) } else { FEW.max(self.filled.len() + 1) };
        Ok(())
    }

    /// The next datagram; longer ones are cut.
    #[inline]
    pub(super) fn next(&mut self, buffer: &mut [u8]) -> Option<(usize, SocketAddr)> {
        let filled = *self.filled.get(self.slot)?;
        let begin = self.slot * SLOT + self.at;
        let left = filled.len - self.at;
        let len = if filled.each == 0 { left } else { left.min(filled.each) };
        self.at += len;
        if self.at >= filled.len {
            (self.slot, self.at) = (self.slot + 1, 0);
        }
        let kept = len.min(buffer.len());
        buffer[..kept].copy_from_slice(&self.bytes[begin..begin + kept]);
        Some((kept, filled.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(filled: &[(usize, usize)]) -> Received {
        let mut received = Received::new();
        for (slot, (len, each)) in filled.iter().enumerate() {
            let from = ([10, 0, 0, 1], slot as u16).into();
            received.bytes[slot * SLOT..][..*len].iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8);
            received.filled.push(Filled { from, len: *len, each: *each });
        }
        received.emptied = true;
        received
    }

    #[test]
    fn joined_datagrams_are_handed_on_one_by_one() {
        let mut received = received(&[(7, 3), (0, 0), (4, 4), (5, 0)]);
        let mut buffer = [0xff; 16];
        let mut seen = vec![];
        while !received.is_empty() {
            assert!(!received.take_emptied(), "some are left");
            let (len, from) = received.next(&mut buffer).unwrap();
            seen.push((from.port(), buffer[..len].to_vec()));
        }
        let wanted: [(u16, &[u8]); 6] =
            [(0, &[0, 1, 2]), (0, &[3, 4, 5]), (0, &[6]), (1, &[]), (2, &[0, 1, 2, 3]), (3, &[0, 1, 2, 3, 4])];
        assert_eq!(seen, wanted.map(|(port, bytes)| (port, bytes.to_vec())));
        assert!(received.next(&mut buffer).is_none());
        assert!(received.take_emptied() && !received.take_emptied());
    }

    #[test]
    fn datagram_is_cut_to_the_buffer() {
        let mut received = received(&[(9, 6)]);
        let mut buffer = [0; 4];
        assert_eq!(received.next(&mut buffer).map(|(len, _)| len), Some(4));
        assert_eq!(received.next(&mut buffer).map(|(len, _)| len), Some(3), "the next one is whole");
    }
}
