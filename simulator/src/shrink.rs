//! Makes a failure small: leaves out messages and faults as long as it fails in the same way (delta debugging).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::network::Item;
use crate::run::{run, Plan, Run, Subject};

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub runs: u32,
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { runs: 2000, time: Duration::from_secs(20) }
    }
}

/// A failing run with as little in it as was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    pub keep: BTreeSet<Item>,
    /// With its trace.
    pub run: Run,
    pub tried: u32,
}

/// Shrinks a run that failed.
pub fn shrink(plan: &Plan, subject: &Subject, failed: &Run, budget: Budget) -> Shrunk {
    let check = failed.failure.as_ref().map(|failure| failure.check);
    let (begun, mut tried) = (Instant::now(), 0);
    let mut fails = |items: &[Item]| {
        if tried >= budget.runs || begun.elapsed() > budget.time {
            return None;
        }
        tried += 1;
        let keep: BTreeSet<Item> = items.iter().copied().collect();
        let run = run(plan, subject, Some(keep), false);
        (run.failure.as_ref().map(|failure| failure.check) == check).then_some(run.items)
    };
    // What a run has used is what it needs: each success may leave out more than was asked.
    let mut items = failed.items.clone();
    let (messages, faults): (Vec<Item>, Vec<Item>) = items.iter().partition(|item| matches!(item, Item::Message(..)));
    if let Some(used) = fails(&messages) {
        items = used;
    } else {
        let essential: Vec<Item> = faults.iter().copied().filter(|item| !is_mere_delay(item)).chain(messages).collect();
        items = fails(&essential).unwrap_or(items);
    }
    let items = minimize(items, &mut fails);
    let keep: BTreeSet<Item> = items.into_iter().collect();
    let run = run(plan, subject, Some(keep.clone()), true);
    Shrunk { keep, run, tried }
}

fn is_mere_delay(item: &Item) -> bool {
    matches!(item, Item::Frame(_, _, crate::network::Fault::Late))
}

/// Zeller's ddmin, over complements only: chunks are left out, ever smaller ones. `fails` gives what the run used.
fn minimize(mut items: Vec<Item>, fails: &mut impl FnMut(&[Item]) -> Option<Vec<Item>>) -> Vec<Item> {
    let mut chunk = items.len().div_ceil(2);
    while chunk > 0 && !items.is_empty() {
        let (mut at, mut smaller) = (0, false);
        while at < items.len() {
            let end = (at + chunk).min(items.len());
            let without: Vec<Item> = items[..at].iter().chain(&items[end..]).copied().collect();
            match fails(&without) {
                // The run may have used fewer items than it was left, never others.
                Some(used) => {
                    items = without.into_iter().filter(|item| used.contains(item)).collect();
                    smaller = true;
                }
                None => at = end,
            }
        }
        if chunk == 1 && !smaller {
            break;
        }
        chunk = if chunk == 1 { 1 } else { chunk.div_ceil(2) };
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_is_left() {
        let items: Vec<Item> = (0..100).map(|n| Item::Message(0, n)).collect();
        let needed = [Item::Message(0, 17), Item::Message(0, 80)];
        let mut runs = 0;
        let mut fails = |items: &[Item]| {
            runs += 1;
            needed.iter().all(|n| items.contains(n)).then(|| items.to_vec())
        };
        assert_eq!(minimize(items, &mut fails), needed);
        assert!(runs < 120, "{runs} runs");
    }
}
