//! Proofs of bypasses: each does, under its condition, what the handlers of the composed stack do.

use nacre_bypass::{claims, Claims, What};
use nacre_stack::{number, Expr, LayerId, Stack};
use nacre_symbolic::terms::{script, Goal, Term, Terms};
use nacre_symbolic::Unsupported;

use crate::solvers::{Answer, Solver};

/// What became of the claims about a bypass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every solver proves every claim.
    Proved,
    /// No event in any state fulfils the condition.
    Never,
    /// A solver, by name, has refuted a claim.
    Refuted(&'static str, What),
    /// Why it is not known.
    Undecided(String),
    /// A construct without terms; nothing is claimed.
    NotClaimed(Unsupported),
}

/// A composed stack with the bypasses of its optimized form: what is proved of them is proved against this one's
/// handlers.
pub fn with_bypasses_of(composed: &Stack, optimized: &Stack) -> Stack {
    let mut stack = Stack { bypasses: optimized.bypasses.clone(), ..composed.clone() };
    number(&mut stack);
    stack
}

/// Examines the bypass at this place in [`Stack::bypasses`]. The first solver is also asked for branches of the
/// handlers that calculation does not decide; its answers are claims like the others.
pub fn judge(stack: &Stack, at: usize, solvers: &[Solver]) -> Verdict {
    judge_claims(stack, at, &[], solvers).0
}

/// The same, with the claims, if there are any. The invariants of layers are assumed: the caller has proved them.
pub fn judge_claims(
    stack: &Stack,
    at: usize,
    invariants: &[(LayerId, Expr)],
    solvers: &[Solver],
) -> (Verdict, Option<Claims>) {
    let decide = |terms: &mut Terms, known: &[Term], branch: Term| decide(&solvers[0], terms, known, branch);
    match claims(stack, &stack.bypasses[at], invariants, &decide) {
        Ok(claims) => (verdict(&claims, solvers), Some(claims)),
        Err(why) => (Verdict::NotClaimed(why), None),
    }
}

/// Which side of a branch follows from what is known.
pub(crate) fn decide(solver: &Solver, terms: &mut Terms, known: &[Term], branch: Term) -> Option<bool> {
    let negated = terms.not(branch);
    let follows = |claim: Term| solver.solve(&problem(terms, &goal("branch", known, claim))) == Answer::Proved;
    follows(branch).then_some(true).or_else(|| follows(negated).then_some(false))
}

fn verdict(claims: &Claims, solvers: &[Solver]) -> Verdict {
    for (what, goal) in goals(claims) {
        let is_possible = what == What::Possible;
        let problem = problem(&claims.terms, &goal);
        for solver in solvers {
            match (solver.solve(&problem), is_possible) {
                (Answer::Proved, false) | (Answer::Refuted(_), true) => {}
                (Answer::Proved, true) => return Verdict::Never,
                (Answer::Refuted(_), false) => return Verdict::Refuted(solver.name, what),
                (Answer::Unknown, _) => return Verdict::Undecided(format!("{} gave up", solver.name)),
                (Answer::Failed(why), _) => return Verdict::Undecided(format!("{} failed: {why}", solver.name)),
            }
        }
    }
    Verdict::Proved
}

/// The claims as goals, without those that calculation shows. [`What::Possible`] is no goal that holds: it has a
/// counterexample.
pub fn goals(claims: &Claims) -> Vec<(What, Goal)> {
    let open = claims.all.iter().filter(|(_, claim)| claims.terms.truth_of(*claim) != Some(true));
    open.map(|(what, claim)| (what.clone(), goal(&format!("{what:?}"), &claims.assumptions, *claim))).collect()
}

fn goal(name: &str, assumptions: &[Term], claim: Term) -> Goal {
    Goal { name: name.into(), assumptions: assumptions.to_vec(), claim }
}

fn problem(terms: &Terms, goal: &Goal) -> String {
    script(terms, goal, &[])
}
