//! The choices that make a run.

use nacre_simulator::random::Random;

/// Where choices come from.
pub enum Choices {
    /// The first choices are given; all later ones are the first alternative. Records how many alternatives there were.
    Given {
        plan: Vec<usize>,
        of: Vec<usize>,
    },
    Random(Random),
}

impl Choices {
    pub(super) fn choose(&mut self, alternatives: usize) -> usize {
        match self {
            Choices::Given { plan, of } => {
                let chosen = plan.get(of.len()).copied().unwrap_or(0);
                of.push(alternatives);
                chosen
            }
            Choices::Random(random) => random.below(alternatives as u64) as usize,
        }
    }
}
