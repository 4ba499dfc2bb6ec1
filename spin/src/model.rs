//! SPIN on the readable model of a stack, between the automata of a setup.

use std::time::Instant;

use nacre_backend_promela::between::{write_between, Form, World};
use nacre_backend_promela::monitors;
use nacre_backend_promela::report::{Limit, Step, StopReason};
pub use nacre_backend_promela::EXTRA_STATES;
use nacre_worlds::setup::Setup;

use crate::emitted::Failure;
use crate::environment;
use crate::spin::{Limits, Model, Searched, Tools, Verdict};

/// Capacities of an automaton's containers: small ones make small states, so the search restarts with the next if one
/// is exceeded.
const CAPACITIES: [usize; 3] = [4, 8, 24];
/// Bytes by which messages may grow: if messages are joined or lengthened, the search restarts with the next.
const LONGER: [u32; 3] = [0, 8, 64];
/// The limit of a state, in bytes.
const VECTOR: u32 = 1 << 16;

/// Searches for a violation of safety. [`goals`] checks goals.
pub fn check(setup: &Setup, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    // The model has hidden variables, with which SPIN cannot search breadth-first.
    search(setup, tools, &Limits { breadth_first: false, shorten: true, ..limits.clone() })
}

/// Searches for a fair run in which a goal is not met infinitely often. Safety must have been checked.
pub fn goals(setup: &Setup, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    let limits = Limits { breadth_first: false, formula: true, ..limits.clone() };
    let mut searched = search(setup, tools, &limits)?;
    if let Verdict::Violated { why, trail } = &mut searched.verdict {
        if let Some(name) = &trail.goal {
            let opened = |steps: &[Step]| steps.iter().filter(|step| matches!(step, Step::Opened { .. })).count();
            let steps = |upto: usize| upto - opened(&trail.steps[..upto]);
            let last = steps(trail.steps.len());
            let first = trail.cycle.map_or(last, steps) + 1;
            *why = match last < first {
                true => format!("{name}: {NOT_MET}: no further step is possible"),
                false => format!("{name}: {NOT_MET}: steps {first} to {last} can repeat forever"),
            };
        }
    }
    Ok(searched)
}

/// The description of a goal that is not met.
const NOT_MET: &str = "does not hold infinitely often";

fn search(setup: &Setup, tools: &Tools, limits: &Limits) -> Result<Searched, Failure> {
    // Messages are values with room for every header and all data: a state can be large.
    let limits = Limits { vector: limits.vector.max(VECTOR), ..limits.clone() };
    let (mut entries, mut bytes) = (0, 0);
    // All searches share one time limit.
    let begun = Instant::now();
    loop {
        let limits = Limits { time: limits.time.saturating_sub(begun.elapsed()), ..limits.clone() };
        let model = model(setup, CAPACITIES[entries], LONGER[bytes], limits.formula).map_err(Failure::Unfit)?;
        let searched = tools.check(&model, &limits).map_err(Failure::of)?;
        let stopped = |limit| searched.stopped_for(StopReason::Limit(limit));
        if stopped(Limit::Capacity) && entries + 1 < CAPACITIES.len() {
            entries += 1;
        } else if stopped(Limit::Length) && bytes + 1 < LONGER.len() {
            bytes += 1;
        } else {
            return Ok(searched.within_limits());
        }
    }
}

/// Returns the text of the model with the smallest capacity, or why there is none.
pub fn printed(setup: &Setup) -> Result<String, String> {
    model(setup, CAPACITIES[0], LONGER[0], false).map(|model| model.text)
}

/// Returns the model, or why there is none.
pub fn model(setup: &Setup, capacity: usize, longer: u32, goals: bool) -> Result<Model, String> {
    let tables = environment::tables(setup)?;
    let world = environment::world(setup, &tables, Form::Values, [capacity; 2]);
    let world = World { goals, longer, ..world };
    let text = write_between(setup.stack(), &world, &|_| None).map_err(|refusals| {
        let each: Vec<String> = refusals.iter().map(|refusal| refusal.reason.to_string()).collect();
        format!("constructs that Promela cannot express: {}", each.join("; "))
    })?;
    let files = monitors::tables_in_c(&tables).map(|tables| ("tables.h".to_string(), tables)).into_iter().collect();
    Ok(Model { text, files, ..Model::default() })
}
