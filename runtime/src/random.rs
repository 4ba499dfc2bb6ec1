//! Random numbers that follow from a seed, from the system or from a test.
//!
//! Cookies, incarnations and the tokens of pings are drawn here, and peers see them: from those that one has seen, the
//! next ones must not follow. So the generator is ChaCha with 8 rounds. Keys are still for the host to choose.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A generator whose numbers follow from its seed.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Starts at a seed from the system; at the time if the system has none.
    pub fn from_system() -> Random {
        let mut seed = [0; 32];
        match getrandom::fill(&mut seed) {
            Ok(()) => Random(ChaCha8Rng::from_seed(seed)),
            Err(_) => Random::new(crate::clock::now() ^ u64::from(std::process::id()) << 32),
        }
    }

    /// Draws a number.
    pub fn draw(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }

    /// Draws whether something of this probability (0 to 1) happens: one number, whatever the probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        ((self.draw() >> 11) as f64) * (1.0 / (1u64 << 53) as f64) < probability
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_follow_from_the_seed_alone() {
        let draws = |mut random: Random| (0..100).map(|_| random.draw()).collect::<Vec<u64>>();
        assert_eq!(draws(Random::new(7)), draws(Random::new(7)));
        assert_ne!(draws(Random::new(7)), draws(Random::new(8)));
        assert_ne!(draws(Random::from_system()), draws(Random::from_system()));
    }

    #[test]
    fn chances_are_kept() {
        let mut random = Random::new(1);
        let hits = (0..100_000).filter(|_| random.chance(0.25)).count();
        assert!((24_000..26_000).contains(&hits), "{hits}");
        assert!(!random.chance(0.0));
        assert!(random.chance(1.0));
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
