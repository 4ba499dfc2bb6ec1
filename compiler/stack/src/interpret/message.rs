//! Operations on messages: slicing, joining, removing headers.

use std::sync::Arc;

use super::value::{Message, Origin, Segment, Value};
use crate::{HeaderId, LayerId, Stack};

impl Segment {
    /// Returns the bytes that the segment covers.
    pub fn slice(&self) -> &[u8] {
        &self.bytes[self.from..self.to]
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.data == other.data && self.headers == other.headers && self.bytes() == other.bytes()
    }
}

impl Message {
    /// Returns a message without headers whose bytes are copied into one segment, or none if there are none.
    pub fn new(bytes: &[u8], origin: Origin, data: bool) -> Message {
        let whole = Segment { bytes: Arc::from(bytes), from: 0, to: bytes.len(), origin, piece: 0 };
        let segments = if bytes.is_empty() { vec![] } else { vec![whole] };
        Message { headers: vec![], segments, data }
    }

    /// A message of bytes that a layer or an extern made.
    pub fn made(bytes: &[u8], data: bool) -> Message {
        Message::new(bytes, Origin::Made, data)
    }

    /// Returns the length of the payload in bytes, without headers.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|s| s.to - s.from).sum()
    }

    /// Returns whether the payload is empty; there can be headers nevertheless.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a contiguous copy of the payload.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        self.segments.iter().for_each(|s| bytes.extend_from_slice(s.slice()));
        bytes
    }

    /// Whether it was joined, and still is in more than one piece.
    pub fn in_pieces(&self) -> bool {
        self.segments.windows(2).any(|pair| pair[0].piece != pair[1].piece)
    }

    /// Puts another message's bytes behind these, as pieces of their own.
    pub fn append(&mut self, other: &mut Vec<Segment>) {
        let mut number = self.segments.last().map_or(0, |s| s.piece);
        let mut before = None;
        for mut segment in other.drain(..) {
            if before != Some(segment.piece) {
                number += 1;
            }
            before = Some(std::mem::replace(&mut segment.piece, number));
            self.segments.push(segment);
        }
    }

    /// Data `at .. at + len`, both clamped, without headers.
    pub fn slice(&self, at: u64, len: u64) -> Message {
        let total = self.len() as u64;
        let from = at.min(total);
        let to = from + len.min(total - from);
        let (mut segments, mut start) = (vec![], 0);
        for segment in &self.segments {
            let end = start + (segment.to - segment.from) as u64;
            let (cut_from, cut_to) = (from.max(start), to.min(end));
            if cut_from < cut_to {
                let base = segment.from as u64;
                segments.push(Segment {
                    from: (base + cut_from - start) as usize,
                    to: (base + cut_to - start) as usize,
                    ..segment.clone()
                });
            }
            start = end;
        }
        Message { headers: vec![], segments, data: self.data }
    }

    /// Without the first n data bytes, under the same headers.
    pub fn rest(mut self, n: u64) -> Message {
        let headers = std::mem::take(&mut self.headers);
        Message { headers, ..self.slice(n, u64::MAX) }
    }

    /// Returns which header of the layer is on the message, if one is.
    pub fn header_of(&self, stack: &Stack, layer: LayerId) -> Option<HeaderId> {
        self.headers.iter().map(|(id, _)| *id).find(|id| stack.header(*id).layer == layer)
    }

    /// Takes the header of a layer off; gives its fields.
    pub fn pop(&mut self, stack: &Stack, layer: LayerId) -> Vec<Value> {
        let at = self.headers.iter().position(|(id, _)| stack.header(*id).layer == layer);
        at.map(|at| self.headers.remove(at).1).unwrap_or_default()
    }
}
