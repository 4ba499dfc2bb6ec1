//! The result of a transfer, as text and as JSON.

use std::net::SocketAddr;
use std::time::Duration;

use nacre_runtime::faults::{FaultCounts, FaultHandle};
use nacre_runtime::{ConnectionStatistics, PublicKey};
use serde_json::{json, Map, Value};

use crate::console::{print, print_json};
use crate::run::failure::Cause;
use crate::run::framing::{hex, Sum};
use crate::run::protection::Protection;
use crate::run::raw;
use crate::units;

/// A transferred file.
pub struct Moved<'m> {
    /// `sent` or `received`.
    pub verb: &'m str,
    pub name: &'m str,
    pub peer: String,
    pub protection: &'m Protection,
    /// The key that the peer has proven to have, if it has.
    pub peer_key: Option<PublicKey>,
    pub bytes: u64,
    /// Of these, the bytes that were there before.
    pub resumed: u64,
    pub time: Duration,
    pub sum: Sum,
    /// The sum that the other side reports.
    pub other_sum: Sum,
    pub statistics: &'m ConnectionStatistics,
    pub faults: Option<&'m FaultHandle>,
}

impl Moved<'_> {
    /// Returns whether both sides computed the same SHA-256.
    pub fn is_intact(&self) -> bool {
        self.sum == self.other_sum
    }

    /// Prints the outcome of the transfer.
    pub fn report(&self, as_json: bool) {
        if as_json {
            return print_json(&self.json());
        }
        let verdict = if self.is_intact() {
            "both sides agree".into()
        } else {
            format!("THE PEER COMPUTED {}", hex(&self.other_sum))
        };
        let resumed = match self.resumed {
            0 => String::new(),
            resumed => format!(", {resumed} of them were there"),
        };
        let not = if self.is_intact() { "" } else { "NOT " };
        print(&format!(
            "{not}{} {}: {} bytes{resumed} in {}, {}/s ({})",
            self.verb,
            self.name,
            self.bytes,
            units::duration(self.time),
            rate(self.bytes - self.resumed, self.time),
            self.peer
        ));
        print(&format!("  sha-256  {} ({verdict})", hex(&self.sum)));
        print(&format!("  peer     {}", self.protection.describe(self.peer_key)));
    }

    fn json(&self) -> Value {
        let object = |list: Vec<(String, u64)>| {
            list.into_iter().map(|(name, count)| (name, json!(count))).collect::<Map<String, Value>>()
        };
        let traffic = &self.statistics.traffic;
        let faults = self.faults.map(|faults| {
            let (out, back) = faults.counts();
            json!({ "out": object(fault_list(out)), "in": object(fault_list(back)) })
        });
        let mut json = json!({
            "ok": self.is_intact(), "what": self.verb, "name": self.name, "peer": self.peer, "bytes": self.bytes,
            "encrypted": self.protection.is_encrypted(), "peer_key": self.peer_key.map(|key| key.to_string()),
            "resumed": self.resumed, "seconds": self.time.as_secs_f64(),
            "bytes_per_second": per_second(self.bytes - self.resumed, self.time),
            "sha256": hex(&self.sum), "peer_sha256": hex(&self.other_sum),
            "frames_out": traffic.frames_out, "frames_in": traffic.frames_in,
            "retransmitted": self.statistics.retransmitted, "quick": traffic.quick, "taken": traffic.taken,
            "dropped": object(drops(self.statistics)),
            "counted": object(counted(self.statistics)), "faults": faults,
        });
        if !self.is_intact() {
            json["error"] = json!("the ends computed different sums");
            json["cause"] = json!(Cause::Other.word());
        }
        json
    }
}

/// The transfers of a connection.
pub struct Whole {
    /// `sent` or `received`.
    pub verb: &'static str,
    /// The files that were transferred, their bytes, and how many of these were there already; the files and folders
    /// that were not transferred.
    pub files: u64,
    pub bytes: u64,
    pub resumed: u64,
    pub failed: u64,
}

