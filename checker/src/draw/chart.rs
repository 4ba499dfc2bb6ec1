//! The rows of a whole run, with the frames between them.

use super::flights::Flights;
use super::rows::{of_step, Row, Words};
use crate::run::Run;

/// The rows of a run, and the way of each frame between them.
pub(super) struct Chart {
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
        Chart { rows, begins, flights }
    }

    /// The number of the step that begins with a row, counted from 1.
    pub fn begun(&self, row: usize) -> Option<usize> {
        self.begins.binary_search(&row).ok().map(|step| step + 1)
    }

    /// Explains the marks that it uses.
    pub fn legend(&self) -> Vec<&'static str> {
        let lost = self.flights.all.iter().any(|flight| flight.arrivals.is_empty());
        let marks = [(lost, "×: does not arrive in this run"), (self.flights.appeared, "◆: not sent as it arrives")];
        marks.into_iter().filter(|(used, _)| *used).map(|(_, words)| words).collect()
    }
}
