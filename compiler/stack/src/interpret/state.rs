//! All that changes while a stack runs, and the host that its steps call.

use std::collections::VecDeque;
use std::sync::Arc;

use super::choices::Choices;
use super::covered::Covered;
use super::pool::Pool;
use super::quick::Quick;
use super::random::SplitMix64;
use super::report::{Report, TraceEntry};
use super::value::Value;
use super::ways::Ways;
use crate::*;

/// All that changes.
#[derive(Clone)]
pub struct State {
    pub cells: Vec<Value>,
    pub later: VecDeque<Pending>,
    pub counters: Vec<u64>,
    pub pool: Pool,
    /// The cells that are timers and were armed in the last step.
    pub armed: Vec<CellId>,
    pub now: u64,
    pub steps: u64,
    pub outputs: Vec<Output>,
    pub reports: Vec<Report>,
    pub trace: Option<Vec<TraceEntry>>,
    pub schedule: Schedule,
    pub dice: SplitMix64,
    pub externs: Arc<dyn Externs>,
    /// None: dice decide.
    pub choices: Option<Choices>,
    /// The coverage; none: not recorded.
    pub covered: Option<Covered>,
    /// The ways of the steps; none: not recorded.
    pub ways: Option<Ways>,
    /// How many steps have taken each bypass.
    pub bypassed: Vec<u64>,
    /// By filter, once it has run: how it runs; see [`Quick`].
    pub filters: Vec<Option<Arc<Option<Quick>>>>,
}

/// An event on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub link: LinkId,
    pub event: EventId,
    pub arguments: Vec<Value>,
}

/// Something that left the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub port: PortId,
    pub event: EventId,
    /// The session that the event names; 0: none.
    pub session: u32,
    /// The event's parameters but its message, in order.
    pub arguments: Vec<Value>,
    /// At a lower port the frame, elsewhere the data; none: an event without a message.
    pub bytes: Option<Vec<u8>>,
}

/// The order in which events of one step are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The reference.
    Fifo,
    /// Any order in which each link (source, target, direction) is a queue, drawn from a seed.
    Any(u64),
}

/// The C functions that a stack calls.
pub trait Externs: Send + Sync {
    /// The result of a function; none: the host does not supply it.
    fn call(&self, function: &Extern, arguments: &[Value]) -> Option<Value>;

    /// Why the host does not supply a function; none: it does.
    fn lacks(&self, _function: &Extern) -> Option<String> {
        None
    }
}

/// Returns what the interpreter lacks to run a stack, where the host supplies these functions.
pub fn lacks(stack: &Stack, externs: &dyn Externs) -> Option<String> {
    stack.externs.iter().find_map(|function| externs.lacks(function))
}

/// A host without any.
pub struct NoExterns;

impl Externs for NoExterns {
    fn call(&self, _: &Extern, _: &[Value]) -> Option<Value> {
        None
    }

    fn lacks(&self, function: &Extern) -> Option<String> {
        Some(format!("`{}` is a function in C, which the interpreter cannot call", function.name))
    }
}
