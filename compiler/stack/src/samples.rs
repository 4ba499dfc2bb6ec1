//! Stacks written by hand, for tests of whatever reads the IR.

pub mod build;
mod desk;
mod go_back_n;
mod sealed;
mod sequencer;

use crate::Stack;

/// Every sample.
pub fn all() -> Vec<Stack> {
    vec![sequencer::stack(), go_back_n::stack(), desk::stack(), sealed::stack()]
}

pub use desk::stack as desk;
pub use go_back_n::stack as go_back_n;
pub use sealed::stack as sealed;
pub use sequencer::stack as sequencer;

/// The fingerprint that all samples have.
pub const FINGERPRINT: u64 = 0x6e61_6372_6500_0001;
