//! SplitMix64, the generator of `random` in a layer: the emitted C draws the same numbers. The simulator draws from it
//! too.

/// The step of the generator's state.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator; the field is its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the generator of a layer, in a stack opened with a seed.
    pub fn of_layer(seed: u64, layer: u32) -> SplitMix64 {
        SplitMix64(seed.wrapping_add((layer as u64 + 1).wrapping_mul(GOLDEN)))
    }

    /// Draws the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Draws a number below n: the high 64 bits of the product; 0 for n = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.draw() as u128 * n as u128) >> 64) as u64
    }
}

/// Mixes a number so that each bit of the result depends on all bits of it; a bijection.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn first_numbers_are_the_published_ones() {
        let mut generator = SplitMix64(1_234_567);
        assert_eq!([generator.draw(), generator.draw()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
