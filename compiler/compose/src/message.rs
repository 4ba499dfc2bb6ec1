//! What is known of a message while it flows through the stack, without knowing its bytes.

use std::collections::BTreeMap;

use nacre_analysis::{Lattice, Stride};
use nacre_stack::HeaderId;

/// Messages are never longer than this: what no condition bounds stays below it.
pub(crate) const LONGEST: u32 = 1 << 24;

/// More strings of bytes in one message than this are not counted.
const PIECES: u32 = 1 << 16;

/// So often the bounds at one place are followed as they change.
const FOLLOWED: u32 = 100;

/// The greatest number that divides both; 0 is divided by all.
pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    Stride(a).joined(&Stride(b)).0
}

/// Where the bytes of a message are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Origin {
    /// They came with the outside event; some may be in the pool.
    Entered,
    /// In the pool, or nowhere because there are none.
    Kept,
    /// A layer made them in this step, from the bytes that entered.
    Remade,
    /// A layer made them in this step, from something else; some may be in the pool.
    Made,
    /// Some came with the outside event, and others were made.
    Mixed,
}

impl Origin {
    /// Of bytes joined from two messages.
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

/// What two messages have in common that the stack treats alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind {
    /// From the lowest layer up.
    pub headers: Vec<HeaderId>,
    /// It entered at a port (and was not made by a layer).
    pub data: bool,
    pub origin: Origin,
}

/// Bounds of the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub min: u32,
    pub max: u32,
    /// Of how many strings of bytes it is joined, and the longest of them.
    pub pieces: u32,
    pub piece: u32,
    /// It begins in a longer string, at a multiple of this (1: anywhere; 0: it is whole).
    pub cut: u32,
    /// Bytes that it may have more than the message that entered.
    pub growth: u32,
}

impl Size {
    /// The size of a message without data.
    pub const NONE: Size = Size { min: 0, max: 0, pieces: 0, piece: 0, cut: 0, growth: 0 };

    /// Data of at most `max` bytes in one piece.
    pub fn up_to(max: u32) -> Size {
        Size { min: 0, max: max.min(LONGEST), pieces: 1, piece: max.min(LONGEST), cut: 0, growth: 0 }
    }

    /// Bounds that hold for both.
    pub fn join(self, other: Size) -> Size {
        Size {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            pieces: self.pieces.max(other.pieces),
            piece: self.piece.max(other.piece),
            cut: gcd(self.cut, other.cut),
            growth: self.growth.max(other.growth),
        }
    }

    /// Bounds that have changed `times` times by now, `before` the last time. What still grows then, as in a message
    /// that is kept, made longer by a filter and kept again, has no bound: it is not followed byte by byte.
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
            growth: bound(self.growth, before.growth, LONGEST),
        }
    }

    /// The same message, known to be no longer than this.
    pub fn at_most(self, max: u32) -> Size {
        Size { min: self.min.min(max), max: self.max.min(max), piece: self.piece.min(max), ..self }
    }

    /// A part of it that begins at a multiple of `stride`.
    pub fn part(self, max: u32, stride: u32) -> Size {
        Size { min: 0, cut: gcd(self.cut, stride), ..self.at_most(max) }
    }

    /// New bytes made from it, so many more.
    pub fn grown(self, by: u32) -> Size {
        let max = self.max.saturating_add(by).min(LONGEST);
        Size { min: 0, max, pieces: 1, piece: max, cut: 0, growth: self.growth.saturating_add(by).min(LONGEST) }
    }

    /// Up to `count` such parts in front of `last`.
    pub fn joined(self, count: u32, last: Size) -> Size {
        let max = (u64::from(self.max) * u64::from(count) + u64::from(last.max)).min(u64::from(LONGEST)) as u32;
        let pieces = self.pieces.saturating_mul(count).saturating_add(last.pieces).min(PIECES);
        let piece = self.piece.max(last.piece);
        Size { min: last.min, max, pieces, piece, cut: gcd(self.cut, last.cut), growth: self.growth.max(last.growth) }
    }

    /// Once it is stored: what was in pieces is copied into one.
    fn in_one(self) -> Size {
        let piece = if self.pieces > 1 { self.max } else { self.piece };
        Size { pieces: self.pieces.min(1), piece, ..self }
    }

    /// Once it is copied: a copy of what was cut begins where a block begins.
    pub fn copied(self) -> Size {
        Size { growth: 0, cut: if self.pieces <= 1 { 0 } else { self.cut }, ..self }
    }

    /// Pool blocks that it fills at the most.
    pub fn blocks(self, block: u32) -> u32 {
        let block = block.max(1);
        let ragged = u32::from(self.piece > 0 && self.cut % block != 0);
        let each = self.pieces.saturating_mul(self.piece.div_ceil(block) + ragged);
        // Together the pieces are no longer than the whole: each fills full ones, and one or two in part.
        let whole = self.pieces.saturating_mul(1 + ragged).saturating_add(self.max / block);
        each.min(whole)
    }
}

/// The messages that can be somewhere.
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

    /// Adds a kind; whether that told anything new.
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

    /// The same, where that has told something new `times` times.
    pub fn join_after(&mut self, other: &Bag, times: u32) -> bool {
        let widened = |(kind, size): (&Kind, &Size)| {
            let before = self.0.get(kind).copied();
            let size = before.map_or(*size, |before| before.join(*size).widened(before, times));
            (kind.clone(), size)
        };
        let other = Bag(other.0.iter().map(widened).collect());
        self.join(&other)
    }

    /// Adds what is possible in another; whether that adds anything.
    pub fn join(&mut self, other: &Bag) -> bool {
        other.0.iter().fold(false, |new, (kind, size)| self.add(kind.clone(), *size) | new)
    }

    /// Each message changed.
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

    /// Once they are in the pool.
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
