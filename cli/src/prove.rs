//! `nacre prove`: proves invariants, assertions and bounds of the layers of a stack, and its bypasses, for all states.

use std::collections::BTreeMap;

use nacre_driver::Session;
use nacre_prover::candidates::Candidate;
use nacre_prover::inference::{known, loose_of, suggestion, with_inferred};
use nacre_prover::obligations::{of_stack_where, Kind, Obligation, Part, Problem};
use nacre_prover::solvers::{self, Answer, Solver};
use nacre_stack::{LayerId, Span, Stack, Type};
use nacre_symbolic::execute::ClaimKind;

use crate::args::proofs::Prove;
use crate::console::{complain, print, say, Exit};
use crate::program;

mod bypasses;
mod certificates;
mod infer;
mod kept;
mod refuted;
mod verdicts;

use certificates::{Certificate, Tools};

#[cfg(test)]
pub use kept::names;
pub use kept::{digest, keep_proved, Proving};

/// The state of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// Without a solver.
    Calculated,
    /// By every solver.
    Proved,
    /// The solver that refuted it, and its values by name.
    Refuted(&'static str, Vec<(String, String)>),
    /// The reason.
    Undecided(String),
}

/// An obligation, and what became of it.
struct Judged<'p> {
    part: &'p Part,
    obligation: &'p Obligation,
    outcome: Outcome,
    /// If one was asked for, of a claim that a solver had to prove.
    certificate: Option<Certificate>,
}

/// Runs `nacre prove`.
pub fn prove(args: &Prove) -> Exit {
    let (session, stack) = match program::stack(&args.which) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let solvers = match solvers::all() {
        Ok(solvers) => solvers,
        Err(missing) => {
            complain(&missing);
            return Exit::Unknown;
        }
    };
    let writer = match args.certificate.as_deref().map(certificates::begin).transpose() {
        Ok(writer) => writer,
        Err(exit) => return exit,
    };
    let tools = Tools { solvers: &solvers, writer: writer.as_ref() };
    let inferred = if args.infer { infer::infer(&session, &stack, &solvers) } else { vec![] };
    if args.infer {
        print(&infer::show(&session, &stack, &inferred));
    }
    let with = with_inferred(&stack, &inferred);
    let parts = without_proved(&stack, of_stack_where(&with, &loose_of(&inferred)));
    let judged = judge_all(&stack, &parts, &tools);
    let suggest = |one: &Judged| {
        let found = inferred.iter().find(|inferred| inferred.layer == one.part.layer);
        found.map_or(vec![], |inferred| suggestion(&with, inferred, one.part, one.obligation, &solvers[0]))
    };
    let layers = report(&session, &stack, &parts, &judged, &suggest);
    let (bypasses, more) = bypasses::prove(&session, &stack, &known(&stack, &inferred), &tools);
    let mut written: Vec<Certificate> = judged.into_iter().filter_map(|one| one.certificate).collect();
    written.extend(more);
    let without = if writer.is_some() { certificates::report(&written) } else { 0 };
    conclude(layers + bypasses, without)
}

/// Prints the verdict on the stack.
fn conclude(open: usize, without_certificate: usize) -> Exit {
    if open + without_certificate == 0 {
        print("proved, for all states, events and messages\n");
        return Exit::Yes;
    }
    if open > 0 {
        print(&format!("{open} not proved\n"));
    }
    if without_certificate > 0 {
        print(&format!("{without_certificate} without a certificate\n"));
    }
    Exit::Unknown
}

/// The invariants of a stack in source terms, for `nacre explain`: the stated ones, and those that are inferred.
pub fn invariants(session: &Session, stack: &Stack) -> String {
    let inferred = match solvers::all() {
        Ok(solvers) => infer::infer(session, stack, &solvers),
        Err(missing) => {
            say(&format!("note: no invariants are inferred: {missing}"));
            vec![]
        }
    };
    infer::show(session, stack, &inferred)
}

