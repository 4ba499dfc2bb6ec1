//! Remembers how connections ended, for calls that ask when the event has been taken.

use crate::error::Reason;
use crate::event::ConnectionId;
use std::collections::VecDeque;

/// So many ends are remembered.
const REMEMBERED: usize = 1024;

/// The ends of the last connections.
#[derive(Default)]
pub(crate) struct Ends(VecDeque<(ConnectionId, Reason)>);

impl Ends {
    pub(crate) fn note(&mut self, id: ConnectionId, reason: Reason) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((id, reason));
    }

    /// How a connection ended; None if it has not, or long ago.
    pub(crate) fn of(&self, id: ConnectionId) -> Option<Reason> {
        self.0.iter().rev().find(|(ended, _)| *ended == id).map(|(_, reason)| *reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ends_are_remembered() {
        let mut ends = Ends::default();
        let id = |serial: u64| ConnectionId::new(serial, 1);
        (0..=REMEMBERED as u64).for_each(|serial| ends.note(id(serial), Reason::Timeout));
        ends.note(id(REMEMBERED as u64 + 1), Reason::Closed);
        assert_eq!(ends.of(id(1)), None);
        assert_eq!(ends.of(id(2)), Some(Reason::Timeout));
        assert_eq!(ends.of(id(REMEMBERED as u64 + 1)), Some(Reason::Closed));
        assert_eq!(ends.of(id(REMEMBERED as u64 + 2)), None);
    }
}
