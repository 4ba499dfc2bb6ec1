//! Runs the tools that check models, bounded in time and memory, and parses their output.
//!
//! [`spin`] builds a verifier of a Promela model with the installed SPIN and gcc, and runs it in a temporary folder.
//! [`emitted`] writes such a model around the emitted C of a stack. [`replay`] repeats the explorer's runs in that C.

pub mod answer;
pub mod emitted;
mod environment;
mod hint;
pub mod model;
pub mod replay;
pub mod spin;

pub use hint::hint;
pub use nacre_backend_promela::report::Step;
