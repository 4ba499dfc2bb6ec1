//! The search: each sequence of choices up to a length, then random ones; and the shrinking of a run.

use nacre_simulator::random::Random;
use nacre_simulator::world::Entry;

use crate::bounds::Bounds;
use crate::choice::Choice;
use crate::looked::Looked;
use crate::plan::Plan;
use crate::rule::Broken;
use crate::subject::Subject;
use crate::trace::Trace;
use crate::world::World;

/// A run that violates a rule.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule, and where it is violated.
    pub broken: Broken,
    /// The seed of the run.
    pub seed: u64,
    /// Its choices, without those that the violation does not need.
    pub choices: Vec<Choice>,
    /// How many choices it had before.
    pub shrunk_from: usize,
    /// What happened.
    pub trace: Vec<Entry>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run violates a rule.
    Holds,
    /// This one does.
    Violated(Box<Violation>),
    /// The search was stopped.
    Stopped,
}

/// The verdict, and what was looked at.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The verdict.
    pub verdict: Verdict,
    /// All runs together.
    pub looked: Looked,
    /// Whether every run of up to [`Bounds::choices`] choices was made.
    pub exhausted: bool,
    /// Random runs that were made.
    pub random: u64,
}

/// What a run did.
struct Run {
    broken: Option<Broken>,
    /// The choices that were possible, up to the violation.
    choices: Vec<Choice>,
    trace: Vec<Entry>,
}

/// Makes all runs within the bounds, until one violates a rule or `goes_on` is false.
///
/// # Errors
/// Why no run can be made at all.
pub fn search(subject: &Subject, bounds: &Bounds, goes_on: &dyn Fn(&Looked) -> bool) -> Result<Searched, String> {
    let mut searched = Searched { verdict: Verdict::Holds, looked: Looked::default(), exhausted: false, random: 0 };
    let violated = |seed, run: Run, looked: &mut Looked| match run.broken {
        None => Ok(None),
        Some(broken) => shrink(subject, bounds, (seed, broken, run.choices), looked).map(Box::new).map(Some),
    };
    for length in 0..=bounds.choices {
        let mut first = Some(vec![]);
        while let Some(plan) = first.take() {
            if !goes_on(&searched.looked) {
                return Ok(Searched { verdict: Verdict::Stopped, ..searched });
            }
            let mut plan = Plan::Numbers { plan, of: vec![], length };
            let run = run(subject, bounds, (bounds.seed, Trace::default()), &mut plan, &mut searched.looked)?;
            if let Some(violation) = violated(bounds.seed, run, &mut searched.looked)? {
                return Ok(Searched { verdict: Verdict::Violated(violation), ..searched });
            }
            first = next(plan);
        }
    }
    searched.exhausted = true;
    for number in 0..bounds.runs {
        if !goes_on(&searched.looked) {
            return Ok(Searched { verdict: Verdict::Stopped, ..searched });
        }
        let seed = bounds.seed.wrapping_add(number);
        let mut plan = Plan::Random { random: Random::new(seed), length: bounds.length };
        let run = run(subject, bounds, (seed, Trace::default()), &mut plan, &mut searched.looked)?;
        if let Some(violation) = violated(seed, run, &mut searched.looked)? {
            return Ok(Searched { verdict: Verdict::Violated(violation), ..searched });
        }
        searched.random += 1;
    }
    Ok(searched)
}

/// Makes one run, of these choices. Those that are not possible are left out.
///
/// # Errors
/// Why no run can be made at all.
pub fn repeat(subject: &Subject, bounds: &Bounds, choices: &[Choice]) -> Result<Searched, String> {
    let mut looked = Looked::default();
    let run = run(subject, bounds, (bounds.seed, Trace::recording()), &mut Plan::Named(choices), &mut looked)?;
    let violation = |broken| {
        let Run { choices, trace, .. } = run;
        Violation { broken, seed: bounds.seed, shrunk_from: choices.len(), choices, trace }
    };
    let verdict = run.broken.map_or(Verdict::Holds, |broken| Verdict::Violated(Box::new(violation(broken))));
    Ok(Searched { verdict, looked, exhausted: false, random: 0 })
}

/// The next sequence of the same length; none: this is the last one.
fn next(plan: Plan) -> Option<Vec<usize>> {
    let Plan::Numbers { mut plan, of, .. } = plan else { return None };
    plan.resize(of.len(), 0);
    while plan.last().is_some_and(|last| last + 1 >= of[plan.len() - 1]) {
        plan.pop();
    }
    *plan.last_mut()? += 1;
    Some(plan)
}

fn run(
    subject: &Subject,
    bounds: &Bounds,
    (seed, trace): (u64, Trace),
    plan: &mut Plan,
    looked: &mut Looked,
) -> Result<Run, String> {
    let (mut world, mut made) = (World::new(subject, bounds, seed, trace)?, vec![]);
    let mut broken = world.after().err();
    for step in 0..plan.length() {
        if broken.is_some() {
            break;
        }
        let choice = plan.choose(step, || world.choices());
        if world.take(choice) {
            made.push(choice);
        }
        broken = world.after().err();
    }
    let broken = broken.or_else(|| world.settle().err());
    looked.add(&world.looked);
    Ok(Run { broken, choices: made, trace: world.trace.entries() })
}

/// Leaves out choices as long as the same rule is violated (delta debugging, over complements only).
fn shrink(
    subject: &Subject,
    bounds: &Bounds,
    (seed, mut broken, mut choices): (u64, Broken, Vec<Choice>),
    looked: &mut Looked,
) -> Result<Violation, String> {
    let (shrunk_from, rule) = (choices.len(), broken.rule);
    let mut again = |choices: &[Choice], trace| run(subject, bounds, (seed, trace), &mut Plan::Named(choices), looked);
    let mut chunk = choices.len().div_ceil(2);
    while chunk > 0 {
        let (mut at, mut smaller) = (0, false);
        while at < choices.len() {
            let end = (at + chunk).min(choices.len());
            let without = [&choices[..at], &choices[end..]].concat();
            let found = again(&without, Trace::default())?;
            match found.broken.filter(|broken| broken.rule == rule) {
                Some(found_broken) => {
                    (broken, choices, smaller) = (found_broken, found.choices, true);
                }
                None => at = end,
            }
        }
        chunk = match chunk {
            1 if smaller => 1,
            1 => 0,
            _ => chunk.div_ceil(2),
        };
    }
    let run = again(&choices, Trace::recording())?;
    Ok(Violation { broken: run.broken.unwrap_or(broken), seed, choices, shrunk_from, trace: run.trace })
}
