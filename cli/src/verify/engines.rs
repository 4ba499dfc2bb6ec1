//! The engines: the explorer on the stack IR, and SPIN on a model of it and on the emitted C.

use std::time::Duration;

use nacre_checker::retrace::{retrace, Hint, Lost};
use nacre_checker::run::{Run, What};
use nacre_checker::space::Space;
use nacre_driver::{Level, Session};
use nacre_specification::violation::Violation;
use nacre_spin::emitted::{between::Checker, Failure};
use nacre_spin::spin::{Limits, Searched, StopReason, Tools, Trail, Verdict};
use nacre_spin::{hint, model, Step};

use super::report::{located, Outcome, Report, Searcher};
use crate::args::{Engine, Verify};
use crate::console::complain_once;
use crate::interrupt::Interrupt;
use crate::levels::EmittedLevel;
use crate::progress::Waiting;
use nacre_worlds::world::World;

/// The time limit of SPIN, if the command line sets none.
const SPIN_TIME: Duration = Duration::from_secs(600);

const INTERRUPTED: &str = "it was interrupted";

/// Returns an option that has no effect with the engine.
pub fn without_effect(args: &Verify) -> Option<String> {
    let has_explorer = matches!(args.engine, Engine::Explorer | Engine::All);
    let has_c = matches!(args.engine, Engine::SpinC | Engine::All);
    let of_explorer = [("--threads", args.threads.is_some()), ("--states", args.states.is_some())];
    let of_explorer = of_explorer.into_iter().chain([("--bits", args.bits.is_some())]);
    let unused = of_explorer.filter(|(_, given)| *given && !has_explorer).map(|(name, _)| (name, "explorer"));
    let takes_level = has_c || args.engine == Engine::Router;
    let level = (!args.level.is_empty() && !takes_level).then_some(("--level", "spin-c"));
    let only = [(args.propose, "--propose"), (args.mutants, "--mutants"), (args.coverage, "--coverage")];
    for (asked, option) in only {
        if asked && args.engine != Engine::Explorer {
            return Some(format!("`{option}` runs only the explorer: omit `--engine`"));
        }
    }
    let (name, engine) = unused.chain(level).next()?;
    Some(format!("`{name}` has no effect here: it is an option of `--engine {engine}`"))
}

