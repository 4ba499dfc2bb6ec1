//! The typed tree: a layer between syntax and the stack IR.
//!
//! It keeps the statements of the source (`if let`, `match`, loops over containers, `pass`, `else` clauses), but names
//! are resolved, types are known and implicit conversions are explicit. It needs no further diagnostics: errors were
//! reported when the tree was made, and are error nodes. So a layer with errors keeps the rest of its tree.
//! [`crate::lower`] makes the stack IR of a tree without error nodes; temporaries, failing paths and inlined functions
//! of filters exist only there.
//!
//! It uses the types, operators, declarations and ids of the stack IR where they mean the same.

mod code;
mod names;
mod patterns;
mod print;
mod show;
mod steps;
mod types;
mod visit;

pub use code::*;
pub use names::*;
pub use patterns::*;
pub use print::print;
pub use types::show_type;
pub use visit::Node;

use nacre_diagnostics::Span;
use nacre_stack::{
    Cell, CellId, Enum, Event, EventId, Extern, FilterUnit, Guard, Header, PortId, Struct, TimerStep, Type,
};

use crate::fragment::InterfaceEvent;

/// One layer with its parameters filled in. Ids are indices into its tables, as in [`crate::Fragment`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// The layer's name.
    pub name: String,
    /// With all parameters, as in sources: `pt2pt<W = 16, RTO = 20 ms>`.
    pub description: String,
    /// The short form, with stated parameters only: `pt2pt<16>`.
    pub short: String,
    /// Parameters that both peers must agree on (all except durations).
    pub wire_parameters: Vec<(String, u64)>,
    pub version: u32,
    pub provides: Vec<String>,
    pub requires: Vec<String>,
    pub breaks: Vec<String>,
    /// For each automaton among those, all automata that it extends.
    pub extends: Vec<(String, Vec<String>)>,
    /// Names of the interfaces above and below, for messages.
    pub above: Vec<String>,
    pub below: Vec<String>,
    /// The events of the interfaces above, below and of its ports, whether handled or not.
    pub events: Vec<Event>,
    pub interface: Vec<InterfaceEvent>,
    /// `port name: iface;`, in order.
    pub ports: Vec<String>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub headers: Vec<Header>,
    pub cells: Vec<StateCell>,
    pub counters: Vec<String>,
    pub timers: Vec<Timer>,
    pub handlers: Vec<Handler>,
    pub functions: Vec<Function>,
    pub filters: Vec<Filter>,
    pub externs: Vec<Extern>,
    pub accepts: Vec<Accepts>,
    pub invariants: Vec<Value>,
    pub goals: Vec<(String, Value)>,
    /// Whether it draws random numbers.
    pub random: bool,
    /// Whether it uses `pack` or `unpack`.
    pub packs: bool,
    pub span: Span,
}

/// An expression with the names in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub names: Names,
    pub value: Expr,
}

/// A cell and its initial value.
#[derive(Clone, Debug, PartialEq)]
pub struct StateCell {
    /// Without an initial value, which is `initial`.
    pub cell: Cell,
    pub initial: Option<Value>,
}

/// `accepts`: when the layer takes an event. The names are the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepts {
    pub event: EventId,
    pub condition: Value,
}

/// A reaction to an event with a header, or to a timer.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// `down.send`, `up.deliver.Data`, `on.resend`
    pub name: String,
    pub trigger: Trigger,
    /// Of the event, or the indices of the timer.
    pub parameters: Vec<HandlerParameter>,
    /// The fields of the removed header.
    pub fields: Vec<NameId>,
    pub names: Names,
    pub body: Block,
    pub span: Span,
}

/// The trigger of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Event(Reacts),
    Timer,
    /// An unknown event or timer, which was reported.
    Unknown,
}

impl Trigger {
    /// The event that it is for.
    pub fn event(self) -> Option<Reacts> {
        match self {
            Trigger::Event(reacts) => Some(reacts),
            Trigger::Timer | Trigger::Unknown => None,
        }
    }
}

/// The guard of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reacts {
    /// The side from which it comes.
    pub side: PortId,
    pub event: EventId,
    pub guard: Guard,
}

/// A parameter of a handler, and its treatment before the body.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerParameter {
    pub name: NameId,
    /// A pattern that takes it apart, or drops it.
    pub pattern: Option<Pattern>,
}

/// The handler of a timer, or of a family of timers.
#[derive(Clone, Debug, PartialEq)]
pub struct Timer {
    pub name: String,
    pub cell: CellId,
    pub path: Vec<TimerStep>,
    /// Index into [`Layer::handlers`].
    pub handler: u32,
}

/// A function of the layer or of a filter. Its first names are its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<NameId>,
    pub result: Option<Type>,
    /// Of a filter's function: none, for they are among those of the filter.
    pub names: Names,
    pub body: Block,
    pub span: Span,
}

/// A filter. Its first names are its state, then come the units.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub name: String,
    pub unit: FilterUnit,
    pub state: Vec<(NameId, Option<Expr>)>,
    pub inputs: Vec<NameId>,
    pub names: Names,
    pub body: Block,
    pub end: Block,
    pub result: Option<Expr>,
    /// Functions, expanded at their calls.
    pub functions: Vec<Function>,
    /// The most bytes by which the output exceeds the input: `n * grows.0 / grows.1 + grows.2`.
    pub grows: (u32, u32, u32),
    pub rejects: bool,
    pub span: Span,
}
