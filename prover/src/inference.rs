//! Invariants that no layer states: candidates that held in all observed states, reduced to an inductive set.
//!
//! What is found depends on what was observed; that it holds does not: each invariant is proved like a stated one, by
//! every solver, under the invariants of its layer that are proved themselves.

use std::collections::BTreeSet;

use nacre_stack::{Expr, LayerId, Scope, Stack};
use nacre_symbolic::Unsupported;

use crate::atoms::Atom;
use crate::candidates::{of_atoms, weaker, Candidate};
use crate::houdini::{follows, reduce, with_invariants, Reduced};
use crate::obligations::{of_handler, Loose, Obligation, Part};
use crate::solvers::{Answer, Solver};

/// How often candidates that are not inductive are made weaker.
const WEAKENED: usize = 1;

/// The invariants of a layer.
#[derive(Clone, Debug)]
pub struct Inferred {
    pub layer: LayerId,
    /// The stated ones that are proved together with these, by their places.
    pub stated: Vec<usize>,
    /// Those that are not stated, and do not follow from those that are.
    pub invariants: Vec<Candidate>,
    /// Which need not hold at the head of a loop; by their places among all stated ones and these.
    pub loose: Loose,
    /// What held in all observed states, and is not proved.
    pub held: Vec<Candidate>,
}

/// Infers the invariants of a layer from the atoms of the layer and what was observed of each in some states.
///
/// # Errors
/// A handler of the layer has no terms.
pub fn of_layer(
    stack: &Stack,
    layer: LayerId,
    atoms: &[Atom],
    observed: &BTreeSet<Vec<bool>>,
    solvers: &[Solver],
) -> Result<Inferred, Unsupported> {
    let stated = stack.layer(layer).invariants.clone();
    let mut pool = Pool { stack, layer, stated: &stated, candidates: of_atoms(atoms, observed), loose: Loose::new() };
    let Some(first) = solvers.first().map(Solver::quick) else { return Ok(pool.none()) };
    let (mut held, mut kept_stated) = (vec![], vec![]);
    for round in 0..=WEAKENED {
        let all = pool.candidates.clone();
        kept_stated = pool.reduce(&first)?;
        let refuted: Vec<Candidate> = all.into_iter().filter(|one| !pool.candidates.contains(one)).collect();
        if round < WEAKENED {
            let weaker = weaker(atoms, observed, &refuted, &pool.candidates);
            pool.candidates.extend(weaker);
        }
        held.extend(refuted.into_iter().filter(|_| round == 0));
    }
    pool.minimize(&kept_stated, &first);
    // Each solver must prove what is left; what one does not prove is not assumed by the next.
    loop {
        let before = pool.candidates.len();
        for solver in solvers {
            kept_stated = pool.reduce(&solver.quick())?;
        }
        if pool.candidates.len() == before {
            break;
        }
    }
    Ok(Inferred { layer, stated: kept_stated, invariants: pool.candidates, loose: pool.loose, held })
}

/// The candidates of a layer that are left.
struct Pool<'s> {
    stack: &'s Stack,
    layer: LayerId,
    stated: &'s [Expr],
    candidates: Vec<Candidate>,
    /// By place among the stated ones and the candidates.
    loose: Loose,
}

