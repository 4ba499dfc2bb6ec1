//! Runs the tools that check models, bounded in time and memory, and reads their answers.
//!
//! [`spin`] makes a verifier of a Promela model with SPIN and gcc, both of this machine, and runs it in a folder of its
//! own that is removed afterwards. [`emitted`] makes such a model around the C that a stack is emitted as. [`replay`]
//! runs the explorer's runs again in that C.

pub mod answer;
pub mod emitted;
mod environment;
mod hint;
pub mod model;
pub mod replay;
pub mod spin;

pub use hint::hint;
pub use nacre_backend_promela::report::Step;
