//! The engines: the explorer on the stack IR, and SPIN on a model of it and on the C that is emitted from it.

use std::time::Duration;

use nacre_driver::Session;
use nacre_verify::emitted::{between::Checker, Failure};
use nacre_verify::model;
use nacre_verify::spin::{Limits, Searched, Tools, Verdict};

use super::report::{Reported, Told};
use super::world::World;
use crate::args::{Engine, Verify};
use crate::interrupt::Interrupt;
use crate::levels::EMITTED;
use crate::progress::Waiting;

/// What each engine that is wanted comes to, in order.
pub fn run(args: &Verify, world: &World, session: &Session, interrupt: &Interrupt) -> Result<Vec<Reported>, String> {
    let mut all = vec![];
    for engine in super::engines(args) {
        match engine {
            Engine::Explorer => {
                let found = super::search(args, world, interrupt, args.json)?;
                all.push(Reported::of_explorer(found, world, session));
            }
            Engine::Spin => {
                let _waiting = Waiting::begin("SPIN searches the model in Promela".to_string());
                all.push(told("spin".into(), |tools| model::check(&world.setup, tools, &limits(args)))?);
            }
            Engine::SpinC => {
                all.extend(on_c(args, world, interrupt)?);
            }
            Engine::All => {}
        }
        if interrupt.came() {
            break;
        }
    }
    compare(&all)?;
    Ok(all)
}

/// The emitted C of every level, in one world.
fn on_c(args: &Verify, world: &World, interrupt: &Interrupt) -> Result<Vec<Reported>, String> {
    let (tools, limits) = (Tools::find().map_err(|e| e.to_string())?, limits(args));
    let waiting = Waiting::begin("SPIN and gcc make the verifier".to_string());
    let checker = Checker::new(&world.setup, &tools, &limits);
    drop(waiting);
    let checker = match checker {
        Ok(checker) => checker,
        Err(Failure::Unfit(why)) => return Ok(vec![unfit("spin-c", why)]),
        Err(Failure::Spin(error)) => return Err(error.to_string()),
    };
    let mut all = vec![];
    let wanted = |level| args.level.is_empty() || args.level.iter().any(|wanted| wanted.0 == level);
    for (name, level) in EMITTED.into_iter().filter(|(_, level)| wanted(*level)) {
        let _waiting = Waiting::begin(format!("SPIN searches the C of level {name}"));
        all.push(told(format!("spin-c at level {name}"), |_| checker.check(level))?);
        if interrupt.came() {
            break;
        }
    }
    Ok(all)
}

fn told(engine: String, check: impl FnOnce(&Tools) -> Result<Searched, Failure>) -> Result<Reported, String> {
    let tools = Tools::find().map_err(|e| e.to_string())?;
    match check(&tools) {
        Ok(searched) => Ok(of_spin(engine, searched)),
        Err(Failure::Unfit(why)) => Ok(unfit(&engine, why)),
        Err(Failure::Spin(error)) => Err(error.to_string()),
    }
}

fn limits(args: &Verify) -> Limits {
    let memory_mib = args.memory;
    Limits { time: Duration::from_secs(args.seconds), memory_mib, breadth_first: true, ..Limits::default() }
}

fn unfit(engine: &str, why: String) -> Reported {
    let (verdict, engine) = (Told::Unfit(why), engine.to_string());
    Reported { engine, verdict, states: 0, moves: 0, depth: 0, seconds: 0.0, memory_mib: 0.0, unreached: vec![] }
}

fn of_spin(engine: String, searched: Searched) -> Reported {
    let Searched { verdict, states, transitions, depth, memory_mib, seconds, .. } = searched;
    let verdict = match verdict {
        // A container of an automaton is full: our bound, no fault of the layer.
        Verdict::Violated { why, .. } if why.contains("_len[") => {
            Told::NotFound("more messages are on the way than the model has places for".into())
        }
        Verdict::Violated { why, mut trail } => {
            let told = trail.last().is_some_and(|line| line.starts_with("broken: "));
            let last = if told { trail.pop() } else { None };
            let why = last.map_or(why, |line| line["broken: ".len()..].to_string());
            Told::Violated { why, run: None, steps: trail }
        }
        Verdict::Holds => Told::Holds,
        Verdict::Incomplete(why) => Told::NotFound(why),
    };
    Reported { engine, verdict, states, moves: transitions, depth, seconds, memory_mib, unreached: vec![] }
}

/// Engines that searched everything must agree: another verdict or another number of states is a fault of ours.
fn compare(all: &[Reported]) -> Result<(), String> {
    let explorer = all.iter().find(|r| r.engine == "explorer");
    for other in all.iter().filter(|r| r.engine != "explorer") {
        let Some(explorer) = explorer else { continue };
        let safe = |r: &Reported| matches!(r.verdict, Told::Holds);
        // SPIN's first states are those before both ends are open.
        let more = if other.engine == "spin" { model::EXTRA_STATES } else { 1 };
        if safe(explorer) && safe(other) && other.states != explorer.states + more {
            return Err(format!(
                "a fault of Nacre, please report it: {} has {} states, the explorer {}",
                other.engine, other.states, explorer.states
            ));
        }
        if safe(explorer) && matches!(other.verdict, Told::Violated { .. }) {
            return Err(format!(
                "a fault of Nacre, please report it: the explorer finds nothing, {} does",
                other.engine
            ));
        }
    }
    Ok(())
}
