//! Properties of a stack that its host relies on, and the checks of a run for them.

use std::fmt;
use std::str::FromStr;

/// A property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Every message arrives, and `close` completes.
    Complete,
    /// No message arrives twice.
    Once,
    /// Messages arrive in the order in which they were sent.
    Order,
    /// Every message that arrives was sent.
    Intact,
    /// Nothing arrives after `closed`.
    Quiet,
    /// No assertion, bound or invariant is violated, and machines in lockstep agree.
    Unbroken,
    /// All message blocks are free after an orderly close.
    Space,
}

const NAMES: [(Check, &str); 7] = [
    (Check::Complete, "complete"),
    (Check::Once, "once"),
    (Check::Order, "order"),
    (Check::Intact, "intact"),
    (Check::Quiet, "quiet"),
    (Check::Unbroken, "unbroken"),
    (Check::Space, "space"),
];

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(check, _)| check == self).map_or("", |(_, name)| name))
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(text: &str) -> Result<Check, String> {
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(check, _)| *check);
        known.ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
            format!("there is no property `{text}`; known are: {}", names.join(", "))
        })
    }
}

/// All properties: those of a reliable stack.
pub fn all() -> Vec<Check> {
    NAMES.iter().map(|(check, _)| *check).collect()
}

/// A violated property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub check: Check,
    pub text: String,
    /// Nanoseconds since the run began.
    pub time: u64,
}

/// The messages of one direction: those sent, and which of them have arrived.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    sent: Vec<(u32, Vec<u8>)>,
    arrived: Vec<bool>,
    /// The index of the next expected message.
    next: usize,
    pub count: usize,
}

impl Ledger {
    /// Returns whether such a message was sent and has not arrived.
    pub fn expects(&self, message: &[u8]) -> bool {
        self.sent.iter().zip(&self.arrived).any(|((_, sent), arrived)| !arrived && sent == message)
    }

    /// Returns whether such a message was sent.
    pub fn knows(&self, message: &[u8]) -> bool {
        self.sent.iter().any(|(_, sent)| sent == message)
    }

    /// Records a message that was sent.
    pub fn sent(&mut self, number: u32, message: Vec<u8>) {
        self.sent.push((number, message));
        self.arrived.push(false);
    }

    /// Removes the message that was recorded last: it was not accepted.
    pub fn withdrawn(&mut self) {
        self.sent.pop();
        self.arrived.pop();
    }

    /// Returns whether every message that was sent has arrived.
    pub fn is_complete(&self) -> bool {
        self.arrived.iter().all(|arrived| *arrived)
    }

    /// Returns the number of the first message that has not arrived.
    pub fn missing(&self) -> Option<u32> {
        let at = self.arrived.iter().position(|arrived| !arrived)?;
        Some(self.sent[at].0)
    }

    /// Records a delivery; returns the property that it violates, if any.
    pub fn deliver(&mut self, message: &[u8]) -> Option<(Check, String)> {
        self.count += 1;
        let same = |at: &usize| self.sent[*at].1 == message;
        let due = (self.next..self.sent.len()).filter(|at| !self.arrived[*at]).find(same);
        let late = (0..self.next.min(self.sent.len())).filter(|at| !self.arrived[*at]).find(same);
        let Some(at) = due.or(late) else {
            return Some(match (0..self.sent.len()).find(same) {
                Some(at) => (Check::Once, format!("message {} arrived again", self.sent[at].0)),
                None => {
                    (Check::Intact, format!("{} bytes arrived but were not sent: {}", message.len(), start_of(message)))
                }
            });
        };
        self.arrived[at] = true;
        let number = self.sent[at].0;
        if due.is_none() {
            return Some((Check::Order, format!("message {number} arrived after a later one")));
        }
        let skipped = (self.next..at).find(|at| !self.arrived[*at]).map(|at| self.sent[at].0);
        self.next = at + 1;
        skipped.map(|skipped| {
            (Check::Complete, format!("message {number} arrived, and message {skipped} before it is missing"))
        })
    }
}

fn start_of(message: &[u8]) -> String {
    let shown: String = message.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{shown}{}", if message.len() > 16 { ".." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        (0..4).for_each(|n| ledger.sent(n, vec![n as u8; 9]));
        ledger
    }

    #[test]
    fn events_in_order_violate_no_specification() {
        let mut ledger = ledger();
        assert!((0..4).all(|n| ledger.deliver(&[n; 9]).is_none()));
        assert!(ledger.is_complete());
    }

    #[test]
    fn each_error_is_reported_by_name() {
        let told = |order: &[u8]| {
            let mut ledger = ledger();
            order.iter().find_map(|n| ledger.deliver(&[*n; 9])).map(|(check, _)| check)
        };
        assert_eq!(told(&[0, 0]), Some(Check::Once));
        assert_eq!(told(&[0, 7]), Some(Check::Intact));
        assert_eq!(told(&[0, 2]), Some(Check::Complete));
        let mut ledger = ledger();
        ledger.deliver(&[1; 9]);
        assert_eq!(ledger.deliver(&[0; 9]).map(|(check, _)| check), Some(Check::Order));
    }

    #[test]
    fn equal_messages_are_taken_in_order() {
        let mut ledger = Ledger::default();
        (0..3).for_each(|n| ledger.sent(n, vec![]));
        assert!((0..3).all(|_| ledger.deliver(&[]).is_none()));
        assert_eq!(ledger.deliver(&[]).map(|(check, _)| check), Some(Check::Once));
    }
}
