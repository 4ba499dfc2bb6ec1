//! A replay window: which numbers of a sender were accepted (as in RFC 4303, appendix A).

/// Numbers below the highest by this many are too old.
const WIDTH: u64 = 64;

/// The highest number, and a bit for each of the last ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    highest: u64,
    seen: u64,
}

impl Window {
    /// Whether a number may still be accepted. 0 never is.
    pub(crate) fn is_new(&self, number: u64) -> bool {
        match number.checked_sub(self.highest) {
            Some(0) | None => {
                let age = self.highest - number;
                number != 0 && age < WIDTH && self.seen >> age & 1 == 0
            }
            Some(_) => true,
        }
    }

    /// Marks a number as accepted: its frame is authentic.
    pub(crate) fn accept(&mut self, number: u64) {
        if number > self.highest {
            let ahead = number - self.highest;
            self.seen = if ahead < WIDTH { self.seen << ahead } else { 0 } | 1;
            self.highest = number;
        } else if self.highest - number < WIDTH {
            self.seen |= 1 << (self.highest - number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::HashSet;

    #[test]
    fn every_number_is_accepted_once_and_none_that_is_too_old() {
        for seed in 0..50 {
            let (mut window, mut random, mut accepted) = (Window::default(), Random::new(seed), HashSet::new());
            let mut highest = 0u64;
            for _ in 0..2000 {
                let number = (highest + random.below(80)).saturating_sub(random.below(90));
                let number = if random.chance(0.01) { number + random.below(1000) } else { number };
                let is_new = number != 0 && !accepted.contains(&number) && number + WIDTH > highest;
                assert_eq!(window.is_new(number), is_new, "seed {seed}: {number} after {highest}");
                if is_new {
                    window.accept(number);
                    accepted.insert(number);
                    highest = highest.max(number);
                }
            }
        }
    }

    #[test]
    fn greatest_number_is_accepted_once() {
        let mut window = Window::default();
        window.accept(u64::MAX);
        assert!(!window.is_new(u64::MAX) && window.is_new(u64::MAX - 1) && !window.is_new(1));
    }
}
