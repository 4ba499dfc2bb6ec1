//! The storage of a stack: cells, counters, timers.

use serde::{Deserialize, Serialize};

use crate::*;

/// A variable of a layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub name: String,
    pub layer: LayerId,
    pub scope: Scope,
    pub ty: Type,
    /// Evaluated at opening, cells in order; givens come first. For a given: its default, or none if the host must say.
    /// None for state: the zero of its type (0, false, first variant, none, empty, not armed, 0 for every element).
    pub initial: Option<Expr>,
    /// Locals of `draws` and `initial`, without messages.
    pub locals: Vec<Local>,
    /// What is drawn at random for `initial`, right before it is evaluated: only `Let`, `Random`, and `If` with
    /// these. Empty for a given and where there is no `initial`.
    pub draws: Block,
    pub secret: bool,
    /// Of a given: its role, by which the host sets it.
    pub role: Option<GivenRole>,
}

/// What a given is to the host that opens a connection: `given { cookie: u24 as cookie }`. A given without a role is
/// a setting of the user's (a key), the same at both ends unless he says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GivenRole {
    /// The address of the peer.
    Peer,
    /// By which frames from the peer find this connection: drawn at random, not 0.
    Cookie,
    /// The identity of this endpoint, which may outlive it; 0: none.
    Identity,
    /// The identity of the intended peer; 0: any.
    PeerIdentity,
    /// Another number after each start.
    Incarnation,
    /// How many bytes of data fit a frame on the way to the peer.
    Room,
    /// The key for messages to the peer: `bytes<32>`, and secret. It is the peer's [`GivenRole::OpeningKey`].
    SealingKey,
    /// The key for messages from the peer: `bytes<32>`, and secret.
    OpeningKey,
    /// The cookie that frames to the peer carry, if the host knows it at opening; 0: it does not.
    PeerCookie,
    /// The key that frames to the peer carry, if the host knows the peer's cookie.
    PeerKey,
    /// The key with which this endpoint signs: `bytes<32>`, and secret.
    SigningKey,
    /// What both hosts of a connection know, and hosts of no other connection: `bytes<32>`.
    Binding,
    /// Whether the peer has not yet shown that it receives frames at its address.
    Unconfirmed,
}

/// The length of a key that a host gives.
pub const KEY_BYTES: u32 = 32;

impl GivenRole {
    /// Whether the endpoints have different values.
    pub fn is_own(self) -> bool {
        matches!(self, GivenRole::Cookie | GivenRole::Incarnation | GivenRole::SigningKey)
    }

    /// Whether it is a key for the messages of one direction.
    pub fn is_key(self) -> bool {
        matches!(self, GivenRole::SealingKey | GivenRole::OpeningKey)
    }

    /// Whether the host of a connection of two knows it only if it has agreed on it with the peer's: 0 otherwise.
    pub fn is_agreed(self) -> bool {
        matches!(self, GivenRole::PeerCookie | GivenRole::PeerKey)
    }

    /// Whether a cell can have the role, as far as its type decides.
    pub fn fits(self, ty: &Type, secret: bool) -> bool {
        match self {
            GivenRole::Peer => *ty == Type::Addr,
            GivenRole::SealingKey | GivenRole::OpeningKey | GivenRole::SigningKey => {
                *ty == Type::Bytes(KEY_BYTES) && secret
            }
            GivenRole::Binding => *ty == Type::Bytes(KEY_BYTES),
            GivenRole::PeerCookie => *ty == Type::UInt(24),
            GivenRole::PeerKey => *ty == Type::UInt(32),
            GivenRole::Unconfirmed => *ty == Type::Bool,
            _ => matches!(ty, Type::UInt(_)),
        }
    }
}

/// How long a cell lives and who shares it; see the head of the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    Session,
    Shared,
    Lasting,
    Given,
    /// Follows from other cells of the layer; see [`Context::predictions`].
    Derived,
}

/// A counter of occurrences; not behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    pub name: String,
    /// None: one of [`builtin`].
    pub layer: Option<LayerId>,
}

/// Counters that every stack has.
pub mod builtin {
    use super::CounterId;
    /// Frames outside what any shape allows (too short, unknown shape, a value outside its range, a wrong length).
    pub const MALFORMED: CounterId = CounterId(0);
    /// Frames that a layer called `impossible`.
    pub const IMPOSSIBLE: CounterId = CounterId(1);
    /// Frames and calls for which the pool had no space.
    pub const NO_SPACE: CounterId = CounterId(2);
    /// Calls that `accepts` refused.
    pub const REFUSED: CounterId = CounterId(3);
    /// Loops that met their bound.
    pub const BOUND: CounterId = CounterId(4);
    /// `unreachable` reached, `assert` violated, an event or frame that no handler or shape is for.
    pub const BROKEN: CounterId = CounterId(5);
    /// Names, in the order of the constants.
    pub const NAMES: [&str; 6] = ["malformed", "impossible", "no_space", "refused", "bound", "broken"];
}

/// A timer, or a family of them (in arrays and containers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timer {
    /// `pt2pt.resend`, `atp.calls[].again`.
    pub name: String,
    pub layer: LayerId,
    pub cell: CellId,
    /// From the cell to the timer: fields and, for each family, one [`TimerStep::Each`].
    pub path: Vec<TimerStep>,
    /// Its locals `parameters` are the indices of the `Each` steps, in order (element index, or slot of a pool or map).
    pub handler: HandlerId,
}

/// A step from a cell to a timer in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimerStep {
    Field(u32),
    /// Every element of an array, every used slot of a pool or map (its value).
    Each,
}
