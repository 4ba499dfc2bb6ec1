//! The common paths of a stack: what one event from outside does in all layers, and under which condition.
//!
//! Layers handle an event one after the other. On a *path* each branch goes one way, so what all layers do is a
//! sequence without branches, under one condition: the conjunction of those of the branches, in terms of the state
//! before the event (its *predicate*). Ensemble calls it a common case predicate (Liu et al. 1999, 4.1.2); a bypass is
//! made of both. The author of a layer marks nothing for it, except for branches that are `likely` or `unlikely`.
//!
//! A path is found by symbolic execution of the composed stack IR under a guide ([`nacre_symbolic::guide`]), from the
//! entry of the event until no event remains. [`paths`] finds all that are common by rules; a way that an event has
//! taken in a run ([`nacre_stack::Way`]) leads to one path, however unlikely its branches seem.

mod claims;
mod express;
mod known;
mod opening;
pub mod path;
mod search;
pub mod show;
mod step;
mod synthesize;

pub use claims::{claims, claims_of_ways, Claims, Decide, What};
pub use path::{Form, Output, Path, Refusal};
pub use search::{paths, MOST};
pub use synthesize::{add_bypasses, add_bypasses_of, bypass, Made};
