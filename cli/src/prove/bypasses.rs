//! The bypasses of a stack: each does, under its condition, what the handlers of all layers do.

use nacre_bypass::What;
use nacre_driver::{Level, Session};
use nacre_prover::bypasses::of_bypass;
use nacre_prover::solvers::{Answer, Solver};
use nacre_stack::{number, Entry, Span, Stack};

use super::threads::in_parallel;
use crate::console::print;

/// What became of one bypass.
pub(super) enum Verdict {
    Proved,
    /// No event in any state fulfils its condition.
    Never,
    /// What is not so, or not known to be, and why.
    Open(String),
}

/// Proves the bypasses of the optimized stack against the stack as it is composed; returns how many are not proved.
pub(super) fn prove(session: &Session, composed: &Stack, solvers: &[Solver]) -> usize {
    let mut optimized = composed.clone();
    nacre_driver::optimize(&mut optimized, Level::Bypass);
    let mut stack = Stack { bypasses: optimized.bypasses, ..composed.clone() };
    number(&mut stack);
    if stack.bypasses.is_empty() {
        print("no common event has a bypass\n");
        return 0;
    }
    let verdicts = in_parallel(stack.bypasses.len(), |at| judge(&stack, at, solvers));
    let open: Vec<(usize, &String)> = verdicts
        .iter()
        .enumerate()
        .filter_map(|(at, verdict)| match verdict {
            Verdict::Open(why) => Some((at, why)),
            Verdict::Proved | Verdict::Never => None,
        })
        .collect();
    let never = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Never)).count();
    let all = verdicts.len() - never;
    let more = if never > 0 { format!("; {never} more that no event takes") } else { String::new() };
    print(&format!("bypasses: {} of {all} proved{more}\n", all - open.len()));
    for (at, why) in &open {
        print(&format!("  {}: {why}\n", name(session, &stack, *at)));
    }
    open.len()
}

/// Whether every solver proves all claims about a bypass.
pub(super) fn judge(stack: &Stack, at: usize, solvers: &[Solver]) -> Verdict {
    let obligations = match of_bypass(stack, at, &solvers[0]).obligations {
        Ok(obligations) => obligations,
        Err(why) => return Verdict::Open(format!("no claim is made: {why} has no terms")),
    };
    for (what, problem) in obligations {
        let Some(problem) = problem else { continue };
        for solver in solvers {
            let why = match (solver.solve(&problem.text), &what) {
                (Answer::Proved, What::Possible) => return Verdict::Never,
                (Answer::Refuted(_), What::Possible) | (Answer::Proved, _) => continue,
                (Answer::Refuted(_), what) => format!("{} finds that {} differs", solver.name, shown(stack, what)),
                (Answer::Unknown, _) => format!("{} gave up", solver.name),
                (Answer::Failed(why), _) => format!("{} failed: {why}", solver.name),
            };
            return Verdict::Open(why);
        }
    }
    Verdict::Proved
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
    let event = match bypass.entry {
        Entry::Timer(at) => stack.timers[at].name.clone(),
        entry => entry.event(stack).map_or(String::new(), |event| stack.event(event).name.clone()),
    };
    let headers = bypass.entry.headers(stack).iter().map(|header| stack.header(*header).name.as_str());
    let headers: String = headers.map(|name| format!(" {name}")).collect();
    let place = match bypass.condition.span {
        span if span == Span::default() => String::new(),
        span => format!(" ({})", session.places(&[span]).trim()),
    };
    format!("{event}{headers}{place}")
}
