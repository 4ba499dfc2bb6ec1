//! The words for the enumerations of the IR.

use crate::*;

/// A value and its word.
pub type Words<T> = &'static [(T, &'static str)];

pub fn word<T: PartialEq + Copy>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("?", |(_, w)| w)
}

pub fn value<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|(v, _)| *v)
}

pub const DIRECTIONS: Words<Direction> = &[(Direction::Up, "up"), (Direction::Down, "down")];

pub const SCOPES: Words<Scope> = &[
    (Scope::Session, "session"),
    (Scope::Shared, "shared"),
    (Scope::Lasting, "lasting"),
    (Scope::Given, "given"),
    (Scope::Derived, "derived"),
];

pub const EVENT_ROLES: Words<EventRole> = &[
    (EventRole::Plain, "plain"),
    (EventRole::Opening, "opening"),
    (EventRole::Sending, "sending"),
    (EventRole::Delivery, "delivery"),
    (EventRole::Moved, "moved"),
    (EventRole::Room, "room"),
];

pub const GIVEN_ROLES: Words<GivenRole> = &[
    (GivenRole::Peer, "peer"),
    (GivenRole::Cookie, "cookie"),
    (GivenRole::Identity, "identity"),
    (GivenRole::PeerIdentity, "peer_identity"),
    (GivenRole::Incarnation, "incarnation"),
    (GivenRole::Room, "room"),
];

/// With whom a context is.
pub const CONTEXTS: Words<ContextKind> = &[(ContextKind::Connection, "connection"), (ContextKind::View, "view")];

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
