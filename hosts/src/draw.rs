//! A run as a chart.

use nacre_simulator::chart;

use crate::names::{CLIENT, NAMES, SERVER};
use crate::search::Violation;

/// Draws a run with one lane for each host. `stack`: what they run, to describe frames.
pub fn chart(stack: &nacre_stack::Stack, violation: &Violation) -> String {
    let options = chart::Options::default();
    chart::chart(stack, &violation.trace, &[CLIENT, SERVER], &NAMES, options)
}
