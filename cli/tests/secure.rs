//! `nacre run` with a stack that encrypts: who is trusted, what is refused, and that nothing is readable on the way.

mod common;
#[path = "secure/party.rs"]
mod party;
#[path = "secure/refused.rs"]
mod refused;
#[path = "secure/shared.rs"]
mod shared;
#[path = "secure/transfers.rs"]
mod transfers;
#[path = "secure/trusted.rs"]
mod trusted;
