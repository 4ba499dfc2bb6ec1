//! Frames that wait for room in a transport: a queue for each connection, served in turn.
//!
//! A queue may grow as long as the room that is left for all (dynamic thresholds, Choudhury and Hahne 1998): one alone
//! takes half of it, `n` take equal parts and leave another such part free, so that a frame of a connection that has
//! none waiting finds room.

use crate::outbox::Flow;
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;

/// Frames of one connection from which on its calls are refused.
const CONGESTED: usize = 64;

/// The frames that wait.
pub(crate) struct Backlog {
    queues: HashMap<Flow, Queue>,
    /// Whose queues are not empty; the next first.
    turns: VecDeque<Flow>,
    bytes: usize,
    most: usize,
}

#[derive(Default)]
struct Queue {
    frames: VecDeque<(SocketAddr, Vec<u8>)>,
    bytes: usize,
}

impl Backlog {
    /// An empty backlog for at most `most` bytes.
    pub(crate) fn new(most: usize) -> Backlog {
        Backlog { queues: HashMap::new(), turns: VecDeque::new(), bytes: 0, most }
    }

    /// Whether no frame waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Whether frames of a connection wait.
    #[inline]
    pub(crate) fn has(&self, flow: Flow) -> bool {
        !self.is_empty() && self.queues.contains_key(&flow)
    }

    /// How many connections have frames that wait.
    pub(crate) fn flows(&self) -> usize {
        self.turns.len()
    }

    /// Lets the others go before the one whose frame would be next.
    pub(crate) fn pass_turn(&mut self) {
        if let Some(flow) = self.turns.pop_front() {
            self.turns.push_back(flow);
        }
    }

    /// Adds a frame; returns whether there was room.
    pub(crate) fn push(&mut self, flow: Flow, to: SocketAddr, frame: Vec<u8>) -> bool {
        let room = self.most - self.bytes;
        let waiting = self.queues.get(&flow).map_or(0, |queue| queue.bytes);
        if waiting + frame.len() > room {
            return false;
        }
        self.bytes += frame.len();
        let queue = self.queues.entry(flow).or_default();
        queue.bytes += frame.len();
        queue.frames.push_back((to, frame));
        if queue.frames.len() == 1 {
            self.turns.push_back(flow);
        }
        true
    }

    /// Takes the next frame.
    pub(crate) fn pop(&mut self) -> Option<(Flow, SocketAddr, Vec<u8>)> {
        let flow = self.turns.pop_front()?;
        let queue = self.queues.get_mut(&flow)?;
        let (to, frame) = queue.frames.pop_front()?;
        queue.bytes -= frame.len();
        self.bytes -= frame.len();
        match queue.frames.is_empty() {
            true => drop(self.queues.remove(&flow)),
            false => self.turns.push_back(flow),
        }
        Some((flow, to, frame))
    }

    /// Puts back what was taken last: it is the next again.
    pub(crate) fn put_back(&mut self, flow: Flow, to: SocketAddr, frame: Vec<u8>) {
        self.bytes += frame.len();
        let queue = self.queues.entry(flow).or_default();
        if !queue.frames.is_empty() {
            self.turns.pop_back();
        }
        queue.bytes += frame.len();
        queue.frames.push_front((to, frame));
        self.turns.push_front(flow);
    }

    /// Drops the frames of a connection.
    pub(crate) fn discard(&mut self, flow: Flow) {
        if let Some(queue) = self.queues.remove(&flow) {
            self.bytes -= queue.bytes;
            self.turns.retain(|other| *other != flow);
        }
    }

