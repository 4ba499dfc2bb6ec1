//! SplitMix64, as the emitted C has it.

/// The step of the generator's state.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The generator of a layer, in a stack opened with a seed.
    pub fn of_layer(seed: u64, layer: u32) -> SplitMix64 {
        SplitMix64(seed.wrapping_add((layer as u64 + 1).wrapping_mul(GOLDEN)))
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below n: the high 64 bits of the product; 0 for n = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.draw() as u128 * n as u128) >> 64) as u64
    }
}
