//! The consumed bounds of a state, in 32 bits.

use nacre_worlds::setup::bits_to_count;

use crate::memo::Interner;

/// How several counters, each up to a bound of its own, share a word of 64 bits.
pub struct Counters {
    places: Vec<Place>,
    /// The words, if not all fit 32 bits: then counts are the numbers of words.
    words: Option<Interner<u64>>,
}

struct Place {
    shift: u32,
    bits: u32,
    most: u8,
}

impl Counters {
    /// Counters up to these bounds. [`Setup::check`](nacre_worlds::setup::Setup::check) ensures that they fit.
    pub fn new(most: &[u8]) -> Counters {
        let mut next = 0;
        let places = most.iter().map(|most| {
            let (shift, bits) = (next, bits_to_count(*most));
            next += bits;
            Place { shift, bits, most: *most }
        });
        let places = places.collect();
        let words = (next > u32::BITS).then(Interner::default);
        let counters = Counters { places, words };
        counters.counts(0);
        counters
    }

    /// The bytes that the table allocates if these many more words make it grow.
    pub fn growth(&self, more: usize) -> usize {
        self.words.as_ref().map_or(0, |words| words.growth(more))
    }

    fn word(&self, counts: u32) -> u64 {
        self.words.as_ref().map_or(u64::from(counts), |words| *words.value(counts))
    }

    fn counts(&self, word: u64) -> u32 {
        self.words.as_ref().map_or(word as u32, |words| words.number(word))
    }

    /// Returns the value of a counter.
    pub fn used(&self, counts: u32, counter: usize) -> u8 {
        let Place { shift, bits, .. } = self.places[counter];
        self.word(counts).checked_shr(shift).unwrap_or(0) as u8 & ((1u16 << bits) - 1) as u8
    }

    /// Returns how far a counter is from its bound.
    pub fn left(&self, counts: u32, counter: usize) -> u8 {
        self.places[counter].most - self.used(counts, counter)
    }

    /// Returns the counts in which a counter is zero.
    pub fn without(&self, counts: u32, counter: usize) -> u32 {
        self.counts(self.word(counts) - (u64::from(self.used(counts, counter)) << self.places[counter].shift))
    }

    /// Returns the counts after one more of a counter that has some left.
    pub fn after(&self, counts: u32, counter: usize) -> u32 {
        self.counts(self.word(counts) + (1 << self.places[counter].shift))
    }
}

#[cfg(test)]
mod tests {
    use super::Counters;

    #[test]
    fn counters_do_not_touch_each_other() {
        counters_up_to([3, 0, 255, 1, 15, 4], 18);
        counters_up_to([127, 0, 255, 127, 255, 7], 33);
        counters_up_to([255, 0, 255, 127, 255, 1], 32);
    }

    fn counters_up_to(most: [u8; 6], bits: u32) {
        let counters = Counters::new(&most);
        assert_eq!(most.into_iter().map(nacre_worlds::setup::bits_to_count).sum::<u32>(), bits);
        assert_eq!(counters.words.is_some(), bits > 32);
        let mut counts = 0;
        for round in 0..=255u16 {
            for (at, most) in most.iter().enumerate() {
                assert_eq!(u16::from(counters.used(counts, at)), round.min(u16::from(*most)));
                if counters.left(counts, at) > 0 {
                    counts = counters.after(counts, at);
                }
            }
        }
        assert!((0..most.len()).all(|at| counters.left(counts, at) == 0));
        let zero = (0..most.len()).fold(counts, |counts, at| counters.without(counts, at));
        assert_eq!(
            (counters.used(counters.without(counts, 2), 2), counters.left(counters.without(counts, 2), 4)),
            (0, 0)
        );
        assert_eq!(zero, 0);
    }
}
