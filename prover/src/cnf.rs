//! Goals as formulas in conjunctive normal form: the formula has a model whenever the negated goal has one, so a proof
//! that it has none proves the goal. Each bit of a term is a literal; each clause holds of every assignment of the
//! terms.
//!
//! - [`gates`]: clauses, and literals for formulas over literals;
//! - [`words`]: operations on bit vectors;
//! - [`arrays`]: elements of arrays;
//! - [`equalities`]: equalities of arrays;
//! - [`encode`]: terms and goals.

pub mod arrays;
pub mod encode;
pub mod equalities;
pub mod gates;
pub mod words;
