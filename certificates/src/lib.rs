//! Checks certificates: that a formula in conjunctive normal form has no model, by a proof that a solver wrote.
//!
//! The formula is a file in DIMACS format, the proof a text in DRAT format: a line adds a clause, or deletes one. Each
//! added clause must follow from those before it by *reverse unit propagation*: when all its literals are false, unit
//! clauses alone lead to a contradiction. A proof is accepted when the clauses contradict each other by propagation.
//! Every clause that is accepted follows from the formula, so a formula with a model has no proof that is accepted. The
//! steps of DRAT that are no such consequences (RAT: clauses that only preserve satisfiability) are rejected.
//!
//! This crate depends on nothing but the standard library. It does not know where formulas come from.
//!
//! - [`files`]: reads formulas and proofs;
//! - [`clauses`]: the clauses, and unit propagation;
//! - [`check`](mod@check): checks a proof;
//! - [`folder`]: checks the certificates in a folder.

pub mod check;
pub mod clauses;
pub mod files;
pub mod folder;
