//! Datagrams that are sent together.

use crate::outbox::Flow;
use std::io::IoSlice;
use std::net::SocketAddr;

/// Datagrams to be sent in this order; they lie one behind the other in memory.
#[derive(Clone, Copy, Debug)]
pub struct Datagrams<'a> {
    batch: &'a Batch,
    first: usize,
}

/// Datagrams of one length (the last may be shorter) to one receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// The receiver.
    pub to: SocketAddr,
    /// Their bytes, one behind the other.
    pub bytes: &'a [u8],
    /// The length of each but the last, in bytes.
    pub each: usize,
    /// How many they are.
    pub count: usize,
}

impl<'a> Datagrams<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.batch.ends.len() - self.first
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each with its receiver.
    pub fn iter(self) -> impl Iterator<Item = (SocketAddr, &'a [u8])> {
        let Datagrams { batch, first } = self;
        (first..batch.ends.len()).map(move |index| (batch.ends[index].to, batch.get(index)))
    }

    /// The same in runs of at most `most` datagrams and `bytes` bytes each; one datagram may be longer than that.
    pub fn runs(self, most: usize, bytes: usize) -> impl Iterator<Item = Run<'a>> {
        let Datagrams { batch, mut first } = self;
        std::iter::from_fn(move || {
            let run = batch.run(first, most, bytes)?;
            first += run.count;
            Some(run)
        })
    }
}

/// A batch that has reached this number of datagrams or bytes is sent before another datagram is held.
const DATAGRAMS_MAX: usize = 256;
const BYTES_MAX: usize = 256 << 10;

/// Datagrams that are held to be sent together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    ends: Vec<End>,
    /// How many of the first ones have been sent.
    sent: usize,
}

/// Where a datagram of a batch ends, and whose it is.
#[derive(Clone, Copy, Debug)]
struct End {
    at: usize,
    to: SocketAddr,
    flow: Flow,
}

impl Batch {
    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether they should be sent before another one is held.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.ends.len() >= DATAGRAMS_MAX || self.bytes.len() >= BYTES_MAX
    }

    /// Holds one more.
    #[inline]
    pub(crate) fn push(&mut self, flow: Flow, to: SocketAddr, pieces: &[IoSlice<'_>]) {
        pieces.iter().for_each(|piece| self.bytes.extend_from_slice(piece));
        self.ends.push(End { at: self.bytes.len(), to, flow });
    }

    /// Those that have not been sent.
    pub(crate) fn rest(&self) -> Datagrams<'_> {
        Datagrams { batch: self, first: self.sent }
    }

    /// The first of these.
    pub(crate) fn first(&self) -> Option<(Flow, SocketAddr, &[u8])> {
        let end = self.ends.get(self.sent)?;
        Some((end.flow, end.to, self.get(self.sent)))
    }

    /// So many of these have been sent.
    pub(crate) fn pass(&mut self, count: usize) {
        self.sent = (self.sent + count).min(self.ends.len());
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.sent = 0;
    }

    fn get(&self, index: usize) -> &[u8] {
        &self.bytes[self.begin(index)..self.ends[index].at]
    }

    fn begin(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |previous| self.ends[previous].at)
    }

    fn run(&self, first: usize, most: usize, bytes: usize) -> Option<Run<'_>> {
        let to = self.ends.get(first)?.to;
        let (begin, each) = (self.begin(first), self.get(first).len());
        let follows = |at: usize| {
            let Some(next) = self.ends.get(at) else { return false };
            let len = next.at - self.begin(at);
            // One that is shorter ends a run; one without bytes would not be seen in it.
            let fits = at - first < most && next.at - begin <= bytes && (1..=each).contains(&len);
            fits && next.to == to && self.get(at - 1).len() == each
        };
        let count = 1 + (first + 1..).take_while(|at| follows(*at)).count();
        Some(Run { to, bytes: &self.bytes[begin..self.ends[first + count - 1].at], each, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(frames: &[(u16, usize)]) -> Batch {
        let mut batch = Batch::default();
        for (index, (port, len)) in frames.iter().enumerate() {
            let bytes = vec![index as u8; *len];
            batch.push(None, ([10, 0, 0, 1], *port).into(), &[IoSlice::new(&bytes)]);
        }
        batch
    }

    /// The counts of the runs.
    fn counts(frames: &[(u16, usize)], most: usize, bytes: usize) -> Vec<usize> {
        let batch = batch(frames);
        let runs: Vec<Run<'_>> = batch.rest().runs(most, bytes).collect();
        let joined: Vec<u8> = runs.iter().flat_map(|run| run.bytes.to_vec()).collect();
        assert_eq!(joined, batch.bytes, "nothing is missing");
        runs.iter().map(|run| run.count).collect()
    }

    #[test]
    fn run_ends_where_length_or_receiver_changes() {
        assert_eq!(counts(&[(1, 9); 5], 64, 1000), [5]);
        assert_eq!(counts(&[(1, 9), (1, 9), (2, 9)], 64, 1000), [2, 1]);
        assert_eq!(counts(&[(1, 9), (1, 4), (1, 4), (1, 9)], 64, 1000), [2, 1, 1], "the last may be shorter");
        assert_eq!(counts(&[(1, 4), (1, 9)], 64, 1000), [1, 1], "not longer");
        assert_eq!(counts(&[(1, 4), (1, 0), (1, 0), (1, 4)], 64, 1000), [1, 1, 1, 1], "nor empty");
    }

    #[test]
    fn run_is_bounded() {
        assert_eq!(counts(&[(1, 9); 5], 2, 1000), [2, 2, 1]);
        assert_eq!(counts(&[(1, 9); 5], 64, 27), [3, 2]);
        assert_eq!(counts(&[(1, 50), (1, 50)], 64, 20), [1, 1], "one alone may be longer");
    }

    #[test]
    fn rest_begins_behind_what_was_sent() {
        let mut batch = batch(&[(1, 3), (1, 3), (2, 5)]);
        batch.pass(1);
        assert_eq!(batch.rest().len(), 2);
        assert_eq!(batch.first().map(|(_, _, bytes)| bytes.to_vec()), Some(vec![1; 3]));
        let all: Vec<(u16, usize)> = batch.rest().iter().map(|(to, bytes)| (to.port(), bytes.len())).collect();
        assert_eq!(all, [(1, 3), (2, 5)]);
        batch.pass(2);
        assert!(batch.rest().is_empty() && batch.first().is_none());
    }
}
