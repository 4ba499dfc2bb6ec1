//! The bypasses of a stack: each does, under its condition, what the handlers of all layers do.

use nacre_bypass::What;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::{judge, judge_where, with_bypasses_of, Verdict};
use nacre_prover::solvers::Solver;
use nacre_stack::{Expr, LayerId, Span, Stack};

use crate::console::print;
use nacre_prover::threads::in_parallel;

/// Proves the bypasses of the optimized stack against the stack as it is composed; returns how many are not proved.
/// Those that are not proved alone may be so where invariants hold.
pub(super) fn prove(session: &Session, composed: &Stack, invariants: &[(LayerId, Expr)], solvers: &[Solver]) -> usize {
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    let stack = with_bypasses_of(composed, &optimized);
    if stack.bypasses.is_empty() {
        print("no common event has a bypass\n");
        return 0;
    }
    let verdicts = in_parallel(stack.bypasses.len(), |at| match judge(&stack, at, solvers) {
        verdict @ (Verdict::Proved | Verdict::Never) => verdict,
        verdict if invariants.is_empty() => verdict,
        _ => judge_where(&stack, at, invariants, solvers),
    });
    let never = verdicts.iter().filter(|verdict| **verdict == Verdict::Never).count();
    let open: Vec<String> =
        verdicts.iter().enumerate().filter_map(|(at, verdict)| unproved(session, &stack, at, verdict)).collect();
    let all = verdicts.len() - never;
    let more = if never > 0 { format!("; {never} more that no event takes") } else { String::new() };
    print(&format!("bypasses: {} of {all} proved{more}\n", all - open.len()));
    open.iter().for_each(|line| print(&format!("  {line}\n")));
    open.len()
}

/// Which bypass is not proved, and why; none: it is, or no event takes it.
fn unproved(session: &Session, stack: &Stack, at: usize, verdict: &Verdict) -> Option<String> {
    reason(stack, verdict).map(|why| format!("{}: {why}", name(session, stack, at)))
}

/// Why a bypass is not proved; none: it is, or no event takes it.
pub(super) fn reason(stack: &Stack, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Proved | Verdict::Never => None,
        Verdict::Refuted(solver, what) => Some(format!("{solver} finds that {} differs", shown(stack, what))),
        Verdict::Undecided(why) => Some(why.clone()),
        Verdict::NotClaimed(why) => Some(format!("no claim is made: {why} has no terms")),
    }
}

fn shown(stack: &Stack, what: &What) -> String {
    match what {
        What::Possible => "the condition".into(),
        What::Sides => "a branch of the layers".into(),
        What::Cell(id) => {
            let cell = stack.cell(*id);
            format!("`{}.{}`", stack.layer(cell.layer).name, cell.name)
        }
        What::Output(at) => format!("output {}", at + 1),
    }
}

/// The event of a bypass, and the place of its condition.
pub(super) fn name(session: &Session, stack: &Stack, at: usize) -> String {
    let bypass = &stack.bypasses[at];
    let event = bypass.entry.event(stack).map_or("", |event| stack.event(event).name.as_str());
    let headers = bypass.entry.headers(stack).iter().map(|header| stack.header(*header).name.as_str());
    let headers: String = headers.map(|name| format!(" {name}")).collect();
    let place = match bypass.condition.span {
        span if span == Span::default() => String::new(),
        span => format!(" ({})", session.places(&[span]).trim()),
    };
    format!("{event}{headers}{place}")
}
