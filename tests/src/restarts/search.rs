//! The search: each sequence of choices up to a length, or random ones.

use nacre_runtime::Stack;
use nacre_simulator::random::Random;

use super::choices::Choices;
use super::world::World;

/// A run that violates something.
#[derive(Debug)]
pub struct Violation {
    pub why: String,
    pub log: Vec<String>,
}

/// Runs each sequence of a number of choices; returns the number of runs, or the first violation.
pub fn exhaust(stack: &Stack, crashes: u8, steps: usize) -> std::result::Result<u64, Violation> {
    let (mut plan, mut runs) = (vec![], 0);
    loop {
        let mut choices = Choices::Given { plan: plan.clone(), of: vec![] };
        run(stack, 1, crashes, steps, &mut choices)?;
        runs += 1;
        let Choices::Given { of, .. } = choices else { return Ok(runs) };
        plan.resize(of.len(), 0);
        while plan.last().is_some_and(|last| last + 1 == of[plan.len() - 1]) {
            plan.pop();
        }
        match plan.last_mut() {
            Some(last) => *last += 1,
            None => return Ok(runs),
        }
    }
}

/// Runs with random choices from seeds.
pub fn sample(
    stack: &Stack,
    crashes: u8,
    steps: usize,
    seeds: std::ops::Range<u64>,
) -> std::result::Result<u64, Violation> {
    let runs = seeds.end - seeds.start;
    for seed in seeds {
        run(stack, seed, crashes, steps, &mut Choices::Random(Random::new(seed)))?;
    }
    Ok(runs)
}

fn run(
    stack: &Stack,
    seed: u64,
    crashes: u8,
    steps: usize,
    choices: &mut Choices,
) -> std::result::Result<(), Violation> {
    let mut world = World::new(stack, seed, crashes);
    world.run(choices, steps).map_err(|why| Violation { why, log: std::mem::take(&mut world.log) })
}
