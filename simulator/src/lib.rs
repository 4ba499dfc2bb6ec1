//! A seeded network, clock and faults around stacks, whatever runs them: the interpreter, or C of any level.
//!
//! One seed is one run. A [`World`](world::World) holds endpoints, a network and one clock; a [`Plan`](run::Plan) says
//! which messages go over it and what is checked; [`run::run`] runs it; what fails is made small by [`shrink::shrink`]
//! and drawn by [`chart::chart`]. [`Lockstep`](lockstep::Lockstep) runs several machines as one and tells where they
//! differ.

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
