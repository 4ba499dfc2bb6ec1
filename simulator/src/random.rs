//! Random numbers that a seed fixes: a generator for sequences, and a hash for questions asked in any order.

use nacre_stack::interpret::{mix, SplitMix64, GOLDEN};

/// The interpreter's generator, with the draws that the simulator needs.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64(seed))
    }

    /// Draws a number.
    pub fn number(&mut self) -> u64 {
        self.0.draw()
    }

    /// Draws a number below `high`; 0 if that is 0.
    pub fn below(&mut self, high: u64) -> u64 {
        self.0.below(high)
    }

    /// Draws a number of `low ..= high`; small ones are as likely as large ones of the same length in bits.
    pub fn length(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low);
        let bits = u64::from(64 - span.leading_zeros());
        let cap = 1u64.checked_shl(self.below(bits + 1) as u32).map_or(span, |cap| span.min(cap));
        low + match cap.checked_add(1) {
            Some(count) => self.below(count),
            None => self.number(),
        }
    }

    /// Fills bytes with random ones.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.number().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

/// Hashes the parts; the result depends on nothing that was asked before.
pub fn hash(parts: &[u64]) -> u64 {
    parts.iter().fold(0x6e61_6372_6500_0001, |sum, part| mix(sum.wrapping_add(GOLDEN) ^ mix(*part)))
}

/// Returns whether an event of this probability happens, given a hashed number.
pub fn happens(probability: f64, number: u64) -> bool {
    // A double holds 53 bits.
    ((number >> 11) as f64) < probability * (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_stay_within_and_reach_both_ends() {
        let mut random = Random::new(1);
        let lengths: Vec<u64> = (0..5000).map(|_| random.length(3, 40)).collect();
        assert!(lengths.iter().all(|l| (3..=40).contains(l)));
        assert!(lengths.contains(&3) && lengths.contains(&40));
        assert_eq!(random.length(7, 7), 7);
        assert!((0..500).any(|_| random.length(0, u64::MAX) > u64::MAX / 2));
    }

    #[test]
    fn never_and_always_are_meant() {
        assert!((0..1000).all(|n| !happens(0.0, hash(&[n])) && happens(1.0, hash(&[n]))));
        assert!(!happens(0.0, 0) && happens(1.0, u64::MAX));
    }
}
