//! Messages of senders that are not confirmed: their addresses may be forged, so nothing of theirs is stored.

use std::collections::BTreeMap;

use nacre_runtime::ConnectionId;

/// Bytes that are kept, of each sender and of all.
const EACH: usize = 256 << 10;
const ALL: usize = 8 << 20;

/// The messages of senders that are not confirmed yet.
#[derive(Default)]
pub struct Early {
    messages: BTreeMap<ConnectionId, Vec<Vec<u8>>>,
    bytes: usize,
}

impl Early {
    /// Keeps a message; returns whether there is room.
    pub fn keep(&mut self, connection: ConnectionId, message: Vec<u8>) -> bool {
        let kept = self.messages.entry(connection).or_default();
        let bytes = message.len() + kept.iter().map(Vec::len).sum::<usize>();
        if bytes > EACH || self.bytes + message.len() > ALL {
            self.take(connection);
            return false;
        }
        self.bytes += message.len();
        kept.push(message);
        true
    }

    /// The messages of a sender, which are no longer kept.
    pub fn take(&mut self, connection: ConnectionId) -> Vec<Vec<u8>> {
        let messages = self.messages.remove(&connection).unwrap_or_default();
        self.bytes -= messages.iter().map(Vec::len).sum::<usize>();
        messages
    }

    /// The senders.
    pub fn senders(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.messages.keys().copied()
    }
}
