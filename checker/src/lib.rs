//! The explorer: every run of two endpoints of one stack over a faulty network, within bounds, shortest first.
//!
//! A [`World`](world::World) is one global state: two machines of the reference interpreter, the frames in flight, and
//! what the application and the network still may do. [`search`](search::search) visits the states breadth-first, so that
//! the run to the first violation is a shortest one; [`replay`](search::replay) runs its actions again.
//!
//! **Time stands still.** Every step happens at time 0 and any armed timer may fire at any moment, in any order. So a
//! deadline says only whether and for how long a timer was armed, and what a layer reads from the clock is always 0: a
//! layer whose clock reaches more than timers is not covered ([`nacre_stack::timing::leaks`] tells).
//!
//! **Events of one step** are handled in the reference's order only; other schedules are not searched.

pub mod search;
pub mod world;
