//! The state of a world: the connections of all endpoints, and all frames that were ever sent.

use crate::frame::{Frame, Said};
use crate::noise::{Noise, Pattern, Suite};
use crate::term::Term;
use crate::world::Address;
use std::rc::Rc;

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// Connection ends, in the order in which each was begun; those that ended stay, for the properties.
    pub sessions: Vec<Rc<Session>>,
    /// All frames that were sent, sorted.
    pub sent: Rc<Vec<Frame>>,
    /// Which of the world's connections were begun.
    pub started: u8,
    /// How often each member was restarted.
    pub lives: Vec<u8>,
    /// How many orderly ends and refusals there were.
    pub ends: u8,
}

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// Whose end it is.
    pub owner: Address,
    /// Of which life of the owner.
    pub life: u8,
    /// Which of the owner's ends: its fresh names have this index.
    pub index: u8,
    /// Of an initiator, the start of the world.
    pub start: Option<u8>,
    /// Where the peer is.
    pub address: Address,
    /// The pattern.
    pub pattern: Pattern,
    /// The suite.
    pub suite: Suite,
    /// The stack.
    pub stack: Term,
    /// What frames to this end carry.
    pub own: Term,
    /// What frames to the peer carry.
    pub theirs: Option<Term>,
    /// How far it is.
    pub phase: Phase,
    /// The handshake.
    pub noise: Noise,
    /// The transcript after message 2.
    pub second: Option<Term>,
    /// The first frame, without proof.
    pub first: Frame,
    /// The label of a *retry*.
    pub proof: Option<Term>,
    /// What a responder answered.
    pub respond: Option<Frame>,
    /// The *finish* that a responder has read.
    pub finish: Option<Term>,
    /// What the initiator said of itself in message 1.
    pub said: Option<Payload>,
    /// Of an open connection.
    pub link: Option<Link>,
}

/// How far a connection end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The handshake is not over.
    Waiting,
    /// The stack is open.
    Open,
    /// It ended.
    Ended(End),
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// Its own application or stack ended it.
    Closed,
    /// Its own application refused it.
    Refused,
    /// The peer said *over*.
    PeerOver,
    /// The peer said *refused*.
    PeerRefused,
    /// The peer has forgotten it.
    Reset,
    /// A newer one of the same peer has replaced it.
    Replaced,
    /// Its owner was restarted.
    Forgotten,
    /// During the handshake: somebody said that the stack is not served.
    Doubted,
    /// Both ends had begun one: it is the peer's now.
    Joined,
    /// A plain frame ended it.
    Unknown,
}

/// What an end says of itself in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Payload {
    /// What frames to it carry.
    pub label: Term,
    /// Its identity number.
    pub identity: Term,
    /// The identity number that it means.
    pub wants: Term,
    /// Its reset token, if it is said here.
    pub token: Term,
}

/// An open connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The keys of the handshake: of the initiator's messages, and of the responder's.
    pub keys: [Term; 2],
    /// The peer's static key; none: it has the common secret.
    pub peer: Option<Term>,
    /// The peer's identity number.
    pub peer_number: Term,
    /// What ends the connection once the peer has forgotten it.
    pub token: Term,
    /// Control keys: out and back.
    pub control: [Term; 2],
    /// How many control frames were sealed.
    pub said: u8,
    /// Which were read.
    pub heard: u16,
    /// Messages to the peer.
    pub out: Outward,
    /// Messages from the peer.
    pub back: Inward,
    /// How many pings were sent.
    pub pings: u8,
    /// The address that is asked, and the token of the ping.
    pub asked: Option<(Address, Term)>,
    /// What was obeyed of the peer.
    pub obeyed: Vec<Said>,
    /// The older connections of the same peer, and the token of the ping whose pong ends them.
    pub older: Option<(Vec<usize>, Term)>,
}

/// The sending half of the layer that seals messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outward {
    /// The key of the epoch.
    pub key: Term,
    /// The epoch.
    pub epoch: u8,
    /// The number of the next message.
    pub number: u8,
    /// The messages that the application sent, with their epochs.
    pub texts: Vec<(u8, Term)>,
}

/// The receiving half.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inward {
    /// The key of the epoch.
    pub key: Term,
    /// The epoch.
    pub epoch: u8,
    /// The key of the epoch before, until it is erased.
    pub old: Option<Term>,
    /// What a flawed receiver has not erased.
    pub kept: Option<Term>,
    /// Which numbers were read.
    pub window: u16,
    /// What was delivered.
    pub texts: Vec<Term>,
}

impl Session {
    /// Whether this end began the connection.
    pub fn is_initiator(&self) -> bool {
        self.start.is_some()
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        !matches!(self.phase, Phase::Ended(_))
    }

    /// Whether the two are ends of one handshake.
    pub fn matches(&self, other: &Session) -> bool {
        self.is_initiator() != other.is_initiator() && self.second.is_some() && self.second == other.second
    }
}

impl State {
    /// The other end of a connection.
    pub fn other_end(&self, session: &Session) -> Option<&Session> {
        self.sessions.iter().map(|other| &**other).find(|other| session.matches(other))
    }

    /// The living connection end of a member with a label.
    pub fn labelled(&self, owner: Address, label: Term) -> Option<usize> {
        self.sessions.iter().position(|session| session.owner == owner && session.own == label && session.is_alive())
    }
}