    /// Whether a connection must not be asked for more frames now. Below this bound, there is room for what its stack
    /// sends by itself.
    #[inline]
    pub(crate) fn is_congested(&self, flow: Flow) -> bool {
        match self.queues.get(&flow) {
            Some(queue) => queue.frames.len() >= CONGESTED || 2 * queue.bytes >= self.most - self.bytes,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::ConnectionId;

    fn flow(n: u64) -> Flow {
        Some(ConnectionId::from_number(n))
    }

    fn to(n: u64) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], n as u16))
    }

    /// Adds frames of one byte with numbers; returns how many had room.
    fn push(backlog: &mut Backlog, n: u64, count: usize) -> usize {
        (0..count).filter(|at| backlog.push(flow(n), to(n), vec![*at as u8])).count()
    }

    #[test]
    fn connections_take_turns_and_keep_their_order() {
        let mut backlog = Backlog::new(1000);
        for (n, count) in [(1, 4), (2, 2), (3, 1)] {
            assert_eq!(push(&mut backlog, n, count), count);
        }
        let (first, to, frame) = backlog.pop().unwrap();
        backlog.put_back(first, to, frame);
        let taken: Vec<(u16, u8)> =
            std::iter::from_fn(|| backlog.pop()).map(|(_, to, frame)| (to.port(), frame[0])).collect();
        assert_eq!(taken, [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2), (1, 3)]);
        assert!(backlog.is_empty() && backlog.queues.is_empty() && backlog.bytes == 0);
    }

    #[test]
    fn connection_that_passes_its_turn_is_the_last() {
        let mut backlog = Backlog::new(1000);
        (1..4).for_each(|n| assert_eq!(push(&mut backlog, n, 2), 2));
        backlog.pass_turn();
        assert!(backlog.has(flow(1)) && !backlog.has(flow(4)) && backlog.flows() == 3);
        let taken: Vec<u16> = std::iter::from_fn(|| backlog.pop()).map(|(_, to, _)| to.port()).collect();
        assert_eq!(taken, [2, 3, 1, 2, 3, 1]);
    }

    #[test]
    fn frame_that_is_put_back_is_the_next_again() {
        let mut backlog = Backlog::new(1000);
        push(&mut backlog, 1, 1);
        push(&mut backlog, 2, 2);
        for _ in 0..3 {
            let (flow, to, frame) = backlog.pop().unwrap();
            backlog.put_back(flow, to, frame);
        }
        let taken: Vec<u16> = std::iter::from_fn(|| backlog.pop()).map(|(_, to, _)| to.port()).collect();
        assert_eq!(taken, [1, 2, 2]);
        push(&mut backlog, 1, 1);
        let (alone, to, frame) = backlog.pop().unwrap();
        backlog.put_back(alone, to, frame);
        assert_eq!((backlog.turns.len(), backlog.bytes), (1, 1));
    }

    #[test]
    fn one_connection_leaves_room_for_others() {
        let mut backlog = Backlog::new(1000);
        assert_eq!(push(&mut backlog, 1, 2000), 500);
        assert_eq!(push(&mut backlog, 2, 2000), 250);
        assert_eq!(push(&mut backlog, 1, 1), 0, "it has more than its part");
        for n in 3..100 {
            assert!(push(&mut backlog, n, 1) == 1, "one frame of each finds room: {n}");
        }
        assert!(backlog.bytes <= 1000);
        backlog.discard(flow(1));
        assert_eq!(push(&mut backlog, 200, 2000), 327);
    }

    #[test]
    fn discarded_frames_leave_no_trace() {
        let mut backlog = Backlog::new(1000);
        (1..4).for_each(|n| assert_eq!(push(&mut backlog, n, 3), 3));
        backlog.discard(flow(2));
        backlog.discard(flow(9));
        let taken: Vec<u16> = std::iter::from_fn(|| backlog.pop()).map(|(_, to, _)| to.port()).collect();
        assert_eq!(taken, [1, 3, 1, 3, 1, 3]);
        assert!(backlog.is_empty() && backlog.bytes == 0);
    }

    #[test]
    fn congestion_comes_before_the_end_and_concerns_one_connection() {
        let mut backlog = Backlog::new(100_000);
        push(&mut backlog, 1, CONGESTED - 1);
        assert!(!backlog.is_congested(flow(1)));
        push(&mut backlog, 1, 1);
        assert!(backlog.is_congested(flow(1)) && !backlog.is_congested(flow(2)));
        let mut small = Backlog::new(90);
        push(&mut small, 1, 29);
        assert!(!small.is_congested(flow(1)));
        push(&mut small, 1, 1);
        assert!(small.is_congested(flow(1)));
        assert_eq!(push(&mut small, 1, 100), 15);
    }
}