/// Leaves out what is claimed of inferred invariants: that is proved already.
fn without_proved(stack: &Stack, mut parts: Vec<Part>) -> Vec<Part> {
    for part in &mut parts {
        let stated = stack.layer(part.layer).invariants.len();
        let is_stated = |one: &Obligation| match one.kind {
            Kind::Invariant(at) | Kind::Code(ClaimKind::LoopInvariant { at, .. }) => at < stated,
            Kind::Code(_) => true,
        };
        part.obligations.iter_mut().for_each(|all| all.retain(is_stated));
    }
    parts
}

/// Solves all problems, on two threads.
fn judge_all<'p>(stack: &Stack, parts: &'p [Part], tools: &Tools) -> Vec<Judged<'p>> {
    let all: Vec<(&Part, &Obligation)> =
        parts.iter().flat_map(|part| part.obligations.iter().flatten().map(move |one| (part, one))).collect();
    let judge = |at: usize| {
        let (part, obligation) = all[at];
        let outcome = judge(obligation, tools.solvers);
        let certificate = match (tools.writer, &obligation.problem) {
            (Some(writer), Some(problem)) if outcome == Outcome::Proved => {
                let layer = stack.layer(part.layer).name.as_str();
                let kind = short(&obligation.kind);
                let parts = [layer, &part.name, kind, &(at + 1).to_string()];
                Some(certificates::write(writer, &part.terms, &problem.goal, &parts))
            }
            _ => None,
        };
        Judged { part, obligation, outcome, certificate }
    };
    nacre_prover::threads::in_parallel(all.len(), judge)
}

/// A word for a claim, which is part of the names of files.
fn short(kind: &Kind) -> &'static str {
    match kind {
        Kind::Invariant(_) => "invariant",
        Kind::Code(ClaimKind::Unreachable) => "unreachable",
        Kind::Code(ClaimKind::Assert(_)) => "assert",
        Kind::Code(ClaimKind::Bound(_)) => "bound",
        Kind::Code(ClaimKind::LoopInvariant { .. }) => "loop",
    }
}

/// An obligation is proved if every solver proves it, and refuted if one refutes it.
fn judge(obligation: &Obligation, solvers: &[Solver]) -> Outcome {
    let Some(problem) = &obligation.problem else { return Outcome::Calculated };
    let mut undecided = vec![];
    for solver in solvers {
        match solver.solve(&problem.text) {
            Answer::Proved => {}
            Answer::Refuted(values) => return Outcome::Refuted(solver.name, named(problem, values)),
            Answer::Unknown => undecided.push(format!("{} gave up", solver.name)),
            Answer::Failed(why) => undecided.push(format!("{} failed: {why}", solver.name)),
        }
    }
    match undecided.is_empty() {
        true => Outcome::Proved,
        false => Outcome::Undecided(undecided.join("; ")),
    }
}

