//! The event that the application has: what is known of it until it is lent, and while it is.

use crate::event::{ConnectionId, Head};

/// The loan of the last event to the application.
#[derive(Default)]
pub(super) struct HandedOut {
    /// The event between `next_event` and `lend`, without its message; none of a quick delivery.
    pub(super) head: Option<Head>,
    /// Its message, if it was copied.
    pub(super) message: Vec<u8>,
    /// The connection that delivered it, if its stack wants to know what was taken.
    pub(super) by: Option<ConnectionId>,
    /// What is known of the last message that a quick entry has delivered.
    pub(super) quick: Delivery,
}

/// What is known of a message besides its connection.
#[derive(Clone, Copy, Default)]
pub(super) struct Delivery {
    /// Its sender receives frames at the peer's address.
    pub(super) is_proven: bool,
    /// The stack wants to know when it was taken.
    pub(super) counts: bool,
}

/// Where the message of an event that was found is.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    /// It was copied.
    Copied,
    /// In the output with this index of the active step.
    Output(usize),
    /// A quick entry has delivered it.
    Quick { connection: ConnectionId, is_proven: bool },
}
