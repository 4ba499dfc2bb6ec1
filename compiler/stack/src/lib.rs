//! The stack IR: a whole stack of layers as data, from which everything else is made.
//!
//! # What it means
//!
//! A [`Stack`] is a graph of [`Layer`]s between [`Port`]s, most often a row. A [`Link`] joins a layer with a layer or
//! a port above or below it; nothing else makes neighbours of two layers. A layer is a function from its state and
//! one event to new state and emitted events. What it may do is written down in [`Handler`]s, one for each (event,
//! header variant) that can reach it; `compose` has already made the handlers that only pass an event on, so there is
//! no default behaviour left to know about.
//!
//! **A step** is one event from outside and all that it causes. Outside events are: opening ([`Entry::Open`]), a call
//! at a port, a frame, one timer, one `later` event. The event is put into one FIFO queue; while the queue is not
//! empty, its head is taken and the one handler that [`Stack::reaction`] names runs to its end; its emissions are
//! appended in program order *when it has ended*. Emissions whose target is a [`Target::Port`] are outputs, in order.
//! `later` emissions go to a ring of their own, each a step of its own before any other outside event. Observable
//! are, each as a sequence: frames, deliveries and other outputs per port, and the deadlines; not how these
//! interleave.
//!
//! **Values.** Expressions are pure and total; they have no effect and cannot fail. Code that has an effect or can fail
//! is a [`Statement`]. Arithmetic wraps in the width of its type; [`Type::Seq`] compares by signed distance;
//! [`Type::Range`] values never leave their range (a conversion into one is an [`StatementKind::Fit`], which can fail).
//! Evaluation is left to right; `&&` and `||` are short (but pure, so it cannot be seen).
//!
//! **Messages** are linear values: a list of headers and a string of bytes. A local of a type that contains
//! [`Type::Msg`] is moved by use and must be consumed exactly once on each path: emitted, stored, dropped, or given
//! to a function. `Share` makes a second one with the same (immutable) bytes. Within layer k a message carries the
//! headers of the layers above k only: a handler for a header variant receives the fields as locals, the header being
//! popped already; [`ExprKind::Push`] puts one of this layer's on, and must be the last thing before the emission
//! downward. Each layer has at most one header on a message.
//!
//! **Storing** a message into a cell keeps its bytes in the pool, unless they are there already. Bytes that entered
//! with the outside event are copied into the pool at most once a step, as a whole; slices and shares of them then
//! refer to the same blocks. What `Pack`, a filter or an extern gives is one new string of bytes, copied each time
//! that it is stored; and so is what `Join` made of several pieces, as long as it still is in several. [`Need`] says
//! how many fresh blocks a step can take at the most; it begins only when the pool has them. Overwriting, clearing or
//! removing what holds a message drops it; what holds a timer is stopped.
//!
//! **Bounds.** Loops carry a bound: when it is reached the loop ends and [`builtin::BOUND`] is counted (the interpreter
//! reports it). [`StatementKind::Unreachable`] likewise counts. Nothing traps.
//!
//! **Scopes** ([`Scope`]): session cells are per connection; shared ones per instance of the layer; lasting outlive a
//! view; given ones are set at opening and never change; counters are not behaviour and are never compared.
//!
//! **Sessions.** A layer may have several ([`Layer::sessions`]): then each of its session and lasting cells exists once
//! for each, and what reaches it names one, as the parameter [`Event::session`] of the type `0 .. n`. Its code runs in
//! that session. Opening puts its events in once for each session that they can name.
//!
//! **Contexts** ([`Context`]) own what the host keeps for a peer or a group: cookie, address of the peer, room on the
//! way, predictions. Address and room are session cells: the host gives their first values ([`Cell::is_configured`]),
//! and events change them ([`EventRole::Moved`], [`EventRole::Room`]). **Derived** cells equal their `initial` at any
//! time: they are no state, are not compared, and may be read only.
//!
//! **Boundaries.** Opening evaluates the cells' initial values (after what is drawn at random for them), in order,
//! and then puts every input of port 0 whose event has the role [`EventRole::Opening`] into the queue. A frame
//! becomes the event of the first input of port 0 that has a message: its parameter of type Addr is where the frame
//! came from, other parameters are zero. An emission to port 0 with a message becomes a frame of the shape with the
//! same headers and data flag (and event, where several fit). A call names its event by the index in
//! [`Stack::interface`]; it is checked in this order: invalid, busy, refused, no space.
//!
//! An event for which a lower port has a [`Turn`] comes back: where it is emitted, the event that it turns into is
//! emitted instead, or as well.
//!
//! **Bypasses** ([`Bypass`]) are a second form of common steps, without queue and handlers. They add no meaning: where
//! the condition of one holds, it leaves the state and the outputs that the handlers leave. A part of the condition may
//! be asked after an [`Opening`], code without effects that takes a message apart.
//!
//! **A view** begins anew what belongs to the session: it drops what is in those cells, takes the givens and initial
//! values again and puts in what opening puts in. What lasts, what is shared and the generators stay.
//!
//! **Data and control.** What enters with a call is data; on a frame the shape says it. Slices and packed messages
//! inherit it from their message; what a filter or an extern makes inherits it from its operand if that is a message,
//! a [`ExprKind::View`] or a [`ExprKind::PackView`] of one; `Join` takes it from `last`; everything else is control,
//! also what is made of several messages.
//!
//! **Nodes.** Statements and expressions have a number ([`NodeId`], see [`number`]) and the span of the syntax that
//! they were lowered from; neither has a meaning. Code traverses the IR with [`visit`].
//!
//! **Consumers.** The interpreter (`interpret`) is the reference. The C back end, explorer and symbolic executor must
//! equal it.

