//! The functions in C that layers have been asked for.

use std::collections::HashSet;

use nacre_stack::*;

/// A function in C that is made of a part of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Handler(HandlerId),
    Function(FunctionId),
    Reaction(LayerId, EventId),
}

/// The functions that have been asked for.
///
/// At level `inline` there are two kinds of each: the quick one is put in place where the stack IR says so, in the
/// entries and in what is put in place itself; the slow one is called, by everything else.
#[derive(Default)]
pub struct Plan {
    pub asked: HashSet<(Item, bool)>,
    pub waiting: Vec<(Item, bool)>,
    /// Whether the quick kind is being written.
    pub quick: bool,
}
