//! Nondeterministic choices (an order of events, a random number), made by a search instead of at random.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::NodeId;

/// Draws below this number are tried in full.
const FEW: u64 = 16;

/// The values to try of some draws, by their statements.
pub type Points = BTreeMap<NodeId, Vec<u64>>;

/// The decisions of one step: first those of a plan, then always the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    plan: Vec<u32>,
    points: Arc<Points>,
    /// The picked index, and the number of alternatives.
    made: Vec<(u32, u32)>,
    /// The numbers that were drawn at random.
    drawn: Vec<u64>,
    /// Draws of which not every value is tried.
    partial: BTreeSet<NodeId>,
}

impl Choices {
    /// Returns the first decisions of a step: of the draws in `points` these values are tried.
    pub fn first(points: Arc<Points>) -> Choices {
        Choices { points, ..Choices::default() }
    }

    /// Picks one of `of` alternatives (at least one).
    pub fn pick(&mut self, of: usize) -> usize {
        let pick = self.plan.get(self.made.len()).copied().unwrap_or(0).min(of.saturating_sub(1) as u32);
        self.made.push((pick, of as u32));
        pick as usize
    }

    /// Draws a number below a limit: every one if there are few, else one of each class that the stack distinguishes,
    /// else the least or the greatest.
    pub fn draw(&mut self, statement: NodeId, below: u64) -> u64 {
        let last = below.saturating_sub(1);
        let drawn = if below <= FEW {
            self.pick(below.max(1) as usize) as u64
        } else if let Some(points) = self.points.clone().get(&statement) {
            points[self.pick(points.len())]
        } else {
            self.partial.insert(statement);
            self.pick(2) as u64 * last
        };
        self.drawn.push(drawn.min(last));
        drawn.min(last)
    }

    /// Returns the choices to make, in order; each further choice is the first alternative.
    pub fn plan(&self) -> &[u32] {
        &self.plan
    }

    /// Returns the numbers that were drawn at random, in order.
    pub fn drawn(&self) -> &[u64] {
        &self.drawn
    }

    /// Returns the draws of which not every value is tried.
    pub fn partial(&self) -> &BTreeSet<NodeId> {
        &self.partial
    }

    /// Returns the same decisions, before any is made.
    pub fn again(&self) -> Choices {
        Choices { plan: self.plan.clone(), ..Choices::first(self.points.clone()) }
    }

    /// Returns the decisions for the next run of the same step; none: all alternatives have been tried.
    pub fn next(mut self) -> Option<Choices> {
        while let Some((pick, of)) = self.made.pop() {
            if pick + 1 < of {
                let mut plan: Vec<u32> = self.made.iter().map(|(pick, _)| *pick).collect();
                plan.push(pick + 1);
                return Some(Choices { plan, ..Choices::first(self.points) });
            }
        }
        None
    }
}