use serde::{Deserialize, Serialize};

pub use nacre_diagnostics::Span;

/// A stack, composed and closed: nothing outside it is referred to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stack {
    /// A C identifier; prefix of everything that is emitted.
    pub name: String,
    /// As the user wrote it, parameters filled in: `frag<1400> / pt2pt<16> / floor`, top first.
    pub description: String,
    /// Each stands after those below it.
    pub layers: Vec<Layer>,
    /// Who is whose neighbour.
    pub links: Vec<Link>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub events: Vec<Event>,
    pub headers: Vec<Header>,
    pub cells: Vec<Cell>,
    /// The first are those of [`builtin`], in its order; then those that layers declare.
    pub counters: Vec<Counter>,
    pub timers: Vec<Timer>,
    pub handlers: Vec<Handler>,
    pub functions: Vec<Function>,
    pub filters: Vec<Filter>,
    pub externs: Vec<Extern>,
    /// Port 0 is the lower boundary (frames), port 1 the upper; then `port`s that layers declare, from the lowest.
    pub ports: Vec<Port>,
    /// What the host finds by frames; none: the connection is the whole stack.
    #[serde(default)]
    pub contexts: Vec<Context>,
    /// Layout 0 is that of frames; then one for each boundary at which a layer says `pack` or `unpack`.
    pub layouts: Vec<Layout>,
    /// Of the level that has some: the first of an event whose condition holds runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bypasses: Vec<Bypass>,
    pub bounds: Bounds,
}

/// One instance of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// Unique in the stack: the layer's name, with a number where it occurs again (`sequencer`, `sequencer_2`).
    pub name: String,
    /// With parameters, as shown to a person: `pt2pt<W = 16, RTO = 20 ms>`.
    pub description: String,
    pub version: u32,
    /// How often its session state exists; see [`MOST_SESSIONS`].
    pub sessions: u32,
    /// Every (event, variant) that can reach the layer, and what handles it.
    pub reactions: Vec<Reaction>,
    /// `invariant`s; true between steps. Over cells of this layer only.
    pub invariants: Vec<Expr>,
    /// `goal`s: conditions that hold infinitely often in fair runs. Over cells of this layer only; no step depends on
    /// them.
    pub goals: Vec<Goal>,
    /// Cells of which the layer may draw random numbers: 8 bytes of state, if it uses `random`.
    pub random: Option<CellId>,
    pub span: Span,
}

/// A condition that a layer must be able to reach from every state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    pub name: String,
    pub holds: Expr,
}

/// What a layer does with an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reaction {
    pub event: EventId,
    /// When the layer takes the event from another layer. A port has conditions of its own
    /// ([`PortInput::admissions`]).
    pub accepts: Option<Admission>,
    /// Tried in order; the first whose guard fits runs. `compose` has checked that one always does, for events that
    /// can occur.
    pub arms: Vec<Arm>,
}

/// One alternative of a reaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    pub guard: Guard,
    pub handler: HandlerId,
}

/// What a handler asks of the message, as it reaches the layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The link over which the event must come; none: over any.
    pub link: Option<LinkId>,
    /// The header of this layer that must be on it (it is popped); none: it must carry no header of this layer.
    pub header: Option<HeaderId>,
    /// Only messages that entered at a port of the stack (not those that layers made).
    pub data: bool,
}

