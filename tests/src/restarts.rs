//! Crash, restart, strangers and stale frames: a bounded world in which two hosts run the runtime's own router core with
//! an emitted stack.
//!
//! The network is the most general one: each datagram that was ever sent may arrive at any later time, several times,
//! or never. A host may lose its state at any moment and start again at the same address. What happens is a sequence of
//! choices ([`choices`]); a run is repeated from its start for each sequence, since emitted state is not copied.
//!
//! A connection of the client, and what belongs to it:
//! - a connection of the server delivers messages of one connection of one life of the client, from the first on, in
//!   order and each once; no two connections of one life of the server deliver messages of the same one;
//! - the same holds for what the server sends;
//! - a connection that was begun by a copy of a frame from another address does not remain;
//! - the end of a connection is reported exactly once, and no event follows it.
//!
//! When the network works again (`World::settle`): no connection remains without the other half; all that was sent on
//! a connection that remains has arrived; and the client can reach the server.

pub mod choices;
mod half;
mod search;
mod world;

pub use search::{exhaust, sample, Violation};
