//! Prints verdicts and counterexamples.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nacre_checker::draw::{self, Words};
use nacre_checker::explore::Progress;
use nacre_checker::run::Run;
use nacre_checker::show::arguments;
use nacre_diagnostics::counted;
use nacre_driver::Session;
use nacre_simulator::decode::decode_of_either;
use nacre_specification::violation::Violation;
use nacre_stack::interpret::Covered;
use nacre_stack::Span;
use serde_json::{json, Value};

use super::refusals::Refusals;
use super::unreached::Unreached;
use crate::args::Verify;
use crate::console::{complain, print, print_json, Exit};
use crate::levels::EmittedLevel;
use crate::output::write;
use nacre_worlds::reading::MISUSE;
use nacre_worlds::world::{Subject, World};

/// An engine that searches a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searcher {
    Explorer,
    /// SPIN on the model in Promela.
    Spin,
    /// SPIN on that model, for fair runs that violate a goal.
    SpinGoals,
    /// SPIN on the emitted C; without a level if it failed before it reached one.
    SpinC(Option<EmittedLevel>),
}

impl std::fmt::Display for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Searcher::Explorer => f.write_str("explorer"),
            Searcher::Spin => f.write_str("spin"),
            Searcher::SpinGoals => f.write_str("spin, goals"),
            Searcher::SpinC(None) => f.write_str("spin-c"),
            Searcher::SpinC(Some(level)) => write!(f, "spin-c at level {level}"),
        }
    }
}

/// The result of an engine.
pub struct Report {
    pub engine: Searcher,
    pub verdict: Outcome,
    pub states: u64,
    pub moves: u64,
    pub depth: u64,
    pub seconds: f64,
    pub memory_mib: f64,
    /// Handlers and branches of the subject that never ran.
    pub unreached: Vec<Unreached>,
    /// What the explorer executed.
    pub covered: Option<Covered>,
}

/// The verdict of one engine on one subject.
pub enum Outcome {
    Violated {
        why: String,
        /// The kind of violation; none: the stack does not have the engine's run.
        violation: Option<Violation>,
        run: Option<Run>,
        steps: Vec<String>,
    },
    Holds,
    /// A run that only SPIN's weaker fairness allows: the explorer found that the goals hold.
    Excluded,
    /// A search that is incomplete, or did not cover the whole layer.
    NotFound(String),
    /// The engine does not support this subject; the reason.
    Unfit(String),
    /// The engine failed; the reason.
    Failed(String),
}

/// Why a search with such draws is incomplete.
fn untried(undrawn: &[Span], session: &Session) -> String {
    let place = session.places(&undrawn[..undrawn.len().min(1)]);
    format!("only the least and the greatest value of the random number at {place} were tried")
}

impl Report {
    /// Returns the report of a search by the explorer; a search that drew only some random numbers is incomplete.
    pub fn of_explorer(found: super::search::Found, world: &World, session: &Session) -> Report {
        use nacre_checker::explore::Verdict;
        let unreached = Unreached::in_all(&[(world, &found.covered)], session);
        let Progress { states, moves, depth, time, memory, .. } = found.searched.progress;
        let verdict = match found.searched.verdict {
            Verdict::Violated { why, violation, .. } => {
                let run = found.run.map(|run| located(run, session));
                Outcome::Violated { why, violation: Some(violation), run, steps: vec![] }
            }
            Verdict::Complete => Outcome::Holds,
            Verdict::Incomplete(why) if found.undrawn.is_empty() => Outcome::NotFound(why),
            Verdict::Incomplete(why) => Outcome::NotFound(format!("{why}; {}", untried(&found.undrawn, session))),
        };
        Report {
            engine: Searcher::Explorer,
            verdict,
            states,
            moves,
            depth: depth.into(),
            seconds: time.as_secs_f64(),
            memory_mib: memory as f64 / (1 << 20) as f64,
            unreached,
            covered: Some(found.covered),
        }
    }

