//! Hand-written stacks for tests of code that reads the IR, and a builder for tests that make their own.

pub mod build;
pub mod mutations;

use crate::{read, Stack};

/// Every sample.
pub fn all() -> Vec<Stack> {
    rows().into_iter().chain(graphs()).collect()
}

/// Those of layers in a row, as the language can say them.
pub fn rows() -> Vec<Stack> {
    vec![sequencer(), repeating(), desk(), sealed()]
}

/// Those that are no row of layers between two ports.
pub fn graphs() -> Vec<Stack> {
    vec![fork(), turning(), router(), mux(), far()]
}

/// Two layers above one.
pub fn fork() -> Stack {
    sample(include_str!("samples/fork.stack"))
}

/// Two lower ports, and state that outlives a view.
pub fn router() -> Stack {
    sample(include_str!("samples/router.stack"))
}

/// A connection whose peer and room change, with derived data.
pub fn far() -> Stack {
    sample(include_str!("samples/far.stack"))
}

/// Three sessions above a multiplexor, over channels to two peers.
pub fn mux() -> Stack {
    sample(include_str!("samples/mux.stack"))
}

/// Events that come back from the bottom.
pub fn turning() -> Stack {
    sample(include_str!("samples/turning.stack"))
}

/// Numbers that reject late messages, over a floor that agrees on cookies.
pub fn sequencer() -> Stack {
    sample(include_str!("samples/numbered.stack"))
}

/// Go-back-n directly over datagrams.
pub fn repeating() -> Stack {
    sample(include_str!("samples/repeating.stack"))
}

/// Questions that are kept until they are answered.
pub fn desk() -> Stack {
    sample(include_str!("samples/desk.stack"))
}

/// Packed headers under a checksum and a filter.
pub fn sealed() -> Stack {
    sample(include_str!("samples/sealed.stack"))
}

fn sample(text: &str) -> Stack {
    read(text).unwrap_or_else(|error| panic!("a sample: {error}"))
}

/// The fingerprint that all samples have.
pub const FINGERPRINT: u64 = 0x6e61_6372_6500_0001;
