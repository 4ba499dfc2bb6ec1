//! Stack IR to Promela, for SPIN: two endpoints of one stack between automata ([`between::write_between`]). What is
//! around the endpoints ([`environment`]) is written in the same way around emitted C (`nacre-spin`).
//!
//! # What the model is
//!
//! One proctype per participant (two endpoints) and one for what the network does by itself. A step of the reference
//! (one outside event and the queue until it is empty) is one `atomic`, so the states between are those of the
//! explorer: SPIN stores [`EXTRA_STATES`] more, of which both endpoints are not open yet. Events go through one FIFO
//! queue, handlers are inlines named as in the source, a layer's state is a typedef, and so is what messages can carry.
//! Variables that mean nothing between steps are `hidden`: not part of a state.
//!
//! # What is abstract
//!
//! - **Time**: `now` is 0, durations are 0, a timer is a bit, and any armed timer may fire. A stack in which a duration
//!   decides more than when a timer fires is refused.
//! - **Messages** are values: bytes (few) and headers; nothing is shared. So what the pool refuses for want of space
//!   (`no_space`) is left out, and so are counters.
//! - **Frames** are messages too, where the network gives what it was given: that packing and parsing give the same is
//!   for other tools to show. Where it damages frames they are bytes, packed and parsed bit by bit, as is what layers
//!   pack themselves.
//! - **Random numbers** below n are 0 or n - 1, in every way, at most [`DRAWS`] in a step.
//! - **Addresses** are 0 (nowhere), 1 and 2 (the endpoints).
//!
//! - **Goals** are in a model of their own ([`between::World::goals`]), with a formula and a schedule that is fair.
//!
//! Arithmetic is exact up to 32 bits, provided that signed numbers wrap (gcc's `-fwrapv`, which `nacre-spin` gives).
//! Numbers of up to 64 bits are two words that can be copied, compared, added, shifted and masked. What cannot be
//! written is refused ([`Reason`]): C functions, multiplication and division of numbers of more than 32 bits,
//! sets of more than 64, bytes of addresses, times in what is parsed, more shapes than one byte tells apart, references
//! to entries of containers, conditions of `accepts` that are no plain expressions.
//!
//! # Limits of SPIN that shape the text
//!
//! A `d_step` has at most 2048 statements, so each handler is one and a step is an `atomic` of them; nothing in it is
//! left open once it has begun, so that what is hidden need not be restored. Inlines nest at most 16 deep; their
//! arguments are plain, because SPIN loses part of an argument with a condition in it. Single bits are not hidden. With
//! hidden variables it cannot search breadth-first. No hidden variable may be called like a global of pan.c: the two
//! would be one, without a word.

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

/// Where a piece of a layer's source stands: file, line.
pub type Sources<'a> = &'a dyn Fn(Span) -> Option<(String, u32)>;
