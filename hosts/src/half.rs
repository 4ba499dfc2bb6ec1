//! What one host knows of a connection, and what the connection's events violate.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use crate::message::Tag;
use crate::rule::Rule;
use crate::service::Service;

/// A connection at one host.
#[derive(Clone, Debug)]
pub struct Half {
    /// The number that its messages carry: unique in the run.
    pub number: u16,
    /// Messages that the stack accepted.
    pub sent: u8,
    /// The other half, as its messages say, and the positions of those that arrived.
    pub peer: Option<u16>,
    pub arrived: BTreeSet<u8>,
    pub closing: bool,
    pub ended: bool,
    /// The peer has shown that it hears this end.
    pub opened: bool,
    pub begun_by_peer: bool,
    /// The identity of the client, and where it is. Those of a half that the client began: its own, and the server.
    pub identity: u64,
    pub with: SocketAddr,
    /// It was begun from an address of neither host.
    pub strange: bool,
}

impl Half {
    /// A half without messages.
    pub fn new(number: u16, identity: u64, with: SocketAddr) -> Half {
        Half {
            number,
            sent: 0,
            peer: None,
            arrived: BTreeSet::new(),
            closing: false,
            ended: false,
            opened: false,
            begun_by_peer: false,
            identity,
            with,
            strange: false,
        }
    }

    /// Whether the application may send.
    pub fn is_open(&self) -> bool {
        !self.ended && !self.closing && !self.strange
    }

    /// Whether the other half knows of this one. A late first frame begins one that its sender knows nothing of; it is
    /// never opened.
    pub fn is_sure(&self) -> bool {
        self.opened || !self.begun_by_peer
    }

    /// Takes the notice that the peer hears this end, or says what it violates.
    pub fn opens(&mut self) -> Result<(), Rule> {
        self.opened = true;
        match self.ended {
            true => Err(Rule::End),
            false if self.strange => Err(Rule::Stranger),
            false => Ok(()),
        }
    }

    /// Takes the end, or says what it violates.
    pub fn ends(&mut self) -> Result<(), Rule> {
        match std::mem::replace(&mut self.ended, true) {
            true => Err(Rule::End),
            false => Ok(()),
        }
    }

    /// Takes a message, or says what it violates.
    pub fn receives(&mut self, host: usize, tag: Tag, service: Service) -> Result<(), Rule> {
        let before = self.arrived.len();
        let is_last = self.arrived.last().is_none_or(|last| *last < tag.position);
        if self.ended {
            return Err(Rule::End);
        }
        if usize::from(tag.host) == host {
            return Err(Rule::Own);
        }
        if *self.peer.get_or_insert(tag.number) != tag.number {
            return Err(Rule::OneSender);
        }
        match self.arrived.insert(tag.position) {
            false if service.once => Err(Rule::Once),
            _ if service.ordered && !is_last => Err(Rule::Order),
            true if service.gapless && usize::from(tag.position) != before => Err(Rule::Gap),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Half {
        Half::new(1, 0, SocketAddr::from(([10, 0, 0, 1], 7000)))
    }

    /// What a half that has received the first message makes of another one.
    fn after_first(tag: Tag, service: Service) -> Result<(), Rule> {
        let mut half = half();
        half.receives(1, Tag { host: 0, number: 2, position: 0 }, service).unwrap();
        half.receives(1, tag, service)
    }

    #[test]
    fn messages_are_judged_by_what_is_promised() {
        let none = Service::default();
        let tag = |number, position| Tag { host: 0, number, position };
        assert_eq!(after_first(tag(2, 0), none), Ok(()));
        assert_eq!(after_first(tag(2, 0), Service { once: true, ..none }), Err(Rule::Once));
        assert_eq!(after_first(tag(2, 2), none), Ok(()));
        assert_eq!(after_first(tag(2, 2), Service { gapless: true, ..none }), Err(Rule::Gap));
        assert_eq!(after_first(tag(3, 1), none), Err(Rule::OneSender));
        assert_eq!(after_first(Tag { host: 1, number: 2, position: 1 }, none), Err(Rule::Own));
        let (mut half, ordered) = (half(), Service { ordered: true, ..none });
        assert_eq!(half.receives(1, tag(2, 1), ordered), Ok(()));
        assert_eq!(half.receives(1, tag(2, 0), ordered), Err(Rule::Order));
        assert_eq!(half.ends(), Ok(()));
        assert_eq!(half.ends(), Err(Rule::End));
        assert_eq!(half.receives(1, tag(2, 2), none), Err(Rule::End));
        assert_eq!(half.opens(), Err(Rule::End));
    }
}
