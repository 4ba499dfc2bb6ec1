//! The result of a search and its cost.

use std::time::Duration;

use nacre_specification::violation::Violation;

/// The progress of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub states: u64,
    /// The number of explored moves.
    pub moves: u64,
    /// The depth: steps from the initial state to the farthest one.
    pub depth: u32,
    /// The number of states not yet expanded.
    pub waiting: u64,
    /// The memory of the process, in bytes.
    pub memory: u64,
    pub time: Duration,
}

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The moves of a shortest counterexample, and the violation.
    Violated { run: Vec<Path>, why: String, violation: Violation },
    /// Every state within the bounds was visited (never with bitstate hashing).
    Complete,
    /// Why the search was incomplete.
    Incomplete(String),
}

/// One move of a run: its index among those of [`crate::space::Space::expand`].
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub ordinal: usize,
}

/// A search that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    pub verdict: Verdict,
    pub progress: Progress,
    /// The numbers of local states of the endpoints and of states of the network.
    pub locals: usize,
    pub networks: usize,
}
