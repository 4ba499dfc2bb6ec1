//! Invariants that no layer states: observed in simulated runs, proved by solvers.

use std::collections::BTreeSet;

use nacre_driver::Session;
use nacre_profiles::{simulate, NotSimulated, Note, Workload};
use nacre_prover::atoms::{self, Atom};
use nacre_prover::inference::{of_layer, Inferred};
use nacre_prover::solvers::Solver;
use nacre_simulator::network::Conditions;
use nacre_stack::{number, Goal, LayerId, Stack};

use crate::console::say;
use crate::progress::Waiting;

/// Which atoms of each layer held in a state.
type Observed = Vec<BTreeSet<Vec<bool>>>;

/// The seeds of the runs that are observed.
const SEEDS: u64 = 12;
/// Messages of an endpoint in each run, and their longest, in bytes.
const MESSAGES: u32 = 100;
const LONGEST: usize = 20_000;

/// Infers invariants of all layers; says where that is impossible.
pub(super) fn infer(session: &Session, stack: &Stack, solvers: &[Solver]) -> Vec<Inferred> {
    infer_of(session, stack, solvers, &|_| true)
}

/// The same for some layers.
fn infer_of(session: &Session, stack: &Stack, solvers: &[Solver], wanted: &dyn Fn(LayerId) -> bool) -> Vec<Inferred> {
    let source = |span| session.sources.slice(span).to_string();
    let layers = || (0..stack.layers.len() as u32).map(LayerId);
    let atoms = |layer| if wanted(layer) { atoms::of_layer(stack, layer, &source) } else { vec![] };
    let atoms: Vec<Vec<Atom>> = layers().map(atoms).collect();
    let waiting = Waiting::begin(format!("inferring invariants of {}", stack.name));
    let observed = match observe(stack, &atoms) {
        Ok(observed) => observed,
        Err(why) => {
            say(&format!("note: no invariants are inferred: {why}"));
            return vec![];
        }
    };
    let mut found = vec![];
    for (layer, (atoms, observed)) in layers().zip(atoms.iter().zip(&observed)) {
        if observed.is_empty() || atoms.is_empty() {
            continue;
        }
        match of_layer(stack, layer, atoms, observed, solvers) {
            Ok(inferred) => found.push(inferred),
            Err(why) => {
                let name = &stack.layer(layer).description;
                say(&format!("note: no invariants of {name} are inferred: {why} has no terms"));
            }
        }
    }
    drop(waiting);
    found
}

/// The states of both endpoints in some runs with losses.
fn observe(stack: &Stack, atoms: &[Vec<Atom>]) -> Result<Observed, NotSimulated> {
    let mut with = stack.clone();
    for (layer, atoms) in with.layers.iter_mut().zip(atoms) {
        let goal = |atom: &Atom| Goal { name: atom.text.clone(), holds: atom.holds.clone() };
        layer.goals = atoms.iter().map(goal).collect();
    }
    number(&mut with);
    let workload = |seed: u64| {
        let lossy =
            Conditions { loss: 0.02 * (seed - 1) as f64, duplicate: 0.05, reorder: 0.1, ..Conditions::default() };
        let conditions = if seed == 1 { Conditions::default() } else { lossy };
        let largest = if seed % 3 == 2 { LONGEST } else { 1_000 };
        Workload { seed, messages: MESSAGES, largest, conditions }
    };
    let workloads: Vec<Workload> = (1..=SEEDS).map(workload).collect();
    // A stack that breaks a rule has reached its states all the same.
    let goals = simulate(with, &workloads, Note::Goals)?.taken.goals;
    let mut observed: Observed = vec![Default::default(); atoms.len()];
    for state in goals {
        let mut rest = &state[..];
        for (atoms, observed) in atoms.iter().zip(&mut observed) {
            let (mine, others) = rest.split_at(atoms.len().min(rest.len()));
            observed.insert(mine.to_vec());
            rest = others;
        }
    }
    Ok(observed)
}

/// The invariants of all layers in source terms, from the top: those that are stated, and those that are inferred.
pub(super) fn show(session: &Session, stack: &Stack, inferred: &[Inferred]) -> String {
    let mut text = String::new();
    for (at, layer) in stack.layers.iter().enumerate().rev() {
        let found = inferred.iter().find(|one| one.layer.index() == at);
        if layer.invariants.is_empty() && found.is_none_or(|one| one.invariants.is_empty()) {
            continue;
        }
        text += &format!("{}:\n", layer.description);
        for stated in &layer.invariants {
            let written = session.sources.slice(stated.span).trim();
            text += &format!("  stated    {written} ({})\n", session.places(&[stated.span]).trim());
        }
        for one in found.iter().flat_map(|one| &one.invariants) {
            text += &format!("  inferred  {}\n", one.text);
        }
    }
    match text.is_empty() {
        true => "no layer has invariants\n".into(),
        false => text,
    }
}

#[cfg(test)]
mod tests;
