//! Checks a proof.

use crate::clauses::Clauses;
use crate::files::{formula, proof, Formula, Step};

/// Checks that a proof shows that a formula has no model; both are the texts of files.
///
/// # Errors
/// Why not: a file is malformed, a step does not follow, or the proof does not end in a contradiction.
pub fn check(formula_text: &str, proof_text: &str) -> Result<(), String> {
    let formula = formula(formula_text).map_err(|why| format!("the formula: {why}"))?;
    let steps = proof(proof_text, formula.variables).map_err(|why| format!("the proof: {why}"))?;
    check_steps(&formula, &steps)
}

/// The same for a formula and a proof that have been read.
///
/// # Errors
/// Why not.
pub fn check_steps(formula: &Formula, steps: &[Step]) -> Result<(), String> {
    let mut clauses = Clauses::new(formula.variables);
    for clause in &formula.clauses {
        clauses.add(clause);
    }
    for (at, step) in steps.iter().enumerate() {
        if clauses.is_contradiction() {
            return Ok(());
        }
        match step {
            Step::Add(clause) if clauses.implies(clause) => clauses.add(clause),
            Step::Add(_) => return Err(format!("step {} does not follow by unit propagation", at + 1)),
            Step::Delete(clause) if clauses.delete(clause) => {}
            Step::Delete(_) => return Err(format!("step {} deletes a clause that is not there", at + 1)),
        }
    }
    if clauses.is_contradiction() {
        Ok(())
    } else {
        Err("the proof does not end in a contradiction".into())
    }
}
