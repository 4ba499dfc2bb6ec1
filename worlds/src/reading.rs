//! The settings of a configuration as bounds of a world.

use nacre_driver::{Bound, Meaning, Resolved};
use nacre_specification::members::Members;

use crate::initial::{is_same, Initial};
use crate::refusal::{wrong, Refusal};
use crate::setup::Bounds;
use crate::timing::milliseconds;

/// How a verdict says that `misuse` is set.
pub const MISUSE: &str = "calls that no specification allows are tried too";

/// The settings of a configuration, resolved.
pub(crate) struct Reading {
    /// The number of endpoints.
    pub members: Members,
    /// The largest width of sequence numbers.
    pub sequence_bits: Option<u8>,
    /// What the engines are given.
    pub bounds: Bounds,
    /// Parameters of the network.
    pub automata: Vec<(String, u64)>,
    /// Parameters of the specifications that the network does not have.
    pub specified: Vec<(String, u64)>,
    /// Initial values of cells, at each endpoint.
    pub given: Vec<Initial>,
}

impl Default for Reading {
    fn default() -> Reading {
        let (automata, specified, given) = (vec![], vec![], vec![]);
        Reading { members: Members::TWO, sequence_bits: None, bounds: Bounds::default(), automata, specified, given }
    }
}

impl Reading {
    /// Adds a setting.
    pub fn setting(&mut self, setting: &Resolved) -> Result<(), Refusal> {
        let one = setting.values.first().copied().unwrap_or_default();
        match &setting.meaning {
            // The stacks are composed with it.
            Meaning::Parameter { .. } => {}
            Meaning::Network(name) => self.automata.push((name.clone(), one)),
            Meaning::Specification(name) => self.specified.push((name.clone(), one)),
            Meaning::Given(name) => {
                let value = |end: usize| setting.values.get(end).copied().unwrap_or(one);
                self.given.push((name.clone(), self.members.all().map(value).collect()));
            }
            Meaning::Shorter { timer, than } => self.bounds.shorter.push((timer.clone(), than.clone())),
            Meaning::InPhase(name) => self.bounds.in_phase.push(name.clone()),
            Meaning::Timer(name) => self.bounds.last.push((name.clone(), small(setting, one)?)),
            Meaning::Argument { call, name } => {
                self.bounds.arguments.push((call.clone(), name.clone(), setting.values.clone()));
            }
            Meaning::Limit(name) => self.bounds.limits.push((name.clone(), small(setting, one)?)),
            Meaning::Call(name) => {
                let times = |end: usize| small(setting, setting.values.get(end).copied().unwrap_or_default());
                self.bounds.calls.push((name.clone(), self.members.all().map(times).collect::<Result<_, _>>()?));
            }
            Meaning::Bound(bound) => self.bound(*bound, setting, one)?,
        }
        Ok(())
    }

    fn bound(&mut self, bound: Bound, setting: &Resolved, one: u64) -> Result<(), Refusal> {
        match bound {
            Bound::Numbers => self.sequence_bits = Some(small(setting, one)?),
            Bound::First => self.bounds.first = one,
            Bound::Size => self.bounds.sizes = setting.values.iter().map(|n| *n as usize).collect(),
            Bound::AnyOrder => self.bounds.any_order |= one != 0,
            Bound::AtOnce => self.bounds.at_once |= one != 0,
            Bound::Misuse => self.bounds.misuse = one != 0,
            Bound::Detects => self.bounds.detects |= one != 0,
            Bound::Scarce => self.bounds.scarce = small(setting, one)?,
            Bound::Trip => self.bounds.trip = setting.values.clone(),
            Bound::Within => self.bounds.within = Some(one),
            Bound::Members => {}
        }
        Ok(())
    }

