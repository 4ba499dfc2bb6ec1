//! Crash, restart, strangers and stale frames: bounded runs of two hosts, each with the runtime's own router core
//! ([`nacre_runtime::sans_io`]) and an emitted stack.
//!
//! The network is the most general one: each datagram that was ever sent may arrive at any later time (within its
//! lifetime), several times, or never. A host may lose its state at any moment and start again at the same address,
//! also with another stack; it may move to another address; its clock may be late; and a stranger sends copies of what
//! it saw. What happens is a sequence of [choices](Choice). A run is repeated from its start for each sequence, since
//! emitted state is not copied. After the choices of a run the network loses nothing any more, and everything settles.
//!
//! [`Rule`] lists what a run must keep. Rules about the arrival of messages apply as far as the specification of
//! the stack promises it ([`Service`]); the others apply to every stack that identifies its connections.
//!
//! [`search`] makes every run of a few choices, and longer random ones; it shrinks the first that violates a rule.
//! [`chart`] draws it.

mod bounds;
mod choice;
mod draw;
mod events;
mod half;
mod host;
mod looked;
mod message;
mod names;
mod plan;
mod rule;
mod search;
mod service;
mod settle;
mod subject;
mod trace;
mod world;

pub use bounds::Bounds;
pub use choice::Choice;
pub use draw::chart;
pub use looked::Looked;
pub use rule::{Broken, Rule};
pub use search::{repeat, search, Searched, Verdict, Violation};
pub use service::Service;
pub use subject::Subject;
