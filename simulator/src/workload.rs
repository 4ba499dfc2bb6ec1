//! The messages of a run: their times, lengths and contents.

use std::collections::VecDeque;

use crate::network::{Item, Network};
use crate::random::{hash, Random};
use crate::world::BEGIN;

/// A message that is due at a time.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    pub number: u32,
    pub at: u64,
    pub seed: u64,
}

/// Draws the time of each message of a side; half of them follow the previous one at once.
pub(crate) fn planned(messages: u32, pause: u64, side: u32, network: &Network) -> VecDeque<Planned> {
    let mut at = BEGIN;
    let all = (0..messages).map(|number| {
        let seed = hash(&[network.seed, 0x006d_7367, side.into(), number.into()]);
        if seed & 1 == 0 {
            at += 2 * (hash(&[seed]) % (2 * pause).max(1));
        }
        Planned { number, at, seed }
    });
    all.filter(|m| network.kept(&Item::Message(side, m.number))).collect()
}

/// Returns the greatest accepted length in `0 ..= most`, provided that 0 or a short length is accepted.
pub fn largest_accepted(accepts: impl Fn(usize) -> bool, most: usize) -> Option<usize> {
    let mut low = [0, 1, 12].into_iter().find(|length| *length <= most && accepts(*length))?;
    let mut high = most;
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if accepts(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

/// The bytes that identify the message.
pub(crate) fn contents(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Random::new(hash(&[seed, 1])).fill(&mut bytes);
    bytes
}
