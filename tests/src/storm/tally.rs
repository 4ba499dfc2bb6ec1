//! Statistics of campaigns.

use std::collections::BTreeMap;

/// The observed events, which show that a campaign exercised the code.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub events: u64,
    pub connections: u64,
    /// Frames, deliveries and other emitted events.
    pub outputs: BTreeMap<String, u64>,
    /// `call Done`, `frame Dropped`, ...
    pub outcomes: BTreeMap<String, u64>,
    /// The counters of both endpoints, by name.
    pub counters: BTreeMap<String, u64>,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.events += other.events;
        self.connections += other.connections;
        let maps = [
            (&mut self.outputs, &other.outputs),
            (&mut self.outcomes, &other.outcomes),
            (&mut self.counters, &other.counters),
        ];
        for (mine, others) in maps {
            others.iter().for_each(|(name, n)| *mine.entry(name.clone()).or_insert(0) += n);
        }
    }

    pub fn outcome(&self, name: &str) -> u64 {
        self.outcomes.get(name).copied().unwrap_or(0)
    }

    pub fn output(&self, name: &str) -> u64 {
        self.outputs.get(name).copied().unwrap_or(0)
    }

    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }
}
