//! The words for the enumerations of the IR.

use crate::*;

/// A value and its word.
pub type Words<T> = &'static [(T, &'static str)];

/// Returns the word for a value.
pub fn word<T: PartialEq + Copy>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("?", |(_, w)| w)
}

/// Returns the value of a word.
pub fn value<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|(v, _)| *v)
}

/// The directions of events.
pub const DIRECTIONS: Words<Direction> = &[(Direction::Up, "up"), (Direction::Down, "down")];

/// The scopes of cells.
pub const SCOPES: Words<Scope> = &[
    (Scope::Session, "session"),
    (Scope::Shared, "shared"),
    (Scope::Lasting, "lasting"),
    (Scope::Given, "given"),
    (Scope::Derived, "derived"),
];

/// The roles of events.
pub const EVENT_ROLES: Words<EventRole> = &[
    (EventRole::Plain, "plain"),
    (EventRole::Opening, "opening"),
    (EventRole::Sending, "sending"),
    (EventRole::Delivery, "delivery"),
    (EventRole::Moved, "moved"),
    (EventRole::Room, "room"),
];

/// The roles of givens.
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

/// The places of header fields.
pub const PLACES: Words<FieldPlace> =
    &[(FieldPlace::Packed, "packed"), (FieldPlace::Cookie, "cookie"), (FieldPlace::Fingerprint, "fingerprint")];

/// The classes of header fields.
pub const CLASSES: Words<FieldClass> = &[
    (FieldClass::Identification, "identification"),
    (FieldClass::Protocol, "protocol"),
    (FieldClass::Message, "message"),
    (FieldClass::Gossip, "gossip"),
];

/// The forms of layouts.
pub const FORMS: Words<LayoutForm> = &[(LayoutForm::Preamble, "preamble"), (LayoutForm::Plain, "plain")];

/// The units of filters.
pub const UNITS: Words<FilterUnit> = &[(FilterUnit::Byte, "byte"), (FilterUnit::Word, "word")];

/// The hints of conditions.
pub const LIKELY: Words<bool> = &[(true, "likely"), (false, "unlikely")];
