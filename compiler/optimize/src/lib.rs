//! Passes over the stack IR, one a file.

pub mod calls;
pub mod inline;
mod reach;
mod sites;
