//! Work that waits until a step is over.

use crate::error::Reason;
use crate::event::ConnectionId;

/// Work that discards instances, and so waits until outputs are no longer lent.
pub(crate) enum After {
    Confirmed(ConnectionId),
    Ended(ConnectionId, Reason),
    /// It makes room for another.
    Evicted(ConnectionId),
}
