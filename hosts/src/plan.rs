//! Where the choices of a run come from.

use nacre_simulator::random::Random;

use crate::choice::Choice;

/// The choices of a run.
pub enum Plan<'p> {
    /// Numbers of alternatives; where they end, the first alternative. Records how many alternatives there were.
    Numbers { plan: Vec<usize>, of: Vec<usize>, length: usize },
    /// So many random ones.
    Random { random: Random, length: usize },
    /// These; one that is not possible is left out.
    Named(&'p [Choice]),
}

impl Plan<'_> {
    /// How many choices there are.
    pub fn length(&self) -> usize {
        match self {
            Plan::Numbers { length, .. } | Plan::Random { length, .. } => *length,
            Plan::Named(choices) => choices.len(),
        }
    }

    /// The choice of a step, where these are possible.
    pub fn choose(&mut self, step: usize, possible: impl FnOnce() -> Vec<Choice>) -> Choice {
        match self {
            Plan::Numbers { plan, of, .. } => {
                let all = possible();
                of.push(all.len());
                all[plan.get(step).copied().unwrap_or(0)]
            }
            Plan::Random { random, .. } => {
                let all = possible();
                let mut left = random.below(all.iter().map(|choice| choice.weight()).sum());
                let drawn = all.iter().find(|choice| {
                    let found = left < choice.weight();
                    left = left.saturating_sub(choice.weight());
                    found
                });
                drawn.copied().unwrap_or(all[0])
            }
            Plan::Named(choices) => choices[step],
        }
    }
}