    fn figures(&self) -> String {
        let rate = self.states as f64 / self.seconds.max(0.001);
        format!(
            "{} states, {} moves, depth {}, {:.2} s, {:.0} states/s, {:.0} MiB",
            self.states, self.moves, self.depth, self.seconds, rate, self.memory_mib
        )
    }

    /// What the engine does not check although the configuration or the stack has it.
    fn unchecked(&self, world: &World) -> Vec<&'static str> {
        let in_c = matches!(self.engine, Searcher::SpinC(_));
        let has_invariants = world.setup.stack().layers.iter().any(|layer| !layer.invariants.is_empty());
        let misuse = world.setup.bounds.misuse && self.engine != Searcher::Explorer;
        [(misuse, "calls that no specification allows"), (in_c && has_invariants, "invariants, which C does not have")]
            .into_iter()
            .filter_map(|(has, what)| has.then_some(what))
            .collect()
    }

    fn json(&self, world: &World) -> Value {
        let (verdict, why) = match &self.verdict {
            Outcome::Violated { why, .. } => ("violated", why.clone()),
            Outcome::Holds => ("holds", String::new()),
            Outcome::Excluded => ("decided by the explorer", WEAK_FAIRNESS.into()),
            Outcome::NotFound(why) => ("no violation found", why.clone()),
            Outcome::Unfit(why) => ("cannot be checked", why.clone()),
            Outcome::Failed(why) => ("failed", why.clone()),
        };
        json!({
            "engine": self.engine.to_string(), "verdict": verdict, "why": why, "states": self.states,
            "moves": self.moves, "depth": self.depth,
            "seconds": self.seconds, "memory_mib": self.memory_mib,
            "unreached": self.unreached.iter().map(|one| &one.what).collect::<Vec<_>>(),
            "unchecked": self.unchecked(world),
        })
    }
}

/// A run with the places of its handlers in the source.
pub fn located(mut run: Run, session: &Session) -> Run {
    for handled in run.steps.iter_mut().flat_map(|s| &mut s.handled) {
        handled.source = session.places(&handled.spans);
    }
    if run.span != Span::default() {
        run.source = session.places(&[run.span]);
    }
    run
}

/// Why the goals of layers may hold while one of their stack does not.
const COMPOSED_GOALS: &str =
    "the goals of layers do not imply the goals of the stack: a layer meets its goal if the network below can do \
        everything that its automaton allows; a layer below may do less, unless its automaton has a goal";

/// Why a run that SPIN finds may violate no goal.
const WEAK_FAIRNESS: &str =
    "SPIN also considers runs fair in which a move that is enabled infinitely often, but not always, is never made";

/// Prints one verdict and draws the run of a violation, unless all is printed as JSON; saves the run. `violations`: how
/// many were found before, for file names.
pub fn show(args: &Verify, subject: &Subject, world: &World, reported: &Report, violations: &mut usize) {
    if !args.json {
        print(&text(subject, world, reported));
    }
    let Outcome::Violated { run, steps, .. } = &reported.verdict else { return };
    if let Some(run) = run {
        let stacks: Vec<_> = world.setup.members().all().map(|end| &**world.setup.stack_of(end)).collect();
        let words = Words {
            frame: &|bytes| decode_of_either(&stacks, bytes),
            arguments: &|event, numbers| arguments(world.setup.stack(), event, numbers),
            details: !args.brief,
        };
        if !args.json {
            print(&format!("\n{}", draw::text(run, &words)));
        }
        *violations += 1;
        save(args, subject, world, run, &words, *violations);
    }
    for step in steps.iter().filter(|_| !args.json) {
        print(&format!("  {step}"));
    }
}

