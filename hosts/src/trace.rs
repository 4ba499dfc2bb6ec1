//! What happened in a run, for a chart. Nothing is recorded, or described, before a run is known to violate a rule.

use nacre_simulator::endpoint::Outcome;
use nacre_simulator::network::{Fault, Item};
use nacre_simulator::world::{Entry, Happened, BEGIN};

/// The entries of a run, if they are recorded.
#[derive(Default)]
pub struct Trace(Option<Vec<Entry>>);

impl Trace {
    /// Records.
    pub fn recording() -> Trace {
        Trace(Some(vec![]))
    }

    /// The entries.
    pub fn entries(self) -> Vec<Entry> {
        self.0.unwrap_or_default()
    }

    fn add(&mut self, time: u64, node: usize, what: impl FnOnce() -> Happened) -> Option<usize> {
        let entries = self.0.as_mut()?;
        entries.push(Entry { time: time + BEGIN, node, what: what() });
        Some(entries.len() - 1)
    }

    /// A note at a host.
    pub fn note(&mut self, time: u64, host: usize, text: impl FnOnce() -> String) {
        self.add(time, host, || Happened::Noted(text()));
    }

    /// A datagram leaves. It is drawn as lost until it arrives. Returns the entry.
    pub fn sent(&mut self, time: u64, host: usize, number: u64, bytes: &[u8]) -> Option<usize> {
        let faults = vec![Item::Frame(host as u32, number, Fault::Lose)];
        let to = 1 - host;
        self.add(time, host, || Happened::Sent { number, to, frame: bytes.to_vec(), faults, arrivals: vec![] })
    }

    /// The datagram of an entry arrives.
    pub fn arrived(&mut self, time: u64, host: usize, entry: Option<usize>) {
        let Some((entries, at)) = self.0.as_mut().zip(entry) else { return };
        let sent = entries[at].time;
        let Happened::Sent { number, frame, arrivals, .. } = &mut entries[at].what else { return };
        arrivals.push(time + BEGIN);
        let (number, frame, outcome) = (*number, frame.clone(), Outcome::Done);
        let what = Happened::Arrived { number, from: 1 - host, sent, frame, damaged: false, outcome };
        entries.push(Entry { time: time + BEGIN, node: host, what });
    }
}
