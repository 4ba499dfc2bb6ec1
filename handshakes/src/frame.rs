//! The frames of docs/wire.md with symbolic values. A label is a cookie and a key together.

use crate::noise::{Pattern, Suite};
use crate::term::{list, word, Term};

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Frame {
    /// Kind 6: a peer begins a connection.
    Initiate(Initiate),
    /// Kind 7: the answer.
    Respond { to: Term, from: Term, message: Term },
    /// Kind 8: the initiator has the keys.
    Finish { to: Term, message: Term },
    /// Kind 9: what only the peer can have said.
    Sealed { to: Term, body: Term },
    /// Kind 10: the sender has forgotten the connection.
    Reset { unknown: Term, token: Term },
    /// Kind 4: an address has to be proven first.
    Retry { to: Term, proof: Term },
    /// Kinds 0, 1, 2, 3 and 5: control frames of plain connections, which anybody can make.
    Clear { to: Term, said: Said },
    /// A message of the stack.
    Short { to: Term, epoch: u8, body: Term },
    /// A first frame of a plain stack.
    Plain { stack: Term, from: Term, data: Term },
}

/// The fields of *initiate*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Initiate {
    /// That of a *retry*.
    pub proof: Option<Term>,
    /// The fingerprint.
    pub stack: Term,
    /// What frames to the sender carry.
    pub from: Term,
    /// 0: XX, 1: IK, 2: psk.
    pub pattern: Pattern,
    /// 0: hybrid, 1: X25519 alone.
    pub suite: Suite,
    /// Message 1.
    pub message: Term,
}

/// What a control frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Said {
    /// The stack is not served, or the application does not want the connection.
    Refused,
    /// The label is not known.
    Unknown,
    /// The stack ended in order.
    Over,
    /// Asks for a pong.
    Ping(Term),
    /// Answers a ping.
    Pong(Term),
    /// *finish* has arrived.
    Confirmed,
}

impl Said {
    /// What is sealed.
    pub fn term(self) -> Term {
        match self {
            Said::Refused => word("refused"),
            Said::Unknown => word("unknown"),
            Said::Over => word("over"),
            Said::Ping(token) => list(&[word("ping"), token]),
            Said::Pong(token) => list(&[word("pong"), token]),
            Said::Confirmed => word("confirmed"),
        }
    }
}

impl Frame {
    /// Its name in docs/wire.md.
    pub fn name(&self) -> &'static str {
        match self {
            Frame::Initiate(_) => "initiate",
            Frame::Respond { .. } => "respond",
            Frame::Finish { .. } => "finish",
            Frame::Sealed { .. } => "sealed",
            Frame::Reset { .. } => "reset",
            Frame::Retry { .. } => "retry",
            Frame::Clear { .. } => "clear",
            Frame::Short { .. } => "short",
            Frame::Plain { .. } => "plain",
        }
    }

    /// The label to which it is sent; none: it begins a connection.
    pub fn to(&self) -> Option<Term> {
        match *self {
            Frame::Respond { to, .. }
            | Frame::Finish { to, .. }
            | Frame::Sealed { to, .. }
            | Frame::Retry { to, .. }
            | Frame::Clear { to, .. }
            | Frame::Short { to, .. } => Some(to),
            Frame::Initiate(_) | Frame::Reset { .. } | Frame::Plain { .. } => None,
        }
    }

    /// What one learns who sees it.
    pub fn terms(&self) -> Vec<Term> {
        match *self {
            Frame::Initiate(Initiate { proof, stack, from, message, .. }) => {
                [stack, from, message].into_iter().chain(proof).collect()
            }
            Frame::Respond { to, from, message } => vec![to, from, message],
            Frame::Finish { to, message } => vec![to, message],
            Frame::Sealed { to, body } | Frame::Short { to, body, .. } => vec![to, body],
            Frame::Reset { unknown, token } => vec![unknown, token],
            Frame::Retry { to, proof } => vec![to, proof],
            Frame::Clear { to, said } => vec![to, said.term()],
            Frame::Plain { stack, from, data } => vec![stack, from, data],
        }
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Frame::Initiate(Initiate { proof, stack, from, pattern, suite, message }) => {
                write!(f, "initiate {stack} from {from} {pattern:?} {suite:?} {message}")?;
                proof.map_or(Ok(()), |proof| write!(f, " with {proof}"))
            }
            Frame::Respond { to, from, message } => write!(f, "respond to {to} from {from} {message}"),
            Frame::Finish { to, message } => write!(f, "finish to {to} {message}"),
            Frame::Sealed { to, body } => write!(f, "sealed to {to} {body}"),
            Frame::Reset { unknown, token } => write!(f, "reset of {unknown} {token}"),
            Frame::Retry { to, proof } => write!(f, "retry to {to} {proof}"),
            Frame::Clear { to, said } => write!(f, "{} to {to}, in clear", said.term()),
            Frame::Short { to, epoch, body } => write!(f, "short to {to} epoch {epoch} {body}"),
            Frame::Plain { stack, from, data } => write!(f, "plain {stack} from {from} {data}"),
        }
    }
}
