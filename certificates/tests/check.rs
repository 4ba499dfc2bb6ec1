//! Right proofs are accepted, and wrong ones rejected.

use nacre_certificates::check::{check, check_steps};
use nacre_certificates::files::{formula, proof, Formula, Literal, Step};

/// All four clauses of two variables.
const ALL_OF_TWO: &str = "p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";

/// More pigeons than holes: the formula, which propagation alone does not refute.
const PIGEONS: &str = "p cnf 6 9\n1 2 0\n3 4 0\n5 6 0\n-1 -3 0\n-1 -5 0\n-3 -5 0\n-2 -4 0\n-2 -6 0\n-4 -6 0\n";

#[test]
fn right_proofs_are_accepted() {
    assert_eq!(check(ALL_OF_TWO, "1 0\n0\n"), Ok(()));
    assert_eq!(check(ALL_OF_TWO, "c a comment\n1 0\nd 1 2 0\nd -2 1 0\n0\n"), Ok(()));
    // Propagation completes it.
    assert_eq!(check(ALL_OF_TWO, "-2 0\n"), Ok(()));
    assert_eq!(check(PIGEONS, "1 0\n0\n"), Ok(()));
    // Nothing has to be shown of these.
    assert_eq!(check("p cnf 0 1\n0\n", ""), Ok(()));
    assert_eq!(check("p cnf 1 2\n1 0\n-1 0\n", ""), Ok(()));
    // A clause with a literal and its negation is always true; a literal twice is there once.
    assert_eq!(check("p cnf 2 5\n1 1 2 0\n1 -2 0\n-1 2 2 0\n-2 -1 0\n1 -1 0\n", "2 -2 0\n1 1 0\nd 2 1 0\n0\n"), Ok(()));
}

#[test]
fn wrong_proofs_are_rejected() {
    let step = |at: usize| Err(format!("step {at} does not follow by unit propagation"));
    // The empty clause needs a step before it.
    assert_eq!(check(ALL_OF_TWO, "0\n"), step(1));
    assert_eq!(check(ALL_OF_TWO, ""), Err("the proof does not end in a contradiction".into()));
    assert_eq!(check(ALL_OF_TWO, "d 1 2 0\n1 0\n0\n"), step(2));
    assert_eq!(check(ALL_OF_TWO, "d 1 0\n"), Err("step 1 deletes a clause that is not there".into()));
    let twice = check(ALL_OF_TWO, "d 1 2 0\nd 2 1 0\n");
    assert_eq!(twice, Err("step 2 deletes a clause that is not there".into()));
    assert_eq!(check(PIGEONS, "0\n"), step(1));
    assert_eq!(check(PIGEONS, "1 2 3 0\n"), Err("the proof does not end in a contradiction".into()));
    assert!(check("p cnf 1 1\n1 0\n", "nonsense").is_err_and(|why| why.contains("the proof: line 1")));
}

/// `1 2` and `-1 3` preserve satisfiability with `-3` (RAT), and do not follow.
#[test]
fn steps_that_only_preserve_satisfiability_are_rejected() {
    assert!(check("p cnf 3 2\n1 2 0\n-1 3 0\n", "-3 1 0\n").is_err());
}

/// Numbers that are the same at each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn clause(&mut self, variables: usize, most: usize) -> Vec<Literal> {
        let literals = 1 + self.below(most);
        let literal = |_| (1 + self.below(variables)) as Literal * if self.below(2) == 0 { 1 } else { -1 };
        (0..literals).map(literal).collect()
    }
}

fn has_model(formula: &Formula) -> bool {
    let holds = |values: u32, literal: &Literal| (values >> (literal.unsigned_abs() - 1) & 1 == 1) == (*literal > 0);
    let fulfils = |values: u32| formula.clauses.iter().all(|clause| clause.iter().any(|one| holds(values, one)));
    (0..1 << formula.variables).any(fulfils)
}

/// The proof that tries all values of the variables from this one on.
fn cases(formula: &Formula, prefix: &mut Vec<Literal>, steps: &mut Vec<Step>) {
    let variable = prefix.len() + 1;
    if variable <= formula.variables {
        for literal in [variable as Literal, -(variable as Literal)] {
            prefix.push(literal);
            cases(formula, prefix, steps);
            prefix.pop();
        }
    }
    steps.push(Step::Add(prefix.iter().map(|literal| -literal).collect()));
}

#[test]
fn proofs_by_cases_are_accepted_exactly_without_a_model() {
    let mut numbers = Numbers(1);
    let (mut with, mut without) = (0, 0);
    for _ in 0..3000 {
        let variables = 1 + numbers.below(6);
        let clauses = (0..numbers.below(30)).map(|_| numbers.clause(variables, 3)).collect();
        let formula = Formula { variables, clauses };
        let mut steps = vec![];
        cases(&formula, &mut vec![], &mut steps);
        let accepted = check_steps(&formula, &steps).is_ok();
        assert_eq!(accepted, !has_model(&formula), "{formula:?}");
        *(if accepted { &mut without } else { &mut with }) += 1;
    }
    assert!(with > 300 && without > 300, "{with} with a model, {without} without");
}

/// Random steps, additions and deletions.
#[test]
fn no_proof_of_a_formula_with_a_model_is_accepted() {
    let mut numbers = Numbers(2);
    let mut followed = 0;
    for _ in 0..20_000 {
        let variables = 2 + numbers.below(5);
        let clauses: Vec<_> = (0..numbers.below(12)).map(|_| numbers.clause(variables, 3)).collect();
        let formula = Formula { variables, clauses };
        let steps: Vec<Step> = (0..6)
            .map(|_| match numbers.below(4) {
                0 if !formula.clauses.is_empty() => {
                    Step::Delete(formula.clauses[numbers.below(formula.clauses.len())].clone())
                }
                _ => Step::Add(numbers.clause(variables, 2)),
            })
            .collect();
        let verdict = check_steps(&formula, &steps);
        assert!(verdict.is_err() || !has_model(&formula), "{formula:?} {steps:?}");
        followed += usize::from(!matches!(&verdict, Err(why) if why.starts_with("step 1 ")));
    }
    assert!(followed > 2000, "{followed} with a first step that follows");
}

/// Damaged files are rejected or accepted, and nothing panics.
#[test]
fn damaged_files_do_not_panic() {
    let mut numbers = Numbers(3);
    let files = [PIGEONS.to_string(), "1 0\nd 1 2 0\n-2 3 0\n0\n".to_string()];
    for _ in 0..20_000 {
        let damaged = files.clone().map(|file| {
            let mut bytes = file.into_bytes();
            for _ in 0..numbers.below(4) {
                let at = numbers.below(bytes.len());
                bytes[at] = b"0123456789-dpc \n\x80"[numbers.below(17)];
            }
            bytes.truncate(bytes.len() - if numbers.below(4) == 0 { numbers.below(bytes.len()) } else { 0 });
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let _ = check(&damaged[0], &damaged[1]);
        if let Ok(formula) = formula(&damaged[0]) {
            let _ = proof(&damaged[1], formula.variables);
        }
    }
}
