//! The engines: the explorer on the stack IR, and SPIN on a model of it and on the C that is emitted from it.

use std::time::Duration;

use nacre_checker::retrace::{retrace, Hint, Lost};
use nacre_checker::run::Run;
use nacre_checker::space::Space;
use nacre_driver::Session;
use nacre_stack::interpret::Rule;
use nacre_verify::emitted::{between::Checker, Failure};
use nacre_verify::model;
use nacre_verify::spin::{Limits, Searched, Tools, Verdict};

use super::report::{located, Reported, Told};
use super::world::World;
use crate::args::{Engine, Verify};
use crate::console::complain;
use crate::interrupt::Interrupt;
use crate::levels::EMITTED;
use crate::progress::Waiting;

const INTERRUPTED: &str = "it was interrupted";
/// SPIN's search for a fair run that does not meet a goal, as an engine of its own.
const GOALS: &str = "spin, goals";

/// What each engine that is wanted comes to, in order.
pub fn run(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Vec<Reported> {
    let mut all = vec![];
    for engine in super::engines(args) {
        match engine {
            Engine::Explorer => {
                all.push(match super::search(args, world, interrupt, args.json) {
                    Ok(found) => Reported::of_explorer(found, world, session),
                    Err(words) => failed("explorer", words),
                });
            }
            Engine::Spin => {
                let waiting = Waiting::begin("SPIN searches the model in Promela".to_string());
                let check = |tools: &Tools| model::check(&world.setup, tools, &limits(args));
                all.push(told("spin".into(), world, session, interrupt, check));
                let holds = matches!(all.last(), Some(Reported { verdict: Told::Holds, .. }));
                drop(waiting);
                if holds && super::has_goals(world) && !interrupt.came() {
                    let _waiting = Waiting::begin("SPIN searches for fair runs that meet no goal".to_string());
                    let check = |tools: &Tools| model::goals(&world.setup, tools, &limits(args));
                    all.push(told(GOALS.into(), world, session, interrupt, check));
                }
            }
            Engine::SpinC => {
                all.extend(on_c(args, world, session, interrupt));
            }
            Engine::All => {}
        }
        if interrupt.came() {
            break;
        }
    }
    all
}

/// The emitted C of every level, in one world.
fn on_c(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Vec<Reported> {
    let limits = limits(args);
    let tools = match Tools::find() {
        Ok(tools) => tools,
        Err(error) => return vec![without("spin-c", Failure::Spin(error), interrupt)],
    };
    let waiting = Waiting::begin("SPIN and gcc make the verifier".to_string());
    let checker = Checker::new(&world.setup, &tools, &limits);
    drop(waiting);
    let checker = match checker {
        Ok(checker) => checker,
        Err(failure) => return vec![without("spin-c", failure, interrupt)],
    };
    let mut all = vec![];
    let wanted = |level| args.level.is_empty() || args.level.iter().any(|wanted| wanted.0 == level);
    for (name, level) in EMITTED.into_iter().filter(|(_, level)| wanted(*level)) {
        let _waiting = Waiting::begin(format!("SPIN searches the C of level {name}"));
        let engine = format!("spin-c at level {name}");
        all.push(told(engine, world, session, interrupt, |_| checker.check(level)));
        if interrupt.came() {
            break;
        }
    }
    all
}

fn told(
    engine: String,
    world: &World,
    session: &Session,
    interrupt: &Interrupt,
    check: impl FnOnce(&Tools) -> Result<Searched, Failure>,
) -> Reported {
    match Tools::find().map_err(Failure::Spin).and_then(|tools| check(&tools)) {
        Ok(searched) => {
            let mut reported = of_spin(engine, searched, world, session);
            if let (Told::NotFound(why), true) = (&mut reported.verdict, interrupt.came()) {
                *why = INTERRUPTED.into();
            }
            reported
        }
        Err(failure) => without(&engine, failure, interrupt),
    }
}

fn limits(args: &Verify) -> Limits {
    let memory_mib = args.memory;
    Limits { time: Duration::from_secs(args.seconds), memory_mib, breadth_first: true, ..Limits::default() }
}

/// No verdict of an engine. What went wrong is told at once; the others have their verdicts all the same.
fn without(engine: &str, failure: Failure, interrupt: &Interrupt) -> Reported {
    match failure {
        // Its programs were stopped.
        _ if interrupt.came() => nothing(engine, Told::NotFound(INTERRUPTED.into())),
        Failure::Unfit(why) => nothing(engine, Told::Unfit(why)),
        Failure::Spin(error) => failed(engine, error.to_string()),
    }
}

fn failed(engine: &str, why: String) -> Reported {
    complain(&why);
    nothing(engine, Told::Failed(why))
}

fn nothing(engine: &str, verdict: Told) -> Reported {
    let engine = engine.to_string();
    Reported { engine, verdict, states: 0, moves: 0, depth: 0, seconds: 0.0, memory_mib: 0.0, unreached: vec![] }
}

fn of_spin(engine: String, searched: Searched, world: &World, session: &Session) -> Reported {
    let Searched { verdict, states, transitions, depth, memory_mib, seconds, .. } = searched;
    let verdict = match verdict {
        Verdict::Violated { why, trail } => violated(&engine, why, trail, world, session),
        Verdict::Holds => Told::Holds,
        Verdict::Incomplete(why) => Told::NotFound(why),
    };
    Reported { engine, verdict, states, moves: transitions, depth, seconds, memory_mib, unreached: vec![] }
}

/// A run of SPIN, done again by the interpreter: then it can be told as the explorer's are. If it cannot be done so, what was
/// searched is not what the interpreter runs.
fn violated(engine: &str, why: String, mut trail: Vec<String>, world: &World, session: &Session) -> Told {
    let mut broken = why;
    if trail.last().is_some_and(|line| Hint::of(line).is_none()) {
        let line = trail.pop().unwrap_or_default();
        broken = line.strip_prefix("broken: ").unwrap_or(&line).to_string();
    }
    let hints: Option<Vec<Hint>> = trail.iter().map(|line| Hint::of(line)).collect();
    let retraced = match (hints, Space::open(&world.setup)) {
        (Some(hints), Ok((space, first))) => retrace(&world.setup, &space, &first, &hints),
        _ => return Told::Violated { why: broken, run: None, steps: trail },
    };
    trail.retain(|line| Hint::of(line) != Some(Hint::Opened));
    let differs = match retraced {
        Ok(run) => return Told::Violated { why: run.why.clone(), run: Some(located(run, session)), steps: vec![] },
        Err(Lost::TooMany) => return Told::Violated { why: broken, run: None, steps: trail },
        Err(Lost::Allowed(run)) if engine == GOALS => {
            let run = located(Run { why: broken.clone(), ..run }, session);
            return Told::Violated { why: broken, run: Some(run), steps: vec![] };
        }
        Err(Lost::Allowed(_)) => "does the same steps and breaks nothing".to_string(),
        Err(Lost::Impossible(0)) => format!("cannot begin with `{}`", trail[0]),
        Err(Lost::Impossible(steps)) => format!("cannot go on with `{}` after {steps} steps", trail[steps]),
    };
    let searched = if engine.starts_with("spin-c") { "the emitted C" } else { "the model in Promela" };
    let why = format!(
        "{broken}; but the interpreter {differs}: {searched} does not do what the stack does, a fault of Nacre"
    );
    Told::Violated { why, run: None, steps: trail }
}

/// Whether SPIN looks for what the explorer found: not for goals, in C not for invariants, and in the model not for space.
fn looked_for(why: &str, engine: &str) -> bool {
    let rules = [Rule::Assert, Rule::Unreachable].map(|rule| rule.to_string());
    let invariant = Rule::Invariant.to_string();
    why.contains("is not allowed by")
        || why.contains("and not taken")
        || rules.iter().any(|rule| why.contains(rule))
        || (engine == "spin" && why.contains(&invariant))
}

/// Engines that searched everything must agree: another verdict or another number of states is a fault of ours, in words.
pub fn differ(all: &[Reported]) -> Option<String> {
    let explorer = all.iter().find(|r| r.engine == "explorer")?;
    all.iter().filter(|r| r.engine != "explorer").find_map(|other| {
        let differs = match (&explorer.verdict, &other.verdict) {
            // SPIN's first states are those before both ends are open.
            (Told::Holds, Told::Holds) if other.engine != GOALS => {
                let more = if other.engine == "spin" { model::EXTRA_STATES } else { 1 };
                let (states, wanted) = (other.states, explorer.states);
                (states != wanted + more)
                    .then(|| format!("{} has {states} states, the explorer {wanted}", other.engine))
            }
            // Fewer runs are fair to the explorer, and an excuse alone is not enough for it: of goals either may find more.
            (Told::Holds, Told::Violated { .. }) if other.engine != GOALS => {
                Some(format!("the explorer finds nothing, {} does", other.engine))
            }
            (Told::Violated { why, .. }, Told::Holds) if other.engine != GOALS && looked_for(why, &other.engine) => {
                Some(format!("{} does not find what the explorer finds", other.engine))
            }
            _ => None,
        };
        differs.map(|words| format!("a fault of Nacre, please report it: {words}"))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::world::{self, Subject};
    use super::*;

    /// What SPIN's trail comes to in the world of a layer that holds.
    fn told(engine: &str, trail: &[&str]) -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/verify/alternating_bit.nacre");
        let session = Session::open(&[file]);
        let subject = Subject { name: "alternating_bit".into(), is_layer: true };
        let configuration = session.configurations().into_iter().find(|c| c.subject == subject.name).unwrap();
        let Ok(world) = world::world(&session, &subject, &configuration, false) else { panic!("there is no world") };
        let trail = trail.iter().map(|line| line.to_string()).collect();
        match violated(engine, "assertion violated".into(), trail, &world, &session) {
            Told::Violated { why, run: None, .. } => why,
            _ => panic!("the interpreter breaks something"),
        }
    }

    #[test]
    fn what_spin_must_find_and_does_not_is_a_fault() {
        let told = |why: &str, engine: &str| {
            let violated = Told::Violated { why: why.into(), run: None, steps: vec![] };
            differ(&[nothing("explorer", violated), nothing(engine, Told::Holds)])
        };
        let (assertion, invariant) = (format!("l: {}: x", Rule::Assert), format!("l: {}: 1", Rule::Invariant));
        for engine in ["spin", "spin-c at level call"] {
            assert!(told(&assertion, engine).is_some() && told("it is not allowed by a", engine).is_some());
            assert_eq!(told("from here on it is never so again: g", engine), None);
        }
        assert!(told(&invariant, "spin").is_some() && told(&invariant, "spin-c at level call").is_none());
        assert_eq!(told(&assertion, GOALS), None);
    }

    #[test]
    fn what_the_interpreter_does_not_do_is_a_fault_of_what_was_searched() {
        let why = told("spin-c at level call", &["a calls send, number 1", "deliver at b", "broken: it is"]);
        let words = "it is; but the interpreter does the same steps and breaks nothing: the emitted C does not do";
        assert!(why.starts_with(words), "{why}");
        let why = told("spin", &["a opens", "b opens", "deliver at b", "broken: it is"]);
        assert!(why.contains("cannot begin with `deliver at b`: the model in Promela"), "{why}");
        let why = told("spin", &["b opens", "a calls send, number 1", "a calls send, number 3"]);
        assert!(why.contains("cannot go on with `a calls send, number 3` after 1 steps"), "{why}");
    }
}
