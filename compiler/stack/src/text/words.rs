//! The words for what the IR enumerates.

use crate::*;

/// A value and its word.
pub type Words<T> = &'static [(T, &'static str)];

pub fn word<T: PartialEq + Copy>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("?", |(_, w)| w)
}

pub fn value<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|(v, _)| *v)
}

pub const BINARY: Words<BinaryOp> = &[
    (BinaryOp::Add, "+"),
    (BinaryOp::Sub, "-"),
    (BinaryOp::Mul, "*"),
    (BinaryOp::Div, "/"),
    (BinaryOp::Rem, "rem"),
    (BinaryOp::And, "&"),
    (BinaryOp::Or, "|"),
    (BinaryOp::Xor, "^"),
    (BinaryOp::Shl, "shl"),
    (BinaryOp::Shr, "shr"),
    (BinaryOp::Equal, "="),
    (BinaryOp::NotEqual, "differs"),
    (BinaryOp::Less, "<"),
    (BinaryOp::LessEqual, "upto"),
    (BinaryOp::Both, "and"),
    (BinaryOp::Either, "or"),
    (BinaryOp::Distance, "from"),
    (BinaryOp::Min, "min"),
    (BinaryOp::Max, "max"),
    (BinaryOp::Without, "without"),
    (BinaryOp::Subset, "within"),
    (BinaryOp::Member, "in"),
];

pub const UNARY: Words<UnaryOp> = &[(UnaryOp::Not, "not"), (UnaryOp::Negate, "negate"), (UnaryOp::Fold16, "fold16")];

pub const QUERIES: Words<Query> = &[
    (Query::Len, "len"),
    (Query::Empty, "is_empty"),
    (Query::Full, "is_full"),
    (Query::Contains, "contains"),
    (Query::Has, "has"),
    (Query::Key, "key"),
    (Query::Low, "low"),
    (Query::Next, "next"),
    (Query::High, "high"),
    (Query::Armed, "armed"),
    (Query::First, "first"),
];

pub const OPERATIONS: Words<Operation> = &[
    (Operation::Push, "push"),
    (Operation::Pop, "pop"),
    (Operation::Put, "put"),
    (Operation::TakeNext, "take_next"),
    (Operation::Read, "read"),
    (Operation::Release, "release"),
    (Operation::Raise, "raise"),
    (Operation::SkipTo, "skip_to"),
    (Operation::Hole, "hole"),
    (Operation::NewHole, "new_hole"),
    (Operation::Clear, "clear"),
    (Operation::ClearUndelivered, "clear_undelivered"),
    (Operation::Remove, "remove"),
    (Operation::Add, "add"),
    (Operation::Insert, "insert"),
    (Operation::Find, "find"),
    (Operation::Entry, "entry"),
];

pub const DIRECTIONS: Words<Direction> = &[(Direction::Up, "up"), (Direction::Down, "down")];

pub const SCOPES: Words<Scope> =
    &[(Scope::Session, "session"), (Scope::Shared, "shared"), (Scope::Lasting, "lasting"), (Scope::Given, "given")];

pub const EVENT_ROLES: Words<EventRole> = &[
    (EventRole::Plain, "plain"),
    (EventRole::Opening, "opening"),
    (EventRole::Sending, "sending"),
    (EventRole::Delivery, "delivery"),
];

pub const GIVEN_ROLES: Words<GivenRole> = &[
    (GivenRole::Peer, "peer"),
    (GivenRole::Cookie, "cookie"),
    (GivenRole::Identity, "identity"),
    (GivenRole::PeerIdentity, "peer_identity"),
    (GivenRole::Incarnation, "incarnation"),
];

pub const PLACES: Words<FieldPlace> =
    &[(FieldPlace::Packed, "packed"), (FieldPlace::Cookie, "cookie"), (FieldPlace::Fingerprint, "fingerprint")];

pub const CLASSES: Words<FieldClass> = &[
    (FieldClass::Identification, "identification"),
    (FieldClass::Protocol, "protocol"),
    (FieldClass::Message, "message"),
    (FieldClass::Gossip, "gossip"),
];

pub const FORMS: Words<LayoutForm> = &[(LayoutForm::Preamble, "preamble"), (LayoutForm::Plain, "plain")];

pub const UNITS: Words<FilterUnit> = &[(FilterUnit::Byte, "byte"), (FilterUnit::Word, "word")];

pub const LIKELY: Words<bool> = &[(true, "likely"), (false, "unlikely")];