/// One verdict as text.
fn text(subject: &Subject, world: &World, reported: &Report) -> String {
    let what = if subject.is_layer { "layer" } else { "stack" };
    let mut text =
        format!("{what} {}, configuration {}, {}\n", subject.name, world.configuration_name, reported.engine);
    let unchecked = reported.unchecked(world);
    let tried = |line: &&String| *line != MISUSE || reported.engine == Searcher::Explorer;
    for line in world.configuration.iter().filter(tried) {
        let _ = writeln!(text, "    {line}");
    }
    let _ = writeln!(text, "  {}", reported.figures());
    let _ = match &reported.verdict {
        Outcome::Violated { why, run: Some(run), .. } if !run.source.is_empty() => {
            writeln!(text, "  VIOLATED: {why}\n    at {}", run.source)
        }
        Outcome::Violated { why, .. } => writeln!(text, "  VIOLATED: {why}"),
        Outcome::Holds if unchecked.is_empty() => {
            writeln!(text, "  holds in this configuration: every state was visited")
        }
        Outcome::Holds => writeln!(text, "  every state was visited, and what this engine checks holds"),
        Outcome::Excluded => writeln!(text, "  decided by the explorer, for which the goals hold: {WEAK_FAIRNESS}"),
        Outcome::NotFound(why) => writeln!(text, "  no violation found, but {why}"),
        Outcome::Unfit(why) => writeln!(text, "  not checked by this engine: {why}"),
        // The other lines were printed at the failure.
        Outcome::Failed(why) => writeln!(text, "  no verdict: {}", why.lines().next().unwrap_or_default()),
    };
    for what in unchecked {
        let _ = writeln!(text, "  note: not checked by this engine: {what}");
    }
    for caveat in &world.caveats {
        let _ = writeln!(text, "  note: {caveat}");
    }
    notes_on_goals(subject, reported, &mut text);
    text
}

/// Notes on what an unmet goal does not imply.
fn notes_on_goals(subject: &Subject, reported: &Report, text: &mut String) {
    let Outcome::Violated { violation: Some(Violation::Goal), .. } = &reported.verdict else { return };
    if !subject.is_layer {
        let _ = writeln!(text, "  note: {COMPOSED_GOALS}");
    }
    if reported.engine == Searcher::SpinGoals {
        let _ = writeln!(text, "  note: {WEAK_FAIRNESS}; `--engine explorer` decides");
    }
}

/// The path for the nth violation: the requested one for the first, with a number before the extension for others.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_path_buf();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}

fn save(args: &Verify, subject: &Subject, world: &World, run: &Run, words: &Words, number: usize) {
    let title = format!("{}, configuration {}", subject.name, world.configuration_name);
    if let Some(path) = &args.svg {
        let path = numbered(path, number);
        write(&path, &draw::svg(run, &title, words)).unwrap_or_else(|words| complain(&words));
    }
    if let Some(path) = &args.trace {
        let path = numbered(path, number);
        let trace = crate::trace::Trace::of(args, subject, world, run);
        let text = serde_json::to_string_pretty(&trace).map_err(|error| format!("{}: {error}", path.display()));
        match text.and_then(|text| write(&path, &text)) {
            Ok(()) if args.json => {}
            Ok(()) => print(&format!("the run was saved: nacre replay {}", path.display())),
            Err(words) => complain(&words),
        }
    }
}

/// The last line: what all verdicts together say.
fn summary(violated: bool, complete: bool, all: &[(&Subject, World, Vec<Report>)], refusals: &Refusals) -> String {
    let reported = || all.iter().flat_map(|(_, world, reports)| reports.iter().map(move |report| (world, report)));
    let explored = reported().any(|(_, report)| report.engine == Searcher::Explorer);
    let words = match (violated, complete) {
        (true, _) => "violated",
        _ if refusals.count() > 0 && all.is_empty() => "nothing was verified",
        (false, true) if refusals.count() > 0 => "holds in every configuration that was verified",
        (false, true) if explored => "holds in every configuration",
        (false, true) => {
            let skipped: BTreeSet<&str> = reported().flat_map(|(world, report)| report.unchecked(world)).collect();
            let also: String = skipped.iter().map(|what| format!("; not checked: {what}")).collect();
            let spin = "SPIN does not look for handlers that never run, nor at goals in C";
            return format!("holds in every configuration ({spin}{also})");
        }
        (false, false) => "no violation found, but the search is incomplete",
    };
    words.into()
}