/// Runs each requested engine, in order.
pub fn run(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Vec<Report> {
    let mut all = vec![];
    for engine in super::search::engines(args) {
        match engine {
            Engine::Explorer => match world.setup.beyond_interpreter() {
                Some(why) => all.push(nothing(Searcher::Explorer, Outcome::Unfit(why))),
                None => all.push(match super::search::search(args, world, interrupt, args.json) {
                    Ok(found) => Report::of_explorer(found, world, session),
                    Err(words) => failed(Searcher::Explorer, words),
                }),
            },
            Engine::Spin => {
                let waiting = Waiting::begin("SPIN searches the model in Promela".to_string());
                let check = |tools: &Tools| model::check(&world.setup, tools, &limits(args));
                all.push(report(Searcher::Spin, world, session, interrupt, check));
                let holds = matches!(all.last(), Some(Report { verdict: Outcome::Holds, .. }));
                drop(waiting);
                if holds && super::search::has_goals(world) && !interrupt.came() {
                    let _waiting = Waiting::begin("SPIN searches for fair runs that violate a goal".to_string());
                    let check = |tools: &Tools| model::goals(&world.setup, tools, &limits(args));
                    all.push(report(Searcher::SpinGoals, world, session, interrupt, check));
                }
            }
            Engine::SpinC => {
                all.extend(on_c(args, world, session, interrupt));
            }
            Engine::All | Engine::Router => {}
        }
        if interrupt.came() {
            break;
        }
    }
    decide_goals(&mut all);
    if let Some(gap) = world.gaps.first() {
        let has_timers = !world.setup.stack().timers.is_empty();
        all.iter_mut().for_each(|reported| without_time(&mut reported.verdict, has_timers, gap));
    }
    all
}

/// The verdict of a search at time 0 where the clock matters: nothing holds for sure, and a run in which a timer fires
/// before time has passed may be impossible.
fn without_time(verdict: &mut Outcome, has_timers: bool, gap: &str) {
    let fires = |run: &Run| run.steps.iter().any(|step| matches!(step.what, What::Timer { .. }));
    match verdict {
        Outcome::Holds => *verdict = Outcome::NotFound(gap.into()),
        Outcome::Violated { why, run, .. } if run.as_ref().map_or(has_timers, fires) => {
            let words = format!("{why} if a timer fires and no time passes; {gap} (set `trip` for a clock)");
            *verdict = Outcome::NotFound(words);
        }
        _ => {}
    }
}

/// SPIN considers more runs fair than the explorer does: if the explorer found that goals hold, SPIN's run violates
/// none.
fn decide_goals(all: &mut [Report]) {
    if !all.iter().any(|r| r.engine == Searcher::Explorer && matches!(r.verdict, Outcome::Holds)) {
        return;
    }
    for reported in all.iter_mut().filter(|r| r.engine == Searcher::SpinGoals) {
        if matches!(reported.verdict, Outcome::Violated { violation: Some(Violation::Goal), .. }) {
            reported.verdict = Outcome::Excluded;
        }
    }
}

/// Checks the emitted C of every level, in one world.
fn on_c(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Vec<Report> {
    let limits = limits(args);
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(error) => return vec![without(Searcher::SpinC(None), Failure::Spin(error), interrupt)],
    };
    let waiting = Waiting::begin("SPIN and gcc build the verifier".to_string());
    let checker = Checker::new(&world.setup, &tools, &limits);
    drop(waiting);
    let checker = match checker {
        Ok(checker) => checker,
        Err(failure) => return vec![without(Searcher::SpinC(None), failure, interrupt)],
    };
    let mut all = vec![];
    let wanted = |level| args.level.is_empty() || args.level.iter().any(|wanted| wanted.0 == level);
    for level in Level::ALL.into_iter().filter(|level| wanted(*level)) {
        let name = level.name();
        let _waiting = Waiting::begin(format!("SPIN searches the C of level {name}"));
        let engine = Searcher::SpinC(Some(EmittedLevel(level)));
        all.push(report(engine, world, session, interrupt, |_| checker.check(level)));
        if interrupt.came() {
            break;
        }
    }
    all
}

fn report(
    engine: Searcher,
    world: &World,
    session: &Session,
    interrupt: &Interrupt,
    check: impl FnOnce(&Tools) -> Result<Searched, Failure>,
) -> Report {
    match Tools::find().map_err(Failure::Spin).and_then(|tools| check(&tools)) {
        Ok(searched) => {
            let mut reported = of_spin(engine, searched, world, session);
            if let (Outcome::NotFound(why), true) = (&mut reported.verdict, interrupt.came()) {
                *why = INTERRUPTED.into();
            }
            reported
        }
        Err(failure) => without(engine, failure, interrupt),
    }
}

fn limits(args: &Verify) -> Limits {
    let memory_mib = args.memory;
    let time = args.seconds.map_or(SPIN_TIME, Duration::from_secs);
    Limits { time, memory_mib, breadth_first: true, ..Limits::default() }
}

/// Reports the failure of an engine at once; the verdicts of the others remain.
fn without(engine: Searcher, failure: Failure, interrupt: &Interrupt) -> Report {
    match failure {
        // The engine's programs were stopped.
        _ if interrupt.came() => nothing(engine, Outcome::NotFound(INTERRUPTED.into())),
        Failure::Unfit(why) => nothing(engine, Outcome::Unfit(why)),
        Failure::Spin(error) => failed(engine, error.to_string()),
    }
}

fn failed(engine: Searcher, why: String) -> Report {
    complain_once(&why);
    nothing(engine, Outcome::Failed(why))
}

fn nothing(engine: Searcher, verdict: Outcome) -> Report {
    Report {
        engine,
        verdict,
        states: 0,
        moves: 0,
        depth: 0,
        seconds: 0.0,
        memory_mib: 0.0,
        unreached: vec![],
        covered: None,
    }
}

fn of_spin(engine: Searcher, searched: Searched, world: &World, session: &Session) -> Report {
    let Searched { verdict, states, transitions, depth, memory_mib, seconds, .. } = searched;
    let verdict = match verdict {
        Verdict::Violated { why, trail } => violated(engine, why, trail, world, session),
        Verdict::Holds => Outcome::Holds,
        Verdict::Incomplete(why) => Outcome::NotFound(why),
    };
    Report { engine, verdict, states, moves: transitions, depth, seconds, memory_mib, unreached: vec![], covered: None }
}

/// Repeats a run of SPIN in the interpreter, so that it can be drawn like the explorer's. If this is impossible, the
/// searched model differs from the interpreter.
fn violated(engine: Searcher, why: String, trail: Trail, world: &World, session: &Session) -> Outcome {
    let (violation, why) = match trail.report {
        Some((StopReason::Violation(violation), words)) => (Some(violation), words),
        _ => (trail.goal.map(|_| Violation::Goal), why),
    };
    let unlocated = |why: String, steps| Outcome::Violated { why, violation, run: None, steps };
    let located = |run| Some(located(run, session));
    let steps = trail.steps.iter().filter(|step| hint(step).is_some()).map(Step::to_string).collect::<Vec<_>>();
    let hints: Vec<Hint> = trail.steps.iter().filter_map(hint).collect();
    if world.setup.beyond_interpreter().is_some() {
        return unlocated(why, steps);
    }
    let retraced = match Space::open(&world.setup) {
        Ok((space, first)) => retrace(&world.setup, &space, &first, &hints),
        Err(_) => return unlocated(why, steps),
    };
    let differs = match retraced {
        Ok(run) => return Outcome::Violated { why: run.why.clone(), violation, run: located(run), steps: vec![] },
        Err(Lost::TooMany) => return unlocated(why, steps),
        Err(Lost::Allowed(run)) if violation == Some(Violation::Goal) => {
            let run = located(Run { why: why.clone(), ..run });
            return Outcome::Violated { why, violation, run, steps: vec![] };
        }
        Err(Lost::Allowed(_)) => "repeats the steps without a violation".to_string(),
        Err(Lost::Impossible(0)) => format!("cannot begin with `{}`", steps[0]),
        Err(Lost::Impossible(done)) => format!("cannot continue with `{}` after step {done}", steps[done]),
    };
    let searched = match engine {
        Searcher::SpinC(_) => "the emitted C",
        _ => "the model in Promela",
    };
    let why = format!("{why}; but the interpreter {differs}: internal error, {searched} differs from the stack");
    Outcome::Violated { why, violation: None, run: None, steps }
}

/// Whether an engine can find this violation: SPIN does not check goals here, the C no invariants, and the model no
/// space.
fn looks_for(engine: Searcher, violation: Violation) -> bool {
    match violation {
        Violation::Assertion | Violation::Unreachable | Violation::LoopBound => engine != Searcher::SpinGoals,
        Violation::NotAllowed | Violation::NotTaken | Violation::Refused => engine != Searcher::SpinGoals,
        Violation::Invariant => engine == Searcher::Spin,
        Violation::NotAccepted | Violation::NoReaction | Violation::Linearity | Violation::Space => false,
        Violation::Misuse | Violation::Late => false,
        Violation::MissingFunction | Violation::Claim | Violation::Undefined | Violation::Goal => false,
    }
}

/// Complete searches must agree: another verdict or another number of states is an internal error, which is returned.
pub fn differ(all: &[Report]) -> Option<String> {
    let explorer = all.iter().find(|r| r.engine == Searcher::Explorer)?;
    // The explorer decides about goals (`decide_goals`); an excuse alone does not suffice for it.
    let mut others = all.iter().filter(|r| !matches!(r.engine, Searcher::Explorer | Searcher::SpinGoals));
    let words = others.find_map(|other| match (&explorer.verdict, &other.verdict) {
        // SPIN's first states are those before both endpoints are open. There are more of them if the first endpoint
        // draws a number, or has sent something that can be lost meanwhile.
        (Outcome::Holds, Outcome::Holds) => {
            let more = if other.engine == Searcher::Spin { model::EXTRA_STATES } else { 1 };
            let (states, wanted) = (other.states, explorer.states);
            (states < wanted + more).then(|| format!("{} has {states} states, the explorer {wanted}", other.engine))
        }
        (Outcome::Holds, Outcome::Violated { .. }) => {
            Some(format!("the explorer finds no violation, {} finds one", other.engine))
        }
        (Outcome::Violated { violation: Some(violation), .. }, Outcome::Holds)
            if looks_for(other.engine, *violation) =>
        {
            Some(format!("{} does not find the violation that the explorer finds", other.engine))
        }
        _ => None,
    })?;
    Some(format!("internal error, please report it: {words}"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use nacre_worlds::world::{self, Subject};

    fn spin_c() -> Searcher {
        Searcher::SpinC(Some(EmittedLevel(Level::Call)))
    }

    /// Returns the report for a trail of SPIN in the world of a layer that holds.
    fn explanation(engine: Searcher, steps: Vec<Step>) -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/verify/alternating_bit.nacre");
        let session = Session::open(&[file]);
        let subject = Subject { name: "alternating_bit".into(), is_layer: true };
        let configuration = session.configurations().into_iter().find(|c| c.subject == subject.name).unwrap();
        let Ok(world) = world::world(&session, &subject, &configuration, false) else { panic!("there is no world") };
        let report = Some((StopReason::Violation(Violation::NotAllowed), "it is".to_string()));
        match violated(
            engine,
            "assertion violated".into(),
            Trail { steps, report, ..Trail::default() },
            &world,
            &session,
        ) {
            Outcome::Violated { why, run: None, .. } => why,
            _ => panic!("the interpreter finds a violation"),
        }
    }

    #[test]
    fn violation_that_spin_must_find_and_does_not_is_an_internal_error() {
        let difference = |violation: Violation, engine: Searcher| {
            let violated =
                Outcome::Violated { why: "why".into(), violation: Some(violation), run: None, steps: vec![] };
            differ(&[nothing(Searcher::Explorer, violated), nothing(engine, Outcome::Holds)])
        };
        for engine in [Searcher::Spin, spin_c()] {
            assert!(
                difference(Violation::Assertion, engine).is_some()
                    && difference(Violation::NotAllowed, engine).is_some()
            );
            assert_eq!(difference(Violation::Goal, engine), None);
        }
        assert!(
            difference(Violation::Invariant, Searcher::Spin).is_some()
                && difference(Violation::Invariant, spin_c()).is_none()
        );
        assert_eq!(difference(Violation::Assertion, Searcher::SpinGoals), None);
    }

    #[test]
    fn run_that_the_interpreter_does_not_repeat_is_an_internal_error() {
        let send = |number| Step::Call { end: 0, name: "send".into(), number };
        let deliver = || Step::Network { name: "deliver".into(), end: Some(1) };
        let opened = |end| Step::Opened { end };
        let why = explanation(spin_c(), vec![send(1), deliver()]);
        let words =
            "it is; but the interpreter repeats the steps without a violation: internal error, the emitted C differs";
        assert!(why.starts_with(words), "{why}");
        let why = explanation(Searcher::Spin, vec![opened(0), opened(1), deliver()]);
        assert!(why.contains("cannot begin with `deliver at b`: internal error, the model in Promela"), "{why}");
        let why = explanation(Searcher::Spin, vec![opened(1), send(1), send(3)]);
        assert!(why.contains("cannot continue with `a calls send, number 3` after step 1"), "{why}");
    }
}