    /// The bounds as the verdict prints them.
    pub fn shown(&self) -> Vec<String> {
        let members = (!self.members.is_pair()).then(|| format!("{} members", self.members.count()));
        let calls = self.bounds.calls.iter().map(|(name, times)| format!("{name} {}", self.members.at_each(times)));
        let mut shown: Vec<String> = members.into_iter().chain(calls).collect();
        let values = |values: &[u64]| values.iter().copied().map(number).collect::<Vec<_>>().join(" or ");
        let arguments = self.bounds.arguments.iter();
        shown.extend(arguments.map(|(call, name, tried)| format!("{name} of {call} is {}", values(tried))));
        let sizes: Vec<String> = self.bounds.sizes.iter().filter(|n| **n > 0).map(usize::to_string).collect();
        let unit = if sizes == ["1"] { "byte" } else { "bytes" };
        shown.push(match (sizes.is_empty(), self.bounds.sizes.contains(&0)) {
            (true, _) => "one empty message".into(),
            (_, true) => format!("messages of {} {unit}; the first one may be empty", sizes.join(" or ")),
            _ => format!("messages of {} {unit}", sizes.join(" or ")),
        });
        let limit = |name: &str| self.bounds.limits.iter().find(|(n, _)| n == name).map(|(_, n)| *n);
        let at = if self.bounds.trip.is_empty() { "timers at any time" } else { "timers at their deadlines" };
        shown.push(limit("timers").map_or(at.into(), |n| format!("timers fire at most {}", times(n))));
        shown.extend(
            self.bounds
                .limits
                .iter()
                .filter(|(n, _)| n != "timers")
                .map(|(name, n)| format!("{name} at most {}", times(*n))),
        );
        shown.extend(
            self.bounds.last.iter().map(|(name, n)| format!("{name} fires at most {}, as a last resort", times(*n))),
        );
        shown.extend(self.bounds.shorter.iter().map(|(timer, than)| format!("{timer} is shorter than {than}")));
        let other = if self.members.is_pair() { "the other" } else { "another" };
        let phases = self.bounds.in_phase.iter();
        shown.extend(phases.map(|name| format!("{name} fires at most twice at one end while it is armed at {other}")));
        let all = if self.members.is_pair() { "both endpoints" } else { "all endpoints" };
        shown.extend(self.given.iter().map(|(name, values)| match is_same(values) {
            true => format!("{name} is initially {} at {all}", number(values[0])),
            false => format!("{name} is initially {}", self.members.at_each(values)),
        }));
        if !self.bounds.trip.is_empty() {
            let times: Vec<String> = self.bounds.trip.iter().map(|n| milliseconds(*n)).collect();
            shown.push(format!("a frame takes {}", times.join(" or ")));
        }
        if let Some(within) = self.bounds.within {
            shown.push(format!("all is at rest {} after the last call", milliseconds(within)));
        }
        if self.bounds.at_once {
            shown.push("calls that the specification allows are accepted at once".into());
        }
        if self.bounds.misuse {
            shown.push(MISUSE.into());
        }
        if self.bounds.detects {
            shown.push("a violated assertion ends the run; what happens before it is checked".into());
        }
        if self.bounds.scarce > 0 {
            shown.push(format!("a full pool refuses frames: at most {}", self.bounds.scarce));
        }
        if let Some(bits) = self.sequence_bits {
            shown.push(format!("sequence numbers of {bits} bits"));
        }
        if self.bounds.first != 0 {
            shown.push(format!("sequence numbers begin at {}", self.bounds.first));
        }
        if self.bounds.any_order {
            shown.push("events of a step in any order that preserves the order on each link".into());
        }
        shown
    }
}

/// A value as it was written: one in the upper half is taken for a negative number.
fn number(value: u64) -> String {
    (value as i64).to_string()
}

/// `once`, `2 times`.
fn times(n: u8) -> String {
    match n {
        1 => "once".into(),
        n => format!("{n} times"),
    }
}

/// Returns a count that fits a state.
fn small(setting: &Resolved, value: u64) -> Result<u8, Refusal> {
    u8::try_from(value).map_err(|_| wrong(setting, &format!("`{}` is 0 to {}", setting.name, u8::MAX)))
}
