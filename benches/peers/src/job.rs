//! One measurement, as it is passed to the processes of both ends, and what these print.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::end::{Result, Setup};

/// What the ends do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    /// One message of 8 bytes to and fro after the other; both ends poll.
    Polling,
    /// The same; both ends sleep until something comes.
    Blocking,
    /// A message of 8 bytes every 10 ms, and its answer.
    Paced,
    /// Messages of this length, in bytes, in one direction, as fast as they can be sent.
    Stream(usize),
    /// This number of connections, with one message each.
    Crowd(usize),
}

impl Workload {
    /// The name and the number that processes are given.
    pub fn words(self) -> (&'static str, usize) {
        match self {
            Workload::Polling => ("polling", 8),
            Workload::Blocking => ("blocking", 8),
            Workload::Paced => ("paced", 8),
            Workload::Stream(size) => ("stream", size),
            Workload::Crowd(connections) => ("crowd", connections),
        }
    }

    fn parse(name: &str, number: usize) -> Result<Workload> {
        Ok(match name {
            "polling" => Workload::Polling,
            "blocking" => Workload::Blocking,
            "paced" => Workload::Paced,
            "stream" => Workload::Stream(number),
            "crowd" => Workload::Crowd(number),
            other => return Err(format!("no workload has the name {other}")),
        })
    }
}

/// A measurement with one peer.
#[derive(Clone, Debug)]
pub struct Job {
    pub peer: String,
    pub workload: Workload,
    /// Not measured.
    pub warm_up: Duration,
    /// Measured.
    pub window: Duration,
    pub stacks: PathBuf,
}

impl Job {
    /// The arguments of a process: peer, workload, number, milliseconds of warm-up and window, folder of stacks.
    pub fn arguments(&self) -> Vec<String> {
        let (name, number) = self.workload.words();
        vec![
            self.peer.clone(),
            name.into(),
            number.to_string(),
            self.warm_up.as_millis().to_string(),
            self.window.as_millis().to_string(),
            self.stacks.display().to_string(),
        ]
    }

    /// Reads what `arguments` has written.
    pub fn parse(arguments: &[String]) -> Result<Job> {
        let [peer, name, amount, warm_up, window, stacks] = arguments else {
            return Err("expected: PEER WORKLOAD NUMBER WARM_UP_MS WINDOW_MS STACKS".into());
        };
        let number = |text: &String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
        Ok(Job {
            peer: peer.clone(),
            workload: Workload::parse(name, number(amount)? as usize)?,
            warm_up: Duration::from_millis(number(warm_up)?),
            window: Duration::from_millis(number(window)?),
            stacks: PathBuf::from(stacks),
        })
    }

    /// How its ends are opened.
    pub fn setup(&self) -> Setup {
        let gathers = matches!(self.workload, Workload::Stream(_));
        let connections = if let Workload::Crowd(connections) = self.workload { connections } else { 1 };
        Setup { gathers, connections, stacks: self.stacks.clone() }
    }

    /// The time after which both ends have ended in any case.
    pub fn limit(&self) -> Duration {
        let connections = if let Workload::Crowd(connections) = self.workload { connections } else { 0 };
        self.warm_up + self.window + Duration::from_secs(15) + Duration::from_millis(6) * connections as u32
    }
}

/// What an end has measured, by name.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub numbers: BTreeMap<String, f64>,
    /// Counters of the transport.
    pub counters: String,
}

impl Figures {
    /// These numbers.
    pub fn of<const N: usize>(numbers: [(&str, f64); N], counters: String) -> Figures {
        Figures { numbers: numbers.into_iter().map(|(name, number)| (name.into(), number)).collect(), counters }
    }

    /// As one line.
    pub fn line(&self) -> String {
        let numbers: String = self.numbers.iter().map(|(name, number)| format!(" {name}={number}")).collect();
        format!("result{numbers} counters={}", self.counters)
    }

    /// Reads a line `result NAME=NUMBER ... counters=TEXT`.
    pub fn parse(line: &str) -> Option<Figures> {
        let mut figures = Figures::default();
        for (name, value) in line.strip_prefix("result ")?.split_whitespace().filter_map(|word| word.split_once('=')) {
            match value.parse() {
                Ok(number) if name != "counters" => drop(figures.numbers.insert(name.into(), number)),
                _ => figures.counters = value.into(),
            }
        }
        Some(figures)
    }

    /// A number by its name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }
}