impl Whole {
    /// Prints what they have in common; programs find it in the object of each file.
    pub fn report(&self, as_json: bool, time: Duration, of: &ConnectionStatistics, faults: Option<&FaultHandle>) {
        if as_json {
            return;
        }
        if self.files + self.failed != 1 {
            let failed = match self.failed {
                0 => String::new(),
                failed => format!("; {failed} failed"),
            };
            let (bytes, time, rate) = (self.bytes, units::duration(time), rate(self.bytes - self.resumed, time));
            print(&format!("{} {} files: {bytes} bytes in {time}, {rate}/s{failed}", self.verb, self.files));
        }
        let traffic = &of.traffic;
        print(&format!("  frames   {} out, {} in", traffic.frames_out, traffic.frames_in));
        if let Some(count) = of.retransmitted {
            print(&format!("  again    {count} messages were retransmitted"));
        }
        if traffic.quick > 0 {
            let share = 100.0 * traffic.quick as f64 / traffic.taken.max(1) as f64;
            print(&format!("  quick    {} of {} calls and frames ({share:.0} %)", traffic.quick, traffic.taken));
        }
        print(&format!("  dropped  {}", listed(&drops(of))));
        print(&format!("  counted  {}", listed(&counted(of))));
        if let Some(faults) = faults {
            let (out, back) = faults.counts();
            print(&format!("  faults   out: {}", listed(&fault_list(out))));
            print(&format!("           in: {}", listed(&fault_list(back))));
        }
    }

    /// Prints what plain UDP sockets carry, if the peer is on this host and the transfer long enough to have a rate.
    pub fn compare(&self, peer: SocketAddr, time: Duration, of: &ConnectionStatistics) {
        let traffic = &of.traffic;
        let sent = self.bytes - self.resumed;
        if sent < COMPARED || traffic.frames_out == 0 {
            return;
        }
        let Some(raw) = raw::measure(peer, (traffic.bytes_out / traffic.frames_out) as usize) else { return };
        let share = 100.0 * per_second(sent, time) / raw.rate;
        let (rate, length) = (units::bytes(raw.rate), raw.length);
        print(&format!("  raw UDP  {rate}/s with datagrams of {length} bytes on this host (this is {share:.0} %)"));
    }
}

/// From how many bytes on a transfer is compared with plain UDP.
const COMPARED: u64 = 8 << 20;

fn per_second(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64().max(1e-9)
}

fn rate(bytes: u64, time: Duration) -> String {
    units::bytes(per_second(bytes, time))
}

/// Frames lost at this endpoint, by cause. Layers count their drops under names of their own: see `counted`.
fn drops(of: &ConnectionStatistics) -> Vec<(String, u64)> {
    let traffic = &of.traffic;
    let mut causes: Vec<(String, u64)> = of.counters.clone();
    causes.retain(|(name, _)| name == "malformed" || name == "impossible");
    causes.push(("no space".into(), traffic.no_space));
    causes.push(("withheld from a peer not confirmed".into(), traffic.withheld));
    causes.push(("not sent by the system".into(), traffic.send_errors + traffic.overflowed));
    causes.retain(|(_, count)| *count > 0);
    causes
}

/// The counters of the layers, except retransmissions.
fn counted(of: &ConnectionStatistics) -> Vec<(String, u64)> {
    let all = of.counters.iter().filter(|(name, count)| *count > 0 && name.contains('.'));
    all.filter(|(name, _)| !name.ends_with(".retransmitted")).cloned().collect()
}

fn fault_list(counts: FaultCounts) -> Vec<(String, u64)> {
    let all = [
        ("lost", counts.lost),
        ("duplicated", counts.duplicated),
        ("reordered", counts.reordered),
        ("corrupted", counts.corrupted),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_string(), count)).collect()
}

fn listed(counts: &[(String, u64)]) -> String {
    if counts.is_empty() {
        return "none".into();
    }
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(other_sum: Sum) -> Value {
        let statistics = ConnectionStatistics::default();
        let moved = Moved {
            verb: "received",
            name: "file",
            peer: "a peer".into(),
            protection: &Protection::Plain,
            peer_key: None,
            bytes: 2,
            resumed: 0,
            time: Duration::from_millis(1),
            sum: [1; 32],
            other_sum,
            statistics: &statistics,
            faults: None,
        };
        moved.json()
    }

    #[test]
    fn a_file_whose_sums_differ_has_an_error_and_a_cause() {
        let (intact, differs) = (moved([1; 32]), moved([2; 32]));
        assert!(intact["ok"] == true && intact["error"].is_null() && intact["cause"].is_null(), "{intact}");
        assert!(differs["ok"] == false && differs["cause"] == "other", "{differs}");
        assert!(differs["error"].as_str().is_some_and(|words| words.contains("different sums")), "{differs}");
    }
}
