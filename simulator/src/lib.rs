//! A seeded network, clock and faults around stacks that run in the interpreter or in C of any level.
//!
//! A seed determines a run. A [`World`](world::World) holds endpoints, a network and one clock; a [`Plan`](run::Plan)
//! states the messages and the checks; [`run::run`] runs it. [`shrink::shrink`] shrinks a failing run, and
//! [`chart::chart`] draws it. [`Lockstep`](lockstep::Lockstep) runs several machines as one and reports differences.

pub mod chart;
pub mod checks;
pub mod compiled;
pub mod decode;
pub mod endpoint;
pub mod interface;
pub mod interpreter;
pub mod lockstep;
pub mod network;
pub mod random;
pub mod run;
pub mod shrink;
pub mod toolchain;
pub mod workload;
pub mod world;