/// The values of the problem's names. What can be anything, as what a loop has changed, has a number in its name.
fn named(problem: &Problem, values: Vec<String>) -> Vec<(String, String)> {
    let plain = |name: &String| match name.split_once('!') {
        Some((name, rest)) => format!("{name}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => name.clone(),
    };
    problem.shown.iter().map(plain).zip(values).collect()
}

/// Prints what was proved of the layers; returns how much was not.
fn report(
    session: &Session,
    stack: &Stack,
    parts: &[Part],
    judged: &[Judged],
    suggest: &dyn Fn(&Judged) -> Vec<Candidate>,
) -> usize {
    let mut by_layer: BTreeMap<LayerId, Vec<&Part>> = BTreeMap::new();
    parts.iter().for_each(|part| by_layer.entry(part.layer).or_default().push(part));
    let mut open = 0;
    for (layer, parts) in by_layer.iter().rev() {
        let mine: Vec<&Judged> = judged.iter().filter(|one| one.part.layer == *layer).collect();
        let shown = mine.iter().filter(|one| matches!(one.outcome, Outcome::Proved | Outcome::Calculated)).count();
        let left_out: Vec<&&Part> = parts.iter().filter(|part| part.obligations.is_err()).collect();
        open += mine.len() - shown + left_out.len();
        let handlers = parts.iter().filter(|part| part.is_handler).count();
        let name = &stack.layer(*layer).description;
        print(&format!("{name}: {shown} of {} claims proved, about {} handlers\n", mine.len(), handlers));
        for one in mine.iter().filter(|one| !matches!(one.outcome, Outcome::Proved | Outcome::Calculated)) {
            print(&unproved(session, stack, one));
            let suggested = suggest(one);
            if !suggested.is_empty() {
                print("    it would be proved with what held in all observed states, but is not proved:\n");
                suggested.iter().for_each(|one| print(&format!("      {}\n", one.text)));
            }
        }
        for part in left_out {
            let why = part.obligations.as_ref().expect_err("filtered");
            print(&format!("  {}: no claim is made: {why} has no terms\n", part.name));
        }
    }
    if judged.len() + open == 0 {
        print("no layer has invariants, assertions or loops\n");
    }
    open
}

/// One claim that was not proved, and why.
fn unproved(session: &Session, stack: &Stack, one: &Judged) -> String {
    let Judged { part, obligation, outcome, .. } = one;
    let place = place(session, obligation.span);
    let mut text = format!("  {}: {} ({place})\n", part.name, claim(session, stack, part.layer, &obligation.kind));
    match outcome {
        Outcome::Refuted(solver, values) => {
            text += &format!("    not inductive: {solver} found a state from which the handler breaks it\n");
            let (zeros, others): (Vec<_>, Vec<_>) =
                values.iter().partition(|(_, value)| value == "0" || value == "false");
            for (name, value) in others {
                let cell = stack.cells.iter().find(|cell| cell.layer == part.layer && cell.name == *name);
                text += &format!("      {name} = {}\n", shown(value, cell.map(|cell| &cell.ty)));
            }
            let zeros: Vec<&str> = zeros.iter().map(|(name, _)| name.as_str()).collect();
            match zeros.len() {
                0 => {}
                1..=MOST_ZEROS => text += &format!("      0 or false: {}\n", zeros.join(", ")),
                many => text += &format!("      0 or false: {many} others\n"),
            }
        }
        Outcome::Undecided(why) => text += &format!("    undecided: {why}\n"),
        Outcome::Calculated | Outcome::Proved => {}
    }
    text
}

/// The limit of the values of a state that are zero and are named.
const MOST_ZEROS: usize = 12;

/// A value that a solver gives; `ty`: of the cell that has it.
fn shown(value: &str, ty: Option<&Type>) -> String {
    match (ty, value.parse::<u64>()) {
        (Some(Type::Int(bits)), Ok(n)) => (((n << (64 - bits)) as i64) >> (64 - bits)).to_string(),
        (_, Ok(u64::MAX)) => "not armed, or the largest number".into(),
        _ => value.into(),
    }
}

fn place(session: &Session, span: Span) -> String {
    session.places(&[span]).trim().to_string()
}

fn claim(session: &Session, stack: &Stack, layer: LayerId, kind: &Kind) -> String {
    let invariant = |at: usize| {
        let span = stack.layer(layer).invariants[at].span;
        format!("invariant `{}`", session.sources.slice(span).trim())
    };
    match kind {
        Kind::Invariant(at) => format!("keeps the {}", invariant(*at)),
        Kind::Code(ClaimKind::Unreachable) => "does not reach `unreachable`".into(),
        Kind::Code(ClaimKind::Assert(text)) => format!("asserts `{text}`"),
        Kind::Code(ClaimKind::Bound(bound)) => format!("ends the loop within {bound} iterations"),
        Kind::Code(ClaimKind::LoopInvariant { at, begins: true }) => {
            format!("begins the loop with the {}", invariant(*at))
        }
        Kind::Code(ClaimKind::LoopInvariant { at, begins: false }) => {
            format!("keeps the {} in the loop", invariant(*at))
        }
    }
}
