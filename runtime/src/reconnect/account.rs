//! What is known of the messages of one connection.

use crate::stack::Stack;

/// What is known of the messages that a lost connection had accepted: the first `reached` of them were taken by the
/// peer's application, and of the others nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    pub accepted: u64,
    /// None: the stack has no receipts.
    pub reached: Option<u64>,
}

impl Lost {
    /// How many messages may or may not have reached the peer's application.
    pub fn unknown(&self) -> u64 {
        self.accepted - self.reached.unwrap_or(0).min(self.accepted)
    }
}

/// Counts the messages of one connection after the other.
#[derive(Clone, Debug)]
pub struct Account {
    /// The index of the event `reached`, with one number.
    event: Option<u16>,
    /// The index of the event that sends a message.
    send: Option<u16>,
    lost: Lost,
}

impl Account {
    /// Counts for connections of a stack. One with receipts has an event `reached` with the number of messages that
    /// the peer's application has taken.
    pub fn new(stack: &Stack) -> Account {
        let is_report = |(_, event): &(u16, &crate::stack::EventInfo)| {
            !event.input && event.port != 0 && event.name == "reached" && event.arguments == 1
        };
        let event = (0u16..).zip(stack.events()).find(is_report).map(|(at, _)| at);
        Account { event, send: stack.known().send, lost: Lost { accepted: 0, reached: event.map(|_| 0) } }
    }

    /// A message was accepted.
    pub fn note_accepted(&mut self) {
        self.lost.accepted += 1;
    }

    /// The stack has taken a call of an event, by its index.
    pub fn note_call(&mut self, event: u16) {
        if Some(event) == self.send {
            self.note_accepted();
        }
    }

    /// An event of the stack, by its index and its numbers.
    pub fn note_event(&mut self, event: u16, arguments: [u64; 4]) {
        if Some(event) == self.event {
            self.lost.reached = Some(arguments[0]);
        }
    }

    /// What is known now.
    pub fn lost(&self) -> Lost {
        self.lost
    }

    /// The next connection begins with nothing.
    pub fn restart(&mut self) {
        self.lost = Lost { accepted: 0, reached: self.event.map(|_| 0) };
    }
}
