//! Dataflow over the stack IR: what can be known of the values, the paths and the effects of code without running it.
//!
//! An analysis chooses what it tracks (a [`Lattice`]) and how far it looks:
//!
//! - [`flow`]: within one body and in the order of its statements, forward from its beginning or backward from its end;
//! - [`values`]: over the whole stack and in no order: one value for each cell, local, result and header field, raised
//!   until nothing changes;
//! - [`control`]: which statements run or not depending on a condition.
//!
//! [`linear`] (each message is consumed once), [`timing`] (where times go) and [`random`] (which random numbers can be
//! told apart) are such analyses; others stand with their only client.

#![warn(missing_docs)]

pub mod control;
pub mod flow;
mod lattice;
pub mod linear;
pub mod random;
pub mod timing;
pub mod values;

pub use lattice::{Lattice, Max, Stride};
