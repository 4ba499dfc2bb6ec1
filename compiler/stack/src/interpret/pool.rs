//! The accounting of the message pool: the live blocks, and the number that a step allocated.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::value::{Message, Origin, Segment, Value};

/// The accounting. Blocks have unique numbers; free blocks are only counted.
#[derive(Clone, Debug)]
pub struct Pool {
    pub size: u32,
    /// Bytes in a block.
    pub block: usize,
    live: BTreeSet<u64>,
    next: u64,
    /// First block of this step's input, once it is kept, and the input.
    input: Option<u64>,
    source: Arc<[u8]>,
    /// Fresh blocks of this step.
    pub taken: u32,
}

impl Pool {
    /// Returns an empty pool of `size` blocks, each of `block` bytes (at least 1).
    pub fn new(size: u32, block: u32) -> Pool {
        let (live, source) = (BTreeSet::new(), Arc::from(&[][..]));
        Pool { size, block: block.max(1) as usize, live, next: 0, input: None, source, taken: 0 }
    }

    /// Returns the number of blocks that are not in use.
    pub fn free(&self) -> u32 {
        self.size.saturating_sub(self.live.len() as u32)
    }

    /// Returns the number of blocks that `length` bytes occupy.
    pub fn blocks_for(&self, length: usize) -> u32 {
        length.div_ceil(self.block) as u32
    }

    /// Begins a step whose outside event has this message.
    pub fn begin(&mut self, input: &Message) {
        self.taken = 0;
        self.input = None;
        self.source = input.segments.first().map_or_else(|| Arc::from(&[][..]), |s| Arc::from(s.slice()));
    }

    /// Ends a step: unreferenced blocks become free.
    pub fn end<'v>(&mut self, held: impl Iterator<Item = &'v Value>) {
        self.live.clear();
        for value in held {
            value.messages(&mut |message| {
                for segment in &message.segments {
                    if let Origin::Block(block) = segment.origin {
                        self.live.insert(block);
                    }
                }
            });
        }
    }

    /// Brings the bytes of all messages inside into the pool, where they are not there already.
    pub fn keep(&mut self, value: &mut Value) {
        value.messages_mut(&mut |message| self.keep_message(message));
    }

    fn keep_message(&mut self, message: &mut Message) {
        if message.in_pieces() {
            message.segments = Message::made(&message.bytes(), message.data).segments;
        }
        if message.segments.iter().all(|s| matches!(s.origin, Origin::Block(_))) {
            return;
        }
        let mut kept = Vec::with_capacity(message.segments.len());
        for segment in message.segments.drain(..) {
            match segment.origin {
                Origin::Block(_) => kept.push(segment),
                Origin::Made => {
                    let first = self.take(segment.to - segment.from);
                    split(&segment, segment.from, first, self.block, &mut kept);
                }
                Origin::Input => {
                    let first = match self.input {
                        Some(first) => first,
                        None => self.take(self.source.len()),
                    };
                    self.input = Some(first);
                    // Segments of the input keep its own numbering: byte 0 is the first byte of its data.
                    split(&segment, 0, first, self.block, &mut kept);
                }
            }
        }
        message.segments = kept;
    }

    fn take(&mut self, length: usize) -> u64 {
        let (count, first) = (self.blocks_for(length), self.next);
        self.taken += count;
        self.next += count as u64;
        first
    }
}

/// The segment, cut where blocks end that were counted from `base`.
fn split(segment: &Segment, base: usize, first: u64, block: usize, to: &mut Vec<Segment>) {
    let mut at = segment.from;
    while at < segment.to {
        let index = (at - base) / block;
        let end = (base + (index + 1) * block).min(segment.to);
        to.push(Segment {
            from: at,
            to: end,
            origin: Origin::Block(first + index as u64),
            bytes: segment.bytes.clone(),
            piece: 0,
        });
        at = end;
    }
}
