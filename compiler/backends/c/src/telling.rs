//! What the bytes of a state contain: all of it, or only what checkers distinguish.

/// The parts of the state that a function writes as bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    #[default]
    /// Everything.
    Whole,
    /// Of timers, only whether they are armed; with `times`, no durations and instants.
    Abstract { times: bool },
}
