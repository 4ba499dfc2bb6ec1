//! The rows of a whole run, with the frames between them.

use nacre_specification::members::Members;

use super::flights::Flights;
use super::rows::{of_step, Row, Words};
use crate::run::Run;

/// The rows of a run, and the way of each frame between them.
pub(super) struct Chart {
    /// The endpoints, from left to right.
    pub members: Members,
    pub rows: Vec<Row>,
    /// The rows with which steps begin.
    begins: Vec<usize>,
    pub flights: Flights,
}

impl Chart {
    /// The chart of a run.
    pub fn of(run: &Run, words: &Words) -> Chart {
        let (mut rows, mut begins) = (vec![], vec![]);
        for step in &run.steps {
            begins.push(rows.len());
            rows.extend(of_step(step, words));
        }
        let flights = Flights::of(&rows);
        let members = Members::new(run.members).unwrap_or(Members::TWO);
        Chart { members, rows, begins, flights }
    }

    /// The number of the step that begins with a row, counted from 1.
    pub fn begun(&self, row: usize) -> Option<usize> {
        self.begins.binary_search(&row).ok().map(|step| step + 1)
    }

    /// Whether an endpoint is the rightmost one: what it does is drawn on its left.
    pub fn is_last(&self, end: usize) -> bool {
        end + 1 == self.members.count()
    }

    /// The gap between neighbours in which a frame of an endpoint begins: the one on its right, of the last one that on
    /// its left.
    pub fn gap_of(&self, end: usize) -> usize {
        end.min(self.members.count() - 2)
    }

    /// Explains the marks that it uses.
    pub fn legend(&self) -> Vec<&'static str> {
        let lost = self.flights.all.iter().any(|flight| flight.arrivals.is_empty());
        let marks = [(lost, "×: does not arrive in this run"), (self.flights.appeared, "◆: not sent as it arrives")];
        marks.into_iter().filter(|(used, _)| *used).map(|(_, words)| words).collect()
    }
}
