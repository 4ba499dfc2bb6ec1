//! What the language leaves open (an order of events, a random number), decided by a search instead of by dice.

/// The decisions of one step: first those of a plan, then always the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    plan: Vec<u32>,
    /// What was picked, and out of how many.
    made: Vec<(u32, u32)>,
}

impl Choices {
    /// One of so many (at least one).
    pub fn pick(&mut self, of: usize) -> usize {
        let pick = self.plan.get(self.made.len()).copied().unwrap_or(0).min(of.saturating_sub(1) as u32);
        self.made.push((pick, of as u32));
        pick as usize
    }

    /// What is to be picked, in order; whatever comes after is the first.
    pub fn plan(&self) -> &[u32] {
        &self.plan
    }

    pub fn of_plan(plan: &[u32]) -> Choices {
        Choices { plan: plan.to_vec(), made: vec![] }
    }

    /// The decisions for the next run of the same step; none: every way has been tried.
    pub fn next(mut self) -> Option<Choices> {
        while let Some((pick, of)) = self.made.pop() {
            if pick + 1 < of {
                let mut plan: Vec<u32> = self.made.iter().map(|(pick, _)| *pick).collect();
                plan.push(pick + 1);
                return Some(Choices { plan, made: vec![] });
            }
        }
        None
    }
}
