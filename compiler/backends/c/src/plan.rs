//! The C functions of layers that are called and so must be written.

use std::collections::HashSet;

use nacre_stack::*;

/// A part of the IR that becomes a C function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Handler(HandlerId),
    Function(FunctionId),
    Reaction(LayerId, EventId),
    /// By its place in [`Stack::bypasses`].
    Bypass(usize),
}

/// The functions that are called.
///
/// At level `inline` there are two kinds of each: the quick one is inlined into entries and quick functions where the
/// stack IR marks the call; all other code calls the slow one.
#[derive(Default)]
pub struct Plan {
    pub asked: HashSet<(Item, bool)>,
    pub waiting: Vec<(Item, bool)>,
    /// Whether a quick function is being written.
    pub quick: bool,
}
