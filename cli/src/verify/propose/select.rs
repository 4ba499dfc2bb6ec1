//! Selects proposals: few drafts that together execute as much as all that were tried.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::draft::Choice;
use super::trial::{Feature, Trial, Trials};

/// A selected draft, and what it adds to those before it.
#[derive(Clone, Debug)]
pub struct Selected {
    pub trial: Rc<Trial>,
    pub adds: BTreeSet<Feature>,
    /// The mutants that it detects and those before it do not.
    pub mutants: usize,
}

/// Selects trials until no other one adds to what was known: each time the one that adds most, of several the smallest.
/// Those that the later ones make needless are left out.
pub fn selected(pool: &[Rc<Trial>], known: &BTreeSet<Feature>) -> Vec<Rc<Trial>> {
    let (mut found, mut all) = (vec![], known.clone());
    loop {
        let adds = |trial: &Rc<Trial>| trial.features.difference(&all).count();
        let best = pool.iter().enumerate().filter(|(_, t)| t.holds()).max_by_key(|(at, trial)| {
            // The first of the smallest.
            (adds(trial), std::cmp::Reverse((trial.states, *at)))
        });
        let Some((_, best)) = best.filter(|(_, best)| adds(best) > 0) else { break };
        all.extend(best.features.iter().copied());
        found.push(best.clone());
    }
    needed(found, known)
}

/// Leaves out what the others cover as well, the largest first.
fn needed(mut found: Vec<Rc<Trial>>, known: &BTreeSet<Feature>) -> Vec<Rc<Trial>> {
    let mut order: Vec<Rc<Trial>> = found.clone();
    order.sort_by_key(|trial| std::cmp::Reverse(trial.states));
    for trial in order {
        let others = found.iter().filter(|other| !Rc::ptr_eq(other, &trial));
        let covered: BTreeSet<Feature> = others.flat_map(|t| &t.features).chain(known).copied().collect();
        if trial.features.is_subset(&covered) {
            found.retain(|other| !Rc::ptr_eq(other, &trial));
        }
    }
    found.sort_by_key(|trial| trial.states);
    found
}

/// What each trial adds to those before it.
pub fn with_gains(found: Vec<Rc<Trial>>, known: &BTreeSet<Feature>) -> Vec<Selected> {
    let mut all = known.clone();
    let mut gains = vec![];
    for trial in found {
        let adds = trial.features.difference(&all).copied().collect();
        all.extend(trial.features.iter().copied());
        gains.push(Selected { trial, adds, mutants: 0 });
    }
    gains
}

/// Makes a trial see more: with each further choice with which it still holds, executes at least the same, and is not
/// much larger.
pub fn strengthened(trials: &mut Trials, trial: &Rc<Trial>, choices: &[&Choice], states: usize) -> Rc<Trial> {
    let mut best = trial.clone();
    for choice in choices {
        let set = |choice: &Choice| choice.values.iter().any(|v| best.draft.has(&v.path));
        if set(choice) {
            continue;
        }
        let other = trials.of(&best.draft.with_more(choice), states);
        if other.holds() && other.features.is_superset(&trial.features) {
            best = other;
        }
    }
    best
}
