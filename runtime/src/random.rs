//! Random numbers: SplitMix64, seeded by the system or by a test. Not for keys.

/// A generator whose numbers follow from its seed.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts at a seed.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// Starts at a seed from the system; at the time if the system has none.
    pub fn from_system() -> SplitMix64 {
        SplitMix64::new(getrandom::u64().unwrap_or_else(|_| crate::clock::now() ^ u64::from(std::process::id()) << 32))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }

    /// True with the given probability, 0 to 1. Draws one number whatever the probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        ((self.draw() >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < probability
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn first_numbers_are_the_published_ones() {
        let mut random = SplitMix64::new(1234567);
        assert_eq!(random.draw(), 6457827717110365317);
        assert_eq!(random.draw(), 3203168211198807973);
    }

    #[test]
    fn chances_are_kept() {
        let mut random = SplitMix64::new(1);
        let hits = (0..100_000).filter(|_| random.chance(0.25)).count();
        assert!((24_000..26_000).contains(&hits), "{hits}");
        assert!(!random.chance(0.0));
        assert!(random.chance(1.0));
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
