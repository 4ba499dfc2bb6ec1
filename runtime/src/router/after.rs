//! What waits until a step is over.

use crate::error::Reason;
use crate::event::ConnectionId;

/// What is done when outputs are no longer lent, because it discards.
pub(crate) enum After {
    Confirmed(ConnectionId),
    Ended(ConnectionId, Reason),
}
