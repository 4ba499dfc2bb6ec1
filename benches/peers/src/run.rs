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

/// Which measurement with which peer: setting, workload, number, peer.
pub type Key = (String, String, usize, String);

/// What was measured in all rounds, and why something was not.
#[derive(Default)]
pub struct Results {
    pub outcomes: BTreeMap<Key, Vec<Outcome>>,
    pub failures: BTreeMap<Key, Vec<String>>,
    pub rounds: usize,
}

fn key(cell: Cell, peer: &Peer) -> Key {
    let (name, number) = cell.workload.words();
    (cell.setting.key(), name.into(), number, peer.key.into())
}

impl Results {
    /// The outcomes of one peer.
    pub fn of(&self, cell: Cell, peer: &Peer) -> &[Outcome] {
        self.outcomes.get(&key(cell, peer)).map_or(&[], Vec::as_slice)
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
    let mut results = Results { rounds: scale.rounds, ..Results::default() };
    let mut file = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let crowd = Cell { setting: Setting::Loopback, workload: Workload::Crowd(scale.crowd()) };
    for round in 0..scale.rounds {
        let mut cells = scale.cells(round);
        if round == 0 {
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
    measure(&job, cell.setting.link(), round as u64 + 1)
}

/// A result as a line of text, whose parts tabs divide.
fn line(key: &Key, outcome: &Result<Outcome>) -> String {
    let (setting, workload, number, peer) = key;
    let words = match outcome {
        Ok(o) => format!("ok\t{}\t{}\t{:?}", o.client.line(), o.server.line(), o.relay),
        Err(why) => format!("failed\t{}", why.replace(['\t', '\n'], " ")),
    };
    format!("{setting}\t{workload}\t{number}\t{peer}\t{words}")
}

/// Reads what `run` has written.
pub fn read(log: &Path) -> Result<Results> {
    let text = std::fs::read_to_string(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut results = Results::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        let [setting, workload, number, peer, status, rest @ ..] = &words[..] else { continue };
        let key: Key = (setting.to_string(), workload.to_string(), number.parse().unwrap_or(0), peer.to_string());
        let outcome = match rest {
            [client, server, ..] if *status == "ok" => {
                let of = |line: &str| Figures::parse(line).unwrap_or_default();
                Ok(Outcome { client: of(client), server: of(server), relay: [0; 3] })
            }
            other => Err(other.join(" ")),
        };
        results.add(key, outcome);
    }
    results.rounds = results.outcomes.values().map(Vec::len).max().unwrap_or(0);
    Ok(results)
}

/// Appends nothing, but fails now if the document could not be written later.
pub fn writable(document: &Path) -> Result<()> {
    OpenOptions::new().append(true).open(document).map(drop).map_err(|e| format!("{}: {e}", document.display()))
}
