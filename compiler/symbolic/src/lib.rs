//! Symbolic execution of the stack IR: the code of a handler becomes terms over its state, event and message, and a
//! claim about them a problem in SMT-LIB.
//!
//! It is another interpreter ([`nacre_stack::interpret`] is the reference): on constants it calculates what that one
//! calculates, which the tests compare. What it has no terms for is [`Unsupported`], and no claim is made about code
//! that contains it.
//!
//! # Encoding
//!
//! - Numbers are bit vectors in the width of their type; those without a width (ranges, enums, times) have 64 bits.
//!   Sets and bytes are bit vectors, addresses have 160 bits.
//! - A message is a name of its bytes (32 bits: equal names, equal bytes) with a header for each layer above. Length,
//!   slices, joins, packing and filters are uninterpreted functions of the names. Nothing else is known about bytes.
//! - A window has its four numbers, a bit for each entry that is there (bit i: `low + i`) and an array for each part
//!   of an entry, by number modulo capacity. A ring or list has a start, a length and the same arrays.
//! - Both sides of a branch run, each under its condition; the state after it chooses. A loop that may run more often
//!   than [`execute::UNROLLED`] times is cut: see [`execute`]. Under a [`guide::Guide`] only one side of each branch
//!   runs, and its condition is known from then on.

mod bytes;
mod calls;
mod changes;
pub mod claims;
pub mod constants;
pub mod execute;
mod expressions;
mod follow;
pub mod guide;
mod loops;
mod methods;
mod operators;
mod places;
mod queries;
pub mod record;
mod recording;
pub mod state;
mod straight;
pub mod terms;
mod timers;
pub mod values;

/// Why code or a type has no terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The construct.
    pub what: String,
}

impl Unsupported {
    pub(crate) fn new(what: String) -> Unsupported {
        Unsupported { what }
    }
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}