impl Pool<'_> {
    fn none(self) -> Inferred {
        Inferred { layer: self.layer, stated: vec![], invariants: vec![], loose: self.loose, held: vec![] }
    }

    /// Leaves the inductive candidates; returns the stated invariants that are inductive with them.
    fn reduce(&mut self, solver: &Solver) -> Result<Vec<usize>, Unsupported> {
        let stated = self.stated.len();
        let all: Vec<Expr> =
            self.stated.iter().cloned().chain(self.candidates.iter().map(|one| one.holds.clone())).collect();
        let Reduced { kept, loose } = reduce(self.stack, self.layer, &all, Loose::new(), solver)?;
        let candidates = kept.iter().filter(|at| **at >= stated).map(|at| self.candidates[at - stated].clone());
        let left: Vec<Candidate> = candidates.collect();
        let kept_stated: Vec<usize> = kept.iter().copied().filter(|at| *at < stated).collect();
        // The stated ones that are not kept have places, too.
        let place = |at: usize| match kept[at] {
            old if old < stated => old,
            _ => stated + at - kept_stated.len(),
        };
        self.loose = loose.into_iter().map(|(handler, span, at)| (handler, span, place(at))).collect();
        self.candidates = left;
        Ok(kept_stated)
    }

    /// Leaves out what follows from the rest, the last ones first.
    fn minimize(&mut self, stated: &[usize], solver: &Solver) {
        let mut at = self.candidates.len();
        while at > 0 {
            at -= 1;
            let others = self.candidates.iter().enumerate().filter(|(other, _)| *other != at);
            let known = stated.iter().map(|at| &self.stated[*at]).chain(others.map(|(_, one)| &one.holds));
            let known: Vec<&Expr> = known.collect();
            if follows(self.stack, self.layer, &known, &self.candidates[at].holds, solver) {
                self.candidates.remove(at);
            }
        }
    }
}

/// Candidates that held in all observed states and are not proved, but under which an obligation of a handler would be;
/// none that could be left out. `with`: the stack with its inferred invariants.
pub fn suggestion(
    with: &Stack,
    inferred: &Inferred,
    part: &Part,
    open: &Obligation,
    solver: &Solver,
) -> Vec<Candidate> {
    let layer = inferred.layer;
    let Some(at) = with.handlers.iter().position(|one| one.layer == layer && one.span == part.span) else {
        return vec![];
    };
    let solver = solver.quick();
    let proves = |held: &[Candidate]| {
        let known = with.layer(layer).invariants.iter().cloned();
        let assumed = with_invariants(with, layer, known.chain(held.iter().map(|one| one.holds.clone())).collect());
        let Ok((all, _)) = of_handler(&assumed, &assumed.handlers[at], &inferred.loose) else { return false };
        let is_it = |one: &&Obligation| one.kind == open.kind && one.span == open.span;
        let mut same = all.iter().filter(is_it).peekable();
        let is_proved =
            |one: &Obligation| one.problem.as_ref().is_none_or(|one| solver.solve(&one.text) == Answer::Proved);
        same.peek().is_some() && same.all(is_proved)
    };
    let mut held = inferred.held.clone();
    if !part.is_handler || held.is_empty() || !proves(&held) {
        return vec![];
    }
    let mut count = held.len().div_ceil(2);
    loop {
        let mut from = 0;
        while from < held.len() {
            let without: Vec<Candidate> = held[..from].iter().chain(held[from..].iter().skip(count)).cloned().collect();
            match proves(&without) {
                true => held = without,
                false => from += count,
            }
        }
        if count == 1 {
            return held;
        }
        count /= 2;
    }
}

/// The stack with the inferred invariants of its layers behind the stated ones.
pub fn with_inferred(stack: &Stack, all: &[Inferred]) -> Stack {
    all.iter().fold(stack.clone(), |with, one| {
        let stated = with.layer(one.layer).invariants.iter().cloned();
        let invariants = stated.chain(one.invariants.iter().map(|one| one.holds.clone())).collect();
        with_invariants(&with, one.layer, invariants)
    })
}

/// What holds between steps of a stack: the proved invariants of its layers. Layers whose connections share cells are
/// left out, as a step of another connection may change these.
pub fn known(stack: &Stack, all: &[Inferred]) -> Vec<(LayerId, Expr)> {
    let shares = |layer: LayerId| stack.cells.iter().any(|cell| cell.layer == layer && cell.scope == Scope::Shared);
    let mut known = vec![];
    for one in all.iter().filter(|one| !shares(one.layer)) {
        let stated = one.stated.iter().map(|at| stack.layer(one.layer).invariants[*at].clone());
        let inferred = one.invariants.iter().map(|one| one.holds.clone());
        known.extend(stated.chain(inferred).map(|holds| (one.layer, holds)));
    }
    known
}

/// Which invariants loops need not keep, by their places in [`with_inferred`].
pub fn loose_of(all: &[Inferred]) -> Loose {
    all.iter().flat_map(|one| one.loose.iter().copied()).collect()
}
