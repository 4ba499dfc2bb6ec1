//! Keys, the handshake and the sealed control frames of secure connections, without sockets, clock and router
//! (docs/wire.md, docs/security.md).

pub(crate) mod aead;
pub(crate) mod channel;
#[cfg(test)]
mod costs;
pub(crate) mod derive;
mod erased;
pub(crate) mod fork;
pub(crate) mod handshake;
#[cfg(test)]
mod handshake_tests;
pub(crate) mod keys;
pub(crate) mod noise;
pub(crate) mod payload;
mod pointers;
mod primitives;
pub(crate) mod reset;
pub(crate) mod signature;
#[cfg(test)]
mod vectors;
mod window;
