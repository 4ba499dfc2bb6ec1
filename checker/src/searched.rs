//! The result of a search and its cost.

use std::time::Duration;

use nacre_specification::violation::Violation;

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub states: u64,
    /// Moves that were followed.
    pub moves: u64,
    /// Steps from the first state to the farthest.
    pub depth: u32,
    /// States found and not yet expanded.
    pub waiting: u64,
    /// Bytes of memory that the process uses.
    pub memory: u64,
    pub time: Duration,
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The moves of a shortest run to it, and what it broke.
    Violated { run: Vec<Path>, why: String, violation: Violation },
    /// Every state within the bounds was visited (with `bits` that is never known).
    Complete,
    /// Why the search ended before that.
    Incomplete(String),
}

/// One move of a run: which of those that [`crate::space::Space::expand`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub ordinal: usize,
}

/// A search that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    pub verdict: Verdict,
    pub progress: Progress,
    /// Different local states of endpoints, and states of the network.
    pub locals: usize,
    pub networks: usize,
}
