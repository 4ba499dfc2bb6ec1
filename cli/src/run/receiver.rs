//! What a receiver knows of its senders and their files.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use nacre_runtime::ConnectionId;

use super::doorkeeper::Doorkeeper;
use super::early::Early;
use super::framing::Sum;
use super::incoming::{Entry, Incoming};
use super::line::Line;
use super::partial::Stored;
use super::store::Store;
use super::storing::Job;
use crate::args::Receive;
use crate::console::Limited;

/// A file of which everything has come.
pub struct Storing {
    pub connection: ConnectionId,
    pub entry: Entry,
    /// The sum that the sender states.
    pub other_sum: Sum,
    pub job: Job<(Stored, Sum)>,
}

/// A receiver, and all that its senders have begun.
pub struct Receiver<'r> {
    pub args: &'r Receive,
    pub line: Line,
    pub doorkeeper: Doorkeeper<'r>,
    pub store: Store,
    pub incoming: HashMap<ConnectionId, Incoming>,
    /// Senders with answers that the stack has not accepted, or with files that are being read.
    pub waiting: HashSet<ConnectionId>,
    pub storing: Vec<Storing>,
    pub early: Early,
    pub looked: Instant,
    pub worked: Instant,
    /// Whom was told why its files are not taken; they have not closed yet.
    pub told: HashSet<ConnectionId>,
    pub words: Limited,
}
