//! Shrinks a failing run: removes messages and faults as long as the same check fails (delta debugging).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::network::Item;
use crate::run::{run, Plan, Run, Subject};

/// The limits of shrinking.
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

/// The smallest failing run that was found.
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
        let is_same = run.failure.as_ref().map(|failure| failure.check) == check;
        is_same.then(|| run.items.into_iter().chain(run.waiting).collect::<Vec<Item>>())
    };
    // A run needs only the items that it has used, so a success may remove more items than requested.
    let mut items = failed.items.clone();
    let whole: Vec<Item> = failed.items.iter().chain(&failed.waiting).copied().collect();
    // That a message waits can be the failure.
    if fails(&items).is_none() {
        items = whole.clone();
    }
    let (messages, faults): (Vec<Item>, Vec<Item>) = items.iter().partition(|item| matches!(item, Item::Message(..)));
    if let Some(used) = fails(&messages) {
        items = used;
    } else {
        let essential: Vec<Item> = faults.iter().copied().filter(|item| !is_mere_delay(item)).chain(messages).collect();
        items = fails(&essential).unwrap_or(items);
    }
    let items = slide(minimize(items, &mut fails), &mut fails);
    let again = |items: Vec<Item>| {
        let keep: BTreeSet<Item> = items.into_iter().collect();
        Shrunk { run: run(plan, subject, Some(keep.clone()), true), keep, tried }
    };
    let shrunk = again(items);
    match shrunk.run.failure {
        Some(_) => shrunk,
        None => again(whole),
    }
}

fn is_mere_delay(item: &Item) -> bool {
    matches!(item, Item::Frame(_, _, crate::network::Fault::Late))
}

/// Zeller's ddmin, over complements only: removes chunks of decreasing size. `fails` returns the items that the run
/// used.
fn minimize(mut items: Vec<Item>, fails: &mut impl FnMut(&[Item]) -> Option<Vec<Item>>) -> Vec<Item> {
    let mut chunk = items.len().div_ceil(2);
    while chunk > 0 && !items.is_empty() {
        let (mut at, mut smaller) = (0, false);
        while at < items.len() {
            let end = (at + chunk).min(items.len());
            let without: Vec<Item> = items[..at].iter().chain(&items[end..]).copied().collect();
            match fails(&without) {
                // The run may have used fewer items than it was given, never others.
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

/// Removes single messages, and moves the faults to earlier frames, since the frames of the message are gone.
fn slide(mut items: Vec<Item>, fails: &mut impl FnMut(&[Item]) -> Option<Vec<Item>>) -> Vec<Item> {
    let mut at = 0;
    while at < items.len() {
        let message = items[at];
        if !matches!(message, Item::Message(..)) {
            at += 1;
            continue;
        }
        let shifts = (1..9u64).map(|n| [n / 3, n % 3]);
        let found = shifts.into_iter().find_map(|shift| {
            let moved: Vec<Item> =
                items.iter().filter(|item| **item != message).map(|item| earlier(*item, shift)).collect();
            fails(&moved).map(|used| moved.into_iter().filter(|item| used.contains(item)).collect::<Vec<Item>>())
        });
        match found {
            Some(fewer) => items = fewer,
            None => at += 1,
        }
    }
    items
}

/// Returns the same fault, this number of frames of its sender earlier.
fn earlier(item: Item, shift: [u64; 2]) -> Item {
    match item {
        Item::Frame(from, number, fault) => {
            let shift = shift.get(from as usize).copied().unwrap_or(0);
            Item::Frame(from, number.saturating_sub(shift), fault)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_needed_declarations_remain() {
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
