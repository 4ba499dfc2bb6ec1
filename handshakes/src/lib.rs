//! A symbolic model of secure connections (docs/handshake-model.md): the handshake, its control frames, restarts,
//! epochs and addresses as rules, and an attacker that knows every frame that was ever sent.
//!
//! The attacker delivers frames to anybody, in any order, any number of times or never, and composes new ones of
//! everything that it can derive (Dolev and Yao 1983). `search` makes all runs of a bounded world, and finds a shortest
//! one that violates a property. Flaws that are planted into the model show that the properties are not empty:
//! `flaw::FLAWS` names a world that refutes each.

pub mod attacker;
pub mod chart;
pub mod derive;
pub mod flaw;
pub mod frame;
pub mod honest;
pub mod knowledge;
pub mod moves;
pub mod noise;
pub mod properties;
pub mod rules;
pub mod search;
pub mod state;
pub mod step;
pub mod term;
pub mod views;
pub mod violation;
pub mod world;
pub mod worlds;
