//! Messages of senders that are not confirmed: their addresses may be forged, so nothing of theirs is stored.

use std::collections::BTreeMap;

use nacre_runtime::ConnectionId;

/// Bytes that are kept, of each sender and of all.
const EACH: usize = 256 << 10;
const ALL: usize = 8 << 20;
/// What a message takes besides its bytes.
const HEAD: usize = std::mem::size_of::<Vec<u8>>();

/// The messages of senders that are not confirmed yet.
#[derive(Default)]
pub struct Early {
    senders: BTreeMap<ConnectionId, Kept>,
    bytes: usize,
}

#[derive(Default)]
struct Kept {
    messages: Vec<Vec<u8>>,
    bytes: usize,
}

impl Early {
    /// Keeps a message. Returns the senders of which nothing is kept any more: this one if it has sent too much, and if
    /// all have, those that have sent most.
    pub fn keep(&mut self, connection: ConnectionId, message: Vec<u8>) -> Vec<ConnectionId> {
        let kept = self.senders.entry(connection).or_default();
        let bytes = message.len() + HEAD;
        kept.messages.push(message);
        kept.bytes += bytes;
        self.bytes += bytes;
        let mut gone = vec![];
        if kept.bytes > EACH {
            gone.push(connection);
            self.take(connection);
        }
        while self.bytes > ALL {
            let Some((largest, _)) = self.senders.iter().max_by_key(|(_, kept)| kept.bytes) else { break };
            let largest = *largest;
            gone.push(largest);
            self.take(largest);
        }
        gone
    }

    /// The messages of a sender, which are no longer kept.
    pub fn take(&mut self, connection: ConnectionId) -> Vec<Vec<u8>> {
        let kept = self.senders.remove(&connection).unwrap_or_default();
        self.bytes -= kept.bytes;
        kept.messages
    }

    /// The senders.
    pub fn senders(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.senders.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forged senders that fill the space do not keep out one that sends little.
    #[test]
    fn whoever_has_sent_most_makes_room() {
        let mut early = Early::default();
        let id = |number: u64| ConnectionId::from_number(number << 24);
        let mut gone = vec![];
        for sender in 1..=40 {
            for _ in 0..4 {
                gone.extend(early.keep(id(sender), vec![0; (64 << 10) - HEAD]));
            }
        }
        assert!(!gone.is_empty() && early.bytes <= ALL);
        assert_eq!(early.bytes, ALL, "it is full");
        let first = early.keep(id(99), b"hello".to_vec());
        assert!(first.len() == 1 && first[0] != id(99), "{first:?}");
        assert_eq!(early.take(id(99)), [b"hello"]);
        assert_eq!(early.keep(id(100), vec![0; EACH]), [id(100)]);
        for sender in early.senders().collect::<Vec<_>>() {
            early.take(sender);
        }
        assert_eq!(early.bytes, 0);
        // Empty messages are not free.
        assert!((0..EACH).any(|_| !early.keep(id(1), vec![]).is_empty()));
    }
}
