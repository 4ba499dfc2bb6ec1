//! What was found out about parts of the stack, each of which is asked for often.

use std::collections::HashMap;

use nacre_stack::FilterId;

use crate::functions::Parameter;

/// The condition of a bypass, for its entry.
#[derive(Clone)]
pub struct Condition {
    /// The parameters of the bypass.
    pub parameters: Vec<Parameter>,
    /// The parts that are expressions in C.
    pub expressions: Vec<String>,
    /// The places of the other parts.
    pub others: Vec<usize>,
}

/// What is known so far.
#[derive(Default)]
pub struct Known {
    /// By bypass.
    pub conditions: HashMap<usize, Condition>,
    /// The functions of filters that calculate a remainder; none: another filter.
    pub remainders: HashMap<FilterId, Option<String>>,
    /// Whether one of these is that for which some processors have an instruction: `pool_init` asks for it.
    pub asks_processor: bool,
}
