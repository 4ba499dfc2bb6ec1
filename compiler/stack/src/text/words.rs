//! The words for the enumerations of the IR.

use crate::*;

/// A value and its word.
pub type Words<T> = &'static [(T, &'static str)];

/// Returns the word for a value; `?` if the table lacks it.
pub fn word<T: PartialEq + Copy>(words: Words<T>, value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("?", |(_, w)| w)
}

/// Returns the value of a word; none if it is unknown.
pub fn value<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|(v, _)| *v)
}

/// The directions of events and links.
pub const DIRECTIONS: Words<Direction> = &[(Direction::Up, "up"), (Direction::Down, "down")];

/// The lifetimes of cells.
pub const SCOPES: Words<Scope> = &[
    (Scope::Session, "session"),
    (Scope::Shared, "shared"),
    (Scope::Lasting, "lasting"),
    (Scope::Given, "given"),
    (Scope::Derived, "derived"),
];

/// What an event is to the host.
pub const EVENT_ROLES: Words<EventRole> = &[
    (EventRole::Plain, "plain"),
    (EventRole::Opening, "opening"),
    (EventRole::Sending, "sending"),
    (EventRole::Delivery, "delivery"),
    (EventRole::Moved, "moved"),
    (EventRole::Room, "room"),
];

/// What a given is to the host.
pub const GIVEN_ROLES: Words<GivenRole> = &[
    (GivenRole::Peer, "peer"),
    (GivenRole::Cookie, "cookie"),
    (GivenRole::Identity, "identity"),
    (GivenRole::PeerIdentity, "peer_identity"),
    (GivenRole::Incarnation, "incarnation"),
    (GivenRole::Room, "room"),
    (GivenRole::SealingKey, "sealing_key"),
    (GivenRole::OpeningKey, "opening_key"),
    (GivenRole::PeerCookie, "peer_cookie"),
    (GivenRole::PeerKey, "peer_key"),
    (GivenRole::SigningKey, "signing_key"),
    (GivenRole::Binding, "binding"),
    (GivenRole::Unconfirmed, "unconfirmed"),
];

/// With whom a context is.
pub const CONTEXTS: Words<ContextKind> = &[(ContextKind::Connection, "connection"), (ContextKind::View, "view")];

/// Where a header field is on the wire.
pub const PLACES: Words<FieldPlace> =
    &[(FieldPlace::Packed, "packed"), (FieldPlace::Cookie, "cookie"), (FieldPlace::Fingerprint, "fingerprint")];

/// The classes of header fields.
pub const CLASSES: Words<FieldClass> = &[
    (FieldClass::Identification, "identification"),
    (FieldClass::Protocol, "protocol"),
    (FieldClass::Message, "message"),
    (FieldClass::Gossip, "gossip"),
];

/// The forms of a layout.
pub const FORMS: Words<LayoutForm> = &[(LayoutForm::Preamble, "preamble"), (LayoutForm::Plain, "plain")];

/// What a filter reads at a time.
pub const UNITS: Words<FilterUnit> = &[(FilterUnit::Byte, "byte"), (FilterUnit::Word, "word")];

/// The likelihood of a branch or an emission.
pub const LIKELY: Words<bool> = &[(true, "likely"), (false, "unlikely")];
