//! The largest set of conditions that is inductive, by elimination (Houdini): all conditions are assumed, and those that
//! a handler can break are left out, until none is.

use std::collections::BTreeSet;

use nacre_stack::{Expr, LayerId, Scope, Span, Stack};
use nacre_symbolic::execute::{ClaimKind, Run};
use nacre_symbolic::state::State;
use nacre_symbolic::terms::{script, Goal, Term, Terms};
use nacre_symbolic::Unsupported;

use crate::obligations::{after_handler, after_opening, after_view, Loose};
use crate::solvers::{Answer, Solver};
use crate::threads::in_parallel;

/// What is left of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The inductive ones, by their places.
    pub kept: Vec<usize>,
    /// Which of them are not kept in a loop, by their places in `kept`.
    pub loose: Loose,
}

/// A place at which a condition must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    /// The end of the code.
    End,
    /// The head of a loop.
    Head(Span),
}

/// A condition by its place in the list, at a point.
type Broken = (Point, usize);

/// Code after which conditions must hold.
#[derive(Clone, Copy)]
enum Code {
    Opening,
    View,
    Handler(usize),
}

/// The inductive ones among conditions over the cells of a layer: true when a connection has been opened, and kept by
/// each handler. `loose`: those that are not kept in a loop, as far as is known.
///
/// # Errors
/// Code of the layer without terms.
pub fn reduce(
    stack: &Stack,
    layer: LayerId,
    conditions: &[Expr],
    loose: Loose,
    solver: &Solver,
) -> Result<Reduced, Unsupported> {
    let mut live: Vec<usize> = (0..conditions.len()).filter(|at| has_terms(stack, layer, &conditions[*at])).collect();
    let mut loose = loose;
    let codes = codes(stack, layer);
    loop {
        let with = with_invariants(stack, layer, live.iter().map(|at| conditions[*at].clone()).collect());
        let here = renumbered(&loose, &live);
        let found = in_parallel(codes.len(), |at| broken(&with, layer, codes[at], &here, solver));
        let (mut dropped, mut loosened) = (BTreeSet::new(), false);
        for (code, broken) in codes.iter().zip(found) {
            for (point, at) in broken? {
                match (point, code) {
                    (Point::Head(span), Code::Handler(handler)) => {
                        loosened |= loose.insert((*handler, span, live[at]));
                    }
                    _ => {
                        dropped.insert(live[at]);
                    }
                }
            }
        }
        live.retain(|at| !dropped.contains(at));
        if dropped.is_empty() && !loosened {
            let loose = renumbered(&loose, &live);
            return Ok(Reduced { kept: live, loose });
        }
    }
}

/// Numbers that are places in `live` instead of those of all conditions.
fn renumbered(loose: &Loose, live: &[usize]) -> Loose {
    let place = |at: usize| live.iter().position(|live| *live == at);
    loose.iter().filter_map(|(handler, span, at)| Some((*handler, *span, place(*at)?))).collect()
}

/// The stack with other invariants of a layer.
pub fn with_invariants(stack: &Stack, layer: LayerId, invariants: Vec<Expr>) -> Stack {
    let mut with = stack.clone();
    with.layers[layer.index()].invariants = invariants;
    with
}

fn codes(stack: &Stack, layer: LayerId) -> Vec<Code> {
    let mut codes = vec![Code::Opening];
    if stack.cells.iter().any(|cell| cell.scope == Scope::Lasting) {
        codes.push(Code::View);
    }
    let mine = |at: &usize| stack.handlers[*at].layer == layer && !stack.handlers[*at].passes;
    codes.extend((0..stack.handlers.len()).filter(mine).map(Code::Handler));
    codes
}

fn has_terms(stack: &Stack, layer: LayerId, condition: &Expr) -> bool {
    let mut terms = Terms::new();
    let (state, _) = State::arbitrary(stack, &mut terms, layer);
    Run::new(stack, terms, layer, state).condition_with(condition, &[], vec![]).is_ok()
}

