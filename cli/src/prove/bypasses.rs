//! The bypasses of a stack: each does, under its condition, what the handlers of all layers do.

use nacre_bypass::What;
use nacre_driver::Session;
use nacre_profiles::bypassed;
use nacre_prover::bypasses::{goals, judge_claims, with_bypasses_of, Verdict};
use nacre_prover::replays::{demonstrate, Replay};
use nacre_prover::threads::in_parallel;
use nacre_stack::{Expr, LayerId, Stack};

use super::certificates::{self, Certificate, Tools};
use super::verdicts::{name, reason};
use super::{kept, refuted};
use crate::console::print;

/// What became of one bypass.
struct Judged {
    verdict: Verdict,
    /// Of a proved one, if certificates are wanted.
    certificates: Vec<Certificate>,
    /// Of a refuted one: an event that shows it.
    replay: Option<Replay>,
}

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
    let verdicts: Vec<Verdict> = alone.iter().map(|one| one.verdict.clone()).collect();
    kept::keep(&stack, &verdicts);
    let is_open = |verdict: &Verdict| !matches!(verdict, Verdict::Proved | Verdict::Never);
    let open: Vec<usize> = (0..verdicts.len()).filter(|at| !invariants.is_empty() && is_open(&verdicts[*at])).collect();
    let again = in_parallel(open.len(), |at| prove_one(&stack, open[at], invariants, tools));
    let mut all = alone;
    open.iter().zip(again).for_each(|(at, one)| all[*at] = one);
    let never = all.iter().filter(|one| one.verdict == Verdict::Never).count();
    let unproved = all.iter().enumerate().filter_map(|(at, one)| unproved(session, &stack, at, one));
    let unproved: Vec<String> = unproved.collect();
    let count = all.len() - never;
    let more = if never > 0 { format!("; {never} more that no event takes") } else { String::new() };
    print(&format!("bypasses: {} of {count} proved{more}\n", count - unproved.len()));
    unproved.iter().for_each(|text| print(&format!("  {text}")));
    (unproved.len(), all.into_iter().flat_map(|one| one.certificates).collect())
}

/// Proves one; of a bypass that is proved, each claim has a certificate, except that an event takes it, which is no
/// claim about all states.
fn prove_one(stack: &Stack, at: usize, invariants: &[(LayerId, Expr)], tools: &Tools) -> Judged {
    let (verdict, claims) = judge_claims(stack, at, invariants, tools.solvers);
    let mut judged = Judged { verdict, certificates: vec![], replay: None };
    match (&judged.verdict, claims, tools.writer) {
        (Verdict::Proved, Some(claims), Some(writer)) => {
            let event = stack.bypasses[at].entry.event(stack).map_or("event", |event| stack.event(event).name.as_str());
            let bypass = format!("bypass-{}", at + 1);
            let goals = goals(&claims).into_iter().filter(|(what, _)| *what != What::Possible);
            let write = |(what, goal)| {
                certificates::write(writer, &claims.terms, &goal, &[&bypass, event, &short(stack, &what)])
            };
            judged.certificates = goals.map(write).collect();
        }
        (Verdict::Refuted(..), Some(mut claims), _) => {
            judged.replay = demonstrate(stack, at, &mut claims, tools.solvers);
        }
        _ => {}
    }
    judged
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
fn unproved(session: &Session, stack: &Stack, at: usize, one: &Judged) -> Option<String> {
    let why = reason(stack, &one.verdict)?;
    let shown = one.replay.as_ref().map_or(String::new(), |replay| refuted::show(session, stack, replay));
    Some(format!("{}: {why}\n{shown}", name(session, stack, at)))
}
