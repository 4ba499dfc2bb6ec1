//! The bypasses of a stack: each does, under its condition, what the handlers of all layers do.

use nacre_bypass::What;
use nacre_driver::Session;
use nacre_profiles::bypassed;
use nacre_prover::bypasses::{goals, judge_claims, with_bypasses_of, Verdict};
use nacre_prover::threads::in_parallel;
use nacre_stack::{Expr, LayerId, Stack};

use super::certificates::{self, Certificate, Tools};
use super::kept;
use super::verdicts::{name, reason};
use crate::console::print;

/// Proves the bypasses of the optimized stack against the stack as it is composed; returns how many are not proved, and
/// the certificates of their claims. Those that are not proved alone may be so where invariants hold.
pub(super) fn prove(
    session: &Session,
    composed: &Stack,
    invariants: &[(LayerId, Expr)],
    tools: &Tools,
) -> (usize, Vec<Certificate>) {
    let stack = with_bypasses_of(composed, &bypassed(composed));
    if stack.bypasses.is_empty() {
        print("no common event has a bypass\n");
        return (0, vec![]);
    }
    let alone = in_parallel(stack.bypasses.len(), |at| prove_one(&stack, at, &[], tools));
    let verdicts: Vec<Verdict> = alone.iter().map(|(verdict, _)| verdict.clone()).collect();
    kept::keep(&stack, &verdicts);
    let is_open = |verdict: &Verdict| !matches!(verdict, Verdict::Proved | Verdict::Never);
    let open: Vec<usize> = (0..verdicts.len()).filter(|at| !invariants.is_empty() && is_open(&verdicts[*at])).collect();
    let again = in_parallel(open.len(), |at| prove_one(&stack, open[at], invariants, tools));
    let mut all = alone;
    open.iter().zip(again).for_each(|(at, one)| all[*at] = one);
    let (verdicts, certificates): (Vec<Verdict>, Vec<Vec<Certificate>>) = all.into_iter().unzip();
    let never = verdicts.iter().filter(|verdict| **verdict == Verdict::Never).count();
    let open: Vec<String> =
        verdicts.iter().enumerate().filter_map(|(at, verdict)| unproved(session, &stack, at, verdict)).collect();
    let all = verdicts.len() - never;
    let more = if never > 0 { format!("; {never} more that no event takes") } else { String::new() };
    print(&format!("bypasses: {} of {all} proved{more}\n", all - open.len()));
    open.iter().for_each(|line| print(&format!("  {line}\n")));
    (open.len(), certificates.into_iter().flatten().collect())
}

/// Proves one; of a bypass that is proved, each claim has a certificate, except that an event takes it, which is no
/// claim about all states.
fn prove_one(stack: &Stack, at: usize, invariants: &[(LayerId, Expr)], tools: &Tools) -> (Verdict, Vec<Certificate>) {
    let (verdict, claims) = judge_claims(stack, at, invariants, tools.solvers);
    let (Verdict::Proved, Some(claims), Some(writer)) = (&verdict, claims, tools.writer) else {
        return (verdict, vec![]);
    };
    let event = stack.bypasses[at].entry.event(stack).map_or("event", |event| stack.event(event).name.as_str());
    let bypass = format!("bypass-{}", at + 1);
    let goals = goals(&claims).into_iter().filter(|(what, _)| *what != What::Possible);
    let write =
        |(what, goal)| certificates::write(writer, &claims.terms, &goal, &[&bypass, event, &short(stack, &what)]);
    let written = goals.map(write).collect();
    (verdict, written)
}

/// A word for a claim, which is part of the names of files.
fn short(stack: &Stack, what: &What) -> String {
    match what {
        What::Possible => "possible".into(),
        What::Sides => "sides".into(),
        What::Cell(id) => {
            let cell = stack.cell(*id);
            format!("cell-{}-{}-{}", id.index(), stack.layer(cell.layer).name, cell.name)
        }
        What::Output(at) => format!("output-{}", at + 1),
    }
}

/// Which bypass is not proved, and why; none: it is, or no event takes it.
fn unproved(session: &Session, stack: &Stack, at: usize, verdict: &Verdict) -> Option<String> {
    reason(stack, verdict).map(|why| format!("{}: {why}", name(session, stack, at)))
}