/// The invariants of the stack that this code can break.
fn broken(
    stack: &Stack,
    layer: LayerId,
    code: Code,
    loose: &Loose,
    solver: &Solver,
) -> Result<Vec<Broken>, Unsupported> {
    let mut run = match code {
        Code::Opening => after_opening(stack, layer)?,
        Code::View => after_view(stack, layer)?,
        Code::Handler(at) => after_handler(stack, &stack.handlers[at], loose)?,
    };
    let mut groups: Vec<(usize, Vec<(Broken, Term)>)> = vec![];
    for claim in run.claims.clone() {
        let ClaimKind::LoopInvariant { at, .. } = claim.kind else { continue };
        let holds = run.terms.implies(claim.guard, claim.holds);
        let one = ((Point::Head(claim.span), at), holds);
        match groups.last_mut().filter(|(assumptions, _)| *assumptions == claim.assumptions) {
            Some((_, group)) => group.push(one),
            None => groups.push((claim.assumptions, vec![one])),
        }
    }
    let mut ends = vec![];
    for at in 0..stack.layer(layer).invariants.len() {
        ends.push(((Point::End, at), run.invariant(at)?));
    }
    groups.push((run.assumptions.len(), ends));
    let mut found = vec![];
    for (assumptions, group) in groups {
        let assumptions = run.assumptions[..assumptions].to_vec();
        found.extend(refuted(&mut run.terms, &assumptions, group, solver));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Those claims that the solver does not prove. One query is about all of them; its model tells which fail.
fn refuted(terms: &mut Terms, assumptions: &[Term], claims: Vec<(Broken, Term)>, solver: &Solver) -> Vec<Broken> {
    let is_open = |(_, term): &(Broken, Term)| terms.truth_of(*term) != Some(true);
    let mut groups: Vec<Vec<(Broken, Term)>> = vec![claims.into_iter().filter(is_open).collect()];
    let mut found = vec![];
    while let Some(group) = groups.pop() {
        if group.is_empty() {
            continue;
        }
        let shown: Vec<Term> = group.iter().map(|(_, term)| *term).collect();
        let claim = terms.and(&shown);
        let goal = Goal { name: "invariants".into(), assumptions: assumptions.to_vec(), claim };
        let answer = solver.solve(&script(terms, &goal, &shown));
        let fails: Vec<bool> = match &answer {
            Answer::Refuted(values) => values.iter().map(|value| value == "false").collect(),
            _ => vec![],
        };
        match answer {
            Answer::Proved => {}
            Answer::Refuted(_) if fails.len() == group.len() && fails.contains(&true) => {
                let (broken, rest): (Vec<_>, Vec<_>) = group.into_iter().zip(fails).partition(|(_, fails)| *fails);
                found.extend(broken.into_iter().map(|((one, _), _)| one));
                groups.push(rest.into_iter().map(|(one, _)| one).collect());
            }
            _ if group.len() == 1 => found.push(group[0].0),
            _ => {
                let (first, second) = group.split_at(group.len() / 2);
                groups.extend([second.to_vec(), first.to_vec()]);
            }
        }
    }
    found
}

/// Whether a condition follows from others in any state of a layer.
pub fn follows(stack: &Stack, layer: LayerId, known: &[&Expr], condition: &Expr, solver: &Solver) -> bool {
    let mut terms = Terms::new();
    let (state, valid) = State::arbitrary(stack, &mut terms, layer);
    let mut run = Run::new(stack, terms, layer, state);
    run.assume(valid);
    for one in known {
        let Ok(holds) = run.condition_with(one, &[], vec![]) else { return false };
        run.assume(holds);
    }
    let Ok(claim) = run.condition_with(condition, &[], vec![]) else { return false };
    let goal = Goal { name: "follows".into(), assumptions: run.assumptions.clone(), claim };
    run.terms.truth_of(claim) == Some(true) || solver.solve(&script(&run.terms, &goal, &[])) == Answer::Proved
}
