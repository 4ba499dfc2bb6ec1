//! The events that a listener reports to the application.

use crate::error::{describe_other_stack, Error, Reason, StackName, Words};
use crate::output::Message;
use crate::secure::keys::PublicKey;
use std::io;
use std::net::SocketAddr;

/// Names a connection of a listener; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub(crate) u64);

impl ConnectionId {
    pub(crate) fn new(serial: u64, index: u32) -> ConnectionId {
        ConnectionId(serial << 24 | u64::from(index))
    }

    /// The index in the table of connections.
    pub(crate) fn index(self) -> u32 {
        (self.0 & 0xff_ffff) as u32
    }

    /// Whether it was begun before another one of the same listener.
    pub(crate) fn is_older(self, other: ConnectionId) -> bool {
        self.0 >> 24 < other.0 >> 24
    }

    /// As a number, for C.
    pub fn to_number(self) -> u64 {
        self.0
    }

    /// From `to_number`; of any other number it names no connection.
    pub fn from_number(number: u64) -> ConnectionId {
        ConnectionId(number)
    }
}

/// Something that happened. Messages are lent until the listener is used again.
#[derive(Debug)]
pub enum Event<'a> {
    /// A peer began a connection. Its address may yet be forged: `Opened` follows when the peer has shown that it gets
    /// what is sent there. Messages may come before that.
    Arrived { connection: ConnectionId, from: SocketAddr, fingerprint: u64 },
    /// The peer has shown that it hears this end. `peer_key`: of a secure connection, the public key that the peer has
    /// proven to have; None: both have the same `Options::psk`, or the connection is not secure.
    Opened { connection: ConnectionId, peer: SocketAddr, peer_key: Option<PublicKey> },
    /// A message. `from` is set if the stack's `deliver` has an address. `is_proven`: its sender receives frames at the
    /// peer's address. Otherwise anybody may have sent it in the peer's name, also as a copy of what the peer sent in
    /// an earlier connection.
    Delivered { connection: ConnectionId, from: Option<SocketAddr>, is_proven: bool, message: Message<'a> },
    /// A call that was refused before would be accepted now.
    Writable { connection: ConnectionId },
    /// The connection has ended; its id names nothing any more. `words`: what the peer's application said. Those of a
    /// refusal come with it; those of a close may be lost.
    Closed { connection: ConnectionId, reason: Reason, words: Option<Words> },
    /// The peer has another address now, and has shown that it receives frames there (`Options::moves`).
    Moved { connection: ConnectionId, from: SocketAddr, to: SocketAddr },
    /// The two ends run different stacks: of a connection of ours, which closes; or of a peer that was refused here.
    OtherStack(OtherStack),
    /// The system or the network reported an error about frames of a connection (None: of no known one). The
    /// connection continues: a peer may start later than its clients.
    Error { connection: Option<ConnectionId>, peer: SocketAddr, cause: io::Error },
    /// Any other event of the stack, by its name.
    Other {
        connection: ConnectionId,
        event: u16,
        arguments: [u64; 4],
        address: Option<SocketAddr>,
        message: Message<'a>,
    },
}

/// Who runs what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherStack {
    /// The connection of ours that was refused; None: the peer's was refused here.
    pub connection: Option<ConnectionId>,
    pub peer: SocketAddr,
    /// The stack that this endpoint runs or serves.
    pub ours: Vec<StackName>,
    /// The stack that the peer serves or runs.
    pub theirs: Vec<StackName>,
}

impl OtherStack {
    /// Returns a message that names the stacks of both sides.
    pub fn description(&self) -> String {
        match (self.connection, self.ours.first()) {
            (Some(_), Some(ours)) => describe_other_stack(self.peer, ours, &self.theirs),
            _ => format!(
                "refused {}, which runs {}; this endpoint serves {}. Did one side change a layer or a parameter?",
                self.peer,
                list(&self.theirs),
                list(&self.ours)
            ),
        }
    }

