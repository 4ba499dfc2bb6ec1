//! Observation of a machine beyond the results of its entries, and choices made by a search.

use std::sync::Arc;

use super::canonical::{self, Kind};
use super::choices::Choices;
use super::covered::Covered;
use super::machine::Machine;
use super::report::{Report, TraceEntry};
use super::run::Run;
use super::state::{Output, State};
use super::value::{Message, Value};
use crate::*;

impl Machine {
    /// Lets a search decide what is open in the next step (also random numbers), until
    /// [`Machine::take_choices`]. Until that step, no timer counts as armed in it.
    pub fn decide(&mut self, choices: Choices) {
        self.state.armed.clear();
        self.state.choices = Some(choices);
    }

    /// The choices since [`Machine::decide`].
    pub fn take_choices(&mut self) -> Choices {
        self.state.choices.take().unwrap_or_default()
    }

    /// Counts the ways of the steps from now on.
    pub fn count_ways(&mut self) {
        self.state.ways.get_or_insert_default();
    }

    /// The ways of calls and frames, counted, since [`Machine::count_ways`].
    pub fn ways(&self) -> impl Iterator<Item = (&Way, u64)> {
        self.state.ways.iter().flat_map(|ways| ways.counts.iter().map(|(way, count)| (way, *count)))
    }

    /// How many steps since the opening took each of [`Stack::bypasses`].
    pub fn bypassed(&self) -> &[u64] {
        &self.state.bypassed
    }

    /// The coverage since the last call; recorded from the first call on.
    pub fn take_covered(&mut self) -> Covered {
        let fresh = Covered::none_of(&self.stack);
        self.state.covered.replace(fresh).unwrap_or_default()
    }

    /// Runs the body of one handler alone, with values of its parameters and of the fields of its header; what it emits
    /// to other layers is dropped. For comparisons with other executions of the same code.
    pub fn run_alone(&mut self, handler: HandlerId, parameters: Vec<Value>, fields: Vec<Value>, now: u64) {
        let (stack, event) = (self.stack.clone(), self.stack.handler(handler).event);
        self.state.now = now;
        Run::new(&stack, &mut self.state).run_handler(handler, event, parameters, fields, String::new());
        self.state.later.clear();
    }

    /// The stack that runs.
    pub fn stack(&self) -> &Arc<Stack> {
        &self.stack
    }
    /// The value of one counter.
    pub fn counter(&self, counter: CounterId) -> u64 {
        self.state.counters[counter.index()]
    }
    /// All counters, in the order of [`Stack::counters`].
    pub fn counters(&self) -> &[u64] {
        &self.state.counters
    }
    /// Blocks of the pool that are free.
    pub fn free_blocks(&self) -> u32 {
        self.state.pool.free()
    }
    /// Lets other connections hold all free blocks: in a pool that they share, a step may find none.
    pub fn fill_pool(&mut self) {
        self.state.pool.size -= self.state.pool.free();
    }
    /// Fresh blocks that the last step took.
    pub fn taken_blocks(&self) -> u32 {
        self.state.pool.taken
    }
    /// Whether a timer that is a cell of its own was armed in the last step, for the first time or again.
    pub fn was_armed(&self, timer: TimerId) -> bool {
        self.state.armed.contains(&self.stack.timers[timer.index()].cell)
    }
    /// The value of a cell; of a layer with several sessions a tuple of one for each.
    pub fn cell(&self, cell: CellId) -> &Value {
        &self.state.cells[cell.index()]
    }
    /// Puts a value where a test wants one.
    pub fn set_cell(&mut self, cell: CellId, value: Value) {
        self.state.cells[cell.index()] = value;
    }
    /// The same; the messages in the value are kept in the pool.
    pub fn keep_cell(&mut self, cell: CellId, mut value: Value) {
        let State { cells, later, pool, .. } = &mut self.state;
        pool.begin(&Message::default());
        pool.keep(&mut value);
        cells[cell.index()] = value;
        pool.end(cells.iter().chain(later.iter().flat_map(|event| &event.arguments)));
    }
    /// A machine in the same state whose stack has other bypasses.
    pub fn with_stack(&self, stack: Arc<Stack>) -> Machine {
        let bypassed = vec![0; stack.bypasses.len()];
        Machine { stack, state: State { bypassed, ..self.state.clone() }, ..self.clone() }
    }
    /// The outputs since they were taken last.
    pub fn outputs(&self) -> &[Output] {
        &self.state.outputs
    }
    /// The outputs since they were taken last.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.state.outputs)
    }
    /// The reports since the last call.
    pub fn reports(&self) -> &[Report] {
        &self.state.reports
    }
    /// The same, taken.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.state.reports)
    }
    /// The trace since the last call, if tracing is on.
    pub fn trace(&self) -> Option<&[TraceEntry]> {
        self.state.trace.as_deref()
    }
    /// Turns tracing on.
    pub fn trace_on(&mut self) {
        self.state.trace.get_or_insert_default();
    }
    /// The same, taken.
    pub fn take_trace(&mut self) -> Vec<TraceEntry> {
        self.state.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }
    /// The behaviour state as bytes: see [`canonical`](super::canonical).
    pub fn canonical_bytes(&self) -> Vec<u8> {
        canonical::write(&self.stack, &self.state, Kind::Whole)
    }
    /// The same without what a checker erases: see [`canonical`](super::canonical). Such states behave alike if the
    /// clock does not advance, armed timers fire at any time, and the caller chooses random numbers.
    /// `times`: durations and instants are among it, because they decide nothing but that
    /// (`nacre_analysis::timing::erasure`).
    pub fn abstract_bytes(&self, times: bool) -> Vec<u8> {
        canonical::write(&self.stack, &self.state, Kind::Abstract { times })
    }
}
