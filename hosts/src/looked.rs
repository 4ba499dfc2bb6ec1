//! How much the runs have looked at.

/// Sums over runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Runs from the start of both hosts.
    pub runs: u64,
    /// Choices of all runs together.
    pub choices: u64,
    /// Hosts that lost their state, also those that came back with another stack.
    pub crashes: u64,
    /// Hosts that continued at another address.
    pub moves: u64,
    /// Datagrams that arrived.
    pub datagrams: u64,
    /// Connections that a host began, or that arrived at one.
    pub connections: u64,
    /// Messages that were delivered.
    pub messages: u64,
}

impl Looked {
    /// Adds another run.
    pub fn add(&mut self, other: &Looked) {
        self.runs += other.runs;
        self.choices += other.choices;
        self.crashes += other.crashes;
        self.moves += other.moves;
        self.datagrams += other.datagrams;
        self.connections += other.connections;
        self.messages += other.messages;
    }
}