    pub(crate) fn into_error(self) -> Error {
        let nameless = StackName { fingerprint: 0, description: None };
        let ours = self.ours.into_iter().next().unwrap_or(nameless);
        Error::OtherStack { peer: self.peer, ours, served: self.theirs }
    }
}

fn list(names: &[StackName]) -> String {
    let names: Vec<String> = names.iter().map(StackName::to_string).collect();
    if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    }
}

/// An event without its message.
#[derive(Debug)]
pub(crate) enum Head {
    Arrived { connection: ConnectionId, from: SocketAddr, fingerprint: u64 },
    Opened { connection: ConnectionId, peer: SocketAddr, peer_key: Option<PublicKey> },
    Delivered { connection: ConnectionId, from: Option<SocketAddr>, is_proven: bool },
    Writable { connection: ConnectionId },
    Closed { connection: ConnectionId, reason: Reason, words: Option<Box<Words>> },
    Moved { connection: ConnectionId, from: SocketAddr, to: SocketAddr },
    OtherStack(OtherStack),
    Error { connection: Option<ConnectionId>, peer: SocketAddr, cause: io::Error },
    Other { connection: ConnectionId, event: u16, arguments: [u64; 4], address: Option<SocketAddr> },
}

impl Head {
    pub(crate) fn with(self, message: Message<'_>) -> Event<'_> {
        match self {
            Head::Arrived { connection, from, fingerprint } => Event::Arrived { connection, from, fingerprint },
            Head::Opened { connection, peer, peer_key } => Event::Opened { connection, peer, peer_key },
            Head::Delivered { connection, from, is_proven } => {
                Event::Delivered { connection, from, is_proven, message }
            }
            Head::Writable { connection } => Event::Writable { connection },
            Head::Closed { connection, reason, words } => {
                Event::Closed { connection, reason, words: words.map(|words| *words) }
            }
            Head::Moved { connection, from, to } => Event::Moved { connection, from, to },
            Head::OtherStack(what) => Event::OtherStack(what),
            Head::Error { connection, peer, cause } => Event::Error { connection, peer, cause },
            Head::Other { connection, event, arguments, address } => {
                Event::Other { connection, event, arguments, address, message }
            }
        }
    }

    /// The connection that it concerns.
    pub(crate) fn connection(&self) -> Option<ConnectionId> {
        match self {
            Head::Arrived { connection, .. }
            | Head::Opened { connection, .. }
            | Head::Delivered { connection, .. }
            | Head::Writable { connection }
            | Head::Closed { connection, .. }
            | Head::Moved { connection, .. }
            | Head::Other { connection, .. } => Some(*connection),
            Head::OtherStack(what) => what.connection,
            Head::Error { connection, .. } => *connection,
        }
    }

    /// Whether it says that a connection has ended.
    pub(crate) fn ends(&self, id: ConnectionId) -> bool {
        matches!(self, Head::Closed { connection, .. } if *connection == id)
    }

    /// Whether it says that the peer of a connection has another stack.
    pub(crate) fn refuses(&self, id: ConnectionId) -> bool {
        matches!(self, Head::OtherStack(what) if what.connection == Some(id))
    }

    /// The connection of the message.
    pub(crate) fn delivered_to(&self) -> Option<ConnectionId> {
        match self {
            Head::Delivered { connection, .. } => Some(*connection),
            _ => None,
        }
    }
}

/// An event that waits, with its message copied.
#[derive(Debug)]
pub(crate) struct Pending {
    pub head: Head,
    pub bytes: Vec<u8>,
}

impl Pending {
    /// Its size for the limit of kept events: its bytes and its own approximate size.
    pub(crate) fn cost(&self) -> usize {
        self.bytes.len() + 64
    }
}

impl From<Head> for Pending {
    fn from(head: Head) -> Pending {
        Pending { head, bytes: Vec::new() }
    }
}
