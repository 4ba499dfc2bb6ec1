//! An abstract message: the known properties of a message that flows through the stack, without its bytes.

use std::collections::BTreeMap;

use nacre_analysis::{Lattice, Stride};
use nacre_stack::HeaderId;

use crate::length::Length;
pub(crate) use crate::length::LONGEST;

/// Upper limit of the counted pieces of a message.
const PIECES: u32 = 1 << 16;

/// The number of changes of the bounds at one place that are followed exactly.
const FOLLOWED: u32 = 100;

/// The greatest common divisor; that of 0 and n is n.
pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    Stride(a).joined(&Stride(b)).0
}

/// Where the bytes of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// From the outside event; some may be in the pool.
    Entered,
    /// In the pool, or there are none.
    Kept,
    /// Made by a layer in this step from the bytes that entered.
    Remade,
    /// Made by a layer in this step from something else; some may be in the pool.
    Made,
    /// Partly from the outside event, partly made.
    Mixed,
}

impl Origin {
    /// The origin of bytes joined from two messages.
    pub fn joined(self, other: Origin) -> Origin {
        use Origin::*;
        match (self, other) {
            (Kept, one) | (one, Kept) => one,
            (Entered, Entered) => Entered,
            (Remade | Made, Remade | Made) => Made,
            _ => Mixed,
        }
    }
}

/// The common properties of messages that the stack treats alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind {
    /// From the lowest layer up.
    pub headers: Vec<HeaderId>,
    /// Whether it entered at a port (and was not made by a layer).
    pub data: bool,
    pub origin: Origin,
}

/// Bounds of the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub min: u32,
    pub max: u32,
    /// The number of pieces of which it consists, and the length of the longest.
    pub pieces: u32,
    pub piece: u32,
    /// If it is part of a longer message: its start is a multiple of this (1: anywhere; 0: it begins where that does).
    pub cut: u32,
    /// Whether it is certainly no part of a longer message.
    pub whole: bool,
    /// The most bytes that it exceeds the message that entered by.
    pub growth: u32,
    /// Its length as far as this endpoint determines it, whatever step stored its bytes.
    pub length: Length,
}

impl Size {
    /// The size of a message without data.
    pub const NONE: Size =
        Size { min: 0, max: 0, pieces: 0, piece: 0, cut: 0, whole: true, growth: 0, length: Length::NONE };

    /// Data of at most `max` bytes in one piece.
    pub fn up_to(max: u32) -> Size {
        let max = max.min(LONGEST);
        let length = Length::limited(max);
        Size { min: 0, max, pieces: 1, piece: max, cut: 0, whole: true, growth: 0, length }
    }

    /// The message of a call whose length no layer states.
    pub fn of_call(max: u32) -> Size {
        Size { length: Length::of_call(max), ..Size::up_to(max) }
    }

    /// Data that the peer sent.
    pub fn of_peer(max: u32) -> Size {
        Size { length: Length::NONE, ..Size::up_to(max) }
    }

    /// Bounds that hold for both.
    pub fn join(self, other: Size) -> Size {
        Size {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            pieces: self.pieces.max(other.pieces),
            piece: self.piece.max(other.piece),
            cut: gcd(self.cut, other.cut),
            whole: self.whole && other.whole,
            growth: self.growth.max(other.growth),
            length: self.length.either(other.length),
        }
    }

    /// Widens bounds that have changed `times` times; `before` are the previous ones. What still grows then, such as a
    /// message that is kept, lengthened by a filter and kept again, is unbounded.
    pub fn widened(self, before: Size, times: u32) -> Size {
        if times <= FOLLOWED {
            return self;
        }
        let bound = |now: u32, before: u32, most: u32| if now > before { most } else { now };
        Size {
            min: if self.min < before.min { 0 } else { self.min },
            max: bound(self.max, before.max, LONGEST),
            pieces: bound(self.pieces, before.pieces, PIECES),
            piece: bound(self.piece, before.piece, LONGEST),
            cut: self.cut,
            whole: self.whole,
            growth: bound(self.growth, before.growth, LONGEST),
            length: self.length.widened(before.length),
        }
    }

    /// The same message with this limit of its length.
    pub fn at_most(self, max: u32) -> Size {
        let length = self.length.at_most(max);
        Size { min: self.min.min(max), max: self.max.min(max), piece: self.piece.min(max), length, ..self }
    }

    /// A part of it that begins at a multiple of `stride`.
    pub fn part(self, max: u32, stride: u32) -> Size {
        Size { min: 0, cut: gcd(self.cut, stride), whole: false, ..self.at_most(max) }
    }

