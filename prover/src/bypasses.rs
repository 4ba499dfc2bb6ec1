//! What has to be shown of the bypasses of a stack: each does, under its condition, what the handlers do.

use nacre_bypass::{claims, Claims, What};
use nacre_stack::Stack;
use nacre_symbolic::terms::{script, Goal, Term, Terms};
use nacre_symbolic::Unsupported;

use crate::obligations::Problem;
use crate::solvers::{Answer, Solver};

/// The obligations of one bypass.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its place in [`Stack::bypasses`].
    pub bypass: usize,
    /// Err: a construct without terms; nothing is claimed.
    pub obligations: Result<Vec<(What, Option<Problem>)>, Unsupported>,
}

/// The obligations of all bypasses of a stack. The solver is asked for branches that calculation does not decide.
pub fn of_bypasses(stack: &Stack, solver: &Solver) -> Vec<Proof> {
    (0..stack.bypasses.len()).map(|at| of_bypass(stack, at, solver)).collect()
}

/// The obligations of one bypass.
pub fn of_bypass(stack: &Stack, at: usize, solver: &Solver) -> Proof {
    let follows = |terms: &Terms, known: &[Term], claim: Term| {
        let goal = Goal { name: "branch".into(), assumptions: known.to_vec(), claim };
        solver.solve(&script(terms, &goal, &[])) == Answer::Proved
    };
    let decide = |terms: &mut Terms, known: &[Term], branch: Term| {
        if follows(terms, known, branch) {
            return Some(true);
        }
        let negated = terms.not(branch);
        follows(terms, known, negated).then_some(false)
    };
    Proof { bypass: at, obligations: claims(stack, &stack.bypasses[at], &decide).map(problems) }
}

/// The problems of claims; None: calculation has shown the claim. All are unsatisfiable if the claim holds, but that of
/// [`What::Possible`], which is satisfiable then.
fn problems(claims: Claims) -> Vec<(What, Option<Problem>)> {
    let Claims { mut terms, assumptions, all } = claims;
    let mut found = vec![];
    for (what, claim) in all {
        if terms.truth_of(claim) == Some(true) {
            found.push((what, None));
            continue;
        }
        let claim = if what == What::Possible { terms.truth(false) } else { claim };
        let goal = Goal { name: format!("{what:?}"), assumptions: assumptions.clone(), claim };
        let shown = terms.free_of(&goal);
        let problem = Problem::new(&terms, &goal, &shown);
        found.push((what, Some(problem)));
    }
    found
}
