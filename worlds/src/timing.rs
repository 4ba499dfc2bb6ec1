//! What a configuration states about timers, and why runs that contradict it are excluded.

use std::sync::Arc;

use nacre_analysis::delays::{self, Range};
use nacre_analysis::Lattice;
use nacre_driver::{Meaning, Resolved};
use nacre_stack::{Stack, TimerId};

use crate::refusal::Refusal;
use crate::setup::{Bounds, Setup};

/// Compares what is stated about timers with the durations for which the stack arms them. Returns what nothing shows.
/// `stack`: an endpoint's; `all`: those of all endpoints.
pub(crate) fn compare(stack: &Stack, all: &[Arc<Stack>], settings: &[Resolved]) -> Result<Vec<String>, Refusal> {
    let waits = |name: &String| delays::of(stack, timer(stack, name)?);
    let of_one = |one: &Stack, name: &String| timer(one, name).and_then(|timer| delays::of(one, timer));
    let at_all = |name: &String| all.iter().fold(waits(name), |waits, one| waits.joined(&of_one(one, name)));
    let mut unknown = vec![];
    for setting in settings {
        let wrong = |words: String| Err(Refusal::Diagnostics(vec![setting.error(words)]));
        match &setting.meaning {
            Meaning::Shorter { timer, than } => match (waits(timer), waits(than)) {
                (Some(shorter), Some(longer)) if shorter.least >= longer.most => {
                    let words = format!("`{timer}` waits {} and `{than}` {}", shown(shorter), shown(longer));
                    return wrong(format!("`{timer}` is not shorter than `{than}`: {words}"));
                }
                (Some(shorter), Some(longer)) if shorter.most >= longer.least => {
                    unknown.push(format!("that `{timer}` is shorter than `{than}` was not shown: it is assumed"));
                }
                _ => {}
            },
            Meaning::InPhase(name) => match at_all(name) {
                Some(Range { least, most }) if least == most && least > 0 => {}
                Some(range) => return wrong(format!("`{name}` has no period: it waits {}", shown(range))),
                None => return wrong(format!("`{name}` has no period: it is never armed")),
            },
            _ => {}
        }
    }
    Ok(unknown)
}

/// A time as the verdict prints it.
pub fn milliseconds(nanoseconds: u64) -> String {
    format!("{} ms", nanoseconds as f64 / 1e6)
}

fn shown(range: Range) -> String {
    match range {
        Range { least, most } if least == most => milliseconds(least),
        Range { least, most: u64::MAX } => format!("{} or longer", milliseconds(least)),
        Range { least, most } => format!("{} to {}", milliseconds(least), milliseconds(most)),
    }
}

fn timer(stack: &Stack, name: &str) -> Option<TimerId> {
    stack.timers.iter().position(|t| t.name == name).map(|at| TimerId(at as u32))
}

impl Bounds {
    /// Returns the pairs of timers of which the first is shorter, also those that follow from others.
    pub fn all_shorter(&self) -> Vec<(String, String)> {
        let mut all = self.shorter.clone();
        let mut at = 0;
        while at < all.len() {
            let (timer, than) = all[at].clone();
            for (_, longer) in self.shorter.iter().filter(|(shorter, _)| *shorter == than) {
                if !all.contains(&(timer.clone(), longer.clone())) {
                    all.push((timer.clone(), longer.clone()));
                }
            }
            at += 1;
        }
        all
    }
}

impl Setup {
    /// Returns the timers that are in phase.
    pub fn in_phase(&self) -> Vec<TimerId> {
        self.bounds.in_phase.iter().filter_map(|name| timer(self.stack(), name)).collect()
    }

    /// Checks that the endpoints can keep what is stated about their timers.
    pub(crate) fn check_timers(&self) -> Result<(), String> {
        let Bounds { trip, within, last, shorter, in_phase, limits, .. } = &self.bounds;
        let limited = limits.iter().any(|(name, _)| name == "timers");
        if trip.is_empty() && within.is_some() {
            return Err("`within` is measured by a clock: state how long a frame takes (`trip = 5 ms;`)".into());
        }
        if !(trip.is_empty() || last.is_empty() && shorter.is_empty() && in_phase.is_empty() && !limited) {
            return Err("with `trip` timers fire at their deadlines: nothing else can be stated about them".into());
        }
        let pairs = self.bounds.all_shorter();
        if pairs.len() > u64::BITS as usize {
            return Err(format!(
                "the order of timers consists of {} pairs, and a state has {} bits",
                pairs.len(),
                u64::BITS
            ));
        }
        let named = pairs.iter().flat_map(|(timer, than)| [timer, than]).chain(&self.bounds.in_phase);
        for name in named {
            let Some(timer) = timer(self.stack(), name) else {
                return Err(format!("`{}` has no timer `{name}`", self.stack().name));
            };
            let timer = &self.stack().timers[timer.index()];
            if !self.stack().timer_path(timer).is_empty() {
                return Err(format!("`{name}` is not a field of the state: its order is not known"));
            }
        }
        Ok(())
    }
}
