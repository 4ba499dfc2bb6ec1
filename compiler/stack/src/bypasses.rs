//! Bypasses: what all layers do together with one common event.

use serde::{Deserialize, Serialize};

use crate::*;

/// Where an event enters the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Entry {
    /// A call of the host: the port, and the place of the input in its list.
    Call(PortId, usize),
    /// A frame at a lower port, of the shape at this place in its layout.
    Frame(PortId, usize),
    /// A timer fires.
    Timer(usize),
}

/// The way of an event through the handlers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Way {
    pub entry: Entry,
    /// Whether the condition held at each branch of the handlers and functions, and whether each handler that was tried
    /// takes the event, in the order in which they ran.
    pub sides: Vec<bool>,
}

/// Code for one event from outside that does, where its condition holds, what the handlers of all layers do: a step may
/// run it instead of them. Its emissions are in the order in which events leave the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bypass {
    /// A call or a frame.
    pub entry: Entry,
    /// Over the state before the event, and the locals that are given. A call has been admitted.
    pub condition: Expr,
    pub locals: Vec<Local>,
    /// For each local the layer, or the port, whose code it is from: a message in it carries headers of the layers
    /// above only.
    pub homes: Vec<Target>,
    /// One local for each parameter of the event. The message of a frame has no headers here.
    pub parameters: Vec<LocalId>,
    /// Of a frame: for each header of the shape, one local for each field.
    pub fields: Vec<Vec<LocalId>>,
    /// Without branches, loops and calls of functions, but for the end of an [`Opening`]. Emits only to ports, and
    /// `later`.
    pub body: Block,
}
