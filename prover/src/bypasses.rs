//! What has to be shown of the bypasses of a stack: each does, under its condition, what the handlers do.

use nacre_bypass::{claims, Claims, What};
use nacre_stack::Stack;
use nacre_symbolic::terms::Goal;
use nacre_symbolic::Unsupported;

use crate::obligations::Problem;

/// The obligations of one bypass.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its place in [`Stack::bypasses`].
    pub bypass: usize,
    /// Err: a construct without terms; nothing is claimed.
    pub obligations: Result<Vec<(What, Option<Problem>)>, Unsupported>,
}

/// The obligations of all bypasses of a stack.
pub fn of_bypasses(stack: &Stack) -> Vec<Proof> {
    let all = stack.bypasses.iter().enumerate();
    all.map(|(at, bypass)| Proof { bypass: at, obligations: claims(stack, bypass).map(problems) }).collect()
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
