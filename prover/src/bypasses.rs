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
    judge_where(stack, at, &[], solvers)
}

/// The same, where invariants of layers hold between steps: the caller has proved them.
pub fn judge_where(stack: &Stack, at: usize, invariants: &[(LayerId, Expr)], solvers: &[Solver]) -> Verdict {
    let decide = |terms: &mut Terms, known: &[Term], branch: Term| {
        let negated = terms.not(branch);
        let follows = |claim: Term| solvers[0].solve(&problem(terms, "branch", known, claim)) == Answer::Proved;
        follows(branch).then_some(true).or_else(|| follows(negated).then_some(false))
    };
    let Claims { terms, assumptions, all } = match claims(stack, &stack.bypasses[at], invariants, &decide) {
        Ok(claims) => claims,
        Err(why) => return Verdict::NotClaimed(why),
    };
    for (what, claim) in all {
        // Calculation has shown it.
        if terms.truth_of(claim) == Some(true) {
            continue;
        }
        let is_possible = what == What::Possible;
        let problem = problem(&terms, &format!("{what:?}"), &assumptions, claim);
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

fn problem(terms: &Terms, name: &str, assumptions: &[Term], claim: Term) -> String {
    script(terms, &Goal { name: name.into(), assumptions: assumptions.to_vec(), claim }, &[])
}