/// The code for one event with one header variant, or for a timer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    /// `pt2pt.down.send`, `pt2pt.up.deliver.Data`, `pt2pt.on.resend`.
    pub name: String,
    pub layer: LayerId,
    /// None for a timer's.
    pub event: Option<EventId>,
    /// One local for each parameter of the event (or index of the timer), assigned before the body.
    pub parameters: Vec<LocalId>,
    /// One local for each field of the popped header (those that the body does not name have one too).
    pub fields: Vec<LocalId>,
    pub locals: Vec<Local>,
    pub body: Block,
    /// Made by `compose`: hands the event on unchanged.
    pub passes: bool,
    pub span: Span,
}

/// A function of a layer; it can take places as `ref` parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// `pt2pt.acknowledged`.
    pub name: String,
    pub layer: LayerId,
    pub parameters: Vec<LocalId>,
    pub result: Option<Type>,
    pub locals: Vec<Local>,
    pub body: Block,
    pub span: Span,
}

/// A manipulation of bytes, a byte or a little-endian 32-bit word at a time (a last partial word is padded with zeros).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    pub name: String,
    pub state: Vec<Local>,
    pub unit: FilterUnit,
    /// Locals: the first `state.len()` are the state (kept between units), then the units, then temporaries.
    pub locals: Vec<Local>,
    /// The local that takes a unit of each string of bytes that is read. One string is given as bytes, several as a
    /// tuple of bytes; they are read side by side as far as the longest, with zeros behind the end of the others.
    pub inputs: Vec<LocalId>,
    /// Initial values of the state, in order; none: zero.
    pub initial: Vec<Option<Expr>>,
    pub body: Block,
    pub end: Block,
    /// What it gives; none: the bytes that it yielded, as a message.
    pub result: Option<Expr>,
    pub functions: Vec<FunctionId>,
    /// At most this many bytes more than it read: `grows_num * n / grows_den + grows_add`.
    pub grows: (u32, u32, u32),
    pub rejects: bool,
    pub span: Span,
}

/// What a filter reads at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FilterUnit {
    Byte,
    Word,
}

/// A function in C: total, without state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extern {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub result: Option<Type>,
    pub pure_: bool,
    pub inverse_of: Option<String>,
    /// Of an inverse: the function whose result it takes in place of the first argument of the other one. What the
    /// other one makes of a message shows the message.
    pub through: Option<String>,
    /// The maximum number of bytes by which a message result exceeds the message argument.
    pub grows: u32,
    pub shrinks: u32,
    /// Exclusive upper bound of the result, if stated.
    pub range: Option<u64>,
    /// The C body; none: the host supplies the symbol.
    pub body: Option<String>,
    pub span: Span,
}

/// Static bounds of a step, and of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// The most events that wait at once in a step, whether they wait in one queue or calls overtake some of them.
    pub queue: u32,
    /// `later` events of one step.
    pub later: u32,
    /// Outputs of one step, all ports.
    pub outputs: u32,
    /// Segments of all outputs of one step.
    pub segments: u32,
    /// Bytes of headers and of made messages of one step, besides kept ones.
    pub scratch: u32,
    /// Pieces of messages that one step joins, or cuts out of joined ones.
    pub pieces: u32,
    /// Size of a pool block in bytes.
    pub block: u32,
    /// Blocks of a pool in which one session is never refused a step for lack of room.
    pub blocks: u32,
    /// Longest data in a frame that is accepted.
    pub frame_data: u32,
    /// Needs of opening, of timers and of `later` steps.
    pub open: Need,
    pub timer: Need,
}

mod access;
mod boundary;
mod bypasses;
mod capabilities;
mod code;
mod contexts;
mod entries;
mod exchange;
mod expressions;
mod growth;
mod headers;
mod ids;
pub mod interpret;
mod links;
pub mod models;
mod neighbours;
mod nodes;
pub mod normal;
mod openings;
pub mod operations;
pub mod payload;
mod prefix;
mod questions;
mod sessions;
mod state;
mod text;
mod types;
mod validate;
pub mod visit;
pub mod words_of_c;

pub use access::*;
pub use boundary::*;
pub use bypasses::*;
pub use capabilities::{can_be_element, Capabilities};
pub use code::*;
pub use contexts::*;
pub use expressions::*;
pub use headers::*;
pub use ids::*;
pub use links::*;
pub use nodes::{number, FillSpans};
pub use openings::Opening;
pub use prefix::why_no_prefix;
pub use questions::{Access, Control, Reaches};
pub use sessions::MOST_SESSIONS;
pub use state::*;
pub use text::{print, print_with_spans, read, ReadError};
pub use types::*;
pub use validate::{validate, Problem};
#[doc(hidden)]
pub mod samples;
