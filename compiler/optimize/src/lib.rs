//! Passes over the stack IR, one a file.

pub mod calls;
mod reach;
mod sites;
