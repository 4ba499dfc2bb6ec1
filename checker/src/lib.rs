//! The explorer: every run of the endpoints of one stack over a network, within bounds, shortest first.
//!
//! # What is searched
//!
//! A [`Setup`](nacre_worlds::setup::Setup) is a stack between automata ([`nacre_specification`]): one below it, the
//! network between its endpoints (usually two), and some above it, the specifications. A global state has five parts,
//! each the number of an interned value: the local states of the endpoints ([`locals`]), the state of the network, the
//! possible states of the automata above, and the consumed bounds. The reference interpreter runs a local step (one
//! event at one endpoint) once; its result is cached, so the cost of a global step does not depend on the size of the
//! stack.
//!
//! **Time does not advance**, unless a configuration states how long frames take (`space::clock`). Every step happens
//! at time 0 and any armed timer may fire at any moment, in any order that the configuration does not exclude
//! (`space::timers`). So a deadline records only whether and for how long a timer was armed, and the clock of a layer
//! is always 0: a layer whose clock affects more than timers is not covered ([`nacre_analysis::timing::leaks`] reports
//! it).
//!
//! **Nondeterminism** (random numbers and, with [`Bounds::any_order`](nacre_worlds::setup::Bounds), the order of the
//! events of a step) is explored exhaustively.

pub mod broken;
pub mod canonical;
mod counters;
pub mod coverage;
pub mod draw;
pub mod endpoints;
pub mod explore;
mod goals;
mod line;
pub mod locals;
mod memo;
pub mod monitor;
pub mod network;
mod packed;
pub mod retrace;
pub mod run;
pub mod searched;
mod shard;
pub mod show;
pub mod space;
