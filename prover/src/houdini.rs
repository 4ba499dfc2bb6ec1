//! The largest set of conditions that is inductive, by elimination (Houdini): all conditions are assumed, and those
//! that a handler can break are left out, until none is.

use std::collections::BTreeSet;

use nacre_stack::{Expr, LayerId, Span, Stack};
use nacre_symbolic::execute::{ClaimKind, Run};
use nacre_symbolic::state::State;
use nacre_symbolic::terms::{script, Goal, Term, Terms};
use nacre_symbolic::Unsupported;

use crate::obligations::{after_handler, after_opening, after_view, Loose};
use crate::solvers::{Answer, Solver};
use crate::threads::in_parallel;

/// The most queries about the conditions at one point that a solver gives up; those that are open then are left out.
const MOST_UNDECIDED: usize = 24;

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
    let live = (0..conditions.len()).filter(|at| has_terms(stack, layer, &conditions[*at])).collect();
    let mut left = Left { stack, layer, conditions, live, loose, solver };
    let bare = with_invariants(stack, layer, vec![]);
    let mut codes = codes(stack, layer);
    // Short code refutes most, and fast.
    codes.sort_by_cached_key(|code| after(&bare, layer, *code, &Loose::new()).map_or(0, |run| run.terms.count()));
    // What models refute goes first: with less to assume, less is undecided.
    left.pass(&codes, false)?;
    left.pass(&codes, true)?;
    let loose = renumbered(&left.loose, &left.live);
    Ok(Reduced { kept: left.live, loose })
}

/// What has not been refuted so far.
struct Left<'s> {
    stack: &'s Stack,
    layer: LayerId,
    conditions: &'s [Expr],
    live: Vec<usize>,
    loose: Loose,
    solver: &'s Solver,
}

impl Left<'_> {
    /// Examines all code until none breaks a condition. `all`: what is undecided is left out.
    fn pass(&mut self, codes: &[Code], all: bool) -> Result<(), Unsupported> {
        let (mut quiet, mut at) = (0, 0);
        while quiet < codes.len() {
            let pair: Vec<Code> = (0..2.min(codes.len())).map(|next| codes[(at + next) % codes.len()]).collect();
            let with = with_invariants(
                self.stack,
                self.layer,
                self.live.iter().map(|at| self.conditions[*at].clone()).collect(),
            );
            let here = renumbered(&self.loose, &self.live);
            let query = Query { stack: &with, layer: self.layer, loose: &here, solver: self.solver, all };
            let found = in_parallel(pair.len(), |at| query.broken(pair[at]));
            let left_out = self.leave_out(&pair, found)?;
            quiet = if left_out { 0 } else { quiet + pair.len() };
            at = (at + pair.len()) % codes.len();
        }
        Ok(())
    }

    /// Leaves out what is broken; whether anything is.
    fn leave_out(&mut self, codes: &[Code], found: Vec<Result<Vec<Broken>, Unsupported>>) -> Result<bool, Unsupported> {
        let (mut dropped, mut loosened) = (BTreeSet::new(), false);
        for (code, broken) in codes.iter().zip(found) {
            for (point, at) in broken? {
                match (point, code) {
                    (Point::Head(span), Code::Handler(handler)) => {
                        loosened |= self.loose.insert((*handler, span, self.live[at]));
                    }
                    _ => {
                        dropped.insert(self.live[at]);
                    }
                }
            }
        }
        self.live.retain(|at| !dropped.contains(at));
        Ok(loosened || !dropped.is_empty())
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
    if stack.has_views() {
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

/// A layer after code, from any state in which the invariants hold.
fn after<'s>(stack: &'s Stack, layer: LayerId, code: Code, loose: &Loose) -> Result<Run<'s>, Unsupported> {
    match code {
        Code::Opening => after_opening(stack, layer),
        Code::View => after_view(stack, layer),
        Code::Handler(at) => after_handler(stack, &stack.handlers[at], loose, false),
    }
}

/// Which invariants of a stack code can break.
struct Query<'s> {
    stack: &'s Stack,
    layer: LayerId,
    loose: &'s Loose,
    solver: &'s Solver,
    /// Those about which the solver gives up, too.
    all: bool,
}

impl Query<'_> {
    /// The invariants that this code can break.
    fn broken(&self, code: Code) -> Result<Vec<Broken>, Unsupported> {
        let (stack, layer) = (self.stack, self.layer);
        let mut run = after(stack, layer, code, self.loose)?;
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
            found.extend(self.refuted(&mut run.terms, &assumptions, group));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Those claims that the solver does not prove. One query is about all of them; its model tells which fail.
    fn refuted(&self, terms: &mut Terms, assumptions: &[Term], claims: Vec<(Broken, Term)>) -> Vec<Broken> {
        // What the code leaves as it was needs no solver.
        let is_open = |(_, term): &(Broken, Term)| terms.truth_of(*term) != Some(true) && !assumptions.contains(term);
        let mut groups: Vec<Vec<(Broken, Term)>> = vec![claims.into_iter().filter(is_open).collect()];
        let (mut found, mut undecided) = (vec![], 0);
        while let Some(group) = groups.pop() {
            if group.is_empty() {
                continue;
            }
            if undecided >= MOST_UNDECIDED {
                found.extend(group.into_iter().map(|(one, _)| one));
                continue;
            }
            let shown: Vec<Term> = group.iter().map(|(_, term)| *term).collect();
            let claim = terms.and(&shown);
            let goal = Goal { name: "invariants".into(), assumptions: assumptions.to_vec(), claim };
            let answer = self.solver.solve(&script(terms, &goal, &shown));
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
                _ if !self.all => {}
                _ if group.len() == 1 => {
                    undecided += 1;
                    found.push(group[0].0);
                }
                _ => {
                    undecided += 1;
                    let (first, second) = group.split_at(group.len() / 2);
                    groups.extend([second.to_vec(), first.to_vec()]);
                }
            }
        }
        found
    }
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
