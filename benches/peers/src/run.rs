//! Runs all measurements: in each round, for each row of the tables, the peers one after the other. So what else the
//! machine does affects all of them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::end::Result;
use crate::java;
use crate::job::{Figures, Job, Workload};
use crate::plan::{takes_part, Cell, Peer, Scale, Setting, BULK, PEERS, RAW_BULK, ZEROMQ_CROWD};
use crate::process::{measure, Outcome};
use crate::usage::Load;
use crate::versions;

/// The part of the processors that others may use in a measurement that counts if there are several.
pub const QUIET: f64 = 0.1;

/// Which measurement with which peer: setting, workload, number, peer.
pub type Key = (String, String, usize, String);

/// What was measured in all rounds, and why something was not.
#[derive(Default)]
pub struct Results {
    pub outcomes: BTreeMap<Key, Vec<Outcome>>,
    pub failures: BTreeMap<Key, Vec<String>>,
    /// Where it was measured.
    pub machine: String,
}

fn key(cell: Cell, peer: &Peer) -> Key {
    let (name, number) = cell.workload.words();
    (cell.setting.key(), name.into(), number, peer.key.into())
}

impl Results {
    /// The outcomes of one peer: those while the machine was quiet, or all if there are none.
    pub fn of(&self, cell: Cell, peer: &Peer) -> Vec<&Outcome> {
        let all = || self.outcomes.get(&key(cell, peer)).into_iter().flatten();
        let quiet: Vec<&Outcome> = all().filter(|outcome| outcome.others <= QUIET).collect();
        if quiet.is_empty() {
            all().collect()
        } else {
            quiet
        }
    }

    /// The median of what others used of the machine.
    pub fn others(&self, over_loopback: bool) -> f64 {
        let of = self.outcomes.iter().filter(|(key, _)| (key.0 == Setting::Loopback.key()) == over_loopback);
        let mut all: Vec<f64> = of.flat_map(|(_, outcomes)| outcomes.iter().map(|outcome| outcome.others)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }

    /// How often was measured, over loopback or over the relay.
    pub fn rounds(&self, over_loopback: bool) -> usize {
        let all = self.outcomes.iter().filter(|(key, _)| (key.0 == Setting::Loopback.key()) == over_loopback);
        all.map(|(_, outcomes)| outcomes.len()).max().unwrap_or(0)
    }

    /// Why there is none.
    pub fn failure(&self, cell: Cell, peer: &Peer) -> Option<&str> {
        self.failures.get(&key(cell, peer)).and_then(|all| all.first()).map(String::as_str)
    }

    fn add(&mut self, key: Key, outcome: Result<Outcome>) {
        match outcome {
            Ok(outcome) => self.outcomes.entry(key).or_default().push(outcome),
            Err(why) => self.failures.entry(key).or_default().push(why),
        }
    }
}

/// Measures everything; each result is written to `log` at once. `only`: the keys of peers, or all of them.
pub fn run(scale: Scale, only: &[&str], stacks: &Path, log: &Path) -> Result<Results> {
    let mut results = Results { machine: versions::machine(), ..Results::default() };
    let mut file = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    writeln!(file, "machine\t{}", results.machine).map_err(|e| e.to_string())?;
    let crowd = Cell { setting: Setting::Loopback, workload: Workload::Crowd(scale.crowd()) };
    for round in 0..scale.rounds {
        let mut cells = scale.cells(round);
        if round + 1 == scale.rounds {
            cells.push(crowd);
        }
        for cell in cells {
            eprintln!("round {} of {}: {} {:?}", round + 1, scale.rounds, cell.setting.key(), cell.workload);
            for peer in PEERS.iter().filter(|peer| takes_part(peer, cell)) {
                if !only.is_empty() && !only.contains(&peer.key) {
                    continue;
                }
                let outcome = once(scale, cell, peer, round, stacks);
                if let Err(why) = &outcome {
                    eprintln!("  {}: {why}", peer.name);
                }
                writeln!(file, "{}", line(&key(cell, peer), &outcome)).map_err(|e| e.to_string())?;
                results.add(key(cell, peer), outcome);
            }
        }
    }
    Ok(results)
}

fn once(scale: Scale, cell: Cell, peer: &Peer, round: usize, stacks: &Path) -> Result<Outcome> {
    let (warm_up, window) = scale.times(cell);
    let workload = match cell.workload {
        Workload::Stream(BULK) if peer.key.starts_with("raw") => Workload::Stream(RAW_BULK),
        // Each takes two descriptors of the client, which may have 20,000.
        Workload::Crowd(many) if peer.key == "zeromq" => Workload::Crowd(many.min(ZEROMQ_CROWD)),
        other => other,
    };
    // The virtual machine first interprets, then compiles.
    let warm_up = match cell.setting {
        _ if peer.key != java::PEER => warm_up,
        Setting::Loopback => warm_up + Duration::from_millis(2500),
        Setting::Relay(..) => warm_up + Duration::from_secs(1),
    };
    let job = Job { peer: peer.key.into(), workload, warm_up, window, stacks: stacks.into() };
    if cell.setting == Setting::Loopback && !scale.is_quick {
        wait_for_quiet();
    }
    measure(&job, cell.setting.link(), round as u64 + 1)
}

/// Waits until others use less than `QUIET` of the machine, two seconds at most.
fn wait_for_quiet() {
    for _ in 0..20 {
        let load = Load::now();
        std::thread::sleep(Duration::from_millis(100));
        if load.of_others() < QUIET {
            return;
        }
    }
}

/// A result as a line of text, whose parts tabs divide.
fn line(key: &Key, outcome: &Result<Outcome>) -> String {
    let (setting, workload, number, peer) = key;
    let words = match outcome {
        Ok(o) => format!("ok\t{}\t{}\t{:?}\t{:.3}", o.client.line(), o.server.line(), o.relay, o.others),
        Err(why) => format!("failed\t{}", why.replace(['\t', '\n'], " ")),
    };
    format!("{setting}\t{workload}\t{number}\t{peer}\t{words}")
}

/// Reads what `run` has written.
pub fn read(log: &Path) -> Result<Results> {
    let text = std::fs::read_to_string(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut results = Results::default();
    for line in text.lines() {
        if let Some(machine) = line.strip_prefix("machine\t") {
            results.machine = machine.into();
        }
        let words: Vec<&str> = line.split('\t').collect();
        let [setting, workload, number, peer, status, rest @ ..] = &words[..] else { continue };
        let key: Key = (setting.to_string(), workload.to_string(), number.parse().unwrap_or(0), peer.to_string());
        let outcome = match rest {
            [client, server, _, others] if *status == "ok" => {
                let of = |line: &str| Figures::parse(line).unwrap_or_default();
                let others = others.parse().unwrap_or(1.0);
                Ok(Outcome { client: of(client), server: of(server), relay: [0; 3], others })
            }
            other => Err(other.join(" ")),
        };
        results.add(key, outcome);
    }
    Ok(results)
}

/// Appends nothing, but fails now if the document could not be written later.
pub fn writable(document: &Path) -> Result<()> {
    OpenOptions::new().append(true).open(document).map(drop).map_err(|e| format!("{}: {e}", document.display()))
}