    /// New bytes made from it, longer by at most `more` of its length.
    pub fn grown(self, more: impl Fn(u32) -> u32) -> Size {
        let by = more(self.max);
        let max = self.max.saturating_add(by).min(LONGEST);
        let growth = self.growth.saturating_add(by).min(LONGEST);
        let length = self.length.grown(more);
        Size { min: 0, max, pieces: 1, piece: max, cut: 0, whole: true, growth, length }
    }

    /// Up to `count` such messages joined in front of `last`.
    pub fn joined(self, count: u32, last: Size) -> Size {
        let max = (u64::from(self.max) * u64::from(count) + u64::from(last.max)).min(u64::from(LONGEST)) as u32;
        let pieces = self.pieces.saturating_mul(count).saturating_add(last.pieces).min(PIECES);
        let (piece, cut) = (self.piece.max(last.piece), gcd(self.cut, last.cut));
        let (growth, length) = (self.growth.max(last.growth), self.length.times(count).followed_by(last.length));
        Size { min: last.min, max, pieces, piece, cut, whole: false, growth, length }
    }

    /// The message after it is stored: pieces are copied into one.
    fn in_one(self) -> Size {
        let piece = if self.pieces > 1 { self.max } else { self.piece };
        Size { pieces: self.pieces.min(1), piece, ..self }
    }

    /// The message after it is copied: the copy begins at a block.
    pub fn copied(self) -> Size {
        Size { growth: 0, cut: if self.pieces <= 1 { 0 } else { self.cut }, ..self }
    }

    /// The most pool blocks that it fills.
    pub fn blocks(self, block: u32) -> u32 {
        let block = block.max(1);
        let ragged = u32::from(self.piece > 0 && self.cut % block != 0);
        let each = self.pieces.saturating_mul(self.piece.div_ceil(block) + ragged);
        // The pieces together are no longer than the whole: each fills whole blocks, and one or two in part.
        let whole = self.pieces.saturating_mul(1 + ragged).saturating_add(self.max / block);
        each.min(whole)
    }
}

/// A set of possible messages, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bag(pub BTreeMap<Kind, Size>);

impl Bag {
    /// Messages of one kind.
    pub fn one(kind: Kind, size: Size) -> Bag {
        Bag(BTreeMap::from([(kind, size)]))
    }

    /// Whether no message is possible.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a kind; returns whether the bag changed.
    pub fn add(&mut self, kind: Kind, size: Size) -> bool {
        match self.0.get_mut(&kind) {
            Some(known) => {
                let joined = known.join(size);
                let new = joined != *known;
                *known = joined;
                new
            }
            None => {
                self.0.insert(kind, size);
                true
            }
        }
    }

    /// The same for a bag that has changed `times` times before.
    pub fn join_after(&mut self, other: &Bag, times: u32) -> bool {
        let widened = |(kind, size): (&Kind, &Size)| {
            let before = self.0.get(kind).copied();
            let size = before.map_or(*size, |before| before.join(*size).widened(before, times));
            (kind.clone(), size)
        };
        let other = Bag(other.0.iter().map(widened).collect());
        self.join(&other)
    }

    /// Adds all messages of another bag; returns whether this one changed.
    pub fn join(&mut self, other: &Bag) -> bool {
        other.0.iter().fold(false, |new, (kind, size)| self.add(kind.clone(), *size) | new)
    }

    /// Applies a change to each message.
    pub fn map(&self, change: impl Fn(&Kind, Size) -> (Kind, Size)) -> Bag {
        let mut result = Bag::default();
        for (kind, size) in &self.0 {
            let (kind, size) = change(kind, *size);
            result.add(kind, size);
        }
        result
    }

    /// Changes the size of each kind.
    pub fn sized(&self, change: impl Fn(Size) -> Size) -> Bag {
        self.map(|kind, size| (kind.clone(), change(size)))
    }

    /// The messages after they are put into the pool.
    pub fn kept(&self) -> Bag {
        self.map(|kind, size| {
            let copied = matches!(kind.origin, Origin::Remade | Origin::Made);
            let size = if copied { size.copied() } else { Size { growth: 0, ..size } };
            let size = size.in_one();
            (Kind { origin: Origin::Kept, ..kind.clone() }, size)
        })
    }

    /// Bounds for all of them.
    pub fn size(&self) -> Size {
        self.0.values().copied().reduce(Size::join).unwrap_or(Size::NONE)
    }
}
