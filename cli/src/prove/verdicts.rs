//! How reports word the verdicts about bypasses.

use nacre_bypass::What;
use nacre_driver::Session;
use nacre_prover::bypasses::Verdict;
use nacre_stack::{Span, Stack};

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
