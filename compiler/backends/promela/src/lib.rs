//! Stack IR to Promela, for SPIN: two endpoints of one stack between automata ([`between::write_between`]). Emitted C
//! has the same environment ([`environment`]) in `nacre-spin`.
//!
//! # Structure of the model
//!
//! One proctype per participant (two endpoints) and one for the network's internal transitions. A step of the reference
//! (one outside event and the queue until it is empty) is one `atomic`, so the states between steps are those of the
//! explorer. SPIN stores [`EXTRA_STATES`] more, in which not both endpoints are open. Events go through one FIFO
//! queue, handlers are inlines named as in the source, and a layer's state and a message are typedefs.
//! Variables that are used only within a step are `hidden`: not part of a state.
//!
//! # Abstractions
//!
//! - **Time**: `now` is 0, durations are 0, a timer is a bit, and any armed timer may fire. A stack in which a duration
//!   affects more than when a timer fires is refused.
//! - **Messages** are values: a few bytes and headers; nothing is shared. So the model has no refusals for lack of
//!   space (`no_space`), and no counters.
//! - **Frames** are messages too, if the network delivers them unchanged: other tools check that parsing inverts
//!   packing. If the network damages frames, they are bytes, packed and parsed bit by bit, as are messages that layers
//!   pack themselves.
//! - **Random numbers** below n are 0 or n - 1, in every combination, at most [`DRAWS`] in a step.
//! - **Addresses** are 0 (none), 1 and 2 (the endpoints).
//! - **Goals** have a separate model ([`between::World::goals`]), with a formula and a fair schedule.
//!
//! Arithmetic is exact up to 32 bits, provided that signed numbers wrap (gcc's `-fwrapv`, which `nacre-spin` passes).
//! Numbers of up to 64 bits are two words that can be copied, compared, added, shifted and masked. Other constructs
//! are refused ([`Reason`]): C functions, multiplication and division of numbers of more than 32 bits, sets of more
//! than 64, bytes of addresses, times in parsed frames, more shapes than one byte can number, references to entries of
//! containers, conditions of `accepts` that are not plain expressions.
//!
//! # Limits of SPIN that shape the text
//!
//! A `d_step` has at most 2048 statements, so each handler is one and a step is an `atomic` of them. A step makes no
//! choices after it has begun, so hidden variables need not be restored. Inlines nest at most 16 deep; their
//! arguments are plain, because SPIN loses part of an argument that contains a condition. Single bits are not hidden.
//! With hidden variables SPIN cannot search breadth-first. A hidden variable must not have the name of a global of
//! pan.c: the two would silently be one variable.

pub mod alone;
pub mod automata;
pub mod between;
mod bytes;
mod containers;
mod dispatch;
pub mod effects;
mod emitted;
pub mod environment;
pub mod erase;
mod expressions;
mod fairness;
mod filters;
mod frames;
mod layouts;
mod loops;
mod messages;
mod model;
pub mod monitors;
mod moves;
mod names;
mod numbers;
mod operations;
mod places;
mod process;
pub mod refusal;
pub mod report;
mod scalars;
mod statements;
pub mod term;
mod typedefs;
mod types;
mod uses;
mod wide;
mod windows;
pub mod world;
mod writer;

use nacre_stack::Span;

pub use refusal::{Reason, Refusal};

/// States that SPIN stores besides those of the explorer.
pub const EXTRA_STATES: u64 = 2;
/// Random numbers that one step can draw.
pub const DRAWS: u32 = 3;

/// Returns the file and line of a span.
pub type Sources<'a> = &'a dyn Fn(Span) -> Option<(String, u32)>;
