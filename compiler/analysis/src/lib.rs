//! Dataflow over the stack IR: static facts about the values, paths and effects of code.
//!
//! An analysis chooses its [`Lattice`] and its scope:
//!
//! - [`flow`]: within one body and in the order of its statements, forward from its beginning or backward from its end;
//! - [`values`]: over the whole stack, flow-insensitive: one value for each cell, local, result and header field,
//!   raised to a fixed point;
//! - [`control`]: which statements run or not depending on a condition.
//!
//! [`linear`] (each message is consumed once), [`timing`] (the uses of times), [`delays`] (how long timers wait) and
//! [`random`] (which random numbers a stack distinguishes) are such analyses; others are defined in the crate of their
//! only client. [`lengths`] reads the longest message of each call from its conditions, [`quick`] what leaves by a
//! bypass, [`remainders`] the table of a filter that calculates a CRC.

#![warn(missing_docs)]

pub mod constants;
pub mod control;
pub mod delays;
pub mod flow;
pub mod idle;
mod lattice;
pub mod lengths;
pub mod linear;
pub mod quick;
pub mod random;
pub mod remainders;
pub mod timing;
pub mod values;

pub use lattice::{Lattice, Max, Stride};
