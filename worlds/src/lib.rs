//! Bounded worlds, which every engine searches: the subject, the automata around it, and the bounds.
//!
//! [`world`] makes one of a source, a configuration and the command line; [`setup`] is the input of the engines;
//! [`values`] says what automata see of an event.

pub mod calls;
mod forgery;
mod idle;
pub mod initial;
pub mod reading;
mod refusal;
mod runnable;
pub mod setup;
mod stacks;
pub mod timing;
pub mod values;
pub mod world;
