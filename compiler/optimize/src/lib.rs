//! Passes over the stack IR, one a file.

pub mod calls;
pub mod inline;
pub mod pass_over;
mod reach;
pub mod release_low;
mod sites;
