//! What a run must keep.

use std::fmt;

use crate::names::NAMES;

/// A rule that a run violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What is delivered was sent, as it is. (If the specification promises it.)
    Sent,
    /// A host does not hear itself.
    Own,
    /// A connection delivers messages of one connection of one life of the peer.
    OneSender,
    /// It delivers what was meant for it: the sender has not received messages of another connection.
    Meant,
    /// Two connections of one life of a host, begun from one address, or both opened, do not deliver messages of the
    /// same connection.
    Shared,
    /// Nothing of a peer with another stack is delivered.
    SameStack,
    /// No message comes twice on a connection. (If promised.)
    Once,
    /// Messages come in the order in which they were sent. (If promised.)
    Order,
    /// None is missing before one that comes. (If promised.)
    Gap,
    /// After its end a connection has no events, and it ends once.
    End,
    /// A connection does not end as unknown or replaced while its other half lives, nor by silence when the network
    /// works.
    Unfounded,
    /// An event is of a connection that the host has begun, or that has arrived, once.
    Known,
    /// A connection that was begun from a stranger's address is not opened, and does not remain.
    Stranger,
    /// When a connection is opened, those of the same peer from before its restart have ended, if no application has
    /// closed them.
    Older,
    /// When the network works, a connection whose other half is gone ends.
    Half,
    /// The same if the peer has another stack.
    Incompatible,
    /// When the network works, everything arrives that was sent on a connection that remains. (If promised.)
    Arrival,
    /// If a connection ends in order after `close` at one end, everything that was sent there has arrived. (If
    /// promised.)
    Whole,
    /// When the network works, the client can reach the server. (If the stack accepts messages, and promises that they
    /// arrive or has delivered any.)
    Reach,
    /// No assertion, invariant or bound of the stack is violated.
    Claim,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Sent => "delivers a message that nobody sent",
            Rule::Own => "delivers a message of its own host",
            Rule::OneSender => "delivers messages of two connections",
            Rule::Meant => "delivers a message that was meant for another connection",
            Rule::Shared => "delivers messages of a connection that another one delivers messages of",
            Rule::SameStack => "delivers a message of a peer with another stack",
            Rule::Once => "delivers a message twice",
            Rule::Order => "delivers messages in another order than they were sent in",
            Rule::Gap => "delivers a message, and one that was sent before is missing",
            Rule::End => "has an event after its end",
            Rule::Unfounded => "has ended, though its other half lives",
            Rule::Known => "has an event before it was begun, or arrives twice",
            Rule::Stranger => "was begun by a stranger, and is opened or remains",
            Rule::Older => "remains after a restart of the peer, whose new connection is opened",
            Rule::Half => "remains, and it has no other half",
            Rule::Incompatible => "remains, and the peer has another stack",
            Rule::Arrival => "has sent messages that do not arrive",
            Rule::Whole => "has ended in order, and messages that it has sent did not arrive",
            Rule::Reach => "cannot reach the server",
            Rule::Claim => "violates an assertion, an invariant or a bound of the stack",
        })
    }
}

/// Where a rule is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// The host.
    pub host: usize,
    /// The number of the connection at it.
    pub number: u16,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Broken { rule, host, number } = self;
        write!(f, "connection {number} of {} {rule}", NAMES[*host])
    }
}