/// Prints the summary: code that was reached in no configuration. Returns the exit status.
pub fn end(
    args: &Verify,
    session: &Session,
    subjects: &[Subject],
    all: &[(&Subject, World, Vec<Report>)],
    refusals: &Refusals,
) -> Exit {
    let reported = || all.iter().flat_map(|(_, _, r)| r);
    let violated = reported().any(|r| matches!(r.verdict, Outcome::Violated { .. }));
    let mut complete = reported().all(|r| matches!(r.verdict, Outcome::Holds | Outcome::Excluded));
    let mut lines = vec![];
    // A search that found a violation ended there and is incomplete.
    for subject in subjects.iter().filter(|_| !violated) {
        // Every handler and branch must run in at least one configuration.
        let mine = all.iter().filter(|(s, ..)| *s == subject);
        let mine = mine.flat_map(|(_, world, reports)| reports.iter().map(move |report| (world, report)));
        let covered: Vec<(&World, &Covered)> =
            mine.filter_map(|(world, report)| Some((world, report.covered.as_ref()?))).collect();
        let (elsewhere, here): (Vec<Unreached>, Vec<Unreached>) =
            Unreached::in_all(&covered, session).into_iter().partition(|one| one.elsewhere);
        let list = |all: &[Unreached]| all.iter().map(|one| one.what.as_str()).collect::<Vec<_>>().join(", ");
        if !here.is_empty() {
            complete = false;
            lines.push(format!("{}: no run executed {}", subject.name, list(&here)));
        }
        if !elsewhere.is_empty() {
            let whose = "configurations of the layers themselves have to cover";
            lines.push(format!("{}: {whose} {}", subject.name, list(&elsewhere)));
        }
    }
    if args.json {
        let verdicts: Vec<Value> = all
            .iter()
            .map(|(subject, world, reported)| {
                json!({
                    "subject": subject.name, "kind": if subject.is_layer { "layer" } else { "stack" },
                    "configuration": world.configuration_name, "bounds": world.configuration, "notes": world.caveats,
                    "engines": reported.iter().map(|report| report.json(world)).collect::<Vec<_>>(),
                })
            })
            .collect();
        print_json(&json!({ "verdicts": verdicts, "unreached": lines, "refused": refusals.json() }));
    } else {
        lines.iter().for_each(|line| print(line));
        if refusals.count() > 0 {
            print(&format!("{} not verified: see the errors", counted(refusals.count() as u64, "configuration")));
        }
        print(&summary(violated, complete, all, refusals));
    }
    match (violated, complete) {
        (true, _) => Exit::No,
        (false, _) if refusals.count() > 0 => refusals.exit().unwrap_or(Exit::No),
        (false, true) => Exit::Yes,
        (false, false) => Exit::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_fairness_is_noted_where_a_goal_is_not_met_only() {
        let note = |engine, violation| {
            let verdict = Outcome::Violated { why: String::new(), violation, run: None, steps: vec![] };
            let (states, moves, depth, seconds, memory_mib) = (0, 0, 0, 0.0, 0.0);
            let report =
                Report { engine, verdict, states, moves, depth, seconds, memory_mib, unreached: vec![], covered: None };
            let mut text = String::new();
            notes_on_goals(&Subject { name: "a".into(), is_layer: true }, &report, &mut text);
            !text.is_empty()
        };
        assert!(note(Searcher::SpinGoals, Some(Violation::Goal)));
        assert!(!note(Searcher::Explorer, Some(Violation::Goal)));
        for other in Violation::ALL.into_iter().filter(|v| *v != Violation::Goal).map(Some).chain([None]) {
            assert!(!note(Searcher::SpinGoals, other), "{other:?}");
        }
    }
}
